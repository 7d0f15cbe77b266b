// What `bartizan wrap` adds between a client and a child behind pipes; everything on one core.
import { join } from 'node:path';

import { kProgram, temporaryDirectory } from '../end_to_end/harness.mjs';
import { benchProgram, kProxyCore, kRounds, median, run, say } from './processes.mjs';

const kMessages = 20_000;

/** The driver's figures for one command that speaks MCP over its standard input and output. */
async function drive(command) {
  const driver = [benchProgram('bench_pipe'), String(kMessages), '--', ...command];
  return JSON.parse(await run('taskset', ['-c', String(kProxyCore), ...driver]));
}

export async function wrap(results) {
  const help = await run(kProgram, ['wrap', '--help']).catch(() => '');
  if (!help.includes('--record')) throw new Error('this build has no `bartizan wrap`');
  const echo = [benchProgram('bench_echo')];
  const rounds = [];
  for (let round = 0; round < kRounds; round += 1) {
    const record = join(temporaryDirectory(), 'record.jsonl');
    const direct = await drive(echo);
    const wrapped = await drive([kProgram, 'wrap', '--record', record, '--', ...echo]);
    rounds.push({ direct, wrapped });
    say(`round ${round + 1} of ${kRounds}, round trip ${direct.rtt_us} → ${wrapped.rtt_us} µs, ${wrapped.cpu_us} CPU µs per message`);
  }
  results.add('wrap_rtt_added_us', median(rounds.map(({ direct, wrapped }) => wrapped.rtt_us - direct.rtt_us)));
  results.add('wrap_cpu_us_per_message', median(rounds.map(({ wrapped }) => wrapped.cpu_us)));
}
