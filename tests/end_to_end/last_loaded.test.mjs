// `bartizan check` holds a policy against the one that the gateway loaded last: what it would let
// through that is refused now is told with a call that shows it, before anybody loads it.
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { eventually } from './assertions.mjs';
import { runProgram, startGateway, temporaryDirectory, testerAuth } from './harness.mjs';
import { kPlain, stdioServer } from './servers.mjs';

const kPolicy = `
[tool."plain/slow_echo".arguments]
"/token" = { text = { max_length = 8 } }
[rule.testers-echo]
effect = "permit"
roles = ["tester"]
tools = ["plain/slow_echo"]
[flow.nothing-private-leaves]
after = ["private"]
to = ["public_sink"]
`;
const kWiderText = 'wider than what was loaded: ';

describe('what was loaded last', () => {
  const wider = async (config) => {
    const { code, stdout } = await runProgram('check', '--json', config);
    assert.equal(code, 0, stdout);
    return JSON.parse(stdout).problems.filter(({ message }) => message.startsWith(kWiderText));
  };

  it('is what check compares with', async (t) => {
    const server = stdioServer('plain', [kPlain], 'labels = ["private", "public_sink"]');
    const gateway = await startGateway(server + kPolicy, { auth: testerAuth() });
    t.after(() => gateway.stop());
    const kept = `${gateway.auditFile}.loaded`;
    assert.equal(statSync(kept).mode & 0o777, 0o600);
    assert.deepEqual(await wider(gateway.configFile), []);

    const text = readFileSync(gateway.configFile, 'utf8');
    const next = text.replace('max_length = 8', 'max_length = 80').replace(/\[flow[^]*/, '')
      + '[rule.testers-stop]\neffect = "permit"\nroles = ["tester"]\ntools = ["plain/stop"]\n';
    const proposed = join(gateway.directory, 'proposed.toml');
    writeFileSync(proposed, next);
    const told = await wider(proposed);
    assert.equal(told.length, 3, JSON.stringify(told));
    const [echo, stop, flow] = ['slow_echo', 'plain/stop', 'flow'].map((word) => told.find(({ message }) => message.includes(word)));
    assert.match(echo.message, /role tester gains more of plain\/slow_echo \(before: argument_not_allowed at \/token\)/);
    assert.ok(echo.example.arguments.token.length > 8);
    const line = next.slice(0, next.indexOf('[rule.testers-stop]')).split('\n').length;
    assert.equal(stop.where, `${proposed}:${line}:7`);
    assert.deepEqual(stop.example, { roles: ['tester'], tool: 'plain/stop', arguments: {} });
    assert.match(flow.message, /flow nothing-private-leaves is gone/);
    assert.ok(echo.where.startsWith(`${proposed}:`), echo.where);
    const people = await runProgram('check', proposed);
    assert.match(people.stdout, new RegExp(`^note: compared with what was loaded at 20\\S+Z from ${gateway.configFile} \\(${kept}\\)$`, 'm'));
    assert.ok(!people.stdout.includes('needs a restart'), people.stdout);
    const other = join(gateway.directory, 'other.toml');
    writeFileSync(other, `${text}[admin]\nsocket = "admin.sock"\n`);
    assert.match((await runProgram('check', other)).stdout, /^note: a reload refuses this file: a change of admin\.socket needs a restart$/m);
    const elsewhere = join(temporaryDirectory(), 'copy.toml');
    writeFileSync(elsewhere, next.replace(gateway.auditFile, 'audit.jsonl'));
    const apart = await runProgram('check', '--json', elsewhere);
    assert.match(JSON.parse(apart.stdout).not_compared, /^no gateway has kept what it loaded: there is no \S+audit\.jsonl\.loaded$/);
    assert.match(people.stderr, /warning: wider than what was loaded: role tester gains plain\/stop \(before: no_matching_rule\); for example \{/);

    // Narrower is not told, and what is loaded is what counts from then on.
    writeFileSync(gateway.configFile, next);
    gateway.process.kill('SIGHUP');
    await eventually(async () => (await wider(proposed)).length === 0, 'the reload');
    // A reload does not wait for the comparison.
    const wide = () => gateway.log().split('\n').filter((entry) => entry.includes(kWiderText));
    await eventually(() => wide().length === 3, 'what is wider');
    const logged = wide();
    assert.ok(logged.every((entry) => entry.includes('warning') && !entry.includes('"arguments"')), logged.join('\n'));
    writeFileSync(proposed, text);
    assert.deepEqual((await wider(proposed)).map(({ message }) => message), []);

    writeFileSync(kept, '{"files":');
    const damaged = await runProgram('check', '--json', gateway.configFile);
    assert.equal(damaged.code, 0);
    assert.ok(JSON.parse(damaged.stdout).problems.some(({ message }) => message.startsWith('not compared with what was loaded last: ')));
  });
});
