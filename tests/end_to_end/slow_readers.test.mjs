// Clients that stop reading while a server goes on and on: they are cut off, what waits for them is
// bounded, and others are served meanwhile. Where a transport has HTTP for answers, see sharing.test.mjs.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';

import WebSocket from 'ws';

import { eventually, textOf } from './assertions.mjs';
import { freePort, startGateway, temporaryDirectory } from './harness.mjs';
import { Peer } from './peer.mjs';
import { startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { shiftedTime } from './shifted_time.mjs';
import { LinePeer } from './wire_peer.mjs';

const kMiB = 1 << 20;
const kText = 'x'.repeat(48 * 1024);
/** What the server says in a call: more than may wait for a client, which is 16 MiB. */
const kNotifications = 1000;
const kWaitsMax = 16 * kMiB;
/** What belongs to the call itself, and to what is just being read and written. */
const kBeside = 8 * kMiB;
const kTools = ['flood', 'echo'].map((name) => ({ name, inputSchema: { type: 'object' } }));
const kRule = '[rule.testers-may]\neffect = "permit"\nroles = ["tester"]\ntools = ["far/*"]\n';

/** A client of which each transport has its own way to stop reading. */
class PausingPeer extends Peer {
  isClosed = false;
  pause = () => this.socket.pause();
  resume = () => this.socket.resume();
  stop() {
    this.socket.terminate();
  }
}

class WebSocketReader extends PausingPeer {
  constructor(url) {
    super();
    this.socket = new WebSocket(url.replace(/^http/, 'ws'), ['mcp']);
    this.opened = new Promise((done) => this.socket.on('open', done));
    this.socket.on('message', (text) => this.received.push(JSON.parse(text)));
    this.socket.on('error', () => {});
    this.socket.on('close', () => (this.isClosed = true));
  }

  write(text) {
    void this.opened.then(() => this.socket.send(text));
  }
}

class EventReader extends PausingPeer {
  #posted = Promise.resolve();

  constructor(url) {
    super();
    this.url = url;
    this.endpoint = new Promise((done) => (this.begun = done));
    this.outgoing = request(url, { headers: { accept: 'text/event-stream' }, agent: false }, (incoming) => {
      this.socket = incoming;
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk) => {
        const events = (text + chunk).split('\n\n');
        text = events.pop();
        for (const event of events) {
          const data = /^data: (.*)$/m.exec(event)?.[1];
          if (event.startsWith('event: endpoint')) this.begun(data);
          else if (data) this.received.push(JSON.parse(data));
        }
      });
      incoming.on('error', () => {});
      incoming.on('close', () => (this.isClosed = true));
    });
    this.outgoing.on('error', () => {});
    this.outgoing.end();
  }

  write(text) {
    this.#posted = this.#posted.then(async () => {
      const target = new URL(await this.endpoint, this.url);
      await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text });
    });
  }

  stop() {
    this.outgoing.destroy();
  }
}

class LineReader extends LinePeer {
  pause = () => this.socket.pause();
  resume = () => this.socket.resume();
}

describe('a client that stops reading', () => {
  const floods = [];
  let server;
  let gateway;
  let time;
  let wires;
  let mostOfAll = 0;

  /** Says everything as fast as it is taken; `said` counts, and `isOver` tells that the call has ended. */
  async function flood({ id, params }, response) {
    const its = { mark: params.arguments.mark, said: 0, isOver: false };
    floods.push(its);
    let wake = () => {};
    response.on('drain', () => wake()).on('close', () => (its.isOver = true, wake()));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    while (its.said < kNotifications && !its.isOver) {
      its.said += 1;
      const news = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: params._meta.progressToken, progress: its.said, message: kText } };
      const isTaken = response.write(`data: ${JSON.stringify(news)}\n\n`);
      if (!isTaken && !its.isOver) await new Promise((done) => (wake = done));
    }
    response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'all' }] } })}\n\n`);
  }

  before(async () => {
    server = await startScriptedServer({
      tools: kTools,
      onCall: (message, response) => {
        if (message.params.name === 'flood') return void flood(message, response);
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text: message.params.arguments.text }] } }));
      },
    });
    time = shiftedTime();
    const [port, folder] = [await freePort(), temporaryDirectory()];
    const sockets = `[socket.tcp]\naddress = "127.0.0.1:${port}"\nprincipal = "tester"\n[socket.unix]\npath = "${folder}/mcp.sock"\nusers = { ${process.getuid()} = "tester" }\n`;
    gateway = await startGateway(httpServer('far', server.url, 'timeout = "1h"') + sockets + kRule, { program: time.program, listen: 'web_socket = true\nsse = true' });
    wires = {
      tcp: () => new LineReader({ port, host: '127.0.0.1' }),
      unix: () => new LineReader({ path: `${folder}/mcp.sock` }),
      websocket: () => new WebSocketReader(gateway.url),
      sse: () => new EventReader(gateway.url),
    };
  });
  after(async () => {
    await gateway?.stop();
    await server?.stop();
  });

  const reserved = async () => Number(/^bartizan_memory_reserved_bytes (\S+)$/m.exec(await gateway.metrics())[1]);

  async function begin(wire, mark) {
    const peer = wires[wire]();
    await peer.initialize();
    return { peer, ask: () => peer.send({ id: 1, method: 'tools/call', params: { name: 'far_flood', arguments: { mark }, _meta: { progressToken: 'p' } } }) };
  }

  for (const wire of ['tcp', 'unix', 'websocket', 'sse']) {
    it(`over ${wire} is cut off, and holds no more than may wait`, async (t) => {
      const before = await reserved();
      const { peer, ask } = await begin(wire, `slow-${wire}`);
      t.after(() => peer.stop());
      const other = wires[wire]();
      t.after(() => other.stop());
      await other.initialize();
      peer.pause();
      ask();
      const its = await eventually(() => floods.find(({ mark }) => mark === `slow-${wire}`), 'the call is at the server');
      let most = 0;
      let turn = 0;
      // Whoever takes no byte for 30 s is cut off too, so the clock goes on.
      await eventually(async () => {
        most = Math.max(most, (await reserved()) - before);
        assert.equal(textOf((await other.call((turn += 2), 'far_echo', { text: `beside ${turn}` })).result), `beside ${turn}`);
        await time.pass(1000, 0);
        return its.isOver;
      }, 'the call is given up', 60_000);
      assert.ok(its.said > 20, `${its.said} notifications were sent`);
      assert.ok(most <= kWaitsMax + kBeside, `${most} bytes were held`);
      mostOfAll = Math.max(mostOfAll, most);
      await eventually(async () => (await reserved()) - before < kMiB, 'what waited is given back', 20_000);
      peer.resume();
      await eventually(() => peer.isClosed, 'the client sees the end', 20_000);
      assert.ok(!peer.received.some(({ id }) => id === 1), 'it never got an answer');
    });

    it(`over ${wire} that reads gets everything: the control`, async (t) => {
      const { peer, ask } = await begin(wire, `quick-${wire}`);
      t.after(() => peer.stop());
      ask();
      assert.equal(textOf((await peer.answer(1)).result), 'all');
      assert.equal(peer.received.filter(({ method }) => method === 'notifications/progress').length, kNotifications);
    });
  }

  it('was seen to hold something: the measure works', () => {
    assert.ok(mostOfAll > kWaitsMax / 2, `${mostOfAll} bytes`);
  });
});
