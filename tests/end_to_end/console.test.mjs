// What an operator does in a browser: signs in with a key, sees what is quarantined, releases one definition,
// and what becomes of everybody else who asks for the same.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync, readFileSync } from 'node:fs';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually, textOf } from './assertions.mjs';
import { makeCertificates } from './certificates.mjs';
import { freePort, kFixtures, runProgram, startGateway, temporaryDirectory } from './harness.mjs';
import { stdioServer } from './servers.mjs';
import { LegacySession, responseOf } from './wire.mjs';

const kKeys = { ann: 'the-key-of-ann-for-tests', bob: 'the-key-of-bob-for-tests' };
const kRoles = { ann: ['operator', 'caller'], bob: ['caller'] };
const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const auth = (who = ['ann', 'bob']) =>
  who.map((name) => `[auth.api_key.${name}-key]\nprincipal = "${name}"\nsha256 = "${sha256(kKeys[name])}"\n`).join('') +
  Object.entries(kRoles).map(([name, roles]) => `[principal.${name}]\nroles = ${JSON.stringify(roles)}\n`).join('') +
  '[role.operator]\n[role.caller]\n[rule.callers]\neffect = "permit"\nroles = ["caller"]\ntools = ["notes/*"]\n';

const tool = (name, description) => ({ name, description, inputSchema: { type: 'object', properties: { text: { type: 'string' } } } });
const kHostile = 'Reads </p><script>alert(1)</script> a\u202enote.';

/** A browser as far as it matters: it keeps cookies, follows no redirection, and says where forms come from. */
class Browser {
  constructor(url, { ca, host } = {}) {
    Object.assign(this, { url: new URL(url), ca, host, cookies: new Map() });
  }

  get origin() {
    return this.url.origin;
  }

  ask(path, { method = 'GET', headers = {}, body } = {}) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const all = { ...(cookie && { cookie }), ...(this.host && { host: this.host }), ...headers };
    const request = this.url.protocol === 'https:' ? requestTls : requestPlain;
    return new Promise((resolve, reject) => {
      const outgoing = request(new URL(path, this.url), { method, headers: all, ca: this.ca, agent: false }, (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        incoming.on('end', () => {
          for (const set of incoming.headers['set-cookie'] ?? []) {
            const [, name, value] = /^([^=]*)=([^;]*)/.exec(set);
            if (value) this.cookies.set(name, value);
            else this.cookies.delete(name);
          }
          resolve({ status: incoming.statusCode, headers: incoming.headers, text });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  post(path, fields, headers = {}) {
    const body = new URLSearchParams(fields).toString();
    const own = { origin: this.origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' };
    const sent = Object.fromEntries(Object.entries({ ...own, ...headers }).filter(([, value]) => value !== undefined));
    return this.ask(path, { method: 'POST', body, headers: { 'content-length': Buffer.byteLength(body), ...sent } });
  }

  signIn(key) {
    return this.post('/sign-in', { key });
  }

  /** The hidden fields of the form on a page whose action and text are these. */
  async form(path, action, text = '') {
    const { text: html } = await this.ask(path);
    const forms = [...html.matchAll(/<form method="post" action="([^"]*)"[^]*?<\/form>/g)];
    const found = forms.find(([form, its]) => its === action && form.includes(text));
    assert.ok(found, `no form ${action} with ${text} in:\n${html}`);
    return Object.fromEntries([...found[0].matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]));
  }
}

/** A gateway with a console, whose server lists what its file says. */
async function startConsole(t, { tls, more = '', keys } = {}) {
  const directory = temporaryDirectory();
  const list = join(directory, 'tools.json');
  const next = join(directory, 'next.json');
  writeFileSync(list, JSON.stringify([tool('read', 'Reads a note.'), tool('change', 'Changes the list.')]));
  writeFileSync(next, JSON.stringify([tool('read', kHostile), tool('change', 'Changes the list.')]));
  const port = await freePort();
  const table = `[console]\naddress = "127.0.0.1:${port}"\nroles = ["operator"]\n${more}${tls ? `tls = { cert = ${JSON.stringify(tls.certFile)}, key = ${JSON.stringify(`file:${tls.keyFile}`)} }\n` : ''}`;
  const server = stdioServer('notes', [join(kFixtures, 'listing_server.mjs'), '--tools', list, '--next', next]);
  const gateway = await startGateway(table + server, { auth: auth(keys) });
  if (t) t.after(() => gateway.stop());
  return { gateway, url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}` };
}

const records = (gateway, kind) => gateway.records().filter((record) => record.kind === kind);

describe('the console', () => {
  let gateway;
  let url;
  let session;
  let calls = 0;
  const call = async (name) => responseOf(await session.request((calls += 1), 'tools/call', { name: `notes_${name}`, arguments: { text: 'hello' } }));
  before(async () => {
    ({ gateway, url } = await startConsole());
    session = await LegacySession.open(gateway.url, { authorization: `Bearer ${kKeys.bob}` });
    await session.request((calls += 1), 'tools/list');
    assert.equal(textOf((await call('read')).result), 'hello');
    await call('change');
    const listed = async () => responseOf(await session.request((calls += 1), 'tools/list')).result.tools.map(({ name }) => name);
    await eventually(async () => !(await listed()).includes('notes_read'), 'what changed is listed no more');
    assertRefused((await call('read')).error, 'tool_quarantined');
  });
  after(() => gateway?.stop());

  it('shows strangers where to sign in, and every answer keeps browsers to it', async () => {
    const browser = new Browser(url);
    for (const path of ['/', '/quarantine']) {
      const { status, headers } = await browser.ask(path);
      assert.equal(status, 303);
      assert.equal(headers.location, '/sign-in');
    }
    for (const [path, status] of [['/sign-in', 200], ['/console.css', 200], ['/', 303], ['/none', 404], ['/release', 405]]) {
      const answer = await browser.ask(path);
      assert.equal(answer.status, status, path);
      assert.equal(answer.headers['content-security-policy'], "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'");
      assert.equal(answer.headers['x-content-type-options'], 'nosniff');
      assert.equal(answer.headers['referrer-policy'], 'same-origin');
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.equal(answer.headers['cross-origin-opener-policy'], 'same-origin');
      assert.equal(answer.headers['cross-origin-resource-policy'], 'same-origin');
      assert.doesNotMatch(answer.text, /<script|style=|\son\w+=/);
    }
    assert.equal((await browser.ask('/release')).headers.allow, 'POST');
  });

  it('lets in who has one of its roles, by key', async () => {
    const bob = new Browser(url);
    const refused = await bob.signIn(kKeys.bob);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /role="alert"/);
    assert.equal(bob.cookies.size, 0);
    assert.equal((await bob.signIn('wrong')).status, 403);
    const ann = new Browser(url);
    const { status, headers } = await ann.signIn(kKeys.ann);
    assert.equal(status, 303);
    assert.match(headers['set-cookie'][0], /^bartizan=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict$/);
    const page = await ann.ask('/');
    assert.equal(page.status, 200);
    assert.match(page.text, /<th scope="row">notes<\/th><td><span class="good">up/);
    const told = records(gateway, 'refusal').filter(({ transport }) => transport === 'console');
    assert.deepEqual(told.map(({ reason, principal }) => ({ reason, principal })), [
      { reason: 'role_missing', principal: 'bob' },
      { reason: 'credentials_invalid', principal: undefined },
    ]);
    const [{ principal, proof, transport, source }] = records(gateway, 'sign_in');
    assert.deepEqual({ principal, proof, transport }, { principal: 'ann', proof: 'api_key:ann-key', transport: 'console' });
    assert.match(source, /^127\.0\.0\.1:\d+$/);
    for (const key of Object.values(kKeys)) {
      assert.ok(!readFileSync(gateway.auditFile, 'utf8').includes(key), 'no key is on record');
      assert.ok(!gateway.log().includes(key), 'no key is in the log');
    }
  });

  it('does nothing for a form that is not its own, and releases for one that is', async () => {
    const ann = new Browser(url);
    await ann.signIn(kKeys.ann);
    const { text: html } = await ann.ask('/quarantine');
    assert.match(html, /differs from what came first/);
    assert.doesNotMatch(html, /<script|\u202e/, 'what a server worded is text');
    const form = await ann.form('/quarantine', '/release', 'read');
    assert.match(form.fingerprint, /^[0-9a-f]{64}$/);
    const other = new Browser(url);
    await other.signIn(kKeys.ann);
    const { csrf } = await other.form('/quarantine', '/release', 'read');
    const port = Number(new URL(url).port);
    const forged = [
      ['without the token', ann, { ...form, csrf: undefined }, {}, 'csrf_token_invalid'],
      ['with the token of another session', ann, { ...form, csrf }, {}, 'csrf_token_invalid'],
      ['without a session', new Browser(url), form, {}, 'unauthenticated'],
      ['from a page of another port', ann, form, { origin: `http://127.0.0.1:${port + 1}` }, 'origin_not_allowed'],
      ['from a page of another scheme', ann, form, { origin: `https://127.0.0.1:${port}` }, 'origin_not_allowed'],
      ['from nowhere', ann, form, { origin: 'null' }, 'origin_not_allowed'],
      ['without Origin', ann, form, { origin: undefined }, 'origin_not_allowed'],
      ['from another site, says the browser', ann, form, { 'sec-fetch-site': 'cross-site' }, 'origin_not_allowed'],
      ['under a foreign name', ann, form, { host: `evil.example:${port}`, origin: `http://evil.example:${port}` }, 'host_not_allowed'],
    ];
    for (const [name, browser, fields, headers, reason] of forged) {
      const given = Object.entries(fields).filter(([, value]) => value !== undefined);
      const { status, text } = await browser.post('/release', given, headers);
      assert.equal(status, 403, name);
      const [, id] = /On record as <code>([^<]*)</.exec(text);
      assert.equal(gateway.records().find(({ decision_id: its }) => its === id).reason, reason, name);
    }
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      assert.equal((await ann.ask(`/release?${new URLSearchParams(form)}`, { method })).status, 405);
    }
    assert.equal((await ann.post('/release', { ...form, more: 'x'.repeat(5000) })).status, 413);
    assert.equal(records(gateway, 'release').length, 0);
    assertRefused((await call('read')).error, 'tool_quarantined');

    // The control: the same form, as the page gave it.
    const answer = await ann.post('/release', form);
    assert.equal(answer.status, 303);
    assert.equal(answer.headers.location, '/quarantine');
    assert.equal(textOf((await call('read')).result), 'hello');
    const { text: shown } = await ann.ask('/quarantine');
    assert.match(shown, new RegExp(`released notes/read, definition ${form.fingerprint}`));
    assert.match(shown, /Nothing is quarantined/);
    const [release] = records(gateway, 'release');
    const { principal, roles, proof, transport, server, target, detail } = release;
    assert.deepEqual(
      { principal, roles, proof, transport, server, target, detail },
      { principal: 'ann', roles: ['caller', 'operator'], proof: 'api_key:ann-key', transport: 'console', server: 'notes', target: 'read', detail: `fingerprint ${form.fingerprint}` },
    );
    const { code, stdout, stderr } = await runProgram('audit', 'verify', gateway.auditFile);
    assert.equal(code, 0, stdout + stderr);
  });

  it('lets out who signs out', async () => {
    const ann = new Browser(url);
    await ann.signIn(kKeys.ann);
    const kept = new Map(ann.cookies);
    const form = await ann.form('/', '/sign-out');
    assert.equal((await ann.post('/sign-out', form)).status, 303);
    assert.equal(ann.cookies.size, 0);
    ann.cookies = kept;
    assert.equal((await ann.ask('/')).status, 303, 'the cookie is of no use any more');
    assert.ok(records(gateway, 'sign_out').some(({ principal }) => principal === 'ann'));
  });

  it('reads as strictly as the listener of clients', async () => {
    const { port } = new URL(url);
    const host = `Host: 127.0.0.1:${port}\r\n`;
    const rude = [
      ['GET / HTTP/1.1\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\n${host}${host}\r\n`, 400],
      [`GET / HTTP/1.1\n${host}\r\n`, 400],
      [`GET /\x00 HTTP/1.1\r\n${host}\r\n`, 400],
      [`GET http://127.0.0.1:${port}/ HTTP/1.1\r\n${host}\r\n`, 400],
      [`POST /sign-in HTTP/1.1\r\n${host}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n`, 400],
      [`GET / HTTP/1.1\r\n${host}X: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ];
    for (const [text, status] of rude) {
      const answer = await new Promise((resolve, reject) => {
        let all = '';
        const socket = connect(port, '127.0.0.1', () => socket.write(text));
        socket.setEncoding('latin1').on('data', (chunk) => (all += chunk));
        socket.on('close', () => resolve(all)).on('error', reject);
      });
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), JSON.stringify(text.slice(0, 40)));
      assert.match(answer, /content-security-policy/i);
    }
  });
});

describe('the console while the configuration changes', () => {
  it('ends a session at once when its key is revoked, and refuses another address', async (t) => {
    const { gateway, url } = await startConsole(t);
    const ann = new Browser(url);
    await ann.signIn(kKeys.ann);
    assert.equal((await ann.ask('/')).status, 200);
    const text = readFileSync(gateway.configFile, 'utf8');
    const change = async (from, to, what) => {
      assert.ok(text.includes(from));
      writeFileSync(gateway.configFile, text.replace(from, to));
      gateway.process.kill('SIGHUP');
      await eventually(() => gateway.log().includes(what), what, 20_000);
    };
    await change('[console]\naddress = "127.0.0.1:', '[console]\naddress = "127.0.0.2:', 'console.address');
    assert.equal((await ann.ask('/')).status, 200);
    await change(sha256(kKeys.ann), sha256('another-key-of-ann'), 'reload applied');
    assert.equal((await ann.ask('/')).status, 303);
    assert.equal((await ann.signIn(kKeys.ann)).status, 403);
    assert.equal((await ann.signIn('another-key-of-ann')).status, 303);
  });
});

describe('the console over TLS', () => {
  it('serves browsers that trust its certificate, with a cookie of that host alone', async (t) => {
    const tls = makeCertificates('IP:127.0.0.1,DNS:localhost');
    const { gateway, url } = await startConsole(t, { tls });
    const ann = new Browser(url, { ca: readFileSync(tls.caFile) });
    const { status, headers } = await ann.signIn(kKeys.ann);
    assert.equal(status, 303);
    assert.match(headers['set-cookie'][0], /^__Host-bartizan=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
    assert.equal((await ann.ask('/')).status, 200);
    const plain = await ann.post('/sign-in', { key: kKeys.ann }, { origin: url.replace('https', 'http') });
    assert.equal(plain.status, 403);
    assert.equal(records(gateway, 'sign_in').length, 1);
  });
});
