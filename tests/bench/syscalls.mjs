// What a request asks of the kernel: system calls, counted by strace over every thread of a target,
// and pages. A tracer slows what it watches, so this is apart from every measurement of time.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { temporaryDirectory } from '../end_to_end/harness.mjs';
import { kConnections, pageFaults, say, tree } from './processes.mjs';
import { load, startBartizan, startHaproxy, startNginx, startOrigin } from './targets.mjs';

const kRequests = 3000;
const kLonely = 1;

/** Counts the calls of `target` while `work` runs: `{ total, byName }`. */
async function counted(target, work) {
  const file = join(temporaryDirectory(), 'calls');
  const pids = tree(target.pid).flatMap((pid) => ['-p', String(pid)]);
  const strace = spawn('strace', ['-c', '-f', '-o', file, ...pids], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((done) => strace.on('exit', done));
  await new Promise((attached, failed) => {
    strace.stderr.on('data', (text) => String(text).includes('attached') && attached());
    strace.on('exit', () => failed(new Error('strace cannot attach')));
  });
  await work();
  strace.kill('SIGINT');
  await ended;
  const byName = {};
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, calls, name] = /^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$/.exec(line) ?? [];
    if (name && name !== 'total') byName[name] = Number(calls);
  }
  return byName;
}

async function perRequest(target, connections) {
  // The first requests open connections and grow buffers.
  await load(target, {}, ['--connections', connections, '--requests', 200]);
  const byName = await counted(target, () => load(target, {}, ['--connections', connections, '--requests', kRequests]));
  const total = Object.values(byName).reduce((sum, calls) => sum + calls, 0);
  const shares = Object.entries(byName)
    .map(([name, calls]) => [name, calls / kRequests])
    .filter(([, share]) => share >= 0.01)
    .map(([name, share]) => `${name} ${share.toFixed(2)}`);
  say(`${target.name}, ${connections} connections, calls per request: ${shares.join(', ')}`);
  return total / kRequests;
}

/** What a large answer costs the kernel in pages that it has to clear and map: none, once buffers are there. */
async function pageFaultsOfLargeAnswers(target) {
  const shape = { tool: 'read_book' };
  await load(target, shape, ['--connections', kConnections, '--requests', 1000]);
  const before = pageFaults(target.pid);
  await load(target, shape, ['--connections', kConnections, '--requests', kRequests]);
  return (pageFaults(target.pid) - before) / kRequests;
}

export async function syscalls(results) {
  const origin = await startOrigin();
  for (const begin of [startBartizan, startNginx, startHaproxy]) {
    const target = await begin(origin);
    const suffix = target.name === 'bartizan' ? '' : `_${target.name}`;
    results.add(`syscalls_per_request${suffix}`, await perRequest(target, kConnections));
    results.add(`syscalls_per_request_one_connection${suffix}`, await perRequest(target, kLonely));
    results.add(`page_faults_per_request_64k${suffix}`, await pageFaultsOfLargeAnswers(target));
    await target.stop();
  }
  await origin.stop();
}
