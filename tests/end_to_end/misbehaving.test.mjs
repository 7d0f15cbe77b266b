// Servers that break promises in ways that only processes, HTTP or the modern era have; what any transport
// carries is in rude_servers.test.mjs. One table: a behaviour, what the client sees, what is dropped and
// counted; misbehaving_stage.mjs asserts for each row what holds for all of them: what the record says,
// that bystanders are answered all the while, that the next call works, and at the end that no memory,
// call or process is left.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { freePort, temporaryDirectory } from './harness.mjs';
import { Stage, refusal } from './misbehaving_stage.mjs';
import { processOf, processesThat } from './processes.mjs';
import { behave, kJsonBehaviours, kModernBehaviours, kStreamBehaviours } from './rude_http.mjs';
import { kEchoTool, startScriptedServer } from './scripted_http.mjs';
import { httpServer, kPlain, kRude, stdioServer } from './servers.mjs';
import { messagesOf, responseOf } from './wire.mjs';

const timeout = (pattern, after) => `[tool."${pattern}"]\ntimeout = "${after}"\n`;
// The same server under a second name: for rows that are to time out, so that no other row can.
const hasty = (name, url) => httpServer(`hasty-${name}`, url) + timeout(`hasty-${name}/*`, '1s');
const placeOf = (name, sees) => (sees.reasons?.includes('server_timeout') ? `hasty-${name}` : name);
// A call that is answered: the next one of each row, and the first one to a hasty server.
const kWell = { given: {}, text: 'well' };
const failed = refusal('server_failed');
const unavailable = refusal('server_unavailable');
const timedOut = refusal('server_timeout');
const textOf = (response) => response.result?.content[0].text;
const kRows = { concurrency: 6 };
const kInTurn = { concurrency: 1 };

describe('servers that misbehave over stdio', { concurrency: 3 }, () => {
  const directory = temporaryDirectory();
  const pids = join(directory, 'pids');
  const fallFile = join(directory, 'fall');
  const noProgram = join(directory, 'no-program');
  let stage;
  before(async () => {
    mkdirSync(pids);
    writeFileSync(noProgram, 'not executable');
    const rude = (name, options = {}, more = '') =>
      stdioServer(name, [kRude, '--pids', pids, ...Object.entries(options).flatMap(([key, value]) => [`--${key}`, value])], more);
    const perSession = 'instances = "per_session"';
    const servers = [
      stdioServer('plain', [kPlain]),
      rude('rude', { banner: 'yes' }, 'client_features = ["logging"]'),
      rude('ender', { crlf: 'yes' }),
      rude('dead', { dies: 'yes' }),
      rude('once', { once: 'yes' }, 'max_in_flight = 1'),
      rude('faller', { falls: fallFile }),
      rude('stayer', { stays: 'yes' }, perSession),
      rude('spinner', { spins: 'yes' }, perSession),
      rude('deaf', {}, perSession),
      ...['circle', 'many', 'twins'].map((lists) => rude(`list-${lists}`, { lists })),
      `[server.broken]\ncommand = [${JSON.stringify(noProgram)}]\n`,
      `[server.absent]\ncommand = ["/no/such/program"]\n`,
    ];
    const short = ['deaf/echo'];
    stage = await Stage.start('legacy', servers.join(''), short.map((pattern) => timeout(pattern, '1s')).join(''));
    await stage.addBystander('plain_slow_echo', { token: 'plain', milliseconds: 1 }, 'plain');
    await stage.addBystander('rude_echo', { text: 'mine' }, 'mine');
    await stage.addBystander('ender_echo', { text: 'mine' }, 'mine');
    // Started, and its list read, before anything has to happen within a second.
    await stage.assertNext(await stage.client(), 'rude');
  });
  after(async () => {
    const zombies = () => processesThat(({ parent, state }) => parent === stage.gateway.process.pid && state === 'Z');
    await eventually(() => zombies().length === 0, 'no zombie is left', 20_000);
    await stage.stop();
    const groups = new Set(readdirSync(pids).map(Number));
    assert.ok(groups.size > 20, 'the rude servers leave their numbers');
    assert.deepEqual(processesThat(({ group }) => groups.has(group)), []);
  });

  // One after another: each meets the process that the one before has left.
  describe('in a call', kInTurn, () => {
    const kInCall = [
      ['logs to its output', 'chatter', 'between the lines', { not_a_message: 2 }],
      ['floods its log', 'flood_errors', 'after the flood', { stderr_line: 1000 }],
    ];
    for (const [what, tool, sees, dropped] of kInCall) {
      it(what, () => stage.tell({ server: 'rude', tool, sees, dropped }));
    }
    it('does not see the gateway’s environment', async () => {
      const client = await stage.client();
      const seen = JSON.parse(textOf(responseOf(await client.call('rude_environment'))));
      assert.deepEqual(Object.keys(seen).filter((name) => !['PATH', 'HOME'].includes(name)), []);
    });
  });

  describe('by leaving', kInTurn, () => {
    const file = (name) => join(directory, name);
    const kLeaving = [
      ['exits in a call', 'leave', failed, 'exit 3'],
      ['is killed in a call', 'killed', failed, 'SIGKILL'],
      ['exits behind half a line', 'half_leave', failed, 'exit 3'],
      ['exits behind its answer', 'answer_leave', 'last words', 'exit 0'],
      ['closes its output', 'close_output', failed, ''],
      ['exits, and what it started holds its pipes', 'fork_leave', failed, 'exit 5'],
      ['exits, and what it started has left its group', 'fork_away', failed, 'exit 5'],
    ];
    for (const [what, tool, sees, how] of kLeaving) {
      it(what, async () => {
        const endings = () => stage.gateway.records().filter(({ kind, server, detail }) => kind === 'server' && server === 'ender' && detail.startsWith('ended unexpectedly') && detail.includes(how));
        const earlier = endings().length;
        await stage.tell({ server: 'ender', tool, sees, given: { text: file(tool) } });
        await eventually(() => endings().length > earlier, 'its end is on record');
      });
    }
    it('takes along what it started, also what left its group', async () => {
      const [inGroup, away] = ['fork_leave', 'fork_away'].map((name) => Number(readFileSync(file(name), 'utf8')));
      await eventually(() => !processOf(inGroup), 'what was in its group is gone');
      await eventually(() => !processOf(away), 'what had a group of its own is gone');
    });
  });

  describe('at its beginning and end', kRows, () => {
    const kBeginning = [
      ['exits at its start', 'dead', unavailable],
      ['is not a program', 'broken', unavailable],
      ['is not there', 'absent', unavailable],
      ['lists 100 000 tools', 'list-many', failed],
    ];
    for (const [what, server, sees] of kBeginning) {
      it(what, () => stage.tell({ server, tool: 'echo', sees, decision: 'deny', next: false }));
    }
    // As official clients have it: the list that was collected, and the first of two entries.
    it('lists in a circle, which ends it', () => stage.tell({ server: 'list-circle', tool: 'there', given: { text: 'here' }, sees: 'here', next: false }));
    it('lists a name twice, and the first stands', () => stage.tell({ server: 'list-twins', tool: 'echo', given: { text: 'first' }, sees: 'first' }));
    it('exits at its start, on record', async () => {
      const told = () => stage.gateway.records().some(({ server, detail }) => server === 'dead' && detail === 'ended before it introduced itself (exit 3)');
      await eventually(told, 'its end is on record');
    });
    it('exits behind each answer, and is started for each call that waits', async () => {
      const client = await stage.client();
      const calls = ['one', 'two', 'three'].map((text) => client.call('once_echo', { text }));
      const texts = (await Promise.all(calls)).map((answer) => textOf(responseOf(answer)) ?? responseOf(answer).error.data.reason);
      // What it may have read before it left is not sent again; what waited is sent once it is back.
      assert.ok(texts.includes('one') || texts.includes('two') || texts.includes('three'), `${texts}`);
      await stage.assertNext(client, 'once');
    });
    it('exits, and again when it is started', async () => {
      await stage.tell({ server: 'faller', tool: 'fall', sees: failed });
      assert.ok(stage.gateway.records().some(({ server, detail }) => server === 'faller' && detail === 'ended before it introduced itself (exit 4)'));
    });
    for (const server of ['stayer', 'spinner']) {
      it(`${server === 'stayer' ? 'ignores' : 'spins after'} the end of its input`, async () => {
        const client = await stage.client();
        const pid = Number(textOf(responseOf(await client.call(`${server}_pid`))));
        assert.equal(processOf(pid).group, pid);
        await client.close();
        await eventually(() => !processOf(pid), 'it was made to end', 40_000);
      });
    }
    it('stops reading, and what waits for it is bounded and given back', async () => {
      const client = await stage.client();
      assert.equal(textOf(responseOf(await client.call('deaf_deaf'))), 'not listening');
      const calls = Array.from({ length: 12 }, () => client.call('deaf_echo', { text: 'x'.repeat(2 << 20) }));
      const reasons = (await Promise.all(calls)).map((answer) => responseOf(answer).error.data.reason);
      // Those that came while too much waited are refused at once, the others wait in vain.
      assert.ok(reasons.every((reason) => reason === 'overloaded' || reason === 'server_timeout'), `${reasons}`);
      await client.close();
      const other = await stage.client();
      await stage.assertNext(other, 'deaf');
      await other.close();
    });
  });
});

describe('servers that misbehave over HTTP', () => {
  let stage;
  let elsewhere;
  let json;
  let events;
  let stateless;
  before(async () => {
    elsewhere = await startScriptedServer();
    const redirects = { redirects: (message, response) => response.writeHead(307, { location: elsewhere.url }).end() };
    json = await startScriptedServer({ onCall: behave({ ...kJsonBehaviours, ...redirects }) });
    events = await startScriptedServer({ onCall: behave(kStreamBehaviours) });
    stateless = await startScriptedServer({ stateless: true });
    const closed = `http://127.0.0.1:${await freePort()}/mcp`;
    const servers = [
      stdioServer('plain', [kPlain]), httpServer('json', json.url), httpServer('events', events.url),
      httpServer('stateless', stateless.url), httpServer('closed', closed), httpServer('leaver', json.url),
    ];
    stage = await Stage.start('legacy', servers.join(''), hasty('json', json.url) + hasty('events', events.url));
    await stage.addBystander('plain_slow_echo', { token: 'plain', milliseconds: 1 }, 'plain');
    await stage.addBystander('json_echo', { how: 'well' }, 'well');
    await stage.addBystander('events_echo', { how: 'well' }, 'well');
    const client = await stage.client();
    for (const name of ['json', 'events']) await stage.assertNext(client, `hasty-${name}`, kWell);
    await client.close();
  });
  after(async () => {
    try {
      await stage?.stop();
    } finally {
      await Promise.all([elsewhere, json, events, stateless].map((server) => server?.stop()));
    }
  });
  const tell = (server, how, sees, dropped, more) => stage.tell({ server: placeOf(server, sees), tool: 'echo', given: { how }, sees, dropped, next: kWell, ...more });

  describe('with one document', kRows, () => {
    const kFailing = [
      'html', 'text', 'status_500', 'status_401', 'status_202', 'status_204', 'empty', 'no_id', 'huge',
      'short_length', 'long_length_closes', 'two_lengths', 'bad_chunks', 'giant_head', 'many_fields',
      'continues_for_ever', 'switches', 'compresses', 'other_protocol', 'redirects',
    ];
    for (const how of kFailing) it(`${how}: the call has failed`, () => tell('json', how, failed));
    for (const how of ['slow', 'slow_head', 'long_length']) it(`${how}: the call has taken too long`, () => tell('json', how, timedOut));
    for (const how of ['status_429', 'status_503']) it(`${how}: the server is not available`, () => tell('json', how, unavailable));
    it('status_404: it is sent once more in another session', () => tell('json', 'status_404', failed, {}, { sendings: 2 }));
    for (const how of ['continues', 'other_session']) it(`${how}: the call is answered`, () => tell('json', how, 'well'));
    // On connections of its own: whoever's call is on its way when a connection is closed has lost it.
    it('closes_idle: the call is answered', () => tell('leaver', 'closes_idle', 'well'));
    it('error_500: an error of its own is passed on as it is', async () => {
      const client = await stage.client();
      const { error } = responseOf(await client.call('json_echo', { how: 'error_500' }));
      assert.deepEqual(error, { code: -32050, message: 'own words' });
      assert.equal(stage.history(client.name, 'echo').outcomes[0].rpc_code, -32050);
    });
    it('refuses connections', () => stage.tell({ server: 'closed', tool: 'echo', sees: unavailable, decision: 'deny', next: false }));
    it('gives out no session', () => stage.tell({ server: 'stateless', tool: 'echo', given: { text: 'well' }, sees: 'well' }));
  });

  describe('with an event stream', kRows, () => {
    it('ends: the call has failed', () => tell('events', 'ends', failed));
    for (const how of ['comments', 'notes']) it(`${how}: the call has taken too long`, () => tell('events', how, timedOut));
    for (const how of ['named_event', 'carriage_returns', 'several_lines', 'goes_on']) it(`${how}: the call is answered`, () => tell('events', how, 'well'));
    it('other_event: an event of another type is no message', () => tell('events', 'other_event', failed, { unknown_event: 1 }));
  });

  it('was not followed anywhere', () => assert.equal(elsewhere.requests.length, 0));
  it('was sent each call once, except where it had forgotten the session', () => {
    for (const server of [json, events]) {
      const rows = server.received('tools/call').map(({ message }) => message.params.arguments.how).filter((how) => how && how !== 'well');
      const twice = rows.filter((how, index) => rows.indexOf(how) !== index);
      assert.ok(rows.length >= (server === json ? 25 : 8), `${rows.length} rows`);
      assert.deepEqual(twice, server === json ? ['status_404'] : []);
    }
  });
  it('forgets its sessions, and is begun again with', async () => {
    json.sessions.clear();
    // The stream of the session may notice before the call does.
    await stage.tell({ server: 'json', tool: 'echo', given: {}, sees: 'well', next: kWell, sendings: [1, 2] });
  });
});

describe('servers that misbehave in the modern era', () => {
  let stage;
  let modern;
  let renewed;
  before(async () => {
    modern = await startScriptedServer({ era: 'modern', onCall: behave(kModernBehaviours) });
    renewed = await startScriptedServer({ era: 'modern', onCall: (message, response) => kModernBehaviours[renewed.tools.length > 1 ? 'well' : 'mismatch'](message, response) });
    stage = await Stage.start('modern', httpServer('modern', modern.url) + httpServer('renewed', renewed.url), hasty('modern', modern.url));
    await stage.addBystander('modern_echo', { how: 'well' }, 'well');
    await stage.addBystander('modern_echo', { how: 'streams' }, 'well');
    await stage.assertNext(await stage.client(), 'hasty-modern', kWell);
  });
  after(async () => {
    try {
      await stage?.stop();
    } finally {
      await Promise.all([modern, renewed].map((server) => server?.stop()));
    }
  });
  const tell = (how, sees, more) => stage.tell({ server: placeOf('modern', sees), tool: 'echo', given: { how }, sees, next: kWell, ...more });

  describe('row by row', kRows, () => {
    for (const how of ['other_type', 'task', 'type_is_no_text', 'closes', 'unsupported']) it(`${how}: the call has failed`, () => tell(how, failed));
    for (const how of ['never', 'comments']) it(`${how}: the call has taken too long`, () => tell(how, timedOut));
    it('asks: it may not, and is not answered', async () => {
      await tell('asks', 'well');
      assert.deepEqual(modern.requests.filter(({ message }) => message && !message.method), []);
    });
    it('session: none is begun', async () => {
      await tell('session', 'well');
      assert.ok(modern.requests.every(({ headers }) => headers['mcp-session-id'] === undefined));
    });
    it('mismatch: its list is read again, the call sent once more, and its error passed on', async () => {
      const { response } = await stage.tell({ server: 'modern', tool: 'echo', given: { how: 'mismatch' }, sees: { mismatch: true }, sendings: 2, next: kWell });
      assert.equal(response.error.code, -32020);
      assert.equal(modern.received('tools/call').filter(({ message }) => message.params.arguments.how === 'mismatch').length, 2);
    });
    it('mismatch, once: the call is answered', async () => {
      const client = await stage.client();
      const mismatched = renewed.received('tools/call').length;
      renewed.onMessage = (message) => {
        // The list that is read again is another one; from then on its calls are answered.
        if (message?.method === 'tools/list' && renewed.received('tools/call').length > mismatched) renewed.tools = [kEchoTool, { ...kEchoTool, name: 'other' }];
        return false;
      };
      assert.equal(textOf(responseOf(await client.call('renewed_echo'))), 'well');
      const [first, second] = renewed.received('tools/call').map(({ message }) => message);
      assert.notEqual(first.id, second.id);
      assert.deepEqual({ ...first, id: 0 }, { ...second, id: 0 });
      const { decisions, outcomes } = stage.history(client.name, 'echo');
      assert.deepEqual(outcomes.map(({ outcome, rpc_code: code }) => [outcome, code]), [['error', -32020], ['success', undefined]]);
      assert.notEqual(decisions[0].decision_id, decisions[1].decision_id);
    });
  });
});
