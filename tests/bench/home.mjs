// What a legacy session's message costs more when its connection belongs to another worker than the
// session does. The kernel chooses the worker by the addresses of the connection, so a source port
// stays with its worker; to which it leads is seen from the workers' own times: a message at home
// keeps one busy, one that travels keeps both.
import { LegacySession } from '../end_to_end/wire.mjs';
import { kRounds, kSecondsEach, median, say, taskTimes } from './processes.mjs';
import { load, startBartizan, startOrigin } from './targets.mjs';

const kPortsWanted = 8;
const kPortsTried = 64;
const kFirstPort = 20_000;
const kProbeRequests = 200;
// The second worker's share of the time from which on it is held to have taken part.
const kTakesPart = 0.15;

/** Loads over connections from these ports: CPU µs per request, and the second busiest task's share. */
async function measure(target, session, sources, amount) {
  const before = taskTimes(target.pid);
  const more = ['--session', session.id, ...amount, '--sources', ...sources];
  const { requests } = await load(target, {}, more);
  const used = [...taskTimes(target.pid)].map(([task, ran]) => ran - (before.get(task) ?? 0)).sort((a, b) => b - a);
  const total = used.reduce((sum, ran) => sum + ran, 0);
  return { us: total / 1000 / requests, secondShare: used[1] / total };
}

/** Ports whose connections come to the session's worker, and ports whose connections do not. */
async function findPorts(target, session) {
  const [at, away] = [[], []];
  for (let port = kFirstPort; port < kFirstPort + kPortsTried; port += 1) {
    const { secondShare } = await measure(target, session, [port], ['--requests', kProbeRequests]);
    const found = secondShare > kTakesPart ? away : at;
    if (found.length < kPortsWanted) found.push(port);
    if (at.length === kPortsWanted && away.length === kPortsWanted) return { at, away };
  }
  throw new Error(`of ${kPortsTried} connections ${at.length} came to the session's worker, ${away.length} did not`);
}

export async function home(results) {
  const origin = await startOrigin();
  const target = await startBartizan(origin, { workers: 2 });
  const headers = { authorization: `Bearer ${target.key}` };
  const session = await LegacySession.open(target.gateway.url, headers);
  const ports = await findPorts(target, session);
  const rounds = [];
  for (let round = 0; round < kRounds; round += 1) {
    const row = {};
    for (const [name, sources] of Object.entries(ports)) {
      row[name] = (await measure(target, session, sources, ['--seconds', kSecondsEach])).us;
    }
    rounds.push(row);
    say(`round ${round + 1} of ${kRounds}, CPU µs per request at home ${row.at.toFixed(1)}, from elsewhere ${row.away.toFixed(1)}`);
  }
  results.add('home_us', median(rounds.map(({ at }) => at)));
  results.add('home_hop_added_us', median(rounds.map(({ at, away }) => away - at)));
  await target.stop();
  await origin.stop();
}
