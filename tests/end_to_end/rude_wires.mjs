// A server that misbehaves, on any transport. What it does wrong is said once, in rude_faults.mjs; here
// is how each transport carries a message, a part of one, and the end of a connection.
import { existsSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createServer as createTls } from 'node:tls';

import { WebSocketServer } from 'ws';

import { makeCertificates } from './certificates.mjs';
import { temporaryDirectory, tomlArray } from './harness.mjs';
import { httpServer } from './servers.mjs';

export const kSocat = '/usr/bin/socat';
/** Why what needs it is skipped; false where it is there. */
export const kNoSocat = !existsSync(kSocat) && 'no socat: apt-get install socat';

const authority = makeCertificates('IP:127.0.0.1');
const folder = temporaryDirectory();

/** How a transport writes: `begin`, `more` and `end` are a message in pieces. */
class Link {
  constructor(server, sink) {
    Object.assign(this, { server, sink });
  }

  send(message) {
    this.whole(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  answer({ id }, text = 'well', more = {}) {
    this.send({ id, result: { content: [{ type: 'text', text }] }, ...more });
  }

  whole(bytes) {
    this.begin('');
    this.end(bytes);
  }

  /** Writes a message byte by byte. */
  drip(text) {
    this.begin('');
    const timer = setInterval(() => {
      if (text.length > 1) this.more(text[0]);
      else this.end(text);
      text = text.slice(1);
      if (text === '') clearInterval(timer);
    }, 1);
  }

  /** Writes spaces of a message, as fast as the peer reads: `bytesMax` of them, or until it leaves. */
  pour(bytesMax, then = () => {}) {
    const piece = Buffer.alloc(1 << 20, 0x20);
    let written = 0;
    const go = () => {
      while (written < bytesMax && !this.sink.destroyed) {
        written += piece.length;
        if (!this.more(piece)) return void this.sink.once('drain', go);
      }
      if (!this.sink.destroyed) then();
    };
    go();
  }

  /** What comes behind the last message that a request is answered with. */
  over() {}
}

class LineLink extends Link {
  begin(bytes) {
    return this.sink.write(bytes);
  }

  more(bytes) {
    return this.sink.write(bytes);
  }

  end(bytes) {
    this.sink.write(Buffer.concat([Buffer.from(bytes), Buffer.from('\n')]));
  }
}

const kText = 1;
const kContinuation = 0;

/** A frame as a server writes it. */
export function frame(opcode, payload, isLast) {
  const body = Buffer.from(payload);
  const head = Buffer.alloc(10);
  head[0] = (isLast ? 0x80 : 0) | opcode;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(body.length), 2);
  if (body.length < 126) return Buffer.concat([Buffer.from([head[0], body.length]), body]);
  if (body.length < 1 << 16) return Buffer.concat([Buffer.from([head[0], 126, body.length >> 8, body.length & 255]), body]);
  return Buffer.concat([head, body]);
}

class FrameLink extends Link {
  begin(bytes) {
    return this.sink.write(frame(kText, bytes, false));
  }

  more(bytes) {
    return this.sink.write(frame(kContinuation, bytes, false));
  }

  end(bytes) {
    this.sink.write(frame(kContinuation, bytes, true));
  }

  whole(bytes) {
    this.sink.write(frame(kText, bytes, true));
  }
}

/** A stream of events; over Streamable HTTP it is the answer to one request. */
class EventLink extends Link {
  begin(bytes) {
    this.open();
    this.sink.write('data: ');
    return this.sink.write(bytes);
  }

  more(bytes) {
    return this.sink.write(bytes);
  }

  end(bytes) {
    this.sink.write(bytes);
    this.sink.write('\n\n');
  }

  open() {
    if (!this.sink.headersSent) this.sink.writeHead(200, { 'content-type': 'text/event-stream' });
  }

  over() {
    if (!this.isSession) this.sink.end();
  }
}

/** One JSON document, which is the answer to one request. */
class DocumentLink extends Link {
  begin(bytes) {
    this.sink.writeHead(200, { 'content-type': 'application/json' });
    return this.sink.write(bytes);
  }

  more(bytes) {
    return this.sink.write(bytes);
  }

  end(bytes) {
    this.sink.end(bytes);
  }

  whole(bytes) {
    this.sink.writeHead(200, { 'content-type': 'application/json' }).end(bytes);
  }
}

/** Reads lines from a socket, and answers on it. */
const serveLines = (server) => (socket) => {
  const link = new LineLink(server, socket);
  let rest = '';
  server.watch(socket);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) server.take(link, JSON.parse(line));
  });
};

function serveFrames(server, listener) {
  const sockets = new WebSocketServer({ noServer: true });
  listener.on('upgrade', (request, socket, head) => {
    server.watch(socket);
    if (server.meets('upgrade', socket)) return void socket.resume();
    // The library would end its side as soon as the client says goodbye.
    if (server.ended) socket.end = () => socket;
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const link = new FrameLink(server, socket);
      webSocket.on('error', () => {});
      webSocket.on('message', (text) => server.take(link, JSON.parse(text)));
    });
  });
  return listener;
}

const bodyOf = async (request) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks));
};

/** Each stream has an endpoint of its own, since the gateway also looks in between who is there. */
function serveEvents(server) {
  const links = new Map();
  return createHttp(async (request, response) => {
    server.watch(request.socket);
    if (server.meets('request', response, request)) return;
    if (request.method === 'GET') {
      const endpoint = `/messages?${links.size}`;
      const link = Object.assign(new EventLink(server, response), { isSession: true });
      links.set(endpoint, link);
      link.open();
      return void response.write(`event: endpoint\ndata: ${endpoint}\n\n`);
    }
    const message = await bodyOf(request).catch(() => undefined);
    response.writeHead(202).end();
    if (message) server.take(links.get(request.url), message);
  });
}

const serveRequests = (server, Answer) =>
  createHttp(async (request, response) => {
    server.watch(request.socket);
    response.on('error', () => {});
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = await bodyOf(request).catch(() => undefined);
    if (!message) return;
    if (message.id === undefined || !message.method) {
      response.writeHead(202).end();
      return void server.take(undefined, message);
    }
    server.take(new Answer(server, response), message);
  });

/** Each transport: what its URL and its table say, how its messages are carried, what takes a connection. */
export const kWires = {
  stdio: { kind: 'lines', isLocal: true, serve: serveLines },
  unix: { kind: 'lines', isLocal: true, serve: serveLines, url: (path) => `unix:${path}` },
  tcp: { kind: 'lines', serve: serveLines, url: (port) => `tcp://127.0.0.1:${port}` },
  tls: { kind: 'lines', isTls: true, serve: (server) => createTls({ ...authority.forNode, allowHalfOpen: Boolean(server.ended) }, serveLines(server)), url: (port) => `tls://127.0.0.1:${port}` },
  websocket: { kind: 'frames', serve: (server) => serveFrames(server, createHttp()), url: (port) => `ws://127.0.0.1:${port}/mcp` },
  wss: { kind: 'frames', isTls: true, serve: (server) => serveFrames(server, createHttps(authority.forNode)), url: (port) => `wss://127.0.0.1:${port}/mcp` },
  sse: { kind: 'session', serve: serveEvents, url: (port) => `http://127.0.0.1:${port}/sse`, more: 'transport = "sse"' },
  'http events': { kind: 'events', serve: (server) => serveRequests(server, EventLink), url: (port) => `http://127.0.0.1:${port}/mcp` },
  'http document': { kind: 'document', serve: (server) => serveRequests(server, DocumentLink), url: (port) => `http://127.0.0.1:${port}/mcp` },
};

/** A server of one wire that meets its clients with one fault. */
export class RudeServer {
  isFaulty = true;
  /** Calls that met the fault. */
  met = 0;
  /** What the client said that is no request. */
  told = [];
  /** Messages that it still got rid of after its client had ended its side. */
  sentAfter = 0;
  connections = new Set();
  tools = [{ name: 'echo', description: 'Answers well.', inputSchema: { type: 'object' } }];
  listed = 0;

  constructor(wire, fault, name) {
    const server = this;
    const ended = fault.ended && function () {
      fault.ended(this, server);
    };
    Object.assign(this, { wire: kWires[wire], fault, name, ended });
    const serving = this.wire.serve(this);
    const take = typeof serving === 'function' ? serving : (socket) => serving.emit('connection', socket);
    if (typeof serving !== 'function') serving.on('tlsClientError', () => {});
    // In front, so that a fault meets the connection before TLS and HTTP do.
    this.listener = createServer({ allowHalfOpen: Boolean(fault.ended) }, (socket) => {
      this.connections.add(socket);
      socket.on('error', () => {}).on('close', () => this.connections.delete(socket));
      if (!this.meets('connection', socket)) take(socket);
      else socket.resume();
    });
  }

  async start() {
    this.path = join(folder, `${this.name}.sock`);
    await new Promise((done) => (this.wire.isLocal ? this.listener.listen(this.path, done) : this.listener.listen(0, '127.0.0.1', done)));
    return this;
  }

  /** Its table of the configuration. */
  table(more = '') {
    const { url, isTls, more: own = '' } = this.wire;
    const keys = `${own}\n${isTls ? `tls_ca = ${JSON.stringify(authority.caFile)}\n` : ''}${more}`;
    if (url) return httpServer(this.name, url(this.path && this.wire.isLocal ? this.path : this.listener.address().port), keys);
    // What it waits for once its input has ended.
    const patience = this.fault.ended ? '60' : '0.1';
    return `[server.${this.name}]\ncommand = ${tomlArray([kSocat, '-t', patience, '-', `UNIX-CONNECT:${this.path}`])}\n${keys}\n`;
  }

  /** Lets the fault know that the client has ended its side. */
  watch(socket) {
    if (this.ended && !socket.listeners('end').includes(this.ended)) socket.on('end', this.ended);
  }

  /** Whether the fault takes this occasion in its own hands. */
  meets(occasion, ...given) {
    const act = this.isFaulty ? this.fault[occasion] : undefined;
    act?.(...given, this);
    return Boolean(act);
  }

  take(link, message) {
    const { id, method, params } = message;
    if (id === undefined || !method) return void this.told.push(message);
    const occasion = { initialize: 'initialize', 'tools/list': 'list', 'tools/call': 'call' }[method] ?? method;
    const isWanted = occasion !== 'call' || params.arguments?.how === 'badly';
    if (isWanted && occasion === 'call') this.met += 1;
    if (isWanted && this.meets(occasion, link, message)) return;
    this.serve(link, message);
    link.over();
  }

  /** As it should be. */
  serve(link, { id, method }) {
    if (method === 'initialize') {
      const capabilities = { tools: { listChanged: true }, logging: {} };
      link.send({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'rude', version: '1.0.0' } } });
    } else if (method === 'tools/list') {
      this.listed += 1;
      link.send({ id, result: { tools: this.tools } });
    } else if (method === 'tools/call') {
      link.answer({ id });
    } else {
      link.send({ id, error: { code: -32601, message: 'Method not found' } });
    }
  }

  /** Ends every connection, within TLS and HTTP as they stand; `how`: `end` or `reset`. */
  cut(how) {
    for (const socket of this.connections) {
      if (how === 'reset' && !this.wire.isLocal) socket.resetAndDestroy();
      else socket.destroySoon();
    }
  }

  stop() {
    for (const socket of this.connections) socket.destroy();
    this.listener.close();
  }
}
