// What peers can invent never becomes a series: names that nobody knows are counted together.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { startGateway } from './harness.mjs';
import { kPlain, stdioServer } from './servers.mjs';
import { LegacySession, responseOf } from './wire.mjs';

const kNames = 100;
const kRules = `
[rule.testers-may]
effect = "permit"
roles = ["tester"]
tools = ["plain/*"]
`;

const series = (text) => text.split('\n').filter((line) => line && !line.startsWith('#'));

describe('the metrics', () => {
  let gateway;
  let session;
  before(async () => {
    gateway = await startGateway(stdioServer('plain', [kPlain]) + kRules);
    session = await LegacySession.open(gateway.url);
    assert.ok((await session.call(1, 'plain_slow_echo', { token: 'x', milliseconds: 1 })).result);
  });
  after(() => gateway?.stop());

  it('count a call by its tool', async () => {
    const text = await gateway.metrics();
    assert.match(text, /^mcp_tool_invocations_total\{[^}]*slow_echo[^}]*status="success"[^}]*\} 1$/m);
    assert.match(text, /^bartizan_policy_decisions_total\{[^}]*decision="permit"[^}]*rule="testers-may"[^}]*\} [1-9]/m);
  });

  it('stay as few whatever tools, servers and methods clients invent', async () => {
    const call = async (id, name) => responseOf(await session.request(id, 'tools/call', { name, arguments: {} }));
    await call(2, 'plain_invented');
    await call(3, 'invented_tool');
    await session.request(4, 'invented/method');
    const before = series(await gateway.metrics());
    for (let number = 0; number < kNames; number += 1) {
      assert.ok((await call(100 + number, `plain_invented_${number}`)).error);
      assert.ok((await call(1100 + number, `invented${number}_tool`)).error);
      assert.ok(responseOf(await session.request(2100 + number, `invented/method_${number}`)).error);
    }
    const after = series(await gateway.metrics());
    assert.doesNotMatch(after.join('\n'), /invented/);
    assert.ok(after.length <= before.length + 10, `${before.length} series became ${after.length}`);
  });
});
