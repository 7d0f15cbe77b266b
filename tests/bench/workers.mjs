// CPU time of a call with two workers to the same with one: legacy calls, each connection with a session
// of its own as every client has one, and calls of 2026-07-28, which have none. Where there are three
// cores the two workers have one each.
import { availableParallelism } from 'node:os';

import { kProxyCore } from './processes.mjs';
import { measure, middle, ratio } from './rounds.mjs';
import { startBartizan, startOrigin } from './targets.mjs';

const kCores = availableParallelism() > 2 ? `${kProxyCore},2` : kProxyCore;

export async function workers(results) {
  const origin = await startOrigin();
  const one = await startBartizan(origin);
  const two = { ...(await startBartizan(origin, { core: kCores, workers: 2 })), name: 'two_workers' };
  for (const [what, suffix, shape] of [
    ['400 B, own sessions', '', { ownSessions: true }],
    ['400 B of 2026-07-28', '_modern', { modern: true }],
  ]) {
    const rounds = await measure(what, [one, two], shape);
    results.add(`cpu_2_workers_vs_1${suffix}`, ratio(rounds, 'two_workers', 'bartizan'));
    results.add(`cpu_us_2_workers${suffix}`, middle(rounds, 'two_workers'));
  }
  for (const target of [two, one, origin]) await target.stop();
}
