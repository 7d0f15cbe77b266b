// The listeners themselves: nobody joins them, no shortage ends them, and no page of a browser reads
// what is for operators.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { eventually } from './assertions.mjs';
import { freePort, kProgram, startGateway, temporaryDirectory } from './harness.mjs';
import { apply } from './reloading.mjs';
import { LegacySession } from './wire.mjs';

const kPreload = join(dirname(kProgram), 'fault_preload.so');
const skip = existsSync(kPreload) ? false : `no ${kPreload}: only the development build has it`;
const portOf = (url) => Number(new URL(url).port);

/** One GET: its status; the error's code where there is no answer. */
function get(options) {
  return new Promise((done) => {
    const outgoing = request({ agent: false, timeout: 1000, ...options }, (incoming) => {
      incoming.resume();
      incoming.on('end', () => done(incoming.statusCode));
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', (error) => done(error.code ?? 'timeout'));
    outgoing.end();
  });
}

/** Listens with SO_REUSEPORT on a port of 127.0.0.1: `joined`, or why not. */
function listenBeside(port, host = '127.0.0.1') {
  return new Promise((done) => {
    const server = createServer();
    server.on('error', (error) => done({ joined: false, why: error.code }));
    server.listen({ port, host, reusePort: true }, () => done({ joined: true, server }));
  });
}

describe('a port of the gateway', () => {
  let gateway;
  before(async () => {
    gateway = await startGateway('');
  });
  after(() => gateway?.stop());

  it('is joined by nobody, before and after a reload', async () => {
    const ports = [portOf(gateway.url), portOf(gateway.metricsUrl)];
    const refused = { joined: false, why: 'EADDRINUSE' };
    for (const port of ports) {
      assert.deepEqual(await listenBeside(port), refused);
      assert.deepEqual(await listenBeside(port, '0.0.0.0'), refused);
    }
    await apply(gateway, `${readFileSync(gateway.configFile, 'utf8')}\n# once more\n`);
    for (const port of ports) assert.deepEqual(await listenBeside(port), refused);
  });

  it('would be joined if the gateway shared it', async () => {
    const port = await freePort();
    const first = await listenBeside(port);
    const second = await listenBeside(port);
    first.server?.close();
    second.server?.close();
    assert.ok(first.joined && second.joined);
  });
});

describe('a shortage', () => {
  it('of descriptors ends no listener', { skip }, async (t) => {
    const socket = join(temporaryDirectory(), 'admin.sock');
    const plan = join(temporaryDirectory(), 'faults');
    const environment = { LD_PRELOAD: kPreload, BARTIZAN_FAULTS: plan };
    const gateway = await startGateway(`[admin]\nsocket = "${socket}"\n`, { environment });
    t.after(() => gateway.stop());
    const askAll = () =>
      Promise.all([
        get({ socketPath: socket, path: '/quarantine' }),
        get({ port: portOf(gateway.metricsUrl), path: '/readyz' }),
        get({ port: portOf(gateway.url), path: '/elsewhere' }),
      ]);
    const before = await askAll();
    assert.ok(before.every(Number.isInteger), `${before}`);
    writeFileSync(plan, 'accept EMFILE socket\n');
    const during = await askAll();
    assert.ok(!during.some(Number.isInteger), `answered in spite of the shortage: ${during}`);
    writeFileSync(plan, '');
    await eventually(async () => (await askAll()).every((status, i) => status === before[i]), 'all three answer again');
    assert.match(gateway.log(), /accept failed/);
  });

  it('of descriptors from the start still lets clients in', async (t) => {
    const gateway = await startGateway('', { wrapper: ['prlimit', '--nofile=96:96'] });
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    assert.equal((await session.request(1, 'tools/list')).status, 200);
  });

  it('of places for health does not keep health from answering', async (t) => {
    const gateway = await startGateway('');
    t.after(() => gateway.stop());
    const held = [];
    for (let number = 0; number < 200; number += 1) {
      const socket = connect(portOf(gateway.metricsUrl), '127.0.0.1');
      socket.on('error', () => {});
      if (number % 2 === 1) socket.write('GET /readyz HTTP/1.1\r\nHost: 127');
      held.push(new Promise((done) => socket.on('connect', () => done(socket))));
    }
    const sockets = await Promise.all(held);
    for (let number = 0; number < 10; number += 1) await eventually(() => gateway.isReady(), 'health answers');
    // Nor do those who ask for more than they read.
    const asked = 'GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(200);
    for (const socket of sockets.slice(-70)) socket.pause().write(asked);
    for (let number = 0; number < 3; number += 1) await eventually(() => gateway.isReady(), 'health answers');
    for (const socket of sockets) socket.destroy();
  });
});

describe('the metrics', () => {
  it('are read by no page of a browser', async (t) => {
    const gateway = await startGateway('');
    t.after(() => gateway.stop());
    const port = portOf(gateway.metricsUrl);
    const cases = [
      { headers: { host: `127.0.0.1:${port}` }, status: 200 },
      { headers: { host: `bartizan:${port}` }, status: 200 },
      { headers: { host: `rebound.example:${port}` }, status: 403 },
      { headers: { host: `127.0.0.1.rebound.example` }, status: 403 },
      { headers: { host: `127.0.0.1:${port}`, origin: 'http://127.0.0.1:8080' }, status: 403 },
      { headers: { host: `127.0.0.1:${port}`, origin: 'null' }, status: 403 },
    ];
    for (const { headers, status } of cases) {
      for (const path of ['/metrics', '/readyz', '/healthz']) {
        assert.equal(await get({ port, path, headers }), status, JSON.stringify(headers));
      }
    }
  });
});
