// The record where security teams look: each sink gets each record once, with its hash, whatever breaks.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';

import { eventually } from './assertions.mjs';
import { makeCertificates } from './certificates.mjs';
import { kNoPostgres, kNoRsyslog, kNoSyslogNg, makeCalls, Postgres, Receiver, Rsyslog, startExporting, SyslogNg, verifiedRecords } from './export_stage.mjs';
import { freePort, kProgram, kTestsDirectory, runProgram, temporaryDirectory } from './harness.mjs';
import { apply, refuse } from './reloading.mjs';

const kAway = 'log_tool_invocations = false\n';
const kPreload = join(dirname(kProgram), 'fault_preload.so');
const kNoPreload = existsSync(kPreload) ? false : `no ${kPreload}: only the development build has it`;
const kPython = join(kTestsDirectory, '..', 'build', 'python', 'bin', 'python');

const httpTable = (name, type, url, more = '') => `[export.${name}]\ntype = "${type}"\nurl = "${url}"\n${more}\n`;
const syslogTable = (name, url, more = '') => httpTable(name, 'syslog', url, more);

/** What arrived is what is on record: the numbers, each once, and their hashes. */
function assertArrived(arrived, records) {
  assert.deepEqual(
    arrived.map(({ seq, hash }) => `${seq} ${hash}`),
    records.map(({ seq, hash }) => `${seq} ${hash}`),
  );
}

/** Each of them at least once, in order but for what was sent again. */
function assertAllArrived(arrived, records) {
  const hashes = new Map(arrived.map(({ seq, hash }) => [Number(seq), hash]));
  for (const { seq, hash } of records) assert.equal(hashes.get(seq), hash, `record ${seq}`);
}

const count = (gateway) => gateway.records().length;

describe('exports over HTTP', () => {
  it('JSON lines: each record once, with what is derived of it', async (t) => {
    const receiver = await Receiver.start(t, () => ({}));
    const gateway = await startExporting(t, httpTable('lines', 'json_lines', `${receiver.url}/in?x=1`, 'token = "env:TOKEN"'), {
      environment: { TOKEN: 'of-the-receiver' },
    });
    await makeCalls(gateway, 12);
    await gateway.stop();
    const records = await verifiedRecords(gateway);
    assertArrived(receiver.records(), records);
    for (const { method, target, headers } of receiver.requests) {
      assert.deepEqual([method, target], ['POST', '/in?x=1']);
      assert.equal(headers.authorization, 'Bearer of-the-receiver');
      assert.equal(headers['content-type'], 'application/x-ndjson');
    }
    const denied = receiver.records().find(({ reason }) => reason === 'no_matching_rule');
    assert.deepEqual([denied.instance, denied.class, denied.severity, denied.technique], ['gw-1', 'security_event', 'medium', 'AML.T0053']);
    assert.equal(denied.chain_id, records[0].hash);
    // Each line holds the record as it stands in the file, so that whoever has it can verify it.
    const line = readFileSync(gateway.auditFile, 'utf8').split('\n')[denied.seq - 1];
    assert.ok(receiver.requests.some(({ body }) => body.includes(`,${line.slice(1)}\n`)));
    assert.doesNotMatch(gateway.log(), /of-the-receiver/);
  });

  it('filters leave out what they name, and no violation', async (t) => {
    const [all, some] = [await Receiver.start(t, () => ({})), await Receiver.start(t, () => ({}))];
    const gateway = await startExporting(t, httpTable('all', 'json_lines', all.url) + httpTable('some', 'json_lines', some.url, kAway));
    await makeCalls(gateway, 6);
    await gateway.stop();
    const records = await verifiedRecords(gateway);
    assertArrived(all.records(), records);
    const left = some.records();
    assert.ok(left.every((record) => record.class !== 'tool_invocation'));
    assert.equal(left.filter(({ reason }) => reason === 'no_matching_rule').length, records.filter(({ reason }) => reason === 'no_matching_rule').length);
    assert.ok(left.length < records.length);
    // Of the record itself nothing is filtered.
    assert.ok(records.some(({ kind, decision }) => kind === 'decision' && decision === 'permit'));
  });

  it('Splunk: events with time, host and index', async (t) => {
    const receiver = await Receiver.start(t, ({ headers }) =>
      headers.authorization === 'Splunk of-the-collector' ? { body: { text: 'Success', code: 0 } } : { status: 403, body: { text: 'Invalid token', code: 4 } },
    );
    const gateway = await startExporting(t, httpTable('splunk', 'splunk', receiver.url, 'token = "env:TOKEN"\nindex = "mcp"'), {
      environment: { TOKEN: 'of-the-collector' },
    });
    await makeCalls(gateway, 3);
    await gateway.stop();
    const events = receiver.records();
    assertArrived(events.map(({ event }) => event), await verifiedRecords(gateway));
    assert.ok(receiver.requests.every(({ target }) => target === '/services/collector/event'));
    for (const { time, host, source, sourcetype, index, event } of events) {
      assert.deepEqual([host, source, sourcetype, index], ['gw-1', 'bartizan', 'bartizan:record', 'mcp']);
      assert.ok(Math.abs(time - Date.parse(event.time) / 1000) < 0.002);
    }
  });

  it('Elastic: created once under an id; another record under it is an alarm', async (t) => {
    const documents = new Map();
    const refuseOnce = new Set();
    const answer = ({ target, body }) => {
      if (target.startsWith('/mcp/_mget')) {
        const docs = JSON.parse(body).ids.map((id) => ({ _id: id, found: true, _source: { hash: documents.get(id).hash } }));
        return { body: { docs }, keep: false };
      }
      assert.equal(target, '/_bulk');
      assert.ok(body.endsWith('\n'));
      const lines = body.split('\n').slice(0, -1).map((line) => JSON.parse(line));
      const items = [];
      for (let at = 0; at < lines.length; at += 2) {
        const { _id, _index } = lines[at].create;
        assert.equal(_index, 'mcp');
        const isThere = documents.has(_id);
        if (!isThere) documents.set(_id, lines[at + 1]);
        items.push({ create: { _id, status: isThere ? 409 : 201 } });
      }
      // The answer is lost on its way once, although all was taken.
      if (refuseOnce.size === 0) {
        refuseOnce.add(1);
        return { status: 503 };
      }
      return { body: { errors: items.some(({ create }) => create.status > 299), items } };
    };
    const receiver = await Receiver.start(t, answer);
    const gateway = await startExporting(t, httpTable('elastic', 'elastic', receiver.url, 'index = "mcp"'));
    await makeCalls(gateway, 6);
    await eventually(() => documents.size >= count(gateway), 'all are there', 10_000);
    assert.match(await gateway.metrics(), /bartizan_export_alarms_total\{export="elastic",cause="conflict"\} 0/);
    await gateway.stop();
    const records = await verifiedRecords(gateway);
    assertArrived([...documents.values()], records);
    assert.ok([...documents].every(([id, { seq, '@timestamp': time, time: own }]) => id === `gw-1-${records[0].hash.slice(0, 16)}-${seq}` && time === own));
    // Somebody changes a document, and the position is lost, so that all is sent again.
    documents.get(`gw-1-${records[0].hash.slice(0, 16)}-3`).hash = '0'.repeat(64);
    writeFileSync(`${gateway.auditFile}.export-elastic`, `bartizan export position 1\n${records[0].hash}\n0:${'0'.repeat(64)}\n`);
    const second = await gateway.again();
    t.after(() => second.process.kill('SIGKILL'));
    await eventually(async () => /bartizan_export_alarms_total\{export="elastic",cause="conflict"\} 1/.test(await second.metrics()), 'an alarm', 10_000);
    assert.match(second.log(), /another record gw-1-/);
    await second.stop();
    assert.equal(documents.size, (await verifiedRecords(second)).length);
  });

  it('OTLP: logs that the official definitions decode', async (t) => {
    const receiver = await Receiver.start(t, () => ({ body: {} }));
    const gateway = await startExporting(t, httpTable('otlp', 'otlp', receiver.url));
    await makeCalls(gateway, 3);
    await gateway.stop();
    assert.ok(receiver.requests.every(({ target, headers }) => target === '/v1/logs' && headers['content-type'] === 'application/json'));
    const script = join(kTestsDirectory, 'end_to_end', 'fixtures', 'decode_otlp.py');
    const decoded = execFileSync(kPython, [script], { input: JSON.stringify(receiver.requests.map(({ body }) => body)) });
    const logs = JSON.parse(decoded);
    const records = await verifiedRecords(gateway);
    assertArrived(logs.map(({ body }) => JSON.parse(body)), records);
    const denied = logs.find(({ attributes }) => attributes['bartizan.reason'] === 'no_matching_rule');
    assert.equal(denied.severity, 'SEVERITY_NUMBER_WARN');
    assert.equal(denied.attributes['gen_ai.tool.name'], 'forbidden');
    assert.deepEqual([denied.resource['service.name'], denied.resource['service.instance.id']], ['bartizan', 'gw-1']);
    assert.equal(denied.nanoseconds, String(BigInt(Date.parse(JSON.parse(denied.body).time.slice(0, 23) + 'Z')) * 1_000_000n + BigInt(JSON.parse(denied.body).time.slice(23, 26)) * 1000n));
  });

  it('a poisonous record keeps no other back', async (t) => {
    let poison;
    const receiver = await Receiver.start(t, ({ body }) => {
      const records = body.split('\n').filter(Boolean).map((line) => JSON.parse(line));
      poison ??= records.find(({ reason }) => reason === 'no_matching_rule')?.seq;
      return records.some(({ seq }) => seq === poison) ? { status: 400 } : {};
    });
    const gateway = await startExporting(t, httpTable('lines', 'json_lines', receiver.url));
    await makeCalls(gateway, 9);
    await gateway.stop();
    const records = await verifiedRecords(gateway);
    assertArrived(receiver.records().sort((one, other) => one.seq - other.seq), records.filter(({ seq }) => seq !== poison));
    assert.match(gateway.log(), /export refused/);
  });

  it('a full disk under the position stops no call and no export, and loses nothing', { skip: kNoPreload }, async (t) => {
    const receiver = await Receiver.start(t, () => ({}));
    const faults = join(temporaryDirectory(), 'faults');
    writeFileSync(faults, 'write ENOSPC .export-lines. 0\n');
    const full = await startExporting(t, httpTable('lines', 'json_lines', receiver.url), {
      auditFolder: 'record',
      environment: { LD_PRELOAD: kPreload, BARTIZAN_FAULTS: faults },
    });
    await makeCalls(full, 6);
    await eventually(() => receiver.records().length >= count(full), 'all arrive');
    await eventually(() => /export failing.*No space left on device/u.test(full.log()), 'the log says why', 10_000);
    const inFolder = readdirSync(dirname(full.auditFile));
    assert.deepEqual(inFolder.filter((name) => name.includes('.export-lines')), [], 'no draft is left');
    await full.crash();
    // Nobody knows how far the sink was: all is sent again, and what came meanwhile.
    const before = receiver.records().length;
    writeFileSync(faults, '');
    const free = await full.again();
    t.after(() => free.process.kill('SIGKILL'));
    await makeCalls(free, 3);
    await free.stop();
    const records = await verifiedRecords(free);
    assertArrived(receiver.records().slice(before), records);
    assert.match(readFileSync(`${free.auditFile}.export-lines`, 'utf8'), new RegExp(records.at(-1).hash, 'u'));
  });

  it('over TLS, to whoever has the right certificate alone', async (t) => {
    const certificates = makeCertificates('IP:127.0.0.1');
    const others = makeCertificates('IP:127.0.0.1');
    const receiver = await Receiver.start(t, () => ({}), { certificates });
    const impostor = await Receiver.start(t, () => ({}), { certificates: others });
    const ca = `tls_ca = "${certificates.caFile}"`;
    const gateway = await startExporting(t, httpTable('right', 'json_lines', receiver.url, ca) + httpTable('wrong', 'json_lines', impostor.url, ca));
    await makeCalls(gateway, 3);
    await eventually(() => receiver.records().length >= count(gateway), 'all are there', 10_000);
    await eventually(async () => /bartizan_export_failures_total\{export="wrong"\} [1-9]/.test(await gateway.metrics()), 'the other one is refused', 10_000);
    assert.equal(impostor.requests.length, 0);
    await gateway.stop();
  });

  it('a reload begins, changes and ends exports, and a wrong one changes nothing', async (t) => {
    const [first, second] = [await Receiver.start(t, () => ({})), await Receiver.start(t, () => ({}))];
    const gateway = await startExporting(t, httpTable('one', 'json_lines', first.url));
    const text = readFileSync(gateway.configFile, 'utf8');
    await makeCalls(gateway, 3);
    await eventually(() => first.records().length >= count(gateway), 'the first has all', 10_000);
    await apply(gateway, text.replace(first.url, second.url));
    await makeCalls(gateway, 3);
    await eventually(() => second.records().length > 0 && second.records().at(-1).seq >= count(gateway), 'the second goes on', 10_000);
    await refuse(gateway, `${text}\n[export.two]\ntype = "elastic"\nurl = "https://elastic.example.com"\n`);
    assert.match(gateway.log(), /needs .*index/);
    await gateway.stop();
    assertArrived([...first.records(), ...second.records()], await verifiedRecords(gateway));
  });
});

describe('exports to syslog', { skip: kNoRsyslog }, () => {
  it('RFC 5424 over TCP, TLS, UDP and a Unix socket, in JSON and CEF', async (t) => {
    const certificates = makeCertificates('IP:127.0.0.1');
    const receiver = await Rsyslog.start(t, certificates);
    const tables = { tcp: `tcp://127.0.0.1:${receiver.tcp}`, udp: `udp://127.0.0.1:${receiver.udp}`, local: `unix:${receiver.socket}`, tls: `tls://127.0.0.1:${receiver.tls}` };
    for (const [name, url] of Object.entries(tables)) {
      const more = `${name === 'tls' ? `tls_ca = "${certificates.caFile}"\n` : ''}${name === 'udp' ? 'format = "cef"' : ''}`;
      const before = receiver.messages().length;
      const gateway = await startExporting(t, syslogTable(name, url, more));
      await makeCalls(gateway, 6);
      await eventually(() => receiver.messages().length - before >= count(gateway), `${name}: all are there`, 10_000);
      await gateway.stop();
      const records = await verifiedRecords(gateway);
      await eventually(() => receiver.messages().length - before >= records.length, `${name}: the last one is there`, 10_000);
      const messages = receiver.messages().slice(before);
      assertArrived(messages, records);
      assert.ok(messages.every(({ chain, instance }) => chain === records[0].hash && instance === 'gw-1'));
      const denied = messages.find(({ text }) => text.includes('no_matching_rule'));
      assert.equal(denied.priority, '108', 'facility audit, severity warning');
      if (name === 'udp') {
        assert.match(denied.text, /^CEF:0\|Bartizan\|bartizan\|[^|]+\|decision\|no_matching_rule\|5\|/);
        assert.match(denied.text, / suser=tester .* fname=forbidden act=deny reason=no_matching_rule /);
      } else {
        const record = JSON.parse(denied.text);
        assert.deepEqual([record.kind, record.class], [denied.kind, 'security_event']);
      }
    }
  });

  it('syslog-ng takes them, too, over TCP and TLS', { skip: kNoSyslogNg }, async (t) => {
    const certificates = makeCertificates('IP:127.0.0.1');
    const receiver = await SyslogNg.start(t, certificates);
    for (const [name, url] of [['tcp', `tcp://127.0.0.1:${receiver.tcp}`], ['tls', `tls://127.0.0.1:${receiver.tls}`]]) {
      const before = receiver.messages().length;
      const gateway = await startExporting(t, syslogTable(name, url, `tls_ca = "${certificates.caFile}"\n`));
      await makeCalls(gateway, 6);
      await gateway.stop();
      const records = await verifiedRecords(gateway);
      await eventually(() => receiver.messages().length - before >= records.length, `${name}: all are there`, 10_000);
      assertArrived(receiver.messages().slice(before), records);
    }
  });

  it('over TCP a receiver that dies gets a bounded tail again', async (t) => {
    const receiver = await Rsyslog.start(t);
    const gateway = await startExporting(t, syslogTable('tcp', `tcp://127.0.0.1:${receiver.tcp}`));
    await makeCalls(gateway, 6);
    await receiver.stop();
    await makeCalls(gateway, 6);
    await receiver.start();
    await makeCalls(gateway, 3);
    await eventually(() => receiver.messages().some(({ seq }) => seq >= count(gateway)), 'all are there', 20_000);
    await gateway.stop();
    const records = await verifiedRecords(gateway);
    await eventually(() => receiver.messages().some(({ seq }) => seq === records.length), 'the last one is there', 10_000);
    assertAllArrived(receiver.messages(), records);
    assert.ok(receiver.messages().length <= records.length + 256);
  });
});

describe('exports to PostgreSQL', { skip: kNoPostgres }, () => {
  it('each record once, by days; kills of both lose and double nothing', async (t) => {
    const database = await Postgres.start(t);
    let gateway = await startExporting(t, database.table('store'), { environment: database.environment });
    for (let round = 0; round < 3; round += 1) {
      await makeCalls(gateway, 9);
      if (round === 0) await database.kill('SIGKILL');
      await makeCalls(gateway, 3);
      if (round === 1) await gateway.crash();
      if (round === 0) await database.start();
      if (round === 1) gateway = await gateway.again();
    }
    t.after(() => gateway.process.kill('SIGKILL'));
    const rows = () => database.query('SELECT seq, hash FROM bartizan.record ORDER BY seq').catch(() => []);
    await eventually(async () => (await rows()).length >= count(gateway), 'all are there', 30_000);
    await gateway.stop();
    const records = await verifiedRecords(gateway);
    assertArrived((await rows()).map(([seq, hash]) => ({ seq, hash })), records);
    const [[line]] = await database.query(`SELECT line FROM bartizan.record WHERE seq = 2`);
    assert.equal(line, readFileSync(gateway.auditFile, 'utf8').split('\n')[1]);
    const [[refused]] = await database.query(`SELECT count(*) FROM bartizan.record WHERE class = 'security_event' AND reason = 'no_matching_rule' AND principal = 'tester' AND target = 'forbidden'`);
    assert.equal(Number(refused), records.filter(({ reason }) => reason === 'no_matching_rule').length);
    assert.doesNotMatch(gateway.log(), new RegExp(database.password, 'u'));
  });

  it('another record under one identity is kept beside it, and is an alarm', async (t) => {
    const database = await Postgres.start(t);
    const gateway = await startExporting(t, database.table('store'), { environment: database.environment });
    await makeCalls(gateway, 6);
    await gateway.stop();
    const before = await verifiedRecords(gateway);
    await database.query(`UPDATE bartizan.record SET hash = repeat('0', 64) WHERE seq = 4`);
    writeFileSync(`${gateway.auditFile}.export-store`, `bartizan export position 1\n${before[0].hash}\n0:${'0'.repeat(64)}\n`);
    const second = await gateway.again();
    await eventually(async () => /alarms_total\{export="store",cause="conflict"\} 1/.test(await second.metrics()), 'an alarm', 10_000);
    await second.stop();
    assert.deepEqual(await database.query('SELECT seq, hash FROM bartizan.conflict'), [['4', before[3].hash]]);
  });

  it('over TLS it wants the right certificate, and no variable of the environment decides', async (t) => {
    const certificates = makeCertificates('IP:127.0.0.1');
    const database = await Postgres.start(t, { certificates });
    const hostile = { ...database.environment, PGHOSTADDR: '192.0.2.1', PGSSLMODE: 'disable', PGUSER: 'nobody', PGDATABASE: 'nothing', PGOPTIONS: '-c search_path=evil', PGSSLROOTCERT: '/nonexistent' };
    const gateway = await startExporting(t, database.table('store', `tls_ca = "${certificates.caFile}"`), { environment: hostile });
    await makeCalls(gateway, 3);
    await gateway.stop();
    const rows = await database.query('SELECT seq, hash FROM bartizan.record ORDER BY seq');
    assertArrived(rows.map(([seq, hash]) => ({ seq, hash })), await verifiedRecords(gateway));

    const others = makeCertificates('IP:127.0.0.1');
    const second = await startExporting(t, database.table('store', `tls_ca = "${others.caFile}"`), { environment: database.environment });
    await eventually(() => /certificate verify failed/.test(second.log()), 'another authority is refused', 10_000);
    await second.stop();
    assert.equal((await database.query('SELECT count(DISTINCT chain) FROM bartizan.record'))[0][0], '1');
  });
});

describe('a sink that does not answer', () => {
  it('touches no call; closed files wait for it, and not longer than its hold', async (t) => {
    const dead = await freePort();
    const gateway = await startExporting(t, httpTable('dead', 'json_lines', `http://127.0.0.1:${dead}`));
    const began = performance.now();
    await makeCalls(gateway, 30);
    assert.ok(performance.now() - began < 10_000);
    await eventually(() => /export failing/.test(gateway.log()), 'the log says so');
    assert.match(await gateway.metrics(), /bartizan_export_behind_records\{export="dead"\} [1-9]/);
    assert.match(gateway.log(), /nothing is lost meanwhile/);
    await gateway.stop();
    // The next process has somebody who answers, and sends all.
    const receiver = await Receiver.start(t, () => ({}));
    writeFileSync(gateway.configFile, readFileSync(gateway.configFile, 'utf8').replace(`:${dead}`, `:${receiver.port}`));
    const second = await gateway.again();
    await makeCalls(second, 3);
    await second.stop();
    assertArrived(receiver.records(), await verifiedRecords(second));
  });
});

describe('bad exports', () => {
  it('are refused with their place and what to write', async () => {
    const rows = [
      ['[export.x]\nurl = "https://a.example.com"', 'an export needs "type"'],
      ['[export.x]\ntype = "json_lines"', 'an export needs "url"'],
      ['[export.x]\ntype = "json_lines"\nurl = "http://a.example.com/in"', 'without TLS'],
      ['[export.x]\ntype = "syslog"\nurl = "udp://10.0.0.1:514"', 'without TLS'],
      ['[export.x]\ntype = "syslog"\nurl = "https://a.example.com"', 'not a URL of this type'],
      ['[export.x]\ntype = "postgresql"\nurl = "postgresql://ann:secret@db.example.com/audit"\nuser = "ann"', 'not a URL of this type'],
      ['[export.x]\ntype = "postgresql"\nurl = "postgresql://db.example.com/audit"', 'needs "user"'],
      ['[export.x]\ntype = "elastic"\nurl = "https://a.example.com"', 'needs "index"'],
      ['[export.x]\ntype = "splunk"\nurl = "https://a.example.com"', 'needs "token"'],
      ['[export.x]\ntype = "otlp"\nurl = "https://a.example.com"\nformat = "cef"', '"format" is for the type "syslog"'],
      ['[export.x]\ntype = "otlp"\nurl = "https://a.example.com"\nlog_security_events = false', 'security events reach every export'],
      ['[export.x]\ntype = "otlp"\nurl = "https://a.example.com"\ntoken = "abc"', 'env:NAME'],
      ['[audit.heads]\nkey = "env:K"\nexports = ["nowhere"]', 'there is no export "nowhere"'],
      ['[alert.x]\nat_least = "high"', 'either "url" or "command"'],
      ['[alert.x]\ncommand = ["page"]', 'absolute path'],
    ];
    for (const [table, wanted] of rows) {
      const directory = temporaryDirectory();
      const file = join(directory, 'bartizan.toml');
      writeFileSync(file, `version = 1\n[listen]\naddress = "127.0.0.1:1"\n[audit]\nfile = "audit.jsonl"\n${table}\n`);
      const { code, stdout, stderr } = await runProgram('check', '--config', file);
      assert.notEqual(code, 0, table);
      assert.ok((stdout + stderr).includes(wanted), `${table}\n${stdout}${stderr}`);
      assert.match(stdout + stderr, /bartizan\.toml:\d+:\d+/u);
      assert.ok(!(stdout + stderr).includes('secret@'));
    }
  });
});
