// Targets that are loaded in turn, round after round: CPU time and page faults of a request, and ratios
// within each round, since what else runs on the machine slows both sides of it.
import { cpuNanoseconds, kConnections, kRounds, kSecondsEach, median, pageFaults, say } from './processes.mjs';
import { load, openLoad } from './targets.mjs';

// What fills pools and buffers.
const kWarmRequests = 500;

async function cost(target, shape, connections) {
  const begin = await openLoad(target, shape, ['--connections', connections, '--seconds', kSecondsEach]);
  const [ran, faulted] = [cpuNanoseconds(target.pid), pageFaults(target.pid)];
  const { requests } = await begin();
  return {
    us: (cpuNanoseconds(target.pid) - ran) / 1000 / requests,
    faults: (pageFaults(target.pid) - faulted) / requests,
  };
}

/** The rounds of one kind of request: `[{ nginx: { us, faults }, … }, …]`. */
export async function measure(what, targets, shape, { connections = kConnections, warm = kWarmRequests } = {}) {
  for (const target of targets) await load(target, shape, ['--connections', connections, '--requests', warm]);
  const rounds = [];
  for (let round = 0; round < kRounds; round += 1) {
    const row = {};
    for (const target of targets) row[target.name] = await cost(target, shape, connections);
    rounds.push(row);
    const cells = Object.entries(row).map(([name, { us }]) => `${name} ${us.toFixed(1)}`);
    say(`${what}, round ${round + 1} of ${kRounds}, CPU µs per request: ${cells.join(', ')}`);
  }
  return rounds;
}

export const ratio = (rounds, above, below) => median(rounds.map((row) => row[above].us / row[below].us));
export const middle = (rounds, name, what = 'us') => median(rounds.map((row) => row[name][what]));
