// HTTP and MCP by hand, for the stories in which no official client would send such a thing.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { request as secureRequest } from 'node:https';

export const kLegacyVersion = '2025-11-25';
export const kModernVersion = '2026-07-28';

const kPlainHeaders = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/**
 * Sends one request exactly as told: `headers` is an object or a flat list with repetitions.
 * Answers `{ status, headers, body }`, the body as text.
 */
export function send(url, { method = 'POST', headers = kPlainHeaders, body, agent } = {}) {
  return new Promise((resolve, reject) => {
    const begin = String(url).startsWith('https:') ? secureRequest : request;
    const outgoing = begin(url, { method, headers, agent }, (incoming) => {
      const chunks = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(chunks).toString() }),
      );
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** The JSON-RPC messages of an answer, whether it is one JSON document or an event stream. */
export function messagesOf({ headers, body }) {
  if (!body) return [];
  if (!headers['content-type']?.startsWith('text/event-stream')) return [JSON.parse(body)];
  const data = body.split('\n').filter((line) => line.startsWith('data:'));
  return data.map((line) => line.slice(5).trim()).filter(Boolean).map((text) => JSON.parse(text));
}

/** The JSON-RPC response among them. */
export function responseOf(answer) {
  return messagesOf(answer).find((message) => 'result' in message || 'error' in message);
}

export function jsonRpc(id, method, params) {
  return JSON.stringify({ jsonrpc: '2.0', id, method, ...(params && { params }) });
}

/** The `_meta` that each modern request carries. */
export function modernMeta(more = {}) {
  return {
    'io.modelcontextprotocol/protocolVersion': kModernVersion,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'by-hand', version: '1.0.0' },
    ...more,
  };
}

/** Sends one modern request with its standard headers; `headers` are added or replace them. */
export function sendModern(url, method, params = {}, { id = 1, headers = {}, agent } = {}) {
  const standard = { ...kPlainHeaders, 'mcp-protocol-version': kModernVersion, 'mcp-method': method };
  const name = params.name ?? params.uri;
  if (name !== undefined) standard['mcp-name'] = name;
  const body = jsonRpc(id, method, { ...params, _meta: modernMeta(params._meta) });
  return send(url, { headers: { ...standard, ...headers }, body, agent });
}

/** A legacy session opened by hand. */
export class LegacySession {
  static async open(url, headers = {}, name = 'by-hand', version = kLegacyVersion) {
    const body = jsonRpc(0, 'initialize', {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name, version: '1.0.0' },
    });
    const answer = await send(url, { headers: { ...kPlainHeaders, ...headers }, body });
    const id = answer.headers['mcp-session-id'];
    if (answer.status !== 200 || !id) throw new Error(`no session: ${answer.status} ${answer.body}`);
    const session = new LegacySession(url, id, headers, version);
    const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await session.post(note);
    return session;
  }

  constructor(url, id, headers, version = kLegacyVersion) {
    Object.assign(this, { url, id, extra: headers, version });
  }

  headers() {
    return { ...kPlainHeaders, 'mcp-session-id': this.id, 'mcp-protocol-version': this.version, ...this.extra };
  }

  post(body, agent) {
    return send(this.url, { headers: this.headers(), body, agent });
  }

  request(id, method, params, agent) {
    return this.post(jsonRpc(id, method, params), agent);
  }

  /** Calls a tool and answers the JSON-RPC response. */
  async call(id, name, given = {}, agent) {
    return responseOf(await this.request(id, 'tools/call', { name, arguments: given }, agent));
  }

  close() {
    return send(this.url, { method: 'DELETE', headers: this.headers() });
  }
}

/** Opens the session's GET stream; the messages that arrive on it, as they arrive. */
export async function listen(session) {
  const headers = { ...session.headers(), accept: 'text/event-stream' };
  const answer = await fetch(session.url, { headers });
  assert.equal(answer.status, 200);
  const messages = [];
  const read = async () => {
    let text = '';
    for await (const chunk of answer.body) {
      text += Buffer.from(chunk).toString();
      const lines = text.split('\n');
      text = lines.pop();
      for (const line of lines) if (line.startsWith('data:') && line.length > 6) messages.push(JSON.parse(line.slice(5)));
    }
  };
  read().catch(() => {});
  return messages;
}
