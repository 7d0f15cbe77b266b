// An identity provider of our own for stories about access tokens: it publishes keys, mints any
// token, and misbehaves on request.
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';

const base64url = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** One signing key: ES256, under a name. */
export class SigningKey {
  constructor(kid = randomUUID()) {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    Object.assign(this, { kid, privateKey });
    this.jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' };
  }

  /** A JWT of these claims; `header` is added or replaces. */
  sign(claims, header = {}) {
    const input = `${base64url({ alg: 'ES256', typ: 'at+jwt', kid: this.kid, ...header })}.${base64url(claims)}`;
    const signature = sign('sha256', Buffer.from(input), { key: this.privateKey, dsaEncoding: 'ieee-p1363' });
    return `${input}.${signature.toString('base64url')}`;
  }
}

export class Issuer {
  /** Paths that were asked for, in order. */
  asked = [];
  keys = [new SigningKey('k1')];
  /** Answers a request in place of the issuer: true when it did. */
  onRequest = () => false;
  /** What is answered about tokens that only the issuer can read, by the token. */
  opaque = new Map();
  /** Forms of the questions about tokens, each with its `authorization`. */
  questions = [];

  async start(port = 0, path = '') {
    const make = this.tls ? (listener) => createTlsServer(this.tls, listener) : createServer;
    this.server = make((request, response) => this.#answer(request, response));
    await new Promise((done) => this.server.listen(port, '127.0.0.1', done));
    // A story that fails must not wait for it.
    this.server.unref();
    this.port = this.server.address().port;
    this.origin = `${this.tls ? 'https' : 'http'}://127.0.0.1:${this.port}`;
    this.url = this.origin + path;
    return this;
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  /** Starts again on the same port. */
  async again() {
    await this.start(this.port, this.url.slice(this.origin.length));
  }

  metadata() {
    return { issuer: this.url, jwks_uri: `${this.origin}/keys`, introspection_endpoint: `${this.origin}/introspect`, response_types_supported: ['code'] };
  }

  /** An access token for `audience`; claims that are undefined are left out. */
  mint(claims = {}, { key = this.keys[0], header } = {}) {
    const now = Math.floor(Date.now() / 1000);
    const standard = { iss: this.url, aud: 'https://gateway.test/mcp', sub: 'ann', iat: now, exp: now + 300, jti: randomUUID(), scope: 'tools:read' };
    return key.sign({ ...standard, ...claims }, header);
  }

  #answer(request, response) {
    this.asked.push(request.url);
    if (this.onRequest(request, response)) return;
    const path = new URL(this.url).pathname.replace(/\/$/, '');
    const write = (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === `${path}/.well-known/openid-configuration`) return write(this.metadata());
    if (request.url === '/introspect') return void this.#answerAbout(request, write);
    if (request.url === '/keys') return write({ keys: this.keys.map(({ jwk }) => jwk) });
    response.writeHead(404).end();
  }

  async #answerAbout(request, write) {
    let text = '';
    for await (const chunk of request) text += chunk;
    const form = new URLSearchParams(text);
    this.questions.push({ ...Object.fromEntries(form), authorization: request.headers.authorization });
    write(this.opaque.get(form.get('token')) ?? { active: false });
  }

  /** A token that only the issuer can read; claims that are undefined are left out. */
  mintOpaque(claims = {}) {
    const now = Math.floor(Date.now() / 1000);
    const token = `opaque.${randomUUID()}`;
    this.opaque.set(token, { active: true, iss: this.url, aud: 'https://gateway.test/mcp', sub: 'ann', exp: now + 300, scope: 'tools:read', ...claims });
    return token;
  }
}

/** `[auth.issuer.NAME]` for it; `more` are further keys. */
export function issuerTable(name, issuer, more = '') {
  return `
[auth.issuer.${name}]
issuer = "${issuer.url}"
audiences = ["https://gateway.test/mcp"]
private_networks = "allow"
roles.scope = { "tools:read" = ["reader"], "tools:write" = ["writer"] }
${more}
`;
}
