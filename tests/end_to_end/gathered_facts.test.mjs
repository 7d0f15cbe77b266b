// What only the world outside can tell: where a path leads on the disk, what a file holds, and where
// a name leads. The text of what is refused here passes by itself.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused, textOf } from './assertions.mjs';
import { runProgram, startGateway, temporaryDirectory, testerAuth } from './harness.mjs';
import { httpServer, kFilesystem, kPlain, notesDirectory, recordedStdioServer } from './servers.mjs';
import { LegacySession } from './wire.mjs';

const kAuth = testerAuth({ trust: 'verified' });
const digestOf = (text) => createHash('sha256').update(text).digest('hex');

/** What reached a server behind `recordedStdioServer`. */
function sentTo(file) {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => Buffer.from(JSON.parse(line).base64, 'base64').toString()).join('');
}

describe('a path that is looked for on the disk', () => {
  const root = notesDirectory();
  const outside = temporaryDirectory();
  const sent = join(temporaryDirectory(), 'received.jsonl');
  const template = join(root, 'template.md');
  let gateway;
  let session;
  let id = 0;
  const kPolicy = `
[path.docs]
root = "${root}"
extensions = [".md"]
deny = ["private"]
resolve = "filesystem"
[path.docs-file]
like = "docs"
kind = "file"
[tool."files/*".arguments]
"/path" = { path = "docs", optional = true }
"/paths/*" = { path = "docs", optional = true }
"/content" = { text = { max_length = 256 }, optional = true }
[tool."files/read_text_file".arguments]
"/path" = { path = "docs-file" }
[tool."files/get_file_info".arguments]
"/path" = { digest = { sha256 = ["${digestOf('approved\n')}"], path = "docs" } }
[rule.testers]
effect = "permit"
roles = ["tester"]
tools = ["files/*"]
`;
  before(async () => {
    mkdirSync(join(root, 'private'));
    mkdirSync(join(root, 'folder.md'));
    writeFileSync(join(root, 'private', 'key.md'), 'canary-private\n');
    writeFileSync(join(outside, 'secret.md'), 'canary-outside\n');
    symlinkSync(join(outside, 'secret.md'), join(root, 'absolute.md'));
    symlinkSync(outside, join(root, 'away'));
    symlinkSync('private/key.md', join(root, 'denied.md'));
    symlinkSync('notes.md', join(root, 'link.md'));
    symlinkSync('nothing.md', join(root, 'dangling.md'));
    writeFileSync(template, 'approved\n');
    const server = recordedStdioServer('files', sent, [kFilesystem, root], `cwd = "${root}"`);
    gateway = await startGateway(server + kPolicy, { auth: kAuth });
    session = await LegacySession.open(gateway.url);
  });
  after(() => gateway?.stop());

  const call = (tool, given) => session.call((id += 1), `files_${tool}`, given);

  it('passes where it leads to what is named, or through a link to what may be', async () => {
    assert.match(textOf((await call('read_text_file', { path: join(root, 'notes.md') })).result), /milk/);
    assert.match(textOf((await call('read_text_file', { path: join(root, 'link.md') })).result), /milk/);
    assert.match(textOf((await call('list_directory', { path: root })).result), /notes\.md/);
  });

  it('passes where there is nothing yet, and the folder is inside', async () => {
    const path = join(root, 'new.md');
    assert.equal((await call('write_file', { path, content: 'new' })).error, undefined);
    assert.equal(readFileSync(path, 'utf8'), 'new');
  });

  const kRefused = [
    ['an absolute link to outside', 'read_text_file', 'absolute.md', 'path_outside_root', /^leads out of the root/],
    ['a link to a folder outside', 'read_text_file', 'away/secret.md', 'path_outside_root', /^leads out of the root/],
    ['a new file outside', 'write_file', 'away/new.md', 'path_outside_root', /^leads out of the root/],
    ['a link to what is denied', 'read_text_file', 'denied.md', 'path_not_allowed', /^is a link to a target whose name is not allowed/],
    ['a folder that is named like a file', 'read_text_file', 'folder.md', 'path_not_allowed', /^is a directory, not a file$/],
    ['a link that leads to nothing', 'read_text_file', 'dangling.md', 'path_unreachable', /a link whose target does not exist$/],
    ['a file as a folder', 'list_directory', 'notes.md/x', 'path_unreachable', /^cannot be reached/],
  ];
  for (const [name, tool, path, reason, detail] of kRefused) {
    it(`is refused as ${name}`, async () => {
      const content = tool === 'write_file' ? { content: 'x' } : {};
      const { error } = await call(tool, { path: join(root, path), ...content });
      assertRefused(error, reason);
      assert.equal(error.data.pointer, '/path');
      assert.match(error.data.detail, detail);
      assert.equal(error.data.retryable, false);
      assert.ok(error.message.includes(`/path ${error.data.detail} (`), error.message);
      const { decision_id: decision } = error.data;
      const record = gateway.records().find(({ kind, decision_id: of }) => kind === 'decision' && of === decision);
      assert.equal(record.detail, `argument /path ${error.data.detail}`);
    });
  }

  it('is refused for what is wrong with the call, before anybody looks', async () => {
    const { error } = await call('write_file', { path: join(root, 'new2.md'), content: 'x'.repeat(257) });
    assertRefused(error, 'argument_not_allowed');
    assert.equal(error.data.pointer, '/content');
  });

  it('is refused among others that pass', async () => {
    const paths = ['notes.md', 'absolute.md'].map((name) => join(root, name));
    const { error } = await call('read_multiple_files', { paths });
    assertRefused(error, 'path_outside_root');
    assert.equal(error.data.pointer, '/paths/1');
  });

  it('is refused among too many', async () => {
    const paths = Array.from({ length: 257 }, (_, i) => join(root, `${i}.md`));
    assertRefused((await call('read_multiple_files', { paths })).error, 'argument_undecidable');
  });

  it('is judged by what is there at the time of the call', async () => {
    const path = join(root, 'swapped.md');
    writeFileSync(path, 'here\n');
    assert.match(textOf((await call('read_text_file', { path })).result), /here/);
    unlinkSync(path);
    symlinkSync(join(outside, 'secret.md'), path);
    assertRefused((await call('read_text_file', { path })).error, 'path_outside_root');
  });

  it('has the digest that is asked for, as long as the file holds that', async () => {
    assert.equal((await call('get_file_info', { path: template })).error, undefined);
    assertRefused((await call('get_file_info', { path: join(root, 'notes.md') })).error, 'argument_not_allowed');
    assertRefused((await call('get_file_info', { path: root })).error, 'path_not_allowed');
    renameSync(template, `${template}.old`);
    writeFileSync(template, 'changed\n');
    const { error } = await call('get_file_info', { path: template });
    assertRefused(error, 'argument_not_allowed');
    assert.equal(error.data.pointer, '/path');
  });

  it('never reached the server where it was refused', () => {
    const text = sentTo(sent);
    for (const name of ['absolute.md', 'away', 'denied.md', 'folder.md']) assert.ok(!text.includes(name), name);
  });
});

describe('a root that cannot be looked into', () => {
  const config = (root, server) => {
    const file = join(temporaryDirectory(), 'bartizan.toml');
    writeFileSync(file, `version = 1
audit.file = "${join(temporaryDirectory(), 'audit.jsonl')}"
[auth.stdio]
principal = "ann"
[principal.ann]
roles = ["tester"]
[role.tester]
${server}
[path.docs]
root = "${root}"
resolve = "filesystem"
[tool."files/*".arguments]
"/path" = { path = "docs" }
[rule.testers]
effect = "permit"
roles = ["tester"]
tools = ["files/*"]
`);
    return file;
  };

  it('is an error before anything starts', async () => {
    const missing = join(temporaryDirectory(), 'missing');
    const { code, stdout, stderr } = await runProgram('check', config(missing, '[server.files]\ncommand = ["/bin/cat"]'));
    assert.notEqual(code, 0);
    assert.match(stdout + stderr, /error: resolve = "filesystem" of \[path\.docs\].*the root cannot be opened/);
  });

  it('is an error where the server is elsewhere', async () => {
    const server = httpServer('files', 'https://files.example.com/mcp');
    const { code, stdout, stderr } = await runProgram('check', config(temporaryDirectory(), server));
    assert.notEqual(code, 0);
    assert.match(stdout + stderr, /error: server "files" runs elsewhere/);
  });
});

describe('a URL whose name is looked up', () => {
  const sent = join(temporaryDirectory(), 'received.jsonl');
  let gateway;
  let session;
  let id = 0;
  const kPolicy = `
[url.own]
schemes = ["http"]
hosts = ["**"]
private_networks = "allow"
resolve = true
[url.others]
schemes = ["http"]
hosts = ["**"]
resolve = true
[tool."plain/big_echo".arguments]
"/text" = { url = "own" }
[tool."other/big_echo".arguments]
"/text" = { url = "others" }
[rule.testers]
effect = "permit"
roles = ["tester"]
tools = ["plain/*", "other/*"]
`;
  before(async () => {
    const servers = recordedStdioServer('plain', sent, [kPlain]) + recordedStdioServer('other', sent, [kPlain]);
    gateway = await startGateway(servers + kPolicy, { auth: kAuth });
    session = await LegacySession.open(gateway.url);
  });
  after(() => gateway?.stop());

  const call = (text, server = 'plain') => session.call((id += 1), `${server}_big_echo`, { text });

  it('passes where its name leads to what may be reached, and the record says where', async () => {
    const url = 'http://localhost/canary-path';
    assert.equal(textOf((await call(url)).result), url);
    const record = gateway.records().findLast((one) => one.kind === 'decision' && one.decision === 'permit');
    assert.ok(record.addresses.includes('127.0.0.1') || record.addresses.includes('::1'));
    assert.ok(!JSON.stringify(record).includes('canary-path'));
  });

  it('needs no look where it is an address', async () => {
    assert.equal(textOf((await call('http://127.0.0.1/')).result), 'http://127.0.0.1/');
    const record = gateway.records().findLast((one) => one.kind === 'decision' && one.decision === 'permit');
    assert.equal(record.addresses, undefined);
  });

  it('is refused where this machine may not be reached', async () => {
    assertRefused((await call('http://localhost/', 'other')).error, 'url_private');
  });

  it('is refused where nobody can tell where it leads', async () => {
    const { error } = await call('http://no-such-host.invalid/');
    assertRefused(error, 'url_unresolved');
    assert.equal(error.data.pointer, '/text');
    assert.equal(error.data.retryable, true);
    assert.ok(!sentTo(sent).includes('no-such-host'));
    assert.ok(!JSON.stringify(gateway.records()).includes('no-such-host'));
  });
});
