// Resident memory at the start, and with thousands of connections that made one call each and keep
// silent since.
import { spawn } from 'node:child_process';

import { benchProgram, firstLine, kLoadCore, kProxyCore, residentMib, say } from './processes.mjs';
import { loadOptions, startBartizan, startNginx, startOrigin } from './targets.mjs';

const kIdleConnections = 10_000;

/** Memory with the connections open, as soon as each has had its answer. */
async function withIdleConnections(target) {
  const options = [...loadOptions(target), '--connections', String(kIdleConnections), '--hold'];
  const command = ['-c', String(kLoadCore), benchProgram('bench_load'), ...options];
  const holder = spawn('taskset', command, { stdio: ['pipe', 'pipe', 'inherit'] });
  process.on('exit', () => holder.kill('SIGKILL'));
  const ended = new Promise((done) => holder.on('exit', done));
  const { requests, errors } = JSON.parse(await firstLine(holder));
  if (requests !== kIdleConnections || errors > 0) throw new Error(`${target.name} answered ${requests}, ${errors} wrongly`);
  const mib = residentMib(target.pid);
  holder.stdin.end();
  await ended;
  return mib;
}

export async function idle(results) {
  const origin = await startOrigin();
  // As an operator would raise it: a connection is a file, and the usual limit is 1,024.
  const files = ['prlimit', '--nofile=20000:20000', 'taskset', '-c', String(kProxyCore)];
  for (const begin of [() => startBartizan(origin, { command: files }), () => startNginx(origin)]) {
    const target = await begin();
    const suffix = target.name === 'bartizan' ? '' : `_${target.name}`;
    results.add(`rss_start_mib${suffix}`, residentMib(target.pid));
    say(`${target.name}: ${kIdleConnections} connections, a call on each`);
    results.add(`rss_10k_idle_mib${suffix}`, await withIdleConnections(target));
    await target.stop();
  }
  await origin.stop();
}
