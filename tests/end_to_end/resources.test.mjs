// Resources of several servers behind one endpoint: whose a URI is follows from the configuration, or
// stands in the URI, and never depends on which server is alive.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { kClients } from './clients.mjs';
import { EventStream } from './event_stream.mjs';
import { runProgram, startGateway } from './harness.mjs';
import { processesThat } from './processes.mjs';
import { kMemory, kResources, stdioServer } from './servers.mjs';
import { jsonRpc, LegacySession, messagesOf, modernMeta, responseOf, sendModern } from './wire.mjs';

const kRules = `
[rule.all-tools]
effect = "permit"
roles = ["tester"]
tools = ["*/*"]
[rule.all-prompts]
effect = "permit"
roles = ["tester"]
prompts = ["*/*"]
[rule.all-resources]
effect = "permit"
roles = ["tester"]
resources = ["*:**"]
[rule.listen]
effect = "permit"
roles = ["*"]
methods = ["subscriptions/listen"]
`;

const server = (name, more, ...options) => stdioServer(name, [kResources, '--name', name, ...options], more);
const uris = ({ result }, member = 'resources') => result[member].map(({ uri, uriTemplate }) => uri ?? uriTemplate).toSorted();

/** A legacy session, whose requests have an answer. */
class Reader {
  #id = 10;
  static async open(url, headers) {
    const reader = new Reader();
    reader.session = await LegacySession.open(url, headers);
    return reader;
  }
  async ask(method, params) {
    return responseOf(await this.session.request(++this.#id, method, params));
  }
  async read(uri) {
    const answer = await this.ask('resources/read', { uri });
    return answer.result?.contents[0] ?? answer.error;
  }
  async call(name, uri) {
    return (await this.ask('tools/call', { name, arguments: { uri } })).result;
  }
}

describe('two servers that list one URI', () => {
  let gateway;
  let reader;
  before(async () => {
    const servers = [
      server('a', '', '--uris', 'memo://shared,memo://only-a', '--template', 'memo://{x}'),
      server('b', '', '--uris', 'memo://shared,other://only-b', '--template', 'memo://{x}', '--without', 'memo://none'),
    ];
    gateway = await startGateway(servers.join('') + kRules);
    reader = await Reader.open(gateway.url);
    await eventually(async () => uris(await reader.ask('resources/list')).length === 4, 'both list theirs');
  });
  after(() => gateway?.stop());

  const decision = () => gateway.records().filter(({ kind }) => kind === 'decision').at(-1);

  it('list it under the name of each, and all else bare', async () => {
    assert.deepEqual(uris(await reader.ask('resources/list')), [
      'bartizan://a/memo://shared', 'bartizan://b/memo://shared', 'memo://only-a', 'other://only-b',
    ]);
    assert.deepEqual(uris(await reader.ask('resources/templates/list'), 'resourceTemplates'), [
      'bartizan://a/memo://{x}', 'bartizan://b/memo://{x}',
    ]);
  });

  for (const name of ['a', 'b']) {
    it(`read it of ${name} by that name, judged and recorded as the server's own`, async () => {
      const uri = `bartizan://${name}/memo://shared`;
      assert.deepEqual(await reader.read(uri), { uri, mimeType: 'text/plain', text: `${name} has memo://shared` });
      assert.deepEqual([decision().server, decision().target], [name, 'memo://shared']);
    });
  }

  it('read what only one of them has bare, and under its name', async () => {
    assert.equal((await reader.read('memo://only-a')).text, 'a has memo://only-a');
    assert.equal((await reader.read('memo://only-a')).uri, 'memo://only-a');
    assert.equal((await reader.read('bartizan://a/memo://only-a')).uri, 'bartizan://a/memo://only-a');
  });

  it('ask neither for the bare one, and say what to write', async () => {
    for (const uri of ['memo://shared', 'memo://by-two-templates']) {
      const error = await reader.read(uri);
      assertRefused(error, 'resource_ambiguous');
      assert.equal(error.code, -32602);
      assert.match(error.message, /bartizan:\/\/SERVER\/URI.*resource_uris/);
      const { stdout } = await runProgram('audit', 'show', error.data.decision_id, gateway.auditFile);
      assert.match(stdout, /resource_uris = "named" for all of them but one/);
    }
    assert.equal((await reader.read('bartizan://b/memo://by-two-templates')).text, 'b has memo://by-two-templates');
  });

  it('name it in links, embedded resources, prompts and tools', async () => {
    const { content } = await reader.call('a_link', 'memo://shared');
    assert.equal(content[0].uri, 'bartizan://a/memo://shared');
    assert.equal(content[1].resource.uri, 'bartizan://a/memo://shared');
    assert.equal(content[2].text, 'memo://shared', 'text is nobody\'s to change');
    const bare = await reader.call('a_link', 'memo://only-a');
    assert.deepEqual([bare.content[0].uri, bare.content[1].resource.uri], ['memo://only-a', 'memo://only-a']);
    const prompt = await reader.ask('prompts/get', { name: 'b_show' });
    assert.equal(prompt.result.messages[0].content.resource.uri, 'bartizan://b/memo://shared');
    const { tools } = (await reader.ask('tools/list')).result;
    const links = tools.filter(({ _meta }) => _meta).map(({ _meta }) => _meta.ui.resourceUri);
    assert.deepEqual(links.toSorted(), ['bartizan://a/memo://shared', 'bartizan://b/memo://shared']);
  });

  it('complete a template by its name', async () => {
    const ask = (uri) => reader.ask('completion/complete', { ref: { type: 'ref/resource', uri }, argument: { name: 'x', value: 'a' } });
    assert.deepEqual((await ask('bartizan://b/memo://{x}')).result.completion.values, ['b completes memo://{x}']);
    assertRefused((await ask('memo://{x}')).error, 'resource_ambiguous');
  });

  it('tell of updates under the name that was subscribed to', async () => {
    const own = await Reader.open(gateway.url);
    const stream = await EventStream.open(gateway.url, { headers: own.session.headers() });
    const updated = () => stream.messages().filter(({ method }) => method === 'notifications/resources/updated').map(({ params }) => params.uri);
    for (const uri of ['bartizan://a/memo://shared', 'memo://only-a']) await own.ask('resources/subscribe', { uri });
    const { content } = await own.call('a_touch', 'memo://shared');
    assert.equal(content[0].text, 'memo://shared memo://only-a', 'the server knows its own URIs only');
    await own.call('b_touch', 'memo://shared');
    await own.call('a_touch', 'memo://only-a');
    await eventually(() => updated().length === 2, 'two updates');
    assert.deepEqual(updated(), ['bartizan://a/memo://shared', 'memo://only-a']);
    const during = await own.session.request(99, 'tools/call', { name: 'a_touch', arguments: { uri: 'memo://shared', at_once: true } });
    assert.equal(messagesOf(during).find(({ method }) => method === 'notifications/resources/updated').params.uri, 'bartizan://a/memo://shared');
    await own.ask('resources/unsubscribe', { uri: 'bartizan://a/memo://shared' });
    assert.equal((await own.call('a_touch', 'memo://shared')).content[0].text, 'memo://only-a');
    stream.close();
  });

  it('serve a modern subscription, each with its part', async () => {
    const wanted = ['bartizan://a/memo://shared', 'bartizan://b/memo://shared'];
    const notifications = { resourceSubscriptions: [...wanted, 'bartizan://b/memo://none'] };
    const body = jsonRpc('s', 'subscriptions/listen', { notifications, _meta: modernMeta() });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
    const stream = await EventStream.open(gateway.url, { method: 'POST', headers, body });
    const of = (method) => stream.messages().filter((message) => message.method === method).map(({ params }) => params);
    await eventually(() => of('notifications/subscriptions/acknowledged').length === 1, 'the acknowledgement');
    assert.deepEqual(of('notifications/subscriptions/acknowledged')[0].notifications, { resourceSubscriptions: wanted }, 'what each agreed to');
    for (const name of ['a', 'b']) {
      const answer = responseOf(await sendModern(gateway.url, 'tools/call', { name: `${name}_touch`, arguments: { uri: 'memo://shared' } }));
      assert.match(answer.result.content[0].text, /^memo:\/\/shared/);
    }
    await eventually(() => of('notifications/resources/updated').length === 2, 'an update of each');
    assert.deepEqual(of('notifications/resources/updated').map(({ uri }) => uri).toSorted(), wanted);
    stream.close();
  });

  it('log once that nobody owns it', () => {
    const lines = gateway.log().split('\n').filter((line) => line.includes('two servers list one resource'));
    assert.equal(lines.length, 4, 'a URI and a template of each server');
  });
});

describe('the owner of bare URIs', () => {
  const second = (more = '') => server('b', `resource_uris = "named"\n${more}`, '--uris', 'memo://shared,other://only-b');

  it('is the server whose URIs are not named', async () => {
    const gateway = await startGateway(server('a', '', '--uris', 'memo://shared') + second() + kRules);
    try {
      const reader = await Reader.open(gateway.url);
      await eventually(async () => uris(await reader.ask('resources/list')).length === 3, 'both list theirs');
      assert.deepEqual(uris(await reader.ask('resources/list')), [
        'bartizan://b/memo://shared', 'bartizan://b/other://only-b', 'memo://shared',
      ]);
      assert.equal((await reader.read('memo://shared')).text, 'a has memo://shared');
      assert.equal((await reader.read('bartizan://b/memo://shared')).text, 'b has memo://shared');
      // Bare, it is the first server's to answer, which knows nothing of it.
      assert.equal((await reader.read('other://only-b')).text, 'a has other://only-b');
      assert.equal((await reader.call('b_link', 'new://one')).content[0].uri, 'bartizan://b/new://one');
    } finally {
      await gateway.stop();
    }
  });

  it('stays it while it is dead', async () => {
    const dead = stdioServer('a', ['-e', 'process.exit(1)']);
    const gateway = await startGateway(dead + second() + kRules);
    try {
      const reader = await Reader.open(gateway.url);
      await eventually(async () => uris(await reader.ask('resources/list')).length === 2, 'the living one lists');
      assertRefused(await reader.read('memo://shared'), 'server_unavailable');
      assert.equal((await reader.read('bartizan://b/memo://shared')).text, 'b has memo://shared');
    } finally {
      await gateway.stop();
    }
  });

  it('is nobody else while one of two is dead, on every worker', async () => {
    const both = server('a', '', '--uris', 'memo://shared') + server('b', '', '--uris', 'memo://shared');
    const gateway = await startGateway(`[process]\nworkers = 2\n${both}${kRules}`);
    try {
      const first = await Reader.open(gateway.url);
      await eventually(async () => uris(await first.ask('resources/list')).length === 2, 'both list it');
      const ofA = processesThat(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${kResources}\0--name\0a\0`));
      assert.ok(ofA.length > 0);
      for (const { pid } of ofA) process.kill(pid, 'SIGSTOP');
      try {
        // Each on a connection of its own, so that both workers serve some.
        const readers = await Promise.all(Array.from({ length: 6 }, () => Reader.open(gateway.url)));
        for (const reader of readers) assertRefused(await reader.read('memo://shared'), 'resource_ambiguous');
      } finally {
        for (const { pid } of ofA) process.kill(pid, 'SIGCONT');
      }
    } finally {
      await gateway.stop();
    }
  });

  it('is the one that the caller may use, and others learn of neither', async () => {
    const keys = ['ann', 'bob'].map((who) => `[auth.api_key.${who}]\nprincipal = "${who}"\nsha256 = "${createHash('sha256').update(`key-of-${who}`).digest('hex')}"\n`);
    const people = '[principal.ann]\nroles = ["one"]\n[principal.bob]\nroles = ["none"]\n[role.one]\n[role.none]\n';
    const rules = `[rule.one]\neffect = "permit"\nroles = ["one"]\nresources = ["a:**"]\n[rule.tools]\neffect = "permit"\nroles = ["*"]\ntools = ["*/*"]\n`;
    const both = server('a', '', '--uris', 'memo://shared') + server('b', '', '--uris', 'memo://shared');
    const gateway = await startGateway(both + people + rules, { auth: `[auth]\n${keys.join('')}` });
    try {
      const open = (who) => Reader.open(gateway.url, { authorization: `Bearer key-of-${who}` });
      const [ann, bob] = [await open('ann'), await open('bob')];
      await eventually(async () => uris(await ann.ask('resources/list')).length === 1, 'hers is listed');
      assert.deepEqual(uris(await ann.ask('resources/list')), ['memo://shared']);
      assert.equal((await ann.read('memo://shared')).text, 'a has memo://shared');
      assertRefused(await ann.read('bartizan://b/memo://shared'), 'no_matching_rule');
      assert.deepEqual(uris(await bob.ask('resources/list')), []);
      assertRefused(await bob.read('memo://shared'), 'no_matching_rule');
    } finally {
      await gateway.stop();
    }
  });
});

describe('a server that asks its client for something before it lists', () => {
  for (const method of ['roots/list', 'sampling/createMessage', 'elicitation/create', 'ping']) {
    it(`is answered, and lists, where it asks ${method}`, async () => {
      const gateway = await startGateway(server('a', '', '--uris', 'memo://1', '--asks', method) + kRules);
      try {
        const reader = await Reader.open(gateway.url);
        await eventually(async () => uris(await reader.ask('resources/list')).length === 1, 'it lists');
        assert.equal((await reader.ask('tools/list')).result.tools.length, 2);
        assert.equal((await reader.ask('prompts/list')).result.prompts.length, 1);
        assert.ok((await reader.call('a_link', 'memo://1')).content);
      } finally {
        await gateway.stop();
      }
    });
  }
});

describe('two official memory servers', () => {
  it('are both readable', async () => {
    const gateway = await startGateway(stdioServer('first', [kMemory]) + stdioServer('second', [kMemory]) + kRules);
    const connection = await kClients[0].connect(gateway.url);
    try {
      let resources = [];
      await eventually(async () => (resources = (await connection.client.listResources()).resources).length === 2, 'both list theirs');
      for (const { uri } of resources) {
        const { contents } = await connection.client.readResource({ uri });
        assert.equal(contents[0].uri, uri);
      }
      assert.deepEqual(resources.map(({ uri }) => uri.split('/')[2]).toSorted(), ['first', 'second']);
    } finally {
      await connection.close();
      await gateway.stop();
    }
  });
});
