// An MCP server over HTTP inside a story's own process, without any library: the story decides how
// each call is answered, sees every header that arrived, and may forget sessions or change tools.
// `era: 'modern'` speaks 2026-07-28 only; `stateless` gives out no session; `introduction` has more
// of what a legacy server says of itself.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

export const kEchoTool = { name: 'echo', description: 'Answers its text.', inputSchema: { type: 'object' } };

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

export function writeJson(response, status, body, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export function answerText(response, id, text) {
  writeJson(response, 200, { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
}

export class ScriptedServer {
  /** Every request so far: `{ method, headers, message, body }`: the HTTP method, the JSON-RPC message and its bytes as text. */
  requests = [];
  sessions = new Set();
  streams = new Set();

  constructor({ tools = [kEchoTool], onCall, onMessage, tls, era = 'legacy', stateless = false, introduction = {} } = {}) {
    Object.assign(this, { tools, era, stateless, introduction });
    this.onCall = onCall ?? (({ id, params }, response) => answerText(response, id, params.arguments?.text ?? ''));
    // May answer anything itself, before the protocol does: true when it did.
    this.onMessage = onMessage ?? (() => false);
    const take = (request, response) => void this.#take(request, response);
    this.listener = tls ? createTlsServer(tls, take) : createServer(take);
    this.scheme = tls ? 'https' : 'http';
  }

  async start(port = 0) {
    await new Promise((done) => this.listener.listen(port, '127.0.0.1', done));
    this.port = this.listener.address().port;
    this.url = `${this.scheme}://127.0.0.1:${this.port}/mcp`;
    return this;
  }

  async stop() {
    this.listener.closeAllConnections();
    await new Promise((done) => this.listener.close(done));
  }

  /** The messages of that method so far. */
  received(method) {
    return this.requests.filter(({ message }) => message?.method === method);
  }

  /** Sends a message on every open GET stream. */
  publish(message) {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    for (const stream of this.streams) stream.write(`event: message\ndata: ${text}\n\n`);
  }

  async #take(request, response) {
    response.on('error', () => {});
    const body = await readBody(request).catch(() => undefined);
    if (body === undefined) return;
    const message = body ? JSON.parse(body) : undefined;
    const { method, headers } = request;
    this.requests.push({ method, headers, message, body });
    if (await this.onMessage(message, response, request)) return;
    if (this.era === 'modern') return this.#answerModern(message, response, request);
    const session = headers['mcp-session-id'];
    if (message?.method === 'initialize') return this.#begin(message, response);
    if (message?.method === 'server/discover') return void writeJson(response, 400, this.#unknown(message));
    if (!this.stateless && !this.sessions.has(session)) return void writeJson(response, 404, this.#unknown(message));
    if (method === 'GET') return this.#open(response);
    if (method === 'DELETE') return void (this.sessions.delete(session), response.writeHead(204).end());
    if (message.id === undefined || !message.method) return void response.writeHead(202).end();
    if (message.method === 'tools/call') return this.onCall(message, response, request);
    const result = message.method === 'tools/list' ? { tools: this.tools } : {};
    writeJson(response, 200, { jsonrpc: '2.0', id: message.id, result });
  }

  #answerModern(message, response, request) {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (message?.method === 'tools/call') return this.onCall(message, response, request);
    if (message?.id === undefined || !message.method) return void response.writeHead(202).end();
    const discovered = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, serverInfo: { name: 'scripted', version: '1.0.0' } };
    const results = { 'server/discover': discovered, 'tools/list': { tools: this.tools } };
    if (!(message.method in results)) return void writeJson(response, 404, this.#unknown(message));
    writeJson(response, 200, { jsonrpc: '2.0', id: message.id, result: { resultType: 'complete', ...results[message.method] } });
  }

  #unknown(message) {
    return { jsonrpc: '2.0', id: message?.id ?? null, error: { code: -32000, message: 'Bad Request' } };
  }

  #begin(message, response) {
    const session = randomUUID();
    if (!this.stateless) this.sessions.add(session);
    const result = {
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'scripted', version: '1.0.0' },
      ...this.introduction,
    };
    const headers = this.stateless ? {} : { 'mcp-session-id': session };
    writeJson(response, 200, { jsonrpc: '2.0', id: message.id, result }, headers);
  }

  #open(response) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': open\n\n');
    this.streams.add(response);
    response.on('close', () => this.streams.delete(response));
  }
}

export function startScriptedServer(options) {
  return new ScriptedServer(options).start();
}
