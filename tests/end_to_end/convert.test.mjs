// `bartizan convert`: a Groundhog configuration becomes one of the gateway, which is checked and run.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { describe, it } from 'node:test';

import { eventually } from './assertions.mjs';
import { makeCertificates } from './certificates.mjs';
import { freePort, kFixtures, runProgram, startConfigured, temporaryDirectory } from './harness.mjs';

const kFolder = join(kFixtures, 'seeds', 'groundhog');
const kDocumented = join(kFolder, 'documented.toml');
const kMended = join(kFolder, 'mended.toml');

/** Writes a fixture with other values of some keys. */
function edited(directory, values) {
  let text = readFileSync(kMended, 'utf8');
  for (const [key, value] of Object.entries(values)) {
    const changed = text.replace(new RegExp(`^${key} = .*$`, 'm'), `${key} = ${JSON.stringify(value)}`);
    assert.notEqual(changed, text, key);
    text = changed;
  }
  const file = join(directory, 'groundhog.toml');
  writeFileSync(file, text);
  return file;
}

describe('convert', () => {
  it('refuses the database of the document, and writes nothing', async () => {
    const output = join(temporaryDirectory(), 'gateway.toml');
    const { code, stdout, stderr } = await runProgram('convert', kDocumented, '--output', output);
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /database_url: .*holds a password.*"file:/);
    assert.match(stderr, /documented\.toml:\d+:\d+: mcp\.protocol\.transport\.host: \[listen\] address = "127\.0\.0\.1:8080"$/m);
    assert.match(stderr, /^1 key refused, so nothing was written$/m);
    assert.ok(!stderr.includes('user:pass'));
    assert.ok(!existsSync(output));
  });

  it('says the same in JSON', async () => {
    const { code, stdout, stderr } = await runProgram('convert', kDocumented, '--json');
    assert.equal(code, 1);
    assert.equal(stderr, '');
    const said = JSON.parse(stdout);
    assert.deepEqual([said.ok, said.refused, said.config, said.notes], [false, 1, undefined, []]);
    const refused = said.keys.filter((key) => key.refused);
    assert.deepEqual(refused.map(({ key }) => key.split('.').at(-1)), ['database_url']);
    assert.ok(refused.every(({ where, instead }) => /documented\.toml:\d+:\d+$/.test(where) && instead));
    assert.ok(said.keys.filter((key) => !key.refused).every(({ became }) => became));
    assert.ok(!stdout.includes('user:pass'));
  });

  it('writes a file of its owner, and never over another', async () => {
    const output = join(temporaryDirectory(), 'gateway.toml');
    const first = await runProgram('convert', kMended, '--output', output);
    assert.equal(first.code, 0, first.stderr);
    assert.equal(first.stdout, '');
    assert.equal(statSync(output).mode & 0o777, 0o600);
    const written = readFileSync(output, 'utf8');
    const again = await runProgram('convert', kMended, '--output', output);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /exists already, and is not replaced/);
    assert.equal(readFileSync(output, 'utf8'), written);

    const shown = await runProgram('convert', kMended);
    assert.deepEqual([shown.code, shown.stdout], [0, written]);
    const said = JSON.parse((await runProgram('convert', kMended, '--json')).stdout);
    assert.deepEqual([said.ok, said.config], [true, written]);
    for (const note of said.notes) assert.ok(shown.stderr.includes(`note: ${note}\n`));
  });

  it('says why a file cannot be read or a name cannot be used', async () => {
    const missing = await runProgram('convert', '/missing.toml');
    assert.deepEqual([missing.code, missing.stdout], [1, '']);
    assert.match(missing.stderr, /bartizan convert: cannot read "\/missing\.toml": no such file/);
    const named = await runProgram('convert', kMended, '--allowed-host', 'https://gateway');
    assert.equal(named.code, 1);
    assert.match(named.stderr, /--allowed-host requires a name or an address/);
    const directory = temporaryDirectory();
    const nowhere = await runProgram('convert', kMended, '--output', join(directory, 'no', 'gateway.toml'));
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.stderr, /cannot write .*gateway\.toml: No such file or directory/);
  });
});

describe('what convert wrote', () => {
  it('passes check, which says what this machine lacks', async () => {
    const output = join(temporaryDirectory(), 'gateway.toml');
    await runProgram('convert', kMended, '--output', output);
    const { code, stdout, stderr } = await runProgram('check', output);
    assert.equal(code, 0, stdout + stderr);
    assert.match(stderr, /nobody can authenticate/);
    assert.match(stderr, /\/etc\/groundhog\/certs/);
    assert.match(stdout, /limit everyone: 1000\/s, 60000\/min/);
    assert.match(stdout, /limit tool: 5\/s, 300\/min for each tool/);
  });

  it('runs, and lets nobody in before there is a key', async (t) => {
    const directory = temporaryDirectory();
    const [port, metricsPort] = [await freePort(), await freePort()];
    const certificates = makeCertificates('IP:127.0.0.1');
    const { certFile, keyFile, caFile } = certificates;
    mkdirSync(join(directory, 'log'));
    const source = edited(directory, { port, cert_file: certFile, key_file: keyFile, ca_file: caFile, file_path: 'log/mcp-audit.log' });
    const config = join(directory, 'gateway.toml');
    const converted = await runProgram('convert', source, '--output', config);
    assert.equal(converted.code, 0, converted.stderr);
    writeFileSync(config, `${readFileSync(config, 'utf8')}\n[metrics]\naddress = "127.0.0.1:${metricsPort}"\n`);
    const checked = await runProgram('check', config);
    assert.equal(checked.code, 0, checked.stderr);
    assert.doesNotMatch(checked.stderr, /on this machine|certificate/);

    const gateway = await startConfigured(config, { port, metricsPort, record: 'log/mcp-audit.log' });
    t.after(() => gateway.stop());
    const answer = await askForWebSocket(port, readFileSync(caFile));
    assert.match(answer, /^HTTP\/1\.1 401 /);
    const isRefusal = ({ kind, reason }) => kind === 'refusal' && reason === 'unauthenticated';
    await eventually(() => gateway.records().some(isRefusal), 'the refusal is on record');
  });
});

/** The head of the answer to who shows no key. */
function askForWebSocket(port, ca) {
  const head = ['GET /mcp HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Connection: Upgrade', 'Upgrade: websocket'];
  const more = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Protocol: mcp'];
  return new Promise((done, fail) => {
    const socket = connect({ port, host: '127.0.0.1', ca }, () => socket.write(`${[...head, ...more].join('\r\n')}\r\n\r\n`));
    socket.once('data', (bytes) => {
      socket.destroy();
      done(bytes.toString());
    });
    socket.once('error', fail);
  });
}
