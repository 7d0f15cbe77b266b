// Under load the newest records stand in the spool beside the record until they are enough to be written
// at once. Killed there, nothing that anybody was answered may be missing.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { benchProgram } from '../bench/processes.mjs';
import { loadOptions, startBartizan, startOrigin } from '../bench/targets.mjs';
import { eventually } from './assertions.mjs';
import { runProgram } from './harness.mjs';
import { LegacySession } from './wire.mjs';

// Enough for the gateway to find several calls whenever it looks.
const kConnections = 64;
const kLoadedMs = 600;
const kKills = 4;
const kClients = 4;
const kCounted = 'counted';

async function startTarget(t) {
  const origin = await startOrigin();
  const target = await startBartizan(origin);
  t.after(async () => {
    target.gateway.process.kill('SIGKILL');
    await origin.stop();
  });
  return target;
}

/** Loads the gateway until it spools, and has a few clients call beside that, whose answers are counted. */
async function loadUntilSpooled(t, target, amount) {
  const { gateway, key } = target;
  const options = [...loadOptions(target), '--connections', String(kConnections), ...amount];
  const load = spawn(benchProgram('bench_load'), options, { stdio: 'ignore' });
  t.after(() => load.kill('SIGKILL'));
  const session = await LegacySession.open(gateway.url, { authorization: `Bearer ${key}` }, kCounted);
  const stage = { spool: `${gateway.auditFile}.spool`, answered: 0, isOver: false };
  const client = async (number) => {
    for (let id = number; !stage.isOver; id += kClients) {
      const { result } = await session.call(id, 'origin_read_note', { path: '/srv/data/note' });
      if (result) stage.answered += 1;
    }
  };
  const clients = Array.from({ length: kClients }, (_, number) => client(number + 1).catch(() => (stage.isOver = true)));
  stage.ended = new Promise((done) => load.on('exit', done)).then(async (code) => {
    stage.isOver = true;
    await Promise.all(clients);
    return code;
  });
  await eventually(() => existsSync(stage.spool), 'records are spooled');
  return stage;
}

/** Each call that was answered has a decision and an outcome. */
function assertRecorded(gateway, answered) {
  const calls = gateway.records().filter(({ target }) => target === 'read_note');
  const decided = calls.filter((record) => record.client_name === kCounted).map((record) => record.decision_id);
  const ended = new Set(calls.filter(({ kind }) => kind === 'outcome').map((record) => record.decision_id));
  const both = decided.filter((id) => ended.has(id));
  assert.ok(answered > 0);
  assert.ok(both.length >= answered, `${both.length} calls on record, of ${answered} that were answered`);
}

async function verify(gateway, { mayBeTorn = false } = {}) {
  const { code, stdout, stderr } = await runProgram('audit', 'verify', gateway.auditFile);
  // A batch that was not spooled, and of which nobody was told.
  if (mayBeTorn && stderr.endsWith(': the line has no end, as after a crash\n')) return;
  assert.equal(code, 0, stdout + stderr);
}

describe('records of a gateway under load', () => {
  it('are all there when it is killed and started again', async (t) => {
    const target = await startTarget(t);
    let answered = 0;
    for (let kill = 0; kill < kKills; kill += 1) {
      const stage = await loadUntilSpooled(t, target, ['--seconds', '60']);
      await delay(kLoadedMs * Math.random());
      target.gateway.process.kill('SIGKILL');
      await target.gateway.exited;
      await stage.ended;
      answered += stage.answered;
      await verify(target.gateway, { mayBeTorn: true });
      target.gateway = target.gateway.relaunch();
      await target.gateway.ready();
      await verify(target.gateway);
      assertRecorded(target.gateway, answered);
      await eventually(() => !existsSync(stage.spool), 'it was taken over and given up');
    }
    await target.gateway.stop();
  });

  it('are all in the file once the load is over', async (t) => {
    const target = await startTarget(t);
    const { gateway } = target;
    const stage = await loadUntilSpooled(t, target, ['--requests', '20000']);
    assert.equal(await stage.ended, 0, `not every call was answered:\n${gateway.process.signalCode}\n${gateway.log()}`);
    assertRecorded(gateway, stage.answered);
    await gateway.stop();
    assert.ok(!existsSync(stage.spool), 'nothing is left of it');
    await verify(gateway);
  });
});
