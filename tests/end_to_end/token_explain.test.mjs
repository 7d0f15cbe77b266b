// `bartizan token explain` and `bartizan check --online`: what an operator asks when somebody cannot
// sign in.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { IdentityProvider, doorTables } from './front_door_stage.mjs';
import { kProgram, runProgram, temporaryDirectory } from './harness.mjs';
import { Issuer, issuerTable } from './issuer.mjs';
import { digestOf } from './reloading.mjs';

/** Runs the program with a text as its standard input. */
function runWith(input, ...given) {
  return new Promise((done) => {
    const child = spawn(kProgram, given);
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => (said[name] += text));
    child.on('close', (code) => done({ code, ...said }));
    child.stdin.end(input);
  });
}

/** A configuration in a folder of its own. */
function write(text, files = {}) {
  const directory = temporaryDirectory();
  for (const [name, content] of Object.entries({ secret: 'the-secret-of-the-gateway', ...files })) writeFileSync(join(directory, name), content, { mode: 0o600 });
  const file = join(directory, 'bartizan.toml');
  writeFileSync(file, `version = 1\naudit.file = "audit.jsonl"\n[role.reader]\n[role.writer]\n${text}`);
  return file;
}

describe('bartizan token explain', () => {
  let issuer;
  let file;
  before(async () => {
    issuer = await new Issuer().start();
    file = write(`
[endpoint.people]
path = "/people"
auth = ["issuer"]
resource = "https://gateway.test/mcp"
[endpoint.keys]
path = "/keys"
auth = ["api_key"]
[principal.ann]
roles = ["reader"]
[auth.api_key.ann]
principal = "ann"
sha256 = "${digestOf('the-key-of-ann')}"
${issuerTable('corp', issuer)}`);
  });
  after(() => issuer?.stop());

  it('says whom a token would prove, and what of it has roles', async () => {
    const token = issuer.mint({ act: { sub: 'agent' } });
    const { code, stdout, stderr } = await runWith(`${token}\n`, 'token', 'explain', file);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /claims of the token, not verified:\n {2}iss: "http:/);
    assert.match(stdout, /at endpoint people: corp:ann\n {2}proved by issuer:corp\n {2}roles: reader\n/);
    assert.match(stdout, /scopes: tools:read\n {2}acted for by: corp:agent\n {2}expires: 20/);
    assert.match(stdout, /at endpoint keys: no principal: /);
    for (const part of [token, token.split('.')[1], token.split('.')[2]]) assert.ok(!(stdout + stderr).includes(part));
  });

  it('says why one would prove nobody', async () => {
    for (const [claims, why] of [
      [{ aud: 'https://other.test' }, /people: no principal: .*somebody else \(aud\) \(credentials_invalid\)/],
      [{ exp: 1, iat: 0 }, /people: no principal: .*expired.* \(credentials_expired\)/],
      [{ scope: undefined, nonce: 'n' }, /people: no principal: .*ID token.* \(credentials_invalid\)/],
    ]) {
      const { code, stdout } = await runWith(issuer.mint(claims), 'token', 'explain', file, '--endpoint', 'people');
      assert.equal(code, 1);
      assert.match(stdout, why);
      assert.ok(!stdout.includes('endpoint keys'));
    }
  });

  it('takes keys, too, and answers as JSON', async () => {
    const { code, stdout } = await runWith('the-key-of-ann', 'token', 'explain', file, '--json');
    assert.equal(code, 0);
    const { endpoints } = JSON.parse(stdout);
    assert.deepEqual(endpoints.find(({ endpoint }) => endpoint === 'keys'), {
      endpoint: 'keys', is_proved: true, principal: 'ann', proof: 'api_key:ann', roles: ['reader'], permissions: [], expires: 'never',
    });
    assert.equal(endpoints.find(({ endpoint }) => endpoint === 'people').is_proved, false);
  });

  it('says what it needs', async () => {
    for (const [input, why] of [['', /must be one token/], ['a b', /must be one token/], [`btza_${'A'.repeat(43)}`, /only the running gateway knows/]]) {
      const { code, stderr } = await runWith(input, 'token', 'explain', file);
      assert.equal(code, 1);
      assert.match(stderr, why);
    }
    assert.match((await runWith('x', 'token', 'explain', file, '--endpoint', 'nope')).stderr, /no endpoint of that name/);
  });
});

describe('bartizan check --online', () => {
  it('asks issuers and providers, and says who does not know the gateway', async () => {
    const issuer = await new Issuer().start();
    const provider = await new IdentityProvider().start(['http://127.0.0.1:1/sign-in/callback']);
    const place = { directory: '.', origin: 'http://127.0.0.1:1' };
    const tables = `${issuerTable('corp', issuer)}${issuerTable('partner', issuer).replace(issuer.url, `${issuer.url}/partner`)}[auth.issuer.partner.introspection]\nurl = "${issuer.origin}/introspect"\nclient_id = "gateway"\nclient_secret = "file:secret"\n`;
    const file = write(doorTables(place, provider).replace('resource =', 'auth = ["front_door"]\nresource =') + tables);
    const good = await runProgram('check', file, '--online');
    assert.equal(good.code, 0, good.stderr);
    assert.match(good.stdout, /issuer corp: 1 key that can be used\n/);
    assert.match(good.stdout, /issuer partner: it answers questions about tokens\n/);
    assert.match(good.stdout, /front door door: it knows the gateway; the first sign-in shows whether it knows http:\/\/127\.0\.0\.1:1\/sign-in\/callback\n/);
    assert.deepEqual(JSON.parse((await runProgram('check', file, '--online', '--json')).stdout).issuers.map(({ name, ok }) => [name, ok]), [['issuer corp', true], ['issuer partner', true], ['front door door', true]]);

    writeFileSync(join(file, '..', 'secret'), 'another', { mode: 0o600 });
    issuer.onRequest = (request, response) => request.url === '/keys' && Boolean(response.writeHead(500).end());
    const bad = await runProgram('check', file, '--online');
    assert.match(bad.stderr, /warning: issuer corp at http:\/\/\S+: the issuer's keys are answered with status 500/);
    assert.match(bad.stderr, /warning: front door door at http:\/\/\S+: the provider does not know the gateway: see client_id and client_secret/);
    assert.ok(!(bad.stdout + bad.stderr).includes('another'));
    await issuer.stop();
    await provider.stop();
    assert.match((await runProgram('check', file, '--online')).stderr, /warning: issuer corp at http/);
    const quiet = await runProgram('check', file);
    assert.doesNotMatch(quiet.stdout + quiet.stderr, /issuer corp( at|:)/);
  });
});
