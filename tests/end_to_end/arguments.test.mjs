// What arguments may say, by predicate: what passes reaches the official file server and is answered
// by it, what does not is refused with its reason and its place, and reaches nobody.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused, textOf } from './assertions.mjs';
import { startGateway, temporaryDirectory, testerAuth } from './harness.mjs';
import { kFilesystem, kPlain, kQuery, notesDirectory, recordedStdioServer } from './servers.mjs';
import { LegacySession } from './wire.mjs';

const root = notesDirectory();
const received = join(temporaryDirectory(), 'received.jsonl');
const kPolicy = `
[path.notes]
root = "${root}"
[tool."files/*".arguments]
"/path" = { path = "notes", optional = true }
"/head" = { number = { min = 1, max = 10000 }, optional = true }
"/tail" = { absent = true }
"/sortBy" = { one_of = ["size", "date"], optional = true }
"/pattern" = { text = { max_length = 16, matches = '[\\w.*]+' }, optional = true }
"/excludePatterns/*" = { text = { max_length = 16 }, optional = true }
[rule.testers-read]
effect = "permit"
roles = ["tester"]
tools = ["files/read_text_file", "files/list_directory_with_sizes", "files/search_files"]
`;
const kAuth = testerAuth({ trust: 'verified' });
const kNote = join(root, 'notes.md');

const kPathPolicy = `
[path.docs]
root = "ROOT"
extensions = [".md", ".txt"]
hidden = "refuse"
[path.docs-file]
like = "docs"
kind = "file"
[tool."files/*".arguments]
"/path" = { path = "docs" }
[tool."files/read_*".arguments]
"/path" = { path = "docs-file" }
[rule.testers-read]
effect = "permit"
roles = ["tester"]
tools = ["files/read_text_file", "files/list_directory"]
`;

const kUrlPolicy = `
[url.pages]
hosts = ["docs.example.com", "**.example.org"]
ports = [443, 8443]
[tool."plain/*".arguments]
"/text" = { url = "pages" }
[rule.testers-echo]
effect = "permit"
roles = ["tester"]
tools = ["plain/*"]
`;

// The second example of the design.
const kSqlPolicy = `
[sql.four-tables]
dialect = "sqlite"
tables = ["system_info", "processes", "users", "listening_ports"]
functions = ["count", "lower", "upper", "length"]
first_byte = "keyword"
[tool."osquery/query_osquery".arguments]
"/sql"   = { sql = "four-tables", optional = true }
"/query" = { sql = "four-tables", optional = true }
[rule.testers-query]
effect = "permit"
roles = ["tester"]
tools = ["osquery/query_osquery"]
`;

const kCommandPolicy = `
[command.look]
programs = ["git", "ls", "echo", "sh", "rm"]
syntax = ["pipes"]
[command.look.arguments]
git = ["status|log", "--oneline", "-n", '\\d+']
[tool."plain/*".arguments]
"/text" = { command = "look" }
[rule.testers-echo]
effect = "permit"
roles = ["tester"]
tools = ["plain/*"]
`;

describe('predicates on arguments', () => {
  let gateway;
  let session;
  let id = 0;
  before(async () => {
    const server = recordedStdioServer('files', received, [kFilesystem, root], `cwd = "${root}"`);
    gateway = await startGateway(server + kPolicy, { auth: kAuth });
    session = await LegacySession.open(gateway.url);
  });
  after(() => gateway?.stop());

  const call = (tool, given) => session.call((id += 1), `files_${tool}`, given);

  const kAllowed = [
    ['no optional argument', 'read_text_file', { path: kNote }, /milk/],
    ['a number of the range', 'read_text_file', { path: kNote, head: 1 }, /milk/],
    ['one of the values', 'list_directory_with_sizes', { path: root, sortBy: 'size' }, /notes\.md/],
    ['a text of the form', 'search_files', { path: root, pattern: '*.md', excludePatterns: ['a', '*.txt'] }, /notes\.md/],
    ['no element', 'search_files', { path: root, pattern: 'notes.md', excludePatterns: [] }, /notes\.md/],
  ];
  for (const [name, tool, given, want] of kAllowed) {
    it(`lets pass ${name}`, async () => {
      assert.match(textOf((await call(tool, given)).result), want);
    });
  }

  const kRefused = [
    ['a number below', 'read_text_file', { path: kNote, head: 0 }, 'argument_not_allowed', '/head'],
    ['a number above', 'read_text_file', { path: kNote, head: 10001 }, 'argument_not_allowed', '/head'],
    ['a value of the schema that is none of ours', 'list_directory_with_sizes', { path: root, sortBy: 'name' }, 'argument_not_allowed', '/sortBy'],
    ['an argument that must be absent', 'read_text_file', { path: kNote, tail: 1 }, 'argument_not_absent', '/tail'],
    ['a pattern of other characters', 'search_files', { path: root, pattern: '../x' }, 'argument_not_allowed', '/pattern'],
    ['one long element', 'search_files', { path: root, pattern: 'x', excludePatterns: ['a', 'b'.repeat(17)] }, 'argument_not_allowed', '/excludePatterns/1'],
    ['a path outside beside a good number', 'read_text_file', { path: '/etc/passwd', head: 1 }, 'path_outside_root', '/path'],
    ['what nothing names', 'read_text_file', { path: kNote, encoding: 'x' }, 'argument_unguarded', '/encoding'],
  ];
  for (const [name, tool, given, reason, pointer] of kRefused) {
    it(`refuses ${name}`, async () => {
      const { error } = await call(tool, given);
      const decision = assertRefused(error, reason);
      assert.equal(error.data.pointer, pointer);
      const record = gateway.records().find(({ kind, decision_id: of }) => kind === 'decision' && of === decision);
      // A name that neither policy nor schema has is the client's own.
      assert.deepEqual([record.reason, record.detail], [reason, `argument ${pointer === '/encoding' ? '/*' : pointer}`]);
    });
  }

  it('sent the server what was let pass and nothing else', () => {
    assert.ok(existsSync(received));
    const lines = readFileSync(received, 'utf8').split('\n').filter(Boolean);
    const messages = lines.map((line) => JSON.parse(Buffer.from(JSON.parse(line).base64, 'base64').toString()));
    const calls = messages.filter(({ method }) => method === 'tools/call');
    assert.deepEqual(calls.map(({ params }) => params.arguments), kAllowed.map(([, , given]) => given));
  });
});

describe('a path as an argument, on the oldest wire', () => {
  const directory = notesDirectory();
  const sent = join(temporaryDirectory(), 'received.jsonl');
  mkdirSync(join(directory, 'src', 'main', 'java'), { recursive: true });
  let gateway;
  let session;
  let id = 0;
  before(async () => {
    const server = recordedStdioServer('files', sent, [kFilesystem, directory], `cwd = "${directory}"`);
    const policy = kPathPolicy.replace('ROOT', directory);
    gateway = await startGateway(server + policy, { auth: kAuth });
    session = await LegacySession.open(gateway.url, {}, 'by-hand', '2024-11-05');
  });
  after(() => gateway?.stop());

  const call = (tool, given) => session.call((id += 1), `files_${tool}`, given);

  for (const [tool, path, want] of [
    ['list_directory', 'src/main/java', /^$/],
    ['list_directory', '.', /notes\.md/],
    ['read_text_file', 'notes.md', /milk/],
  ]) {
    it(`passes as ${JSON.stringify(path)}`, async () => {
      assert.match(textOf((await call(tool, { path })).result), want);
    });
  }

  for (const [path, reason, code] of [
    ['../../etc/passwd', 'path_outside_root', -32000],
    ['..%2f..%2fetc/passwd', 'path_outside_root', -32000],
    ['.git/config.md', 'path_not_allowed', -32000],
    ['src', 'path_extension_not_allowed', -32602],
    ['file.exe', 'path_extension_not_allowed', -32602],
    [undefined, 'arguments_invalid', -32602],
  ]) {
    it(`is refused as ${JSON.stringify(path)}`, async () => {
      const { error } = await call('read_text_file', { path });
      assertRefused(error, reason);
      assert.equal(error.code, code);
    });
  }

  it('reached the server only where it passed', () => {
    const lines = readFileSync(sent, 'utf8').split('\n').filter(Boolean);
    const text = lines.map((line) => Buffer.from(JSON.parse(line).base64, 'base64').toString()).join('');
    for (const part of ['etc/passwd', 'file.exe', '.git']) assert.ok(!text.includes(part));
  });
});

describe('a URL as an argument', () => {
  const sent = join(temporaryDirectory(), 'received.jsonl');
  let gateway;
  let session;
  let id = 0;
  before(async () => {
    gateway = await startGateway(recordedStdioServer('plain', sent, [kPlain]) + kUrlPolicy, { auth: kAuth });
    session = await LegacySession.open(gateway.url);
  });
  after(() => gateway?.stop());

  const call = (text) => session.call((id += 1), 'plain_big_echo', { text });

  it('reaches the server where its host and port are named', async () => {
    for (const url of ['https://docs.example.com/a?b=c', 'https://a.b.example.org:8443/']) {
      assert.equal(textOf((await call(url)).result), url);
    }
  });

  const kRefused = [
    ['https://docs.example.com.evil.net/', 'url_not_allowed'],
    ['https://ann:canary-pw@docs.example.com/', 'url_not_allowed'],
    ['http://docs.example.com/', 'url_not_allowed'],
    ['https://169.254.169.254/latest/meta-data/', 'url_private'],
    ['https://[::ffff:127.0.0.1]/', 'url_private'],
    ['https://2130706433/', 'url_malformed'],
    ['https://docs.example.com\\@evil.net/', 'url_malformed'],
    [' https://docs.example.com/', 'url_malformed'],
  ];
  for (const [url, reason] of kRefused) {
    it(`is refused as ${JSON.stringify(url)}`, async () => {
      const { error } = await call(url);
      assertRefused(error, reason);
      assert.equal(error.data.pointer, '/text');
    });
  }

  it('is in no record, and never reached the server where it was refused', () => {
    const lines = readFileSync(sent, 'utf8').split('\n').filter(Boolean);
    const text = lines.map((line) => Buffer.from(JSON.parse(line).base64, 'base64').toString()).join('');
    for (const part of ['canary-pw', 'meta-data', 'evil.net']) {
      assert.ok(!text.includes(part));
      assert.ok(!JSON.stringify(gateway.records()).includes(part));
    }
  });
});

describe('SQL as an argument', () => {
  const sent = join(temporaryDirectory(), 'received.jsonl');
  let gateway;
  let session;
  let id = 0;
  before(async () => {
    gateway = await startGateway(recordedStdioServer('osquery', sent, [kQuery]) + kSqlPolicy, { auth: kAuth });
    session = await LegacySession.open(gateway.url);
  });
  after(() => gateway?.stop());

  const call = (given) => session.call((id += 1), 'osquery_query_osquery', given);

  const kAsked = [
    'SELECT * FROM processes',
    "SELECT name, pid FROM processes WHERE name LIKE '%ssh%' ORDER BY pid DESC LIMIT 10;",
    'SELECT count(*) FROM users',
    'SELECT p.name, l.port FROM listening_ports AS l JOIN processes AS p USING (pid) WHERE l.port < 1024',
    'select hostname, physical_memory / 1024 / 1024 AS mb from system_info',
  ];
  for (const sql of kAsked) {
    it(`passes as ${JSON.stringify(sql)}`, async () => {
      assert.equal(textOf((await call({ sql })).result), sql);
      assert.equal(textOf((await call({ query: sql })).result), sql);
    });
  }

  const kRefused = [
    [{ query: '.tables' }, 'sql_malformed', '/query'],
    [{ query: '--config_path=/tmp/canary' }, 'sql_malformed', '/query'],
    [{ sql: 'SELECT * FROM shadow /* users */' }, 'sql_not_allowed', '/sql'],
    [{ query: 'SELECT * FROM users', sql: 'SELECT * FROM shadow' }, 'sql_not_allowed', '/sql'],
    [{ sql: 'SELECT * FROM users; ATTACH "/tmp/canary" AS c' }, 'sql_malformed', '/sql'],
    [{ sql: "SELECT load_extension('/tmp/canary')" }, 'sql_not_allowed', '/sql'],
    [{ sql: 'SELECT * FROM users WHERE uid IN shadow' }, 'sql_not_allowed', '/sql'],
  ];
  for (const [given, reason, pointer] of kRefused) {
    it(`is refused as ${JSON.stringify(given)}`, async () => {
      const { error } = await call(given);
      assertRefused(error, reason);
      assert.equal(error.data.pointer, pointer);
    });
  }

  it('is in no record, and never reached the server where it was refused', () => {
    const lines = readFileSync(sent, 'utf8').split('\n').filter(Boolean);
    const text = lines.map((line) => Buffer.from(JSON.parse(line).base64, 'base64').toString()).join('');
    for (const part of ['canary', 'shadow']) {
      assert.ok(!text.includes(part));
      assert.ok(!JSON.stringify(gateway.records()).includes(part));
    }
  });
});

describe('a command as an argument', () => {
  const kPassword = 'canary-hunter2';
  const sent = join(temporaryDirectory(), 'received.jsonl');
  let gateway;
  let session;
  let id = 0;
  before(async () => {
    gateway = await startGateway(recordedStdioServer('plain', sent, [kPlain]) + kCommandPolicy, { auth: kAuth });
    session = await LegacySession.open(gateway.url);
  });
  after(() => gateway?.stop());

  const call = (text) => session.call((id += 1), 'plain_big_echo', { text });

  it('reaches the server where its programs and arguments are of the list', async () => {
    for (const command of ['git log --oneline -n 20', `ls -la 'a b' | "l"s`, `sh -c 'git status'`]) {
      assert.equal(textOf((await call(command)).result), command);
    }
  });

  const kRefused = [
    ['cat /etc/passwd', 'command_not_allowed'],
    ['git log; id', 'command_not_allowed'],
    ['git log $(id)', 'command_not_allowed'],
    ['git log `id`', 'command_not_allowed'],
    ['git log --upload-pack=x', 'command_not_allowed'],
    ['ls > /etc/cron.d/x', 'command_not_allowed'],
    ["git 'log", 'command_malformed'],
    [`r"m" -fr '/'`, 'command_blocked'],
    [`sh -c 'rm -rf /'`, 'command_blocked'],
    [':(){ :|:& };:', 'command_blocked'],
    [`echo ${kPassword} | sudo -S apt update`, 'command_not_allowed'],
    [`sudo -S ls <<< ${kPassword}`, 'command_not_allowed'],
  ];
  for (const [command, reason] of kRefused) {
    it(`is refused as ${JSON.stringify(command)}`, async () => {
      const answer = await call(command);
      assertRefused(answer.error, reason);
      assert.equal(answer.error.data.pointer, '/text');
      assert.ok(!JSON.stringify(answer).includes(kPassword));
    });
  }

  it('shows the password of a refused sudo nowhere', async () => {
    const metrics = await gateway.metrics();
    const records = JSON.stringify(gateway.records());
    assert.ok(records.includes('command_not_allowed') && metrics.includes('command_not_allowed'));
    const lines = readFileSync(sent, 'utf8').split('\n').filter(Boolean);
    const received = lines.map((line) => Buffer.from(JSON.parse(line).base64, 'base64').toString()).join('');
    for (const text of [metrics, records, gateway.log(), received]) assert.ok(!text.includes(kPassword));
  });
});
