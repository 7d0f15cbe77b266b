// `bartizan who-can` says who can call a tool: under a file, under what runs, and under what ran.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { eventually } from './assertions.mjs';
import { kTestsDirectory, runProgram, startGateway } from './harness.mjs';
import { apply, digestOf } from './reloading.mjs';
import { kPlain, stdioServer } from './servers.mjs';

const kAuth = `
[auth.api_key.laptop]
principal = "tester"
sha256 = "${digestOf('a key that nobody uses')}"
[principal.tester]
roles = ["tester"]
[role.tester]
[role.boss]
permissions = ["write:*"]
[principal.mia]
roles = ["boss"]
[auth.issuer.corp]
issuer = "https://login.example.com"
audiences = ["https://gateway.example.com/mcp"]
roles.groups = { "staff" = ["tester"], "heads" = ["boss"] }
`;
const kPolicy = `
[tool."plain/slow_echo".arguments]
"/token" = { text = { max_length = 8 } }
[rule.testers-echo]
effect = "permit"
roles = ["tester"]
tools = ["plain/slow_echo"]
when = { client_address = ["127.0.0.0/8"] }
`;
const kMore = `
[rule.bosses-echo]
effect = "permit"
roles = ["boss"]
tools = ["plain/*"]
`;

/** What who-can says of a caller, of its JSON. */
const of = (told, caller, name) => told.answers.find((answer) => answer.caller === caller && answer.name === name);

describe('who can call a tool', () => {
  const ask = async (...options) => {
    const { code, stdout, stderr } = await runProgram('who-can', ...options, '--json');
    assert.ok(code === 0 || code === 1, stderr);
    assert.notEqual(stdout, '', stderr);
    return { code, ...JSON.parse(stdout) };
  };
  const asText = async (...options) => runProgram('who-can', ...options);

  it('is answered for now, and for what was in force before', async (t) => {
    const gateway = await startGateway(stdioServer('plain', [kPlain]) + kPolicy, { auth: kAuth });
    t.after(() => gateway.stop());
    const folder = `${gateway.auditFile}.policies`;
    const first = readFileSync(gateway.configFile, 'utf8');
    assert.deepEqual(readdirSync(folder), [digestOf(first)]);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.equal(statSync(join(folder, digestOf(first))).mode & 0o777, 0o600);

    const echo = ['plain/slow_echo', '--config', gateway.configFile];
    const now = await ask(...echo);
    assert.equal(now.code, 0);
    assert.equal(now.policy, digestOf(first));
    assert.deepEqual(of(now, 'principal', 'mia'), { caller: 'principal', name: 'mia', can: 'never', reason: 'no_matching_rule' });
    assert.deepEqual(of(now, 'role', 'tester').conditions, [
      "the client's address is in 127.0.0.0/8 (rule testers-echo)",
      '/token is a text with a length from 0 to 8 (profile "plain/slow_echo")',
    ]);
    assert.deepEqual(now.claims, [{ issuer: 'corp', claim: 'groups', value: 'staff', role: 'tester' }]);

    // A value that is given is judged.
    const given = (value) => ask(...echo, '--argument', `/token=${value}`);
    assert.equal(of(await given('abc'), 'principal', 'tester').conditions.length, 1);
    const long = await given('far-too-long');
    assert.equal(long.code, 1);
    assert.deepEqual([of(long, 'principal', 'tester').reason, of(long, 'principal', 'tester').pointer], ['argument_not_allowed', '/token']);

    await eventually(() => gateway.records().some(({ kind }) => kind === 'start'), 'the start on record');
    // Records are compared with a time by their seconds.
    const began = Date.now();
    const before = new Date(began).toISOString();
    await eventually(() => Date.now() > began + 1000, 'the next second');
    await apply(gateway, first + kMore);
    const later = await ask(...echo, '--argument', '/token=abc');
    assert.deepEqual(of(later, 'principal', 'mia'), { caller: 'principal', name: 'mia', can: 'always', rule: 'bosses-echo', conditions: [] });
    assert.deepEqual(readdirSync(folder).sort(), [digestOf(first), digestOf(first + kMore)].sort());

    const older = await ask(...echo, '--policy', digestOf(first).slice(0, 8));
    assert.equal(older.policy, digestOf(first));
    assert.equal(of(older, 'principal', 'mia').can, 'never');
    const then = await ask(...echo, '--at', before);
    assert.equal(then.policy, digestOf(first));
    // Times are written as audit query has them.
    for (const moment of ['1h', 'yesterday']) {
      const { code, stderr } = await asText(...echo, '--at', moment);
      assert.equal(code, 2);
      assert.match(stderr, new RegExp(`has no gateway start before ${moment}`, 'u'));
    }
    assert.equal((await ask(...echo, '--at', '2999-01-01')).policy, digestOf(first + kMore));
    assert.equal((await ask(...echo, '--at', '2999-01-01T00:00:00Z')).policy, digestOf(first + kMore));

    // Who asks for what is not there is told what is.
    const unknown = await asText(...echo, '--policy', '0000000000');
    assert.equal(unknown.code, 2);
    for (const text of [first, first + kMore]) assert.ok(unknown.stderr.includes(digestOf(text)), unknown.stderr);
    const early = await asText(...echo, '--at', '2001-01-01T00:00:00Z');
    assert.equal(early.code, 2);
    assert.match(early.stderr, /has no gateway start before 2001/);
  });

  it('says what is wrong with a question', async () => {
    const config = join(kTestsDirectory, '..', 'config', 'examples', 'file-server.toml');
    for (const [options, told] of [
      [['files', '--config', config], /"files" is not SERVER\/TOOL: write, for example, files\/read_file/],
      [['file/x', '--config', config], /the policy has no server "file": did you mean "files"\?/],
      [['files/x', '--config', config, '--argument', '=a'], /"=a" is not NAME=VALUE/],
      [['files/x', '--config', config, '--at', 'noon'], /"noon" is not a date and time: write 2026-11-30, /],
      [['files/x', '--config', '/missing.toml'], /missing\.toml/],
      [['files/x', '--config', config, '--policy', 'abcdefgh', '--at', 'noon'], /--policy excludes --at/],
    ]) {
      const { code, stderr } = await asText(...options);
      assert.equal(code, 2, stderr);
      assert.match(stderr, told);
    }
  });

  it('comes out as the manual has it', async () => {
    const root = join(kTestsDirectory, '..');
    const page = readFileSync(join(root, 'docs', 'who-can.md'), 'utf8');
    const plain = (text) => text.replace(/policy [0-9a-f]{12}/g, 'policy DIGEST').replaceAll(`${root}/`, '').trim();
    const shown = [...page.matchAll(/```console\n\$ bartizan (.+)\n([^]*?)```/g)];
    assert.ok(shown.length >= 2, 'the page has examples');
    for (const [, command, output] of shown) {
      const words = command.match(/'[^']*'|\S+/g).map((word) => word.replaceAll("'", ''));
      const options = words.map((word) => (word.startsWith('config/') ? join(root, word) : word));
      const { stdout, stderr } = await runProgram(...options);
      assert.equal(plain(stdout), plain(output), `${command}\n${stderr}`);
    }
  });
});
