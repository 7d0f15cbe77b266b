// TLS on both sides: a server with a private authority is believed only with `tls_ca` and only under its
// own name, and the gateway's own listener serves an official client that trusts its authority.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { makeCertificates } from './certificates.mjs';
import { kNode, kTestsDirectory, startGateway } from './harness.mjs';
import { startScriptedServer } from './scripted_http.mjs';
import { httpServer, startDualServer } from './servers.mjs';
import { LegacySession, jsonRpc, kModernVersion, modernMeta } from './wire.mjs';

const kRule = '[rule.all]\neffect = "permit"\nroles = ["tester"]\ntools = ["*/*"]\n';

describe('a server behind TLS', () => {
  let good;
  let misnamed;
  let authority;
  let gateway;
  let connections = 0;
  let openConnections = 0;
  before(async () => {
    const certificates = makeCertificates('IP:127.0.0.1,DNS:localhost');
    const others = makeCertificates('DNS:other.example');
    authority = certificates.caFile;
    good = await startScriptedServer({ tls: certificates.forNode });
    good.listener.on('secureConnection', (socket) => {
      connections += 1;
      openConnections += 1;
      socket.on('close', () => (openConnections -= 1));
    });
    misnamed = await startScriptedServer({ tls: others.forNode });
    const servers = [
      httpServer('good', good.url, `tls_ca = ${JSON.stringify(authority)}`),
      httpServer('named', good.url.replace('127.0.0.1', 'localhost'), `tls_ca = ${JSON.stringify(authority)}`),
      httpServer('unknown', good.url),
      httpServer('misnamed', misnamed.url, `tls_ca = ${JSON.stringify(others.caFile)}`),
    ];
    gateway = await startGateway(servers.join('') + kRule);
  });
  after(async () => {
    await gateway?.stop();
    await good?.stop();
    await misnamed?.stop();
  });

  for (const name of ['good', 'named']) {
    it(`is used when its authority is named and its certificate says ${name === 'good' ? 'the address' : 'the name'}`, async () => {
      const session = await LegacySession.open(gateway.url);
      const response = await session.call(1, `${name}_echo`, { text: 'secret' });
      assert.equal(response.result?.content[0].text, 'secret', JSON.stringify(response));
    });
  }
  it('keeps its connection for the next calls', async () => {
    const session = await LegacySession.open(gateway.url);
    await session.call(1, 'good_echo', { text: 'first' });
    const before = connections;
    for (let id = 2; id < 12; id += 1) await session.call(id, 'good_echo', { text: 'again' });
    assert.ok(connections - before <= 2, `${connections - before} connections for 10 calls`);
  });
  it('opens another when the server has ended an idle one', async () => {
    const session = await LegacySession.open(gateway.url);
    await session.call(1, 'good_echo', { text: 'before' });
    good.listener.closeIdleConnections();
    await eventually(() => openConnections === good.streams.size, 'idle connections are closed');
    const response = await session.call(2, 'good_echo', { text: 'after' });
    assert.equal(response.result?.content[0].text, 'after', JSON.stringify(response));
  });
  for (const [name, why] of [['unknown', 'of an authority that nobody named'], ['misnamed', 'for another name']]) {
    it(`is not used when its certificate is ${why}, and the log says so`, async () => {
      const session = await LegacySession.open(gateway.url);
      const response = await session.call(1, `${name}_echo`, { text: 'secret' });
      assertRefused(response.error, 'server_unavailable');
      const { body } = await gateway.readiness();
      assert.match(body.servers[name].detail, /certificate/);
      assert.match(gateway.log(), new RegExp(`${name}[^\\n]*certificate|certificate[^\\n]*${name}`));
    });
  }
  it('never saw a call that it was not meant to see', () => {
    assert.equal(misnamed.requests.length, 0);
  });
});

describe('the gateway behind TLS', () => {
  let dual;
  let gateway;
  let certificates;
  before(async () => {
    certificates = makeCertificates('IP:127.0.0.1');
    dual = await startDualServer();
    const { certFile, keyFile } = certificates;
    const listen = `tls = { cert = ${JSON.stringify(certFile)}, key = ${JSON.stringify(`file:${keyFile}`)} }`;
    gateway = await startGateway(httpServer('dual', dual.url) + kRule, { listen });
  });
  after(async () => {
    await gateway?.stop();
    dual?.stop();
  });

  for (const mode of ['"legacy"', '"auto"', '{ pin: "2026-07-28" }']) {
    it(`serves the official client in mode ${mode}`, () => {
      const program = `
        import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
        const client = new Client({ name: 'tls', version: '1' }, { versionNegotiation: { mode: ${mode} } });
        await client.connect(new StreamableHTTPClientTransport(new URL(${JSON.stringify(gateway.url)})));
        const big = 'x'.repeat(300_000);
        const answer = await client.callTool({ name: 'dual_echo', arguments: { text: big } });
        console.log(answer.content[0].text === big);
        await client.close();
        process.exit(0);`;
      const told = execFileSync(kNode, ['--input-type=module', '-e', program], {
        cwd: join(kTestsDirectory, 'end_to_end'),
        env: { ...process.env, NODE_EXTRA_CA_CERTS: certificates.caFile },
        encoding: 'utf8',
        timeout: 20_000,
      });
      assert.equal(told.trim(), 'true');
    });
  }

  /** Sends one modern request over TLS; answers the socket. */
  async function startCall(name, given) {
    const { port } = new URL(gateway.url);
    const ca = readFileSync(certificates.caFile);
    const socket = connectTls({ host: '127.0.0.1', port: Number(port), ca });
    socket.on('error', () => {});
    await new Promise((done, failed) => socket.once('secureConnect', done).once('error', failed));
    const body = jsonRpc(1, 'tools/call', { name, arguments: given, _meta: modernMeta() });
    const head = [
      'POST /mcp HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `MCP-Protocol-Version: ${kModernVersion}`,
      'Mcp-Method: tools/call',
      `Mcp-Name: ${name}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    return socket;
  }

  for (const [how, leave] of [['ends its connection', (socket) => socket.end()], ['drops it', (socket) => socket.destroy()]]) {
    it(`cancels the call of a modern client that ${how}`, async () => {
      const mark = `tls ${how}`;
      const socket = await startCall('dual_slow', { milliseconds: 60_000, mark });
      const outcomeOf = (id) => gateway.records().find((record) => record.kind === 'outcome' && record.decision_id === id);
      const isRunning = ({ kind, target, decision_id: id }) => kind === 'decision' && target === 'slow' && !outcomeOf(id);
      const call = await eventually(() => gateway.records().find(isRunning), 'the call is on its way');
      leave(socket);
      const outcome = await eventually(() => outcomeOf(call.decision_id), 'the call ends');
      assert.equal(outcome.outcome, 'cancelled');
    });
  }

  it('shakes hands once for each connection', async () => {
    const ca = readFileSync(certificates.caFile);
    const socket = connectTls({ host: '127.0.0.1', port: Number(new URL(gateway.url).port), ca, maxVersion: 'TLSv1.2' });
    await new Promise((done, failed) => socket.once('secureConnect', done).once('error', failed));
    const again = await new Promise((done) => {
      socket.on('error', () => done('refused')).on('close', () => done('refused'));
      socket.renegotiate({}, (error) => done(error ? 'refused' : 'renegotiated'));
    });
    socket.destroy();
    assert.equal(again, 'refused');
  });

  it('refuses who does not speak TLS, and lives', async () => {
    const plain = gateway.url.replace('https', 'http');
    await assert.rejects(fetch(plain, { method: 'POST', body: '{}' }));
    assert.ok(await gateway.isReady());
  });

  it('shows a renewed certificate to new connections, and goes on serving the old ones', async () => {
    const connectAny = async () => {
      const socket = connectTls({ host: '127.0.0.1', port: Number(new URL(gateway.url).port), rejectUnauthorized: false });
      await new Promise((done, failed) => socket.once('secureConnect', done).once('error', failed));
      return socket;
    };
    const shown = async () => {
      const socket = await connectAny();
      const { fingerprint256 } = socket.getPeerCertificate();
      socket.destroy();
      return fingerprint256;
    };
    const early = await connectAny();
    const before = await shown();
    const renewed = makeCertificates('IP:127.0.0.1');
    // As tools do: one file after the other. In between they do not fit, and nothing changes.
    renameSync(renewed.keyFile, certificates.keyFile);
    renameSync(renewed.certFile, certificates.certFile);
    await eventually(async () => (await shown()) !== before, 'the renewed certificate is shown', 20_000);
    await eventually(() => /"msg":"reload applied".*"settings_changed":"listen.tls"}/.test(gateway.log()), 'the log names it');
    const answer = new Promise((done) => early.once('data', (data) => done(data.toString())));
    early.write('GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    assert.match(await answer, /^HTTP\/1.1 405/);
    early.destroy();
  });

  it('waits no longer than it says for a handshake that stalls', async (t) => {
    const { certFile, keyFile } = certificates;
    const listen = `tls = { cert = ${JSON.stringify(certFile)}, key = ${JSON.stringify(`file:${keyFile}`)} }`;
    const impatient = await startGateway('', { listen, limits: '[session]\nauthentication_timeout = "1s"\n' });
    t.after(() => impatient.stop());
    const socket = connectPlain({ host: '127.0.0.1', port: Number(new URL(impatient.url).port) });
    // The beginning of a handshake record, and never its rest.
    socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]));
    await new Promise((done) => socket.on('error', () => {}).on('close', done).resume());
    assert.ok(await impatient.isReady());
  });

  it('lets nobody linger in silence behind a refusal', async (t) => {
    const { certFile, keyFile } = certificates;
    const listen = `tls = { cert = ${JSON.stringify(certFile)}, key = ${JSON.stringify(`file:${keyFile}`)} }`;
    const refusing = await startGateway('', { listen });
    t.after(() => refusing.stop());
    const port = Number(new URL(refusing.url).port);
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, allowHalfOpen: true });
    t.after(() => socket.destroy());
    socket.on('error', () => {});
    const answered = new Promise((done) => socket.once('data', done));
    socket.once('secureConnect', () => socket.write('no head\r\n\r\n'));
    assert.match(String(await answered), /^HTTP\/1.1 400/);
    // It neither ends its side nor says anything more.
    const isFree = async () => /^bartizan_connections 0$/m.test(await refusing.metrics());
    await eventually(isFree, 'its place is free', 20_000);
  });
});
