// Limits of the configuration hold, say when to come back, and are spent only by calls that pass. Who is
// refused over and over is answered without being judged, and the record says so in one line.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { assertRefused, eventually } from './assertions.mjs';
import { freePort, startGateway, testerAuth } from './harness.mjs';
import { httpServer, kPlain, stdioServer } from './servers.mjs';
import { LegacySession, jsonRpc, responseOf } from './wire.mjs';

const kAuth = testerAuth({ trust: 'verified' });
const kRules = `
[rule.testers-may]
effect = "permit"
roles = ["tester"]
tools = ["plain/slow_echo", "plain/big_echo"]
[rule.nobody-may]
effect = "forbid"
roles = ["*"]
tools = ["plain/stop"]
`;
const kWide = (name, per) => `[limit.${name}]\nper = ${per}\nrate = ["100000/s"]\n`;
const kWideEveryone = kWide('everyone', '[]');
const kWideUser = kWide('user', '["principal"]');
const kWideTool = kWide('tool', '["principal", "tool"]');

/** A gateway with these limits, and a session of its. */
async function open(limits) {
  const server = stdioServer('plain', [kPlain], 'instances = "shared"');
  const gateway = await startGateway(server + kRules, { auth: kAuth, limits });
  const session = await LegacySession.open(gateway.url);
  return { gateway, session };
}

const echo = (session, id, given = {}) => session.call(id, 'plain_slow_echo', { token: 'x', milliseconds: 1, ...given });

describe('a limit of calls in a window', () => {
  let gateway;
  let session;
  before(async () => {
    const few = '[limit.few]\nper = ["principal", "tool"]\nrate = ["3/min"]\ntools = ["plain/slow_echo"]\n';
    ({ gateway, session } = await open(kWideEveryone + kWideUser + kWideTool + few));
  });
  after(() => gateway?.stop());

  it('is not spent by refused calls, lists and pings', async () => {
    for (let id = 0; id < 10; id += 1) {
      assertRefused((await session.call(id, 'plain_stop')).error, 'forbidden');
      assert.equal((await session.request(100 + id, 'tools/list')).status, 200);
      assert.equal((await session.request(200 + id, 'ping')).status, 200);
    }
  });
  it('lets as many pass as it says, and tells when to come back', async () => {
    for (let id = 0; id < 3; id += 1) assert.equal((await echo(session, id)).error, undefined);
    const answer = await session.request(3, 'tools/call', { name: 'plain_slow_echo', arguments: { token: 'x' } });
    assert.equal(answer.status, 200);
    const { error } = responseOf(answer);
    const id = assertRefused(error, 'limited');
    assert.equal(error.code, -32000);
    assert.match(error.message, /^The limit "few" is used up; try again in [0-9]+ s \(decision [0-9a-f-]{36}\)\.$/);
    assert.equal(error.data.policy_rule, 'few');
    assert.equal(error.data.retryable, true);
    assert.ok(error.data.retry_after_ms > 0 && error.data.retry_after_ms <= 60_000, JSON.stringify(error));
    const record = gateway.records().find((one) => one.kind === 'decision' && one.decision_id === id);
    assert.deepEqual([record.decision, record.reason, record.rule], ['deny', 'limited', 'few']);
  });
  it('is one principal’s over all of its sessions, and leaves other tools alone', async () => {
    const another = await LegacySession.open(gateway.url);
    assertRefused((await echo(another, 1)).error, 'limited');
    const other = await another.call(2, 'plain_big_echo', { text: 'other' });
    assert.equal(other.result?.content[0].text, 'other', JSON.stringify(other));
  });
});

describe('a limit per arguments', () => {
  it('counts what a call says, however it is spelled', async (t) => {
    const same = '[limit.same]\nper = ["principal", "tool", "arguments"]\nrate = ["2/d"]\n';
    const { gateway, session } = await open(kWideEveryone + kWideUser + kWideTool + same);
    t.after(() => gateway.stop());
    const call = async (id, given) => {
      const params = `{"name":"plain_slow_echo","arguments":${given}}`;
      return responseOf(await session.post(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`));
    };
    assert.ok((await call(1, '{"token":"A","milliseconds":10}')).result);
    assert.ok((await call(2, '{ "milliseconds": 1e1, "token": "\\u0041" }')).result);
    assertRefused((await call(3, '{"token":"A","milliseconds":10.0}')).error, 'limited');
    assertRefused((await call(4, '{"token":"A","milliseconds":10,"salt":4}')).error, 'limited');
    assert.ok((await call(5, '{"token":"B","milliseconds":10}')).result);
  });
});

describe('budgets', () => {
  it('take what a tool costs, per team, and say when there is enough again', async (t) => {
    const cost = '[tool."plain/slow_echo"]\ncost = 4\n[limit.team]\nper = ["attributes.team"]\nbudget = ["11/h"]\n';
    const { gateway, session } = await open(kWideEveryone + kWideUser + kWideTool + cost);
    t.after(() => gateway.stop());
    assert.equal((await session.request(100, 'tools/list')).status, 200); // Costs 1, as the beginning of the session did.
    for (const id of [1, 2]) assert.ok((await echo(session, id)).result);
    const { error } = await echo(session, 3);
    assertRefused(error, 'limited');
    assert.equal(error.data.policy_rule, 'team');
    const wait = error.data.retry_after_ms;
    assert.ok(wait > 15 * 60_000 && wait <= 18 * 60_000, `${wait} ms until 3 of 11 are there again`);
    assert.ok((await session.call(4, 'plain_big_echo', { text: 'costs 1' })).result);
  });

  it('of bytes are charged with the answer', async (t) => {
    const bytes = '[limit.traffic]\nper = ["principal"]\nbytes = ["64 KiB/h"]\ntools = ["plain/*"]\n';
    const { gateway, session } = await open(kWideEveryone + kWideUser + kWideTool + bytes);
    t.after(() => gateway.stop());
    assert.ok((await session.call(1, 'plain_big_echo', { text: 'x'.repeat(30_000) })).result);
    // 60 000 bytes are spent, there and back; a small call fits, another large one does not.
    assert.ok((await echo(session, 2)).result);
    const { error } = await session.call(3, 'plain_big_echo', { text: 'x'.repeat(30_000) });
    assertRefused(error, 'limited');
    assert.equal(error.data.policy_rule, 'traffic');
  });
});

describe('calls that go round in a circle', () => {
  it('are stopped, until something else is called', async (t) => {
    const circles = '[limit.circles]\nper = ["principal"]\nloop = { calls = 2, repeats = 3 }\n';
    const { gateway, session } = await open(kWideEveryone + kWideUser + kWideTool + circles);
    t.after(() => gateway.stop());
    for (const [id, token] of [...'ABABA'].entries()) assert.ok((await echo(session, id, { token })).result);
    const { error } = await echo(session, 10, { token: 'B' });
    const id = assertRefused(error, 'call_loop');
    assert.equal(error.data.policy_rule, 'circles');
    assert.ok(error.data.retry_after_ms > 0 && error.data.retry_after_ms <= 60_000, JSON.stringify(error));
    const record = gateway.records().find((one) => one.kind === 'decision' && one.decision_id === id);
    assert.deepEqual([record.decision, record.reason, record.rule], ['deny', 'call_loop', 'circles']);
    assert.ok((await echo(session, 11, { token: 'C' })).result);
    assert.ok((await echo(session, 12, { token: 'B' })).result);
  });
});

describe('a limit of calls in progress', () => {
  it('refuses one more, and gives the place back with the answer', async (t) => {
    const two = '[limit.tool]\nper = ["principal", "tool"]\nrate = ["100000/s"]\nconcurrency = 2\n';
    const { gateway, session } = await open(kWideEveryone + kWideUser + two);
    t.after(() => gateway.stop());
    const slow = [1, 2].map((id) => echo(session, id, { milliseconds: 1500 }));
    const isPermitted = ({ kind, target, decision }) => kind === 'decision' && target === 'slow_echo' && decision === 'permit';
    await eventually(() => gateway.records().filter(isPermitted).length === 2, 'both are on their way');
    assertRefused((await echo(session, 3)).error, 'limited');
    for (const response of await Promise.all(slow)) assert.ok(response.result, JSON.stringify(response));
    assert.ok((await echo(session, 4)).result);
  });
});

describe('a queue for calls in progress', () => {
  const queued = (more) =>
    kWideEveryone + kWideUser + kWideTool + `[limit.one]\nper = ["tool"]\ntools = ["plain/slow_echo"]\nconcurrency = 1\n${more}`;
  const isPermitted = ({ kind, target, decision }) => kind === 'decision' && target === 'slow_echo' && decision === 'permit';
  const counted = async (gateway, result) => {
    const line = (await gateway.metrics()).split('\n').find((text) => text.startsWith(`bartizan_limit_waits_total{limit="one",result="${result}"}`));
    return Number(line?.split(' ').at(-1) ?? 0);
  };

  /** A call that lasts until it is released, on its way. */
  async function begin(gateway, session) {
    const until = join(gateway.directory, 'release');
    const answer = echo(session, 1, { until });
    await eventually(() => gateway.records().filter(isPermitted).length === 1, 'the first is on its way');
    return { answer, release: () => writeFileSync(until, '') };
  }

  it('has calls wait for their turn, and no more than it has places for', async (t) => {
    const { gateway, session } = await open(queued('queue = 2\nqueue_timeout = "30s"\n'));
    t.after(() => gateway.stop());
    const first = await begin(gateway, session);
    // One place of the two is left to other callers, so that two of three are refused at once.
    const refused = [];
    const others = [2, 3, 4].map(async (id) => {
      const { error } = await echo(session, id);
      if (error) refused.push(error);
    });
    await eventually(() => refused.length === 2, 'two find no place');
    for (const error of refused) {
      assertRefused(error, 'limited');
      assert.equal(error.data.policy_rule, 'one');
      assert.ok(error.data.retry_after_ms > 0);
    }
    first.release();
    assert.ok((await first.answer).result);
    await Promise.all(others);
    assert.equal(refused.length, 2);
    assert.equal(await counted(gateway, 'taken'), 1);
  });

  it('lets none wait longer than it may', async (t) => {
    const { gateway, session } = await open(queued('queue = 2\nqueue_timeout = "20ms"\n'));
    t.after(() => gateway.stop());
    const first = await begin(gateway, session);
    assertRefused((await echo(session, 2)).error, 'limited');
    assert.equal(await counted(gateway, 'late'), 1);
    first.release();
    assert.ok((await first.answer).result);
    assert.ok((await echo(session, 3)).result);
  });

  it('forgets who gives up, on record, and sends nothing', async (t) => {
    const { gateway, session } = await open(queued('queue = 2\nqueue_timeout = "30s"\n'));
    t.after(() => gateway.stop());
    const first = await begin(gateway, session);
    const second = session.request(2, 'tools/call', { name: 'plain_slow_echo', arguments: { token: 'never' } });
    const cancel = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    const isGivenUp = ({ kind, decision, detail }) => kind === 'decision' && decision === 'deny' && detail === 'cancelled while it waited';
    await eventually(async () => {
      await session.post(cancel);
      return gateway.records().some(isGivenUp);
    }, 'the second has given up');
    await second;
    first.release();
    assert.ok((await first.answer).result);
    assert.ok((await echo(session, 3)).result);
    assert.equal(gateway.records().filter(isPermitted).length, 2);
  });

  it('judges a call that waited by the configuration of then', async (t) => {
    const { gateway, session } = await open(queued('queue = 2\nqueue_timeout = "30s"\n'));
    t.after(() => gateway.stop());
    const first = await begin(gateway, session);
    // The one of the two that finds no place tells that the other waits.
    const reasons = [];
    const others = [2, 3].map(async (id) => reasons.push((await echo(session, id)).error?.data.reason));
    await eventually(() => reasons.length === 1, 'one waits');
    const text = readFileSync(gateway.configFile, 'utf8');
    writeFileSync(gateway.configFile, text.replace('tools = ["plain/slow_echo", "plain/big_echo"]', 'tools = ["plain/big_echo"]'));
    gateway.process.kill('SIGHUP');
    await eventually(async () => (await echo(session, 4)).error?.data.reason === 'no_matching_rule', 'the reload');
    first.release();
    assert.ok((await first.answer).result);
    await Promise.all(others);
    assert.deepEqual(reasons, ['limited', 'no_matching_rule']);
  });
});

describe('a breaker', () => {
  const kBreaker = 'instances = "shared"\nbreaker = { failures = 2, window = "5min", open = "300ms" }';
  const mayStop = kRules.replace('tools = ["plain/slow_echo", ', 'tools = ["plain/stop", "plain/slow_echo", ').replace(/\[rule.nobody-may\][^]*/, '');
  const digestOf = (key) => createHash('sha256').update(key).digest('hex');
  const kCallers = ['ann', 'bob', 'eve'];
  const kKeys = kCallers.map((who) => `[auth.api_key.${who}]\nprincipal = "${who}"\nsha256 = "${digestOf(who)}"\n[principal.${who}]\nroles = ["tester"]\n`)
    .join('') + '[role.tester]\ntrust = "verified"\n';

  /** A session of each caller, with one server for all. */
  async function openAll(t, server) {
    const gateway = await startGateway(server + mayStop, { auth: kKeys, limits: kWideEveryone + kWideUser + kWideTool });
    t.after(() => gateway.stop());
    const sessions = {};
    for (const who of kCallers) sessions[who] = await LegacySession.open(gateway.url, { authorization: `Bearer ${who}` });
    return { gateway, ...sessions };
  }
  const reasonOf = ({ error }) => error?.data.reason;
  /** Has the server end, as often as it takes until that is refused. */
  const stopUntilOpen = (session) => eventually(async () => {
    const answer = await session.call('stop', 'plain_stop');
    return reasonOf(answer) === 'circuit_open' && answer;
  }, 'it is open', 30_000);

  it('leaves a server alone to whose calls it fails, and tries it again', async (t) => {
    // Many, so that what others are answered while the server starts anew does not open it for all.
    const { gateway, ann, bob } = await openAll(t, stdioServer('plain', [kPlain], kBreaker.replace('failures = 2', 'failures = 10')));
    assert.ok((await echo(ann, 1)).result);
    assert.equal(reasonOf(await ann.call(2, 'plain_stop')), 'server_failed');
    // What is sent while the server starts anew may fail, too; what counts is that it opens.
    const { error } = await stopUntilOpen(ann);
    const id = assertRefused(error, 'circuit_open');
    assert.equal(error.code, -32603);
    assert.equal(error.data.retryable, true);
    assert.ok(error.data.retry_after_ms > 0 && error.data.retry_after_ms <= 300, JSON.stringify(error));
    const record = gateway.records().find((one) => one.kind === 'decision' && one.decision_id === id);
    assert.deepEqual([record.decision, record.reason, record.check], ['deny', 'circuit_open', 'circuit']);
    // Nobody else has met a failure. Calls that come before the server has started again fail, and ten
    // of them would open the circuit for Bob too: on a slow machine, so few are sent.
    await eventually(async () => /bartizan_server_up\{server="plain"\} 1/.test(await gateway.metrics()),
      'the server starts again', 30_000);
    await eventually(async () => {
      const answer = await echo(bob, 3);
      assert.notEqual(reasonOf(answer), 'circuit_open');
      return answer.result || delay(500);
    }, 'it answers others');
    await eventually(async () => (await echo(ann, 4)).result, 'it is tried again, and answers');
    assert.ok((await echo(ann, 5)).result);
    const metrics = await gateway.metrics();
    assert.match(metrics, /bartizan_server_circuit_changes_total\{server="plain",to="open_for_caller"\} [1-9]/);
    assert.match(metrics, /bartizan_server_circuit_changes_total\{server="plain",to="closed_for_caller"\} 1/);
    assert.doesNotMatch(metrics, /to="open"\} [1-9]/);
  });

  it('leaves a server alone that fails to several callers, for all', async (t) => {
    const { gateway, ann, bob, eve } = await openAll(t, stdioServer('plain', [kPlain], kBreaker.replace('300ms', '30s')));
    assert.ok((await echo(ann, 1)).result);
    await ann.call(2, 'plain_stop');
    await eventually(async () => {
      await bob.call(3, 'plain_stop');
      return /to="open"\} 1/.test(await gateway.metrics());
    }, 'it is open for all');
    assert.equal(reasonOf(await echo(eve, 4)), 'circuit_open');
    assert.equal(reasonOf(await eve.call(5, 'plain_no_such')), 'no_matching_rule', 'who may not call learns nothing');
  });

  it('counts a server that cannot even list, and does not ask it any more', async (t) => {
    const port = await freePort();
    const { gateway, ann } = await openAll(t, httpServer('plain', `http://127.0.0.1:${port}/mcp`, kBreaker.replace('300ms', '30s').replace(/.*\n/, '')));
    const { error } = await eventually(async () => {
      const answer = await echo(ann, 1);
      return reasonOf(answer) === 'circuit_open' && answer;
    }, 'it is open');
    assert.ok(error.data.retry_after_ms > 0);
    assert.ok(gateway.records().some(({ reason }) => reason === 'server_unavailable' || reason === 'server_failed'));
  });
});

describe('the shipped limits', () => {
  it('let an ordinary agent read a folder: many at once, and then one after the other', async (t) => {
    const { gateway, session } = await open('');
    t.after(() => gateway.stop());
    const atOnce = await Promise.all(Array.from({ length: 40 }, (_, id) => echo(session, id)));
    for (const { error } of atOnce) assert.equal(error, undefined, JSON.stringify(error));
    for (let id = 40; id < 80; id += 1) assert.equal((await echo(session, id)).error, undefined);
  });
});

describe('who is refused over and over', () => {
  it('is answered without being judged, and recorded in one line', async (t) => {
    const { gateway, session } = await open(kWideEveryone + kWideUser + kWideTool);
    t.after(() => gateway.stop());
    const kRefusals = 600;
    const bodies = Array.from({ length: kRefusals }, (_, id) => jsonRpc(id, 'tools/call', { name: 'plain_stop', arguments: {} }));
    const errors = [];
    for (let begin = 0; begin < kRefusals; begin += 50) {
      const answers = await Promise.all(bodies.slice(begin, begin + 50).map((body) => session.post(body)));
      for (const answer of answers) {
        assert.equal(answer.status, 200);
        errors.push(responseOf(answer).error);
      }
    }
    const idsOf = (wanted) => errors.filter(({ data }) => data.reason === wanted).map(({ data }) => data.decision_id);
    const judged = idsOf('forbidden').length;
    const limited = idsOf('limited').length;
    assert.equal(judged + limited, kRefusals);
    assert.ok(judged >= 200 && limited > 0, `${judged} judged, ${limited} limited`);
    const summed = () =>
      gateway.records().filter(({ kind, principal }) => kind === 'summary' && principal === 'tester').reduce((sum, { count }) => sum + count, 0);
    await eventually(() => summed() === limited, 'the summaries');
    assert.match(await gateway.metrics(), new RegExp(`^bartizan_throttled_requests_total ${limited}$`, 'm'));
    // An id in an answer leads to a record, and what is only counted has none.
    const denied = gateway.records().filter(({ kind, decision }) => kind === 'decision' && decision === 'deny');
    assert.deepEqual(denied.map(({ decision_id }) => decision_id).sort(), idsOf('forbidden').sort());
    assert.deepEqual(new Set(idsOf('limited')), new Set([undefined]));
    assert.ok(errors.every(({ message, data }) => message.includes('decision ') === (data.decision_id !== undefined)));
    await eventually(async () => (await echo(session, 1000)).result, 'the budget comes back');
  });

  it('keeps the record small also before authentication', async (t) => {
    const { gateway } = await open(kWideEveryone + kWideUser + kWideTool);
    t.after(() => gateway.stop());
    const strangers = Array.from({ length: 100 }, () => fetch(gateway.url, { method: 'POST', headers: { origin: 'https://evil.example' }, body: '{}' }));
    for (const answer of await Promise.all(strangers)) assert.equal(answer.status, 403);
    assert.equal(gateway.records().filter(({ kind }) => kind === 'refusal').length, 20);
    await gateway.stop();
    const summaries = gateway.records().filter(({ kind }) => kind === 'summary');
    assert.equal(summaries.reduce((sum, { count }) => sum + count, 0), 80, 'the rest is summed up at the end');
  });
});
