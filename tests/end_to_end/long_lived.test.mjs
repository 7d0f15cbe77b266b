// Streams that live long behind a proxy that cuts what is idle. The gateway's time is put forward step by
// step (shifted_time.mjs); that of nginx is real, and stands for a minute.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import WebSocket from 'ws';

import { eventually, textOf } from './assertions.mjs';
import { EventStream } from './event_stream.mjs';
import { startGateway } from './harness.mjs';
import { startNginx } from './nginx.mjs';
import { Peer } from './peer.mjs';
import { answerText, startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { shiftedTime } from './shifted_time.mjs';
import { jsonRpc, LegacySession } from './wire.mjs';
import { EventPeer } from './wire_peer.mjs';

const kMinute = 60_000;
const kCallMinutes = 30;
/** How long nginx waits for bytes: less than a step takes many times over, less than the call takes. */
const kIdle = '2s';
// A little more than the interval of comments, so that each step makes one due.
const kStep = 15_100;
const kRule = '[rule.testers-may]\neffect = "permit"\nroles = ["tester"]\ntools = ["far/wait"]\n';
const kWait = { name: 'wait', inputSchema: { type: 'object' } };
const callOf = (mark) => ({ name: 'far_wait', arguments: { mark } });

/** Messages over a WebSocket, by a client that tells when it is pinged; it answers pings by itself. */
class PingedPeer extends Peer {
  heard = 0;
  isClosed = false;

  constructor(url) {
    super();
    this.socket = new WebSocket(url.replace(/^http/, 'ws'), ['mcp']);
    this.opened = new Promise((done) => this.socket.on('open', done));
    this.socket.on('message', (text) => {
      this.heard += 1;
      this.received.push(JSON.parse(text));
    });
    this.socket.on('ping', () => (this.heard += 1));
    this.socket.on('error', () => {});
    this.socket.on('close', () => (this.isClosed = true));
  }

  write(text) {
    void this.opened.then(() => this.socket.send(text));
  }

  stop() {
    this.socket.terminate();
  }
}

const kPeers = { sse: EventPeer, websocket: PingedPeer };

const isAnswer = ({ id }) => id === 1;
const isNews = ({ method }) => method === 'notifications/tools/list_changed';

/** A stream of Streamable HTTP: of a call, or the session's own. */
async function open(session, options, fits, more = {}) {
  const headers = { ...session.headers(), accept: 'text/event-stream, application/json', ...more };
  const stream = await EventStream.open(session.url, { ...options, headers });
  let isOver = false;
  void stream.ended.then(() => (isOver = true));
  return { isClosed: () => isOver, heard: () => stream.text.length, lastId: () => stream.lastId(), answer: () => stream.messages().find(fits), stop: () => stream.close() };
}

async function callByPeer(peer, mark) {
  await peer.initialize();
  peer.send({ id: 1, method: 'tools/call', params: callOf(mark) });
  return { isClosed: () => peer.isClosed, heard: () => peer.heard, answer: () => peer.received.find(({ id }) => id === 1), stop: () => peer.stop() };
}

describe('behind nginx, which cuts what is idle for a minute', () => {
  const held = [];
  let server;
  let gateway;
  let nginx;
  let time;
  before(async () => {
    server = await startScriptedServer({ tools: [kWait], onCall: (message, response, { headers }) => held.push({ message, response, headers }) });
    time = shiftedTime();
    gateway = await startGateway(httpServer('far', server.url, 'timeout = "2h"') + kRule, { program: time.program, listen: 'web_socket = true\nsse = true' });
    nginx = await startNginx(gateway.url, { idle: kIdle });
  });
  after(async () => {
    await nginx?.stop();
    for (const { message, response } of held) if (!response.writableEnded) answerText(response, message.id, 'late');
    await gateway?.stop();
    await server?.stop();
  });

  /** One stream of each kind, each with a call in progress or, of the session, nothing. */
  async function begin() {
    const known = held.length;
    const session = await LegacySession.open(nginx.url);
    const streams = {
      call: await open(session, { method: 'POST', body: jsonRpc(1, 'tools/call', callOf('call')) }, isAnswer),
      session: await open(session, {}, isNews),
    };
    for (const [name, Wire] of Object.entries(kPeers)) streams[name] = await callByPeer(new Wire(nginx.url), name);
    await eventually(() => held.length === known + 3, 'three calls are at the server', 20_000);
    const calls = Object.fromEntries(held.slice(known).map((call) => [call.message.params.arguments.mark, call]));
    return { session, streams, calls };
  }

  describe('while the clock stands, so that no comment is due,', () => {
    let cut;
    before(async () => (cut = await begin()));

    it('every stream is cut: the control', async () => {
      for (const [name, stream] of Object.entries(cut.streams)) {
        await eventually(() => stream.isClosed(), `nginx cuts the stream ${name}`, 30_000);
        assert.equal(stream.answer(), undefined, name);
      }
    });

    it('a client of Streamable HTTP comes back for the rest', async () => {
      const { session, streams, calls } = cut;
      const { message, response } = calls.call;
      answerText(response, message.id, 'after the cut');
      server.publish({ method: 'notifications/tools/list_changed' });
      for (const [name, fits] of [['call', isAnswer], ['session', isNews]]) {
        const again = await open(session, {}, fits, { accept: 'text/event-stream', 'last-event-id': streams[name].lastId() });
        await eventually(() => again.answer(), `the rest of the stream ${name}`);
        again.stop();
      }
    });

    it('the calls of the others are cancelled: their connection is the session', async () => {
      // Each worker has a session of its own with the server, and its own numbers.
      const nameOf = (id, { headers }) => `${headers['mcp-session-id']} ${id}`;
      const cancelled = () => server.received('notifications/cancelled').map((one) => nameOf(one.message.params.requestId, one));
      const isCancelled = (name) => cancelled().includes(nameOf(cut.calls[name].message.id, cut.calls[name]));
      for (const name of Object.keys(kPeers)) await eventually(() => isCancelled(name), `the call over ${name} is cancelled`);
      assert.ok(!isCancelled('call'));
    });
  });

  it(`a call of ${kCallMinutes} minutes ends with its answer on every transport, and no stream is cut`, async () => {
    const { streams, calls } = await begin();
    const began = Date.now();
    const last = Object.fromEntries(Object.entries(streams).map(([name, stream]) => [name, { heard: stream.heard(), at: 0, silence: 0 }]));
    let now = 0;
    const look = () => {
      for (const [name, stream] of Object.entries(streams)) {
        assert.equal(stream.isClosed(), false, `${name} was cut after ${Math.round(now / 1000)} s`);
        if (stream.heard() === last[name].heard) continue;
        last[name] = { heard: stream.heard(), at: now, silence: Math.max(last[name].silence, now - last[name].at) };
      }
    };
    while (now < kCallMinutes * kMinute) {
      now += kStep;
      await time.pass(kStep, 0);
      // Comments of HTTP come after 15 s, those of HTTP+SSE and pings after 30 s; what a client says begins these anew.
      const isLate = (name) => now - last[name].at >= (name in kPeers ? kMinute - kStep : kStep);
      await eventually(() => (look(), !Object.keys(streams).some(isLate)), `comments and pings at ${Math.round(now / 1000)} s`, 20_000);
    }
    for (const [name, { silence }] of Object.entries(last)) assert.ok(silence > 0 && silence <= kMinute, `${name} was silent for ${silence} ms`);
    const idles = (Date.now() - began) / 1000 / parseInt(kIdle, 10);
    assert.ok(idles >= 2, `the call took ${idles.toFixed(1)} idle times of nginx`);

    for (const { message, response } of Object.values(calls)) answerText(response, message.id, 'after half an hour');
    for (const name of ['call', 'sse', 'websocket']) {
      const { result } = await eventually(() => streams[name].answer(), `the answer on ${name}`);
      assert.equal(textOf(result), 'after half an hour', name);
    }
    server.publish({ method: 'notifications/tools/list_changed' });
    await eventually(() => streams.session.answer(), 'the news on the stream of the session');
    for (const stream of Object.values(streams)) stream.stop();
  });
});
