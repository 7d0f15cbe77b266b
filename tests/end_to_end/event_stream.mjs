// Event streams by hand, and the wire between a client and the gateway that a story can cut.
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';

/** One event: `{ id, retry, message }`, the message parsed, or undefined where there is no data. */
function parseEvent(text) {
  const event = {};
  for (const line of text.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === 'id') event.id = value;
    if (name === 'retry') event.retry = Number(value);
    if (name === 'data' && value) event.message = JSON.parse(value);
  }
  return event;
}

/** The answer to one HTTP request, read as it arrives. */
export class EventStream {
  events = [];
  text = '';

  /** Sends a request and waits for the head of its answer. */
  static async open(url, { method = 'GET', headers = {}, body } = {}) {
    const stream = new EventStream();
    stream.outgoing = request(url, { method, headers: { accept: 'text/event-stream', ...headers }, agent: false });
    stream.outgoing.on('error', () => {});
    stream.outgoing.end(body);
    const [incoming] = await once(stream.outgoing, 'response');
    Object.assign(stream, { status: incoming.statusCode, headers: incoming.headers });
    incoming.setEncoding('utf8');
    incoming.on('error', () => {});
    incoming.on('data', (chunk) => stream.#take(chunk));
    stream.ended = new Promise((done) => incoming.on('close', () => done(incoming.complete)));
    return stream;
  }

  #take(chunk) {
    this.text += chunk;
    const parts = this.text.split('\n\n');
    this.events = parts.slice(0, -1).map(parseEvent).filter((event) => event.id || event.message);
  }

  messages() {
    return this.events.map(({ message }) => message).filter(Boolean);
  }

  /** The JSON-RPC response on it, if it has come. */
  response() {
    return this.messages().find((message) => 'result' in message || 'error' in message);
  }

  lastId() {
    return this.events.findLast(({ id }) => id)?.id;
  }

  close() {
    this.outgoing.destroy();
  }
}

/** A wire to `url` that can be cut; what connects after that is connected again. */
export async function startWire(url) {
  const { hostname, port, pathname } = new URL(url);
  const sockets = new Set();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    near.pipe(far);
    far.pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}${pathname}`,
    cut: () => sockets.forEach((socket) => socket.destroy()),
    stop: () => {
      sockets.forEach((socket) => socket.destroy());
      server.close();
    },
  };
}
