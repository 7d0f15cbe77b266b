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
    const reasons = place.gateway.records().filter(({ kind }) => kind === 'refusal').map(({ reason }) => reason);
    assert.deepEqual(reasons, ['credentials_invalid', 'revoked']);
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
    await post('/revoke', { kind: 'token', name: opaque, why: 'leaked', csrf });
    const session = await LegacySession.open(place.gateway.url, bearer(kKeys.ann));
    await post('/revoke', { kind: 'session', name: digestOf(session.id), why: 'x', csrf });
    assert.match(await page(), /there is no such session/);
    await post('/revoke', { kind: 'session', name: session.id, why: 'x', csrf });
    const { revocations } = await place.order('revocations');
    assert.deepEqual(revocations.map(({ kind, sha256 }) => [kind, sha256]), [
      ['token', digestOf(opaque)],
      ['session', digestOf(session.id)],
    ]);
  });
});
