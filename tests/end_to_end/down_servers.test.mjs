// Servers that end while the gateway runs, and come back: /readyz, the metric and the log follow, without
// a call where a server is there again. One that only fails a call stays up.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { eventually, textOf } from './assertions.mjs';
import { freePort, startGateway, testerAuth } from './harness.mjs';
import { ScriptedServer, kEchoTool } from './scripted_http.mjs';
import { httpServer, kPlain, startEverythingSse, startWireServer, stdioServer } from './servers.mjs';
import { LegacySession } from './wire.mjs';

const kRule = '[rule.all]\neffect = "permit"\nroles = ["tester"]\ntools = ["*/*"]\n';
// The gateway asks servers that are down again every 15 seconds.
const kBackMs = 60_000;

const isUp = async (gateway, server) => (await gateway.readiness()).body.servers[server].up;
const metric = async (gateway, server) => Number(new RegExp(`^bartizan_server_up\\{server="${server}"\\} (\\d)$`, 'm').exec(await gateway.metrics())[1]);
/** What the log said of it: up, down, up … */
const said = (gateway, server) => [...gateway.log().matchAll(new RegExp(`"msg":"server is (up|down)","server":"${server}"`, 'g'))].map(([, word]) => word);

describe('a server that ends, and is there again', () => {
  /** By transport, and era: how it is started at its port, and what it is called with. */
  const kStarts = {
    http: [(port) => new ScriptedServer({ tools: [kEchoTool] }).start(port), { text: 'x' }],
    modern: [(port) => new ScriptedServer({ tools: [kEchoTool], era: 'modern' }).start(port), { text: 'x' }],
    tcp: [(port) => startWireServer('tcp', { place: port }), { text: 'x' }],
    websocket: [(port) => startWireServer('websocket', { place: port }), { text: 'x' }],
    sse: [(port) => startEverythingSse(port), { message: 'x' }],
  };
  const kNames = Object.keys(kStarts);
  const running = {};
  const ports = {};
  let gateway;
  let session;
  const start = async (name) => (running[name] = await kStarts[name][0](ports[name]));
  const call = (name) => session.call(`${name}-call`, `${name}_echo`, kStarts[name][1]);

  before(async () => {
    for (const name of kNames) {
      ports[name] = await freePort();
      await start(name);
    }
    const servers = kNames.map((name) => httpServer(name, running[name].url, name === 'sse' ? 'transport = "sse"' : ''));
    gateway = await startGateway(servers.join('') + kRule, { auth: testerAuth({ trust: 'system' }) });
    session = await LegacySession.open(gateway.url);
  });
  after(async () => {
    await gateway?.stop();
    for (const server of Object.values(running)) await server.stop();
  });

  it('is up, then down once a call has failed, and up again without one', async () => {
    for (const name of kNames) {
      assert.ok((await call(name)).result, name);
      assert.deepEqual([await isUp(gateway, name), await metric(gateway, name)], [true, 1], name);
    }
    for (const name of kNames) await running[name].stop();
    for (const name of kNames) {
      await eventually(async () => (await call(name)).error?.data.reason === 'server_unavailable', `calls of ${name} are refused`);
      await eventually(async () => !(await isUp(gateway, name)), `${name} is down`, 15_000);
      assert.equal(await metric(gateway, name), 0, name);
      assert.ok((await gateway.readiness()).body.servers[name].detail, name);
    }
    for (const name of kNames) await start(name);
    for (const name of kNames) {
      await eventually(() => isUp(gateway, name), `${name} is up again`, kBackMs);
      assert.equal(await metric(gateway, name), 1, name);
      assert.ok((await call(name)).result, name);
      assert.deepEqual(said(gateway, name), ['up', 'down', 'up'], name);
    }
  });
});

describe('a server that fails a call', () => {
  const kFailures = {
    'with a status': (response) => response.writeHead(500).end(),
    'with a connection that ends': (response) => response.destroy(),
  };
  for (const [how, answer] of Object.entries(kFailures)) {
    it(`${how} stays up`, async (t) => {
      const server = await new ScriptedServer({ onCall: (_, response) => answer(response) }).start();
      const gateway = await startGateway(httpServer('web', server.url) + kRule, { auth: testerAuth() });
      t.after(async () => {
        await gateway.stop();
        await server.stop();
      });
      const session = await LegacySession.open(gateway.url);
      const asked = () => server.received('server/discover').length;
      const before = asked();
      assert.ok((await session.call(1, 'web_echo', {})).error);
      // Where the connection ends it is asked who it is, and answers.
      if (how !== 'with a status') await eventually(() => asked() > before, 'a look at the server');
      assert.ok((await session.call(2, 'web_echo', {})).error);
      assert.equal(await isUp(gateway, 'web'), true);
      assert.deepEqual(said(gateway, 'web'), ['up']);
    });
  }
});

describe('a local server whose process ends', () => {
  it('stays up, and is started by the next call', async (t) => {
    const gateway = await startGateway(stdioServer('plain', [kPlain], 'instances = "shared"') + kRule, { auth: testerAuth() });
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    assert.ok((await session.call(1, 'plain_stop', {})).error);
    assert.match(textOf((await session.call(2, 'plain_slow_echo', { token: 'again', milliseconds: 1 })).result), /again/);
    assert.equal(await isUp(gateway, 'plain'), true);
    assert.deepEqual(said(gateway, 'plain'), ['up']);
  });
});
