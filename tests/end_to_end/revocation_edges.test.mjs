// What is revoked or blocked, at its edges: what strangers are told, what a name means, and who still
// hears of something.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { digestOf } from './reloading.mjs';
import { bearer, begin, kKeys } from './revocation_stage.mjs';
import { startScriptedServer } from './scripted_http.mjs';
import { httpServer, startDualServer } from './servers.mjs';
import { LegacySession, jsonRpc, responseOf, send, sendModern } from './wire.mjs';

describe('who is revoked', () => {
  it('is answered as a wrong key is, and the record tells them apart', async (t) => {
    const place = await begin(t);
    const wrong = await place.call('no-key-of-anybody');
    await place.done('revoke principal', 'ann', '--why', 'left');
    const revoked = await place.call(kKeys.ann);
    const told = ({ status, headers, body }) => {
      const { decision_id: id, ...data } = JSON.parse(body).error.data;
      assert.match(id, /^[0-9a-f-]{36}$/);
      return { status, challenge: headers['www-authenticate'], body: body.replace(id, 'ID'), data };
    };
    assert.deepEqual(told(revoked), told(wrong));
    assert.equal(told(revoked).data.reason, 'credentials_invalid');
    const reasons = () => place.gateway.records().filter(({ kind }) => kind === 'refusal').map(({ reason }) => reason);
    // A refusal is answered before it is on record.
    await eventually(() => reasons().length === 2, 'both refusals are on record');
    assert.deepEqual(reasons(), ['credentials_invalid', 'revoked']);
  });
});

describe('a SHA-256', () => {
  let place;
  before(async () => {
    place = await begin();
  });
  after(() => place?.stop());

  it('names a key that is configured, and no other one', async () => {
    const answer = await place.order('revoke key', digestOf('a key that nobody has'), '--why', 'a slip');
    assert.equal(answer.code, 1);
    assert.match(answer.reason, /no \[auth\.api_key\] has that sha256/);
    await place.lift(await place.done('revoke key', digestOf(kKeys.ann), '--why', 'lost'));
  });

  it('is text like any other in the console, where tokens and sessions name themselves', async () => {
    const origin = place.console;
    let cookie;
    const post = (path, fields) =>
      send(new URL(path, origin), {
        headers: { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded', ...(cookie && { cookie }) },
        body: new URLSearchParams(fields).toString(),
      });
    cookie = (await post('/sign-in', { key: kKeys.olga })).headers['set-cookie'][0].split(';')[0];
    const page = async () => (await send(new URL('/revocations', origin), { method: 'GET', headers: { cookie } })).body;
    const csrf = /name="csrf" value="([0-9a-f]+)"/.exec(await page())[1];
    const opaque = digestOf('random bytes of an issuer that writes its tokens so');
    // A JWT goes by what its signature is about, as wherever tokens are compared.
    const jwt = ['eyJhbGciOiJFUzI1NiJ9', 'eyJzdWIiOiJhIn0', 'c2lnbmF0dXJl'];
    await post('/revoke', { kind: 'token', name: jwt.join('.'), why: 'leaked', csrf });
    await post('/revoke', { kind: 'token', name: opaque, why: 'leaked', csrf });
    const session = await LegacySession.open(place.gateway.url, bearer(kKeys.ann));
    await post('/revoke', { kind: 'session', name: digestOf(session.id), why: 'x', csrf });
    assert.match(await page(), /there is no such session/);
    await post('/revoke', { kind: 'session', name: session.id, why: 'x', csrf });
    const { revocations } = await place.order('revocations');
    assert.deepEqual(revocations.map(({ kind, sha256 }) => [kind, sha256]), [
      ['token', digestOf(jwt.slice(0, 2).join('.'))],
      ['token', digestOf(opaque)],
      ['session', digestOf(session.id)],
    ]);
  });
});

describe('a name that two servers have', () => {
  it('is that of the one which is not blocked', async (t) => {
    const [left, right] = [await startDualServer(), await startDualServer()];
    t.after(() => [left, right].forEach((server) => server.stop()));
    const bare = (name, server) => httpServer(name, server.url, 'prefix = "never"');
    const rule = '[rule.bare]\neffect = "permit"\nroles = ["caller"]\ntools = ["left/echo", "right/echo"]\n';
    const place = await begin(t, { more: bare('left', left) + bare('right', right) + rule });
    const names = async () =>
      responseOf(await sendModern(place.gateway.url, 'tools/list', {}, { headers: bearer(kKeys.ann) })).result.tools.map(({ name }) => name);
    const refusal = async () => responseOf(await place.call(kKeys.ann, 'echo')).error;
    const serverOfLast = () => place.gateway.records().filter(({ kind, decision }) => kind === 'decision' && decision === 'permit').at(-1).server;
    assert.ok(await refusal(), 'the control: neither is called');
    assert.ok(!(await names()).includes('echo'));
    const rows = [
      [['block server', 'left'], 'right'],
      [['block server', 'right'], 'left'],
      [['block tool', 'left/echo'], 'right'],
    ];
    for (const [[verb, name], other] of rows) {
      const revocation = await place.done(verb, name, '--why', 'x');
      assert.ok((await names()).includes('echo'));
      await place.passes(kKeys.ann, 'echo');
      assert.equal(serverOfLast(), other);
      await place.lift(revocation);
      assert.ok(await refusal());
    }
    const both = [await place.done('block server', 'left', '--why', 'x'), await place.done('block tool', 'right/echo', '--why', 'x')];
    assertRefused(await refusal(), 'blocked');
    for (const one of both) await place.lift(one);
  });
});

describe('a blocked server', () => {
  let place;
  let far;
  let near;
  before(async () => {
    [far, near] = [await startScriptedServer(), await startScriptedServer()];
    const table = ({ url }, name) => httpServer(name, url, 'client_features = ["roots"]');
    const rule = '[rule.both]\neffect = "permit"\nroles = ["caller"]\ntools = ["far/*", "near/*"]\n';
    place = await begin(undefined, { more: table(far, 'far') + table(near, 'near') + rule });
  });
  after(async () => {
    await place?.stop();
    await far?.stop();
    await near?.stop();
  });

  /** A session whose client has roots. */
  async function withRoots() {
    const begin = { protocolVersion: '2025-11-25', capabilities: { roots: { listChanged: true } }, clientInfo: { name: 'x', version: '1' } };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...bearer(kKeys.ann) };
    const answer = await send(place.gateway.url, { headers, body: jsonRpc(0, 'initialize', begin) });
    const session = new LegacySession(place.gateway.url, answer.headers['mcp-session-id'], bearer(kKeys.ann));
    await session.post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    for (const name of ['far_echo', 'near_echo']) await session.call(name, name, { text: 'x' });
    return session;
  }

  it('does not hear that roots have changed', async () => {
    const session = await withRoots();
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    const tell = (of) => of.post(body);
    const heard = ({ requests }) => requests.filter(({ message }) => message?.method === 'notifications/roots/list_changed').length;
    const revocation = await place.done('block server', 'far', '--why', 'x');
    await tell(session);
    await eventually(() => heard(near) === 1, 'the other one hears of it');
    await place.lift(revocation);
    await tell(await withRoots());
    await eventually(() => heard(near) === 2 && heard(far) === 1, 'the control: it hears of the next change alone');
  });
});
