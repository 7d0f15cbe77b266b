// A front door with a real identity provider behind it, a browser, and clients as applications are.
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

import { Provider } from 'oidc-provider';

import { startGateway } from './harness.mjs';
import { kEchoTool, startScriptedServer, writeJson } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';

const base64url = (bytes) => Buffer.from(bytes).toString('base64url');
export const sha256url = (text) => base64url(createHash('sha256').update(text).digest());

/** An identity provider that knows one client, and signs in whoever `user` is without a question. */
export class IdentityProvider {
  user = { sub: 'ann', groups: ['readers', 'writers'] };
  /** Paths that were asked for. */
  asked = [];
  /** What it gave for codes and refresh tokens. */
  given = [];
  /** Answers a request in place of the provider: true when it did. */
  onRequest = () => false;

  async start(redirects, more = {}) {
    this.server = createServer((request, response) => {
      this.asked.push(`${request.method} ${request.url.split('?')[0]}`);
      if (this.onRequest(request, response)) return;
      if (request.url.startsWith('/interaction/')) return void this.#signIn(request, response);
      this.callback(request, response);
    });
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
    this.server.unref();
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    const client = {
      client_id: 'gateway',
      redirect_uris: redirects,
      grant_types: ['authorization_code', 'refresh_token'],
      ...(more.client ?? { client_secret: 'the-secret-of-the-gateway' }),
    };
    this.provider = new Provider(this.url, {
      clients: [client],
      claims: { openid: ['sub', 'groups'], groups: ['groups'] },
      conformIdTokenClaims: false,
      findAccount: (context, id) => ({ accountId: id, claims: () => ({ ...this.user, sub: id }) }),
      features: { devInteractions: { enabled: false }, revocation: { enabled: true }, introspection: { enabled: true } },
      interactions: { url: (context, { uid }) => `/interaction/${uid}` },
      issueRefreshToken: async () => true,
      rotateRefreshToken: true,
      loadExistingGrant: async (context) => {
        const grant = new context.oidc.provider.Grant({ clientId: context.oidc.client.clientId, accountId: context.oidc.session.accountId });
        grant.addOIDCScope('openid groups offline_access');
        await grant.save();
        return grant;
      },
      ...more.configuration,
    });
    this.callback = this.provider.callback();
    this.provider.on('grant.success', (context) => this.given.push(context.body));
    this.provider.on('server_error', (context, error) => console.error(error));
    return this;
  }

  async #signIn(request, response) {
    const { params } = await this.provider.interactionDetails(request, response);
    const accountId = this.user.sub;
    const grant = new this.provider.Grant({ accountId, clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    if (params.resource) grant.addResourceScope(params.resource, params.scope);
    const consent = { grantId: await grant.save() };
    await this.provider.interactionFinished(request, response, { login: { accountId }, consent }, { mergeWithLastSubmission: false });
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}

/** A browser as far as it matters: cookies by host and port, no scripts, and it says where forms come from. */
export class Browser {
  jar = new Map();
  /** Where it was, in order. */
  visited = [];

  async ask(url, { method = 'GET', body, headers = {} } = {}) {
    const { host, origin } = new URL(url);
    const cookies = this.jar.get(host) ?? new Map();
    this.jar.set(host, cookies);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const form = body && { 'content-type': 'application/x-www-form-urlencoded', origin, 'sec-fetch-site': 'same-origin' };
    const answer = await fetch(url, { method, body, redirect: 'manual', headers: { ...(cookie && { cookie }), ...form, ...headers } });
    this.visited.push(url);
    for (const set of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]*)=([^;]*)/.exec(set);
      if (value) cookies.set(name, value);
      else cookies.delete(name);
    }
    return { status: answer.status, headers: answer.headers, text: await answer.text(), url };
  }

  /** Follows redirects and refreshing pages, until a page asks something or `isEnd` says of a URL that it is the client's. */
  async follow(answer, isEnd) {
    for (let steps = 0; steps < 20; steps += 1) {
      const refresh = /http-equiv="refresh" content="0; url=([^"]*)"/.exec(answer.text)?.[1].replaceAll('&amp;', '&').replaceAll('&#39;', "'");
      const next = answer.headers.get('location') ?? refresh;
      if (!next) return answer;
      const url = new URL(next, answer.url).href;
      if (isEnd(url)) return { ...answer, end: new URL(url) };
      answer = await this.ask(url);
    }
    throw new Error('a browser goes round in circles');
  }

  /** Presses a button of the consent page. */
  async decide(page, decision = 'allow', more = {}) {
    const id = /name="id" value="([^"]*)"/.exec(page.text)?.[1];
    const action = /action="([^"]*)"/.exec(page.text)?.[1];
    if (!id) throw new Error(`no consent page: ${page.status} ${page.text}`);
    return this.ask(new URL(action, page.url).href, { method: 'POST', body: new URLSearchParams({ id, decision }).toString(), ...more });
  }
}

/** What an application does by hand that no SDK does for it: for attacks. */
export class Application {
  redirect = 'http://127.0.0.1:8765/callback';
  id = 'inspector';
  verifier = base64url(randomBytes(32));
  state = base64url(randomBytes(12));

  constructor(stage, given = {}) {
    Object.assign(this, { stage, ...given });
  }

  authorizeUrl(changes = {}) {
    const fields = {
      response_type: 'code',
      client_id: this.id,
      redirect_uri: this.redirect,
      state: this.state,
      code_challenge: sha256url(this.verifier),
      code_challenge_method: 'S256',
      resource: this.stage.resource,
      ...changes,
    };
    const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== undefined));
    return `${this.stage.issuer}/authorize?${query}`;
  }

  isEnd = (url) => url.startsWith(this.redirect.replace(/:\d+\//, ':'));
  isHere = (url) => this.isEnd(url) || url.startsWith(this.redirect);

  /** From the first click to the URL that the application gets. */
  async signIn(browser, changes = {}) {
    let answer = await browser.ask(this.authorizeUrl(changes));
    if (answer.text.includes('name="decision"')) answer = await browser.decide(answer);
    answer = await browser.follow(answer, this.isHere);
    return answer.end ?? answer;
  }

  async post(place, fields) {
    const answer = await fetch(`${this.stage.issuer}/${place}`, { method: 'POST', body: new URLSearchParams(fields) });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  }

  exchange(code, changes = {}) {
    const fields = { grant_type: 'authorization_code', code, redirect_uri: this.redirect, client_id: this.id, code_verifier: this.verifier, resource: this.stage.resource };
    return this.post('token', { ...fields, ...changes });
  }

  refresh(token, changes = {}) {
    return this.post('token', { grant_type: 'refresh_token', refresh_token: token, client_id: this.id, ...changes });
  }

  /** Tokens, by way of the browser. */
  async tokens(browser = new Browser(), changes = {}) {
    const end = await this.signIn(browser, changes);
    if (!end.searchParams) throw new Error(`not back at the application: ${end.status} ${end.text}`);
    const answer = await this.exchange(end.searchParams.get('code'));
    if (answer.status !== 200) throw new Error(`no tokens: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

const kRules = `
[role.reader]
[role.writer]
[rule.read]
effect = "permit"
roles = ["reader"]
tools = ["files/read"]
[rule.write]
effect = "permit"
roles = ["writer"]
tools = ["files/write"]
`;

/** The tables of a front door and its endpoint; `more` are further keys of it, `provided` stands for where its provider is. */
export const doorTables = (place, provider, { more = '', provided, client = 'client_secret = "file:secret"', endpoint = '', closed = false } = {}) => `
[state]
file = ${JSON.stringify(`${place.directory}/state.db`)}
[endpoint.people]
path = "/mcp"
resource = "${place.origin}/mcp"
${endpoint}
[auth.front_door.door]
issuer = "${place.origin}/sign-in"
${closed ? '' : 'private_networks = "allow"'}
${more}
[auth.front_door.door.client.inspector]
name = "Inspector"
redirect_uris = ["http://127.0.0.1/callback"]
[auth.front_door.door.provider]
${provided ?? `issuer = "${provider.url}"\nscopes = ["openid", "groups", "offline_access"]`}
client_id = "gateway"
${client}
private_networks = "allow"
roles.groups = { readers = ["reader"], writers = ["writer"] }
`;

/** An answer that both eras take. */
const onCall = ({ id, params }, response) =>
  writeJson(response, 200, { jsonrpc: '2.0', id, result: { resultType: 'complete', content: [{ type: 'text', text: params.arguments?.text ?? '' }] } });

/** A provider, a server and a gateway with a front door. */
export async function openDoor(options = {}) {
  const provider = options.identity ?? new IdentityProvider();
  // Its redirect URI has the gateway's port, which is known later than its own.
  const redirects = [];
  const files = await startScriptedServer({ era: options.era ?? 'modern', onCall, tools: ['read', 'write'].map((name) => ({ ...kEchoTool, name })) });
  if (!options.identity) await provider.start(['http://127.0.0.1:1/sign-in/callback'], options.provider);
  const auth = (place) => {
    redirects.push(`${place.origin}/sign-in/callback`);
    return doorTables(place, provider, options) + (options.tables?.(place) ?? '');
  };
  const gateway = await startGateway(httpServer('files', files.url) + kRules, {
    auth,
    files: { secret: 'the-secret-of-the-gateway', ...options.files },
    environment: options.environment,
    program: options.program,
  });
  if (!options.identity) (await provider.provider.Client.find('gateway')).redirectUris = redirects;
  const origin = new URL(gateway.url).origin;
  const stop = async () => {
    await stage.gateway.stop();
    await files.stop();
    await provider.stop();
  };
  const restart = async () => {
    await stage.gateway.stop();
    stage.gateway = await stage.gateway.again();
  };
  const stage = { provider, files, gateway, stop, restart, origin, issuer: `${origin}/sign-in`, resource: gateway.url };
  return stage;
}
