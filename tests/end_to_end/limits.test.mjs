// Limits of the configuration hold, say when to come back, and are spent only by calls that pass. Who is
// refused over and over is answered without being judged, and the record says so in one line.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { startGateway, testerAuth } from './harness.mjs';
import { kPlain, stdioServer } from './servers.mjs';
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
    const reasons = [];
    for (let begin = 0; begin < kRefusals; begin += 50) {
      const answers = await Promise.all(bodies.slice(begin, begin + 50).map((body) => session.post(body)));
      for (const answer of answers) {
        assert.equal(answer.status, 200);
        reasons.push(responseOf(answer).error.data.reason);
      }
    }
    const judged = reasons.filter((reason) => reason === 'forbidden').length;
    const limited = reasons.filter((reason) => reason === 'limited').length;
    assert.equal(judged + limited, kRefusals);
    assert.ok(judged >= 200 && limited > 0, `${judged} judged, ${limited} limited`);
    const summed = () =>
      gateway.records().filter(({ kind, principal }) => kind === 'summary' && principal === 'tester').reduce((sum, { count }) => sum + count, 0);
    await eventually(() => summed() === limited, 'the summaries');
    const denied = gateway.records().filter(({ kind, decision }) => kind === 'decision' && decision === 'deny');
    assert.equal(denied.length, judged);
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
