// What operators revoke and block: refused at once, also on streams that are open and in calls in
// progress, after a restart as well, and let in again when it is lifted.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually, textOf } from './assertions.mjs';
import { EventStream } from './event_stream.mjs';
import { runProgram } from './harness.mjs';
import { Issuer, issuerTable } from './issuer.mjs';
import { digestOf } from './reloading.mjs';
import { bearer, begin, kAuth, kKeys, revokeToken } from './revocation_stage.mjs';
import { LegacySession, jsonRpc, modernMeta, responseOf, send, sendModern } from './wire.mjs';

const kSecond = 1000;

/** A session with its GET stream open, and a call in progress in it and in the modern era. */
async function beAtWork(place, secret) {
  const session = await LegacySession.open(place.gateway.url, bearer(secret));
  const stream = await EventStream.open(place.gateway.url, { headers: { ...session.headers(), accept: 'text/event-stream' } });
  assert.equal(stream.status, 200);
  const marks = [randomUUID(), randomUUID()];
  const slow = (mark) => ({ name: 'dual_slow', arguments: { milliseconds: 120_000, mark } });
  const calls = [
    session.request(7, 'tools/call', slow(marks[0])),
    sendModern(place.gateway.url, 'tools/call', slow(marks[1]), { headers: bearer(secret) }),
  ];
  for (const mark of marks) await eventually(() => place.hasBegun(mark), `the call ${mark} is at its server`);
  return { session, stream, calls, marks };
}

/** Whatever it is, within a second. */
function soon(promise, what) {
  let timer;
  const late = new Promise((_, fail) => (timer = setTimeout(() => fail(new Error(`${what}: not within a second`)), kSecond)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

const detailsOf = (gateway, kind) => gateway.records().filter((record) => record.kind === kind).map(({ detail }) => detail);

/** The calls in progress, as the admin socket says. */
function callsInProgress(place) {
  return new Promise((resolve, reject) => {
    request({ socketPath: join(place.folder, 'admin.sock'), path: '/api/status', agent: false }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk) => (text += chunk));
      incoming.on('end', () => resolve(JSON.parse(text).calls_in_progress));
    })
      .on('error', reject)
      .end();
  });
}

/** Asks by bob, whom nothing here is about. */
function watchMarks(place) {
  const told = async (mark) => textOf(responseOf(await place.call(kKeys.bob, 'dual_was_cancelled', { mark })).result);
  place.hasBegun = async (mark) => (await told(mark)) !== 'not begun';
  place.inProgress = () => callsInProgress(place);
  place.wasCancelled = async (mark) => (await told(mark)) === 'yes';
}

async function assertEnded(place, work, reason) {
  await soon(work.stream.ended, 'the open stream ends');
  for (const [index, call] of work.calls.entries()) {
    const answer = responseOf(await soon(call, `call ${index} ends`));
    assertRefused(answer.error, reason);
  }
  for (const mark of work.marks) await eventually(() => place.wasCancelled(mark), `the server hears of ${mark}`);
}

describe('what operators revoke', () => {
  let place;
  before(async () => {
    place = await begin();
    watchMarks(place);
  });
  after(() => place?.stop());

  it('is a principal, with all that it has', async () => {
    await place.passes(kKeys.ann);
    const work = await beAtWork(place, kKeys.ann);
    const revocation = await place.done('revoke principal', 'ann', '--why', 'left the company');
    assert.equal((await place.call(kKeys.ann)).status, 401);
    assert.equal((await place.call(kKeys.second)).status, 401);
    assert.equal((await work.session.request(8, 'tools/list')).status, 401);
    await assertEnded(place, work, 'revoked');
    await place.passes(kKeys.bob);
    assert.ok(place.gateway.records().some(({ kind, reason }) => kind === 'refusal' && reason === 'revoked'));
    await place.lift(revocation);
    await place.passes(kKeys.ann);
    await place.passes(kKeys.second);
    assert.equal((await work.session.request(9, 'tools/list')).status, 404, 'what has ended stays so');
  });

  it('is a key, by its name or its digest, and no other one of its principal', async () => {
    const work = await beAtWork(place, kKeys.ann);
    const other = await LegacySession.open(place.gateway.url, bearer(kKeys.second));
    const revocation = await place.done('revoke key', 'ann', '--why', 'lost her laptop');
    assert.equal(revocation.sha256, digestOf(kKeys.ann));
    assert.equal((await place.call(kKeys.ann)).status, 401);
    await assertEnded(place, work, 'revoked');
    await place.passes(kKeys.second);
    assert.equal((await other.call(2, 'dual_echo', { text: 'x' })).result.content[0].text, 'x');
    await place.lift(revocation);
    await place.passes(kKeys.ann);
    const again = await place.done('revoke key', digestOf(kKeys.ann), '--why', 'lost again');
    assert.equal((await place.call(kKeys.ann)).status, 401);
    await place.lift(again);
  });

  it('is one session, whose client begins another', async () => {
    const work = await beAtWork(place, kKeys.ann);
    const other = await LegacySession.open(place.gateway.url, bearer(kKeys.ann));
    await place.done('revoke session', work.session.id, '--why', 'not hers');
    const answer = await work.session.request(8, 'tools/list');
    assert.equal(answer.status, 404);
    await soon(work.stream.ended, 'the open stream ends');
    assertRefused(responseOf(await soon(work.calls[0], 'the call of the session ends')).error, 'revoked');
    assert.ok(place.gateway.records().some(({ kind, reason, principal }) => kind === 'outcome' && reason === 'revoked' && principal === 'ann'));
    assert.equal((await other.call(2, 'dual_echo', { text: 'x' })).result.content[0].text, 'x');
    await place.passes(kKeys.ann);
    const unknown = await place.order('revoke session', work.session.id, '--why', 'again');
    assert.equal(unknown.code, 1);
    assert.match(unknown.reason, /no such session/);
    for (const { line } of place.gateway.records()) assert.ok(!line.includes(work.session.id));
  });

  it('ends by itself where that was said', async () => {
    await place.done('revoke principal', 'ann', '--why', 'for a moment', '--for', '1s');
    assert.equal((await place.call(kKeys.ann)).status, 401);
    await eventually(async () => (await place.call(kKeys.ann)).status === 200, 'it is over');
  });

  it('has a name that there is', async () => {
    const rows = [
      [['revoke principal', 'anne'], /there is no principal "anne": did you mean "ann"\?/],
      [['block principal', 'bib'], /did you mean "bob"\?/],
      [['revoke key', 'secnd'], /there is no key "secnd": did you mean "second"\?/],
      [['block server', 'duel'], /there is no server "duel": did you mean "dual"\?/],
      [['block tool', 'dual/ecko'], /there is no tool "dual\/ecko": did you mean "dual\/echo"\?/],
      [['block tool', 'duel/echo'], /there is no server "duel": did you mean "dual"\?/],
      [['block tool', 'echo'], /a tool is named SERVER\/TOOL/],
      [['lift', '4711'], /nothing that holds has the number 4711/],
    ];
    for (const [[verb, name], expected] of rows) {
      const answer = await place.order(verb, name, ...(verb === 'lift' ? [] : ['--why', 'a slip']));
      assert.equal(answer.code, 1, verb);
      assert.match(answer.reason, expected);
    }
    const late = await place.order('revoke principal', 'ann', '--why', 'x', '--for', 'soon');
    assert.match(late.reason, /for= is a duration/);
    assert.deepEqual(await place.order('revocations').then(({ revocations }) => revocations.filter(({ kind }) => kind !== 'session')), []);
  });

  it('is on record, with who did it and why', async () => {
    const { gateway } = place;
    const revocation = await place.done('revoke principal', 'bob', '--why', 'an exercise');
    const [record] = gateway.records().filter(({ decision_id: id }) => id === revocation.decision_id);
    assert.equal(record.kind, 'revocation');
    assert.equal(record.source, `uid:${process.getuid()}`);
    assert.equal(record.transport, 'admin');
    assert.equal(record.detail, 'revoke principal bob: an exercise');
    await place.lift(revocation);
    assert.equal(detailsOf(gateway, 'lift').at(-1), 'revoke principal bob');
    const shown = await runProgram('audit', 'show', revocation.decision_id, gateway.auditFile);
    assert.match(shown.stdout, /an exercise/);
    await place.passes(kKeys.bob);
  });
});

describe('what operators block', () => {
  let place;
  before(async () => {
    place = await begin();
    watchMarks(place);
  });
  after(() => place?.stop());

  const namesOf = async (secret) => responseOf(await sendModern(place.gateway.url, 'tools/list', {}, { headers: bearer(secret) })).result.tools.map(({ name }) => name);

  it('is a tool, which is refused, unlisted, and told as changed', async () => {
    const work = await beAtWork(place, kKeys.ann);
    const revocation = await place.done('block tool', 'dual/slow', '--why', 'hangs');
    for (const call of work.calls) assertRefused(responseOf(await soon(call, 'the call in progress ends')).error, 'blocked');
    for (const mark of work.marks) await eventually(() => place.wasCancelled(mark), 'the server hears of it');
    const refused = responseOf(await place.call(kKeys.ann, 'dual_slow', { milliseconds: 1, mark: '' }));
    assertRefused(refused.error, 'blocked');
    assert.match(refused.error.message, /operator has blocked/);
    assert.ok(!(await namesOf(kKeys.ann)).includes('dual_slow'));
    assert.ok((await namesOf(kKeys.ann)).includes('dual_echo'));
    const told = () => work.stream.messages().filter(({ method }) => method === 'notifications/tools/list_changed').length;
    await eventually(() => told() > 0, 'the session is told');
    await place.passes(kKeys.ann);
    assert.equal((await work.session.call(8, 'dual_echo', { text: 'x' })).result.content[0].text, 'x', 'the session goes on');
    const before = told();
    await place.lift(revocation);
    assert.ok((await namesOf(kKeys.ann)).includes('dual_slow'));
    await eventually(() => told() > before, 'the session is told again');
    const answer = responseOf(await place.call(kKeys.ann, 'dual_slow', { milliseconds: 1, mark: 'm' }));
    assert.equal(textOf(answer.result), 'slept 1 m');
    work.stream.close();
  });

  it('is a server, with all that it has, and no other one', async () => {
    const work = await beAtWork(place, kKeys.ann);
    const revocation = await place.done('block server', 'dual', '--why', 'compromised');
    for (const call of work.calls) assertRefused(responseOf(await soon(call, 'the call in progress ends')).error, 'blocked');
    assertRefused(responseOf(await place.call(kKeys.ann)).error, 'blocked');
    assertRefused((await work.session.call(8, 'dual_echo', { text: 'x' })).error, 'blocked');
    await place.passes(kKeys.ann, 'other_echo');
    assert.deepEqual((await namesOf(kKeys.ann)).filter((name) => name.startsWith('dual_')), []);
    await eventually(() => work.stream.messages().some(({ method }) => method === 'notifications/tools/list_changed'), 'the session is told');
    // Who may not call it is told nothing of it.
    assertRefused(responseOf(await place.call(kKeys.olga)).error, 'no_matching_rule');
    await place.lift(revocation);
    await place.passes(kKeys.ann);
    for (const mark of work.marks) await eventually(() => place.wasCancelled(mark), `the server has heard of ${mark}`);
    work.stream.close();
  });

  it('is told to modern clients that listen', async () => {
    const body = jsonRpc(5, 'subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: modernMeta() });
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen', ...bearer(kKeys.ann) };
    const stream = await EventStream.open(place.gateway.url, { method: 'POST', headers, body });
    await eventually(() => stream.messages().some(({ method }) => method === 'notifications/subscriptions/acknowledged'), 'it is acknowledged');
    const revocation = await place.done('block tool', 'dual/slow', '--why', 'hangs');
    await eventually(() => stream.messages().some(({ method }) => method === 'notifications/tools/list_changed'), 'the listener is told', 2 * kSecond);
    const principal = await place.done('revoke principal', 'ann', '--why', 'left');
    await soon(stream.ended, 'the subscription ends');
    assertRefused(stream.response().error, 'revoked');
    await place.lift(principal);
    await place.lift(revocation);
  });

  it('is a principal, who is told so', async () => {
    const work = await beAtWork(place, kKeys.ann);
    const revocation = await place.done('block principal', 'ann', '--why', 'an incident');
    const answer = await place.call(kKeys.ann);
    assert.equal(answer.status, 403);
    assert.equal(answer.headers['www-authenticate'], undefined);
    assert.match(answer.body, /blocked/);
    await assertEnded(place, work, 'blocked');
    await place.passes(kKeys.bob);
    await place.lift(revocation);
    await place.passes(kKeys.ann);
  });

  it('and what they revoke outlives a restart, and a crash', async () => {
    const blocked = await place.done('block tool', 'dual/echo', '--why', 'wrong');
    const revoked = await place.done('revoke principal', 'bob', '--why', 'left');
    for (const end of ['stop', 'crash']) {
      await place.gateway[end]();
      place.gateway = await place.gateway.again();
      assertRefused(responseOf(await place.call(kKeys.ann)).error, 'blocked');
      await place.passes(kKeys.ann, 'other_echo');
      assert.equal((await place.call(kKeys.bob)).status, 401);
      const { revocations } = await place.order('revocations');
      assert.deepEqual(revocations.map(({ number }) => number), [blocked.number, revoked.number]);
    }
    await place.lift(blocked);
    await place.lift(revoked);
    await place.gateway.stop();
    place.gateway = await place.gateway.again();
    await place.passes(kKeys.ann);
    await place.passes(kKeys.bob);
  });
});

describe('a call that waits for its turn', () => {
  it('is never sent once an operator blocked its tool', async (t) => {
    const more = '[limit.slow]\nper = ["principal"]\ntools = ["dual/slow"]\nconcurrency = 1\nqueue = 8\nqueue_timeout = "60s"\n';
    const place = await begin(t, { more });
    watchMarks(place);
    const [first, second] = [randomUUID(), randomUUID()];
    const slow = (mark) => place.call(kKeys.ann, 'dual_slow', { milliseconds: 120_000, mark });
    const sent = slow(first);
    await eventually(() => place.hasBegun(first), 'the first call is at its server');
    const waiting = slow(second);
    await eventually(async () => (await place.inProgress()) >= 2, 'the second one waits');
    const revocation = await place.done('block tool', 'dual/slow', '--why', 'hangs');
    for (const call of [sent, waiting]) assertRefused(responseOf(await soon(call, 'it ends')).error, 'blocked');
    await place.lift(revocation);
    assert.equal(await place.hasBegun(second), false);
    // The control: what waits is sent when it is its turn.
    const third = randomUUID();
    const later = place.call(kKeys.ann, 'dual_slow', { milliseconds: 1, mark: third });
    assert.equal(textOf(responseOf(await later).result), `slept 1 ${third}`);
  });
});

describe('an order that cannot be recorded', () => {
  it('is not in force, also after a restart', async (t) => {
    const place = await begin(t, { wrapper: ['prlimit', '--fsize=300000:'] });
    const fill = async () => responseOf(await place.call(kKeys.ann)).error;
    let error;
    for (let call = 0; call < 1000 && !error; call += 1) error = await fill();
    assertRefused(error, 'not_recordable');
    const answer = await place.order('revoke principal', 'bob', '--why', 'left');
    assert.equal(answer.code, 1);
    assert.match(answer.reason, /it cannot be recorded, so nothing was done/);
    execFileSync('prlimit', ['--pid', `${place.gateway.process.pid}`, '--fsize=unlimited:']);
    await eventually(() => place.gateway.isReady(), 'the gateway is ready again');
    await place.passes(kKeys.bob);
    assert.deepEqual((await place.order('revocations')).revocations, []);
    await place.gateway.stop();
    Object.assign(place.gateway, { wrapper: [] });
    place.gateway = await place.gateway.again();
    await place.passes(kKeys.bob);
    // The control: now it is recorded.
    const revocation = await place.done('revoke principal', 'bob', '--why', 'left');
    assert.equal((await place.call(kKeys.bob)).status, 401);
    await place.lift(revocation);
  });
});

describe('an access token that is revoked', () => {
  it('is refused by itself or its jti, and stands nowhere', async (t) => {
    const issuer = await new Issuer().start();
    t.after(() => issuer.stop().catch(() => {}));
    const place = await begin(t, {
      auth: `${kAuth}${issuerTable('corp', issuer)}\n[rule.readers]\neffect = "permit"\nroles = ["reader"]\ntools = ["dual/*"]\n[role.reader]\n[role.writer]\n`,
    });
    const sub = `s-${randomUUID()}`;
    const [first, second] = [0, 1].map(() => issuer.mint({ sub }));
    const jti = randomUUID();
    const third = issuer.mint({ sub, jti });
    const isIn = async (token) => (await place.call(token)).status === 200;
    for (const token of [first, second, third]) assert.ok(await isIn(token));
    const byToken = await revokeToken(place, first);
    assert.equal(byToken.code, 0, JSON.stringify(byToken));
    assert.equal(byToken.revocation.sha256, createHash('sha256').update(first.slice(0, first.lastIndexOf('.'))).digest('hex'));
    assert.equal((await place.call(first)).status, 401);
    assert.ok(await isIn(second), 'another token of the same principal');
    const byId = await revokeToken(place, jti);
    assert.equal((await place.call(third)).status, 401);
    assert.ok(await isIn(second));
    const principal = await place.done('revoke principal', `corp:${sub}`, '--why', 'left');
    assert.equal((await place.call(second)).status, 401);
    for (const revocation of [byToken.revocation, byId.revocation, principal]) await place.lift(revocation);
    for (const token of [first, second, third]) assert.ok(await isIn(token));
    const texts = readdirSync(place.folder).filter((name) => name.startsWith('state')).map((name) => readFileSync(join(place.folder, name), 'latin1'));
    texts.push(readFileSync(place.gateway.auditFile, 'latin1'), place.gateway.log());
    assert.ok(texts.some((text) => text.includes(byToken.revocation.sha256)), 'the control: its digest is there');
    for (const text of texts) {
      for (const secret of [first, third, first.split('.')[2], jti]) assert.ok(!text.includes(secret));
    }
  });
});

describe('the console', () => {
  it('revokes, lists and lifts', async (t) => {
    const place = await begin(t);
    const origin = place.console;
    let cookie;
    const post = (path, fields) =>
      send(new URL(path, origin), {
        headers: { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded', ...(cookie && { cookie }) },
        body: new URLSearchParams(fields).toString(),
      });
    const page = async () => (await send(new URL('/revocations', origin), { method: 'GET', headers: { cookie } })).body;
    assert.equal((await send(new URL('/revocations', origin), { method: 'GET', headers: {} })).status, 303, 'strangers sign in first');
    cookie = (await post('/sign-in', { key: kKeys.olga })).headers['set-cookie'][0].split(';')[0];
    assert.match(await page(), /Nothing is revoked or blocked/);
    const csrf = /name="csrf" value="([0-9a-f]+)"/.exec(await page())[1];
    const order = { kind: 'block_tool', name: 'dual/echo', why: 'a <b>slip</b>' };
    assert.equal((await post('/revoke', order)).status, 403, 'a form of no session');
    await place.passes(kKeys.ann);
    assert.equal((await post('/revoke', { ...order, csrf })).status, 303);
    assertRefused(responseOf(await place.call(kKeys.ann)).error, 'blocked');
    const html = await page();
    assert.match(html, /block tool <code>(<bdi>)?dual\/echo(<\/bdi>)?<\/code>/);
    assert.ok(!html.includes('<b>slip'), 'what was typed is text');
    const number = /name="number" value="(\d+)"/.exec(html)[1];
    assert.equal((await post('/lift', { number })).status, 403);
    assertRefused(responseOf(await place.call(kKeys.ann)).error, 'blocked');
    assert.equal((await post('/lift', { number, csrf })).status, 303);
    await place.passes(kKeys.ann);
    assert.equal((await post('/revoke', { kind: 'principal', name: 'anne', why: 'x', csrf })).status, 303);
    assert.match(await page(), /did you mean (&quot;|")ann(&quot;|")/);
    const records = place.gateway.records().filter(({ kind }) => kind === 'revocation' || kind === 'lift');
    assert.deepEqual(records.map(({ kind, principal, proof, transport }) => [kind, principal, proof, transport]), [
      ['revocation', 'olga', 'api_key:olga', 'console'],
      ['lift', 'olga', 'api_key:olga', 'console'],
    ]);
    // Who is revoked is signed in no more.
    assert.equal((await post('/revoke', { kind: 'principal', name: 'olga', why: 'left', csrf })).status, 303);
    assert.equal((await send(new URL('/revocations', origin), { method: 'GET', headers: { cookie } })).status, 303);
    await place.lift((await place.order('revocations')).revocations[0]);
  });
});

describe('without a state file', () => {
  it('nothing is revoked, and the command says what to do', async (t) => {
    const place = await begin(t, { state: false });
    for (const [verb, name] of [['revoke principal', 'ann'], ['block tool', 'dual/echo']]) {
      const answer = await place.order(verb, name, '--why', 'x');
      assert.equal(answer.code, 1);
      assert.match(answer.reason, /write \[state\] file = "PATH" in the configuration/);
    }
    await place.passes(kKeys.ann);
    assert.deepEqual((await place.order('revocations')).revocations, []);
  });
});
