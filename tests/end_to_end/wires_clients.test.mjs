// Clients and servers that others wrote, over the wires: wscat, socat, the Inspector, and the transports of
// the official client.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';

import { eventually, textOf } from './assertions.mjs';
import { freePort, kNode, kTestsDirectory, startGateway, temporaryDirectory } from './harness.mjs';
import { kHello } from './peer.mjs';
import { kNoSocat, kSocat } from './rude_wires.mjs';
import { startScriptedServer } from './scripted_http.mjs';
import { httpServer, kPlain } from './servers.mjs';
import { LegacySession } from './wire.mjs';
import { bearer, begin, calls, kTools } from './wires_stage.mjs';

const kEveryone = '[rule.all]\neffect = "permit"\nroles = ["tester"]\ntools = ["web/*"]\n';
const echo = (id, text) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'web_echo', arguments: { text } } });

/** Runs a program with that input: `{ code, text }`, with what it printed. */
function run(command, given, input = '') {
  return new Promise((done) => {
    const environment = { PATH: process.env.PATH, HOME: temporaryDirectory() };
    const child = execFile(command, given, { env: environment, timeout: 60_000 }, (error, text, problems) => done({ code: error?.code ?? 0, text, problems }));
    child.stdin.on('error', () => {}).end(input);
  });
}

describe('a client of others', () => {
  it('wscat', async (t) => {
    const stage = await begin({ client: '[client]\nhandshake = "implied"\n' });
    t.after(() => stage.stop());
    const wscat = join(kTestsDirectory, 'node_modules', 'wscat', 'bin', 'wscat');
    const call = JSON.stringify(echo(1, 'by wscat'));
    const child = spawn(kNode, [wscat, '-c', stage.gateway.url.replace('http', 'ws'), '-H', `Authorization: ${bearer.authorization}`, '-x', call, '-w', '3'], { stdio: ['pipe', 'pipe', 'pipe'] });
    let text = '';
    child.stdout.on('data', (chunk) => (text += chunk));
    await eventually(() => text.includes('by wscat'), 'the answer', 15_000);
    child.kill();
  });

  it('the WebSocket transport of the official client', async (t) => {
    const server = await startScriptedServer({ tools: kTools });
    const gateway = await startGateway(httpServer('web', server.url) + kEveryone, { listen: 'web_socket = true' });
    const client = new LegacyClient({ name: 'tests', version: '1' });
    await client.connect(new WebSocketClientTransport(new URL(gateway.url.replace('http', 'ws'))));
    t.after(async () => {
      await client.close();
      await gateway.stop();
      await server.stop();
    });
    assert.equal(textOf(await client.callTool({ name: 'web_echo', arguments: { text: 'official' } })), 'official');
  });

  for (const [wire, address] of [['tcp', ({ tcpPort }) => `TCP:127.0.0.1:${tcpPort}`], ['unix', ({ socketPath }) => `UNIX-CONNECT:${socketPath}`]]) {
    for (const handshake of ['implied', 'required']) {
      it(`socat over ${wire}, with ${handshake === 'implied' ? 'no handshake' : 'a handshake'}`, { skip: kNoSocat }, async (t) => {
        const stage = await begin({ client: handshake === 'implied' ? '[client]\nhandshake = "implied"\n' : '' });
        t.after(() => stage.stop());
        const hello = [{ jsonrpc: '2.0', id: 'hello', method: 'initialize', params: kHello }, { jsonrpc: '2.0', method: 'notifications/initialized' }];
        const asked = [...(handshake === 'implied' ? [] : hello), echo(1, 'one'), echo(2, 'two'), { ...echo(3, 'never'), params: { name: 'web_hidden' } }];
        // All at once, and the end of its side behind them: what was asked before is still answered.
        const { code, text } = await run(kSocat, ['-t', '30', '-', address(stage)], asked.map((message) => `${JSON.stringify(message)}\n`).join(''));
        assert.equal(code, 0);
        const answers = text.trim().split('\n').map((line) => JSON.parse(line));
        const answerTo = (id) => answers.find((answer) => answer.id === id);
        assert.deepEqual([1, 2].map((id) => textOf(answerTo(id).result)), ['one', 'two']);
        assert.ok(answerTo(3).error, text);
        assert.equal(answers.length, handshake === 'implied' ? 3 : 4);
        assert.equal(calls(stage).length, 2);
        const decisions = stage.gateway.records().filter(({ kind, method }) => kind === 'decision' && method === 'tools/call');
        assert.deepEqual([...new Set(decisions.map(({ transport }) => transport))], [wire]);
      });
    }
  }

  describe('the Inspector over HTTP+SSE', () => {
    const inspector = join(kTestsDirectory, 'node_modules', '@modelcontextprotocol', 'inspector', 'clients', 'launcher', 'build', 'index.js');
    const ask = (url, ...given) => run(kNode, [inspector, '--cli', url, '--transport', 'sse', '--header', `Authorization: ${bearer.authorization}`, ...given]);
    const callOf = (tool, text) => ['--method', 'tools/call', '--tool-name', tool, '--tool-arg', `text=${text}`];

    it('lists, calls, and is refused', async (t) => {
      const stage = await begin();
      t.after(() => stage.stop());
      const { url } = stage.gateway;
      const listed = await ask(url, '--method', 'tools/list');
      assert.deepEqual(JSON.parse(listed.text).tools.map(({ name }) => name).sort(), ['web_echo', 'web_wait'], listed.problems);
      const called = await ask(url, ...callOf('web_echo', 'inspected'));
      assert.equal(textOf(JSON.parse(called.text)), 'inspected', called.problems);
      const refused = await ask(url, ...callOf('web_hidden', 'hidden'));
      assert.notEqual(refused.code, 0);
      assert.deepEqual(calls(stage).map(({ params }) => params.arguments.text), ['inspected']);
      const decision = stage.gateway.records().findLast(({ kind, method }) => kind === 'decision' && method === 'tools/call');
      assert.deepEqual([decision.transport, decision.principal, decision.client_name], ['sse', 'ann', 'inspector-cli']);
    });

    it('is not served without the key', async (t) => {
      const stage = await begin();
      t.after(() => stage.stop());
      const { code } = await run(kNode, [inspector, '--cli', stage.gateway.url, '--transport', 'sse', ...callOf('web_echo', 'x')]);
      assert.notEqual(code, 0);
      assert.equal(calls(stage).length, 0);
    });
  });
});

describe('a local server behind socat', { skip: kNoSocat }, () => {
  for (const wire of ['tcp', 'unix']) {
    it(`is served over ${wire}, connected anew when it was lost, and each connection is a process`, async (t) => {
      const place = wire === 'unix' ? join(temporaryDirectory(), 'server.sock') : await freePort();
      const [listening, url] = wire === 'unix' ? [`UNIX-LISTEN:${place},fork`, `unix:${place}`] : [`TCP-LISTEN:${place},bind=127.0.0.1,reuseaddr,fork`, `tcp://127.0.0.1:${place}`];
      const begin = () => spawn(kSocat, [listening, `EXEC:${kNode} ${kPlain}`], { stdio: 'ignore', detached: true });
      const end = (child) => process.kill(-child.pid, 'SIGKILL');
      let bridge = begin();
      process.on('exit', () => bridge.exitCode === null && bridge.signalCode === null && end(bridge));
      const gateway = await startGateway(httpServer('web', url) + kEveryone);
      t.after(async () => {
        await gateway.stop();
        end(bridge);
      });
      const session = await LegacySession.open(gateway.url);
      const called = async (id, token) => (await session.call(id, 'web_slow_echo', { token, milliseconds: 1 })).result;
      await eventually(() => called(1, 'begun'), 'the bridge listens', 20_000);
      const tokens = Array.from({ length: 20 }, (_, index) => `token-${index}`);
      const answered = await Promise.all(tokens.map((token, index) => called(10 + index, token)));
      assert.deepEqual(answered.map(textOf), tokens);
      end(bridge);
      await new Promise((done) => bridge.once('exit', done));
      assert.ok((await session.call(2, 'web_slow_echo', { token: 'x', milliseconds: 1 })).error, 'nothing is there');
      rmSync(`${place}`, { force: true });
      bridge = begin();
      await eventually(() => called(3, 'back'), 'the bridge is back', 30_000);
      const states = gateway.records().filter(({ kind, server }) => kind === 'server' && server === 'web').map(({ detail }) => detail);
      assert.ok(states.some((detail) => detail.startsWith('ended unexpectedly')), `${states}`);
    });
  }
});
