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
