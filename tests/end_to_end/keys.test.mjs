// Principals prove themselves with API keys: who may do what follows from the key, a session belongs to
// its principal, and nothing that a client sent to the gateway about itself reaches a server.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { inspect } from 'node:util';

import { assertRefused, failureOf, textOf } from './assertions.mjs';
import { kClients } from './clients.mjs';
import { startGateway, temporaryDirectory } from './harness.mjs';
import { startScriptedServer } from './scripted_http.mjs';
import { httpServer, startDualServer } from './servers.mjs';
import { LegacySession, jsonRpc, send } from './wire.mjs';

const kAnnKey = 'the-key-of-ann-for-tests';
const kBobKey = 'the-key-of-bob-for-tests';
const kExpiredKey = 'the-key-of-ann-that-expired';
const kServerToken = 'the-token-that-the-gateway-holds';
const kCookie = 'session=of-the-client';

const kUselessKeys = [
  ['a wrong key', 'wrong'],
  ['an expired key', kExpiredKey],
  ['half a key', kAnnKey.slice(8)],
];

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const bearer = (key) => ({ authorization: `Bearer ${key}` });

const kAuth = `
[auth.api_key.ann-laptop]
principal = "ann"
sha256 = "${sha256(kAnnKey)}"
[auth.api_key.ann-old]
principal = "ann"
sha256 = "${sha256(kExpiredKey)}"
expires = 2020-01-01
[auth.api_key.bob-laptop]
principal = "bob"
sha256 = "${sha256(kBobKey)}"
[principal.ann]
roles = ["analyst"]
[principal.bob]
roles = ["operator"]
[role.analyst]
permissions = []
[role.operator]
permissions = []
`;
const kRules = `
[rule.analysts-echo]
effect = "permit"
roles = ["analyst"]
tools = ["dual/echo"]
[rule.operators-wait]
effect = "permit"
roles = ["operator"]
tools = ["dual/slow", "dual/was_cancelled"]
[rule.everyone-uses-the-second]
effect = "permit"
roles = ["*"]
tools = ["other/*"]
`;

describe('API keys', () => {
  let dual;
  let other;
  let gateway;
  before(async () => {
    dual = await startDualServer();
    gateway = await startGateway(httpServer('dual', dual.url) + kRules.replace('other/*', 'dual/structured'), {
      auth: kAuth,
    });
  });
  after(async () => {
    await gateway?.stop();
    dual?.stop();
  });

  // What can send a header of its own choice and shows how it was answered.
  for (const { name, connect } of kClients.filter((client) => client.name !== 'mcp-remote')) {
    describe(name, () => {
      it('is served with the right key, and sees what its principal may use', async () => {
        const ann = await connect(gateway.url, bearer(kAnnKey));
        const bob = await connect(gateway.url, bearer(kBobKey));
        const names = async (client) => (await client.listTools()).map((tool) => tool.name).toSorted();
        assert.deepEqual(await names(ann), ['dual_echo', 'dual_structured']);
        assert.deepEqual(await names(bob), ['dual_slow', 'dual_structured', 'dual_was_cancelled']);
        assert.equal(textOf(await ann.call('dual_echo', { text: 'mine' })), 'mine');
        assertRefused(await failureOf(bob.call('dual_echo', { text: 'hers' })), 'no_matching_rule');
        await ann.close();
        await bob.close();
      });

      for (const [what, key] of kUselessKeys) {
        it(`is told 401 with ${what}`, async () => {
          const error = await failureOf(connect(gateway.url, bearer(key)));
          // Each client keeps the status in another member of its error.
          assert.match(inspect(error), /\b401\b|Unauthorized/);
        });
      }
    });
  }

  describe('a session', () => {
    it('is nobody else’s, whatever is done with its id', async () => {
      const ann = await LegacySession.open(gateway.url, bearer(kAnnKey));
      const stolen = { ...ann.headers(), ...bearer(kBobKey) };
      const body = jsonRpc(1, 'tools/list');
      assert.equal((await send(gateway.url, { headers: stolen, body })).status, 404);
      assert.equal((await send(gateway.url, { method: 'DELETE', headers: stolen })).status, 404);
      assert.equal((await send(gateway.url, { method: 'GET', headers: stolen })).status, 404);
      assert.equal((await ann.request(2, 'tools/list')).status, 200);
    });
    it('does not authenticate', async () => {
      const ann = await LegacySession.open(gateway.url, bearer(kAnnKey));
      const { authorization, ...without } = ann.headers();
      assert.equal((await send(gateway.url, { headers: without, body: jsonRpc(1, 'ping') })).status, 401);
    });
  });

  it('records who was proved how, and never a key', () => {
    const records = gateway.records();
    assert.ok(records.some(({ principal, proof }) => principal === 'ann' && proof === 'api_key:ann-laptop'));
    assert.ok(records.some(({ kind, reason }) => kind === 'refusal' && reason === 'credentials_expired'));
    const written = records.map(({ line }) => line).join('') + gateway.log();
    for (const key of [kAnnKey, kBobKey, kExpiredKey]) assert.ok(!written.includes(key));
  });
});

describe('what a client says about itself', () => {
  let scripted;
  let gateway;
  before(async () => {
    const token = join(temporaryDirectory(), 'token');
    writeFileSync(token, `${kServerToken}\n`);
    chmodSync(token, 0o600);
    scripted = await startScriptedServer();
    const server = httpServer('other', scripted.url, `credentials = { bearer = "file:${token}" }`);
    gateway = await startGateway(server + kRules.replaceAll('dual/', 'other/'), { auth: kAuth });
  });
  after(async () => {
    await gateway?.stop();
    await scripted?.stop();
  });

  it('stays at the gateway; the server gets the gateway’s own credentials', async () => {
    const headers = {
      ...bearer(kAnnKey),
      cookie: kCookie,
      'proxy-authorization': 'Basic of-the-client',
      'x-forwarded-for': '192.0.2.1',
      'x-api-key': 'of-the-client',
      'user-agent': 'of-the-client',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    };
    const session = await LegacySession.open(gateway.url, headers);
    assert.equal((await session.call(1, 'other_echo', { text: 'through' })).result.content[0].text, 'through');
    assert.equal(scripted.received('tools/call').length, 1);
    const expected = ['accept', 'accept-encoding', 'authorization', 'connection', 'content-length', 'content-type', 'host'];
    const allowed = new Set([...expected, 'mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name']);
    for (const { headers: received } of scripted.requests) {
      assert.equal(received.authorization, `Bearer ${kServerToken}`);
      for (const name of Object.keys(received)) assert.ok(allowed.has(name), `the server was sent ${name}`);
      assert.notEqual(received['mcp-session-id'], session.id);
      assert.doesNotMatch(JSON.stringify(received), /of-the-client|the-key-of/);
    }
    assert.ok(!gateway.log().includes(kServerToken));
  });
});
