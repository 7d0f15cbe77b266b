// Secrets in thirty places, and a server of the gateway's own account that looks for them; the log, the
// metrics, the record and the answers have none either.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { textOf } from './assertions.mjs';
import { kFixtures, kProgram, startGateway, temporaryDirectory } from './harness.mjs';
import { kAsOrdinary, kNoOrdinary } from './ordinary.mjs';
import { startScriptedServer } from './scripted_http.mjs';
import { httpServer, kEverything, stdioServer } from './servers.mjs';
import { LegacySession, jsonRpc, send, sendModern } from './wire.mjs';

const kPreload = join(dirname(kProgram), 'fault_preload.so');
const kPrying = join(kFixtures, 'prying_server.py');
const sha256 = (text) => createHash('sha256').update(text).digest('hex');

// Drawn for each run: a canary that stands in a file of this checkout would be found there.
const drawn = createHash('sha256').update(String(process.hrtime.bigint())).digest('hex').slice(0, 16);
const canary = (place) => `canary-${String(place).padStart(2, '0')}-${drawn}`;
const kCanary = new RegExp(`canary-[0-9]{2}-${drawn}`, 'g');
const bearer = (key) => ({ authorization: `Bearer ${key}` });

// Places 1 to 10: what the gateway is given by its environment and by files.
const kEnvironment = {
  DIGEST_KEY: canary(1),
  UPSTREAM_TOKEN: canary(2),
  NEVER_NAMED: canary(3),
  OTHER_TOKEN: canary(4),
};

function configuration(url, sandbox) {
  return `
[server.prying]
command = ["python3", ${JSON.stringify(kPrying)}]
${sandbox}
${stdioServer('other', [kEverything, 'stdio'], 'env_secret = { TOKEN = "env:OTHER_TOKEN", MORE = "file:other-token" }')}
${httpServer('byenv', url, 'credentials = { bearer = "env:UPSTREAM_TOKEN" }')}
${httpServer('byfile', url, 'credentials = { bearer = "file:upstream-token" }')}
[rule.testers-may]
effect = "permit"
roles = ["tester"]
tools = ["*/*"]
[rule.nobody-may]
effect = "forbid"
roles = ["*"]
tools = ["other/get-sum"]
[rule.reads]
effect = "permit"
roles = ["tester"]
resources = ["other:**"]
`;
}

const kAuth = `
[auth.api_key.ann]
principal = "ann"
sha256 = "${sha256(canary(7))}"
[auth.api_key.bob]
principal = "bob"
sha256 = "${sha256(canary(8))}"
[auth.api_key.old]
principal = "bob"
sha256 = "${sha256(canary(9))}"
expires = 2020-01-01
[principal.ann]
roles = ["tester"]
[principal.bob]
roles = ["tester"]
[role.tester]
trust = "untrusted"
`;

// Places 11 and on: what clients send. Each is sent, and its answer looked at; an answer to the call
// itself may repeat what the caller sent, as `echo` does.
const ann = bearer(canary(7));
const kSent = [
  [11, 'a wrong key', (url) => send(url, { headers: bearer(canary(11)), body: jsonRpc(1, 'ping') })],
  [9, 'an expired key', (url) => send(url, { headers: bearer(canary(9)), body: jsonRpc(1, 'ping') })],
  [13, 'another scheme', (url) => send(url, { headers: { authorization: `Token ${canary(13)}` }, body: jsonRpc(1, 'ping') })],
  [14, 'basic authentication', (url) => send(url, { headers: { authorization: `Basic ${canary(14)}` }, body: jsonRpc(1, 'ping') })],
  [15, 'the query of the address', (url) => send(`${url}?key=${canary(15)}`, { body: jsonRpc(1, 'ping') })],
  [16, 'a cookie', (url) => sendModern(url, 'tools/list', {}, { headers: { ...ann, cookie: canary(16) } })],
  [17, 'a header that nobody knows', (url) => sendModern(url, 'tools/list', {}, { headers: { ...ann, 'x-api-key': canary(17) } })],
  [18, 'a header of a proxy', (url) => sendModern(url, 'tools/list', {}, { headers: { ...ann, 'proxy-authorization': canary(18) } })],
  [19, 'a session that is not there', (url) => send(url, { headers: { ...ann, 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-session-id': canary(19) }, body: jsonRpc(1, 'ping') })],
  [20, 'the last event', (url) => send(url, { method: 'GET', headers: { ...ann, accept: 'text/event-stream', 'last-event-id': canary(20) } })],
  [21, 'no JSON', (url) => send(url, { headers: { ...ann, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }, body: `{"a": ${canary(21)}` })],
  [22, 'a method that nobody knows', (url) => sendModern(url, 'secret/method', { key: canary(22) }, { headers: ann })],
  [23, 'an argument that is forbidden', (url) => sendModern(url, 'tools/call', { name: 'other_get-sum', arguments: { a: canary(23) } }, { headers: ann })],
  [24, 'an argument that does not fit', (url) => sendModern(url, 'tools/call', { name: 'other_echo', arguments: { message: { in: canary(24) } } }, { headers: ann })],
  [25, 'the name of an argument', (url) => sendModern(url, 'tools/call', { name: 'other_echo', arguments: { [canary(25)]: 1 } }, { headers: ann })],
  [26, 'a member of _meta', (url) => sendModern(url, 'tools/list', { _meta: { 'example.com/key': canary(26) } }, { headers: ann })],
  [27, 'an argument of a tool that is not there', (url) => sendModern(url, 'tools/call', { name: 'other_none', arguments: { a: canary(27) } }, { headers: ann })],
  [28, 'an argument of a prompt', (url) => sendModern(url, 'prompts/get', { name: 'other_none', arguments: { a: canary(28) } }, { headers: ann })],
  [29, 'the user of a resource', (url) => sendModern(url, 'resources/read', { uri: `https://${canary(29)}@example.com/` }, { headers: ann })],
  [30, 'a header beside an argument', (url) => sendModern(url, 'tools/call', { name: 'other_echo', arguments: { message: 'a' } }, { headers: { ...ann, 'mcp-param-message': canary(30) } })],
  [31, 'a name in a list twice', (url) => send(url, { headers: { ...ann, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }, body: `{"jsonrpc":"2.0","id":1,"method":"ping","${canary(31)}":1,"${canary(31)}":2}` })],
];

class Stage {
  async start({ sandbox = '', isOpen = false } = {}) {
    this.upstream = await startScriptedServer({});
    this.upstream.listener.unref();
    // Its folder is the gateway's once it runs.
    const folder = temporaryDirectory();
    chmodSync(folder, 0o711);
    this.plan = join(folder, 'plan');
    writeFileSync(this.plan, isOpen ? 'dumpable\n' : '');
    this.gateway = await startGateway(configuration(this.upstream.url, sandbox), {
      auth: kAuth,
      wrapper: kAsOrdinary,
      audit: 'digest_key = "env:DIGEST_KEY"',
      environment: { ...kEnvironment, LD_PRELOAD: kPreload, BARTIZAN_FAULTS: this.plan },
      files: { 'other-token': canary(5), 'upstream-token': canary(6) },
    });
    this.answers = [];
    for (const [place, name, put] of kSent) this.answers.push({ place, name, ...(await put(this.gateway.url)) });
    // So that every secret has been used: the other server runs, both of a URL were asked.
    this.ann = await LegacySession.open(this.gateway.url, ann);
    this.bob = await LegacySession.open(this.gateway.url, bearer(canary(8)));
    const echoed = await this.ann.call(1, 'other_echo', { message: canary(10) });
    assert.equal(textOf(echoed.result), `Echo: ${canary(10)}`, 'the call itself has what it was given');
    return this;
  }

  async pry() {
    return JSON.parse(textOf((await this.bob.call(2, 'prying_pry', {})).result));
  }

  async stop() {
    await this.gateway?.stop();
    this.upstream?.stop();
  }
}

const skip = kNoOrdinary || (existsSync(kPreload) ? false : `no ${kPreload}: only the development build has it`);

describe('secrets in thirty places', { skip }, () => {
  let stage;
  before(async () => {
    stage = await new Stage().start();
  });
  after(() => stage?.stop());

  it('a server of the same account finds none of the gateway\'s', async () => {
    const { processes, found } = await stage.pry();
    assert.ok(processes >= 3, 'it sees the gateway, its launcher and a keeper');
    // Servers of one account read one another: docs/local-servers.md says so, and how to part them.
    for (const place of [4, 5]) delete found[canary(place)];
    // What the other server was called with stands in its memory.
    delete found[canary(10)];
    assert.deepEqual(found, {});
  });

  it('neither has the log, the record or a metric', async () => {
    const texts = {
      log: stage.gateway.log(),
      metrics: await stage.gateway.metrics(),
      records: stage.gateway.records().map(({ line }) => line).join('\n'),
      readiness: JSON.stringify(await stage.gateway.readiness()),
    };
    for (const [where, text] of Object.entries(texts)) {
      assert.ok(text.length > 50, where);
      assert.deepEqual(text.match(kCanary) ?? [], [], where);
    }
  });

  it('no answer repeats one', () => {
    for (const { place, name, body, headers } of stage.answers) {
      const said = JSON.stringify(headers) + body;
      assert.deepEqual(said.match(kCanary) ?? [], [], `${place}, ${name}: ${body}`);
    }
  });
});

describe('a server in a sandbox', { skip }, () => {
  const kFiles = `read = ["/usr", "/lib", "/lib64", "/bin", "/etc", "/proc", ${JSON.stringify(kFixtures)}]`;
  for (const level of ['process', 'container']) {
    it(`of the level ${level} finds nothing of other servers either`, async (t) => {
      let stage;
      try {
        stage = await new Stage().start({ sandbox: `sandbox = { level = "${level}", ${kFiles} }` });
      } catch (error) {
        if (!/docs\/local-servers\.md|Landlock|no \/proc of its own/.test(error.message)) throw error;
        return t.skip('this machine has no such sandbox');
      }
      const { processes, found } = await stage.pry().finally(() => stage.stop());
      assert.deepEqual(found, {});
      assert.ok(processes <= 2, 'it sees those of its own namespace');
    });
  }
});

// Without this, the stories above could pass because nobody looks in the right place.
describe('a gateway that is open to its account', { skip }, () => {
  it('shows its secrets', async () => {
    const stage = await new Stage().start({ isOpen: true });
    const { found } = await stage.pry().finally(() => stage.stop());
    for (const place of [1, 2, 3, 4, 6, 7]) assert.ok(found[canary(place)]?.includes('mem'), `place ${place}`);
    for (const place of [1, 2, 3]) assert.ok(found[canary(place)].includes('environ'), `place ${place}`);
  });
});
