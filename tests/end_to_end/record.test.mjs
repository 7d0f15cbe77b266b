// What happened is on record: complete, in order, verifiable without a secret, and readable.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused, failureOf, textOf } from './assertions.mjs';
import { kClients } from './clients.mjs';
import { runProgram, startGateway } from './harness.mjs';
import { kDual, stdioServer } from './servers.mjs';
import { send } from './wire.mjs';

const kRules = `
[rule.testers-may]
effect = "permit"
roles = ["tester"]
tools = ["dual/echo"]
[rule.nobody-may]
effect = "forbid"
roles = ["*"]
tools = ["dual/forbidden"]
`;
const kSecretText = 'a-value-that-must-not-be-on-record';
const kCalls = 20;

describe('the record', () => {
  let gateway;
  let records;
  const refusals = [];
  before(async () => {
    gateway = await startGateway(stdioServer('dual', [kDual]) + kRules);
    const connection = await kClients[0].connect(gateway.url);
    for (let call = 0; call < kCalls; call += 1) {
      textOf(await connection.call('dual_echo', { text: kSecretText }));
    }
    for (const [name, reason] of [['dual_forbidden', 'forbidden'], ['dual_slow', 'no_matching_rule']]) {
      const error = await failureOf(connection.call(name, { text: kSecretText }));
      refusals.push({ id: assertRefused(error, reason), reason });
    }
    await send(gateway.url, { headers: { origin: 'https://evil.example' }, body: '{}' });
    await connection.close();
    await gateway.stop();
    records = gateway.records();
  });
  after(() => gateway?.stop());

  const ofKind = (kind) => records.filter((record) => record.kind === kind);

  it('verifies', async () => {
    const { code, stdout, stderr } = await runProgram('audit', 'verify', gateway.auditFile);
    assert.equal(code, 0, stdout + stderr);
  });

  it('begins with the start of the process and ends with its stop', () => {
    assert.deepEqual([records.at(0).kind, records.at(-1).kind], ['start', 'stop']);
  });

  it('numbers without a gap', () => {
    const expected = records.map((_, index) => records[0].seq + index);
    assert.deepEqual(records.map((record) => record.seq), expected);
  });

  it('has a decision before each outcome', () => {
    const calls = ofKind('decision').filter((record) => record.method === 'tools/call');
    const permitted = calls.filter((record) => record.principal === 'tester' && record.decision === 'permit');
    assert.equal(permitted.length, kCalls);
    for (const decision of permitted) {
      const outcome = ofKind('outcome').find((record) => record.decision_id === decision.decision_id);
      assert.ok(outcome, `no outcome of ${decision.decision_id}`);
      assert.ok(decision.seq < outcome.seq);
      assert.equal(outcome.outcome, 'success');
    }
  });

  it('says in an outcome which call it was and how it ended, and leaves the rest to its decision', () => {
    const outcome = ofKind('outcome').find(({ method }) => method === 'tools/call');
    assert.deepEqual(Object.keys(outcome).filter((name) => !['seq', 'prev', 'hash', 'line'].includes(name)), [
      'v', 'kind', 'time', 'decision_id', 'principal', 'server', 'method', 'target', 'outcome', 'bytes_out', 'duration_us',
    ]);
    const decision = ofKind('decision').find(({ decision_id: id }) => id === outcome.decision_id);
    for (const name of ['principal', 'server', 'method', 'target']) assert.equal(outcome[name], decision[name], name);
  });

  it('has each refusal under the id that the client was told', () => {
    for (const { id, reason } of refusals) {
      const record = records.find((candidate) => candidate.decision_id === id);
      assert.ok(record, `no record of ${id}`);
      assert.deepEqual([record.decision, record.reason, record.principal], ['deny', reason, 'tester']);
    }
  });

  it('has what was refused before a call was known', () => {
    assert.ok(ofKind('refusal').some((record) => record.reason === 'origin_not_allowed'));
  });

  it('never holds the value of an argument', () => {
    assert.ok(!readFileSync(gateway.auditFile, 'utf8').includes(kSecretText));
  });

  it('shows a refusal to people', async () => {
    const { id, reason } = refusals[0];
    const { code, stdout } = await runProgram('audit', 'show', id, gateway.auditFile);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(reason));
    assert.match(stdout, /nobody-may/);
  });

  describe('is found out when changed', () => {
    const changed = async (name, change) => {
      const lines = readFileSync(gateway.auditFile, 'utf8').split('\n').filter(Boolean);
      const path = join(gateway.directory, `${name}.jsonl`);
      writeFileSync(path, change(lines).join('\n') + '\n');
      return runProgram('audit', 'verify', path);
    };
    const middle = 10;
    const kChanges = {
      flipped: (lines) => lines.with(middle, lines[middle].replace('tester', 'tesser')),
      deleted: (lines) => lines.toSpliced(middle, 1),
      inserted: (lines) => lines.toSpliced(middle, 0, lines[middle]),
      swapped: (lines) => lines.with(middle, lines[middle + 1]).with(middle + 1, lines[middle]),
    };
    for (const [name, change] of Object.entries(kChanges)) {
      it(name, async () => {
        const { code, stdout, stderr } = await changed(name, change);
        assert.notEqual(code, 0);
        assert.match(stdout + stderr, new RegExp(`${name}\\.jsonl:1[0-2]`));
      });
    }
    it('truncated, with a head kept elsewhere', async () => {
      const last = records.at(-1);
      const lines = readFileSync(gateway.auditFile, 'utf8').split('\n').filter(Boolean).slice(0, -3);
      const path = join(gateway.directory, 'truncated.jsonl');
      writeFileSync(path, lines.join('\n') + '\n');
      const { code } = await runProgram('audit', 'verify', path, '--head', `${last.seq}:${last.hash}`);
      assert.notEqual(code, 0);
    });
  });
});
