// What the gateway remembers of itself in a state file: who has it, and whether the record is still
// what it was.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';

import { textOf } from './assertions.mjs';
import { kClients } from './clients.mjs';
import { runProgram, startGateway, temporaryDirectory } from './harness.mjs';
import { kDual, stdioServer } from './servers.mjs';
import { shiftedTime } from './shifted_time.mjs';

const kRules = `
[rule.testers-may]
effect = "permit"
roles = ["tester"]
tools = ["dual/echo"]
`;

/** A gateway with a state file in a folder of its own. */
async function startWithState(options = {}) {
  const file = join(temporaryDirectory(), 'state.db');
  const gateway = await startGateway(`[state]\nfile = ${JSON.stringify(file)}\n${stdioServer('dual', [kDual])}${kRules}`, options);
  return { file, gateway };
}

async function callOften(gateway, times) {
  const connection = await kClients[0].connect(gateway.url);
  for (let call = 0; call < times; call += 1) textOf(await connection.call('dual_echo', { text: `call ${call}` }));
  await connection.close();
}

const linesOf = (file) => readFileSync(file, 'utf8').split('\n').filter(Boolean);
const mismatches = (gateway) => gateway.records().filter(({ kind }) => kind === 'mismatch');
const metricOf = async (gateway, name) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(await gateway.metrics())?.[1]);
const warningsOf = async (gateway) => (await gateway.readiness()).body.warnings ?? [];

describe('the state file', () => {
  let file;
  let gateway;
  before(async () => ({ file, gateway } = await startWithState()));
  after(() => gateway?.stop());

  it('is for its owner alone, with all that stands beside it', () => {
    const names = readdirSync(join(file, '..'));
    assert.deepEqual(names.sort(), ['state.db', 'state.db-wal']);
    for (const name of names) assert.equal(statSync(join(file, '..', name)).mode & 0o777, 0o600, name);
  });

  it('belongs to one gateway', async () => {
    const other = join(temporaryDirectory(), 'other.toml');
    const text = readFileSync(gateway.configFile, 'utf8')
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:0')
      .replace(gateway.auditFile, join(temporaryDirectory(), 'audit.jsonl'));
    writeFileSync(other, text);
    const { code, stderr } = await runProgram('run', other);
    assert.equal(code, 1);
    assert.match(stderr, /state\.db is used by another process: give each gateway one of its own, by \[state\] file/);
  });

  it('has no failures, and nothing to say of a record that is new', async () => {
    assert.equal(await metricOf(gateway, 'bartizan_state_failures_total'), 0);
    assert.equal(await metricOf(gateway, 'bartizan_state_mismatches_total'), 0);
    assert.deepEqual(await warningsOf(gateway), []);
  });

  it('is one file after a stop in order', async () => {
    await gateway.stop();
    assert.deepEqual(readdirSync(join(file, '..')), ['state.db']);
  });

  it('is refused where others may read it', async () => {
    chmodSync(file, 0o640);
    const { code, stderr } = await runProgram('run', gateway.configFile);
    assert.equal(code, 1);
    assert.match(stderr, /state\.db is open to others: chmod 600/);
    chmodSync(file, 0o600);
  });

  it('is refused where it is something else, which stays as it is', async () => {
    rmSync(file);
    writeFileSync(file, 'dear diary\n', { mode: 0o600 });
    const { code, stderr } = await runProgram('run', gateway.configFile);
    assert.equal(code, 1);
    assert.match(stderr, /state\.db is not a SQLite database, and nothing is written to it/);
    assert.equal(readFileSync(file, 'utf8'), 'dear diary\n');
    rmSync(file);
  });
});

describe('the record at the next start', () => {
  let gateway;
  beforeEach(async () => {
    ({ gateway } = await startWithState());
    await callOften(gateway, 5);
  });

  /** Starts again after `change`, and says what it found: nothing, or the record of it. */
  async function found(change) {
    change(gateway.auditFile);
    gateway = await gateway.again();
    const told = mismatches(gateway);
    const log = gateway.log().split('\n').filter((line) => line.includes('record is not what the state file remembers'));
    const warnings = (await warningsOf(gateway)).filter((line) => line.startsWith('the record does not hold'));
    assert.equal(await metricOf(gateway, 'bartizan_state_mismatches_total'), told.length);
    assert.equal(log.length, told.length);
    assert.equal(warnings.length, told.length);
    await callOften(gateway, 1);
    await gateway.stop();
    return told;
  }
  /** Started once more, it has nothing more to say. */
  async function assertSaidOnce() {
    const before = mismatches(gateway).length;
    gateway = await gateway.again();
    assert.equal(mismatches(gateway).length, before);
    await gateway.stop();
  }

  it('is the same: nothing is said', async () => {
    await gateway.stop();
    assert.deepEqual(await found(() => {}), []);
  });

  it('is longer after a kill: nothing is said', async () => {
    await gateway.crash();
    assert.ok(existsSync(gateway.auditFile));
    assert.deepEqual(await found(() => {}), []);
  });

  it('was cut: it is said once, with what was expected and what is there', async () => {
    await gateway.stop();
    const lines = linesOf(gateway.auditFile);
    const expected = JSON.parse(lines.at(-1));
    const left = JSON.parse(lines.at(-4));
    const told = await found((file) => writeFileSync(file, `${lines.slice(0, -3).join('\n')}\n`));
    assert.equal(told.length, 1);
    assert.equal(told[0].principal, 'gateway');
    assert.equal(told[0].head, `${expected.seq}:${expected.hash}`);
    assert.equal(told[0].detail, `it ends with record ${left.seq}:${left.hash}`);
    const { code, stdout, stderr } = await runProgram('audit', 'verify', gateway.auditFile);
    assert.equal(code, 0, `the chain alone shows nothing of it: ${stdout}${stderr}`);
    await assertSaidOnce();
  });

  it('was cut to what it was at the start, after a minute and a kill: it is said', async () => {
    await gateway.stop();
    const time = shiftedTime();
    ({ gateway } = await startWithState({ program: time.program }));
    await time.pass(2_000);
    const atStart = linesOf(gateway.auditFile).length;
    await callOften(gateway, 5);
    await time.pass(61_000);
    const remembered = gateway.records().length;
    await gateway.crash();
    const told = await found((file) => {
      rmSync(`${file}.spool`, { force: true });
      writeFileSync(file, `${linesOf(file).slice(0, atStart).join('\n')}\n`);
    });
    assert.equal(told.length, 1, 'the head of the start would have been there still');
    const sequence = Number(told[0].head.split(':')[0]);
    assert.ok(sequence > atStart && sequence <= remembered, `${atStart} ${sequence} ${remembered}`);
  });

  it('is gone: it is said', async () => {
    await gateway.stop();
    const told = await found((file) => rmSync(file));
    assert.deepEqual(told.map(({ detail }) => detail), ['it has no records']);
    await assertSaidOnce();
  });

  it('was cut, and the start fails at a later step: the next start says it again', async () => {
    await gateway.stop();
    const lines = linesOf(gateway.auditFile);
    writeFileSync(gateway.auditFile, `${lines.slice(0, -3).join('\n')}\n`);
    const sound = readFileSync(gateway.configFile, 'utf8');
    const taken = join(temporaryDirectory(), 'admin.sock');
    writeFileSync(taken, 'no socket');
    writeFileSync(gateway.configFile, `${sound}\n[admin]\nsocket = ${JSON.stringify(taken)}\n`);
    const { code, stderr } = await runProgram('run', '--config', gateway.configFile);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /record is not what the state file remembers/);
    assert.match(stderr, /admin\.sock/);
    writeFileSync(gateway.configFile, sound);
    gateway = await gateway.again();
    const told = mismatches(gateway);
    assert.equal(told.length, 2);
    assert.equal(told[1].head, told[0].head);
    assert.equal((await warningsOf(gateway)).length, 1);
    await gateway.stop();
    await assertSaidOnce();
  });

  it('is not new, and the state file is: the log has a warning', async () => {
    const kWarning = 'state file is new though the record is not';
    assert.ok(!gateway.log().includes(kWarning), 'both are new');
    await gateway.stop();
    assert.deepEqual(await found(() => {}), []);
    assert.ok(!gateway.log().includes(kWarning), 'none is new');
    assert.deepEqual(await found(() => rmSync(JSON.parse(/^file = (".*state\.db")$/m.exec(readFileSync(gateway.configFile, 'utf8'))[1]))), []);
    assert.equal(gateway.log().split(kWarning).length, 2);
  });

  it('was cut after a kill: it is said', async () => {
    // What was remembered last is how the record stood at the stop, or a second after the start.
    await gateway.stop();
    gateway = await gateway.again();
    await gateway.crash();
    rmSync(`${gateway.auditFile}.spool`, { force: true });
    const told = await found((file) => writeFileSync(file, `${linesOf(file).slice(0, 4).join('\n')}\n`));
    assert.equal(told.length, 1);
    assert.match(told[0].detail, /^it ends with record 4:/);
  });
});

it('is named by check where its folder is not there', async () => {
  const folder = temporaryDirectory();
  const config = join(folder, 'c.toml');
  writeFileSync(config, `version = 1\n[audit]\nfile = "audit.jsonl"\n[state]\nfile = "none/state.db"\n[auth.stdio]\nprincipal = "ann"\n[principal.ann]\n`);
  const { code, stderr } = await runProgram('check', config);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /c\.toml:4:2: warning: the folder of the state file ".*none\/state\.db" does not exist on this machine/);
});
