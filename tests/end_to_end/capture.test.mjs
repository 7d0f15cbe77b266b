// Whole calls are kept, judged again under another policy, and turned into the least policy that
// permits them.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { kClients } from './clients.mjs';
import { kFixtures, kProgram, runProgram, startGateway, temporaryDirectory } from './harness.mjs';
import { apply, refuse } from './reloading.mjs';
import { kDual, kFilesystem, notesDirectory, stdioServer } from './servers.mjs';
import { LegacySession } from './wire.mjs';

const kToys = join(kFixtures, 'toy_server.mjs');
const kPreload = join(dirname(kProgram), 'fault_preload.so');
const root = notesDirectory();

// A key, so that a policy with it has no warning, and nothing of it may be kept.
const kKey = 'bz_a-key-that-nobody-may-find-in-a-capture';
const kHeaders = { authorization: `Bearer ${kKey}` };
const kAuth = `
[auth]
mode = "required"
[auth.api_key.tester]
principal = "tester"
sha256 = "${createHash('sha256').update(kKey).digest('hex')}"
[principal.tester]
roles = ["tester"]
attributes = { team = "blue" }
[role.tester]
trust = "verified"
`;

/** The lines of a capture, the older file first. */
function linesOf(file) {
  const files = [`${file}.1`, file].filter(existsSync);
  return files.flatMap((name) => readFileSync(name, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)));
}
const callsOf = (file) => linesOf(file).filter(({ kind }) => kind === 'call');
const toolCallsOf = (file) => callsOf(file).filter(({ method }) => method === 'tools/call');

async function countOf(gateway, metric) {
  const line = (await gateway.metrics()).split('\n').find((text) => text.startsWith(`${metric} `));
  return Number(line.split(' ')[1]);
}

const kRules = `
[tool."toys/note"]
labels = ["private"]
[tool."toys/post"]
labels = ["public_sink"]
[flow.nothing-leaves]
after = ["private"]
to = ["public_sink"]
[rule.testers-may]
effect = "permit"
roles = ["tester"]
tools = ["files/read_text_file", "files/list_directory", "toys/*"]
[rule.nobody-drops]
effect = "forbid"
roles = ["*"]
tools = ["toys/drop"]
`;
const kLimits = `
[limit.seldom]
per = ["principal", "tool"]
rate = ["3/h"]
tools = ["toys/rare"]
`;

describe('a capture', () => {
  const folder = temporaryDirectory();
  const file = join(folder, 'capture.jsonl');
  const servers = stdioServer('files', [kFilesystem, root]) + stdioServer('toys', [kToys, 'note', 'post', 'drop', 'rare', 'idle', 'count']);
  const policy = join(folder, 'same.toml');
  let gateway;

  before(async () => {
    gateway = await startGateway(`${servers}${kRules}${kLimits}[capture]\nfile = "${file}"\n`, { auth: kAuth });
    writeFileSync(policy, readFileSync(gateway.configFile));
    const session = await LegacySession.open(gateway.url, kHeaders);
    let id = 0;
    const call = (name, given) => session.call((id += 1), name, given);
    for (const name of ['notes.md', 'more.md', 'notes.md']) {
      await call('files_read_text_file', { path: join(root, name), head: 2 + id });
    }
    await call('files_list_directory', { path: root });
    for (let index = 0; index < 5; index += 1) await call('toys_rare', { n: index });
    for (let index = 0; index < 12; index += 1) await call('toys_count', { name: `name ${index}`, deep: { flag: index % 2 === 0, list: ['a', `b${index}`] }, 'od"d': [] });
    await call('toys_idle');
    await call('toys_drop', { all: true });
    await call('toys_post', { text: 'hello' });
    await call('toys_note', { text: 'secret' });
    await call('toys_post', { text: 'again' });
    await call('files_write_file', { path: join(root, 'new.md'), content: '' });
    await call('nowhere_tool', {});
    await eventually(() => toolCallsOf(file).length === 28, 'all calls are kept');
  });
  after(() => gateway?.stop());

  it('is readable by its owner alone, and says what was asked, decided, and became of it', async () => {
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const [run, ...rest] = linesOf(file);
    assert.deepEqual([run.kind, run.version], ['run', 1]);
    assert.ok(rest.every(({ version }) => version === 1));
    const read = toolCallsOf(file).find(({ tool }) => tool === 'read_text_file');
    assert.equal(read.server, 'files');
    assert.deepEqual(read.arguments, { path: join(root, 'notes.md'), head: 2 });
    assert.deepEqual([read.principal, read.roles, read.trust], ['tester', ['tester'], 'verified']);
    assert.deepEqual([read.decision, read.rule, read.known], ['permit', 'testers-may', 'listed']);
    assert.equal(read.transport, 'http');
    assert.equal(read.address, '127.0.0.1');
    assert.ok(read.took_us > 0 && read.bytes_in > 0 && read.bytes_out > 0);
    const record = gateway.records().find(({ decision_id: id }) => id === read.decision_id);
    assert.equal(record.method, 'tools/call');
    const definition = rest.find(({ kind, fingerprint }) => kind === 'definition' && fingerprint === read.definition);
    assert.equal(definition.entry.name, 'read_text_file');
    const drop = toolCallsOf(file).find(({ tool }) => tool === 'drop');
    assert.deepEqual([drop.decision, drop.check, drop.reason, drop.rule], ['deny', 'access', 'forbidden', 'nobody-drops']);
    assert.deepEqual(toolCallsOf(file).filter(({ reason }) => reason === 'limited').length, 2);
    assert.deepEqual(toolCallsOf(file).filter(({ reason }) => reason === 'flow_refused').length, 1);
    assert.equal(await countOf(gateway, 'bartizan_capture_missing_calls_total'), 0);
    assert.ok(await countOf(gateway, 'bartizan_capture_calls_total') >= 28);
  });

  it('has each definition once, and no session that somebody could come back to', () => {
    const lines = linesOf(file);
    const fingerprints = lines.filter(({ kind }) => kind === 'definition').map(({ fingerprint }) => fingerprint);
    assert.equal(new Set(fingerprints).size, fingerprints.length);
    const sessions = new Set(toolCallsOf(file).map(({ session }) => session));
    assert.equal(sessions.size, 1);
    assert.match([...sessions][0], /^[0-9a-f]{16}$/);
    assert.ok(!readFileSync(file, 'utf8').includes(kKey));
    assert.deepEqual(toolCallsOf(file)[0].attributes, { team: 'blue' });
  });

  it('is told by check', async () => {
    const { code, stdout } = await runProgram('check', policy);
    assert.equal(code, 0);
    assert.match(stdout, /note: whole calls are kept in .*capture.jsonl, with all arguments, including secrets: 64 MiB/);
    const json = JSON.parse((await runProgram('check', policy, '--json')).stdout);
    assert.equal(json.whole_calls_in, file);
  });

  it('is the same under the same policy', async () => {
    const { code, stdout, stderr } = await runProgram('replay', file, '--policy', policy, '--json');
    const replay = JSON.parse(stdout);
    assert.equal(code, 0, stdout + stderr);
    assert.deepEqual([replay.ok, replay.newly_refused, replay.newly_permitted, replay.refused_otherwise], [true, 0, 0, 0]);
    assert.deepEqual(replay.tools_without_definition, []);
    assert.equal(replay.calls, callsOf(file).length);
  });

  it('has what the decisions about its calls went by', async () => {
    const explain = (id) => runProgram('explain', '--policy', policy, '--capture', file, id, '--json');
    for (const { decision_id: id, tool, decision, reason, check } of toolCallsOf(file)) {
      // What was used up, or read before, only the whole replay knows.
      if (reason === 'limited' || reason === 'flow_refused') continue;
      const { code, stdout, stderr } = await explain(id);
      assert.equal(code, 0, stderr);
      const trace = JSON.parse(stdout);
      assert.deepEqual([trace.target, trace.decision, trace.reason, trace.check], [tool, decision, reason, check], stdout);
    }
    assert.match((await explain('nobody')).stderr, /it has no call with the decision id "nobody"/);
    assert.match((await explain('0')).stderr, /several decision ids begin with "0"/);
    const { code, stderr } = await runProgram('explain', '--capture', file, 'x');
    assert.equal(code, 2, stderr);
  });

  it('is not under a stricter one, or a laxer one, and each difference is told', async () => {
    const other = join(folder, 'other.toml');
    const text = readFileSync(policy, 'utf8');
    const changed = text
      .replace('"files/list_directory", ', '')
      .replace('rate = ["3/h"]', 'rate = ["2/h"]')
      .replace('[rule.nobody-drops]\neffect = "forbid"', '[rule.nobody-drops]\neffect = "permit"')
      .replace('labels = ["private"]', 'labels = []');
    writeFileSync(other, changed);
    const { code, stdout } = await runProgram('replay', file, '--policy', other, '--json');
    assert.equal(code, 1);
    const replay = JSON.parse(stdout);
    const told = replay.differences.map(({ difference, what, now, before }) => [difference, what, now.reason ?? before.reason]);
    assert.deepEqual(told, [
      ['newly_refused', 'files/list_directory', 'no_matching_rule'],
      ['newly_refused', 'toys/rare', 'limited'],
      ['newly_permitted', 'toys/drop', 'forbidden'],
      ['newly_permitted', 'toys/post', 'flow_refused'],
    ]);
    const readable = await runProgram('replay', file, '--policy', other);
    assert.equal(readable.code, 1);
    assert.match(readable.stdout, /1 newly refused: no_matching_rule\n/);
    assert.match(readable.stdout, /2 newly refused, 2 newly permitted, 0 refused for another reason\n/);
  });

  describe('from which a policy is learned', () => {
    const place = temporaryDirectory();
    const learned = join(place, 'learned.toml');
    const base = join(place, 'base.toml');

    /** The capture with each permitted tool call changed; the decision stays what it was. */
    function mutate(change) {
      const lines = linesOf(file).flatMap((line) => {
        if (line.kind !== 'call') return [line];
        if (line.method !== 'tools/call' || line.decision !== 'permit') return [];
        return change(line).map((changed) => ({ ...line, ...changed }));
      });
      const mutated = join(temporaryDirectory(), 'mutated.jsonl');
      writeFileSync(mutated, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      return mutated;
    }

    /** What no value that was seen comes near to. */
    function beyond(value) {
      if (typeof value === 'number') return 1e9;
      if (typeof value === 'boolean') return 'neither';
      return value.startsWith('/') ? '/etc/passwd' : `${value} and ${'x'.repeat(200)}`;
    }

    /** All ways to have one leaf of a value beyond what was seen. */
    function leaves(value) {
      if (Array.isArray(value)) {
        return value.flatMap((one, at) => leaves(one).map((changed) => value.toSpliced(at, 1, changed)));
      }
      if (typeof value !== 'object') return [beyond(value)];
      return Object.entries(value).flatMap(([name, one]) => leaves(one).map((changed) => ({ ...value, [name]: changed })));
    }

    before(async () => {
      const { code, stdout, stderr } = await runProgram('learn', file, '--config', policy, '--output', learned, '--json');
      assert.equal(code, 0, stdout + stderr);
      const told = JSON.parse(stdout);
      assert.deepEqual([told.ok, told.refused_again], [true, 0]);
      // It was learned from a handful of calls.
      assert.match(told.notes[0], /^warning: \d+ permitted calls are little to learn from/);
      assert.match(told.notes[1], /^warning: called fewer than 10 times: files\//);
      assert.equal(told.notes.length, 2);
      assert.deepEqual(told.replaces_tools, ['toys/note', 'toys/post']);
      // What its head says: permits go, and profiles of the same names.
      const kept = readFileSync(policy, 'utf8')
        .replace('version = 1\n', 'version = 1\ninclude = ["learned.toml"]\n')
        .replace(/\[tool\."toys\/(note|post)"\]\nlabels = .*\n/g, '')
        .replace(/\[rule.testers-may\]\n(.+\n)+?(?=\[)/, '');
      writeFileSync(base, kept);
    });

    it('is written for its owner alone, and replaces nothing', async () => {
      assert.equal(statSync(learned).mode & 0o777, 0o600);
      const again = await runProgram('learn', file, '--config', policy, '--output', learned);
      assert.equal(again.code, 1);
      assert.match(again.stderr, /learned.toml cannot be written: File exists; give --output another name, or replace it with --replace/);
      const text = readFileSync(learned, 'utf8');
      const replaced = await runProgram('learn', file, '--config', policy, '--output', learned, '--replace');
      assert.equal(replaced.code, 0, replaced.stderr);
      assert.equal(readFileSync(learned, 'utf8'), text);
      assert.equal(statSync(learned).mode & 0o777, 0o600);
      assert.deepEqual(readdirSync(place).sort(), ['base.toml', 'learned.toml'], 'no draft is left');
    });

    it('says where what it wrote is not what was seen', async () => {
      // TOML has no such number, and the one next to it is smaller.
      const large = join(temporaryDirectory(), 'large.jsonl');
      writeFileSync(large, readFileSync(file, 'utf8').replace('"arguments":{"n":0}', '"arguments":{"n":18446744073709553663}'));
      const { code, stdout } = await runProgram('learn', large, '--config', policy, '--json');
      assert.equal(code, 1);
      assert.deepEqual([JSON.parse(stdout).ok, JSON.parse(stdout).refused_again], [false, 1]);
    });

    it('loads without a warning', async () => {
      const { code, stdout, stderr } = await runProgram('check', base, '--json');
      assert.deepEqual(JSON.parse(stdout).problems, [], stderr);
      assert.equal(code, 0);
    });

    it('permits what was seen', async () => {
      const { stdout } = await runProgram('replay', file, '--policy', base, '--json');
      const replay = JSON.parse(stdout);
      assert.deepEqual([replay.ok, replay.newly_refused, replay.newly_permitted], [true, 0, 0], stdout);
    });

    const kMutations = {
      'another tool': ({ tool }) => [{ tool: `${tool}_all`, definition: undefined, known: undefined }],
      'a value beyond those that were seen': ({ arguments: given = {} }) => leaves(given).map((changed) => ({ arguments: changed })),
      'one argument more': ({ arguments: given = {} }) => [{ arguments: { ...given, extra: 1 } }],
      'one argument more, below': ({ arguments: given }) => (given?.deep ? [{ arguments: { ...given, deep: { ...given.deep, extra: 1 } } }] : []),
      'one argument less': ({ tool, arguments: given = {} }) => (tool === 'count' ? Object.keys(given).filter((name) => name !== 'od"d').map((name) => ({ arguments: { ...given, [name]: undefined } })) : []),
      'another principal': () => [{ principal: 'other', roles: ['other'] }],
    };
    for (const [what, change] of Object.entries(kMutations)) {
      it(`refuses ${what}`, async () => {
        const others = join(place, 'others.toml');
        writeFileSync(others, `${readFileSync(base, 'utf8')}\n[principal.other]\nroles = ["other"]\n[role.other]\n`);
        const { stdout } = await runProgram('replay', mutate(change), '--policy', others, '--json');
        const replay = JSON.parse(stdout);
        assert.ok(replay.calls > 0);
        assert.deepEqual([replay.newly_refused, replay.same], [replay.calls, 0], stdout);
      });
    }

    it('is in force where a gateway is given it', async () => {
      const text = readFileSync(policy, 'utf8');
      await apply(gateway, text.replace('"toys/*"', '"toys/count"'));
      const rules = readFileSync(learned, 'utf8').replace('version = 1\n', '');
      await apply(gateway, readFileSync(base, 'utf8').replace('include = ["learned.toml"]\n', '') + rules);
      const session = await LegacySession.open(gateway.url, kHeaders);
      const given = { name: 'name 3', deep: { flag: true, list: ['a', 'b3'] }, 'od"d': [] };
      assert.ok((await session.call(1, 'toys_count', given)).result);
      assertRefused((await session.call(2, 'toys_count', { ...given, more: 1 })).error, 'argument_unguarded');
      assertRefused((await session.call(3, 'files_read_text_file', { path: '/etc/passwd', head: 2 })).error, 'path_outside_root');
      await apply(gateway, text);
    });
  });

  it('is refused where it is none, or the policy is', async () => {
    assert.equal((await runProgram('replay', policy, '--policy', policy)).code, 2);
    assert.equal((await runProgram('replay', join(folder, 'gone'), '--policy', policy)).code, 2);
    assert.equal((await runProgram('replay', file, '--policy', file)).code, 2);
  });
});

/** A gateway that captures, and a session with it. */
async function startCapturing(capture, options = {}) {
  const folder = temporaryDirectory();
  const file = join(folder, 'capture.jsonl');
  const body = `${stdioServer('toys', [kToys, 'echo'])}
[rule.all]
effect = "permit"
roles = ["tester"]
tools = ["toys/*"]
[capture]
file = "${file}"
${capture}
`;
  const gateway = await startGateway(body, options);
  const session = await LegacySession.open(gateway.url);
  let id = 0;
  const answer = (given) => session.call((id += 1), 'toys_echo', given);
  const call = async (given) => (await answer(given)).result;
  return { gateway, file, answer, call };
}

describe('the file of a capture', () => {
  it('stays within its bounds, and what is left of it is whole', async () => {
    const { gateway, file, call } = await startCapturing('max_size = "64 KiB"');
    const text = 'x'.repeat(3000);
    for (let index = 0; index < 60; index += 1) assert.ok(await call({ index, text }));
    const newest = () => toolCallsOf(file).at(-1)?.arguments.index;
    await eventually(() => newest() === 59, 'the last call is kept');
    const sizes = [file, `${file}.1`].map((name) => statSync(name).size);
    assert.ok(sizes.every((size) => size <= 32 << 10), `${sizes}`);
    assert.equal(statSync(`${file}.1`).mode & 0o777, 0o600);
    for (const name of [file, `${file}.1`]) {
      const lines = readFileSync(name, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
      assert.equal(lines[0].kind, 'run');
      assert.equal(lines.filter(({ kind }) => kind === 'definition').length, 1, 'each file explains its calls');
    }
    // One that fits no file is missing, and told of.
    assert.ok(await call({ text: 'y'.repeat(40_000) }));
    assert.ok(await call({ index: 60 }));
    await eventually(() => newest() === 60, 'the next one is kept');
    assert.equal(await countOf(gateway, 'bartizan_capture_missing_calls_total'), 1);
    const { stdout } = await runProgram('replay', file, '--policy', gateway.configFile);
    assert.match(stdout, /note: the capture lacks 1 call: /);
    await gateway.stop();
  });

  it('goes on after a restart, and after a crash in the middle of a line', async () => {
    const { gateway, file, call } = await startCapturing('');
    assert.ok(await call({ index: 0 }));
    await eventually(() => toolCallsOf(file).length === 1, 'the call is kept');
    await gateway.stop();
    writeFileSync(file, readFileSync(file, 'utf8') + '{"version":1,"kind":"call","ord');
    const again = await gateway.again();
    const session = await LegacySession.open(again.url);
    assert.ok((await session.call(1, 'toys_echo', { index: 1 })).result);
    const isKept = () => readFileSync(file, 'utf8').includes('"arguments":{"index":1}');
    await eventually(isKept, 'the call is kept');
    await again.stop();
    const replay = JSON.parse((await runProgram('replay', file, '--policy', gateway.configFile, '--json')).stdout);
    assert.deepEqual([replay.ok, replay.unreadable_lines], [true, 1]);
    assert.equal(readFileSync(file, 'utf8').match(/"kind":"run"/g).length, 2);
  });

  const skip = !existsSync(kPreload) && `no ${kPreload}: only the development build has it`;
  for (const [what, fault] of [
    ['is full', 'write ENOSPC capture.jsonl'],
    ['is full in the middle of a line', 'write ENOSPC capture.jsonl 50'],
    ['does not write', 'write EIO capture.jsonl'],
  ]) {
    it(`refuses and delays no call while its disk ${what}, and tells what is missing`, { skip }, async () => {
      const plan = join(temporaryDirectory(), 'faults');
      const environment = { LD_PRELOAD: kPreload, BARTIZAN_FAULTS: plan };
      const { gateway, file, call } = await startCapturing('', { environment });
      assert.ok(await call({ index: 0 }));
      await eventually(() => toolCallsOf(file).length === 1, 'the first call is kept');
      const faults = (text) => {
        writeFileSync(`${plan}.new`, text);
        renameSync(`${plan}.new`, plan);
      };
      faults(`${fault}\n`);
      for (let index = 1; index <= 20; index += 1) assert.ok(await call({ index }), 'a call passes');
      const missing = () => countOf(gateway, 'bartizan_capture_missing_calls_total');
      await eventually(async () => (await missing()) === 20, 'each is counted');
      assert.equal((await gateway.readiness()).status, 200);
      faults('');
      assert.ok(await call({ index: 21 }));
      await eventually(() => toolCallsOf(file).length === 2, 'calls are kept again');
      const told = linesOf(file).filter(({ kind }) => kind === 'missing');
      assert.equal(told.reduce((sum, { count }) => sum + count, 0), 20);
      assert.equal(toolCallsOf(file)[1].arguments.index, 21);
      assert.equal(gateway.log().match(/capture failing/g).length, 1, 'the log says it once');
      assert.match(gateway.log(), /capture recovered/);
      await gateway.stop();
    });
  }

  it('is turned off and on again by reloads while its disk does not answer', { skip }, async () => {
    const plan = join(temporaryDirectory(), 'faults');
    const environment = { LD_PRELOAD: kPreload, BARTIZAN_FAULTS: plan };
    const { gateway, file, call } = await startCapturing('', { environment });
    const text = readFileSync(gateway.configFile, 'utf8');
    writeFileSync(plan, 'hold write capture.jsonl\n');
    assert.ok(await call({ index: 0 }));
    const holding = () => gateway.log().includes('whole calls are captured');
    await eventually(holding, 'its file is open');
    await apply(gateway, text.replace(/\[capture\]\nfile = .*\n/, ''));
    await apply(gateway, text);
    assert.ok(await call({ index: 1 }));
    writeFileSync(plan, '');
    await eventually(() => toolCallsOf(file).length === 2, 'both calls are kept');
    await gateway.stop();
  });

  it('lets a gateway end although its disk does not answer', { skip }, async () => {
    const plan = join(temporaryDirectory(), 'faults');
    const environment = { LD_PRELOAD: kPreload, BARTIZAN_FAULTS: plan };
    const { gateway, file, call } = await startCapturing('', { environment });
    assert.ok(await call({ index: 0 }));
    await eventually(() => toolCallsOf(file).length === 1, 'the first call is kept');
    writeFileSync(plan, 'hold write capture.jsonl\n');
    assert.ok(await call({ index: 1 }));
    await gateway.stop();
    assert.match(gateway.log(), /capture left behind/);
    assert.equal(gateway.records().at(-1).kind, 'stop', 'the record ends in order');
    assert.equal(toolCallsOf(file).length, 1);
  });

  it('keeps no call for longer than it may, whether others come or not', { skip }, async () => {
    const plan = join(temporaryDirectory(), 'faults');
    const environment = { LD_PRELOAD: kPreload, BARTIZAN_FAULTS: plan };
    const { gateway, file, call } = await startCapturing('max_age = "1min"', { environment });
    assert.ok(await call({ index: 0 }));
    await eventually(() => toolCallsOf(file).length === 1, 'the call is kept');
    writeFileSync(plan, 'clock 40\n');
    await eventually(() => existsSync(`${file}.1`) && statSync(file).size === 0, 'it stands in the older file', 20_000);
    writeFileSync(plan, 'clock 100\n');
    await eventually(() => !existsSync(`${file}.1`), 'it is gone', 20_000);
    assert.ok(await call({ index: 1 }));
    await eventually(() => toolCallsOf(file).length === 1, 'the next call is kept');
    assert.match(gateway.log(), /whole calls are captured/);
    await gateway.stop();
  });

  it('is turned off, on and moved by a reload', async () => {
    const { gateway, file, call } = await startCapturing('');
    const text = readFileSync(gateway.configFile, 'utf8');
    assert.ok(await call({ index: 0 }));
    const isKept = (index, name = file) => () => existsSync(name) && readFileSync(name, 'utf8').includes(`"arguments":{"index":${index}}`);
    await eventually(isKept(0), 'the call is kept');
    await apply(gateway, text.replace(/\[capture\]\nfile = .*\n/, ''));
    assert.ok(await call({ index: 1 }));
    await apply(gateway, text.replace('capture.jsonl', 'moved.jsonl'));
    assert.ok(await call({ index: 2 }));
    const moved = file.replace('capture.jsonl', 'moved.jsonl');
    await eventually(isKept(2, moved), 'the call is kept elsewhere');
    assert.equal(toolCallsOf(file).length, 1);
    await apply(gateway, text);
    assert.ok(await call({ index: 3 }));
    await eventually(isKept(3), 'the call is kept where calls were before');
    await gateway.stop();
  });

  it('is refused where others could read it or it is something else, by a reload, too', async () => {
    const { gateway, file } = await startCapturing('');
    const text = readFileSync(gateway.configFile, 'utf8');
    const folder = temporaryDirectory();
    const [open, link, page] = ['open', 'link', 'page'].map((name) => join(folder, name));
    writeFileSync(open, '');
    chmodSync(open, 0o640);
    symlinkSync(file, link);
    writeFileSync(page, 'something else\n', { mode: 0o600 });
    for (const [name, why] of [[open, 'is open to others'], [link, 'symbolic link'], [page, 'is not a capture'], [folder, 'cannot be opened'], [join(folder, 'a', 'b'), 'has no folder']]) {
      const { reloads, refusal } = await refuse(gateway, text.replace(file, name));
      assert.ok(reloads.refused > 0, JSON.stringify(refusal));
      await eventually(() => gateway.log().includes(why), why);
    }
    assert.equal(readFileSync(page, 'utf8'), 'something else\n');
    await gateway.stop();
    writeFileSync(gateway.configFile, text.replace(file, page));
    const { code } = await runProgram('run', '--config', gateway.configFile);
    assert.equal(code, 1, 'nor does a gateway start with it');
  });
});

describe('calls that ask something of the disk', () => {
  it('are judged again by what was found out then, and what is learned asks as before', async () => {
    const place = temporaryDirectory();
    const outside = temporaryDirectory();
    writeFileSync(join(place, 'a.md'), '');
    writeFileSync(join(outside, 'b.md'), '');
    symlinkSync(join(outside, 'b.md'), join(place, 'b.md'));
    const profile = `[path.place]
root = "${place}"
resolve = "filesystem"
[tool."toys/echo".arguments]
"/path" = { path = "place" }
"/index" = { number = { min = 0 }, optional = true }
`;
    const { gateway, file, call } = await startCapturing(`max_age = "1d"\n${profile}`);
    assert.ok(await call({ path: join(place, 'a.md') }));
    assert.equal(await call({ path: join(place, 'b.md') }), undefined);
    await eventually(() => toolCallsOf(file).length === 2, 'both are kept');
    assert.deepEqual(toolCallsOf(file).map(({ facts }) => facts.map((fact) => fact.is)), [['inside'], ['outside']]);
    // What has become of the disk since then is no matter.
    renameSync(join(place, 'a.md'), join(place, 'c.md'));
    const replayed = async (policy) => JSON.parse((await runProgram('replay', file, '--policy', policy, '--json')).stdout);
    const same = await replayed(gateway.configFile);
    assert.deepEqual([same.ok, same.newly_refused, same.refused_otherwise, same.without_facts], [true, 0, 0, 0]);
    const wider = join(temporaryDirectory(), 'wider.toml');
    writeFileSync(wider, readFileSync(gateway.configFile, 'utf8').replace(`root = "${place}"`, 'root = "/"'));
    const unknown = await replayed(wider);
    assert.deepEqual([unknown.newly_refused, unknown.without_facts], [1, 1]);
    const learned = await runProgram('learn', file, '--config', gateway.configFile, '--json');
    assert.equal(learned.code, 0, learned.stdout + learned.stderr);
    assert.match(JSON.parse(learned.stdout).policy, /"\/path" = { path = "place" }/);
    await gateway.stop();
  });
});

describe('calls that wait for a slot', () => {
  it('wait in a replay, too, and are refused by a policy that has no queue', async () => {
    const limit = '[limit.one]\nper = ["tool"]\nconcurrency = 1\nqueue = 64\nqueue_timeout = "60s"\ntools = ["toys/*"]\n';
    const { gateway, file, answer } = await startCapturing(`max_age = "1d"\n${limit}`);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => answer({ index })));
    assert.deepEqual(answers.filter(({ result }) => !result), []);
    await eventually(() => toolCallsOf(file).length === 20, 'all are kept');
    assert.ok(toolCallsOf(file).some(({ waited_us: waited }) => waited > 0), 'some have waited');
    const replayed = async (policy) => JSON.parse((await runProgram('replay', file, '--policy', policy, '--json')).stdout);
    const same = await replayed(gateway.configFile);
    assert.deepEqual([same.ok, same.newly_refused], [true, 0]);
    const without = join(temporaryDirectory(), 'without.toml');
    writeFileSync(without, readFileSync(gateway.configFile, 'utf8').replace('queue = 64\nqueue_timeout = "60s"\n', ''));
    const refused = await replayed(without);
    assert.equal(refused.ok, false);
    assert.deepEqual(refused.summary.map(({ reason, rule }) => [reason, rule]), [['limited', 'one']]);
    await gateway.stop();
  });
});

describe('the calls of official clients', () => {
  it('are kept in every era', async () => {
    const folder = temporaryDirectory();
    const file = join(folder, 'capture.jsonl');
    const rule = '[rule.all]\neffect = "permit"\nroles = ["tester"]\ntools = ["dual/echo"]\n';
    const gateway = await startGateway(`${stdioServer('dual', [kDual])}${rule}[capture]\nfile = "${file}"\n`);
    for (const [index, client] of kClients.entries()) {
      const connected = await client.connect(gateway.url);
      await connected.call('dual_echo', { text: `from ${index}` });
      await connected.call('dual_structured', {}).catch(() => {});
      await connected.close();
    }
    await eventually(() => toolCallsOf(file).length === 2 * kClients.length, 'all are kept');
    const calls = toolCallsOf(file);
    assert.ok(calls.some(({ revision }) => revision === '2026-07-28') && calls.some(({ revision }) => revision < '2026'));
    assert.ok(callsOf(file).every(({ params }) => params?._meta === undefined));
    const { code, stdout } = await runProgram('replay', file, '--policy', gateway.configFile, '--json');
    assert.equal(code, 0, stdout);
    assert.equal(JSON.parse(stdout).calls, callsOf(file).length);
    await gateway.stop();
  });
});
