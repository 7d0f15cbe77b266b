// The stages of a call by themselves, on fixed inputs: Google Benchmark's medians in nanoseconds.
import { benchProgram, kProxyCore, run, say } from './processes.mjs';

const kRepetitions = Number(process.env.ROUNDS ?? 5);
const kSeconds = process.env.MICRO_SECONDS ?? '0.2';
const kFilter = process.env.MICRO_FILTER ?? '.';
const kMib = 1 << 20;

/** The figure of one benchmark, which is named after it. */
function valueOf({ name, cpu_time, real_time, bytes_per_second, kib }) {
  if (name.includes('gb_s')) return bytes_per_second / 1e9;
  if (name.includes('mib_per_s')) return bytes_per_second / kMib;
  if (name.includes('_kib')) return kib;
  return name.includes('/real_time') ? real_time : cpu_time;
}

/** How many times as long valijson takes as the gateway, for each shape of arguments; the least of them counts. */
function compareWithValijson(results) {
  const kTimes = /^schema_valijson_ns_(\w+)$/;
  const ratios = [];
  for (const [name, theirs] of results.entries()) {
    const ours = kTimes.test(name) && results.get(name.replace('_valijson', ''));
    if (ours) ratios.push([name.replace(kTimes, 'schema_vs_valijson_$1'), theirs / ours]);
  }
  for (const [name, ratio] of ratios) results.add(name, ratio);
  if (ratios.length) results.add('schema_vs_valijson', Math.min(...ratios.map(([, ratio]) => ratio)));
}

export async function micro(results) {
  say('micro: a minute or two');
  const options = ['--benchmark_format=json', `--benchmark_filter=${kFilter}`, `--benchmark_min_time=${kSeconds}`, `--benchmark_repetitions=${kRepetitions}`];
  const shown = ['--benchmark_report_aggregates_only=true', '--benchmark_enable_random_interleaving=true'];
  const command = ['-c', String(kProxyCore), benchProgram('bench_micro'), ...options, ...shown];
  const { benchmarks } = JSON.parse(await run('taskset', command));
  // They run in a random order, so that the machine's moods fall on all of them.
  for (const each of benchmarks.sort((a, b) => a.family_index - b.family_index)) {
    if (each.error_occurred) throw new Error(`${each.name}: ${each.error_message}`);
    if (kRepetitions > 1 && each.aggregate_name !== 'median') continue;
    results.add(each.run_name.replace(/\/.*$/, ''), valueOf(each));
  }
  const [few, many] = [results.get('rules_10_ns'), results.get('rules_10k_ns')];
  if (few && many) results.add('rules_10k_vs_10', many / few);
  compareWithValijson(results);
}
