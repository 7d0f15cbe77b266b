// Tokens that only their issuer can read: what it is asked, for how long an answer counts, and what
// becomes of it when the issuer misbehaves.
import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { eventually } from './assertions.mjs';
import { makeCertificates } from './certificates.mjs';
import { startGateway } from './harness.mjs';
import { Issuer, SigningKey, issuerTable } from './issuer.mjs';
import { digestOf } from './reloading.mjs';
import { kEchoTool, startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { responseOf, sendModern } from './wire.mjs';

const kPolicy = `
[rule.read]
effect = "permit"
roles = ["reader"]
tools = ["files/read"]
`;
const kKey = 'the-key-of-ann';
const kRoles = `
[role.reader]
[role.writer]
[principal.ann]
roles = ["reader"]
[auth.api_key.ann]
principal = "ann"
sha256 = "${digestOf(kKey)}"
`;
const bearer = (token) => ({ authorization: `Bearer ${token}` });

/** An issuer that is asked, one whose tokens are signed, a server and a gateway. */
async function begin({ asks = 'client_secret = "file:secret"', cache = '', more = '', files: given } = {}) {
  const issuer = await new Issuer().start();
  const signed = await new Issuer().start();
  const files = await startScriptedServer({ era: 'modern', tools: [{ ...kEchoTool, name: 'read' }] });
  const introspection = `[auth.issuer.partner.introspection]\nclient_id = "gateway"\n${asks}\n${cache}\n`;
  const endpoints = `
[endpoint.all]
path = "/mcp"
resource = "https://gateway.test/mcp"
[endpoint.partner]
path = "/partner"
auth = ["issuer.partner"]
resource = "https://gateway.test/partner"
`;
  const auth = endpoints + kRoles + issuerTable('corp', signed) + issuerTable('partner', issuer, more) + introspection;
  const gateway = await startGateway(httpServer('files', files.url) + kPolicy, { auth, files: { secret: 'the:secret of the gateway', ...given } });
  // Each on a connection of its own, so that nothing is remembered by the connection.
  const ask = (token) => sendModern(gateway.url, 'tools/call', { name: 'files_read', arguments: { text: 'x' } }, { headers: { ...bearer(token), connection: 'close' } });
  const stop = async () => {
    await gateway.stop();
    await files.stop();
    await signed.stop();
    await issuer.stop().catch(() => {});
  };
  return { issuer, signed, files, gateway, ask, stop };
}

describe('tokens that only their issuer can read', () => {
  let place;
  before(async () => {
    place = await begin();
  });
  after(() => place?.stop());

  it('prove whom the issuer names, and it is asked once', async () => {
    const { issuer, gateway, ask } = place;
    const token = issuer.mintOpaque({ act: { sub: 'agent-7' } });
    issuer.questions.length = 0;
    for (let turn = 0; turn < 5; turn += 1) assert.ok(responseOf(await ask(token)).result);
    assert.equal(issuer.questions.length, 1);
    const [{ token_type_hint, authorization }] = issuer.questions;
    assert.equal(token_type_hint, 'access_token');
    // RFC 6749 §2.3.1: each half is escaped as in a form.
    assert.equal(Buffer.from(authorization.slice(6), 'base64').toString(), 'gateway:the%3Asecret%20of%20the%20gateway');
    const record = gateway.records().findLast(({ kind, target }) => kind === 'decision' && target === 'read');
    assert.equal(record.principal, 'partner:ann');
    assert.equal(record.proof, 'issuer:partner');
    assert.deepEqual(record.actors, ['partner:agent-7']);
  });

  it('stand beside signed tokens of another issuer, and keys', async () => {
    const { issuer, signed, gateway, ask } = place;
    issuer.questions.length = 0;
    assert.ok(responseOf(await ask(signed.mint())).result);
    assert.ok(responseOf(await ask(kKey)).result);
    // Also where the endpoint takes nothing but tokens of that issuer.
    for (const token of ['btz_a-key-of-elsewhere', `btza_${'A'.repeat(43)}`, 'btzr_x', 'btzc_x']) {
      const { status } = await sendModern(new URL('/partner', gateway.url).href, 'tools/list', {}, { headers: bearer(token) });
      assert.equal(status, 401, token);
    }
    assert.equal((await ask('btz_not-a-key-of-the-gateway')).status, 401);
    assert.deepEqual(issuer.questions, [], 'somebody else\'s credential was sent to the issuer');
    assert.equal((await ask(signed.mint({ iss: 'https://nobody.test' }))).status, 401);
    assert.equal(issuer.questions.length, 1, 'the control: what is nobody else\'s is');
  });

  for (const [what, claims] of [
    ['not active', { active: false }],
    ['for another audience', { aud: 'https://other.test' }],
    ['for nobody', { aud: undefined }],
    ['expired', { exp: Math.floor(Date.now() / 1000) - 100 }],
    ['of another issuer', { iss: 'https://other.test' }],
    ['an ID token', { nonce: 'n' }],
    ['a refresh token', { typ: 'Refresh' }],
    ['bound to a certificate', { cnf: { 'x5t#S256': 'A'.repeat(43) } }],
    ['of nobody', { sub: undefined }],
  ]) {
    it(`that are ${what} let nobody in`, async () => {
      const { issuer, files, ask } = place;
      const before = files.requests.length;
      assert.equal((await ask(issuer.mintOpaque(claims))).status, 401);
      assert.equal(files.requests.length, before);
      assert.equal((await ask(issuer.mintOpaque())).status, 200, 'the control');
    });
  }

  it('leave nothing of themselves in the record, the log and the metrics', async () => {
    const { issuer, gateway, ask } = place;
    const tokens = [issuer.mintOpaque(), issuer.mintOpaque({ active: false })];
    for (const token of tokens) await ask(token);
    const said = [gateway.records().map(({ line }) => line).join('\n'), gateway.log(), await gateway.metrics()];
    for (const token of tokens) assert.ok(said.every((text) => !text.includes(token.slice(7))));
  });
});

describe('an issuer that is asked', () => {
  it('is asked again when its answer is old, and what it revoked is over then', async () => {
    const { issuer, ask, stop } = await begin({ cache: 'cache = "1s"' });
    const token = issuer.mintOpaque();
    assert.equal((await ask(token)).status, 200);
    issuer.opaque.set(token, { active: false });
    await eventually(async () => (await ask(token)).status === 401, 'the end of a revoked token', 4000);
    issuer.mintOpaque();
    await stop();
  });

  it('is never believed beyond the end of the token', async () => {
    const { issuer, ask, stop } = await begin({ more: 'clock_skew = "0s"\n' });
    const token = issuer.mintOpaque({ exp: Math.floor(Date.now() / 1000) + 2 });
    assert.equal((await ask(token)).status, 200);
    await delay(2100);
    assert.equal((await ask(token)).status, 401);
    await stop();
  });

  it('knows the gateway by a signed assertion, too', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { issuer, ask, stop } = await begin({
      asks: 'client_key = "file:key.pem"\nkey_id = "k9"',
      files: { 'key.pem': privateKey.export({ type: 'pkcs8', format: 'pem' }) },
    });
    assert.equal((await ask(issuer.mintOpaque())).status, 200);
    assert.equal((await ask(issuer.mintOpaque())).status, 200);
    const read = issuer.questions.map(({ client_id, client_assertion, client_assertion_type, authorization }) => {
      assert.equal(client_id, 'gateway');
      assert.equal(authorization, undefined);
      assert.equal(client_assertion_type, 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
      const [header, claims, signature] = client_assertion.split('.');
      const bytes = Buffer.from(signature, 'base64url');
      assert.ok(verify('sha256', Buffer.from(`${header}.${claims}`), { key: publicKey, dsaEncoding: 'ieee-p1363' }, bytes));
      assert.deepEqual(JSON.parse(Buffer.from(header, 'base64url')), { alg: 'ES256', typ: 'JWT', kid: 'k9' });
      return JSON.parse(Buffer.from(claims, 'base64url'));
    });
    for (const { iss, sub, aud, exp, iat } of read) {
      assert.deepEqual({ iss, sub, aud, life: exp - iat }, { iss: 'gateway', sub: 'gateway', aud: issuer.url, life: 60 });
    }
    assert.notEqual(read[0].jti, read[1].jti);
    await stop();
  });

  for (const [what, behave] of [
    ['down', async (issuer) => issuer.stop()],
    ['slow', async (issuer) => (issuer.onRequest = () => true)],
    ['redirecting', async (issuer) => (issuer.onRequest = (_, response) => (response.writeHead(302, { location: '/other' }).end(), true))],
    ['broken', async (issuer) => (issuer.onRequest = (_, response) => (response.writeHead(500).end(), true))],
    ['without knowledge of the gateway', async (issuer) => (issuer.onRequest = (request, response) => request.url === '/introspect' && Boolean(response.writeHead(401).end()))],
    ['answering nonsense', async (issuer) => (issuer.onRequest = (request, response) => request.url === '/introspect' && Boolean(response.writeHead(200, { 'content-type': 'application/json' }).end('{"active":"true"}')))],
    ['huge', async (issuer) => (issuer.onRequest = (request, response) => request.url === '/introspect' && Boolean(response.writeHead(200).end(`{"active":true,"x":"${'x'.repeat(400_000)}"}`)))],
  ]) {
    it(`and is ${what} lets nobody in, and says to come back`, async () => {
      const { issuer, files, gateway, ask, stop } = await begin();
      const token = issuer.mintOpaque();
      await behave(issuer);
      const before = files.requests.length;
      const answer = await ask(token);
      assert.equal(answer.status, 503, answer.body);
      assert.ok(answer.headers['retry-after']);
      assert.equal(files.requests.length, before, 'no server was asked');
      await eventually(() => gateway.records().some(({ kind, reason }) => kind === 'refusal' && reason === 'issuer_unavailable'), 'a record');
      await stop();
    });
  }
});

describe('an issuer behind TLS', () => {
  it('is believed where its certificate is of an authority that is named, and only there', async () => {
    const certificates = makeCertificates('IP:127.0.0.1');
    const others = makeCertificates('IP:127.0.0.1');
    const named = makeCertificates('DNS:other.example');
    const files = await startScriptedServer({ era: 'modern', tools: [{ ...kEchoTool, name: 'read' }] });
    for (const [what, served, roots, status] of [
      ['the right one', certificates, certificates, 200],
      ['another authority', others, certificates, 503],
      ['another name', named, named, 503],
      ['the roots of the system', certificates, undefined, 503],
    ]) {
      const issuer = new Issuer();
      issuer.tls = served.forNode;
      await issuer.start();
      issuer.keys = [new SigningKey('k1')];
      const more = roots ? `tls_ca = ${JSON.stringify(roots.caFile)}\n` : '';
      const gateway = await startGateway(httpServer('files', files.url) + kPolicy, { auth: kRoles + issuerTable('corp', issuer, more) });
      const before = files.requests.filter(({ message }) => message?.method === 'tools/call').length;
      const answer = await sendModern(gateway.url, 'tools/call', { name: 'files_read', arguments: { text: 'x' } }, { headers: bearer(issuer.mint()) });
      assert.equal(answer.status, status, what);
      const calls = files.requests.filter(({ message }) => message?.method === 'tools/call').length;
      assert.equal(calls - before, status === 200 ? 1 : 0, what);
      if (status === 200) assert.ok(responseOf(answer).result);
      await gateway.stop();
      await issuer.stop();
    }
    await files.stop();
  });
});
