// Certificates of clients over mutual TLS: whom they prove, which are refused, where one is needed, and
// what becomes of open connections when authorities, lists and the gateway's own certificate change.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { connect as connectTls } from 'node:tls';
import { after, before, describe, it } from 'node:test';

import { eventually } from './assertions.mjs';
import { Authority, makeCertificates } from './certificates.mjs';
import { startGateway, temporaryDirectory } from './harness.mjs';
import { Issuer, issuerTable } from './issuer.mjs';
import { digestOf, replace } from './reloading.mjs';
import { answerText, kEchoTool, startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { responseOf, sendModern } from './wire.mjs';

const kName = 'DNS:build.example.com';
const kSpiffe = 'URI:spiffe://example.org/build';
const kPolicy = `
[role.tester]
[role.reader]
[role.writer]
[principal.ci]
roles = ["tester"]
[principal.ann]
roles = ["tester"]
[auth.api_key.ann]
principal = "ann"
sha256 = "${digestOf('the-key-of-ann')}"
[auth.certificate.build]
principal = "ci"
names = ["dns:build.example.com", "uri:spiffe://example.org/build"]
`;
const kRules = `
[rule.all]
effect = "permit"
roles = ["tester", "reader"]
tools = ["*/*"]
`;
const kEndpoints = `
[endpoint.open]
path = "/mcp"
[endpoint.closed]
path = "/closed/mcp"
certificate = "required"
`;

const bearer = (token) => ({ authorization: `Bearer ${token}` });

/** A gateway behind TLS that asks for certificates of `authority`. */
async function begin({ authority = new Authority(), more = '', list, auth = '', rest = '' } = {}) {
  const own = makeCertificates('IP:127.0.0.1');
  const directory = temporaryDirectory();
  const file = (name, text) => {
    writeFileSync(`${directory}/${name}`, text);
    return `${directory}/${name}`;
  };
  const crlFile = list === undefined ? undefined : file('list.pem', list);
  const keys = { cert: own.certFile, key: `file:${own.keyFile}`, client_ca: authority.file, ...(crlFile && { client_crl: crlFile }) };
  const tls = Object.entries(keys).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const server = await startScriptedServer({ era: 'modern', tools: [kEchoTool] });
  const gateway = await startGateway(httpServer('files', server.url) + kEndpoints + kRules + rest, {
    listen: `tls = { ${[...tls, ...(more ? [more] : [])].join(', ')} }`,
    auth: kPolicy + auth,
  });
  const agents = [];
  /** A client that keeps its connection, with a certificate or without. */
  const client = (certificate, options = {}) => {
    const agent = new Agent({ ca: readFileSync(own.caFile), cert: certificate?.cert, key: certificate?.key, keepAlive: true, maxSockets: 1, ...options });
    agents.push(agent);
    const ask = (path = '/mcp', headers = {}) =>
      sendModern(new URL(path, gateway.url).href, 'tools/call', { name: 'files_echo', arguments: { text: 'x' } }, { headers, agent });
    return { agent, ask };
  };
  const stop = async () => {
    for (const agent of agents) agent.destroy();
    await gateway.stop();
    await server.stop();
  };
  return { authority, own, crlFile, server, gateway, client, stop };
}

/** The decision about the call that came last. */
const lastCall = (gateway) => gateway.records().findLast(({ kind, method }) => kind === 'decision' && method === 'tools/call');

/** Whether a request gets through, and what the refusal of it is. */
async function outcome(place, certificate, path, headers) {
  const { server, gateway } = place;
  const before = server.requests.length;
  const known = gateway.records().length;
  let status = 'refused in the handshake';
  try {
    status = (await place.client(certificate).ask(path, headers)).status;
  } catch (error) {
    assert.match(String(error.code), /^(ERR_SSL|ECONNRESET|EPIPE)/, `${error}`);
  }
  const reached = server.requests.slice(before).some(({ message }) => message.method === 'tools/call');
  const refusal = () => gateway.records().slice(known).find(({ kind }) => kind === 'refusal');
  if (status !== 200) await eventually(refusal, 'the refusal is on record');
  return { status, reached, refusal: refusal() };
}

describe('certificates of clients', () => {
  let place;
  let stranger;
  before(async () => {
    place = await begin();
    stranger = new Authority('strangers');
  });
  after(() => place?.stop());

  for (const [name, names] of [['a name of DNS', kName], ['a SPIFFE id', kSpiffe], ['one of several names', `DNS:x.example.com,${kName}`]]) {
    it(`prove a principal by ${name}`, async () => {
      const { status, reached } = await outcome(place, place.authority.issue(names));
      assert.deepEqual({ status, reached }, { status: 200, reached: true });
      const record = lastCall(place.gateway);
      assert.equal(record.principal, 'ci');
      assert.equal(record.proof, 'certificate:build');
    });
  }

  const kHour = 3_600_000;
  const rows = [
    ['without a name', (own) => own.issue(''), 401, /no name/],
    ['with another name', (own) => own.issue('DNS:other.example.com'), 401, /no name/],
    ['with a name that ends so', (own) => own.issue('DNS:x.build.example.com'), 401, /no name/],
    ['with a SPIFFE id of another domain', (own) => own.issue('URI:spiffe://example.net/build'), 401, /no name/],
    ['with two SPIFFE ids', (own) => own.issue(`${kSpiffe},URI:spiffe://example.org/other`), 401, /another URI/],
    ['of another authority', (own, other) => other.issue(kName), 'refused in the handshake', /local issuer/],
    ['that has expired', (own) => own.issue(kName, { begins: Date.now() - 2 * kHour, ends: Date.now() - kHour }), 'refused in the handshake', /expired/],
    ['of tomorrow', (own) => own.issue(kName, { begins: Date.now() + kHour }), 'refused in the handshake', /not yet valid/],
    ['for servers', (own) => own.issue(kName, { usage: 'serverAuth' }), 'refused in the handshake', /purpose/],
  ];
  for (const [name, make, wanted, why] of rows) {
    it(`prove nobody when one is ${name}`, async () => {
      const { status, reached, refusal } = await outcome(place, make(place.authority, stranger));
      assert.deepEqual({ status, reached }, { status: wanted, reached: false });
      assert.equal(refusal.reason, 'credentials_invalid');
      assert.match(refusal.detail, why);
      assert.match(refusal.source, /^127\.0\.0\.1:\d+$/);
    });
  }

  it('need not be shown where something else proves the caller', async () => {
    const { status, refusal } = await outcome(place, undefined);
    assert.equal(status, 401);
    assert.equal(refusal.reason, 'unauthenticated');
    assert.equal((await outcome(place, undefined, '/mcp', bearer('the-key-of-ann'))).status, 200);
    assert.equal(lastCall(place.gateway).principal, 'ann');
  });

  it('are needed where the endpoint says so, whatever else proves the caller', async () => {
    const without = await outcome(place, undefined, '/closed/mcp', bearer('the-key-of-ann'));
    assert.deepEqual([without.status, without.reached], [401, false]);
    assert.equal(without.refusal.reason, 'unauthenticated');
    assert.match(without.refusal.detail, /certificate/);
    assert.equal(without.refusal.endpoint, 'closed');
    const nameless = place.authority.issue('');
    assert.equal((await outcome(place, nameless, '/closed/mcp', bearer('the-key-of-ann'))).status, 200);
    assert.equal(lastCall(place.gateway).principal, 'ann');
    assert.equal((await outcome(place, nameless, '/closed/mcp', bearer('another-key'))).status, 401);
    assert.equal((await outcome(place, place.authority.issue(kName), '/closed/mcp')).status, 200);
  });

  it('are told of to a client that shows none', async () => {
    const answer = await place.client().ask('/closed/mcp');
    assert.match(responseOf(answer).error.message, /certificate is required/);
    assert.equal(responseOf(answer).error.data.reason, 'unauthenticated');
  });

  it('are not believed in a header, whoever writes it', async () => {
    const { der } = place.authority.issue(kName);
    const headers = { 'client-cert': `:${der.toString('base64')}:` };
    const { status, reached } = await outcome(place, undefined, '/mcp', headers);
    assert.deepEqual({ status, reached }, { status: 401, reached: false });
  });

  it('leave nothing of themselves in the record and the log', async () => {
    const { der } = place.authority.issue(kName);
    const part = der.toString('base64').slice(0, 60);
    const said = [place.gateway.records().map(({ line }) => line).join('\n'), place.gateway.log()];
    assert.ok(said.every((text) => !text.includes(part)));
  });

  it('are verified with each connection: no session is resumed', async () => {
    const { cert, key } = place.authority.issue(kName);
    const port = Number(new URL(place.gateway.url).port);
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3']) {
      const options = { host: '127.0.0.1', port, ca: readFileSync(place.own.caFile), cert, key, maxVersion };
      const first = connectTls(options);
      let session;
      first.on('session', (given) => (session = given));
      await new Promise((done) => first.once('secureConnect', done));
      // What a server gives out, it sends before its first answer.
      const answered = new Promise((done) => first.once('data', done));
      first.write('GET /none HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
      await answered;
      session ??= first.getSession();
      first.destroy();
      const second = connectTls({ ...options, session });
      await new Promise((done) => second.once('secureConnect', done));
      assert.equal(second.isSessionReused(), false, maxVersion);
      second.destroy();
    }
  });
});

describe('tokens that are bound to a certificate', () => {
  let place;
  let issuer;
  before(async () => {
    issuer = await new Issuer().start();
    place = await begin({ auth: issuerTable('corp', issuer) });
  });
  after(async () => {
    await place?.stop();
    await issuer?.stop();
  });

  it('are accepted with that certificate only', async () => {
    const right = place.authority.issue(kName);
    const other = place.authority.issue(kName);
    const thumbprint = createHash('sha256').update(right.der).digest('base64url');
    const token = issuer.mint({ cnf: { 'x5t#S256': thumbprint } });
    for (const [name, shown, wanted] of [['another', other, 401], ['none', undefined, 401], ['the right one', right, 200], ['another, once it is known', other, 401], ['none, once it is known', undefined, 401]]) {
      const { status, reached, refusal } = await outcome(place, shown, '/mcp', bearer(token));
      assert.deepEqual({ status, reached }, { status: wanted, reached: wanted === 200 }, name);
      if (refusal) assert.match(refusal.detail, /certificate/, name);
    }
    const record = lastCall(place.gateway);
    assert.equal(record.proof, 'issuer:corp');
  });

  it('are refused on a connection whose last token was another', async () => {
    const shown = place.authority.issue(kName);
    const { ask } = place.client(shown);
    assert.equal((await ask()).status, 200, 'the certificate alone');
    assert.equal((await ask('/mcp', bearer(issuer.mint()))).status, 200, 'a token that is not bound');
    const bound = issuer.mint({ cnf: { 'x5t#S256': 'A'.repeat(43) } });
    assert.equal((await ask('/mcp', bearer(bound))).status, 401);
    assert.equal((await ask()).status, 200);
    assert.equal(lastCall(place.gateway).principal, 'ci');
  });
});

describe('lists of revoked certificates', () => {
  let place;
  let authority;
  let good;
  let bad;
  before(async () => {
    authority = new Authority();
    good = authority.issue(kName);
    bad = authority.issue(kName);
    const early = authority.issue(kName);
    authority.revoke(early);
    place = await begin({ authority, list: authority.list() });
    place.early = early;
  });
  after(() => place?.stop());

  it('refuse what is on them, and nothing else', async () => {
    const revoked = await outcome(place, place.early);
    assert.deepEqual([revoked.status, revoked.reached], ['refused in the handshake', false]);
    assert.match(revoked.refusal.detail, /revoked/);
    assert.equal((await outcome(place, good)).status, 200);
    assert.equal((await outcome(place, bad)).status, 200);
  });

  it('end the connections of what comes on them with a reload, and no others', async () => {
    const [goodClient, badClient] = [place.client(good), place.client(bad)];
    const [goodSession, badSession] = await Promise.all(
      [goodClient, badClient].map(async ({ ask, agent }) => {
        assert.equal((await ask()).status, 200);
        const socket = Object.values(agent.freeSockets).flat()[0];
        return { socket, closed: new Promise((done) => socket.once('close', () => done('closed'))) };
      }),
    );
    authority.revoke(bad);
    replace(place.crlFile, authority.list());
    assert.equal(await badSession.closed, 'closed');
    // A worker that has the old list still takes the handshake, and refuses the request.
    const refused = await eventually(async () => {
      const found = await outcome(place, bad);
      assert.equal(found.reached, false);
      return found.status === 'refused in the handshake' && found;
    }, 'each worker has the new list');
    assert.match(refused.refusal.detail, /revoked/);
    assert.equal((await goodClient.ask()).status, 200);
    assert.ok(!goodSession.socket.destroyed);
    assert.equal(Object.values(goodClient.agent.freeSockets).flat()[0], goodSession.socket, 'the same connection');
  });

  it('that cannot be read change nothing', async () => {
    const { body } = await place.gateway.readiness();
    replace(place.crlFile, 'nonsense\n');
    const isRefused = async () => (await place.gateway.readiness()).body.config.reloads.refused > body.config.reloads.refused;
    await eventually(isRefused, 'the list is refused', 20_000);
    assert.equal((await outcome(place, good)).status, 200);
    assert.equal((await outcome(place, bad)).status, 'refused in the handshake');
    assert.match(place.gateway.log(), /client_crl/);
  });
});

describe('versions of TLS', () => {
  for (const [more, wanted] of [['', 'TLSv1.2'], ['min_version = "1.2"', 'TLSv1.2'], ['min_version = "1.3"', 'refused']]) {
    it(`${more || 'by default'}: a client of 1.2 is ${wanted === 'refused' ? 'refused' : 'served'}, one of 1.3 is served`, async (t) => {
      const place = await begin({ more });
      t.after(() => place.stop());
      const shake = (maxVersion) =>
        new Promise((done) => {
          const socket = connectTls({ host: '127.0.0.1', port: Number(new URL(place.gateway.url).port), rejectUnauthorized: false, maxVersion });
          socket.once('secureConnect', () => {
            done(socket.getProtocol());
            socket.destroy();
          });
          socket.once('error', () => done('refused'));
        });
      assert.equal(await shake('TLSv1.2'), wanted);
      assert.equal(await shake('TLSv1.3'), 'TLSv1.3');
      assert.ok(await place.gateway.isReady());
    });
  }
});

describe('a renewed certificate of the gateway', () => {
  it('leaves connections that are in use as they are', async (t) => {
    const place = await begin();
    t.after(() => place.stop());
    const certificate = place.authority.issue(kName);
    const { agent, ask } = place.client(certificate);
    assert.equal((await ask()).status, 200);
    const [socket] = Object.values(agent.freeSockets).flat();
    const before = socket.getPeerCertificate().fingerprint256;
    // A call that is answered only after the renewal.
    let answer;
    const inProgress = new Promise((done) => {
      place.server.onCall = ({ id }, response) => {
        answer = () => answerText(response, id, 'late');
        done();
      };
    });
    const late = ask();
    await inProgress;
    const renewed = place.own.renew();
    renameSync(renewed.keyFile, place.own.keyFile);
    renameSync(renewed.certFile, place.own.certFile);
    const shown = () =>
      new Promise((done, failed) => {
        const fresh = connectTls({ host: '127.0.0.1', port: Number(new URL(place.gateway.url).port), rejectUnauthorized: false });
        fresh.once('error', failed).once('secureConnect', () => {
          done(fresh.getPeerCertificate().fingerprint256);
          fresh.destroy();
        });
      });
    await eventually(async () => (await shown()) !== before, 'the renewed certificate is shown', 20_000);
    answer();
    assert.equal(responseOf(await late).result.content[0].text, 'late');
    assert.ok(!socket.destroyed);
    assert.equal(Object.values(agent.freeSockets).flat()[0], socket, 'the same connection');
  });
});
