// The record cannot be written, or the process is killed in the middle of it: nothing passes without a
// record, what was written stays verifiable, and the gateway recovers by itself.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { runProgram, startGateway } from './harness.mjs';
import { kPlain, stdioServer } from './servers.mjs';
import { LegacySession, jsonRpc, responseOf, send } from './wire.mjs';

const kConfiguration = `${stdioServer('plain', [kPlain])}
[rule.all]
effect = "permit"
roles = ["tester"]
tools = ["plain/*_echo"]
`;
const kFileBytesMax = 40_960;
const kCallsMax = 200;

async function assertVerifies(gateway) {
  const { code, stdout, stderr } = await runProgram('audit', 'verify', gateway.auditFile);
  assert.equal(code, 0, stdout + stderr);
}

const echo = (session, id) => session.call(id, 'plain_slow_echo', { token: `token ${id}`, milliseconds: 1 });
const kinds = (gateway, kind) => gateway.records().filter((record) => record.kind === kind);

describe('a record that cannot grow', () => {
  it('stops every call until it can, and tells of the gap once', async (t) => {
    // The soft limit only, so that no privilege is needed to lift it again.
    const wrapper = ['prlimit', `--fsize=${kFileBytesMax}:`];
    const gateway = await startGateway(kConfiguration, { wrapper });
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    let id = 0;
    let error;
    while (!error && id < kCallsMax) ({ error } = await echo(session, (id += 1)));
    assertRefused(error, 'not_recordable');

    const { status, body } = await gateway.readiness();
    assert.equal(status, 503);
    assert.match(body.reason, /record/);
    let refused = 0;
    for (; refused < 5; refused += 1) assertRefused((await echo(session, (id += 1))).error, 'not_recordable');
    const beforeSession = await send(gateway.url, { body: jsonRpc(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }) });
    assertRefused(responseOf(beforeSession).error, 'not_recordable');
    assert.equal((await send(gateway.url, { headers: { origin: 'https://evil.example' }, body: '{}' })).status, 403);
    // What was torn stands there until its record takes its place.
    const { code, stderr } = await runProgram('audit', 'verify', gateway.auditFile);
    assert.ok(code === 0 || /: the line has no end, as after a crash\n$/.test(stderr), stderr);
    assert.equal(kinds(gateway, 'gap').length, 0);

    execFileSync('prlimit', ['--pid', `${gateway.process.pid}`, '--fsize=unlimited:']);
    // No call is needed for that: who waits for /readyz sends none.
    await eventually(() => gateway.isReady(), 'the gateway is ready again');
    assert.ok((await echo(session, (id += 1))).result);
    const gaps = kinds(gateway, 'gap');
    assert.equal(gaps.length, 1);
    assert.ok(gaps[0].count >= refused, `${gaps[0].count} of at least ${refused} refusals`);
    // Whatever was answered with a result has its outcome on record.
    const succeeded = kinds(gateway, 'outcome').filter(({ target, outcome }) => target === 'slow_echo' && outcome === 'success');
    assert.ok(succeeded.length > 0);
    await assertVerifies(gateway);
  });
});

describe('a process that is killed', () => {
  it('leaves a chain that verifies, and goes on with it', async (t) => {
    const gateway = await startGateway(kConfiguration);
    t.after(() => gateway.process.kill('SIGKILL'));
    const answered = [];
    const load = async (number) => {
      const session = await LegacySession.open(gateway.url);
      for (let count = 0; count < 10_000; count += 1) {
        const id = number * 10_000 + count;
        if ((await echo(session, id)).result) answered.push(id);
      }
    };
    const loads = Array.from({ length: 8 }, (_, number) => load(number).catch(() => {}));
    await eventually(() => answered.length > 200, 'there is load', 20_000);
    await gateway.crash();
    await Promise.all(loads);
    const last = kinds(gateway, 'outcome').filter(({ target }) => target === 'slow_echo');
    assert.ok(last.length >= answered.length, 'each answer that left was on record before');

    const next = await gateway.again();
    t.after(() => next.stop());
    const session = await LegacySession.open(next.url);
    assert.ok((await echo(session, 1)).result);
    assert.equal(kinds(next, 'start').length, 2);
    assert.equal(kinds(next, 'stop').length, 0);
    await assertVerifies(next);
  });

  it('in the middle of a line, too: the torn line is cut off, and said', async (t) => {
    const gateway = await startGateway(kConfiguration);
    t.after(() => gateway.process.kill('SIGKILL'));
    assert.ok((await echo(await LegacySession.open(gateway.url), 1)).result);
    await gateway.crash();
    const torn = '{"v":1,"kind":"decision","time":"2026-';
    appendFileSync(gateway.auditFile, torn);

    const next = await gateway.again();
    t.after(() => next.stop());
    assert.ok((await echo(await LegacySession.open(next.url), 1)).result);
    const [repair] = kinds(next, 'repair');
    assert.match(repair.detail, new RegExp(`\\b${torn.length}\\b`));
    await assertVerifies(next);
  });

  it('does not go on with a chain that somebody changed', async () => {
    const gateway = await startGateway(kConfiguration);
    await gateway.stop();
    appendFileSync(gateway.auditFile, '{"v":1,"kind":"decision","seq":99}\n');
    await assert.rejects(gateway.again(), /before it was ready/);
  });
});
