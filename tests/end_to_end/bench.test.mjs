// The benchmark is a program too: its parts start, everything is answered, and lines come out. What
// they say of time is nobody's business here.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';

import { Results } from '../bench/results.mjs';
import { run } from '../bench/processes.mjs';
import { kNode, kProgram, kTestsDirectory } from './harness.mjs';

it('prints its lines after every call was answered', async () => {
  const command = [join(kTestsDirectory, 'bench', 'bench.mjs'), 'smoke'];
  const lines = (await run(kNode, command, { env: { ...process.env, BARTIZAN_BIN: kProgram } })).trim().split('\n');
  const figures = Object.fromEntries(lines.map((line) => line.split(' ')));
  assert.deepEqual(Object.keys(figures), ['smoke_answered', 'smoke_answered_wires', 'smoke_streams_told', 'smoke_answered_tls', 'smoke_pipe_rtt_us', 'smoke_benchmarks']);
  assert.equal(figures.smoke_answered, '500');
  assert.equal(figures.smoke_answered_wires, '100');
  assert.equal(figures.smoke_streams_told, '1200');
  assert.equal(figures.smoke_answered_tls, '200');
  assert.ok(Number(figures.smoke_benchmarks) > 8);
});

it('fails when a part cannot run, and still prints', async () => {
  const command = [join(kTestsDirectory, 'bench', 'bench.mjs'), 'smoke'];
  const environment = { ...process.env, BARTIZAN_BIN: join(kTestsDirectory, 'absent') };
  await assert.rejects(run(kNode, command, { env: environment }), /smoke could not run/);
});

it('marks what misses its goal, and only that', () => {
  const results = new Results();
  results.add('cpu_vs_nginx', 1.25);
  results.add('record_ns', 1501);
  results.add('schema_vs_valijson', 9.94);
  results.add('cpu_us_nginx', 15.7123);
  results.add('p50_added_us', 26.1, { atMost: 26 });
  results.add('p50_added_haproxy_us', 26, { atMost: 26 });
  results.addLines('attack_p50_ratio 2.5 MISSED\nattack_calls 12\n');
  assert.equal(
    results.text(),
    'cpu_vs_nginx 1.25\nrecord_ns 1501 MISSED\nschema_vs_valijson 9.94 MISSED\ncpu_us_nginx 15.7\np50_added_us 26.1 MISSED\np50_added_haproxy_us 26\nattack_p50_ratio 2.5 MISSED\nattack_calls 12\n',
  );
  assert.throws(() => results.add('cpu_vs_nginx', Number.NaN), /has no value/);
});
