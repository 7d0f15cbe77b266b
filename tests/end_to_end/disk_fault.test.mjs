// The disk fails under the record in every way that can be brought about: new calls are refused and
// reach no server, /readyz says why, and the end of the fault is enough to go on.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually, textOf } from './assertions.mjs';
import { kProgram, runProgram, startGateway, temporaryDirectory } from './harness.mjs';
import { answerText, startScriptedServer } from './scripted_http.mjs';
import { httpServer, kRude, stdioServer } from './servers.mjs';
import { StdioPeer, stdioPlace } from './stdio_peer.mjs';
import { LegacySession, responseOf, sendModern } from './wire.mjs';

const kPreload = join(dirname(kProgram), 'fault_preload.so');
const skip = existsSync(kPreload) ? false : `no ${kPreload}: only the development build has it`;
const kHour = 3600;
const kRule = '[rule.all]\neffect = "permit"\nroles = ["tester"]\ntools = ["*/*"]\n';

/** A gateway whose disk can be made to fail, and a server that says what reached it. */
class Story {
  static async start(audit = '') {
    const story = new Story();
    // A call is answered at once, or when the story says so.
    story.held = undefined;
    const onCall = (message, response) => {
      const answer = () => answerText(response, message.id, 'done');
      if (message.params.arguments.hold) story.held = answer;
      else answer();
    };
    story.server = await startScriptedServer({ onCall });
    const configuration = `${httpServer('web', story.server.url)}
[rule.all]
effect = "permit"
roles = ["tester"]
tools = ["web/echo"]
`;
    story.plan = join(temporaryDirectory(), 'faults');
    const environment = { LD_PRELOAD: kPreload, BARTIZAN_FAULTS: story.plan };
    // A folder of its own, because one fault takes it away.
    story.gateway = await startGateway(configuration, { audit, environment, auditFolder: 'record' });
    story.session = await LegacySession.open(story.gateway.url);
    story.id = 0;
    assert.ok((await story.call()).result, 'a call passes');
    return story;
  }

  call(given = {}) {
    return this.session.call((this.id += 1), 'web_echo', given);
  }

  reached() {
    return this.server.received('tools/call').length;
  }

  /** Faults from now on, one a line; none ends them. Written whole: the process reads at any time. */
  faults(...lines) {
    writeFileSync(`${this.plan}.new`, lines.map((line) => `${line}\n`).join(''));
    renameSync(`${this.plan}.new`, this.plan);
  }

  kinds(kind) {
    const folder = dirname(this.gateway.auditFile);
    const names = () => readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
    // What stands behind the last line end is torn, and no record yet or ever.
    const linesOf = (name) => readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1);
    let lines;
    // A file may be closed or removed between its being found and read.
    for (let looks = 1; !lines; looks += 1) {
      try {
        lines = names().flatMap(linesOf);
      } catch (error) {
        if (error.code !== 'ENOENT' || looks === 10) throw error;
      }
    }
    const records = lines.map((line) => JSON.parse(line)).sort((one, other) => one.seq - other.seq);
    return records.filter((record) => record.kind === kind);
  }

  /** Refused and unheard of by the server; and why, at /readyz. */
  async assertRefuses(why, count = 3) {
    const before = this.reached();
    for (let call = 0; call < count; call += 1) {
      const { error } = await this.call();
      assertRefused(error, 'not_recordable');
      assert.equal(error.code, -32000);
    }
    assert.equal(this.reached(), before, 'nothing reached the server');
    const { status, body } = await this.gateway.readiness();
    assert.equal(status, 503);
    assert.match(body.reason, why);
  }

  /** Ready without a call, one gap record more, and one chain. */
  async assertRecovers(refused = 3) {
    const gaps = this.kinds('gap').length;
    await eventually(() => this.gateway.isReady(), 'the gateway is ready again', 15_000);
    assert.ok((await this.call()).result, 'a call passes again');
    const all = this.kinds('gap');
    assert.equal(all.length, gaps + 1, 'the gap is told once');
    assert.ok(all.at(-1).count >= refused, `${all.at(-1).count} of at least ${refused}`);
    await this.assertVerifies();
  }

  /** By the head that the last record has. */
  async assertVerifies() {
    const { seq, hash } = this.gateway.records().at(-1);
    const head = `${seq}:${hash}`;
    const { code, stdout, stderr } = await runProgram('audit', 'verify', this.gateway.auditFile, '--head', head);
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  }

  async stop() {
    await this.gateway.stop();
    await this.server.stop();
  }
}

describe('a disk that fails', { skip }, () => {
  let story;
  before(async () => {
    story = await Story.start();
  });
  after(() => story?.stop());

  const kFaults = [
    ['is full', ['write ENOSPC record/audit.jsonl'], /No space left/],
    [
      'is full in the middle of a record',
      ['write ENOSPC record/audit.jsonl 50', 'pwrite ENOSPC record/audit.jsonl'],
      /No space left/,
    ],
    ['is read-only', ['write EROFS record/audit.jsonl'], /Read-only/],
    ['does not write', ['write EIO record/audit.jsonl'], /Input\/output/],
    [
      'tears every record that it writes',
      ['write EIO record/audit.jsonl 70', 'pwrite EIO record/audit.jsonl 90'],
      /only a part/,
    ],
  ];
  for (const [what, faults, why] of kFaults) {
    it(what, async () => {
      const repairs = story.kinds('repair').length;
      story.faults(...faults);
      await story.assertRefuses(why);
      story.faults();
      await story.assertRecovers();
      const isTorn = faults.some((fault) => / \d+$/.test(fault));
      const told = story.kinds('repair').slice(repairs);
      assert.equal(told.length, isTorn ? 1 : 0, 'a torn record is told');
      if (isTorn) assert.match(told[0].detail, /^\d+ bytes of a torn record were cut off$/);
    });
  }

  it('withholds the answer of a call whose outcome it cannot record', async () => {
    const answer = story.call({ hold: true });
    await eventually(() => story.held, 'the call is at the server');
    story.faults('write EIO record/audit.jsonl');
    story.held();
    const { error, result } = await answer;
    assert.equal(result, undefined);
    const id = assertRefused(error, 'not_recordable');
    story.faults();
    await story.assertRecovers(1);
    // Its decision is on record, and that it has no outcome tells that the answer was withheld.
    assert.equal(story.kinds('decision').filter((record) => record.decision_id === id).length, 1);
    assert.equal(story.kinds('outcome').filter((record) => record.decision_id === id).length, 0);
  });

  it('loses the file, which somebody moved', async () => {
    const file = story.gateway.auditFile;
    renameSync(file, `${file}.away`);
    await eventually(async () => !(await story.gateway.isReady()), 'it is noticed');
    await story.assertRefuses(/moved, removed or replaced/);
    writeFileSync(file, '');
    await story.assertRefuses(/moved, removed or replaced/);
    renameSync(`${file}.away`, file);
    await story.assertRecovers(6);
  });

  it('loses the folder', async () => {
    const folder = dirname(story.gateway.auditFile);
    renameSync(folder, `${folder}.away`);
    await eventually(async () => !(await story.gateway.isReady()), 'it is noticed');
    await story.assertRefuses(/moved, removed or replaced/);
    renameSync(`${folder}.away`, folder);
    await story.assertRecovers();
  });

  it('has bytes in the record that are not its own', async () => {
    const file = story.gateway.auditFile;
    const own = readFileSync(file);
    writeFileSync(file, 'dear diary\n', { flag: 'a' });
    await story.assertRefuses(/somebody else has written/);
    assert.ok(readFileSync(file).equals(Buffer.concat([own, Buffer.from('dear diary\n')])), 'nothing was cut off');
  });

  it('and a file that is removed is told at once', async (t) => {
    const removed = await Story.start();
    t.after(() => removed.stop());
    // Right after other calls the file is not looked at, or records go to the spool first.
    await delay(500);
    rmSync(removed.gateway.auditFile);
    await removed.assertRefuses(/removed/);
  });
});

describe('a disk that does not keep what it was given', { skip }, () => {
  it('counts nothing as durable until it was written again', async (t) => {
    const story = await Story.start('durability = "disk"');
    t.after(() => story.stop());
    story.faults('fdatasync EIO record/audit.jsonl');
    await story.assertRefuses(/cannot be made durable/);
    // The sync would succeed now, as kernels have it; the bytes are not known to be there.
    story.faults('pwrite EIO record/audit.jsonl');
    await story.assertRefuses(/cannot be (made durable|written)/);
    story.faults();
    await story.assertRecovers(6);
  });
});

describe('a configuration that cannot be put on record', { skip }, () => {
  it('does not take over, and what is on record of it says so', async (t) => {
    const story = await Story.start('durability = "disk"');
    t.after(() => story.stop());
    const { digest } = (await story.gateway.readiness()).body.config;
    story.faults('fdatasync EIO record/audit.jsonl');
    writeFileSync(story.gateway.configFile, '# Changed.\n', { flag: 'a' });
    story.gateway.process.kill('SIGHUP');
    const reloads = async () => (await story.gateway.readiness()).body.config.reloads;
    await eventually(async () => (await reloads()).refused > 0, 'it is refused', 20_000);
    assert.equal((await reloads()).error, 'the reload cannot be recorded');
    story.faults();
    await eventually(() => story.kinds('reload').length > 1, 'it is taken back', 20_000);
    const [wanted, instead] = story.kinds('reload');
    assert.equal(wanted.detail, `takes over from ${digest}`);
    assert.deepEqual([instead.decision, instead.reason, instead.detail, instead.policy], [
      'deny', 'not_recordable', `did not take over from ${digest}`, wanted.policy,
    ]);
    await eventually(async () => (await story.call()).result, 'calls pass', 15_000);
    assert.equal(story.kinds('decision').at(-1).policy, digest);
    await story.assertVerifies();
  });
  it('takes over at last, and that is the last word', async (t) => {
    const story = await Story.start('durability = "disk"');
    t.after(() => story.stop());
    story.faults('fdatasync EIO record/audit.jsonl');
    writeFileSync(story.gateway.configFile, '# Changed.\n', { flag: 'a' });
    const reloads = async () => (await story.gateway.readiness()).body.config.reloads;
    story.gateway.process.kill('SIGHUP');
    await eventually(async () => (await reloads()).refused > 0, 'it is refused', 20_000);
    story.faults();
    // As soon as the record works again, before the gateway tries for itself.
    const isApplied = async () => story.gateway.process.kill('SIGHUP') && (await reloads()).applied > 0;
    await eventually(isApplied, 'it takes over', 20_000);
    const wasTakenBack = () => story.kinds('reload').some(({ decision }) => decision === 'deny');
    await eventually(wasTakenBack, 'the first one is taken back', 20_000);
    const told = story.kinds('reload').map(({ policy, decision }) => `${decision} ${policy}`);
    const { digest } = (await story.gateway.readiness()).body.config;
    assert.deepEqual(told, [`undefined ${digest}`, `deny ${digest}`, `undefined ${digest}`]);
    await story.assertVerifies();
  });
});

describe('a gateway that stops while a configuration waits for the disk', { skip }, () => {
  const kWaits = [
    ['to be put on record', 'hold fdatasync record/audit.jsonl'],
    ['to be taken back', 'fdatasync EIO record/audit.jsonl'],
  ];
  for (const [what, fault] of kWaits) {
    it(`${what} takes it back first`, async (t) => {
      const story = await Story.start('durability = "disk"');
      t.after(() => story.stop());
      const { gateway } = story;
      const { digest } = (await gateway.readiness()).body.config;
      story.faults(fault);
      writeFileSync(gateway.configFile, '# Changed.\n', { flag: 'a' });
      gateway.process.kill('SIGHUP');
      await eventually(() => story.kinds('reload').length > 0, 'it is on record', 20_000);
      if (!fault.startsWith('hold')) {
        await eventually(async () => !(await gateway.isReady()), 'the record fails');
        story.faults();
        await eventually(() => gateway.isReady(), 'the record works again', 15_000);
      }
      gateway.process.kill('SIGTERM');
      await eventually(() => story.kinds('stop').length > 0, 'it stops', 20_000);
      story.faults();
      const told = story.kinds('reload').map(({ decision, detail }) => [decision, detail]);
      assert.deepEqual(told, [
        [undefined, `takes over from ${digest}`], ['deny', `did not take over from ${digest}`],
      ]);
      assert.equal(story.kinds('stop')[0].policy, digest);
      await story.assertVerifies();
    });
  }
});

describe('a modern call', { skip }, () => {
  it('is refused and reaches no server while nothing can be recorded', async (t) => {
    const server = await startScriptedServer({ era: 'modern' });
    const plan = join(temporaryDirectory(), 'faults');
    const environment = { LD_PRELOAD: kPreload, BARTIZAN_FAULTS: plan };
    const gateway = await startGateway(httpServer('web', server.url) + kRule, { environment });
    t.after(() => gateway.stop().then(() => server.stop()));
    const call = async () => responseOf(await sendModern(gateway.url, 'tools/call', { name: 'web_echo', arguments: {} }));
    assert.ok((await call()).result);
    const before = server.received('tools/call').length;
    writeFileSync(plan, 'write EIO audit.jsonl\n');
    assertRefused((await call()).error, 'not_recordable');
    assert.equal(server.received('tools/call').length, before);
    writeFileSync(plan, '');
    await eventually(() => gateway.isReady(), 'the gateway is ready again', 15_000);
    assert.ok((await call()).result);
  });
});

describe('an answer of the client to a server', { skip }, () => {
  it('that cannot be recorded does not reach it, and may be given again', async () => {
    const place = stdioPlace();
    const config = join(place.directory, 'bartizan.toml');
    const who = '[auth.stdio]\nprincipal = "tester"\n[principal.tester]\nroles = ["tester"]\n[role.tester]\n';
    const rude = stdioServer('rude', [kRude], 'client_features = ["roots"]');
    writeFileSync(config, `version = 1\n${who}[audit]\nfile = "audit.jsonl"\n${rude}${kRule}`);
    const plan = join(place.directory, 'faults');
    const environment = { LD_PRELOAD: kPreload, BARTIZAN_FAULTS: plan };
    const peer = new StdioPeer(['run', '--stdio', config], { place, environment });
    const recordsOf = () => readFileSync(join(place.directory, 'audit.jsonl'), 'utf8').split('\n').slice(0, -1).map((line) => JSON.parse(line));
    await peer.initialize({ capabilities: { roots: {} } });
    peer.send({ id: 1, method: 'tools/call', params: { name: 'rude_ask', arguments: { text: 'roots/list' } } });
    const { id } = await peer.next(({ method }) => method === 'roots/list', 'the server asks');
    const answer = { id, result: { roots: [{ uri: 'file:///srv' }] } };
    writeFileSync(plan, 'write EIO audit.jsonl\n');
    peer.send(answer);
    await peer.next(({ error }) => error && /record/.test(error.message), 'the answer is refused');
    writeFileSync(plan, '');
    await eventually(() => recordsOf().some(({ kind }) => kind === 'gap'), 'the record goes on', 15_000);
    peer.send(answer);
    assert.match(textOf((await peer.answer(1)).result), /file:\/\/\/srv/);
    // Once it was taken there is nothing to answer any more.
    peer.send(answer);
    await peer.next(({ error }) => error && !/record/.test(error.message), 'the second is refused');
    await peer.end();
    const outcomes = recordsOf().filter(({ kind, direction }) => kind === 'outcome' && direction === 'server_to_client');
    assert.deepEqual(outcomes.map(({ outcome, method }) => [outcome, method]), [['success', 'roots/list']]);
  });
});

describe('a file that cannot be closed', { skip }, () => {
  const kFaults = [
    ['for want of descriptors', 'open EMFILE audit.jsonl.next'],
    ['because the folder is read-only', 'open EACCES audit.jsonl.next'],
    ['because the disk is full', 'write ENOSPC audit.jsonl.next 30'],
    ['because it cannot be renamed', 'rename EACCES audit.jsonl'],
    ['and what was prepared cannot be taken away', 'write EIO audit.jsonl.next 30', 'unlink EROFS audit.jsonl.next'],
  ];
  for (const [why, ...faults] of kFaults) {
    it(`goes on, ${why}, and is closed when it can be`, async (t) => {
      const story = await Story.start('rotate = { size = "4 KiB" }');
      t.after(() => story.stop());
      story.faults(...faults);
      for (let call = 0; call < 10; call += 1) assert.ok((await story.call()).result);
      const { body } = await eventually(async () => {
        const readiness = await story.gateway.readiness();
        return readiness.body.warnings && readiness;
      }, 'it is told');
      assert.match(body.warnings.join(), /cannot be rotated/);
      assert.equal(body.ready, true);
      await story.assertVerifies();
      const closed = story.kinds('file_begin').length;
      // Tried again after a while, which the clock brings about.
      story.faults('clock 60');
      await eventually(() => story.kinds('file_begin').length > closed, 'it is closed');
      await eventually(async () => !(await story.gateway.readiness()).body.warnings, 'nothing is told any more');
      await story.assertVerifies();
    });
  }

  it('stops every call when the next one cannot take its place, until it can', async (t) => {
    const story = await Story.start('rotate = { size = "4 KiB" }');
    t.after(() => story.stop());
    story.faults('rename EIO audit.jsonl.next');
    let error;
    for (let call = 0; call < 200 && !error; call += 1) ({ error } = await story.call());
    assertRefused(error, 'not_recordable');
    await story.assertRefuses(/cannot take its place/);
    story.faults();
    await story.assertRecovers();
  });
});

describe('a retention', { skip }, () => {
  it('removes closed files when their time is over, and verification says what is not missing', async (t) => {
    const story = await Story.start('rotate = { size = "4 KiB" }\nretention = "24h"');
    t.after(() => story.stop());
    for (let call = 0; call < 30; call += 1) assert.ok((await story.call()).result);
    assert.match(await story.assertVerifies(), /also read: \d+ closed files?/);
    // The clock goes, the process stays.
    story.faults(`clock ${30 * kHour}`);
    await eventually(() => story.kinds('file_removed').length > 0, 'a file was removed', 15_000);
    // A head proves removals that it covers: the last of them is waited for.
    const isQuiet = async () => {
      const before = story.gateway.records().length;
      await new Promise((done) => setTimeout(done, 700));
      return story.gateway.records().length === before;
    };
    await eventually(isQuiet, 'no further file is removed', 15_000);
    assert.match(await story.assertVerifies(), /not missing: records 1 to \d+: removed by retention/);
    const metrics = await story.gateway.metrics();
    assert.match(metrics, /bartizan_audit_removed_files_total [1-9]/);
    assert.match(metrics, /bartizan_audit_rotations_total [1-9]/);
    assert.match(metrics, /bartizan_audit_free_bytes [1-9]/);
  });
});
