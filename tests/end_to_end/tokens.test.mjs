// Access tokens of an identity provider: who is let in, who is not, and what becomes of both when the
// provider misbehaves.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { kClients } from './clients.mjs';
import { startGateway } from './harness.mjs';
import { Issuer, SigningKey, issuerTable } from './issuer.mjs';
import { apply, digestOf } from './reloading.mjs';
import { kEchoTool, startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { responseOf, sendModern } from './wire.mjs';

const kPolicy = `
[rule.read]
effect = "permit"
roles = ["reader"]
tools = ["files/read"]
[rule.write]
effect = "permit"
roles = ["writer"]
tools = ["files/write"]
`;
const kRoles = `
[role.reader]
[role.writer]
[principal.ann]
roles = ["reader"]
[auth.api_key.ann]
principal = "ann"
sha256 = "${digestOf('the-key-of-ann')}"
`;

const bearer = (token) => ({ authorization: `Bearer ${token}` });

/** An issuer, a server and a gateway. */
async function begin({ more = '', environment, program, files: extra } = {}) {
  const issuer = await new Issuer().start();
  const files = await startScriptedServer({ era: 'modern', tools: ['read', 'write'].map((name) => ({ ...kEchoTool, name })) });
  const auth = kRoles + issuerTable('corp', issuer, more);
  const gateway = await startGateway(httpServer('files', files.url) + kPolicy, { auth, environment, program, files: extra });
  const ask = (token, tool = 'files_read') => sendModern(gateway.url, 'tools/call', { name: tool, arguments: { text: 'x' } }, { headers: bearer(token) });
  const stop = async () => {
    await gateway.stop();
    await files.stop();
    await issuer.stop().catch(() => {});
  };
  return { issuer, files, gateway, ask, stop };
}

describe('access tokens', () => {
  let place;
  before(async () => {
    place = await begin();
  });
  after(() => place?.stop());

  it('prove whom their issuer names, with the roles of their scopes', async () => {
    const { issuer, gateway, ask } = place;
    const token = issuer.mint({ act: { sub: 'agent-7', act: { sub: 'agent-3' } } });
    const answer = await ask(token);
    assert.equal(answer.status, 200);
    assert.ok(responseOf(answer).result, answer.body);
    assertRefused(responseOf(await ask(token, 'files_write')).error, 'no_matching_rule');
    assert.ok(responseOf(await ask(issuer.mint({ scope: 'tools:read tools:write' }), 'files_write')).result);
    const record = gateway.records().find(({ decision, target }) => decision === 'permit' && target === 'read');
    assert.equal(record.principal, 'corp:ann');
    assert.equal(record.proof, 'issuer:corp');
    assert.deepEqual(record.roles, ['reader']);
    assert.deepEqual(record.actors, ['corp:agent-7', 'corp:agent-3']);
  });

  it('prove principals of their own, never those of the configuration', async () => {
    const { issuer, gateway, ask } = place;
    await ask(issuer.mint({ sub: 'ann' }));
    assert.ok(!gateway.records().some(({ principal, proof }) => principal === 'ann' && proof === 'issuer:corp'));
  });

  it('leave whoever is not mapped without any leave', async () => {
    const { issuer, ask } = place;
    assertRefused(responseOf(await ask(issuer.mint({ scope: 'something:else' }))).error, 'no_matching_rule');
  });

  it('are one of several credentials: a key works beside them', async () => {
    const { gateway } = place;
    const answer = await sendModern(gateway.url, 'tools/call', { name: 'files_read', arguments: { text: 'x' } }, { headers: bearer('the-key-of-ann') });
    assert.ok(responseOf(answer).result, answer.body);
  });

  it('are sent by the official clients', async () => {
    const { issuer, gateway } = place;
    const client = await kClients[3].connect(gateway.url, bearer(issuer.mint()));
    assert.deepEqual((await client.listTools()).map(({ name }) => name), ['files_read']);
    await client.close();
  });

  it('are verified once, and their issuer is asked for its keys once', async () => {
    const { issuer, ask } = place;
    const token = issuer.mint();
    for (let turn = 0; turn < 20; turn += 1) assert.equal((await ask(token)).status, 200);
    assert.equal(issuer.asked.filter((path) => path === '/keys').length, 1, `${issuer.asked}`);
  });

  it('leave nothing of themselves in the record, the log and the metrics', async () => {
    const { issuer, gateway, ask } = place;
    const tokens = [issuer.mint(), issuer.mint({ aud: 'https://other.test' }), issuer.mint({ exp: 1 })];
    for (const token of tokens) await ask(token);
    const said = [gateway.records().map(({ line }) => line).join('\n'), gateway.log(), await gateway.metrics()];
    for (const token of tokens) {
      for (const part of token.split('.').slice(1)) assert.ok(said.every((text) => !text.includes(part)));
    }
  });
});

const now = () => Math.floor(Date.now() / 1000);
const tampered = (token) => token.replace(/\.([^.]{8})[^.]*\./, (whole) => whole.replace(/^\.e/, '.f'));
const kRows = [
  ['not signed', (i) => i.mint({ tid: 't1' }).replace(/[^.]*$/, ''), /signature/],
  ['alg none', (i) => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${i.mint({ tid: 't1' }).split('.')[1]}.`, /./],
  ['signed by somebody else', (i) => i.mint({ tid: 't1' }, { key: new SigningKey('k1') }), /signature/],
  ['changed', (i) => tampered(i.mint({ tid: 't1' })), /./],
  ['of another issuer', (i) => i.mint({ tid: 't1', iss: 'https://other.test' }), /issuer/],
  ['of an issuer that begins so', (i) => i.mint({ tid: 't1', iss: `${i.url}.other.test` }), /issuer/],
  ['for another resource', (i) => i.mint({ tid: 't1', aud: 'https://other.test/mcp' }), /audience|for/],
  ['for a resource that begins so', (i) => i.mint({ tid: 't1', aud: 'https://gateway.test/mcp/x' }), /audience|for/],
  ['for nobody', (i) => i.mint({ tid: 't1', aud: undefined }), /audience|for/],
  ['expired', (i) => i.mint({ tid: 't1', exp: now() - 120, iat: now() - 400 }), /expired/],
  ['without an end', (i) => i.mint({ tid: 't1', exp: undefined }), /exp/],
  ['of tomorrow', (i) => i.mint({ tid: 't1', nbf: now() + 600 }), /not yet|nbf/],
  ['for ever', (i) => i.mint({ tid: 't1', exp: now() + 10 * 86400 }), /lives|long/],
  ['an ID token', (i) => i.mint({ tid: 't1', nonce: 'n', scope: undefined }, { header: { typ: 'JWT' } }), /ID token/],
  ['without a mark of access', (i) => i.mint({ tid: 't1', scope: undefined }, { header: { typ: 'JWT' } }), /access/],
  ['of another tenant', (i) => i.mint({ tid: 't2' }), /require/],
  ['of no tenant', (i) => i.mint({}), /require/],
  ['of nobody', (i) => i.mint({ tid: 't1', sub: undefined }), /principal|sub/],
  ['bound to a proof of possession', (i) => i.mint({ tid: 't1', cnf: { jkt: 'x' } }), /bound|cnf|confirmation/],
  ['bound to a certificate that was not shown', (i) => i.mint({ tid: 't1', cnf: { 'x5t#S256': 'A'.repeat(43) } }), /certificate/],
  ['with a critical header', (i) => i.mint({ tid: 't1' }, { header: { crit: ['x'], x: 1 } }), /crit/],
  ['for another use', (i) => i.mint({ tid: 't1' }, { header: { typ: 'logout+jwt' } }), /kind of token/],
  ['too long', (i) => i.mint({ tid: 't1', pad: 'x'.repeat(13_000) }), /long|large/],
];

// So many refusals of one address are recorded singly that each half has a gateway of its own.
for (const half of [0, 1]) {
  describe(`tokens that are none, ${half + 1}`, () => {
    let place;
    before(async () => {
      place = await begin({ more: 'require.tid = ["t1"]\n' });
    });
    after(() => place?.stop());

    for (const [what, make, detail] of kRows.filter((_, index) => index % 2 === half)) {
      it(`are refused: ${what}`, async () => {
        const { issuer, files, gateway, ask } = place;
        const before = files.requests.length;
        const answer = await ask(make(issuer));
        assert.ok([401, 431].includes(answer.status), `${answer.status} ${answer.body}`);
        assert.equal(files.requests.length, before, 'no server was asked');
        if (answer.status === 431) return;
        assert.match(answer.headers['www-authenticate'], /^Bearer/);
        assert.ok(!/audience|issuer|signature|tenant/i.test(answer.body), 'outside all are one');
        await eventually(() => gateway.records().findLast(({ kind }) => kind === 'refusal')?.detail.match(detail), `a record that says ${detail}`);
      });
    }

    it('would be accepted without their fault', async () => {
      const { issuer, ask } = place;
      assert.equal((await ask(issuer.mint({ tid: 't1' }))).status, 200);
    });
  });
}

describe('an issuer', () => {
  it('may use another key from one moment to the next', async () => {
    const { issuer, ask, stop } = await begin();
    assert.equal((await ask(issuer.mint())).status, 200);
    issuer.keys.push(new SigningKey('k2'));
    // A moment ago it was asked: whoever names a key that nobody knows has to wait for the next time.
    const early = await ask(issuer.mint({}, { key: issuer.keys[1] }));
    assert.equal(early.status, 503);
    assert.ok(early.headers['retry-after']);
    assert.equal(issuer.asked.filter((path) => path === '/keys').length, 1);
    await stop();
  });

  it('is asked once for however many tokens of unknown keys', async () => {
    const { issuer, ask, stop } = await begin();
    assert.equal((await ask(issuer.mint())).status, 200);
    const flood = Array.from({ length: 300 }, (_, index) => ask(issuer.mint({}, { header: { kid: `x${index}` } })));
    assert.ok((await Promise.all(flood)).every(({ status }) => [401, 503].includes(status)));
    assert.ok(issuer.asked.filter((path) => path === '/keys').length <= 2, `${issuer.asked.length}`);
    assert.equal((await ask(issuer.mint())).status, 200, 'and others are served');
    await stop();
  });

  for (const [what, behave] of [
    ['down', async (issuer) => issuer.stop()],
    ['slow', async (issuer) => (issuer.onRequest = () => true)],
    ['huge', async (issuer) => (issuer.onRequest = (_, response) => (response.end(`{"keys":[${'"x",'.repeat(200_000)}"x"]}`), true))],
    ['redirecting', async (issuer) => (issuer.onRequest = (_, response) => (response.writeHead(302, { location: '/keys2' }).end(), true))],
    ['broken', async (issuer) => (issuer.onRequest = (_, response) => (response.writeHead(500).end(), true))],
    ['answering nonsense', async (issuer) => (issuer.onRequest = (_, response) => (response.end('<html>'), true))],
    ['another one', async (issuer) => (issuer.metadata = () => ({ issuer: 'https://other.test', jwks_uri: `${issuer.origin}/keys` }))],
    ['leading elsewhere', async (issuer) => (issuer.metadata = () => ({ issuer: issuer.url, jwks_uri: 'http://192.0.2.1/keys' }))],
  ]) {
    it(`that is ${what} lets nobody in, and says to come back`, async () => {
      const { issuer, files, gateway, ask, stop } = await begin();
      await behave(issuer);
      const before = files.requests.length;
      const answer = await ask(issuer.mint());
      assert.equal(answer.status, 503, answer.body);
      assert.ok(answer.headers['retry-after']);
      assert.equal(files.requests.length, before, 'no server was asked');
      await eventually(() => gateway.records().some(({ kind, reason }) => kind === 'refusal' && reason === 'issuer_unavailable'), 'a record');
      assert.match(gateway.log(), /the keys of an issuer cannot be fetched/);
      await stop();
    });
  }

  it('that is on a private address is asked only where that is named', async () => {
    const issuer = await new Issuer().start();
    const files = await startScriptedServer({ era: 'modern' });
    const auth = kRoles + issuerTable('corp', issuer).replace('private_networks = "allow"', '');
    const gateway = await startGateway(httpServer('files', files.url) + kPolicy, { auth });
    const answer = await sendModern(gateway.url, 'tools/list', {}, { headers: bearer(issuer.mint()) });
    assert.equal(answer.status, 503);
    assert.deepEqual(issuer.asked, []);
    assert.match(gateway.log(), /not of the Internet/);
    await gateway.stop();
    await files.stop();
    await issuer.stop();
  });

  it('may have its keys in a file, and is not asked then', async () => {
    const key = new SigningKey('k1');
    const files = { 'keys.json': JSON.stringify({ keys: [key.jwk] }) };
    const { issuer, ask, stop } = await begin({ more: 'jwks_file = "keys.json"\n', files });
    assert.equal((await ask(issuer.mint({}, { key }))).status, 200);
    assert.equal((await ask(issuer.mint({}, { key: new SigningKey('k1') }))).status, 401);
    assert.deepEqual(issuer.asked, []);
    await stop();
  });

  it('that is gone from the configuration proves nobody any more, nor does a stream of its', async () => {
    const { issuer, gateway, stop } = await begin();
    const { readFileSync } = await import('node:fs');
    const answer = await sendModern(gateway.url, 'tools/list', {}, { headers: bearer(issuer.mint()) });
    assert.equal(answer.status, 200);
    const text = readFileSync(gateway.configFile, 'utf8');
    await apply(gateway, text.replace(issuerTable('corp', issuer), ''));
    const after = await sendModern(gateway.url, 'tools/list', {}, { headers: bearer(issuer.mint()) });
    assert.equal(after.status, 401);
    await stop();
  });
});

describe('clients that look for the issuer', () => {
  let place;
  let at;
  const kMetadata = '/.well-known/oauth-protected-resource';
  before(async () => {
    const issuer = await new Issuer().start();
    const files = await startScriptedServer({ era: 'modern', tools: ['read', 'write', 'hidden', 'guarded'].map((name) => ({ ...kEchoTool, name })) });
    const endpoints = `
[endpoint.people]
path = "/people"
auth = ["issuer.corp"]
resource = "https://gateway.test/people"
scopes = ["tools:read"]
[endpoint.keys]
path = "/mcp"
auth = ["api_key"]
[rule.hide]
effect = "forbid"
roles = ["*"]
tools = ["files/hidden"]
hide = true
[rule.guarded]
effect = "permit"
roles = ["reader"]
tools = ["files/guarded"]
when."/text" = { one_of = ["y"] }
[rule.write-all]
effect = "permit"
roles = ["writer"]
tools = ["files/write*"]
`;
    const gateway = await startGateway(httpServer('files', files.url) + kPolicy + endpoints, { auth: kRoles + issuerTable('corp', issuer) });
    at = (path) => new URL(path, gateway.url).href;
    place = { issuer, files, gateway };
  });
  after(async () => {
    await place?.gateway.stop();
    await place?.files.stop();
    await place?.issuer.stop();
  });

  const call = (token, tool) => sendModern(at('/people'), 'tools/call', { name: tool, arguments: { text: 'x' } }, { headers: bearer(token) });

  it('find it by the challenge, and by the path form', async () => {
    const { issuer } = place;
    const { status, headers } = await sendModern(at('/people'), 'tools/list', {});
    assert.equal(status, 401);
    const url = `https://gateway.test${kMetadata}/people`;
    assert.equal(headers['www-authenticate'], `Bearer resource_metadata="${url}", scope="tools:read"`);
    const answer = await fetch(at(`${kMetadata}/people`));
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/json');
    assert.deepEqual(await answer.json(), {
      resource: 'https://gateway.test/people',
      authorization_servers: [issuer.url],
      scopes_supported: ['tools:read'],
      bearer_methods_supported: ['header'],
    });
  });

  it('are told that a token is not valid, where they showed one', async () => {
    const { headers } = await call(place.issuer.mint({ aud: 'https://other.test' }), 'files_read');
    assert.match(headers['www-authenticate'], /^Bearer error="invalid_token", resource_metadata=/);
  });

  it('find nothing where keys are taken, nor at the root', async () => {
    for (const path of [`${kMetadata}/mcp`, kMetadata, `${kMetadata}/other`]) {
      assert.equal((await fetch(at(path))).status, 404, path);
    }
    assert.equal((await sendModern(at('/mcp'), 'tools/list', {})).headers['www-authenticate'], 'Bearer');
    const answer = await sendModern(at('/mcp'), 'tools/list', {}, { headers: bearer('the-key-of-ann') });
    assert.equal(answer.status, 200, 'a key works as before');
  });

  it('are told once which scopes a call needs, and then it is made', async () => {
    const { issuer } = place;
    const refused = await call(issuer.mint(), 'files_write');
    assert.equal(refused.status, 403);
    const challenge = refused.headers['www-authenticate'];
    assert.match(challenge, /^Bearer error="insufficient_scope", scope="tools:read tools:write", resource_metadata="/);
    assertRefused(responseOf(refused).error, 'no_matching_rule');
    const [, scope] = /scope="([^"]*)"/.exec(challenge);
    assert.equal((await call(issuer.mint({ scope }), 'files_write')).status, 200);
  });

  it('are not sent for scopes where it is the arguments that are refused', async () => {
    const refused = await call(place.issuer.mint(), 'files_guarded');
    assert.equal(refused.status, 200);
    assert.equal(refused.headers['www-authenticate'], undefined);
    assert.ok(responseOf(refused).error);
  });

  it('are told the same of tools that do not exist, and nothing of hidden ones', async () => {
    const { issuer } = place;
    const challengeOf = async (tool, claims) => (await call(issuer.mint(claims), tool)).headers['www-authenticate'];
    assert.equal(await challengeOf('files_write_nothing'), await challengeOf('files_write'));
    assert.equal(await challengeOf('files_hidden'), undefined);
    assert.equal(await challengeOf('files_other'), undefined, 'no scope would help');
    const all = { scope: 'tools:read tools:write' };
    assert.equal(await challengeOf('files_write_nothing', all), undefined, 'whoever has it is not sent again');
    assert.equal(await challengeOf('files_hidden', all), undefined);
  });
});
