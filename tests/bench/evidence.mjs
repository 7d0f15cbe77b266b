// What sending the record costs a call, how fast it reaches PostgreSQL, and how fast questions are
// answered.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { kNoPostgres, Postgres, startExporting } from '../end_to_end/export_stage.mjs';
import { kProgram, temporaryDirectory } from '../end_to_end/harness.mjs';
import { kConnections, kRounds, kSecondsEach, median, say } from './processes.mjs';
import { measure, middle, ratio } from './rounds.mjs';
import { openLoad, startBartizan, startNginx, startOrigin } from './targets.mjs';

const kRecords = Number(process.env.EVIDENCE_RECORDS ?? 1_000_000);
const kCallsPerSecond = 5000;

/** Writes a chain of so many records: three calls of four are permitted, and each has an outcome. */
async function writeChain(file, count) {
  const out = createWriteStream(file);
  let prev = '0'.repeat(64);
  const begun = Date.parse('2026-11-01T00:00:00Z');
  for (let seq = 1; seq <= count; seq += 1) {
    const call = seq >> 1;
    const time = new Date(begun + seq * 1000).toISOString().replace('Z', '000Z');
    const common = `"principal":"user-${call % 50}","client_name":"client","server":"s${call % 5}","method":"tools/call","target":"tool_${call % 40}"`;
    const id = `"decision_id":"019aa640-1e7b-7c1e-9a3b-${String(call).padStart(12, '0')}"`;
    const digest = `"argument_digest":"${createHash('sha256').update(String(call % 9999)).digest('hex')}"`;
    const isDenied = call % 4 === 3;
    const verdict = isDenied ? '"decision":"deny","reason":"path_outside_root","category":"validation","rule":"files"' : '"decision":"permit","rule":"all"';
    const body =
      seq % 2 === 1
        ? `"v":1,"kind":"decision","time":"${time}",${id},"source":"127.0.0.1:51234","transport":"http",${common},${digest},${verdict},"policy":"4e07408562bedb8b","bytes_in":350`
        : `"v":1,"kind":"outcome","time":"${time}",${id},"transport":"http",${common},"outcome":"${isDenied ? 'denied' : 'success'}","bytes_out":400,"duration_us":${500 + (call % 700)}`;
    const number = Buffer.alloc(8);
    number.writeBigUInt64BE(BigInt(seq));
    const hash = createHash('sha256').update(Buffer.from(prev, 'hex')).update(number).update(createHash('sha256').update(body).digest()).digest('hex');
    if (!out.write(`{${body},"seq":${seq},"prev":"${prev}","hash":"${hash}"}\n`)) await once(out, 'drain');
    prev = hash;
  }
  out.end();
  await once(out, 'close');
}

/** Seconds that the program takes for these arguments. */
async function seconds(...given) {
  const began = performance.now();
  const child = spawn(kProgram, given, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`bartizan ${given.join(' ')} ended with ${code}`);
  return (performance.now() - began) / 1000;
}

async function questions(results) {
  const record = join(temporaryDirectory(), 'audit.jsonl');
  say(`a record of ${kRecords} records is written`);
  await writeChain(record, kRecords);
  results.add('index_records_per_s', kRecords / (await seconds('audit', 'query', record, '--limit', '1')));
  results.add('index_mib_per_million', (statSync(`${record}.index`).size / 2 ** 20 / kRecords) * 1e6);
  const rows = {
    principal: ['--principal', 'user-7', '--limit', '100'],
    refused: ['--decision', 'deny', '--limit', '1000'],
    reason: ['--reason', 'path_outside_root', '--tool', 's3/tool_3', '--limit', '1000'],
    day: ['--since', '2026-11-05', '--until', '2026-11-06', '--limit', '1000'],
    text: ['--text', 'tool_39', '--limit', '100'],
  };
  for (const [name, more] of Object.entries(rows)) results.add(`query_${name}_ms`, 1000 * (await seconds('audit', 'query', record, ...more)));
  results.add('report_ms', 1000 * (await seconds('audit', 'report', record)));
}

/** The p99 of calls that come at a rate that leaves the worker idle for some of the time. */
async function latency(results, targets) {
  const rounds = [];
  for (let round = 0; round < kRounds; round += 1) {
    const row = {};
    for (const target of targets) {
      const options = ['--connections', kConnections, '--seconds', kSecondsEach, '--rate', kCallsPerSecond];
      row[target.name] = await (await openLoad(target, {}, options))();
    }
    rounds.push(row);
    const cells = Object.entries(row).map(([name, { p50_us, p99_us }]) => `${name} ${p50_us} and ${p99_us}`);
    say(`${kCallsPerSecond} calls/s, round ${round + 1} of ${kRounds}, p50 and p99 µs: ${cells.join(', ')}`);
  }
  const times = (name) => rounds.map((row) => row[name].p99_us);
  results.add('p99_us_no_export', median(times('bartizan')));
  results.add('p99_us_export', median(times('bartizan_exporting')));
  results.add('p99_export_vs_none', median(rounds.map((row) => row.bartizan_exporting.p99_us / row.bartizan.p99_us)));
}

async function cost(results) {
  const origin = await startOrigin();
  const nginx = await startNginx(origin);
  const plain = await startBartizan(origin);
  const receiver = createServer((incoming, outgoing) => incoming.resume().on('end', () => outgoing.end('{}')));
  await new Promise((done) => receiver.listen(0, '127.0.0.1', done));
  const more = `[export.lines]\ntype = "json_lines"\nurl = "http://127.0.0.1:${receiver.address().port}"\n`;
  const exporting = { ...(await startBartizan(origin, { more })), name: 'bartizan_exporting' };
  const rounds = await measure('400 B, with an export', [nginx, plain, exporting], {}, {});
  results.add('cpu_vs_nginx_no_export', ratio(rounds, 'bartizan', 'nginx'));
  results.add('cpu_vs_nginx_export', ratio(rounds, 'bartizan_exporting', 'nginx'));
  results.add('cpu_export_vs_none', ratio(rounds, 'bartizan_exporting', 'bartizan'));
  results.add('cpu_us_bartizan_exporting', middle(rounds, 'bartizan_exporting'));
  await latency(results, [plain, exporting]);
  for (const target of [exporting, plain, nginx, origin]) await target.stop();
  receiver.close();
}

/** A gateway begins with a record that a new export has to send whole. */
async function toDatabase(results) {
  if (kNoPostgres) return say(`SKIPPED postgresql: ${kNoPostgres}`);
  const ends = [];
  const t = { after: (end) => ends.push(end) };
  const database = await Postgres.start(t);
  const gateway = await startExporting(t, '', { environment: database.environment });
  await gateway.stop();
  const count = Math.min(kRecords, 300_000);
  await writeChain(gateway.auditFile, count);
  const { appendFileSync } = await import('node:fs');
  appendFileSync(gateway.configFile, database.table('store'));
  const began = performance.now();
  const second = await gateway.again();
  for (;;) {
    const [[there]] = await database.query('SELECT count(*) FROM bartizan.record').catch(() => [[0]]);
    if (Number(there) >= count) break;
    await delay(50);
  }
  results.add('postgresql_records_per_s', count / ((performance.now() - began) / 1000));
  await second.stop();
  for (const end of ends.reverse()) await end();
}

export async function evidence(results) {
  await questions(results);
  await toDatabase(results);
  await cost(results);
}
