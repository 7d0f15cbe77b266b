// Connections on which a story writes bytes as they stand, and ends as rudely as it likes.
import { connect } from 'node:net';

import { jsonRpc, kLegacyVersion, kModernVersion, modernMeta } from './wire.mjs';

/** A socket to the gateway. `received` is what came back; `ended` resolves with the connection's end. */
export class RawConnection {
  received = '';
  isEnded = false;

  /** `from`: the loopback address to come from. `isReading`: false never takes an answer in. */
  constructor(url, { from = '127.0.0.1', isReading = true } = {}) {
    const { port } = new URL(url);
    this.socket = connect({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen: true, noDelay: true });
    this.socket.on('error', () => {});
    if (isReading) this.socket.on('data', (chunk) => (this.received += chunk.toString('latin1')));
    else this.socket.pause();
    this.connected = new Promise((done) => {
      this.socket.on('connect', () => done(true));
      this.socket.on('close', () => done(false));
    });
    this.ended = new Promise((done) => {
      const end = () => {
        this.isEnded = true;
        done(this);
      };
      this.socket.on('end', end);
      this.socket.on('close', end);
    });
  }

  write(bytes) {
    this.socket.write(bytes);
    return this;
  }

  /** Resolves when that many whole answers have come, or the connection has ended. */
  answers(count) {
    const isThere = () => wholeAnswers(this.received) >= count;
    return new Promise((done) => {
      const look = () => isThere() && done(this);
      this.socket.on('data', look);
      void this.ended.then(done);
      look();
    });
  }

  /**
   * Waits for that many answers, sends the end of our side, waits for that of the other, and answers
   * what came back. A modern client that ends its side earlier cancels its call.
   */
  async finish(count = 1) {
    await this.answers(count);
    this.socket.end();
    await this.ended;
    this.destroy();
    return this.received;
  }

  destroy() {
    this.socket.destroy();
  }

  /** Ends the connection with a reset. */
  reset() {
    this.socket.resetAndDestroy();
  }

  /** The statuses of all answers so far. */
  statuses() {
    return statusesOf(this.received);
  }
}

/** The statuses of the answers that stand one behind the other; the last body may be cut short. */
export function statusesOf(received) {
  const statuses = [];
  for (let rest = received; rest.includes('\r\n\r\n'); ) {
    statuses.push(Number(/^HTTP\/1\.1 (\d{3}) /.exec(rest)?.[1] ?? 0));
    rest = rest.slice(sizeOfFirst(rest));
  }
  return statuses;
}

/** Bytes of the first answer, its body included. */
function sizeOfFirst(received) {
  const end = received.indexOf('\r\n\r\n') + 4;
  return end + Number(/^content-length: (\d+)/im.exec(received.slice(0, end))?.[1] ?? 0);
}

/** How many answers are there to the ends of their bodies. */
function wholeAnswers(received) {
  let count = 0;
  for (let rest = received; rest.includes('\r\n\r\n') && rest.length >= sizeOfFirst(rest); count += 1) {
    rest = rest.slice(sizeOfFirst(rest));
  }
  return count;
}

/** The body of one call, as a modern client writes it, or one of the legacy session that is given. */
export function callBody(tool, token, more = {}, session = undefined) {
  const meta = session ? {} : { _meta: modernMeta() };
  return jsonRpc(token, 'tools/call', { name: tool, arguments: { token, ...more }, ...meta });
}

/** The lines of a call's head up to its framing; `more` are further lines, each with its CRLF. */
export function callHead(tool, more = '', session = undefined) {
  const era = session
    ? [`MCP-Protocol-Version: ${kLegacyVersion}`, `Mcp-Session-Id: ${session.id}`]
    : [`MCP-Protocol-Version: ${kModernVersion}`, 'Mcp-Method: tools/call', `Mcp-Name: ${tool}`];
  const lines = [
    'POST /mcp HTTP/1.1',
    'Host: gw.test',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...era,
  ];
  return `${lines.join('\r\n')}\r\n${more}`;
}

/** A whole call. */
export function callRequest(tool, token, more = '', session = undefined) {
  const body = callBody(tool, token, {}, session);
  return `${callHead(tool, more, session)}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
