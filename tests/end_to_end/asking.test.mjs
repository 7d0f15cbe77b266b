// The record is asked: who called what, what was refused and why, which secrets were masked, which call had
// these arguments.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { eventually } from './assertions.mjs';
import { makeCalls, startExporting } from './export_stage.mjs';
import { runProgram, temporaryDirectory } from './harness.mjs';
import { sendModern } from './wire.mjs';

const ask = (gateway, what, ...more) => runProgram('audit', what, gateway.auditFile, ...more);
const linesOf = (text) => text.split('\n').filter(Boolean);

describe('asking the record', () => {
  it('answers lines, CSV and JSON, while the gateway runs', async (t) => {
    const gateway = await startExporting(t, '[tool."dual/*"]\nrecord = ["/text"]\n');
    await makeCalls(gateway, 9);
    await eventually(() => gateway.records().filter(({ kind }) => kind === 'outcome').length >= 9, 'all is on record');
    const denied = gateway.records().filter(({ reason, kind }) => reason === 'no_matching_rule' && kind === 'decision');
    const json = await ask(gateway, 'query', '--decision', 'deny', '--kind', 'decision', '--json');
    assert.equal(json.code, 0, json.stderr);
    assert.deepEqual(linesOf(json.stdout), denied.map(({ line }) => line), 'the very lines of the record');
    const csv = await ask(gateway, 'query', '--tool', 'dual/forbidden', '--kind', 'decision', '--csv');
    const [head, ...rows] = linesOf(csv.stdout);
    assert.equal(head.split(',').length, 14);
    assert.equal(rows.length, denied.length);
    assert.match(rows[0], /^"\d+","\d{4}-\d\d-\d\dT[\d:.]+Z","decision","deny","no_matching_rule","tester","dual","forbidden",/u);
    const text = await ask(gateway, 'query', '--principal', 'tester', '--limit', '2');
    assert.equal(linesOf(text.stdout).length, 2);
    assert.match(text.stderr, /the last 2 records; --limit or --since shows others/);
    const words = await ask(gateway, 'query', '--text', '"call 3"', '--json');
    assert.equal(linesOf(words.stdout).length, 1);
    assert.match(words.stdout, /"arguments":\["\/text \\"call 3\\""\]/u);
    const none = await ask(gateway, 'query', '--since', '2099-01-01');
    assert.deepEqual([none.code, none.stdout], [0, '']);
    assert.match(none.stderr, /no record matches/);
    await makeCalls(gateway, 3);
    const more = await ask(gateway, 'query', '--decision', 'deny', '--kind', 'decision', '--json');
    assert.equal(linesOf(more.stdout).length, denied.length + 1, 'what is new is taken up');
    await gateway.stop();
    assert.equal(statSync(`${gateway.auditFile}.index`).mode & 0o777, 0o600);
  });

  it('says what to write where it is asked wrongly', async (t) => {
    const gateway = await startExporting(t, '');
    await gateway.stop();
    const rows = [
      [['query', '--since', 'tomorrow'], /tomorrow is not a time: write 2026-11-30, /],
      [['query', '--reason', 'no_such'], /no_such is not a reason of a refusal/],
      [['query', '--decision', 'perhaps'], /permit|deny/],
      [['find', '--arguments', '/nonexistent'], /name the configuration that has the digest key: --config FILE/],
      [['report', '--format', 'pdf'], /text|markdown|html/],
    ];
    for (const [given, wanted] of rows) {
      const [what, ...more] = given;
      const { code, stderr } = await ask(gateway, what, ...more);
      assert.equal(code, 2, given.join(' '));
      assert.match(stderr, wanted, given.join(' '));
    }
    const elsewhere = join(temporaryDirectory(), 'index');
    assert.equal((await ask(gateway, 'query', '--index', elsewhere)).code, 0);
    assert.ok(existsSync(elsewhere) && !existsSync(`${gateway.auditFile}.index`));
    const nowhere = await ask(gateway, 'query', '--index', '/nonexistent/index');
    assert.match(nowhere.stderr, /\/nonexistent\/index: /);
  });

  it('names what no record has, and takes a tool as clients see it', async (t) => {
    const gateway = await startExporting(t, '');
    await makeCalls(gateway, 3);
    await gateway.stop();
    for (const [given, wanted] of [
      [['--principal', 'testr'], /no record has the principal "testr"; did you mean "tester"\?/],
      [['--tool', 'dual/ecko'], /no record has the tool "dual\/ecko"; did you mean "dual\/echo"\?/],
      [['--rule', 'nothing-like-it'], /no record has the rule "nothing-like-it"; the record has "/],
      [['--principal', 'tester', '--since', '2099-01-01'], /no record matches/],
    ]) {
      const { code, stdout, stderr } = await ask(gateway, 'query', ...given, '--json');
      assert.equal(code, 0, given.join(' '));
      assert.equal(stdout, '', given.join(' '));
      assert.match(stderr, wanted, given.join(' '));
    }
    const lines = async (tool) => linesOf((await ask(gateway, 'query', '--tool', tool, '--json')).stdout);
    const own = await lines('dual/echo');
    assert.ok(own.length >= 2);
    assert.deepEqual(await lines('dual_echo'), own);
    assert.deepEqual(await lines('echo'), own);
  });

  it('finds the call that had exactly these arguments', async (t) => {
    const folder = temporaryDirectory();
    const key = join(folder, 'digest.key');
    writeFileSync(key, 'a key of digests', { mode: 0o600 });
    const gateway = await startExporting(t, '', { audit: `digest_key = "file:${key}"\n` });
    await makeCalls(gateway, 6);
    await sendModern(gateway.url, 'tools/call', { name: 'dual_echo', arguments: { text: 'the one' } });
    await gateway.stop();
    const file = join(folder, 'arguments.json');
    writeFileSync(file, '{ "text": "the one" }\n');
    const found = await runProgram('audit', 'find', '--arguments', file, '--config', gateway.configFile, '--json', '--index', join(folder, 'index'));
    assert.equal(found.code, 0, found.stderr);
    const [record, ...others] = linesOf(found.stdout).map((line) => JSON.parse(line));
    assert.equal(others.filter(({ kind }) => kind === 'decision').length, 0);
    assert.equal(record.target, 'echo');
    writeFileSync(file, '{"text":"the two"}');
    const nothing = await runProgram('audit', 'find', '--arguments', file, '--config', gateway.configFile, '--json', '--index', join(folder, 'index'));
    assert.equal(nothing.stdout, '');
  });

  it('ends with 1 for a report on a record that was changed after it was indexed', async (t) => {
    const gateway = await startExporting(t, '');
    await makeCalls(gateway, 3);
    await gateway.stop();
    assert.equal((await ask(gateway, 'report')).code, 0);
    const whole = readFileSync(gateway.auditFile, 'utf8');
    writeFileSync(gateway.auditFile, whole.replace('"tester"', '"nobody"'));
    for (const what of ['report', 'query']) {
      const { code, stdout, stderr } = await ask(gateway, what, ...(what === 'query' ? ['--principal', 'none'] : []));
      assert.equal(code, 1);
      assert.match(stderr, /audit\.jsonl:\d+: .*and was changed after it was indexed; records may be missing here: run bartizan audit verify/);
      assert.equal(stdout.includes('The record is not whole'), what === 'report');
    }
    assert.equal((await ask(gateway, 'verify')).code, 1);
    writeFileSync(gateway.auditFile, whole);
    assert.equal((await ask(gateway, 'report')).code, 0, 'it is as it was');
  });

  it('reports as text, Markdown, JSON and one page of HTML', async (t) => {
    const gateway = await startExporting(t, '');
    await makeCalls(gateway, 9);
    await gateway.stop();
    const text = (await ask(gateway, 'report')).stdout;
    assert.match(text, /\d+ requests permitted, \d+ refusals, 0 results withheld/);
    assert.match(text, /Refusals by reason\n +3 {2}no_matching_rule/);
    assert.match(text, /dual\/echo \(6 calls\)/);
    const markdown = (await ask(gateway, 'report', '--format', 'markdown')).stdout;
    assert.match(markdown, /\| no\\_matching\\_rule \| 3 \|/);
    const json = JSON.parse((await ask(gateway, 'report', '--json')).stdout);
    assert.deepEqual(json.refusals_by_reason, [{ what: 'no_matching_rule', count: 3 }]);
    const html = (await ask(gateway, 'report', '--format', 'html')).stdout;
    assert.match(html, /<svg /);
    assert.doesNotMatch(html, /<script|https?:|\bon\w+=/iu);
    const later = JSON.parse((await ask(gateway, 'report', '--json', '--since', '2099-01-01')).stdout);
    assert.deepEqual([later.records, later.since], [0, '2099-01-01T00:00:00Z']);
  });

  it('is never the truth: a line that was changed is refused', async (t) => {
    const gateway = await startExporting(t, '');
    await makeCalls(gateway, 6);
    await gateway.stop();
    assert.equal((await ask(gateway, 'query', '--json')).code, 0);
    writeFileSync(gateway.auditFile, readFileSync(gateway.auditFile, 'utf8').replace('no_matching_rule', 'no_matching_rulE'));
    const { code, stderr } = await ask(gateway, 'query', '--json');
    assert.equal(code, 1);
    assert.match(stderr, /is another one than it was: run bartizan audit verify/);
    rmSync(`${gateway.auditFile}.index`);
    const again = await ask(gateway, 'query', '--json');
    assert.match(again.stderr, /does not continue it; records may be missing here: run bartizan audit verify/);
  });
});
