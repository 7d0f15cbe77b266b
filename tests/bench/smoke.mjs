// That the benchmark still works, in seconds and with any build: every program of its own does a
// little, and nothing is timed. `make test` runs it.
import { benchProgram, run } from './processes.mjs';
import { load, startBartizan, startOrigin } from './targets.mjs';

const kRequests = 50;

export async function smoke(results) {
  const origin = await startOrigin();
  const target = await startBartizan(origin);
  let answered = 0;
  for (const each of [origin, target]) {
    for (const shape of [{}, { modern: true }, { tool: 'read_book' }]) {
      const { requests } = await load(each, shape, ['--connections', 4, '--requests', kRequests]);
      answered += requests;
    }
  }
  await target.stop();
  await origin.stop();
  results.add('smoke_answered', answered);

  const pipe = JSON.parse(await run(benchProgram('bench_pipe'), ['100', '--', benchProgram('bench_echo')]));
  results.add('smoke_pipe_rtt_us', pipe.rtt_us);

  const shortly = ['--benchmark_format=json', '--benchmark_min_time=0.0001', '--benchmark_filter=-100k|rules_10k|10k_(keys|rules)|1k|verify'];
  const { benchmarks } = JSON.parse(await run(benchProgram('bench_micro'), shortly));
  const broken = benchmarks.find((each) => each.error_occurred);
  if (broken) throw new Error(`${broken.name}: ${broken.error_message}`);
  results.add('smoke_benchmarks', benchmarks.length);
}
