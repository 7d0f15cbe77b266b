#!/usr/bin/env node
// Verifies a receipt of `bartizan audit receipt` offline: RECEIPT.json PUBLIC.pem
//
// Prints the records that it proves, and when the head that covers them was signed.
// The receipt: {"receipt":1,"seq":N,"prev":HEX,"links":[{"body":TEXT}|{"digest":HEX}…],"head":JWS}.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

function fail(why) {
  console.error(`NOT PROVEN: ${why}`);
  process.exit(1);
}

/** A text that stands twice for one name, or half a character, could be read in two ways. */
function parse(text, what) {
  const value = JSON.parse(text);
  if (JSON.stringify(value) !== text.trim() || !text.isWellFormed()) fail(`${what} could be read in two ways`);
  return value;
}

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

function hash32(hex) {
  if (!/^[0-9a-f]{64}$/u.test(hex)) fail('a hash has another form');
  return Buffer.from(hex, 'hex');
}

function readHead(jws, key) {
  const parts = jws.split('.');
  if (parts.length !== 3) fail('the head is no JWS');
  const [header, claims] = parts.slice(0, 2).map((part) => parse(Buffer.from(part, 'base64url').toString(), 'the head'));
  if (header.alg !== 'EdDSA' || header.typ !== 'bartizan-head+jwt') fail('the head is of another type');
  const isSigned = verify(null, Buffer.from(`${parts[0]}.${parts[1]}`), key, Buffer.from(parts[2], 'base64url'));
  if (!isSigned) fail('the head is not signed by this key');
  return claims;
}

const [receiptFile, keyFile] = process.argv.slice(2);
if (keyFile === undefined) {
  console.error('usage: verify-receipt.mjs RECEIPT.json PUBLIC.pem');
  process.exit(2);
}
function main() {
  const receipt = parse(readFileSync(receiptFile, 'utf8'), 'the receipt');
  const key = createPublicKey(readFileSync(keyFile));
  if (key.asymmetricKeyType !== 'ed25519') fail('the key is no Ed25519 public key');
  if (receipt.receipt !== 1) fail('the receipt is of another version');
  const head = readHead(receipt.head, key);

  let sequence = receipt.seq;
  let chained = hash32(receipt.prev);
  const proven = [];
  if (sequence === 1 && chained.some((byte) => byte !== 0)) fail('record 1 has a record before it');
  for (const link of receipt.links) {
    if (link.body !== undefined && !link.body.isWellFormed()) fail('a body has half a character');
    if (link.body !== undefined) proven.push([sequence, link.body]);
    const digest = link.body === undefined ? hash32(link.digest) : sha256(link.body);
    const number = Buffer.alloc(8);
    number.writeBigUInt64BE(BigInt(sequence));
    chained = sha256(chained, number, digest);
    sequence += 1;
  }
  if (sequence - 1 !== head.seq || chained.toString('hex') !== head.hash) fail('the records do not lead to the signed head');
  if (proven.length === 0) fail('the receipt shows no record');

  for (const [number, body] of proven) {
    parse(`{${body}}`, 'a record');
    console.log(`{${body},"seq":${number}}`);
  }
  const signed = new Date(head.iat * 1000).toISOString().replace('.000', '');
  console.log(`proven by head ${head.seq} of chain ${head.chain}, signed at ${signed}`);
}

try {
  main();
} catch (error) {
  if (error.path !== undefined) console.error(`cannot read ${error.path}: ${error.code}`);
  else fail(`the receipt or the key is malformed (${error.message})`);
  process.exit(1);
}
