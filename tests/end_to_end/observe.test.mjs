// A rule, or the whole policy, that only observes: calls pass, and the record says what would have been
// refused. What is no rule is enforced all the same.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused } from './assertions.mjs';
import { startGateway } from './harness.mjs';
import { kPlain, stdioServer } from './servers.mjs';
import { LegacySession, jsonRpc, send } from './wire.mjs';

const kPermit = '[rule.testers-may]\neffect = "permit"\nroles = ["tester"]\ntools = ["plain/slow_echo"]\n';
const kForbid = '[rule.nobody-echoes]\neffect = "forbid"\nroles = ["*"]\ntools = ["plain/*_echo"]\n';
const kServer = stdioServer('plain', [kPlain]);

const echo = (session, id, name = 'plain_slow_echo') => session.call(id, name, { token: 'x', text: 'x', milliseconds: 1 });
const decisionsOf = (gateway, tool) => gateway.records().filter(({ kind, target }) => kind === 'decision' && target === tool);

describe('a rule that only observes', () => {
  it('refuses nothing and is recorded as what it would have done', async (t) => {
    const gateway = await startGateway(`${kServer}${kPermit}${kForbid}mode = "observe"\n`);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    assert.ok((await echo(session, 1)).result);
    const [decision] = decisionsOf(gateway, 'slow_echo');
    assert.deepEqual([decision.decision, decision.rule], ['permit', 'testers-may']);
    assert.deepEqual(decision.would, ['forbidden:nobody-echoes']);
    assert.equal((await gateway.readiness()).body.policy_mode, 'enforce');
    // It does not permit either.
    assertRefused((await echo(session, 2, 'plain_big_echo')).error, 'no_matching_rule');
  });
});

describe('a policy that only observes', () => {
  let gateway;
  let session;
  before(async () => {
    const year = new Date().getUTCFullYear() + 2;
    const limit = '[limit.few]\nper = ["principal"]\nrate = ["100000/s"]\nconcurrency = 100\n';
    gateway = await startGateway(`${kServer}${kPermit}${kForbid}${limit}[policy]\nmode = "observe"\nuntil = ${year}-01-31\n`);
    session = await LegacySession.open(gateway.url);
  });
  after(() => gateway?.stop());

  it('forwards what a rule forbids, and records it', async () => {
    assert.ok((await echo(session, 1)).result);
    const [decision] = decisionsOf(gateway, 'slow_echo');
    assert.equal(decision.decision, 'permit');
    assert.deepEqual(decision.would, ['forbidden:nobody-echoes']);
  });
  it('forwards what no rule permits, and records it', async () => {
    const response = await session.call(2, 'plain_slow_echo_missing', {});
    assert.notEqual(response.error?.data?.reason, 'no_matching_rule');
    assert.ok((await echo(session, 3, 'plain_big_echo')).result);
    assert.ok(decisionsOf(gateway, 'big_echo')[0].would.length > 0);
  });
  it('says so in /readyz, in the log and in the metrics', async () => {
    const { status, body } = await gateway.readiness();
    assert.deepEqual([status, body.policy_mode], [200, 'observe']);
    assert.match(gateway.log(), /only observes/);
    assert.match(await gateway.metrics(), /^bartizan_policy_observing 1$/m);
  });
  it('enforces everything else', async () => {
    assert.equal((await send(gateway.url, { headers: { origin: 'https://evil.example' }, body: '{}' })).status, 403);
    const headers = { ...session.headers(), 'mcp-session-id': 'somebody-else' };
    assert.equal((await send(gateway.url, { headers, body: jsonRpc(1, 'ping') })).status, 404);
  });
});

describe('a policy whose time to observe is over', () => {
  it('enforces', async (t) => {
    const gateway = await startGateway(`${kServer}${kPermit}${kForbid}[policy]\nmode = "observe"\nuntil = 2020-01-31\n`);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    assertRefused((await echo(session, 1)).error, 'forbidden');
    assert.equal((await gateway.readiness()).body.policy_mode, 'enforce');
  });
});
