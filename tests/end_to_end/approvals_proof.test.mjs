// Decisions that are signed: by the gateway, for its record; by others, who approve by it; and whom the
// webhook tells of them.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';

import { answer, approvalRecords, bearer, kEchoNeedsABoss, kPeople, startApprovals, stepsOf } from './approvals_stage.mjs';
import { assertRefused, eventually, textOf } from './assertions.mjs';
import { freePort, kNode, kTestsDirectory, runProgram, temporaryDirectory } from './harness.mjs';
import { apply, refuse } from './reloading.mjs';
import { LegacySession, responseOf, sendModern } from './wire.mjs';

const kScript = resolve(kTestsDirectory, '..', 'docs', 'verify-approvals.mjs');
const kType = 'bartizan-approval+jwt';
const seconds = () => Math.floor(Date.now() / 1000);
const encode = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const partsOf = (jws) => jws.split('.').slice(0, 2).map((part) => JSON.parse(Buffer.from(part, 'base64url')));

/** An Ed25519 key in files: `file` is the private part, `publicFile` the other. */
function makeKey(folder, name) {
  const pair = generateKeyPairSync('ed25519');
  const [file, publicFile] = [join(folder, `${name}.pem`), join(folder, `${name}.pub.pem`)];
  writeFileSync(file, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  writeFileSync(publicFile, pair.publicKey.export({ type: 'spki', format: 'pem' }), { mode: 0o600 });
  const { crv, kty, x } = pair.publicKey.export({ format: 'jwk' });
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
  return { ...pair, file, publicFile, kid, jwk: { crv, kty, x } };
}

/** A compact JWS; `by` makes the signature in the place of the key. */
function jwsOf(key, claims, header = {}, by = (input) => signBytes(null, input, key.privateKey)) {
  const input = `${encode({ alg: 'EdDSA', kid: key.kid, typ: kType, ...header })}.${encode(claims)}`;
  return `${input}.${by(Buffer.from(input)).toString('base64url')}`;
}

/** What somebody elsewhere signs of a request, as the gateway's record has it. */
function claimsFor(stage, id, more = {}) {
  const [asked] = approvalRecords(stage.gateway, id);
  return { approval: id, digest: asked.argument_digest, decision: 'approve', iat: seconds(), exp: seconds() + 300, ...more };
}

/** Keys, and a gateway that takes decisions by some of them. */
async function begin(t, { approvals = '', people = {}, ...more } = {}) {
  const folder = temporaryDirectory();
  const keys = Object.fromEntries(['own', 'next', 'desk', 'dual', 'self', 'stranger'].map((name) => [name, makeKey(folder, name)]));
  const signer = (name, principal) => `[approvals.key.${name}]\nfile = "${keys[name].publicFile}"\nprincipal = "${principal}"\n`;
  const signers = `${signer('desk', 'bob')}${signer('dual', 'olga')}${signer('self', 'ann')}`;
  const text = `signing_key = "file:${keys.own.file}"\n${signers}${typeof approvals === 'function' ? approvals(folder) : approvals}`;
  const stage = await startApprovals(t, { approvals: text, people: { ...kPeople, ...people }, ...more });
  return Object.assign(stage, { folder, keys });
}

const call = async (stage, text, { jws, name = 'ann', ...more } = {}) =>
  responseOf(
    await sendModern(
      stage.gateway.url,
      'tools/call',
      { name: 'dual_echo', arguments: { text }, ...(jws !== undefined && { _meta: { 'bartizan/approval': jws } }), ...more },
      { headers: bearer(name) },
    ),
  );

/** Calls, and answers the id of the request that the call waits for. */
async function askFor(stage, text, more) {
  const { error } = await call(stage, text, more);
  assertRefused(error, 'needs_approval');
  return error.data.approval_id;
}

const lastDetail = (stage) => stage.gateway.records().findLast(({ kind, reason }) => kind === 'decision' && reason === 'needs_approval').detail;

/** What the page's script says of a record: `{ code, lines }`. */
function verify(record, key) {
  return new Promise((done) => {
    execFile(kNode, [kScript, record, key.publicFile], (error, stdout, stderr) => {
      assert.equal(stderr, '');
      done({ code: error ? error.code : 0, lines: stdout.split('\n').filter(Boolean) });
    });
  });
}

describe('a decision that the gateway signs', () => {
  it('is proved by the record and the public key alone', async (t) => {
    const stage = await begin(t);
    const { own, desk, stranger } = stage.keys;
    const id = await askFor(stage, 'hello');
    const outside = jwsOf(desk, claimsFor(stage, id));
    assert.equal(textOf((await call(stage, 'hello', { jws: outside })).result), 'hello');
    assert.deepEqual(stepsOf(stage.gateway, id), ['pending by ann', 'approved by bob', 'used by ann']);
    const [asked, approved, used] = approvalRecords(stage.gateway, id);
    assert.deepEqual([asked.jws, used.jws], [undefined, undefined], 'only decisions are signed');
    assert.deepEqual([approved.proof, approved.detail, approved.roles], ['approval_key:desk', 'call of ann: signed elsewhere', ['boss']]);
    const [header, claims] = partsOf(approved.jws);
    assert.deepEqual(header, { alg: 'EdDSA', kid: own.kid, typ: kType });
    const { iat, exp, digest, policy, ...rest } = claims;
    assert.deepEqual(rest, {
      iss: own.kid, approval: id, principal: 'ann', server: 'dual', method: 'tools/call', target: 'echo',
      rule: 'echo-needs-a-boss', decision: 'approve', approver: 'bob', state: 'approved', signed: outside,
    });
    assert.ok(Math.abs(iat - seconds()) < 30 && exp === iat + 600, `${iat} ${exp}`);
    assert.deepEqual([digest, policy], [approved.argument_digest, approved.policy]);

    const record = stage.gateway.auditFile;
    const proved = await verify(record, own);
    assert.deepEqual([proved.code, proved.lines], [0, [`${approved.seq} ${JSON.stringify(claims)}`]]);
    const refused = await askFor(stage, 'goodbye');
    assert.equal((await answer(stage, 'carl', refused, 'deny', 'not today')).status, 200);
    assertRefused((await call(stage, 'goodbye', { jws: jwsOf(desk, claimsFor(stage, refused)) })).error, 'approval_denied');
    const [, denied] = approvalRecords(stage.gateway, refused);
    const no = partsOf(denied.jws)[1];
    assert.deepEqual([no.decision, no.approver, no.state, no.signed], ['deny', 'carl', 'denied', undefined]);
    const both = [...proved.lines, `${denied.seq} ${JSON.stringify(no)}`];
    assert.deepEqual(await verify(record, own), { code: 0, lines: both });
    const changes = {
      'another approver': [`"principal":"bob"`, `"principal":"eve"`],
      'a denial': [`"decision":"permit","rule":"echo-needs-a-boss"`, `"decision":"deny","rule":"echo-needs-a-boss"`],
      'another call': [`"argument_digest":"${digest}"`, `"argument_digest":"${'0'.repeat(64)}"`],
      'no proof': [`"jws":"${approved.jws}"`, `"jws":""`],
      'the proof of another key': [approved.jws, jwsOf(stranger, claims, { kid: own.kid })],
    };
    for (const [what, [from, to]] of Object.entries(changes)) {
      const text = readFileSync(record, 'utf8').split('\n').map((line) => (line.includes(approved.jws) ? line.replace(from, to) : line));
      assert.ok(!text.includes(approved.line), `${what}: nothing was changed`);
      const changed = join(stage.folder, 'changed.jsonl');
      writeFileSync(changed, text.join('\n'));
      assert.deepEqual(await verify(changed, own), { code: 1, lines: [`${approved.seq} NOT PROVED`, both[1]] }, what);
    }
    assert.equal((await verify(record, stranger)).code, 1, 'by another key');
  });

  it('is signed by the next key after a reload, which the key before has signed', async (t) => {
    const stage = await begin(t);
    const { own, next, desk, stranger } = stage.keys;
    const approve = async (text) => {
      const id = await askFor(stage, text);
      assert.ok((await call(stage, text, { jws: jwsOf(desk, claimsFor(stage, id)) })).result);
      return partsOf(approvalRecords(stage.gateway, id)[1].jws)[0].kid;
    };
    const keyRecords = () => stage.gateway.records().filter(({ kind }) => kind === 'signing_key').map(({ jws }) => partsOf(jws));
    assert.equal(await approve('one'), own.kid);
    const [[header, claims]] = keyRecords();
    assert.deepEqual([header.kid, header.typ, claims.kid, claims.jwk, claims.previous], [own.kid, 'bartizan-key+jwt', own.kid, own.jwk, undefined]);

    const first = readFileSync(stage.gateway.configFile, 'utf8');
    const second = first.replace(`"file:${own.file}"`, `"file:${next.file}"\nprevious_key = "file:${own.file}"`);
    await apply(stage.gateway, second);
    const [, [nextHeader, nextClaims]] = keyRecords();
    assert.deepEqual([nextHeader.kid, nextClaims.kid, nextClaims.jwk, nextClaims.previous], [own.kid, next.kid, next.jwk, own.kid]);
    assert.equal(await approve('two'), next.kid);
    assert.equal((await verify(stage.gateway.auditFile, own)).code, 0, 'whoever trusted the first key follows');
    assert.deepEqual((await verify(stage.gateway.auditFile, next)).lines.map((line) => line.endsWith('NOT PROVED')), [true, false], 'and not back');

    await apply(stage.gateway, `${second}\n# the same keys\n`);
    assert.equal(keyRecords().length, 2, 'the key is the same');
    await stage.gateway.stop();
    stage.gateway = await stage.gateway.again();
    t.after(() => stage.gateway.stop());
    assert.equal(keyRecords().length, 3, 'each start says it');
    await apply(stage.gateway, first.replace(own.file, stranger.file));
    assert.equal(keyRecords().at(-1)[0].kid, stranger.kid, 'signed by itself');
    assert.equal(await approve('three'), stranger.kid);
    assert.equal((await verify(stage.gateway.auditFile, own)).code, 1, 'nobody follows');
  });

  it('needs a key that is one, which check and a reload say', async (t) => {
    const stage = await begin(t);
    const { own, desk } = stage.keys;
    const good = readFileSync(stage.gateway.configFile, 'utf8');
    const line = 1 + good.split('\n').findIndex((text) => text.startsWith('signing_key'));
    const folder = `${stage.folder}/`;
    const check = async (text) => {
      const file = join(stage.gateway.directory, 'checked.toml');
      writeFileSync(file, text);
      const { code, stdout, stderr } = await runProgram('check', file);
      return { code, text: (stdout + stderr).replaceAll(folder, '') };
    };
    assert.equal((await check(good)).code, 0);
    const problems = {
      [good.replace(own.file, desk.publicFile)]: `checked.toml:${line}:15: error: "signing_key" is not a private key in PEM without a passphrase`,
      [good.replace(desk.publicFile, desk.file)]: `checked.toml:${line + 1}:16: error: "desk.pem" holds a private key, and the public one alone belongs here`,
      [good.replace(desk.publicFile, own.publicFile.replace('own', 'dual'))]: 'error: "dual.pub.pem" is the same key as that of "desk"',
      [good.replace(desk.publicFile, own.publicFile)]: `error: "own.pub.pem" is the gateway's own key`,
      [good.replace(own.file, `${own.file}.gone`)]: `checked.toml:${line}:15: warning: `,
    };
    for (const [text, want] of Object.entries(problems)) {
      const { code, text: said } = await check(text);
      assert.ok(said.includes(want), `${want}\n${said}`);
      assert.equal(code, want.includes('error') ? 1 : 0, said);
      assert.match((await refuse(stage.gateway, text)).reloads.error, /error|cannot be used/);
    }
    const id = await askFor(stage, 'hello');
    assert.ok((await call(stage, 'hello', { jws: jwsOf(desk, claimsFor(stage, id)) })).result, 'the keys from before hold');
  });
});

describe('an approval that was signed elsewhere', () => {
  const kAttacks = {
    'the approval of another call': (stage, id, other) => [jwsOf(stage.keys.desk, claimsFor(stage, other)), 'it is for another request, or for one that is over'],
    'the digest of another call': (stage, id, other) => [jwsOf(stage.keys.desk, claimsFor(stage, id, { digest: claimsFor(stage, other).digest })), 'it is for another call'],
    'one that was used': (stage) => [stage.used, 'it is for another request, or for one that is over'],
    'one that has expired': (stage, id) => [jwsOf(stage.keys.desk, claimsFor(stage, id, { exp: seconds() - 1 })), 'it has expired (exp)'],
    'one of the future': (stage, id) => [jwsOf(stage.keys.desk, claimsFor(stage, id, { iat: seconds() + 120 })), 'it was issued in the future (iat)'],
    'one that never expires': (stage, id) => [jwsOf(stage.keys.desk, claimsFor(stage, id, { exp: undefined })), 'it has no expiry in whole seconds (exp)'],
    'a denial': (stage, id) => [jwsOf(stage.keys.desk, claimsFor(stage, id, { decision: 'deny' })), 'its decision is not an approval'],
    "a stranger's": (stage, id) => [jwsOf(stage.keys.stranger, claimsFor(stage, id)), 'it names no key of [approvals] (kid)'],
    "a stranger's under a known name": (stage, id) => [jwsOf(stage.keys.stranger, claimsFor(stage, id), { kid: stage.keys.desk.kid }), "the token's signature is wrong"],
    "the gateway's own": (stage, id) => [jwsOf(stage.keys.own, claimsFor(stage, id)), 'it names no key of [approvals] (kid)'],
    'alg none': (stage, id) => [jwsOf(stage.keys.desk, claimsFor(stage, id), { alg: 'none' }), 'the token says that it is not signed'],
    'alg none without a signature': (stage, id) => [jwsOf(stage.keys.desk, claimsFor(stage, id), { alg: 'none' }, () => Buffer.alloc(0)), 'the token says that it is not signed'],
    'HS256 by the public key': (stage, id) => [
      jwsOf(stage.keys.desk, claimsFor(stage, id), { alg: 'HS256' }, (input) => createHmac('sha256', readFileSync(stage.keys.desk.publicFile)).update(input).digest()),
      'the token is signed by a shared secret, and only public keys are accepted',
    ],
    'another type': (stage, id) => [jwsOf(stage.keys.desk, claimsFor(stage, id), { typ: 'JWT' }), "the token's header says that it is another kind of token"],
    'a key of its own': (stage, id) => [jwsOf(stage.keys.stranger, claimsFor(stage, id), { kid: stage.keys.desk.kid, jwk: stage.keys.stranger.jwk }), 'the token brings the key that it is to be verified with'],
    'one that is too long': (stage, id) => [jwsOf(stage.keys.desk, claimsFor(stage, id, { why: 'x'.repeat(4096) })), 'it is longer than 4 KiB'],
    'no text': () => [{ approved: true }, 'the token is empty'],
    'one word': () => ['yes', 'the token has not three parts with a point between them'],
    "one of who may not approve": (stage, id) => [jwsOf(stage.keys.dual, claimsFor(stage, id)), 'olga is not an approver of echo-needs-a-boss'],
    "the caller's own": (stage, id) => [jwsOf(stage.keys.self, claimsFor(stage, id)), 'ann is not an approver of echo-needs-a-boss'],
    "somebody else's name": (stage, id) => [jwsOf(stage.keys.dual, claimsFor(stage, id, { approver: 'bob' })), "its approver is not the key's principal"],
  };

  it('passes exactly the call that it names, once, and nothing else', async (t) => {
    const stage = await begin(t);
    const first = await askFor(stage, 'used');
    stage.used = jwsOf(stage.keys.desk, claimsFor(stage, first));
    assert.ok((await call(stage, 'used', { jws: stage.used })).result);
    const other = await askFor(stage, 'other');
    let number = 0;
    for (const [what, attack] of Object.entries(kAttacks)) {
      const text = `attack ${(number += 1)}`;
      const id = await askFor(stage, text);
      const [jws, why] = attack(stage, id, other);
      const { error } = await call(stage, text, { jws });
      assertRefused(error, 'needs_approval');
      assert.equal(error.data.approval_id, id, what);
      assert.equal(lastDetail(stage), `approval ${id}; signed approval not taken: ${why}`, what);
      assert.equal(stage.sent(text).length, 0, what);
      assert.deepEqual(stepsOf(stage.gateway, id), ['pending by ann'], what);
      assert.equal(textOf((await call(stage, text, { jws: jwsOf(stage.keys.desk, claimsFor(stage, id)) })).result), text, `${what}: the control`);
      assert.equal(stage.sent(`"${text}"`).length, 1, what);
    }
    const again = await call(stage, 'used', { jws: stage.used });
    assertRefused(again.error, 'needs_approval');
    assert.notEqual(again.error.data.approval_id, first);
    assert.equal(stage.sent('"used"').length, 1);
    assert.equal(stage.sent('bartizan/approval').length, 0, 'no server has seen one');
    assert.ok(!stage.sent('').join().includes(stage.used));
    assert.ok((await call(stage, 'other', { jws: jwsOf(stage.keys.desk, claimsFor(stage, other)) })).result, 'what others tried to use still waits');
  });

  it('is of one caller, and of the persons that the rule wants', async (t) => {
    const rules = kEchoNeedsABoss.replace('approvers = ["boss"]', 'approvers = ["boss", "caller", "operator"]\napprovals = 2');
    const stage = await begin(t, { rules });
    const { desk, dual, self } = stage.keys;
    const id = await askFor(stage, 'hello');
    const byBob = jwsOf(desk, claimsFor(stage, id));
    assertRefused((await call(stage, 'hello', { jws: byBob, name: 'zoe' })).error, 'needs_approval');
    assert.match(lastDetail(stage), /for another request/);
    assertRefused((await call(stage, 'hello', { jws: jwsOf(self, claimsFor(stage, id)) })).error, 'needs_approval');
    assert.match(lastDetail(stage), /echo-needs-a-boss does not allow callers to approve their own calls/);
    assertRefused((await call(stage, 'hello', { jws: byBob })).error, 'needs_approval');
    assertRefused((await call(stage, 'hello', { jws: byBob })).error, 'needs_approval');
    assert.match(lastDetail(stage), /its approver has approved already, and counts once/);
    assert.equal(textOf((await call(stage, 'hello', { jws: jwsOf(dual, claimsFor(stage, id)) })).result), 'hello');
    assert.deepEqual(stepsOf(stage.gateway, id), ['pending by ann', 'pending by bob', 'approved by olga', 'used by ann']);
    assert.equal((await verify(stage.gateway.auditFile, stage.keys.own)).lines.length, 2);
  });

  it('is as good beside the arguments, where anything else stays what it was', async (t) => {
    const stage = await begin(t);
    const id = await askFor(stage, 'hello');
    const jws = jwsOf(stage.keys.desk, claimsFor(stage, id));
    assertRefused((await call(stage, 'hello', { approved_by: jwsOf(stage.keys.stranger, claimsFor(stage, id)) })).error, 'needs_approval');
    assert.match(lastDetail(stage), /it names no key of \[approvals\]/);
    assert.equal(textOf((await call(stage, 'hello', { approved_by: jws })).result), 'hello');
    assert.equal(stage.sent('approved_by').length, 0);
    // A client of the legacy era has the same members.
    const session = await LegacySession.open(stage.gateway.url, bearer('ann'));
    const given = { name: 'dual_echo', arguments: { text: 'legacy' } };
    const { error } = responseOf(await session.request(1, 'tools/call', given));
    const legacy = jwsOf(stage.keys.desk, claimsFor(stage, error.data.approval_id));
    const passed = await session.request(2, 'tools/call', { ...given, _meta: { 'bartizan/approval': legacy, progressToken: 7 } });
    assert.equal(textOf(responseOf(passed).result), 'legacy');
    assert.equal(stage.sent(legacy).length, 0);
    // No decision for the gateway: a part of the call, which is then another one.
    const named = await askFor(stage, 'hello', { approved_by: 'admin_user_id' });
    assert.notEqual(await askFor(stage, 'hello'), named);
    const decision = jwsOf(stage.keys.desk, claimsFor(stage, named));
    assert.ok((await call(stage, 'hello', { approved_by: 'admin_user_id', jws: decision })).result);
  });

  it('is on record itself where the gateway has no key', async (t) => {
    const stage = await begin(t);
    const config = readFileSync(stage.gateway.configFile, 'utf8');
    await apply(stage.gateway, config.replace(/^signing_key.*\n/m, ''));
    const id = await askFor(stage, 'hello');
    const jws = jwsOf(stage.keys.desk, claimsFor(stage, id, { approver: 'bob' }));
    assert.ok((await call(stage, 'hello', { jws })).result);
    assert.equal(approvalRecords(stage.gateway, id)[1].jws, jws);
    assert.equal((await verify(stage.gateway.auditFile, stage.keys.desk)).code, 0);
    await apply(stage.gateway, config.replace(/^\[approvals.key.desk\]\n.*\n.*\n/m, ''));
    const next = await askFor(stage, 'hello');
    assertRefused((await call(stage, 'hello', { jws: jwsOf(stage.keys.desk, claimsFor(stage, next)) })).error, 'needs_approval');
    assert.match(lastDetail(stage), /it names no key of \[approvals\]/, 'a key that was taken away');
  });
});

/** Somebody whom the webhook tells. `answer(response, event)` may answer something else than 204. */
async function receiver(port = 0) {
  const place = { events: [], answer: (response) => response.writeHead(204).end() };
  const server = createServer((incoming, response) => {
    const chunks = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const event = { path: incoming.url, headers: incoming.headers, body, ...JSON.parse(body || '{}') };
      place.events.push(event);
      place.answer(response, event);
    });
  });
  await new Promise((done) => server.listen(port, '127.0.0.1', done));
  place.port = server.address().port;
  place.states = (id) => place.events.filter((event) => event.id === id).map(({ state }) => state);
  place.stop = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return place;
}

const counted = async (stage, result) => Number(new RegExp(`^bartizan_approval_webhook_events_total{result="${result}"} (.*)$`, 'm').exec(await stage.gateway.metrics())?.[1]);

describe('the webhook', () => {
  const hook = (port, secret = 'hook') => (folder) => {
    writeFileSync(join(folder, secret), `the secret ${secret}`, { mode: 0o600 });
    return `[approvals.webhook]\nurl = "http://127.0.0.1:${port}/hook"\nsecret = "file:${folder}/${secret}"\n`;
  };
  const approve = async (stage, text, id) => assert.ok((await call(stage, text, { jws: jwsOf(stage.keys.desk, claimsFor(stage, id)) })).result);

  it('tells of each step, signed, and of no argument', async (t) => {
    const place = await receiver();
    t.after(place.stop);
    const stage = await begin(t, { approvals: hook(place.port) });
    const id = await askFor(stage, 'hello');
    await eventually(() => place.events.length === 1, 'the call that waits is told');
    // What a receiver answers is nobody's approval.
    place.answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"decision":"approve"}');
    assert.equal(await askFor(stage, 'hello'), id);
    await approve(stage, 'hello', id);
    await eventually(() => place.states(id).length === 3, 'all is told');
    assert.deepEqual(place.states(id), ['pending', 'approved', 'used']);
    const [asked] = place.events;
    const { made_at: made, ends_at: ends, digest, url, state, needed } = asked;
    assert.deepEqual([ends - made, state, needed, url], [900, 'pending', 1, `${stage.console}/approvals/${id}`]);
    assert.equal(digest, approvalRecords(stage.gateway, id)[0].argument_digest);
    assert.deepEqual([asked.principal, asked.server, asked.method, asked.target, asked.rule], ['ann', 'dual', 'tools/call', 'echo', 'echo-needs-a-boss']);
    for (const { headers, body, state: then } of place.events) {
      const timestamp = headers['bartizan-timestamp'];
      const mac = createHmac('sha256', 'the secret hook').update(`${timestamp}.${body}`).digest('hex');
      assert.equal(headers['bartizan-signature'], `v1=${mac}`);
      assert.ok(Math.abs(Number(timestamp) - seconds()) < 30);
      assert.equal(headers['bartizan-event'], `${id}.${then}`);
      assert.equal(headers['content-type'], 'application/json');
      assert.ok(!body.includes('hello'), 'an argument was told');
    }
    await eventually(async () => (await counted(stage, 'sent')) === 3, 'all is counted');
  });

  it('tells of what nobody decided, and of what a reload withdrew, at the place of the reload', async (t) => {
    const [place, second] = [await receiver(), await receiver()];
    t.after(place.stop);
    t.after(second.stop);
    const stage = await begin(t, { approvals: hook(place.port), rules: kEchoNeedsABoss });
    const id = await askFor(stage, 'hello');
    await eventually(() => place.states(id).length === 1, 'it is told');
    const config = readFileSync(stage.gateway.configFile, 'utf8');
    const tables = hook(second.port, 'other')(stage.folder);
    const changed = config.replace(/\[approvals\.webhook\]\n.*\n.*\n/, tables).replace('[approvals]\n', '[approvals]\nexpires = "1s"\n');
    await apply(stage.gateway, changed);
    await eventually(() => second.states(id).length === 1, 'it is withdrawn');
    assert.deepEqual([second.states(id), place.states(id)], [['withdrawn'], ['pending']]);
    const [{ headers, body }] = second.events;
    assert.equal(headers['bartizan-signature'], `v1=${createHmac('sha256', 'the secret other').update(`${headers['bartizan-timestamp']}.${body}`).digest('hex')}`);
    const next = await askFor(stage, 'hello');
    await eventually(() => second.states(next).includes('expired'), 'it expires', 10_000);
    assert.deepEqual(second.states(next), ['pending', 'expired']);
    await apply(stage.gateway, config.replace(/\[approvals\.webhook\]\n.*\n.*\n/, ''));
    const [before, last] = [second.events.length, await askFor(stage, 'quiet')];
    await approve(stage, 'quiet', last);
    assert.equal(second.events.length, before, 'nobody is told any more');
  });

  it('tries again what was not taken, under the same name, and gives up what was refused', async (t) => {
    const place = await receiver();
    t.after(() => place.stop());
    const stage = await begin(t, { approvals: hook(place.port) });
    let answers = [500, 429];
    place.answer = (response) => response.writeHead(answers.shift() ?? 204).end();
    const id = await askFor(stage, 'hello');
    await eventually(() => place.states(id).length === 3, 'it is tried again', 10_000);
    assert.deepEqual(new Set(place.events.map(({ headers }) => headers['bartizan-event'])), new Set([`${id}.pending`]));
    assert.equal(await eventually(() => counted(stage, 'sent'), 'it is counted'), 1);
    answers = [302, 400];
    place.answer = (response) => response.writeHead(answers.shift() ?? 204, { location: `http://127.0.0.1:${place.port}/elsewhere` }).end();
    await approve(stage, 'hello', id);
    await eventually(async () => (await counted(stage, 'failed')) === 2, 'both are given up');
    assert.deepEqual(place.states(id).slice(3), ['approved', 'used']);
    assert.ok(place.events.every(({ path }) => path === '/hook'), 'a redirect was followed');
    assert.match(stage.gateway.log(), /approval webhook failed.*answered with status 302/);
    assert.ok(!stage.gateway.log().includes('hello'));
  });

  it('holds up nobody while its receiver is dead or slow', async (t) => {
    const port = await freePort();
    const stage = await begin(t, { approvals: hook(port) });
    const id = await askFor(stage, 'dead');
    await approve(stage, 'dead', id);
    assert.equal(await counted(stage, 'sent'), 0);
    const place = await receiver(port);
    t.after(place.stop);
    await eventually(() => place.states(id).length === 3, 'it is told when it is back', 20_000);
    assert.deepEqual(place.states(id), ['pending', 'approved', 'used']);
    const held = [];
    place.answer = (response) => held.push(response);
    const slow = await askFor(stage, 'slow');
    await eventually(() => held.length === 1, 'the receiver has it and says nothing');
    await approve(stage, 'slow', slow);
    assert.equal(held.length, 1, 'the calls were through before its time was over');
    assert.deepEqual(place.states(slow), ['pending']);
    place.answer = (response) => response.writeHead(204).end();
    await eventually(() => place.states(slow).includes('used'), 'it goes on after its time', 20_000);
    assert.deepEqual(place.states(slow), ['pending', 'pending', 'approved', 'used']);
  });
});
