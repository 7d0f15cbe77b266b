// Who decided what, as a record proves it: node verify-approvals.mjs RECORD TRUSTED_PUBLIC_KEY.pem
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
const [record, trusted] = process.argv.slice(2);
const keys = new Map(); // By their thumbprints, RFC 7638.
const trust = ({ crv, kty, x }) => {
  const id = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
  keys.set(id, createPublicKey({ key: { crv, kty, x }, format: 'jwk' }));
};
trust(createPublicKey(readFileSync(trusted)).export({ format: 'jwk' }));

function claimsOf(jws, type) { // None where it is no JWS of that type by a trusted key.
  const [head, claims, signature] = jws.split('.').map((part) => Buffer.from(part, 'base64url'));
  const { alg, kid, typ } = jws ? JSON.parse(head) : {};
  if (alg !== 'EdDSA' || typ !== type || !keys.has(kid)) return {};
  const signed = Buffer.from(jws.slice(0, jws.lastIndexOf('.')));
  return verify(null, signed, keys.get(kid), signature) ? JSON.parse(claims) : {};
}
for (const line of readFileSync(record, 'utf8').split('\n').filter(Boolean)) {
  const { kind, seq, jws = '', ...of } = JSON.parse(line);
  const { jwk } = kind === 'signing_key' ? claimsOf(jws, 'bartizan-key+jwt') : {};
  if (jwk) trust(jwk);
  if (kind !== 'approval' || !of.decision) continue;
  const claims = claimsOf(jws, 'bartizan-approval+jwt');
  const { approval, digest, approver, decision = '' } = claims;
  const signed = [approval, digest, approver, decision.replace('approve', 'permit')].join();
  const isProved = signed === [of.decision_id, of.argument_digest, of.principal, of.decision].join();
  console.log(seq, isProved ? JSON.stringify(claims) : 'NOT PROVED');
  if (!isProved) process.exitCode = 1;
}
