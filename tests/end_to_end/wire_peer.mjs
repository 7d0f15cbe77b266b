// Clients by hand on the transports where the connection is the session: a TCP or Unix socket with a
// message a line, and a WebSocket.
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

import { eventually } from './assertions.mjs';
import { Peer } from './peer.mjs';

class ConnectedPeer extends Peer {
  isClosed = false;

  closed() {
    return eventually(() => this.isClosed, 'the end of the connection', 20_000);
  }
}

/** Lines over a socket. `where`: what `net.connect` takes; with `tls`, over TLS with these options. */
export class LinePeer extends ConnectedPeer {
  #rest = '';

  constructor(where, tls) {
    super();
    this.socket = tls ? connectTls({ ...where, ...tls }) : connect(where);
    this.socket.setEncoding('utf8').on('data', (text) => {
      const lines = (this.#rest + text).split('\n');
      this.#rest = lines.pop();
      for (const line of lines) this.received.push(JSON.parse(line));
    });
    this.socket.on('error', (error) => (this.error = error));
    this.socket.on('close', () => (this.isClosed = true));
  }

  write(text) {
    this.socket.write(`${text}\n`);
  }

  /** Says that nothing more comes; answers are still read. */
  finish() {
    this.socket.end();
  }

  stop() {
    this.socket.destroy();
  }
}

/** Messages over a WebSocket, by the client of the runtime. */
export class WebSocketPeer extends ConnectedPeer {
  #waiting = [];

  constructor(url, headers = {}, protocols = ['mcp']) {
    super();
    this.socket = new WebSocket(url.replace(/^http/, 'ws'), { headers, protocols });
    this.socket.onmessage = ({ data }) => this.received.push(JSON.parse(data));
    this.socket.onerror = (event) => (this.error = event);
    this.socket.onclose = ({ code, reason }) => Object.assign(this, { isClosed: true, code, reason });
    this.socket.onopen = () => this.#waiting.splice(0).forEach((text) => this.socket.send(text));
  }

  write(text) {
    if (this.socket.readyState === WebSocket.CONNECTING) this.#waiting.push(text);
    else this.socket.send(text);
  }

  stop() {
    this.socket.close();
  }
}

/** An event stream of 2024-11-05, and a POST for each message. */
export class EventPeer extends ConnectedPeer {
  /** Grows with whatever comes on the stream, comments among it. */
  heard = 0;
  #headers;
  #ended = new AbortController();
  #posted = Promise.resolve();

  constructor(url, headers = {}) {
    super();
    this.url = url;
    this.#headers = headers;
    this.endpoint = new Promise((done) => (this.begun = done));
    void this.#read().catch(() => {}).finally(() => (this.isClosed = true));
  }

  async #read() {
    const answer = await fetch(this.url, { headers: { accept: 'text/event-stream', ...this.#headers }, signal: this.#ended.signal });
    let text = '';
    for await (const chunk of answer.body) {
      this.heard += chunk.length;
      const events = (text + Buffer.from(chunk).toString()).split('\n\n');
      text = events.pop();
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (event.startsWith('event: endpoint')) this.begun(data);
        else if (data) this.received.push(JSON.parse(data));
      }
    }
  }

  write(text) {
    this.#posted = this.#posted.then(async () => {
      const target = new URL(await this.endpoint, this.url);
      await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json', ...this.#headers }, body: text });
    }).catch((error) => (this.error = error));
  }

  stop() {
    this.#ended.abort();
  }
}
