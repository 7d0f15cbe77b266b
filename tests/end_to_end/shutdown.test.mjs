// An orderly end: SIGTERM lets calls in progress finish and exits with 0; a second signal does not wait.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { eventually } from './assertions.mjs';
import { startGateway } from './harness.mjs';
import { startScriptedServer } from './scripted_http.mjs';
import { httpServer, kPlain, stdioServer } from './servers.mjs';
import { LegacySession, send } from './wire.mjs';

// So long that a gateway which waited for its calls would not end before the runner gives up.
const kForeverMs = 3_600_000;
const kLongDrain = '[process]\ndrain = "3600s"\n';
const kRule = '[rule.all]\neffect = "permit"\nroles = ["tester"]\ntools = ["plain/*"]\n';

/** A gateway with one call in progress that takes `milliseconds`. */
async function withCallInProgress(milliseconds, more = '') {
  const gateway = await startGateway(stdioServer('plain', [kPlain], 'timeout = "3600s"') + kRule + more);
  const session = await LegacySession.open(gateway.url);
  await session.call(1, 'plain_slow_echo', { token: 'warm', milliseconds: 1 });
  const call = session.call(2, 'plain_slow_echo', { token: 'in flight', milliseconds });
  call.catch(() => {});
  const isCall = ({ kind, method }) => kind === 'decision' && method === 'tools/call';
  await eventually(() => gateway.records().filter(isCall).length > 1, 'the call is on its way');
  return { gateway, call };
}

for (const signal of ['SIGTERM', 'SIGINT']) {
  describe(signal, () => {
    it('lets a call finish and exits with 0', async () => {
      const { gateway, call } = await withCallInProgress(1500);
      gateway.process.kill(signal);
      const response = await call;
      assert.equal(response.result.content[0].text, 'in flight');
      assert.deepEqual(await gateway.exited, { code: 0, signal: null });
      assert.equal(gateway.records().at(-1).kind, 'stop');
    });

    it('takes no new call while it drains', async () => {
      const { gateway, call } = await withCallInProgress(1500);
      assert.match(await gateway.metrics(), /^bartizan_ready 1$/m);
      gateway.process.kill(signal);
      await eventually(async () => !(await gateway.isReady()), 'the drain begins');
      assert.match(await gateway.metrics(), /^bartizan_ready 0$/m);
      const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
      const answer = await send(gateway.url, { body }).catch(() => undefined);
      assert.ok(!answer || answer.status === 503, `a new call was answered ${answer?.status}`);
      await call;
      await gateway.exited;
    });

    it('ends at once when it is repeated after a moment', async () => {
      const { gateway } = await withCallInProgress(kForeverMs, kLongDrain);
      await eventually(() => gateway.process.exitCode !== null || void gateway.process.kill(signal), 'the end');
      const { code } = await gateway.exited;
      assert.equal(code, 1);
      assert.equal(gateway.records().at(-1).detail, 'stopped at once by a second signal');
    });

    it('is not hurried by its own duplicate', async () => {
      const { gateway, call } = await withCallInProgress(1500);
      gateway.process.kill(signal);
      await eventually(async () => !(await gateway.isReady()), 'the drain begins');
      gateway.process.kill(signal);
      assert.equal((await call).result.content[0].text, 'in flight');
      assert.deepEqual(await gateway.exited, { code: 0, signal: null });
    });
  });
}

/** The lines of the log about that event. */
const linesOf = (gateway, event) => gateway.log().split('\n').filter((line) => line.includes(`"msg":"${event}"`)).map((line) => JSON.parse(line));

/** Checks what everybody learns of `count` calls that a stop cut off. */
async function assertCutOff(gateway, calls) {
  for (const { error } of await Promise.all(calls)) {
    assert.equal(error.data.reason, 'gateway_stopped');
    assert.equal(error.data.retryable, false);
    assert.match(error.message, /^The gateway stopped before the server answered; the call may have taken effect/);
  }
  assert.deepEqual(await gateway.exited, { code: 1, signal: null });
  const outcomes = gateway.records().filter(({ kind, reason }) => kind === 'outcome' && reason === 'gateway_stopped');
  assert.deepEqual(outcomes.map(({ outcome }) => outcome), calls.map(() => 'failed'));
  assert.equal(gateway.records().at(-1).detail, 'calls were cut off');
  const [cut] = linesOf(gateway, 'calls cut off');
  assert.deepEqual([cut.level, cut.calls, cut.drain], ['warning', calls.length, '200 ms']);
  const [stopped] = linesOf(gateway, 'stopped');
  assert.deepEqual([stopped.level, stopped.calls_cut_off], ['warning', calls.length]);
}

describe('a stop that cannot wait for its calls', () => {
  const kShort = '[process]\ndrain = "200ms"\n';

  it('tells the client, the record and the log of a local server', async () => {
    const { gateway, call } = await withCallInProgress(kForeverMs, kShort);
    gateway.process.kill('SIGTERM');
    await assertCutOff(gateway, [call]);
  });

  it('tells them of a server behind a URL, for each call', async (t) => {
    const server = await startScriptedServer({ onCall: () => {} });
    t.after(() => server.stop());
    const gateway = await startGateway(httpServer('web', server.url, 'timeout = "3600s"') + kRule.replace('plain', 'web') + kShort);
    const session = await LegacySession.open(gateway.url);
    const calls = [1, 2].map((id) => session.call(id, 'web_echo', {}));
    const isCall = ({ kind, method }) => kind === 'decision' && method === 'tools/call';
    await eventually(() => gateway.records().filter(isCall).length === 2, 'both are on their way');
    gateway.process.kill('SIGTERM');
    await assertCutOff(gateway, calls);
  });

  it('warns of nothing when all calls have ended', async () => {
    const { gateway, call } = await withCallInProgress(1500);
    gateway.process.kill('SIGTERM');
    await call;
    assert.equal((await gateway.exited).code, 0);
    assert.deepEqual(linesOf(gateway, 'calls cut off'), []);
    const [stopped] = linesOf(gateway, 'stopped');
    assert.deepEqual([stopped.level, stopped.calls_cut_off], ['info', 0]);
  });
});
