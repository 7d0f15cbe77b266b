// What a person or a script asks of the program without a gateway that runs.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { runProgram, temporaryDirectory } from './harness.mjs';

const kPolicy = `version = 1
[server.files]
command = ["/bin/cat"]
[role.analyst]
[principal.ann]
roles = ["analyst"]
[path.docs]
root = "/srv/data"
[tool."files/read".arguments]
"/head" = { number = { max = 10 } }
[rule.analysts-read]
effect = "permit"
roles = ["analyst"]
tools = ["files/read"]
[audit]
file = "audit.jsonl"
`;

/** Files in a folder of their own, by name. */
function write(files) {
  const folder = temporaryDirectory();
  return Object.fromEntries(Object.entries(files).map(([name, text]) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return [name, path];
  }));
}

describe('bartizan diff', () => {
  it('says that an argument without a predicate was refused', async () => {
    const files = write({ 'old.toml': kPolicy, 'new.toml': kPolicy.replace('[rule.', '"/path" = { path = "docs", optional = true }\n[rule.') });
    const { code, stdout } = await runProgram('diff', files['old.toml'], files['new.toml']);
    assert.equal(code, 1);
    assert.match(stdout, /gains more of files\/read, .*argument_unguarded at \/path; \/path was refused, as no predicate names it, is a path/);
  });

  it('calls a predicate for an open argument a loss', async () => {
    const open = `${kPolicy}[policy]\nunguarded_arguments = "allow"\n`;
    const files = write({ 'old.toml': open, 'new.toml': open.replace('[rule.', '"/path" = { path = "docs", optional = true }\n[rule.') });
    const { code, stdout } = await runProgram('diff', files['old.toml'], files['new.toml']);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /loses some of files\/read, .*\/path was without a predicate, is a path/);
  });
});

describe('bartizan audit tail', () => {
  it('refuses several records, and says what to name', async () => {
    const files = write({ 'one.jsonl': '', 'two.jsonl': '' });
    const { code, stdout, stderr } = await runProgram('audit', 'tail', files['one.jsonl'], files['two.jsonl']);
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /bartizan audit: name one record; its closed files are read, too/);
    assert.equal((await runProgram('audit', 'tail', files['one.jsonl'])).code, 0);
  });
});

describe('bartizan key new', () => {
  it('writes the day from which the key is refused, and a configuration takes it', async () => {
    const made = await runProgram('key', 'new', 'laptop', '--principal', 'ann', '--expires', '90d', '--json');
    assert.equal(made.code, 0, made.stderr);
    const { toml } = JSON.parse(made.stdout);
    const day = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);
    assert.ok(toml.endsWith(`\nexpires = ${day}\n`), toml);
    const { 'policy.toml': policy } = write({ 'policy.toml': kPolicy + toml });
    assert.equal((await runProgram('check', policy)).code, 0);
    const late = await runProgram('key', 'new', 'laptop', '--principal', 'ann', '--expires', '2020-01-01', '--json');
    assert.equal(late.code, 1);
    assert.match(late.stderr, /2020-01-01 is not after today/);
  });
});

describe('bartizan explain --time', () => {
  it('judges the call as at that time', async () => {
    const { 'policy.toml': policy } = write({ 'policy.toml': kPolicy.replace('effect = "permit"', 'effect = "permit"\nexpires = 2027-03-31') });
    const explain = (time) => runProgram('explain', '--policy', policy, '--as', 'ann', 'files/read', 'head=1', '--time', time);
    assert.match((await explain('2027-03-30T23:59:59Z')).stdout, /^permit/);
    assert.match((await explain('2027-03-31T00:00:00Z')).stdout, /^deny, no_matching_rule/);
    const wrong = await explain('noon');
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /"noon" is not a time: write 2026-11-30, /);
  });
});

describe('reports for services that run checks', () => {
  const kCases = `version = 1
[case.ten-lines]
principal = "ann"
tool = "files/read"
arguments = { head = 10 }
decision = "permit"
[case.eleven]
principal = "ann"
tool = "files/read"
arguments = { head = 11 }
decision = "permit"
`;

  it('annotates the lines of cases that fail', async () => {
    const files = write({ 'policy.toml': kPolicy, 'cases.toml': kCases });
    const { code, stdout } = await runProgram('test', files['policy.toml'], files['cases.toml'], '--format', 'github');
    assert.equal(code, 1);
    assert.match(stdout, /^::error file=[^,]*cases\.toml,line=7,col=\d+::"eleven": expected permit; got deny, argument_not_allowed at \/head\n$/);
  });

  it('annotates the rules that match in no case', async () => {
    const never = '[rule.never]\neffect = "forbid"\nroles = ["*"]\ntools = ["files/write"]\n';
    const files = write({ 'policy.toml': kPolicy + never, 'cases.toml': kCases.slice(0, kCases.indexOf('[case.eleven')) });
    const { code, stdout } = await runProgram('test', files['policy.toml'], files['cases.toml'], '--every-rule', '--format', 'github');
    assert.equal(code, 1);
    assert.match(stdout, /^::error file=[^,]*policy\.toml,line=17,col=\d+::rule never matches in no case\n$/);
  });

  it('gives each result of SARIF a rule that the driver describes', async () => {
    const { 'policy.toml': policy, 'wrong.toml': wrong } = write({ 'policy.toml': kPolicy, 'wrong.toml': kPolicy.replace('version = 1', 'version = 1\nbad = 2') });
    for (const [file, rule] of [[policy, 'doubtful-configuration'], [wrong, 'invalid-configuration']]) {
      const { runs: [{ tool: { driver }, results }] } = JSON.parse((await runProgram('check', file, '--format', 'sarif')).stdout);
      assert.ok(results.length > 0);
      assert.ok(results.some(({ ruleId }) => ruleId === rule), JSON.stringify(results));
      for (const { ruleId, ruleIndex } of results) assert.equal(driver.rules[ruleIndex].id, ruleId);
      assert.ok(driver.rules.every(({ shortDescription }) => shortDescription.text.endsWith('.')));
    }
  });
});

describe('bartizan who-can', () => {
  it('counts what the schema of the tool in the lock file requires', async () => {
    const permit = (mode) => kPolicy.replace('tools = ["files/read"]', `tools = ["files/read"]\nwhen = { "/mode" = { one_of = ["${mode}"] } }`).replace(/\[tool.*\n.*\n/, '');
    const definition = { name: 'read', inputSchema: { type: 'object', required: ['mode'], properties: { mode: { enum: ['fast', 'safe'] } } } };
    for (const [mode, code, wanted] of [['safe', 0, /may call it under conditions:\n {2}role analyst; principal ann: rule analysts-read/], ['slow', 1, /no caller may call it/]]) {
      const files = write({ 'policy.toml': `${permit(mode)}[pins]\nfile = "bartizan.lock"\n`, 'bartizan.lock': JSON.stringify({ version: 2, servers: { files: { tools: { read: { approval: 'person', definition } } } } }) });
      const told = await runProgram('who-can', 'files/read', '--config', files['policy.toml']);
      assert.equal(told.code, code, told.stdout + told.stderr);
      assert.match(told.stdout, wanted);
    }
  });
});
