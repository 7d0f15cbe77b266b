// That the benchmark still works, in seconds and with any build: every program of its own does a
// little, and nothing is timed. `make test` runs it.
import { makeCertificates } from '../end_to_end/certificates.mjs';
import { benchProgram, run } from './processes.mjs';
import { holdStreams } from './streams.mjs';
import { load, overWire, startBartizan, startOrigin } from './targets.mjs';

const kRequests = 50;
const kStreams = 400;

/** Calls of each shape to the origin itself and through the gateway: how many were answered. */
async function answered(certificates, shapes) {
  const origin = await startOrigin(undefined, certificates);
  const target = await startBartizan(origin);
  let sum = 0;
  for (const each of [origin, target]) {
    for (const shape of shapes) sum += (await load(each, shape, ['--connections', 4, '--requests', kRequests])).requests;
  }
  await target.stop();
  await origin.stop();
  return sum;
}

/** Calls over the transports where the connection is the session: how many were answered. */
async function answeredOverWires() {
  const origin = await startOrigin();
  const target = await startBartizan(origin);
  let sum = 0;
  for (const wire of ['websocket', 'sse']) sum += (await load(overWire(target, wire), {}, ['--connections', 4, '--requests', kRequests])).requests;
  await target.stop();
  await origin.stop();
  return sum;
}

/** Streams of each transport, and of sessions on two workers, that heard once that a list changed. */
async function toldStreams() {
  for (const wire of ['http', 'sse', 'websocket']) await holdStreams(wire, kStreams, { workers: 2 });
  return 3 * kStreams;
}

export async function smoke(results) {
  const book = { tool: 'read_book' };
  const plain = await answered(undefined, [{}, { modern: true }, { ownSessions: true }, book, { tool: 'read_1m' }]);
  results.add('smoke_answered', plain);
  results.add('smoke_answered_wires', await answeredOverWires());
  results.add('smoke_streams_told', await toldStreams());
  results.add('smoke_answered_tls', await answered(makeCertificates('IP:127.0.0.1,DNS:localhost'), [{}, book]));

  const pipe = JSON.parse(await run(benchProgram('bench_pipe'), ['100', '--', benchProgram('bench_echo')]));
  results.add('smoke_pipe_rtt_us', pipe.rtt_us);

  const shortly = ['--benchmark_format=json', '--benchmark_min_time=0.0001', '--benchmark_filter=-100k|rules_10k|10k_(keys|rules)|1k|verify'];
  const { benchmarks } = JSON.parse(await run(benchProgram('bench_micro'), shortly));
  const broken = benchmarks.find((each) => each.error_occurred);
  if (broken) throw new Error(`${broken.name}: ${broken.error_message}`);
  results.add('smoke_benchmarks', benchmarks.length);
}
