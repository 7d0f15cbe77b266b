// Servers over TCP, Unix sockets, WebSocket and HTTP+SSE: the same calls, checks and records as of any
// server, connected anew when they were lost.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { eventually, failureOf, textOf } from './assertions.mjs';
import { kClients } from './clients.mjs';
import { freePort, kFixtures, kNode, kTestsDirectory, runProgram, startGateway, temporaryDirectory, testerAuth } from './harness.mjs';
import { httpServer, kPlain, startEverythingSse, startWireServer } from './servers.mjs';
import { LegacySession, responseOf } from './wire.mjs';

const kRules = '[rule.most]\neffect = "permit"\nroles = ["tester"]\ntools = ["far/*"]\n[rule.not-that]\neffect = "forbid"\nroles = ["*"]\ntools = ["far/forbidden"]\n';
const kAuth = testerAuth({ trust: 'system' });
const begin = (url, more = '', rules = '') => startGateway(httpServer('far', url, more) + kRules + rules, { auth: kAuth });
const sessions = new Set();
const open = async (gateway) => {
  const session = await LegacySession.open(gateway.url);
  sessions.add(session);
  return session;
};

for (const wire of ['tcp', 'unix', 'websocket']) {
  for (const eras of ['dual', 'modern']) {
    describe(`a ${eras === 'dual' ? 'dual-era' : 'modern'} server over ${wire}`, () => {
      const place = wire === 'unix' ? join(temporaryDirectory(), 'server.sock') : 0;
      let server;
      let gateway;
      before(async () => {
        server = await startWireServer(wire, { place, eras });
        gateway = await begin(server.url);
      });
      after(async () => {
        await gateway.stop();
        server.stop();
      });

      for (const { name, connect } of kClients) {
        it(`serves ${name}: lists, calls, progress, and no more than rules permit`, async (t) => {
          const connection = await connect(gateway.url);
          t.after(() => connection.close());
          assert.equal(textOf(await connection.call('far_echo', { text: name })), name);
          assert.equal(textOf(await connection.call('far_progress', { steps: 2 })), 'done 2');
          assert.match((await failureOf(connection.call('far_forbidden', {}))).message, /forbids this call/);
          const records = gateway.records();
          assert.ok(records.some((one) => one.kind === 'outcome' && one.server === 'far' && one.outcome === 'success'));
        });
      }

      it('is told of a cancellation', async () => {
        const session = await open(gateway);
        const called = session.call('slow', 'far_slow', { milliseconds: 20_000, mark: `${wire}-${eras}` });
        await eventually(async () => textOf((await session.call('ask', 'far_was_cancelled', { mark: `${wire}-${eras}` })).result) === 'no', 'the call has begun');
        await session.post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } }));
        await eventually(async () => textOf((await session.call('ask', 'far_was_cancelled', { mark: `${wire}-${eras}` })).result) === 'yes', 'the cancellation');
        await called.catch(() => {});
      });
    });
  }
}

describe('the official server of 2024-11-05’s transport', () => {
  let server;
  let gateway;
  before(async () => {
    server = await startEverythingSse();
    gateway = await begin(server.url, 'transport = "sse"');
  });
  after(async () => {
    await gateway.stop();
    server.stop();
  });

  for (const { name, connect } of kClients) {
    it(`serves ${name}`, async (t) => {
      const connection = await connect(gateway.url);
      t.after(() => connection.close());
      assert.equal(textOf(await connection.call('far_echo', { message: 'old' })), 'Echo: old');
      assert.match(textOf(await connection.call('far_get-sum', { a: 2, b: 3 })), /5/);
    });
  }
});

describe('a local server behind supergateway', () => {
  const kSupergateway = join(kTestsDirectory, 'node_modules', 'supergateway', 'dist', 'index.js');
  for (const [transport, url, more] of [
    ['ws', (port) => `ws://127.0.0.1:${port}/message`, ''],
    ['sse', (port) => `http://127.0.0.1:${port}/sse`, 'transport = "sse"'],
  ]) {
    it(`is served over ${transport}`, async (t) => {
      const port = await freePort();
      const child = spawn(kNode, ['--import', join(kFixtures, 'loopback_only.mjs'), kSupergateway, '--stdio', `${kNode} ${kPlain}`, '--outputTransport', transport, '--port', String(port), '--messagePath', '/message'], { stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '';
      child.stdout.on('data', (chunk) => (said += chunk));
      child.stderr.on('data', (chunk) => (said += chunk));
      process.on('exit', () => child.kill('SIGKILL'));
      await eventually(() => /listening on|Listening/i.test(said), 'supergateway', 15_000);
      const gateway = await begin(url(port), more);
      t.after(async () => {
        child.kill();
        await gateway.stop();
      });
      const session = await open(gateway);
      const { tools } = responseOf(await session.request('list', 'tools/list', {})).result;
      assert.ok(tools.length > 0, said);
      const called = await session.call(1, tools[0].name, {});
      assert.ok(called.result ?? called.error, JSON.stringify(called));
      assert.ok(gateway.records().some((one) => one.kind === 'outcome' && one.server === 'far' && one.method === 'tools/call'));
    });
  }
});

describe('bartizan check --servers', () => {
  it('says which eras servers over wires speak, and why one does not answer', async (t) => {
    const [tcp, web, old] = [await startWireServer('tcp'), await startWireServer('websocket', { eras: 'modern' }), await startEverythingSse()];
    t.after(() => [tcp, web, old].forEach((server) => server.stop()));
    const config = join(temporaryDirectory(), 'bartizan.toml');
    const gone = await freePort();
    const servers = httpServer('tcp', tcp.url) + httpServer('web', web.url) + httpServer('old', old.url, 'transport = "sse"') + httpServer('gone', `tcp://127.0.0.1:${gone}`) + httpServer('oldest', old.url) + httpServer('elsewhere', old.url.replace(/^http(.*)\/sse$/, 'ws$1/other'));
    writeFileSync(config, `version = 1\n[audit]\nfile = "audit.jsonl"\n${testerAuth()}${servers}`);
    const { stdout, stderr } = await runProgram('check', '--servers', config);
    const said = stdout + stderr;
    for (const line of [/server tcp: 7 tools, legacy and modern/, /server web: 7 tools, modern/, /server old: \d+ tools, legacy/, new RegExp(`server "gone" did not list its tools: the server does not accept connections at 127\\.0\\.0\\.1:${gone}`), /server "oldest" did not list its tools: the server answered HTTP status 404; .*transport = "sse"/, /server "elsewhere" did not list its tools: .* status 404; write its whole path in url/]) assert.match(said, line);
    assert.doesNotMatch(said, /Sanitizer/);
  });
});

describe('a server that is lost', () => {
  for (const wire of ['tcp', 'unix', 'websocket']) {
    it(`over ${wire} fails what is in progress, and is connected anew`, async (t) => {
      const place = wire === 'unix' ? join(temporaryDirectory(), 'server.sock') : await freePort();
      let server = await startWireServer(wire, { place });
      const gateway = await begin(server.url);
      t.after(async () => {
        await gateway.stop();
        server.stop();
      });
      const session = await open(gateway);
      assert.equal(textOf((await session.call(1, 'far_echo', { text: 'one' })).result), 'one');
      const called = session.call(2, 'far_slow', { milliseconds: 20_000, mark: 'lost' });
      await eventually(async () => textOf((await session.call('ask', 'far_was_cancelled', { mark: 'lost' })).result) === 'no', 'the call has begun');
      server.stop();
      const { error } = await called;
      assert.match(error.data.reason, /server_(failed|unavailable)/);
      await eventually(async () => Boolean((await session.call(3, 'far_echo', { text: 'down' })).error), 'a refusal');
      server = await startWireServer(wire, { place });
      await eventually(async () => (await session.call(4, 'far_echo', { text: 'back' })).result && true, 'the server is there again', 30_000);
    });
  }
});

describe('what the gateway shows a server with a WebSocket', () => {
  it('is its own credentials, and never the client’s', async (t) => {
    const headers = join(temporaryDirectory(), 'headers.jsonl');
    const server = await startWireServer('websocket', { headers });
    const gateway = await startGateway(httpServer('far', server.url, 'credentials = { bearer = "file:token" }\nheaders = { X-Team = "blue" }') + kRules, { auth: kAuth, files: { token: 'the-token-of-the-gateway' } });
    t.after(async () => {
      await gateway.stop();
      server.stop();
    });
    const session = await LegacySession.open(gateway.url, { 'x-client': 'secret' });
    assert.equal(textOf((await session.call(1, 'far_echo', { text: 'x' })).result), 'x');
    const seen = readFileSync(headers, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
    for (const head of seen) {
      assert.deepEqual([head.authorization, head['x-team'], head['x-client'], head['sec-websocket-extensions']], ['Bearer the-token-of-the-gateway', 'blue', undefined, undefined]);
    }
  });
});

describe('a server over a Unix socket', () => {
  it('leaves nothing behind when it is taken out', async (t) => {
    const path = join(temporaryDirectory(), 'server.sock');
    const server = await startWireServer('unix', { place: path });
    const gateway = await begin(server.url);
    t.after(async () => server.stop());
    const session = await open(gateway);
    assert.equal(textOf((await session.call(1, 'far_echo', { text: 'x' })).result), 'x');
    await gateway.stop();
    assert.ok(existsSync(path), 'the socket is the server’s');
  });
});
