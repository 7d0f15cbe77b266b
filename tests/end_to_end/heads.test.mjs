// Signed heads: what they prove, what every change of a record is called, and receipts of single calls.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { eventually } from './assertions.mjs';
import { makeCalls, Receiver, startExporting } from './export_stage.mjs';
import { kNode, kTestsDirectory, runProgram, temporaryDirectory } from './harness.mjs';

const kDocs = resolve(kTestsDirectory, '..', 'docs');
const kPython = join(kTestsDirectory, '..', 'build', 'python', 'bin', 'python');

function makeKey(directory, name = 'heads') {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const [file, publicFile] = [join(directory, `${name}.pem`), join(directory, `${name}.pub.pem`)];
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  writeFileSync(publicFile, publicKey.export({ type: 'spki', format: 'pem' }));
  return { file, publicFile, privateKey };
}

/** A gateway whose heads are signed each second. */
async function start(t, { tables = '', more = '', audit = '' } = {}) {
  const folder = temporaryDirectory();
  const key = makeKey(folder);
  const heads = join(folder, 'heads');
  const gateway = await startExporting(t, tables, {
    auditFolder: 'record',
    audit: `${audit}[audit.heads]\nkey = "file:${key.file}"\nevery = "1s"\nfile = "${heads}"\n${more}`,
  });
  return { gateway, key, heads, folder };
}

const verify = ({ key, heads }, file, ...more) => runProgram('audit', 'verify', file, '--heads', heads, '--head-key', key.publicFile, ...more);
const claimsOf = (jws) => JSON.parse(Buffer.from(jws.split('.')[1], 'base64url'));
const linesOf = (file) => readFileSync(file, 'utf8').split('\n').filter(Boolean);

/** A copy of the record with its closed files, in a folder of its own. */
function copyOf(gateway) {
  const folder = join(temporaryDirectory(), 'copy');
  cpSync(join(gateway.auditFile, '..'), folder, { recursive: true });
  return { folder, file: join(folder, basename(gateway.auditFile)) };
}

const closedFiles = (folder) => readdirSync(folder).filter((name) => /^audit-\d.*\.jsonl$/u.test(name)).sort().map((name) => join(folder, name));

/** Links bodies into a chain that agrees with itself. */
function chainOf(bodies, { seq = 0, hash = '0'.repeat(64) } = {}) {
  let prev = hash;
  return bodies.map((body, at) => {
    const number = Buffer.alloc(8);
    number.writeBigUInt64BE(BigInt(seq + at + 1));
    const digest = createHash('sha256').update(body).digest();
    const next = createHash('sha256').update(Buffer.from(prev, 'hex')).update(number).update(digest).digest('hex');
    const line = `{${body},"seq":${seq + at + 1},"prev":"${prev}","hash":"${next}"}`;
    prev = next;
    return line;
  });
}
const bodyOf = (line) => line.slice(1, line.indexOf(',"seq":'));

describe('signed heads', () => {
  it('say up to where a record is complete, and when that was', async (t) => {
    const receiver = await Receiver.start(t, () => ({}));
    const stage = await start(t, { tables: `[export.lines]\ntype = "json_lines"\nurl = "${receiver.url}"\n`, more: 'exports = ["lines"]\n' });
    const { gateway, heads } = stage;
    await makeCalls(gateway, 6);
    await eventually(() => existsSync(heads) && linesOf(heads).length >= 2, 'heads are signed', 10_000);
    await gateway.stop();
    const newest = linesOf(heads).at(-1);
    const claims = claimsOf(newest);
    const records = gateway.records();
    assert.deepEqual([claims.instance, claims.chain, claims.seq, claims.hash], ['gw-1', records[0].hash, records.length, records.at(-1).hash]);
    assert.ok(receiver.records().some(({ kind, jws }) => kind === 'signed_head' && jws === newest), 'exports get them, too');

    const { code, stdout, stderr } = await verify(stage, gateway.auditFile, '--max-age', '1h');
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, new RegExp(`^complete to head ${records.length}, signed at \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$`, 'mu'));
    const asJson = JSON.parse((await verify(stage, gateway.auditFile, '--newest-head', newest, '--json')).stdout);
    assert.deepEqual([asJson.intact, asJson.chain], [true, records[0].hash]);
    assert.equal(asJson.signed_head, `${claims.seq}:${claims.hash}`);

    // Without either nobody knows whether there was a newer head.
    const doubtful = await verify(stage, gateway.auditFile);
    assert.equal(doubtful.code, 1);
    assert.match(doubtful.stderr, /give --max-age, or --newest-head/);
    await delay(2100);
    const old = await verify(stage, gateway.auditFile, '--max-age', '1s');
    assert.equal(old.code, 1);
    assert.match(old.stderr, /the newest head is .* old, and --max-age allows 1s/);
  });

  it('name the first bad place of each change, and none where nothing was changed', async (t) => {
    const stage = await start(t, { audit: 'rotate = { size = "4 KiB", age = "24h" }\n' });
    const { gateway, key, heads } = stage;
    await makeCalls(gateway, 24);
    await eventually(() => closedFiles(join(gateway.auditFile, '..')).length >= 2, 'files were closed', 10_000);
    await gateway.stop();
    const headLines = linesOf(heads);
    const stranger = makeKey(stage.folder, 'stranger');
    const { seq, hash } = claimsOf(headLines.at(-1));
    const forge = (claims, privateKey = createPrivateKey(readFileSync(key.file))) => {
      const [header] = headLines[0].split('.');
      const input = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
      return `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`;
    };
    const edit = (file, change) => writeFileSync(file, `${change(linesOf(file)).join('\n')}\n`);
    const rows = [
      ['nothing', () => {}, null],
      ['a flipped letter', ({ file }) => edit(file, (lines) => lines.with(1, lines[1].replace('"time":"20', '"time":"19'))), /audit\.jsonl:\d+: /u],
      ['a dropped record', ({ file }) => edit(file, (lines) => lines.toSpliced(1, 1)), /audit\.jsonl:2: /u],
      ['a record that is put in', ({ file }) => edit(file, (lines) => lines.toSpliced(1, 0, lines[0])), /audit\.jsonl:2: /u],
      ['two that change places', ({ file }) => edit(file, (lines) => [lines[0], lines[2], lines[1], ...lines.slice(3)]), /audit\.jsonl:2: /u],
      ['an end that is cut off', ({ file }) => edit(file, (lines) => lines.slice(0, -1)), /truncated|ends before|cut/iu],
      ['a closed file that is gone', ({ folder }) => rmSync(closedFiles(folder)[0]), /missing|begins with record/iu],
      [
        'a record that is rolled back to a closed file',
        ({ folder, file }) => {
          const [first, ...others] = closedFiles(folder);
          for (const other of others) rmSync(other);
          cpSync(first, file);
          rmSync(first);
        },
        /truncated|ends before|cut|chain/iu,
      ],
      [
        'a chain that is made anew',
        ({ folder, file }) => {
          const all = [...closedFiles(folder), file].flatMap(linesOf).map(bodyOf);
          for (const closed of closedFiles(folder)) rmSync(closed);
          const kept = all.filter((body) => !/"kind":"file_(?:begin|end)"/u.test(body)).map((body) => body.replace('no_matching_rule', 'limited'));
          writeFileSync(file, `${chainOf(kept).join('\n')}\n`);
        },
        /of another chain|has another hash|truncated/u,
      ],
      [
        'an end that is made anew from a record on',
        ({ file }) =>
          edit(file, (lines) => {
            const last = JSON.parse(lines[1]);
            return [...lines.slice(0, 2), ...chainOf(lines.slice(2).map((line) => bodyOf(line).replace('"time":"20', '"time":"19')), last)];
          }),
        /has another hash than the record|another/iu,
      ],
      ['heads of another key', ({ folder }) => writeFileSync(join(folder, 'heads'), `${forge({ ...claimsOf(headLines[0]), seq, hash }, stranger.privateKey)}\n`), /line 1: /u],
      ['a head that was edited', ({ folder }) => writeFileSync(join(folder, 'heads'), `${headLines[0].replace(/\.[^.]+\./u, `.${Buffer.from(JSON.stringify({ ...claimsOf(headLines[0]), seq: 1 })).toString('base64url')}.`)}\n`), /line 1: /u],
      ['a head of the future', ({ folder }) => writeFileSync(join(folder, 'heads'), `${forge({ ...claimsOf(headLines.at(-1)), iat: 4_000_000_000 })}\n`), /signed in the future/u],
      ['a head of another chain', ({ folder }) => writeFileSync(join(folder, 'heads'), `${forge({ ...claimsOf(headLines.at(-1)), chain: '1'.repeat(64) })}\n`), /of another chain/u],
    ];
    for (const [name, change, wanted] of rows) {
      const copy = copyOf(gateway);
      cpSync(heads, join(copy.folder, 'heads'));
      change(copy);
      const { code, stdout, stderr } = await verify({ key, heads: join(copy.folder, 'heads') }, copy.file, '--max-age', '1h');
      assert.equal(code, wanted === null ? 0 : 1, `${name}: ${stdout}${stderr}`);
      if (wanted !== null) assert.match(stderr, wanted, name);
    }
  });

  it('a program gets each, and a file that cannot be written is said once', async (t) => {
    const folder = temporaryDirectory();
    const [program, got] = [join(folder, 'keep'), join(folder, 'got')];
    writeFileSync(program, `#!/bin/sh\ncat >> ${got}\n`);
    chmodSync(program, 0o755);
    const key = makeKey(folder);
    const gateway = await startExporting(t, '', { audit: `[audit.heads]\nkey = "file:${key.file}"\nevery = "1s"\ncommand = ["${program}"]\n` });
    await eventually(() => existsSync(got) && linesOf(got).length >= 2, 'the program has heads', 10_000);
    await gateway.stop();
    assert.ok(linesOf(got).every((jws) => claimsOf(jws).instance === 'gw-1'));

    const second = await startExporting(t, '', { audit: `[audit.heads]\nkey = "file:${key.file}"\nevery = "1s"\nfile = "/nonexistent/heads"\n` });
    await eventually(() => /signed head not kept/.test(second.log()), 'the log says so', 10_000);
    await makeCalls(second, 3);
    await second.stop();
    assert.equal(second.log().match(/signed head not kept/gu).length, 1);
  });
});

describe('a roster', () => {
  it('names what is missing, unknown and forked', async (t) => {
    const stage = await start(t);
    await makeCalls(stage.gateway, 3);
    await stage.gateway.stop();
    const other = await start(t);
    await other.gateway.stop();
    const folder = join(temporaryDirectory(), 'all');
    const put = (gateway, name) => {
      mkdirSync(join(folder, name), { recursive: true });
      cpSync(gateway.auditFile, join(folder, name, 'audit.jsonl'));
    };
    const [one, two] = [stage.gateway, other.gateway].map((gateway) => gateway.records()[0].hash);
    const roster = join(folder, 'roster');
    put(stage.gateway, 'a');
    put(other.gateway, 'b');
    const ask = async (text) => {
      writeFileSync(roster, text);
      return runProgram('audit', 'verify', folder, '--roster', roster);
    };
    const good = await ask(`# gateways\ngw-1 ${one}\ngw-2 ${two}\n`);
    assert.equal(good.code, 0, good.stdout + good.stderr);
    const unknown = await ask(`gw-1 ${one}\n`);
    assert.equal(unknown.code, 1);
    assert.match(unknown.stdout, new RegExp(`b/audit\\.jsonl: UNKNOWN: .*${two}`, 'u'));
    const missing = await ask(`gw-1 ${one}\ngw-2 ${two}\ngw-3 ${'3'.repeat(64)}\n`);
    assert.equal(missing.code, 1);
    assert.match(missing.stdout, /^gw-3: MISSING/mu);
    // A copy that is only older is no fork; one that went on by itself is.
    put(stage.gateway, 'c');
    const copy = join(folder, 'c', 'audit.jsonl');
    const lines = linesOf(copy);
    writeFileSync(copy, `${lines.slice(0, 3).join('\n')}\n`);
    assert.equal((await ask(`gw-1 ${one}\ngw-2 ${two}\n`)).code, 0);
    writeFileSync(copy, `${[...lines.slice(0, 3), ...chainOf([bodyOf(lines[3]).replace('"time":"20', '"time":"19')], JSON.parse(lines[2]))].join('\n')}\n`);
    const forked = await ask(`gw-1 ${one}\ngw-2 ${two}\n`);
    assert.equal(forked.code, 1);
    assert.match(forked.stdout, /^gw-1: FORKED: .*a\/audit\.jsonl and .*c\/audit\.jsonl/mu);
    const nowhere = await runProgram('audit', 'verify', '--roster', join(folder, 'roster'), join(folder, 'nothing-there'));
    assert.match(nowhere.stderr, /nothing-there is not a folder/u);
    const bad = await ask('gw-1 nothing\n');
    assert.equal(bad.code, 1);
    assert.match(bad.stderr, /roster:1: write NAME and CHAIN/);
  });
});

describe('a receipt', () => {
  const readers = [
    ['node', (...given) => [kNode, [join(kDocs, 'verify-receipt.mjs'), ...given]]],
    ['python', (...given) => [kPython, [join(kDocs, 'verify-receipt.py'), ...given]]],
  ];
  const read = (reader, ...given) =>
    new Promise((done) => {
      const [command, list] = reader(...given);
      execFile(command, list, (error, stdout, stderr) => done({ code: error?.code ?? 0, stdout, stderr }));
    });

  it('proves one call to whoever has the public key, and no changed one', async (t) => {
    const stage = await start(t);
    const { gateway, key, heads, folder } = stage;
    await makeCalls(gateway, 6);
    await gateway.stop();
    const call = gateway.records().find(({ reason }) => reason === 'no_matching_rule');
    const { code, stdout, stderr } = await runProgram('audit', 'receipt', call.decision_id, gateway.auditFile, '--heads', heads, '--head-key', key.publicFile);
    assert.equal(code, 0, stderr);
    const receipt = JSON.parse(stdout);
    const file = join(folder, 'receipt.json');
    const stranger = makeKey(folder, 'stranger');
    const shown = receipt.links.findIndex(({ body }) => body !== undefined);
    const hidden = receipt.links.findIndex(({ digest }) => digest !== undefined);
    const changed = (change) => {
      const copy = structuredClone(receipt);
      change(copy);
      return copy;
    };
    const rows = [
      ['nothing', receipt, key.publicFile, true],
      ['the body', changed((copy) => (copy.links[shown].body = copy.links[shown].body.replace('tester', 'nobody'))), key.publicFile, false],
      ['a digest', changed((copy) => (copy.links[hidden].digest = copy.links[hidden].digest.replace(/^./u, (digit) => (digit === '0' ? '1' : '0')))), key.publicFile, false],
      ['a link less', changed((copy) => copy.links.splice(hidden, 1)), key.publicFile, false],
      ['another number', changed((copy) => (copy.seq += 1)), key.publicFile, false],
      ['another hash before', changed((copy) => (copy.prev = 'f'.repeat(64))), key.publicFile, false],
      ['another key', receipt, stranger.publicFile, false],
      ['a head that was edited', changed((copy) => (copy.head = copy.head.replace(/\.[^.]+\./u, `.${Buffer.from(JSON.stringify({ ...claimsOf(copy.head), iat: 1 })).toString('base64url')}.`))), key.publicFile, false],
      ['no record', changed((copy) => (copy.links = copy.links.map(({ digest, body }) => ({ digest: digest ?? createHash('sha256').update(body).digest('hex') })))), key.publicFile, false],
    ];
    for (const [reader, command] of readers) {
      if (reader === 'python' && !existsSync(kPython)) {
        t.diagnostic('SKIPPED: Python programs are not installed');
        continue;
      }
      const away = await read(command, join(folder, 'no-receipt.json'), key.publicFile);
      assert.equal(away.code, 1, reader);
      assert.match(away.stderr, /^cannot read .*no-receipt\.json: .+\n$/u, reader);
      for (const text of ['', '[]', '{"receipt":1}', '{"receipt":1,"seq":1,"prev":"zz","links":[],"head":"a.b.c"}']) {
        writeFileSync(file, text);
        const { code, stderr } = await read(command, file, key.publicFile);
        assert.equal(code, 1, `${reader} ${text}`);
        assert.match(stderr, /^NOT PROVEN: .+\n$/u, `${reader} ${text}`);
      }
      for (const [name, document, publicFile, isProven] of rows) {
        writeFileSync(file, JSON.stringify(document));
        const said = await read(command, file, publicFile);
        assert.equal(said.code === 0, isProven, `${reader}, ${name}: ${said.stdout}${said.stderr}`);
        if (isProven) {
          assert.match(said.stdout, new RegExp(`"decision_id":"${call.decision_id}".*no_matching_rule`, 'u'));
          assert.match(said.stdout, /^proven by head \d+ of chain [0-9a-f]{64}, signed at /mu);
        } else assert.match(said.stderr, /NOT PROVEN/u, `${reader}, ${name}`);
      }
    }
  });

  it('is refused where no signed head covers the call', async (t) => {
    const { gateway, key, heads } = await start(t);
    await makeCalls(gateway, 3);
    await gateway.stop();
    // A part of an id that several have lists them; wrong usage is no failure.
    const several = await runProgram('audit', 'receipt', '0', gateway.auditFile, '--heads', heads, '--head-key', key.publicFile);
    assert.equal(several.code, 1);
    assert.match(several.stderr, /several decision ids begin with 0; give one:\n {2}\S/u);
    for (const given of [[], ['--heads', heads]]) {
      assert.equal((await runProgram('audit', 'receipt', '0', gateway.auditFile, ...given)).code, 2, given.join(' '));
    }
    const { decision_id: id } = gateway.records().find(({ reason }) => reason === 'no_matching_rule');
    writeFileSync(heads, `${linesOf(heads).filter((jws) => claimsOf(jws).seq < 3).join('\n')}\n`);
    const { code, stderr } = await runProgram('audit', 'receipt', id, gateway.auditFile, '--heads', heads, '--head-key', key.publicFile);
    assert.equal(code, 1);
    assert.match(stderr, /no signed head covers record \d+ yet|contains no head/u);
    assert.match((await runProgram('audit', 'receipt', 'zz', gateway.auditFile, '--heads', heads, '--head-key', key.publicFile)).stderr, /no decision has the id/);
  });
});
