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
