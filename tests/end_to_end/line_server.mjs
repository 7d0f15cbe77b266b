// A server of the matrix by hand: a message a line over TCP, of 2025-11-25, within the story's process.
import { createServer } from 'node:net';

const tool = (name, properties = { text: { type: 'string' } }) => ({ name, inputSchema: { type: 'object', properties } });
const kTools = ['echo', 'forbidden', 'count', 'slow', 'ask', 'touch'].map((name) => tool(name));
const kCapabilities = { tools: {}, prompts: {}, resources: { subscribe: true } };
const kForm = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const text = (value) => ({ content: [{ type: 'text', text: value }] });

const kAnswers = {
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities: kCapabilities, serverInfo: { name: 'lines', version: '1' } }),
  ping: () => ({}),
  'tools/list': () => ({ tools: kTools }),
  'prompts/list': () => ({ prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }] }),
  'prompts/get': ({ arguments: { who } }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Hello, ${who}!` } }] }),
  'resources/list': () => ({ resources: [] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'note://{id}', name: 'notes' }] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'text/plain', text: `the note ${uri}` }] }),
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
};

/** One connection: what it is sent goes to `received`. */
class Connection {
  #rest = '';
  #asked = 0;
  #waiting = new Map();

  constructor(socket, received) {
    this.socket = socket.setEncoding('utf8');
    this.received = received;
    socket.on('error', () => {}).on('data', (chunk) => {
      const lines = (this.#rest + chunk).split('\n');
      this.#rest = lines.pop();
      for (const line of lines) this.#take(JSON.parse(line));
    });
  }

  send(message) {
    this.socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #take(message) {
    this.received.push(JSON.stringify(message));
    const { id, method, params } = message;
    if (method === undefined) return this.#waiting.get(id)?.(message);
    if (id === undefined) return;
    if (method === 'tools/call') return this.#call(id, params);
    const answer = kAnswers[method];
    this.send(answer ? { id, result: answer(params ?? {}) } : { id, error: { code: -32601, message: 'Method not found' } });
  }

  #call(id, { name, arguments: given, _meta: meta }) {
    const finish = (value) => this.send({ id, result: text(value) });
    if (name === 'slow') return; // It is cancelled, or nobody waits for it.
    if (name === 'ask') return this.#ask((answer) => finish(`${given.text} ${answer.result?.content?.name}`));
    // After the answer, so that it is nobody's but of who follows.
    if (name === 'touch') setTimeout(() => this.send({ method: 'notifications/resources/updated', params: { uri: given.text } }), 20);
    if (name === 'count' && meta?.progressToken !== undefined) {
      const { progressToken } = meta;
      // Clients drop a notification that arrives in one piece with what is behind it.
      const tell = (progress) => this.send({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
      for (const progress of [1, 2, 3]) setTimeout(tell, 30 * progress, progress);
      return setTimeout(() => finish(given.text), 120);
    }
    finish(given.text);
  }

  #ask(goOn) {
    const id = `asked-${(this.#asked += 1)}`;
    this.#waiting.set(id, goOn);
    this.send({ id, method: 'elicitation/create', params: { message: 'Who?', requestedSchema: kForm } });
  }
}

/** Starts it: `{ url, received, stop }`, each received message as its text. */
export async function startLineServer() {
  const received = [];
  const sockets = new Set();
  const listener = createServer((socket) => {
    sockets.add(socket);
    new Connection(socket, received);
  });
  await new Promise((done) => listener.listen(0, '127.0.0.1', done));
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    listener.close();
  };
  return { url: `tcp://127.0.0.1:${listener.address().port}`, received, stop };
}
