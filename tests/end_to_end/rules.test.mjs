// Rules with conditions: who may call what, with which arguments, from where and until when. The
// official file server answers what is let through.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused, textOf } from './assertions.mjs';
import { startGateway, testerAuth } from './harness.mjs';
import { kFilesystem, notesDirectory, stdioServer } from './servers.mjs';
import { LegacySession, responseOf } from './wire.mjs';

const root = notesDirectory();
const note = join(root, 'notes.md');
const kAuth = testerAuth({ trust: 'verified', permissions: ['read:*'] });
const kPolicy = `
[path.notes]
root = "${root}"
[tool."files/*"]
permissions = ["read:filesystem"]
[tool."files/get_file_info"]
permissions = ["stat:filesystem"]
[rule.notes-may-be-read]
effect = "permit"
roles = ["tester"]
tools = ["files/read_text_file", "files/read_file"]
when = { "/path" = { path = "notes" }, transport = ["http"] }
unless."/head" = { number = { min = 100 }, optional = true }
[rule.several-may-be-read]
effect = "permit"
roles = ["tester"]
tools = ["files/read_multiple_files"]
when."/paths/*" = { path = "notes" }
[rule.no-tails]
effect = "forbid"
roles = ["*"]
tools = ["files/read_text_file", "files/read_file"]
unless."/tail" = { absent = true }
when."/path" = { path = "notes" }
remediation = "Read from the head."
[rule.was-permitted-once]
effect = "permit"
roles = ["tester"]
tools = ["files/list_directory"]
expires = 2020-01-01
[rule.only-by-hand]
effect = "permit"
roles = ["tester"]
tools = ["files/directory_tree"]
when.transport = ["stdio"]
[rule.not-from-elsewhere]
effect = "forbid"
roles = ["*"]
tools = ["files/search_files"]
unless.client_address = ["192.0.2.0/24"]
hide = true
[rule.nobody-moves]
effect = "forbid"
roles = ["*"]
tools = ["files/move_file"]
hide = true
[rule.searching]
effect = "permit"
roles = ["tester"]
tools = ["files/search_files"]
[rule.asking]
effect = "permit"
roles = ["tester"]
tools = ["files/get_file_info", "files/list_allowed_directories"]
when.client_address = ["127.0.0.0/8"]
when.revision = ["2025-11-25"]
unless.time = { days = ["mon"], from = "03:00", to = "03:00", zone = "Europe/Berlin" }
unless.server_trust = ["system"]
`;

describe('rules with conditions', () => {
  let gateway;
  let session;
  let id = 0;
  before(async () => {
    // A window from a time to itself is a whole day, which today must not be.
    const today = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][new Date().getUTCDay()];
    const other = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].find((day, at, all) => {
      const near = [all.at(at - 1), day, all[(at + 1) % 7]];
      return !near.includes(today);
    });
    const server = stdioServer('files', [kFilesystem, root], `cwd = "${root}"`);
    gateway = await startGateway(server + kPolicy.replace('["mon"]', `["${other}"]`), { auth: kAuth });
    session = await LegacySession.open(gateway.url);
  });
  after(() => gateway?.stop());

  const call = (tool, given) => session.call((id += 1), `files_${tool}`, given);

  const kAllowed = [
    ['what fits every condition', 'read_text_file', { path: note }],
    ['an optional argument outside of what is excepted', 'read_text_file', { path: note, head: 99 }],
    ['a path in another spelling', 'read_text_file', { path: `${root}/./notes.md` }],
    ['every element', 'read_multiple_files', { paths: [note, note] }],
    ['a client from here, on another day', 'list_allowed_directories', {}],
  ];
  for (const [name, tool, given] of kAllowed) {
    it(`permit ${name}`, async () => {
      assert.match(textOf((await call(tool, given)).result), /milk|Allowed/);
    });
  }

  const kRefused = [
    ['a path elsewhere', 'read_text_file', { path: '/etc/passwd' }, 'no_matching_rule', undefined],
    ['a path elsewhere that decodes to one here', 'read_text_file', { path: note.replace('notes', '%6eotes') , tail: 1 }, 'forbidden', 'no-tails'],
    ['what a permit excepts', 'read_text_file', { path: note, head: 100 }, 'no_matching_rule', undefined],
    ['one good and one bad path', 'read_multiple_files', { paths: [note, '/etc/passwd'] }, 'no_matching_rule', undefined],
    ['no path at all', 'read_multiple_files', { paths: [] }, 'no_matching_rule', undefined],
    ['what a forbid forbids', 'read_text_file', { path: note, tail: 1 }, 'forbidden', 'no-tails'],
    ['an expired permit', 'list_directory', { path: root }, 'no_matching_rule', undefined],
    ['another transport', 'directory_tree', { path: root }, 'no_matching_rule', undefined],
    ['a hidden tool', 'search_files', { path: root, pattern: 'x' }, 'tool_unknown', undefined],
    ['a permission that is missing', 'get_file_info', { path: note }, 'permission_missing', undefined],
  ];
  for (const [name, tool, given, reason, rule] of kRefused) {
    it(`refuse ${name}`, async () => {
      const { error } = await call(tool, given);
      assertRefused(error, reason);
      assert.equal(error.data.policy_rule, rule);
    });
  }

  it('say what to do, and which permission is missing', async () => {
    assert.match((await call('read_text_file', { path: note, tail: 1 })).error.message, /Read from the head\.$/);
    const { error } = await call('get_file_info', { path: note });
    assert.equal(error.data.permission, 'stat:filesystem');
    const record = gateway.records().findLast(({ kind, reason }) => kind === 'decision' && reason === 'permission_missing');
    assert.equal(record.detail, 'permission stat:filesystem');
  });

  it('hide a tool as one that nobody has, with a permit and without', async () => {
    const without = (text) => text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '');
    const told = async (tool) => {
      const { error } = await call(tool, {});
      return without(JSON.stringify(error));
    };
    // Nothing permits either of these.
    assert.equal(await told('move_file'), await told('no_such_tool'));
  });

  it('are on record by name, hidden ones too', async () => {
    await call('search_files', { path: root, pattern: 'x' });
    const record = gateway.records().findLast(({ kind, reason }) => kind === 'decision' && reason === 'forbidden');
    assert.deepEqual([record.rule, record.target], ['not-from-elsewhere', 'search_files']);
  });

  it('show what some call could reach', async () => {
    const { result } = responseOf(await session.request((id += 1), 'tools/list', {}));
    assert.deepEqual(
      result.tools.map(({ name }) => name).sort(),
      ['files_list_allowed_directories', 'files_read_file', 'files_read_multiple_files', 'files_read_text_file'],
    );
  });
});
