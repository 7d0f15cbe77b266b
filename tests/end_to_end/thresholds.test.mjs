// Calls that take longer, and servers that have more memory, than the operator expects are warned of;
// a refusal has the risk of its rule on record, and a call the id by which its client knows it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { eventually } from './assertions.mjs';
import { startGateway } from './harness.mjs';
import { kPlain, stdioServer } from './servers.mjs';
import { LegacySession, responseOf, sendModern } from './wire.mjs';

const kRules = `
[rule.testers-may]
effect = "permit"
roles = ["tester"]
tools = ["*/*"]
[rule.no-echo]
effect = "forbid"
roles = ["tester"]
tools = ["small/big_echo"]
risk = "critical"
[tool."small/big_echo"]
risk = "low"
[tool."patient/slow_echo"]
slow = "1h"
`;
const kTrace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('thresholds', () => {
  let gateway;
  let session;
  before(async () => {
    gateway = await startGateway(
      stdioServer('small', [kPlain], 'slow = "150ms"\nhigh_memory = "1MiB"') +
        stdioServer('patient', [kPlain], 'slow = "1ms"\nhigh_memory = "10GiB"') + kRules,
    );
    session = await LegacySession.open(gateway.url);
  });
  after(() => gateway?.stop());

  const outcomes = (server) => gateway.records().filter((one) => one.kind === 'outcome' && one.server === server);
  const warned = async (tool, type) => {
    const line = (await gateway.metrics()).split('\n').find((one) => one.startsWith('mcp_performance_warnings_total') && one.includes(`tool_id="${tool}"`) && one.includes(`warning_type="${type}"`));
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  const call = (id, name, given) => session.call(id, name, given);

  it('warn of a call that takes longer than its server may', async () => {
    assert.ok((await call(1, 'small_slow_echo', { token: 'x', milliseconds: 300 })).result);
    assert.deepEqual(outcomes('small').at(-1).warnings, ['slow_execution']);
    assert.equal(await warned('small/slow_echo', 'slow_execution'), 1);
  });

  it('are those of the tool where it has one, and leave others alone', async () => {
    assert.ok((await call(2, 'patient_slow_echo', { token: 'x', milliseconds: 300 })).result);
    assert.equal(outcomes('patient').at(-1).warnings, undefined);
    assert.equal(await warned('patient/slow_echo', 'slow_execution'), 0);
  });

  it('warn once of a server with more memory than it may have', async () => {
    const told = () => gateway.records().filter((one) => one.kind === 'server' && one.detail?.startsWith('high_memory: '));
    await eventually(() => told().length > 0, 'the record', 20_000);
    await new Promise((resolve) => setTimeout(resolve, 5000));
    assert.deepEqual(told().map(({ server }) => server), ['small'], 'once, and of that one alone');
    assert.match(told()[0].detail, /^high_memory: [1-9]\d* MiB, where 1 MiB are expected$/);
    assert.equal(await warned('small', 'high_memory'), 1);
    assert.match(gateway.log(), /high_memory: /);
  });

  it('a refusal has the risk of its rule, where that is higher than the tool\'s', async () => {
    assert.ok((await call(3, 'small_big_echo', { text: 'x' })).error);
    const refusal = gateway.records().filter((one) => one.decision === 'deny').at(-1);
    assert.deepEqual([refusal.rule, refusal.risk], ['no-echo', 'critical']);
  });

  it('a call has the id by which its client knows it, where that is a plain one', async () => {
    const ids = [['traceparent', kTrace, kTrace], ['bartizan/correlation_id', 'order-4711', 'order-4711'], ['traceparent', 'a b', undefined], ['traceparent', 'x'.repeat(129), undefined]];
    for (const [name, given, kept] of ids) {
      const { result } = responseOf(await sendModern(gateway.url, 'tools/call', { name: 'patient_slow_echo', arguments: { token: 'x', milliseconds: 1 }, _meta: { [name]: given } }));
      assert.ok(result);
      const decision = gateway.records().filter((one) => one.kind === 'decision' && one.server === 'patient' && one.method === 'tools/call').at(-1);
      assert.equal(decision.correlation_id, kept, given);
    }
  });
});
