// What all clients by hand have in common where the connection is the session: requests by id, and the
// answers among what came.
import { eventually } from './assertions.mjs';
import { modernMeta } from './wire.mjs';

export const kHello = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'by-hand', version: '1' },
};

/** A client that `write`s whole messages as text. */
export class Peer {
  received = [];

  /** The messages so far. */
  messages() {
    return this.received;
  }

  send(message) {
    this.write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  /** The first message that `fits`. */
  next(fits, what = 'a message') {
    return eventually(() => this.messages().find(fits), what, 30_000);
  }

  answer(id) {
    return this.next((message) => message.id === id && !message.method, `the answer to ${id}`);
  }

  request(id, method, params) {
    this.send({ id, method, params });
    return this.answer(id);
  }

  modern(id, method, params = {}) {
    return this.request(id, method, { ...params, _meta: modernMeta(params._meta) });
  }

  async initialize(more = {}) {
    const answer = await this.request('hello', 'initialize', { ...kHello, ...more });
    this.send({ method: 'notifications/initialized' });
    return answer;
  }

  call(id, name, given = {}) {
    return this.request(id, 'tools/call', { name, arguments: given });
  }
}
