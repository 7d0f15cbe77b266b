// What profiles say of tools beside their arguments: what lists show, how large results may be, and
// what people approved in a lock file. The official file server is behind.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused, textOf } from './assertions.mjs';
import { startGateway, temporaryDirectory, testerAuth } from './harness.mjs';
import { kFilesystem, notesDirectory, stdioServer } from './servers.mjs';
import { LegacySession, responseOf } from './wire.mjs';

const root = notesDirectory();
const kAll = '[rule.all]\neffect = "permit"\nroles = ["tester"]\ntools = ["*/*"]\n';
const files = (more) => stdioServer('files', [kFilesystem, root], `cwd = "${root}"\n${more}`);

describe('profiles of tools', () => {
  let gateway;
  let session;
  before(async () => {
    mkdirSync(join(root, 'many'));
    for (let i = 0; i < 11; ++i) writeFileSync(join(root, 'many', `${i}.txt`), '');
    mkdirSync(join(root, 'few'));
    for (let i = 0; i < 10; ++i) writeFileSync(join(root, 'few', `${i}.txt`), '');
    // The official server answers texts twice, as content and as structured content.
    writeFileSync(join(root, 'small.txt'), 'é'.repeat(450));
    writeFileSync(join(root, 'large.txt'), 'a'.repeat(1001));
    const policy = `${kAll}
[tool."files/*"]
categories = ["documents"]
risk = "low"
max_result = "1000 B"
[tool."files/write_file"]
categories = ["change"]
risk = "critical"
listed = false
[tool."files/list_directory"]
max_entries = 10
entries = "lines"
`;
    const more = stdioServer('others', [kFilesystem, root], 'trust = "verified"');
    gateway = await startGateway(files('') + more + policy, { auth: testerAuth({ trust: 'verified' }) });
    session = await LegacySession.open(gateway.url);
  });
  after(() => gateway?.stop());

  let id = 0;
  const call = (name, args) => session.call((id += 1), `files_${name}`, args);
  const list = async (params) => responseOf(await session.request((id += 1), 'tools/list', params));
  const names = async (params) => (await list(params)).result.tools.map(({ name }) => name);

  it('lists what is listed, and calls what is not', async () => {
    const all = await names({});
    assert.ok(all.includes('files_read_text_file') && all.includes('others_write_file'));
    assert.ok(!all.includes('files_write_file'));
    const written = await call('write_file', { path: join(root, 'new.txt'), content: 'new' });
    assert.match(textOf(written.result), /Successfully wrote/);
    assert.equal(gateway.records().findLast(({ kind }) => kind === 'decision').risk, 'critical');
  });

  it('lists what a client asks for', async () => {
    const documents = await names({ category: 'documents' });
    assert.ok(documents.length > 5 && documents.every((name) => name.startsWith('files_')));
    assert.deepEqual(await names({ category: 'change' }), []);
    const verified = await names({ trust_level: 'verified' });
    assert.ok(verified.length > 5 && verified.every((name) => name.startsWith('others_')));
    assert.deepEqual(await names({ category: 'documents', trust_level: 'verified' }), []);
    for (const params of [{ category: 7 }, { trust_level: 'high' }]) {
      const { error } = await list(params);
      assert.equal(error.code, -32602);
      assert.equal(error.data.violations[0].pointer, `/${Object.keys(params)[0]}`);
    }
  });

  it('withholds results that hold too much', async () => {
    const small = await call('read_text_file', { path: join(root, 'small.txt') });
    assert.equal(textOf(small.result).length, 450);
    const few = await call('list_directory', { path: join(root, 'few') });
    assert.equal(textOf(few.result).split('\n').length, 10);
    for (const [name, path, keyword] of [['read_text_file', 'large.txt', 'max_result'], ['list_directory', 'many', 'max_entries']]) {
      const { result } = await call(name, { path: join(root, path) });
      const note = result._meta['bartizan/withheld'];
      assert.equal(result.isError, true);
      assert.equal('structuredContent' in result, false);
      assert.match(result.content[0].text, /exceeds what policy allows/);
      assert.deepEqual([note.reason, note.violations[0].keyword], ['result_too_large', keyword]);
      const of = gateway.records().filter(({ decision_id }) => decision_id === note.decision_id);
      assert.deepEqual(of.map(({ decision, outcome }) => decision ?? outcome), ['permit', 'tool_error']);
      assert.equal(of[1].reason, 'result_too_large');
    }
  });
});

describe('a lock file', () => {
  const lock = join(temporaryDirectory(), 'bartizan.lock');
  const policy = `${kAll}
[pins]
file = "${lock}"
[rule.files-are-read-only]
effect = "forbid"
roles = ["*"]
tools = ["files/*"]
unless = { read_only = true }
`;
  let gateway;
  before(async () => {
    const open = await startGateway(files('') + kAll);
    const session = await LegacySession.open(open.url);
    const listed = responseOf(await session.request(1, 'tools/list', {})).result.tools;
    await open.stop();
    const pinned = (name, approval, change = {}) => {
      const definition = { ...listed.find((tool) => tool.name === `files_${name}`), name, ...change };
      return [name, { approval, definition }];
    };
    const tools = Object.fromEntries([
      pinned('read_text_file', 'person'),
      pinned('list_directory', 'first_use'),
      pinned('get_file_info', 'person', { description: 'Once it said something else.' }),
      pinned('write_file', 'person'),
    ]);
    writeFileSync(lock, JSON.stringify({ version: 1, servers: { files: { tools } } }));
    gateway = await startGateway(files('') + policy, { auth: testerAuth({ trust: 'verified' }) });
  });
  after(() => gateway?.stop());

  it('says what only reads', async () => {
    const session = await LegacySession.open(gateway.url);
    let id = 0;
    const call = (name, args) => session.call((id += 1), `files_${name}`, args);
    const path = join(root, 'notes.md');
    assert.match(textOf((await call('read_text_file', { path })).result), /milk/);
    // Taken as it came, approved in another wording, approved as what writes, in no lock file.
    const kRefused = [
      ['list_directory', { path: root }],
      ['get_file_info', { path }],
      ['write_file', { path, content: '' }],
      ['directory_tree', { path: root }],
    ];
    for (const [name, args] of kRefused) {
      const { error } = await call(name, args);
      assertRefused(error, 'forbidden');
      assert.equal(error.data.policy_rule, 'files-are-read-only');
    }
    const { result } = responseOf(await session.request(9, 'tools/list', {}));
    assert.deepEqual(result.tools.map(({ name }) => name), ['files_read_text_file']);
  });
});
