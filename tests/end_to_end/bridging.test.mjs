// Clients of one era with servers of the other, beside what rounds.test.mjs tells: cancellation,
// progress, subscriptions, changes that nobody asked for, the state of a request that is sent again,
// and that what passes is judged, redacted and recorded as on the straight way.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';

import { assertRefused, eventually, textOf } from './assertions.mjs';
import { kClients } from './clients.mjs';
import { EventStream } from './event_stream.mjs';
import { kFixtures, kNode, kTestsDirectory, startGateway, temporaryDirectory, testerAuth } from './harness.mjs';
import { startScriptedServer } from './scripted_http.mjs';
import { httpServer, kDual, kResources, startHttpServer, stdioServer } from './servers.mjs';
import { shiftedTime } from './shifted_time.mjs';
import { LegacySession, jsonRpc, modernMeta, responseOf, send, sendModern } from './wire.mjs';

const kFixture = join(kTestsDirectory, 'conformance', 'fixture_server.mjs');
const kOneEra = join(kFixtures, 'one_era.mjs');
const kFeatures = 'client_features = ["sampling", "elicitation", "roots", "logging"]\nprefix = "never"';
const kRules = Object.entries({ tools: '*/*', resources: '*:**', prompts: '*/*', methods: '*' })
  .map(([kind, pattern]) => `[rule.all-${kind}]\neffect = "permit"\nroles = ["*"]\n${kind} = ["${pattern}"]\n`)
  .join('');

const clientNamed = (name) => kClients.find((client) => client.name === name);
/** Every client that is not of the era of the server. */
const clientsAcross = (era) => kClients.filter(({ eras }) => eras[0] !== era);

/** A stdio server of one era, and what it was sent. */
function oneEra(era, program) {
  const recordFile = join(temporaryDirectory(), 'sent.jsonl');
  const table = stdioServer('far', [kOneEra, era, recordFile, kNode, ...program], `${kFeatures}\ninstances = "shared"`);
  const read = () => readFileSync(recordFile, 'utf8').split('\n').filter(Boolean);
  const bodyOf = (line) => JSON.parse(Buffer.from(JSON.parse(line).base64 ?? '', 'base64').toString() || '{}');
  return { table, sent: () => (existsSync(recordFile) ? read().map(bodyOf) : []) };
}

for (const era of ['legacy', 'modern']) {
  describe(`a ${era} child process and clients of the other era`, () => {
    let gateway;
    let far;
    before(async () => {
      far = oneEra(era, [kDual]);
      const redact = '[redact.tokens]\ndetectors = ["github.token"]\naction = "mask"\n';
      gateway = await startGateway(far.table + kRules.replaceAll('"*/*"', '"far/echo", "far/slow", "far/was_cancelled", "far/progress", "far/structured"') + redact);
    });
    after(() => gateway?.stop());

    for (const { name, connect } of clientsAcross(era)) {
      it(`${name}: calls, is refused, and hears of progress`, async () => {
        const client = await connect(gateway.url);
        const nonce = `nonce-${Math.random()}`;
        assert.equal(textOf(await client.call('echo', { text: nonce })), nonce);
        assert.ok(far.sent().some(({ params }) => params?.arguments?.text === nonce), 'the server has seen it');
        const steps = [];
        await client.call('progress', { steps: 3 }, { onprogress: ({ progress }) => steps.push(progress) });
        assert.deepEqual(steps, [1, 2, 3]);
        const refused = await client.call('forbidden', {}).catch((error) => ({ isError: true, error }));
        assert.equal(refused.isError, true, JSON.stringify(refused));
        assert.deepEqual(far.sent().filter(({ params }) => params?.name === 'forbidden'), []);
        await client.close();
      });
    }
    it('speaks to the server in its own era alone', () => {
      for (const { method, params } of far.sent().filter(({ id, method }) => id !== undefined && method !== undefined)) {
        if (method === 'initialize' || method === 'server/discover') continue;
        const reserved = Object.keys(params?._meta ?? {}).filter((key) => key.startsWith('io.modelcontextprotocol/'));
        assert.equal(reserved.length > 0, era === 'modern', `${method}: ${JSON.stringify(params)}`);
      }
    });
    it('redacts what the server says', async () => {
      const [across] = clientsAcross(era);
      const client = await across.connect(gateway.url);
      const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
      assert.equal(textOf(await client.call('echo', { text: token })), '[redacted:github.token]');
      await client.close();
    });
    it('cancels at the server', async () => {
      const [across] = clientsAcross(era);
      const client = await across.connect(gateway.url);
      const stop = new AbortController();
      const mark = `stop-${era}`;
      const call = client.call('slow', { milliseconds: 60_000, mark }, { signal: stop.signal }).catch(() => {});
      const says = async (what) => textOf(await client.call('was_cancelled', { mark })) === what;
      await eventually(() => says('no'), 'the server has the call');
      stop.abort();
      await call;
      await eventually(() => says('yes'), 'the server knows');
      await client.close();
    });
    it('records each call as on the straight way', () => {
      const echoes = gateway.records().filter(({ kind, target }) => kind === 'decision' && target === 'echo');
      assert.ok(echoes.length >= 2);
      for (const { decision, decision_id: id, protocol } of echoes) {
        assert.equal(decision, 'permit');
        assert.equal(protocol === '2026-07-28', era === 'legacy', `the client's revision: ${protocol}`);
        const outcome = gateway.records().find((one) => one.kind === 'outcome' && one.decision_id === id);
        assert.equal(outcome.outcome, 'success');
      }
    });
  });
}

describe('what a legacy client says under names of the modern era', () => {
  it('reaches no modern server', async (t) => {
    const far = oneEra('modern', [kDual]);
    const gateway = await startGateway(far.table + kRules);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    const kClaims = {
      'io.modelcontextprotocol/clientCapabilities': { sampling: {}, roots: {} },
      'io.modelcontextprotocol/logLevel': 'debug',
      kept: 1,
    };
    const smuggled = { name: 'echo', arguments: { text: 'x' }, _meta: kClaims, requestState: 'forged', inputResponses: { r: 'NOT-JUDGED' } };
    const answer = responseOf(await session.request(1, 'tools/call', smuggled));
    const sent = far.sent().filter(({ method }) => method === 'tools/call');
    if (sent.length === 0) return assert.ok(answer.error, 'refused as a whole');
    const [{ params }] = sent;
    assert.deepEqual(Object.keys(params).toSorted(), ['_meta', 'arguments', 'name']);
    assert.deepEqual(params._meta['io.modelcontextprotocol/clientCapabilities'], {});
    assert.equal(params._meta['io.modelcontextprotocol/logLevel'], undefined);
    assert.equal(params._meta.kept, 1);
  });
});

describe('a modern server whose subscriptions end at once', () => {
  it('is not asked at once again', async (t) => {
    const far = oneEra('modern', [kResources, '--uris', 'memo://one', '--listens', 'ends']);
    const gateway = await startGateway(far.table + kRules);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    for (let id = 1; id <= 20; id += 1) await session.call(id, 'touch', { uri: 'memo://one' });
    await delay(1500);
    const listens = far.sent().filter(({ method }) => method === 'subscriptions/listen').length;
    assert.ok(listens >= 1 && listens <= 3, `${listens} subscriptions`);
  });
  it('is not asked again where it has none', async (t) => {
    const far = oneEra('modern', [kResources, '--uris', 'memo://one', '--listens', 'no']);
    const gateway = await startGateway(far.table + kRules);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    for (let id = 1; id <= 20; id += 1) await session.call(id, 'touch', { uri: 'memo://one' });
    assert.equal(far.sent().filter(({ method }) => method === 'subscriptions/listen').length, 1);
    assert.equal(responseOf(await session.request(99, 'resources/subscribe', { uri: 'memo://one' })).error.code, -32601);
  });
});

describe('what nobody asks for within a call', () => {
  const kUris = ['--uris', 'memo://one,memo://two'];
  const touch = (ask, uri) => ask('touch', { uri });

  it('a legacy client hears of a resource of a modern server that it follows, and of no other', async (t) => {
    const far = oneEra('modern', [kResources, ...kUris]);
    const gateway = await startGateway(far.table + kRules);
    t.after(() => gateway.stop());
    const [follower, other] = [await LegacySession.open(gateway.url), await LegacySession.open(gateway.url)];
    const streams = [];
    for (const session of [follower, other]) streams.push(await EventStream.open(gateway.url, { headers: session.headers() }));
    const updates = (stream) => stream.messages().filter(({ method }) => method === 'notifications/resources/updated').map(({ params }) => params);
    const subscribed = responseOf(await follower.request(1, 'resources/subscribe', { uri: 'memo://one' }));
    assert.deepEqual(subscribed.result, {});
    const call = (name, given) => follower.call(Math.floor(Math.random() * 1e9), name, given);
    await touch(call, 'memo://one');
    await eventually(() => updates(streams[0]).length === 1, 'an update');
    assert.deepEqual(updates(streams[0]), [{ uri: 'memo://one' }]);
    await touch(call, 'memo://two');
    assert.deepEqual(responseOf(await follower.request(2, 'resources/subscribe', { uri: 'memo://two' })).result, {});
    await touch(call, 'memo://two');
    await eventually(() => updates(streams[0]).some(({ uri }) => uri === 'memo://two'), 'another update');
    assert.deepEqual(updates(streams[1]), []);
    assert.equal(far.sent().filter(({ method }) => method === 'resources/subscribe').length, 0);
    assert.deepEqual(responseOf(await follower.request(3, 'resources/unsubscribe', { uri: 'memo://one' })).result, {});
    const seen = updates(streams[0]).length;
    await touch(call, 'memo://one');
    await touch(call, 'memo://two');
    await eventually(() => updates(streams[0]).length > seen, 'of the one that is still followed');
    assert.ok(updates(streams[0]).slice(seen).every(({ uri }) => uri === 'memo://two'));
    for (const stream of streams) stream.close();
  });

  it('a modern client has one session with a legacy server, on whatever connections it comes', async (t) => {
    const far = await startScriptedServer({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] });
    const gateway = await startGateway(httpServer('far', far.url) + kRules);
    t.after(async () => {
      await gateway.stop();
      far.stop();
    });
    const call = () => sendModern(gateway.url, 'tools/call', { name: 'far_echo', arguments: { text: 'x' } });
    await Promise.all(Array.from({ length: 32 }, call));
    const sessions = far.received('tools/call').map(({ headers }) => headers['mcp-session-id']);
    assert.equal(sessions.length, 32);
    assert.equal(new Set(sessions).size, 1);
  });

  it('a modern client listens to a legacy server', async (t) => {
    const far = oneEra('legacy', [kResources, ...kUris]);
    const gateway = await startGateway(far.table + kRules);
    t.after(() => gateway.stop());
    const wanted = { toolsListChanged: true, promptsListChanged: false, resourceSubscriptions: ['memo://one'] };
    const body = jsonRpc('s', 'subscriptions/listen', { notifications: wanted, _meta: modernMeta() });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
    const stream = await EventStream.open(gateway.url, { method: 'POST', headers, body });
    await eventually(() => stream.messages().length > 0, 'the acknowledgement');
    const [{ method, params }] = stream.messages();
    assert.equal(method, 'notifications/subscriptions/acknowledged');
    assert.deepEqual(params, {
      _meta: { 'io.modelcontextprotocol/subscriptionId': 's' },
      notifications: { toolsListChanged: true, resourceSubscriptions: ['memo://one'] },
    });
    const call = async (name, given) => responseOf(await sendModern(gateway.url, 'tools/call', { name, arguments: given })).result;
    await touch(call, 'memo://one');
    await eventually(() => stream.messages().length > 1, 'an update');
    const update = { _meta: { 'io.modelcontextprotocol/subscriptionId': 's' }, uri: 'memo://one' };
    assert.deepEqual(stream.messages()[1].params, update);
    const during = await sendModern(gateway.url, 'tools/call', { name: 'touch', arguments: { uri: 'memo://one', at_once: true } });
    await eventually(() => stream.messages().length > 2, 'an update that came within a call');
    assert.deepEqual(stream.messages()[2].params, update);
    assert.ok(!during.body.includes('resources/updated'), 'the call has its answer alone');
    stream.close();
    await eventually(() => far.sent().some((one) => one.method === 'resources/unsubscribe'), 'the subscription ends');
  });

  it('a legacy client is told that the lists of a modern server changed', async (t) => {
    const fixture = await startHttpServer([kFixture, '--port', '0', '--eras', 'modern']);
    const gateway = await startGateway(httpServer('far', fixture.url, kFeatures) + kRules);
    t.after(async () => {
      await gateway.stop();
      fixture.stop();
    });
    const session = await LegacySession.open(gateway.url);
    const stream = await EventStream.open(gateway.url, { headers: session.headers() });
    await session.request(1, 'tools/list');
    const heard = () => stream.messages().map(({ method }) => method);
    await eventually(async () => {
      await session.call(Math.floor(Math.random() * 1e9), 'test_trigger_tool_change');
      return heard().includes('notifications/tools/list_changed');
    }, 'a change is told');
    assert.deepEqual(stream.messages().find(({ method }) => method === 'notifications/tools/list_changed'), { jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    stream.close();
  });
});

describe('the state of a request that is sent again', () => {
  const kTool = 'test_input_required_result_request_state';
  const kOther = 'test_input_required_result_tampered_state';
  const kSecrets = { ann: 'the-key-of-ann-for-tests', bob: 'the-key-of-bob-for-tests' };
  const keyOf = ([name, key]) => `
[auth.api_key.${name}]
principal = "${name}"
sha256 = "${createHash('sha256').update(key).digest('hex')}"
[principal.${name}]
roles = ["tester"]
`;
  const kKeys = `[role.tester]\ntrust = "verified"\n${Object.entries(kSecrets).map(keyOf).join('')}`;
  const kMeta = { _meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } } };
  const kAnswer = { action: 'accept', content: { ok: true } };

  for (const era of ['modern', 'legacy']) {
    describe(`at a ${era} server`, () => {
      let fixture;
      let gateway;
      let time;
      before(async () => {
        fixture = await startHttpServer([kFixture, '--port', '0', '--eras', era]);
        time = shiftedTime();
        gateway = await startGateway(httpServer('far', fixture.url, kFeatures) + kRules, { auth: testerAuth(), program: time.program });
      });
      after(async () => {
        await gateway?.stop();
        fixture?.stop();
      });

      const call = async (more = {}, name = kTool) =>
        responseOf(await sendModern(gateway.url, 'tools/call', { name, arguments: {}, ...kMeta, ...more }));
      const begin = async () => {
        const { result } = await call();
        assert.equal(result.resultType, 'input_required', JSON.stringify(result));
        const [key] = Object.keys(result.inputRequests);
        return { requestState: result.requestState, inputResponses: { [key]: kAnswer } };
      };

      it('is none that its server would know by itself', async () => {
        const { requestState } = await begin();
        assert.match(requestState, /^[\w-]{40,}$/);
      });
      it('opens what it was given for', async () => {
        assert.equal(textOf((await call(await begin())).result), 'state-ok');
      });
      it('is refused where it was changed, made up, or given for another request', async () => {
        const again = await begin();
        const changed = again.requestState.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'));
        for (const [why, more, name] of [
          ['changed', { ...again, requestState: changed }],
          ['made up', { ...again, requestState: 'AAAA' }],
          ['no text', { ...again, requestState: '' }],
          ['another tool', again, kOther],
          ['other arguments', { ...again, arguments: { x: 1 } }],
        ]) {
          const { error } = await call(more, name);
          assertRefused(error, 'request_state_invalid');
          assert.equal(error.code, -32602, why);
        }
        assert.equal(textOf((await call(again)).result), 'state-ok', 'the control: unchanged it passes');
      });
      it(era === 'modern' ? 'may come back after a lost stream' : 'opens a call that waits only once', async () => {
        const again = await begin();
        assert.equal(textOf((await call(again)).result), 'state-ok');
        const second = await call(again);
        if (era === 'modern') return assert.equal(textOf(second.result), 'state-ok');
        assert.equal(second.error.code, -32602);
        assert.match(second.error.message, /not open any more/);
      });
      it('is too old after an hour', async () => {
        const again = await begin();
        await time.pass(3_601_000);
        assertRefused((await call(again)).error, 'request_state_invalid');
      });
    });
  }

  it('is nobody else\'s', async (t) => {
    const fixture = await startHttpServer([kFixture, '--port', '0', '--eras', 'modern']);
    t.after(() => fixture.stop());
    const gateway = await startGateway(httpServer('far', fixture.url, kFeatures) + kRules, { auth: kKeys });
    t.after(() => gateway.stop());
    const call = async (key, more = {}) =>
      responseOf(await sendModern(gateway.url, 'tools/call', { name: kTool, arguments: {}, ...kMeta, ...more }, { headers: { authorization: `Bearer ${key}` } }));
    const { result } = await call(kSecrets.ann);
    const again = { requestState: result.requestState, inputResponses: { confirm: kAnswer } };
    assertRefused((await call(kSecrets.bob, again)).error, 'request_state_invalid');
    assert.equal(textOf((await call(kSecrets.ann, again)).result), 'state-ok', 'the control');
  });
});

describe('a call that waits for its client', () => {
  let fixture;
  let gateway;
  let time;
  before(async () => {
    fixture = await startHttpServer([kFixture, '--port', '0', '--eras', 'legacy']);
    time = shiftedTime();
    gateway = await startGateway(httpServer('far', fixture.url, kFeatures) + kRules, { program: time.program });
  });
  after(async () => {
    await gateway?.stop();
    fixture?.stop();
  });
  const kMeta = { _meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } } };
  const call = async (more = {}) =>
    responseOf(await sendModern(gateway.url, 'tools/call', { name: 'test_elicitation', arguments: { message: 'who?' }, ...kMeta, ...more }));

  it('is asked again for what it left open', async () => {
    const first = (await call()).result;
    const second = (await call({ requestState: first.requestState, inputResponses: { other: { action: 'decline' } } })).result;
    assert.equal(second.resultType, 'input_required');
    assert.deepEqual(Object.keys(second.inputRequests), Object.keys(first.inputRequests));
    const [key] = Object.keys(second.inputRequests);
    const third = await call({ requestState: second.requestState, inputResponses: { [key]: { action: 'decline' } } });
    assert.match(textOf(third.result), /decline/);
  });
  it('is not open any more after ten minutes, and a new one is', async () => {
    const { requestState } = (await call()).result;
    await time.pass(601_000);
    const { error } = await call({ requestState, inputResponses: {} });
    assert.equal(error.code, -32602);
    assert.match(error.message, /not open any more/);
    assert.equal((await call()).result.resultType, 'input_required');
  });
  it('leaves half of the places of its server to others', async () => {
    const answers = [];
    for (let count = 0; count < 16; count += 1) answers.push(await call());
    const asked = answers.filter(({ result }) => result?.resultType === 'input_required').length;
    assert.ok(asked >= 6 && asked <= 8, `${asked} wait`);
    assertRefused(answers.at(-1).error, 'overloaded');
    const other = await sendModern(gateway.url, 'tools/call', { name: 'test_simple_text', arguments: {} });
    assert.match(textOf(responseOf(other).result), /simple text/);
  });
});
