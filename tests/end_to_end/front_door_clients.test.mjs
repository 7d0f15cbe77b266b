// Clients by their metadata documents, providers that are odd, and one that needs no front door.
import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import { createServer as createPlainServer } from 'node:http';
import { after, before, describe, it } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Events, OAuth2Server } from 'oauth2-mock-server';

import { eventually } from './assertions.mjs';
import { makeCertificates } from './certificates.mjs';
import { Application, Browser, IdentityProvider, openDoor } from './front_door_stage.mjs';
import { startGateway } from './harness.mjs';
import { kEchoTool, startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { responseOf, sendModern } from './wire.mjs';

const bearer = (token) => ({ authorization: `Bearer ${token}` });
const isIn = async (stage, token) =>
  Boolean(responseOf(await sendModern(stage.gateway.url, 'tools/call', { name: 'files_read', arguments: { text: 'x' } }, { headers: bearer(token) })).result);
const asks = (answer) => answer.text?.includes('name="decision"');

describe('clients by their metadata documents', () => {
  let stage;
  let host;
  let url;
  let other;
  let otherUrl;
  const documents = new Map();
  const asked = [];
  before(async () => {
    const certificates = makeCertificates('IP:127.0.0.1');
    host = createServer(certificates.forNode, (request, response) => {
      asked.push(request.url);
      const document = documents.get(request.url);
      if (typeof document === 'function') return void document(response);
      if (!document) return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    });
    await new Promise((done) => host.listen(0, '127.0.0.1', done));
    host.unref();
    url = `https://127.0.0.1:${host.address().port}`;
    other = createServer(certificates.renew('DNS:other.example').forNode, (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ client_id: otherUrl + request.url, redirect_uris: ['http://127.0.0.1/callback'] }));
    });
    await new Promise((done) => other.listen(0, '127.0.0.1', done));
    other.unref();
    otherUrl = `https://127.0.0.1:${other.address().port}`;
    stage = await openDoor({ more: `tls_ca = ${JSON.stringify(certificates.caFile)}\n` });
  });
  after(async () => {
    await stage?.stop();
    for (const server of [host, other]) {
      server?.closeAllConnections();
      server?.close();
    }
  });
  const publish = (path, changes = {}) => {
    const id = url + path;
    documents.set(path, { client_id: id, client_name: 'App', redirect_uris: [`${url}/callback`], ...changes });
    return new Application(stage, { id, redirect: `${url}/callback` });
  };

  it('are asked about once: with the same browser, user, client and place, consent is remembered', async () => {
    const application = publish('/app.json');
    const browser = new Browser();
    const page = await browser.ask(application.authorizeUrl());
    assert.ok(asks(page));
    assert.match(page.text, new RegExp(`from <strong>${url.slice(8)}</strong>`), 'the page shows the host of the document');
    assert.match(page.text, new RegExp(`sent back to</dt><dd><strong>${url.slice(8)}</strong>`), 'and that of the redirect');
    const end = (await browser.follow(await browser.decide(page), application.isHere)).end;
    assert.equal((await application.exchange(end.searchParams.get('code'))).status, 200);

    const again = await browser.ask(application.authorizeUrl());
    assert.ok(!asks(again), 'the same user is asked again');
    assert.ok((await browser.follow(again, application.isHere)).end.searchParams.get('code'));
    assert.ok(asks(await new Browser().ask(application.authorizeUrl())), 'another browser is not asked');
  });

  it('are asked about again for another place, and for another user', async () => {
    const application = publish('/two.json', { redirect_uris: [`${url}/callback`, `${url}/other`] });
    const browser = new Browser();
    assert.ok((await application.signIn(browser)).searchParams.get('code'));
    assert.ok(!asks(await browser.ask(application.authorizeUrl())), 'the control');
    assert.ok(asks(await browser.ask(application.authorizeUrl({ redirect_uri: `${url}/other` }))));

    // Somebody else signs in at the provider, in this browser.
    stage.provider.user = { sub: 'bob', groups: ['readers'] };
    for (const [key] of [...browser.jar]) if (key === new URL(stage.provider.url).host) browser.jar.delete(key);
    const refused = await browser.follow(await browser.ask(application.authorizeUrl()), application.isHere);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /somebody else than the last time/);
    assert.ok(asks(await browser.ask(application.authorizeUrl())), 'the next time the user is asked');
    stage.provider.user = { sub: 'ann', groups: ['readers', 'writers'] };
  });

  it('on this computer are asked about each time', async () => {
    const application = publish('/local.json', { redirect_uris: ['http://127.0.0.1/callback'] });
    application.redirect = 'http://127.0.0.1:7654/callback';
    const browser = new Browser();
    assert.ok((await application.signIn(browser)).searchParams.get('code'));
    assert.ok(asks(await browser.ask(application.authorizeUrl())));
  });

  for (const [what, why, make, place] of [
    ['of another id', /&quot;client_id&quot; of the client’s|is not its URL/, () => publish('/other.json', { client_id: 'https://other.example/x.json' })],
    ['with places of another host only', /none of the .*redirect_uris.* is allowed/, () => publish('/evil.json', { redirect_uris: ['https://evil.example/callback'] }), 'https://evil.example/callback'],
    ['with another place than is asked for', /a place that is not one of its own/, () => publish('/mine.json'), 'https://evil.example/callback'],
    ['that is none', /is not a JSON object/, () => (documents.set('/none.json', (response) => response.end('<html>')), new Application(stage, { id: `${url}/none.json` }))],
    ['that redirects', /cannot be read/, () => {
      documents.set('/away.json', (response) => response.writeHead(302, { location: '/target.json' }).end());
      documents.set('/target.json', { client_id: `${url}/away.json`, redirect_uris: [`${url}/callback`] });
      return new Application(stage, { id: `${url}/away.json`, redirect: `${url}/callback` });
    }],
    ['that is huge', /cannot be read/, () => publish('/huge.json', { client_name: 'x'.repeat(70_000) })],
    ['that is not there', /cannot be read/, () => new Application(stage, { id: `${url}/gone.json` })],
    ['behind a certificate of another name', /cannot be read/, () => new Application(stage, { id: `${otherUrl}/app.json` })],
    ['without a path', /there is no client of that id/, () => new Application(stage, { id: url })],
  ]) {
    it(`a document ${what} lets nobody in`, async () => {
      const application = make();
      const answer = await new Browser().ask(application.authorizeUrl({ redirect_uri: place ?? application.redirect }));
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.text, why);
      assert.equal(answer.headers.get('location'), null);
      assert.ok(!asked.includes('/target.json'), 'a redirect was followed');
    });
  }

  it('a document of 60 KiB is still one', async () => {
    assert.ok(asks(await new Browser().ask(publish('/large.json', { client_name: 'x'.repeat(60_000) }).authorizeUrl())));
  });

  it('a slow document of one visitor keeps out no others for long', async () => {
    documents.set('/slow.json', () => {});
    const slow = Array.from({ length: 6 }, (_, index) => new Browser().ask(new Application(stage, { id: `${url}/slow.json?${index}` }).authorizeUrl()));
    const statuses = (await Promise.all(slow)).map(({ status }) => status);
    assert.ok(statuses.includes(503), `${statuses}`);
    assert.ok(asks(await new Browser().ask(publish('/after.json').authorizeUrl())));
  });

  it('on a private network are not asked for where that is not named', async () => {
    const certificates = makeCertificates('IP:127.0.0.1');
    const closed = await openDoor({ more: `tls_ca = ${JSON.stringify(certificates.caFile)}\n`, closed: true });
    asked.length = 0;
    const answer = await new Browser().ask(new Application(closed, { id: `${url}/app.json` }).authorizeUrl());
    assert.equal(answer.status, 400);
    assert.deepEqual(asked, []);
    await closed.stop();
  });
});

describe('a provider with odd tokens', () => {
  let stage;
  let odd;
  before(async () => {
    odd = new OAuth2Server();
    await odd.issuer.keys.generate('RS256');
    await odd.start(0, '127.0.0.1');
    const identity = { url: odd.issuer.url, stop: () => odd.stop() };
    stage = await openDoor({ identity, provided: `issuer = "${odd.issuer.url}"\nscopes = ["openid"]` });
  });
  after(() => stage?.stop());

  const sound = (token) => {
    Object.assign(token.payload, { aud: 'gateway', sub: 'ann', groups: ['readers'] });
    delete token.payload.amr;
  };
  const signIn = async (spoil) => {
    odd.service.removeAllListeners(Events.BeforeTokenSigning);
    odd.service.on(Events.BeforeTokenSigning, (token) => {
      sound(token);
      spoil?.(token);
    });
    return new Application(stage).signIn(new Browser());
  };

  it('is a provider as long as they are sound', async () => {
    const end = await signIn();
    assert.ok(end.searchParams.get('code'), String(end));
  });

  for (const [what, spoil] of [
    ['for another client', ({ payload }) => (payload.aud = 'other')],
    ['for several, and issued to another', ({ payload }) => Object.assign(payload, { aud: ['gateway', 'other'], azp: 'other' })],
    ['of another sign-in', ({ payload }) => (payload.nonce = 'other')],
    ['of no sign-in', ({ payload }) => delete payload.nonce],
    ['expired', ({ payload }) => (payload.exp = payload.iat - 100)],
    ['of another issuer', ({ payload }) => (payload.iss = 'https://evil.example')],
    ['of nobody', ({ payload }) => delete payload.sub],
    ['an access token', ({ header }) => (header.typ = 'at+jwt')],
    ['by an unknown key', ({ header }) => (header.kid = 'unknown')],
  ]) {
    it(`gets no client in by an ID token ${what}`, async () => {
      const end = await signIn(spoil);
      assert.equal(end.searchParams.get('code'), null);
      assert.ok(['access_denied', 'temporarily_unavailable'].includes(end.searchParams.get('error')), String(end));
    });
  }

  it('gets no client in by a token that nobody signed', async () => {
    odd.service.once(Events.BeforeResponse, (answer) => {
      const [, claims] = answer.body.id_token.split('.');
      answer.body.id_token = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${claims}.`;
    });
    assert.equal((await signIn()).searchParams.get('error'), 'access_denied');
    assert.ok((await signIn()).searchParams.get('code'), 'the control');
  });

  it('gives no refresh token where it could not be asked again', async () => {
    odd.service.once(Events.BeforeResponse, (answer) => delete answer.body.refresh_token);
    const application = new Application(stage);
    const end = await application.signIn(new Browser());
    const { body } = await application.exchange(end.searchParams.get('code'));
    assert.equal(body.refresh_token, undefined);
    assert.ok(await isIn(stage, body.access_token));
  });
});

describe('a provider that sends no ID token with a refresh', () => {
  it('is believed in what it says of its user now', async () => {
    const odd = new OAuth2Server();
    await odd.issuer.keys.generate('RS256');
    await odd.start(0, '127.0.0.1');
    let groups = ['readers', 'writers'];
    odd.service.on(Events.BeforeTokenSigning, (token) => {
      Object.assign(token.payload, { aud: 'gateway', sub: 'ann', groups: ['readers', 'writers'] });
    });
    odd.service.on(Events.BeforeUserinfo, (answer) => (answer.body = { sub: 'ann', groups }));
    odd.service.on(Events.BeforeResponse, (answer, request) => {
      if (request.body.grant_type === 'refresh_token') delete answer.body.id_token;
    });
    const stage = await openDoor({ identity: { url: odd.issuer.url, stop: () => odd.stop() }, provided: `issuer = "${odd.issuer.url}"\nscopes = ["openid"]\nuser_url = "${odd.issuer.url}/userinfo"` });
    const application = new Application(stage);
    const tokens = await application.tokens();
    const write = async (token) => responseOf(await sendModern(stage.gateway.url, 'tools/call', { name: 'files_write', arguments: { text: 'x' } }, { headers: bearer(token) }));
    assert.ok((await write(tokens.access_token)).result, 'the control');
    groups = ['readers'];
    const next = await application.refresh(tokens.refresh_token);
    assert.equal(next.status, 200, JSON.stringify(next.body));
    assert.ok((await write(next.body.access_token)).error, 'a role of before was kept');
    assert.ok(await isIn(stage, next.body.access_token));
    await stage.stop();
  });
});

describe('a provider without OpenID Connect', () => {
  it('is asked who its user is, at the sign-in and at each refresh', async () => {
    let isThere = true;
    const codes = new Map();
    const hub = createPlainServer((request, response) => {
      const asked = new URL(request.url, 'http://hub');
      const json = (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      if (asked.pathname === '/authorize') {
        codes.set('c1', asked.searchParams.get('code_challenge'));
        response.writeHead(302, { location: `${asked.searchParams.get('redirect_uri')}?code=c1&state=${asked.searchParams.get('state')}&iss=http%3A%2F%2Fhub%2Flogin` }).end();
      } else if (asked.pathname === '/token') {
        // As GitHub: an error has status 200.
        json(codes.delete('c1') ? { access_token: 'gho_x', token_type: 'bearer', scope: '' } : { error: 'bad_verification_code' });
      } else if (asked.pathname === '/user' && request.headers.authorization === 'Bearer gho_x' && isThere) {
        json({ login: 'octocat', id: 1, groups: ['readers'] });
      } else {
        response.writeHead(401).end('{}');
      }
    });
    await new Promise((done) => hub.listen(0, '127.0.0.1', done));
    hub.unref();
    const at = `http://127.0.0.1:${hub.address().port}`;
    const identity = { url: at, stop: async () => hub.closeAllConnections() };
    const provided = `authorize_url = "${at}/authorize"\ntoken_url = "${at}/token"\nuser_url = "${at}/user"\nprincipal = "login"`;
    const stage = await openDoor({ identity, provided });
    const application = new Application(stage);
    const tokens = await application.tokens();
    assert.ok(await isIn(stage, tokens.access_token));
    assert.equal(stage.gateway.records().findLast(({ kind }) => kind === 'grant').principal, 'door:octocat');
    const next = await application.refresh(tokens.refresh_token);
    assert.equal(next.status, 200, JSON.stringify(next.body));
    isThere = false;
    assert.equal((await application.refresh(next.body.refresh_token)).body.error, 'invalid_grant');
    await eventually(async () => !(await isIn(stage, next.body.access_token)), 'the end of its tokens');
    await stage.stop();
  });
});

describe('a provider that registers clients', () => {
  it('needs no front door: an official client finds it, registers, signs in and calls', async () => {
    const resources = { audience: '' };
    const provider = await new IdentityProvider().start(['http://127.0.0.1:1/x'], {
      configuration: {
        features: {
          devInteractions: { enabled: false },
          registration: { enabled: true },
          resourceIndicators: {
            enabled: true,
            defaultResource: () => resources.audience,
            useGrantedResource: () => true,
            getResourceServerInfo: () => ({ scope: 'files:read', audience: resources.audience, accessTokenFormat: 'jwt', accessTokenTTL: 600 }),
          },
        },
        scopes: ['openid', 'offline_access', 'files:read'],
        clientDefaults: { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none' },
        loadExistingGrant: async (context) => {
          const grant = new context.oidc.provider.Grant({ clientId: context.oidc.client.clientId, accountId: context.oidc.session.accountId });
          grant.addOIDCScope('openid offline_access files:read');
          grant.addResourceScope(resources.audience, 'files:read');
          await grant.save();
          return grant;
        },
      },
    });
    const files = await startScriptedServer({ tools: [{ ...kEchoTool, name: 'read' }] });
    const auth = ({ origin }) => {
      resources.audience = `${origin}/mcp`;
      return `
[role.reader]
[rule.read]
effect = "permit"
roles = ["reader"]
tools = ["files/read"]
[endpoint.people]
path = "/mcp"
resource = "${origin}/mcp"
scopes = ["files:read"]
[auth.issuer.corp]
issuer = "${provider.url}"
audiences = ["${origin}/mcp"]
private_networks = "allow"
roles.scope = { "files:read" = ["reader"] }
`;
    };
    const gateway = await startGateway(httpServer('files', files.url), { auth });
    const browser = new Browser();
    const application = {
      redirectUrl: 'http://127.0.0.1:8765/callback',
      clientMetadata: { client_name: 'Story', redirect_uris: ['http://127.0.0.1:8765/callback'], token_endpoint_auth_method: 'none', application_type: 'native' },
      clientInformation: () => application.information,
      saveClientInformation: (information) => (application.information = information),
      tokens: () => application.saved,
      saveTokens: (tokens) => (application.saved = tokens),
      codeVerifier: () => application.verifier,
      saveCodeVerifier: (verifier) => (application.verifier = verifier),
      redirectToAuthorization: async (url) => {
        const answer = await browser.follow(await browser.ask(url.href), (where) => where.startsWith(application.redirectUrl));
        assert.ok(answer.end, `not back: ${answer.status} ${answer.text}`);
        application.end = answer.end;
      },
    };
    const first = new StreamableHTTPClientTransport(new URL(gateway.url), { authProvider: application });
    await assert.rejects(new Client({ name: 's', version: '1' }).connect(first), /Unauthorized/);
    await first.finishAuth(application.end.searchParams.get('code'), application.end.searchParams.get('iss'));
    const client = new Client({ name: 's', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url), { authProvider: application }));
    assert.deepEqual((await client.listTools()).tools.map(({ name }) => name), ['files_read']);
    assert.ok((await client.callTool({ name: 'files_read', arguments: { text: 'x' } })).content);
    assert.equal(gateway.records().findLast(({ kind, target }) => kind === 'decision' && target === 'read').principal, 'corp:ann');
    await client.close();
    await gateway.stop();
    await files.stop();
    await provider.stop();
  });
});
