// Proxies in front of the gateway: whose address counts, which header of a certificate is believed, and
// how a connection begins.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { Authority, makeCertificates } from './certificates.mjs';
import { startGateway } from './harness.mjs';
import { apply, digestOf } from './reloading.mjs';
import { kEchoTool, startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { jsonRpc, kModernVersion, modernMeta, responseOf, sendModern } from './wire.mjs';

const kRules = `
[rule.office]
effect = "permit"
roles = ["tester"]
tools = ["*/*"]
when.client_address = ["203.0.113.0/24", "127.0.0.0/8", "2001:db8::/32"]
`;
const kCall = { name: 'files_echo', arguments: { text: 'x' } };

const startServer = () => startScriptedServer({ era: 'modern', tools: [kEchoTool] });

/** What `ask` answers, and the record of the call, or of the refusal. */
async function recorded(gateway, ask) {
  const known = gateway.records().length;
  const answer = await ask();
  // The gateway asks servers for lists by itself, which is on record, too.
  const isIt = ({ kind, method }) => kind === 'refusal' || (kind === 'decision' && method === 'tools/call');
  return { answer, record: await eventually(() => gateway.records().slice(known).find(isIt), 'it is on record') };
}

describe('the address of a client', () => {
  let server;
  let gateway;
  const agents = { proxy: new Agent(), stranger: new Agent({ localAddress: '127.0.0.2' }) };
  before(async () => {
    server = await startServer();
    const listen = 'trusted_proxies = ["127.0.0.1", "10.0.0.0/8"]';
    gateway = await startGateway(httpServer('files', server.url) + kRules, { listen });
  });
  after(async () => {
    await gateway?.stop();
    await server?.stop();
  });

  const ask = (agent, forwarded) =>
    sendModern(gateway.url, 'tools/call', kCall, { agent, headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } });

  const rows = [
    ['of the proxy itself', 'proxy', undefined, /^127\.0\.0\.1:\d+$/, true],
    ['that the proxy tells', 'proxy', '203.0.113.9', /^203\.0\.113\.9$/, true],
    ['that another proxy told the proxy', 'proxy', '203.0.113.9, 10.0.0.2', /^203\.0\.113\.9$/, true],
    ['behind what the client wrote itself', 'proxy', '203.0.113.9, 198.51.100.1', /^198\.51\.100\.1$/, false],
    ['in IPv6', 'proxy', '2001:db8::9', /^\[2001:db8::9\]$/, true],
    ['with a port', 'proxy', '203.0.113.9:51234', /^203\.0\.113\.9$/, true],
    ['of the proxy, where it tells none', 'proxy', '203.0.113.9, unknown', /^127\.0\.0\.1:\d+$/, true],
    ['of a stranger, who is believed in nothing', 'stranger', '198.51.100.1', /^127\.0\.0\.2:\d+$/, true],
  ];
  for (const [name, from, forwarded, source, isPermitted] of rows) {
    it(`is the one ${name}, for rules and on record`, async () => {
      const { answer, record } = await recorded(gateway, () => ask(agents[from], forwarded));
      if (isPermitted) assert.ok(responseOf(answer).result, answer.body);
      else assertRefused(responseOf(answer).error, 'no_matching_rule');
      assert.match(record.source, source);
    });
  }

  it('is read of each request anew', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sources = [];
    for (const forwarded of ['203.0.113.7', '203.0.113.8', undefined]) {
      const { answer, record } = await recorded(gateway, () => ask(agent, forwarded));
      assert.ok(responseOf(answer).result);
      sources.push(record.source.replace(/:\d+$/, ''));
    }
    agent.destroy();
    assert.deepEqual(sources, ['203.0.113.7', '203.0.113.8', '127.0.0.1']);
  });

  it('is that of each client for refusals, too', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.77', host: 'evil.example' };
    const { answer, record } = await recorded(gateway, () => sendModern(gateway.url, 'tools/call', kCall, { agent: agents.proxy, headers }));
    assert.equal(answer.status, 403);
    assert.equal(record.source, '203.0.113.77');
  });

  it('is counted for itself: one client behind a proxy does not use up what is recorded of another', async () => {
    const refused = (address) =>
      sendModern(gateway.url, 'tools/call', kCall, { agent: agents.proxy, headers: { 'x-forwarded-for': address, host: 'evil.example' } });
    for (let turn = 0; turn < 200; turn += 1) await refused('203.0.113.50');
    await refused('203.0.113.51');
    const from = (address) => gateway.records().filter(({ source, kind }) => kind === 'refusal' && source === address).length;
    await eventually(() => from('203.0.113.51') === 1, 'the refusal of the second is on record');
    assert.ok(from('203.0.113.50') < 200, `${from('203.0.113.50')} refusals of the first are on record`);
  });

  it('follows a reload: a proxy that is no longer trusted is believed no more', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const before = await recorded(gateway, () => ask(agent, '203.0.113.7'));
    assert.equal(before.record.source, '203.0.113.7');
    const text = readFileSync(gateway.configFile, 'utf8');
    await apply(gateway, text.replace('"127.0.0.1", "10.0.0.0/8"', '"10.0.0.0/8"'));
    const { answer, record } = await recorded(gateway, () => ask(agent, '198.51.100.1'));
    assert.ok(responseOf(answer).result);
    assert.match(record.source, /^127\.0\.0\.1:\d+$/);
    agent.destroy();
    await apply(gateway, text);
  });
});

const kAuth = `
[role.tester]
[principal.ci]
roles = ["tester"]
[principal.proxy]
roles = ["tester"]
[principal.ann]
roles = ["tester"]
[auth.api_key.ann]
principal = "ann"
sha256 = "${digestOf('the-key-of-ann')}"
[auth.certificate.build]
principal = "ci"
names = ["dns:build.example.com"]
[auth.certificate.proxy]
principal = "proxy"
names = ["dns:proxy.internal"]
`;
const kPlainRules = '[rule.all]\neffect = "permit"\nroles = ["tester"]\ntools = ["*/*"]\n';
const kEndpoints = '[endpoint.open]\npath = "/mcp"\n[endpoint.closed]\npath = "/closed/mcp"\ncertificate = "required"\n';

for (const [header, write] of [
  ['Client-Cert', ({ der }) => `:${der.toString('base64')}:`],
  ['X-SSL-Client-Cert', ({ cert }) => encodeURIComponent(cert)],
]) {
  describe(`the certificate that a proxy tells by ${header}`, () => {
    let server;
    let gateway;
    let authority;
    let told;
    const clients = {};
    before(async () => {
      authority = new Authority();
      const own = makeCertificates('IP:127.0.0.1');
      // The proxy verified it; the gateway need not know its authority.
      const others = new Authority('others');
      told = { build: others.issue('DNS:build.example.com'), other: others.issue('DNS:other.example.com') };
      told.expired = others.issue('DNS:build.example.com', { begins: Date.now() - 7_200_000, ends: Date.now() - 3_600_000 });
      server = await startServer();
      const tls = `tls = { cert = ${JSON.stringify(own.certFile)}, key = ${JSON.stringify(`file:${own.keyFile}`)}, client_ca = ${JSON.stringify(authority.file)} }`;
      const listen = `${tls}\ncertificate_header = "${header}"\ncertificate_proxies = ["dns:proxy.internal"]`;
      gateway = await startGateway(httpServer('files', server.url) + kEndpoints + kPlainRules, { listen, auth: kAuth });
      const client = (certificate) => new SecureAgent({ ca: readFileSync(own.caFile), keepAlive: true, maxSockets: 1, cert: certificate?.cert, key: certificate?.key });
      clients.proxy = client(authority.issue('DNS:proxy.internal'));
      clients.build = client(authority.issue('DNS:build.example.com'));
      clients.stranger = client();
    });
    after(async () => {
      for (const agent of Object.values(clients)) agent.destroy();
      await gateway?.stop();
      await server?.stop();
    });

    const ask = (who, value, { path = '/mcp', headers = {} } = {}) => {
      const all = value === undefined ? headers : { ...headers, [header]: value };
      return recorded(gateway, () => sendModern(new URL(path, gateway.url).href, 'tools/call', kCall, { agent: clients[who], headers: all }));
    };
    const statusOf = async (...given) => (await ask(...given)).answer.status;

    it('proves its client', async () => {
      const { answer, record } = await ask('proxy', write(told.build));
      assert.equal(answer.status, 200, answer.body);
      assert.deepEqual([record.principal, record.proof], ['ci', 'certificate:build']);
    });

    it('is read of each request anew, on one connection', async () => {
      const statuses = [];
      for (const value of [write(told.build), undefined, write(told.other), write(told.build), '']) statuses.push(await statusOf('proxy', value));
      assert.deepEqual(statuses, [200, 401, 401, 200, 401]);
    });

    it('is not the proxy itself, whose own certificate proves nobody', async () => {
      const { answer, record } = await ask('proxy');
      assert.equal(answer.status, 401);
      assert.equal(record.reason, 'unauthenticated');
      assert.ok(!gateway.records().some(({ principal }) => principal === 'proxy'));
    });

    it('stands beside what else proves the client', async () => {
      const key = { headers: { authorization: 'Bearer the-key-of-ann' } };
      const closed = { ...key, path: '/closed/mcp' };
      assert.equal((await ask('proxy', write(told.build), key)).record.principal, 'ann');
      assert.equal(await statusOf('proxy', write(told.other), closed), 200);
      assert.equal(await statusOf('proxy', undefined, closed), 401, 'the endpoint needs one');
    });

    it('is not believed of anybody else', async () => {
      const before = server.requests.length;
      assert.equal(await statusOf('stranger', write(told.build)), 401);
      const closed = { path: '/closed/mcp', headers: { authorization: 'Bearer the-key-of-ann' } };
      assert.equal(await statusOf('stranger', write(told.build), closed), 401);
      assert.equal(server.requests.length, before);
      // Who has a certificate of its own is that one, whatever the header says.
      const { answer, record } = await ask('build', write(told.other));
      assert.deepEqual([answer.status, record.principal], [200, 'ci']);
      assert.equal(await statusOf('build', 'nonsense'), 200);
    });

    it('proves nobody once it has expired', async () => {
      const { answer, record } = await ask('proxy', write(told.expired));
      assert.deepEqual([answer.status, record.reason], [401, 'credentials_expired']);
    });

    it('is refused where it is none, or is there twice', async () => {
      const before = server.requests.length;
      for (const value of ['nonsense', write(told.build).slice(0, -30), [write(told.build), write(told.build)]]) {
        const { answer, record } = await ask('proxy', value);
        assert.deepEqual([answer.status, record.reason], [400, 'http_malformed'], String(value));
      }
      assert.equal(server.requests.length, before);
      assert.equal(await statusOf('proxy', write(told.build)), 200);
    });

    it('reaches no server', () => {
      const seen = server.requests.map(({ headers }) => Object.keys(headers)).flat();
      assert.ok(server.requests.length > 0 && !seen.includes(header.toLowerCase()));
    });
  });
}

const kSignature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');

/** A header of the PROXY protocol, version 2, for that client; of the proxy itself without one. */
function proxyHeader(client, port = 51_234) {
  const front = Buffer.from([client ? 0x21 : 0x20, client ? 0x11 : 0, 0, client ? 12 : 0]);
  if (!client) return Buffer.concat([kSignature, front]);
  const addresses = Buffer.from([...client.split('.'), 127, 0, 0, 1].map(Number));
  const ports = Buffer.from([port >> 8, port & 255, 1, 187]);
  return Buffer.concat([kSignature, front, addresses, ports]);
}

describe('a listener that wants the PROXY protocol', () => {
  const kVariants = [['without TLS', false], ['before TLS', true]];
  for (const [how, isSecured] of kVariants) {
    describe(how, () => {
      let server;
      let gateway;
      let own;
      before(async () => {
        server = await startServer();
        own = makeCertificates('IP:127.0.0.1');
        const tls = `\ntls = { cert = ${JSON.stringify(own.certFile)}, key = ${JSON.stringify(`file:${own.keyFile}`)} }`;
        const listen = `trusted_proxies = ["127.0.0.1"]\nproxy_protocol = "v2"${isSecured ? tls : ''}`;
        gateway = await startGateway(httpServer('files', server.url) + kRules, { listen, limits: '[session]\nauthentication_timeout = "2s"\n' });
      });
      after(async () => {
        await gateway?.stop();
        await server?.stop();
      });

      const request = () => {
        const { host } = new URL(gateway.url);
        const body = jsonRpc(1, 'tools/call', { ...kCall, _meta: modernMeta() });
        const head = ['POST /mcp HTTP/1.1', `Host: ${host}`, 'Content-Type: application/json', 'Accept: application/json, text/event-stream', `MCP-Protocol-Version: ${kModernVersion}`, 'Mcp-Method: tools/call', 'Mcp-Name: files_echo', `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close'];
        return `${head.join('\r\n')}\r\n\r\n${body}`;
      };

      /** Begins a connection with these pieces, asks, and answers what came back until its end. */
      async function ask(pieces, { from = '127.0.0.1', isPlain = !isSecured } = {}) {
        const socket = connect({ host: '127.0.0.1', port: Number(new URL(gateway.url).port), localAddress: from, noDelay: true });
        socket.on('error', () => {});
        await new Promise((done) => socket.once('connect', done));
        for (const piece of pieces) {
          socket.write(piece);
          await new Promise((done) => setImmediate(done));
        }
        const stream = isPlain ? socket : connectTls({ socket, host: '127.0.0.1', ca: readFileSync(own.caFile) });
        stream.on('error', () => {});
        let received = '';
        stream.on('data', (chunk) => (received += chunk.toString()));
        stream.write(request());
        await Promise.race([stream, socket].map((one) => new Promise((done) => one.once('close', done).once('end', done))));
        socket.destroy();
        return received;
      }

      it('takes the address from the header', async () => {
        const { answer, record } = await recorded(gateway, () => ask([proxyHeader('203.0.113.9')]));
        assert.match(answer, /^HTTP\/1\.1 200/);
        assert.equal(record.source, '203.0.113.9:51234');
      });
      it('judges by that address', async () => {
        const { answer, record } = await recorded(gateway, () => ask([proxyHeader('198.51.100.1')]));
        assert.match(answer, /no_matching_rule/);
        assert.equal(record.source, '198.51.100.1:51234');
      });
      it('takes it in pieces, and with more behind the addresses', async () => {
        const whole = proxyHeader('203.0.113.9');
        whole[15] += 7;
        const pieces = [whole.subarray(0, 5), whole.subarray(5, 20), whole.subarray(20), Buffer.from([3, 0, 4, 1, 2, 3, 4])];
        const { answer, record } = await recorded(gateway, () => ask(pieces));
        assert.match(answer, /^HTTP\/1\.1 200/);
        assert.equal(record.source, '203.0.113.9:51234');
      });
      it('takes the proxy for itself where it speaks for itself', async () => {
        const { answer, record } = await recorded(gateway, () => ask([proxyHeader()]));
        assert.match(answer, /^HTTP\/1\.1 200/);
        assert.match(record.source, /^127\.0\.0\.1:\d+$/);
      });

      const version1 = 'PROXY TCP4 203.0.113.9 127.0.0.1 51234 443\r\n';
      const udp = proxyHeader('203.0.113.9');
      udp[13] = 0x12;
      for (const [name, pieces, options, why] of [
        ['no header', [], {}, /does not begin/],
        ['a request in the clear', [], { isPlain: true }, /does not begin/],
        ['version 1', [version1], {}, /does not begin/],
        ['a header of UDP', [udp], {}, /no TCP/],
        ['a header from a stranger', [proxyHeader('203.0.113.9')], { from: '127.0.0.2' }, /not a trusted proxy/],
        ['no header from a stranger', [], { from: '127.0.0.2' }, /not a trusted proxy/],
      ]) {
        it(`refuses ${name}, and says so on record`, async () => {
          const before = server.requests.length;
          const { answer, record } = await recorded(gateway, () => ask(pieces, options));
          assert.equal(answer, '');
          assert.equal(record.reason, 'proxy_header_invalid');
          assert.match(record.detail, why);
          assert.match(record.source, options.from ? /^127\.0\.0\.2:/ : /^127\.0\.0\.1:/);
          assert.equal(server.requests.length, before);
        });
      }

      it('waits for a header no longer than for credentials, and does not record who only looks', async () => {
        const known = gateway.records().length;
        const open = (bytes) => {
          const socket = connect({ host: '127.0.0.1', port: Number(new URL(gateway.url).port) });
          socket.on('error', () => {});
          if (bytes) socket.write(bytes);
          return socket;
        };
        const looking = open();
        await new Promise((done) => looking.once('connect', done));
        looking.destroy();
        const stalled = open(kSignature.subarray(0, 6));
        await new Promise((done) => stalled.on('close', done).resume());
        const refusal = await eventually(() => gateway.records().slice(known).find(({ kind }) => kind === 'refusal'), 'the refusal is on record');
        assert.equal(refusal.reason, 'proxy_header_invalid');
        assert.equal(gateway.records().slice(known).filter(({ kind }) => kind === 'refusal').length, 1);
        assert.ok(await gateway.isReady());
      });
    });
  }

  it('reads X-Forwarded-For where the client of the header is a proxy, too', async (t) => {
    const server = await startServer();
    const gateway = await startGateway(httpServer('files', server.url) + kRules, { listen: 'trusted_proxies = ["127.0.0.1", "10.0.0.0/8"]\nproxy_protocol = "v2"' });
    t.after(async () => {
      await gateway.stop();
      await server.stop();
    });
    for (const [client, wanted] of [['10.0.0.5', '203.0.113.9'], ['203.0.113.5', '203.0.113.5:51234']]) {
      const socket = connect({ host: '127.0.0.1', port: Number(new URL(gateway.url).port) });
      await new Promise((done) => socket.once('connect', done));
      socket.write(proxyHeader(client));
      const agent = new Agent();
      agent.createConnection = () => socket;
      const headers = { 'x-forwarded-for': '203.0.113.9' };
      const { answer, record } = await recorded(gateway, () => sendModern(gateway.url, 'tools/call', kCall, { agent, headers }));
      assert.ok(responseOf(answer).result, answer.body);
      assert.equal(record.source, wanted);
      socket.destroy();
    }
  });
});
