// The policies of config/examples, on a machine that has what they name: `bartizan check` finds nothing
// doubtful, and a gateway that runs them lets pass and refuses what they say. The file server is the
// official one, and the lock file has what it lists.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused, textOf } from './assertions.mjs';
import { freePort, kFixtures, kNode, kTestsDirectory, runProgram, startConfigured, temporaryDirectory } from './harness.mjs';
import { kNoNamespaces } from './namespaces.mjs';
import { kFilesystem } from './servers.mjs';
import { LegacySession, responseOf } from './wire.mjs';

const kExamples = resolve(kTestsDirectory, '..', 'config', 'examples');
const kPolicies = readdirSync(kExamples).filter((name) => name.endsWith('.toml') && !name.endsWith('.cases.toml'));
const kLock = JSON.parse(readFileSync(join(kExamples, 'bartizan.lock'), 'utf8'));
const kKey = 'the-key-of-ann-for-tests';

const definitionsOf = (server) => Object.values(kLock.servers[server].tools).map(({ definition }) => definition);

/** A program that exists, which is all that `check` looks for. */
function standIn(file, text = '#!/bin/sh\nexit 1\n') {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}

/** The lock file with the files that it approves below `root`: the stand-ins, as they are written above. */
function movedLock(root) {
  const lock = structuredClone(kLock);
  for (const server of Object.values(lock.servers)) {
    if (!server.executables) continue;
    server.executables = Object.fromEntries(Object.entries(server.executables).map(([path, digest]) => [root + path, digest]));
  }
  return JSON.stringify(lock);
}

/**
 * A machine in a folder: the examples, with every absolute path of theirs below that folder, and folders,
 * programs and secrets in these places. Programs without a path are found in `bin`.
 */
function machine() {
  const root = temporaryDirectory();
  const etc = join(root, 'etc');
  for (const folder of [etc, join(root, 'srv/data')]) mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(kExamples)) {
    const text = readFileSync(join(kExamples, name), 'utf8');
    const moved = text.replace(/"(file:)?\/(srv|usr|opt|run)\//g, (_, scheme = '', top) => `"${scheme}${root}/${top}/`);
    writeFileSync(join(etc, name), name.endsWith('.toml') ? moved : text);
    if (name === 'bartizan.lock') writeFileSync(join(etc, name), movedLock(root));
    for (const [, list] of moved.matchAll(/^executables = \[([^\]]+)\]/gm)) JSON.parse(`[${list}]`).forEach((file) => standIn(file));
    for (const [, file] of moved.matchAll(/^command = \["(\/[^"]+)"/gm)) standIn(file);
    for (const [, file] of moved.matchAll(/"file:([^"]+)"/g)) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, 'a-secret-that-stands-in\n', { mode: 0o600 });
    }
  }
  standIn(join(root, 'bin/postgres-mcp'));
  return { root, file: (name) => join(etc, name), bin: join(root, 'bin') };
}

describe('the policies to start from', () => {
  const place = machine();
  before(() => {
    process.env.PATH = `${place.bin}:${process.env.PATH}`;
  });
  it('are six', () => {
    assert.deepEqual(kPolicies.sort(), ['file-server.toml', 'github.toml', 'limits.toml', 'osquery.toml', 'postgresql.toml', 'reports.toml']);
  });
  for (const name of kPolicies) {
    const skip = name === 'file-server.toml' && kNoNamespaces;
    it(`${name} leaves nothing to be doubted`, { skip }, async () => {
      const { code, stdout, stderr } = await runProgram('check', place.file(name));
      assert.equal(stderr, '');
      assert.equal(code, 0);
      assert.match(stdout, /: ok, .*, 0 warnings$/m);
    });
  }
});

/** Starts a gateway on an example whose server is `command`, and opens a session of ann's. */
async function start(name, command) {
  const place = machine();
  const [port, metricsPort] = [await freePort(), await freePort()];
  const words = JSON.stringify([kNode, ...command(place)]);
  const text = readFileSync(place.file(name), 'utf8')
    .replace(/^sha256 = .*/m, `sha256 = "${createHash('sha256').update(kKey).digest('hex')}"`)
    .replace(/^command = .*/m, `command = ${words}`);
  const addresses = `\n[listen]\naddress = "127.0.0.1:${port}"\n[metrics]\naddress = "127.0.0.1:${metricsPort}"\n`;
  writeFileSync(place.file(name), text + addresses);
  const gateway = await startConfigured(place.file(name), { port, metricsPort });
  const session = await LegacySession.open(gateway.url, { authorization: `Bearer ${kKey}` });
  return { place, gateway, session };
}

async function toolsOf(session) {
  const { result } = responseOf(await session.request(1, 'tools/list', {}));
  return result.tools.map(({ name }) => name).sort();
}

describe('the file server, read-only', { skip: kNoNamespaces }, () => {
  let place;
  let gateway;
  let session;
  before(async () => {
    ({ place, gateway, session } = await start('file-server.toml', ({ root }) => [kFilesystem, join(root, 'srv/data')]));
    const data = join(place.root, 'srv/data');
    writeFileSync(join(data, 'notes.md'), 'remember the milk\n');
    writeFileSync(join(data, '.env.md'), 'TOKEN=1\n');
    writeFileSync(join(place.root, 'srv/outside.md'), 'not yours\n');
  });
  after(() => gateway?.stop());
  const call = (tool, given) => session.call(2, `files_${tool}`, given);

  it('has the tools that the official server lists, definition by definition', () => {
    // Through no gateway, which might list less.
    const say = (id, method, params) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
    const clientInfo = { name: 'story', version: '1.0.0' };
    const lines = execFileSync(kNode, [kFilesystem, place.root], {
      input: say(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }) + say(2, 'tools/list', {}),
      stdio: ['pipe', 'pipe', 'ignore'],
      encoding: 'utf8',
    }).trim().split('\n').map((line) => JSON.parse(line));
    assert.deepEqual(lines.find(({ id }) => id === 2).result.tools, definitionsOf('files'));
  });
  it('shows what reads, and nothing that writes', async () => {
    const reading = definitionsOf('files').filter(({ annotations }) => annotations.readOnlyHint);
    assert.deepEqual(await toolsOf(session), reading.map(({ name }) => `files_${name}`).sort());
  });
  it('reads a document', async () => {
    assert.equal(textOf((await call('read_text_file', { path: 'notes.md' })).result), 'remember the milk\n');
    assert.match(textOf((await call('list_directory', { path: '.' })).result), /notes\.md/);
  });
  const kRefused = [
    ['a path outside', 'read_text_file', { path: '../outside.md' }, 'path_outside_root', '/path'],
    ['an encoded one', 'read_text_file', { path: '%2e%2e/outside.md' }, 'path_outside_root', '/path'],
    ['a hidden file', 'read_text_file', { path: '.env.md' }, 'path_not_allowed', '/path'],
    ['one of several', 'read_multiple_files', { paths: ['notes.md', '../outside.md'] }, 'path_outside_root', '/paths/1'],
    ['what is not a document', 'read_text_file', { path: 'notes' }, 'path_extension_not_allowed', '/path'],
  ];
  for (const [name, tool, given, reason, pointer] of kRefused) {
    it(`refuses ${name}`, async () => {
      const { error } = await call(tool, given);
      assertRefused(error, reason);
      assert.equal(error.data.pointer, pointer);
    });
  }
  it('writes nothing, and says whom to ask', async () => {
    const { error } = await call('write_file', { path: 'notes.md', content: 'gone' });
    assertRefused(error, 'forbidden');
    assert.equal(error.data.policy_rule, 'files-are-read-only');
    assert.match(error.message, /ask data-platform/);
    assert.equal(readFileSync(join(place.root, 'srv/data/notes.md'), 'utf8'), 'remember the milk\n');
  });
});

/** A server that lists the tools of the lock file, without what they promise to answer, and answers every call. */
function listing({ root, file: placed }, server) {
  const file = join(root, 'tools.json');
  const modest = ({ outputSchema, ...rest }) => rest;
  writeFileSync(file, JSON.stringify(definitionsOf(server).map(modest)));
  // What it does not promise is not approved either, or nobody could call it.
  const lock = JSON.parse(readFileSync(placed('bartizan.lock'), 'utf8'));
  for (const tool of Object.values(lock.servers[server].tools)) tool.definition = modest(tool.definition);
  writeFileSync(placed('bartizan.lock'), JSON.stringify(lock));
  return [join(kFixtures, 'listing_server.mjs'), '--tools', file];
}

describe('the limits', () => {
  let gateway;
  let session;
  before(async () => {
    ({ gateway, session } = await start('limits.toml', (place) => listing(place, 'reports')));
  });
  after(() => gateway?.stop());

  it('let the same call pass three times a minute, and another one', async () => {
    const given = { report: 'sales', month: '2027-01', with_personal_data: false };
    for (let count = 0; count < 3; count += 1) textOf((await session.call(10 + count, 'reports_export', given)).result);
    const { error } = await session.call(13, 'reports_export', given);
    assertRefused(error, 'limited');
    assert.equal(error.data.policy_rule, 'same-call');
    assert.ok(error.data.retry_after_ms > 0);
    textOf((await session.call(14, 'reports_export', { ...given, month: '2027-02' })).result);
  });
  it('let a status be asked for as often as it takes', async () => {
    for (let count = 0; count < 5; count += 1) {
      textOf((await session.call(20 + count, 'reports_get_status', { id: 'r-17' })).result);
    }
  });
});

describe('osquery', () => {
  let gateway;
  let session;
  before(async () => {
    ({ gateway, session } = await start('osquery.toml', (place) => listing(place, 'osquery')));
  });
  after(() => gateway?.stop());
  const ask = (given) => session.call(2, 'osquery_query_osquery', given);

  it('is asked about four tables', async () => {
    textOf((await ask({ sql: 'SELECT * FROM processes' })).result);
  });
  const kRefused = [
    ['a command', { sql: '.tables' }, 'sql_malformed', '/sql'],
    ['a flag', { sql: '--config_path=x' }, 'sql_malformed', '/sql'],
    ['another table beside a comment', { sql: 'SELECT * FROM shadow /* users */' }, 'sql_not_allowed', '/sql'],
    ['a clean query beside a dirty one', { query: 'SELECT * FROM users', sql: 'SELECT * FROM shadow' }, 'sql_not_allowed', '/sql'],
  ];
  for (const [name, given, reason, pointer] of kRefused) {
    it(`is not sent ${name}`, async () => {
      const { error } = await ask(given);
      assertRefused(error, reason);
      assert.equal(error.data.pointer, pointer);
    });
  }
});
