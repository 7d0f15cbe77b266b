// A server of one era on a bare socket that keeps every byte it is sent, for stories about what the
// gateway lets through. It reads as plainly as a careless server would: heads end at an empty line,
// bodies have the length that Content-Length names, and every request is taken for one.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';

import { kLegacyVersion, kModernVersion } from './wire.mjs';

const kEcho = { name: 'echo', description: 'Answers its token.', inputSchema: { type: 'object' } };
const kServerInfo = { name: 'recording', version: '1.0.0' };

function answerOf({ era, filler }, { method, params }) {
  const complete = era === 'modern' ? { resultType: 'complete' } : {};
  const cached = era === 'modern' ? { ...complete, ttlMs: 0, cacheScope: 'private' } : {};
  const meta = { 'io.modelcontextprotocol/serverInfo': kServerInfo };
  switch (method) {
    case 'server/discover':
      return { ...cached, supportedVersions: [kModernVersion], capabilities: { tools: {} }, _meta: meta };
    case 'initialize':
      return { protocolVersion: kLegacyVersion, capabilities: { tools: {} }, serverInfo: kServerInfo };
    case 'tools/list':
      return { ...cached, tools: [kEcho] };
    case 'tools/call':
      return { ...complete, content: [{ type: 'text', text: params.arguments.token + filler }] };
    default:
      return complete;
  }
}

export class RecordingServer {
  /** Every request so far: `{ head, message }`. */
  requests = [];
  #bytes = [];

  /** `era`: legacy or modern. `filler` is added to each answer of a call, to make it large. */
  constructor(era, { filler = '' } = {}) {
    Object.assign(this, { era, filler });
    this.sockets = new Set();
    this.listener = createServer((socket) => this.#serve(socket));
  }

  async start() {
    await new Promise((done) => this.listener.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${this.listener.address().port}/mcp`;
    return this;
  }

  async stop() {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((done) => this.listener.close(done));
  }

  /** Everything that has arrived, byte for byte. */
  text() {
    return Buffer.concat(this.#bytes).toString('latin1');
  }

  /** The tokens of all calls so far. */
  tokens() {
    const calls = this.requests.filter(({ message }) => message?.method === 'tools/call');
    return calls.map(({ message }) => message.params.arguments.token);
  }

  #serve(socket) {
    let rest = Buffer.alloc(0);
    this.sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('data', (chunk) => {
      this.#bytes.push(chunk);
      rest = Buffer.concat([rest, chunk]);
      for (let taken = this.#take(socket, rest); taken > 0; taken = this.#take(socket, rest)) {
        rest = rest.subarray(taken);
      }
    });
  }

  /** Answers the first request of `bytes`, and how many of them it had; 0 while it is not whole. */
  #take(socket, bytes) {
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) return 0;
    const head = bytes.subarray(0, end).toString('latin1');
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    const size = end + 4 + length;
    if (bytes.length < size) return 0;
    const body = bytes.subarray(end + 4, size).toString();
    const message = body ? JSON.parse(body) : undefined;
    this.requests.push({ head, message });
    this.#answer(socket, head, message);
    return size;
  }

  #answer(socket, head, message) {
    const unknown = this.era === 'legacy' ? 'server/discover' : 'initialize';
    if (!head.startsWith('POST ')) return this.#write(socket, '405 Method Not Allowed', '');
    if (message.id === undefined) return this.#write(socket, '202 Accepted', '');
    if (message.method === unknown) return this.#write(socket, '400 Bad Request', '');
    const session = message.method === 'initialize' ? `Mcp-Session-Id: ${randomUUID()}\r\n` : '';
    const result = answerOf(this, message);
    this.#write(socket, '200 OK', JSON.stringify({ jsonrpc: '2.0', id: message.id, result }), session);
  }

  #write(socket, status, body, more = '') {
    const type = body ? 'Content-Type: application/json\r\n' : '';
    socket.write(`HTTP/1.1 ${status}\r\n${more}${type}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
}

export function startRecordingServer(era, options) {
  return new RecordingServer(era, options).start();
}
