// What one principal leaves to the others: memory for answers that nobody reads, and turns while long
// lists are written.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import { eventually } from './assertions.mjs';
import { startGateway } from './harness.mjs';
import { callHead, callRequest, RawConnection } from './raw_connection.mjs';
import { startRecordingServer } from './recording_http.mjs';
import { listing } from './schema_stage.mjs';
import { answerText, startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { LegacySession, jsonRpc, modernMeta, responseOf, sendModern } from './wire.mjs';

const kMiB = 1 << 20;
const kOthers = ['mallory', 'ann'];
const keyOf = (who) => `the-key-of-${who}-for-tests`;
const bearer = (who) => ({ authorization: `Bearer ${keyOf(who)}` });
const kAuth = kOthers
  .map((who) => `[auth.api_key.${who}]\nprincipal = "${who}"\nsha256 = "${createHash('sha256').update(keyOf(who)).digest('hex')}"
[principal.${who}]\nroles = ["user"]\n`)
  .join('') + '[role.user]\npermissions = []\n';
const kRules = '[rule.users-may]\neffect = "permit"\nroles = ["user"]\ntools = ["*/*"]\n[process]\nworkers = 1\n';

/** The reason of a refusal, or `result`. */
function told(answer) {
  const response = responseOf(answer);
  return response.error ? response.error.data.reason : 'result';
}

describe('answers that nobody reads', () => {
  const kUnread = 40;
  let server;
  let gateway;
  before(async () => {
    server = await startRecordingServer('modern', { filler: 'x'.repeat(2 * kMiB) });
    const body = httpServer('far', server.url, 'max_in_flight = 64') + kRules + 'memory_max = "64 MiB"\n';
    gateway = await startGateway(body, { auth: kAuth, listen: 'allowed_hosts = ["gw.test"]' });
  });
  after(async () => {
    await gateway?.stop();
    await server?.stop();
  });

  const reserved = async () => Number(/^bartizan_memory_reserved_bytes (\S+)$/m.exec(await gateway.metrics())[1]);
  const call = (who, token) => sendModern(gateway.url, 'tools/call', { name: 'far_echo', arguments: { token } }, { headers: bearer(who) });

  it('leave room for those who read', async () => {
    const idle = await reserved();
    const authorization = `Authorization: Bearer ${keyOf('mallory')}\r\n`;
    const readers = Array.from({ length: kUnread }, (_, index) =>
      new RawConnection(gateway.url, { isReading: false }).write(callRequest('far_echo', `unread-${index}`, authorization).repeat(4)));
    await eventually(() => server.tokens().filter((token) => token.startsWith('unread')).length >= kUnread, 'all calls', 30_000);
    // What sockets hold is nobody's; what is behind it is held for her. The rest was refused.
    await eventually(async () => (await reserved()) <= 20 * kMiB, 'what was on its way has arrived', 30_000);
    assert.equal(told(await call('mallory', 'her own')), 'overloaded');
    assert.ok((await reserved()) > 8 * kMiB, 'her share is held');
    for (let index = 0; index < 20; index += 1) {
      const answers = await Promise.all([call('ann', `a${index}`), call('ann', `b${index}`)]);
      assert.deepEqual(answers.map(told), ['result', 'result']);
      assert.equal(told(await call('mallory', `again-${index}`)), 'overloaded');
    }
    for (const wire of readers) wire.destroy();
    await eventually(async () => (await reserved()) === idle, 'everything was given back', 20_000);
    assert.equal(told(await call('mallory', 'later')), 'result');
  });
});

// Each element of a batch is a call, and all of their answers are held until the last one is there.
describe('a batch whose answers are large', () => {
  const kCalls = 40;
  let server;
  let gateway;
  before(async () => {
    const text = 'x'.repeat(kMiB);
    server = await startScriptedServer({ onCall: ({ id }, response) => answerText(response, id, text) });
    gateway = await startGateway(httpServer('far', server.url, 'max_in_flight = 64') + kRules + 'memory_max = "64 MiB"\n', { auth: kAuth });
  });
  after(async () => {
    await gateway?.stop();
    await server?.stop();
  });

  it('holds no more than the share of its principal, and says which answers found no room', async () => {
    const session = await LegacySession.open(gateway.url, bearer('mallory'), 'by-hand', '2025-03-26');
    const elements = Array.from({ length: kCalls }, (_, id) => JSON.parse(jsonRpc(id, 'tools/call', { name: 'far_echo', arguments: {} })));
    const answers = JSON.parse((await session.post(JSON.stringify(elements))).body);
    assert.equal(answers.length, kCalls);
    const refused = answers.filter(({ error }) => error?.data.reason === 'overloaded');
    const results = answers.filter(({ result }) => result);
    assert.equal(refused.length + results.length, kCalls);
    assert.ok(results.length >= 1 && results.length <= 16, `${results.length} answers were held`);
    assert.deepEqual(answers.map(({ id }) => id).sort((one, other) => one - other), elements.map(({ id }) => id));
    const small = JSON.parse((await session.post(JSON.stringify(elements.slice(0, 3)))).body);
    assert.ok(small.every(({ result }) => result), 'it was given back');
  });
});

describe('lists of thousands of tools', () => {
  const kTools = 3000;
  let edition = 'a';
  let turnTo;
  let server;
  let gateway;
  const tools = (mark) => Array.from({ length: kTools }, (_, index) =>
    ({ name: `tool_${index}_${mark}`, description: `Does thing ${index}.`.repeat(8), inputSchema: { type: 'object', properties: { n: { type: 'integer' } } } }));
  before(async () => {
    let texts = tools('a').map((tool) => JSON.stringify(tool));
    turnTo = (mark) => (edition = mark, texts = tools(mark).map((tool) => JSON.stringify(tool)));
    // A list that may be asked for anew after a second, which is the least that the gateway waits.
    server = await startScriptedServer({ era: 'modern', onMessage: listing(() => texts, '"ttlMs":0,') });
    gateway = await startGateway(httpServer('far', server.url) + kRules, { auth: kAuth });
    assert.equal((await list('ann')).length, kTools);
  });
  after(async () => {
    await gateway?.stop();
    await server?.stop();
  });

  const list = async (who) => {
    const { result } = responseOf(await sendModern(gateway.url, 'tools/list', {}, { headers: bearer(who) }));
    return result.tools.map(({ name }) => name);
  };
  const call = (who) => sendModern(gateway.url, 'tools/call', { name: `far_tool_1_${edition}`, arguments: { text: 'here' } }, { headers: bearer(who) });

  it('do not hold up the calls of others', async () => {
    await list('mallory');
    await call('ann');
    const order = [];
    const lists = Array.from({ length: 4 }, () => list('mallory').then(() => order.push('list')));
    // By the time that this is answered, the lists have begun.
    await sendModern(gateway.url, 'server/discover', {}, { headers: bearer('ann') });
    for (let index = 0; index < 3; index += 1) await call('ann').then(() => order.push('call'));
    await Promise.all(lists);
    assert.deepEqual(order, ['call', 'call', 'call', 'list', 'list', 'list', 'list']);
  });

  it('end when their clients are gone', async () => {
    const body = jsonRpc(1, 'tools/list', { _meta: modernMeta() });
    const head = callHead('', `Authorization: Bearer ${keyOf('mallory')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`);
    const request = `${head.replace('gw.test', '127.0.0.1').replace('tools/call', 'tools/list').replace('Mcp-Name: \r\n', '')}\r\n${body}`;
    // So many that they are not all answered before the first record is seen.
    const wires = Array.from({ length: 24 }, () => new RawConnection(gateway.url).write(request));
    const ofLists = (kind) => gateway.records().filter((record) => record.kind === kind && record.method === 'tools/list' && record.principal === 'mallory');
    const before = ofLists('outcome').length;
    await eventually(() => ofLists('decision').length >= before + 1, 'a list has begun', 10_000);
    for (const wire of wires) wire.destroy();
    await eventually(() => ofLists('outcome').some(({ outcome }) => outcome === 'cancelled'), 'a list was given up', 10_000);
  });

  it('are each of one edition', async () => {
    const seen = new Set();
    let isOver = false;
    const asking = Array.from({ length: 3 }, async () => {
      while (!isOver) {
        const names = await list('mallory');
        const marks = new Set(names.map((name) => name.at(-1)));
        assert.equal(names.length, kTools);
        assert.equal(marks.size, 1, [...marks].join());
        seen.add([...marks][0]);
      }
    });
    for (const next of ['b', 'c']) {
      turnTo(next);
      await eventually(() => seen.has(next), `edition ${next}`, 90_000);
    }
    isOver = true;
    await Promise.all(asking);
    assert.ok(seen.size >= 2, [...seen].join());
  });
});
