// The front door: official clients sign users in at a real provider that does not know them, and what
// attackers try on the way. Each attack has a row beside it in which the same steps go well.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';

import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport, UnauthorizedError as ModernUnauthorized } from '@modelcontextprotocol/client';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { assertRefused, eventually } from './assertions.mjs';
import { Application, Browser, openDoor } from './front_door_stage.mjs';
import { revokeToken } from './revocation_stage.mjs';
import { responseOf, sendModern } from './wire.mjs';

const bearer = (token) => ({ authorization: `Bearer ${token}` });
const call = (stage, token, tool = 'files_read') =>
  sendModern(stage.gateway.url, 'tools/call', { name: tool, arguments: { text: 'x' } }, { headers: bearer(token) });
const isIn = async (stage, token) => Boolean(responseOf(await call(stage, token)).result);
const refusals = (stage, reason) => stage.gateway.records().filter((record) => record.kind === 'refusal' && record.reason === reason);

/** What an application gives its SDK so that it can sign a user in. */
class Provider {
  constructor(browser, given = {}) {
    Object.assign(this, { browser, redirectUrl: 'http://127.0.0.1:8765/callback', ...given });
    this.clientMetadata = { client_name: 'Story', redirect_uris: [this.redirectUrl], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none' };
    this.asked = 0;
  }
  clientInformation() { return this.information; }
  saveClientInformation(information) { this.information = information; }
  tokens() { return this.saved; }
  saveTokens(tokens) { this.saved = tokens; }
  codeVerifier() { return this.verifier; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  saveDiscoveryState(state) { this.discovery = state; }
  discoveryState() { return this.discovery; }
  state() { return 'the-state-of-the-story'; }
  async redirectToAuthorization(url) {
    this.asked += 1;
    this.authorizeUrl = url;
    let answer = await this.browser.ask(url.href);
    if (answer.text.includes('name="decision"')) answer = await this.browser.decide(answer);
    answer = await this.browser.follow(answer, (where) => where.startsWith(this.redirectUrl));
    assert.ok(answer.end, `not back: ${answer.status} ${answer.text}`);
    this.end = answer.end;
  }
}

const kSdks = [
  ['SDK 1.32, legacy', (provider) => [new LegacyClient({ name: 's', version: '1' }), (url) => new LegacyTransport(url, { authProvider: provider }), UnauthorizedError]],
  ['client 2.4, legacy', (provider) => [new ModernClient({ name: 's', version: '1' }, { versionNegotiation: { mode: 'legacy' } }), (url) => new ModernTransport(url, { authProvider: provider }), ModernUnauthorized]],
  ['client 2.4, modern', (provider) => [new ModernClient({ name: 's', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } }), (url) => new ModernTransport(url, { authProvider: provider }), ModernUnauthorized]],
];

/** Brings back what the browser came back with. */
const finish = (transport, { end }) => transport.finishAuth(end.searchParams.get('code'), end.searchParams.get('iss'));

/** Connects, signing in on the way as an application does. */
async function connect(make, provider, url) {
  const [client, transportTo, Unauthorized] = make(provider);
  const first = transportTo(new URL(url));
  try {
    await client.connect(first);
    return client;
  } catch (error) {
    assert.ok(error instanceof Unauthorized, String(error));
  }
  await finish(first, provider);
  const [again, transport] = make(provider);
  await again.connect(transport(new URL(url)));
  return again;
}

describe('the front door, for official clients', () => {
  const kScoped = {
    more: 'registration = true\nscopes = { "files:read" = ["reader"], "files:write" = ["writer"], "files:writeall" = ["reader", "writer"] }\n',
    endpoint: 'scopes = ["files:read"]\n',
  };
  const stages = {};
  before(async () => {
    for (const era of ['legacy', 'modern']) stages[era] = await openDoor({ ...kScoped, era });
  });
  after(async () => {
    for (const stage of Object.values(stages)) await stage.stop();
  });

  for (const [name, make] of kSdks) {
    it(`${name}: is found, signs in, calls, steps up and refreshes without a manual step`, async () => {
      const stage = stages[name.split(' ').at(-1)];
      const provider = new Provider(new Browser());
      const client = await connect(make, provider, stage.resource);
      assert.equal(provider.asked, 1);
      assert.equal(provider.saved.scope, 'files:read');
      assert.deepEqual((await client.listTools()).tools.map((tool) => tool.name), ['files_read']);
      const result = await client.callTool({ name: 'files_read', arguments: { text: 'x' } });
      assert.ok(result.content, JSON.stringify(result));

      // A call that needs more: the client is told which scopes, and signs in for them.
      await assert.rejects(client.callTool({ name: 'files_write', arguments: { text: 'x' } }));
      assert.equal(provider.asked, 2, 'the client did not ask for more scopes');
      assert.match(provider.authorizeUrl.searchParams.get('scope'), /files:read files:write$/, 'not the least that helps');
      await finish(client.transport, provider);
      assert.equal(provider.saved.scope, 'files:read files:write');
      assert.ok((await client.callTool({ name: 'files_write', arguments: { text: 'x' } })).content);
      await client.close();

      // The access token is lost; the refresh token brings another one, without the user.
      const before = provider.saved.refresh_token;
      provider.saved = { ...provider.saved, access_token: 'btza_not-a-token' };
      const again = await connect(make, provider, stage.resource);
      assert.ok((await again.callTool({ name: 'files_write', arguments: { text: 'x' } })).content);
      assert.equal(provider.asked, 2, 'the user was asked again');
      assert.notEqual(provider.saved.refresh_token, before);
      await again.close();
    });
  }

  it('scopes: none are the endpoint’s, those of OpenID Connect are ignored, others refused', async () => {
    const stage = stages.modern;
    for (const scope of [undefined, 'openid', 'offline_access files:read']) {
      const tokens = await new Application(stage).tokens(new Browser(), { scope });
      assert.equal(tokens.scope, 'files:read', String(scope));
    }
    for (const scope of ['files:raed', 'files:read nope']) {
      const end = await new Application(stage).signIn(new Browser(), { scope });
      assert.equal(end.searchParams?.get('error'), 'invalid_scope', `${scope}: ${end.text ?? end}`);
    }
  });

  it('a call that lacks a scope says so on record', async () => {
    const stage = stages.modern;
    const tokens = await new Application(stage).tokens();
    const refused = await call(stage, tokens.access_token, 'files_write');
    assert.equal(refused.status, 403);
    assert.match(refused.headers['www-authenticate'], /scope="files:read files:write"/);
    const found = await eventually(async () => stage.gateway.records().findLast((record) => record.reason === 'no_matching_rule' && record.kind === 'decision'), 'a record');
    assert.equal(found.detail, 'scope files:write');
  });

  it('a client that lacks the role by its user is not sent to sign in for it', async () => {
    const stage = stages.modern;
    stage.provider.user = { sub: 'bob', groups: ['readers'] };
    const tokens = await new Application(stage).tokens();
    const answer = await call(stage, tokens.access_token, 'files_write');
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['www-authenticate'], undefined);
    assertRefused(responseOf(answer).error, 'no_matching_rule');
    stage.provider.user = { sub: 'ann', groups: ['readers', 'writers'] };
  });
});

describe('the front door', () => {
  let stage;
  before(async () => {
    stage = await openDoor();
  });
  after(() => stage?.stop());

  it('gives tokens of its own, and never the provider’s', async () => {
    const tokens = await new Application(stage).tokens();
    assert.match(tokens.access_token, /^btza_[\w-]{43}$/);
    assert.match(tokens.refresh_token, /^btzr_/);
    assert.deepEqual(Object.keys(tokens).sort(), ['access_token', 'expires_in', 'refresh_token', 'token_type']);
    assert.ok(await isIn(stage, tokens.access_token));
    const decision = stage.gateway.records().findLast(({ kind, target }) => kind === 'decision' && target === 'read');
    assert.equal(decision.principal, 'door:ann');
    assert.equal(decision.proof, 'front_door:door');
    assert.deepEqual(decision.roles, ['reader', 'writer']);
    const grant = stage.gateway.records().findLast(({ kind }) => kind === 'grant');
    assert.equal(grant.principal, 'door:ann');
    assert.equal(grant.endpoint, 'people');
    assert.equal(grant.detail, 'client inspector');
    assert.equal(grant.client_name, 'Inspector');
  });

  it('keeps nothing that anybody could use: not in the state file, the record, the log', async () => {
    const application = new Application(stage);
    const browser = new Browser();
    const end = await application.signIn(browser);
    const code = end.searchParams.get('code');
    const { body } = await application.exchange(code);
    const given = stage.provider.given.at(-1);
    assert.ok(given.refresh_token && given.access_token && given.id_token);
    const secrets = [given.refresh_token, given.access_token, given.id_token.split('.')[2], code, body.access_token, body.refresh_token, body.refresh_token.split('.')[1], ...[...browser.jar.values()].flatMap((cookies) => [...cookies.values()])];
    await stage.gateway.records();
    const kept = ['state.db', 'state.db-wal', 'gateway.log', 'audit.jsonl'].map((name) => {
      try {
        return readFileSync(`${stage.gateway.directory}/${name}`, 'latin1');
      } catch {
        return '';
      }
    });
    assert.ok(kept[0].length + kept[1].length > 4096);
    for (const secret of secrets) assert.ok(kept.every((text) => !text.includes(secret)), `${secret} is kept`);
    // The control: what may be kept is found by the same look.
    assert.ok(kept.some((text) => text.includes('door:ann')));
  });

  it('asks the provider at each refresh, and ends with it', async () => {
    const application = new Application(stage);
    const first = await application.tokens();
    stage.provider.asked.length = 0;
    const second = await application.refresh(first.refresh_token);
    assert.equal(second.status, 200, JSON.stringify(second.body));
    assert.ok(stage.provider.asked.includes('POST /token'));
    assert.ok(await isIn(stage, second.body.access_token));
    // Down: nobody is thrown out.
    stage.provider.onRequest = (request, response) => Boolean(response.writeHead(503).end());
    const down = await application.refresh(second.body.refresh_token);
    assert.equal(down.status, 503);
    assert.equal(down.headers.get('retry-after'), '1');
    // Over: the user is.
    stage.provider.onRequest = (request, response) => Boolean(response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}'));
    const over = await application.refresh(second.body.refresh_token);
    assert.equal(over.status, 400);
    assert.equal(over.body.error, 'invalid_grant');
    stage.provider.onRequest = () => false;
    assert.equal((await call(stage, second.body.access_token)).status, 401);
    assert.equal((await application.refresh(second.body.refresh_token)).status, 400);
    await eventually(() => stage.gateway.records().some(({ kind, detail }) => kind === 'grant_end' && /does not renew/.test(detail)));
  });

  it('forgets what a user may no longer do when the client refreshes', async () => {
    const application = new Application(stage);
    const first = await application.tokens();
    assert.ok(responseOf(await call(stage, first.access_token, 'files_write')).result);
    stage.provider.user = { sub: 'ann', groups: ['readers'] };
    const { body } = await application.refresh(first.refresh_token);
    assertRefused(responseOf(await call(stage, body.access_token, 'files_write')).error, 'no_matching_rule');
    assert.ok(await isIn(stage, body.access_token));
    stage.provider.user = { sub: 'ann', groups: ['readers', 'writers'] };
  });

  it('ends all tokens of a sign-in whose refresh token is used twice', async () => {
    const application = new Application(stage);
    const first = await application.tokens();
    const second = await application.refresh(first.refresh_token);
    assert.ok(await isIn(stage, second.body.access_token), 'the control: it is valid');
    const replay = await application.refresh(first.refresh_token);
    assert.equal(replay.body.error, 'invalid_grant');
    assert.equal((await call(stage, second.body.access_token)).status, 401);
    assert.equal((await application.refresh(second.body.refresh_token)).body.error, 'invalid_grant');
    await eventually(() => refusals(stage, 'grant_replayed').length > 0);
  });

  it('does not end a sign-in for a refresh token that it never gave', async () => {
    const application = new Application(stage);
    const { refresh_token, access_token } = await application.tokens();
    const [grant, , mark] = refresh_token.slice(5).split('.');
    for (const forged of [`btzr_${grant}.${'A'.repeat(43)}.${mark}`, `btzr_${grant}.${'A'.repeat(43)}.${'A'.repeat(22)}`, 'btzr_x', '']) {
      assert.equal((await application.refresh(forged)).body.error, 'invalid_grant');
    }
    assert.ok(await isIn(stage, access_token));
    assert.equal((await application.refresh(refresh_token)).status, 200);
  });

  it('ends tokens when their client says so', async () => {
    const application = new Application(stage);
    const { access_token, refresh_token } = await application.tokens();
    assert.equal((await application.post('revoke', { token: refresh_token, client_id: 'another' })).status, 200);
    assert.ok(await isIn(stage, access_token), 'another client ended them');
    assert.equal((await application.post('revoke', { token: refresh_token, client_id: 'inspector' })).status, 200);
    assert.equal((await call(stage, access_token)).status, 401);
  });

  it('ends a whole sign-in when an operator revokes one of its tokens, and no other', async () => {
    const again = await openDoor({ tables: (place) => `[admin]\nsocket = "${place.directory}/admin.sock"\n` });
    try {
      const [application, other] = [new Application(again), new Application(again)];
      const bystander = await other.tokens();
      for (const kind of ['refresh_token', 'access_token']) {
        const tokens = await application.tokens();
        assert.ok(await isIn(again, tokens.access_token), 'the control: it is valid');
        const { code, revocation } = await revokeToken(again, tokens[kind]);
        assert.equal(code, 0);
        assert.ok(revocation.until, 'it outlives the sign-in');
        assert.equal((await call(again, tokens.access_token)).status, 401, kind);
        const refreshed = await application.refresh(tokens.refresh_token);
        assert.equal(refreshed.body.error, 'invalid_grant', kind);
      }
      assert.ok(await isIn(again, bystander.access_token));
      assert.equal((await other.refresh(bystander.refresh_token)).status, 200);
      assert.ok(await isIn(again, (await application.tokens()).access_token), 'the user cannot sign in again');
    } finally {
      await again.stop();
    }
  });

  it('goes on after a restart in the middle of a sign-in', async () => {
    const again = await openDoor();
    try {
      const application = new Application(again);
      const browser = new Browser();
      const page = await browser.ask(application.authorizeUrl());
      await again.restart();
      const end = (await browser.follow(await browser.decide(page), application.isHere)).end;
      await again.restart();
      const { status, body } = await application.exchange(end.searchParams.get('code'));
      assert.equal(status, 200, JSON.stringify(body));
      await again.restart();
      assert.ok(await isIn(again, body.access_token));
      assert.equal((await application.refresh(body.refresh_token)).status, 200);
    } finally {
      await again.stop();
    }
  });
});

describe('attacks on the front door', () => {
  let stage;
  before(async () => {
    stage = await openDoor({
      more: 'registration = true\n',
      tables: ({ origin }) => `[endpoint.other]\npath = "/other"\nresource = "${origin}/other"\n`,
    });
  });
  after(() => stage?.stop());

  it('code replay: the second use ends what the first one brought', async () => {
    const application = new Application(stage);
    const end = await application.signIn(new Browser());
    const code = end.searchParams.get('code');
    const first = await application.exchange(code);
    assert.ok(await isIn(stage, first.body.access_token), 'the control: the first use counts');
    assert.equal((await application.exchange(code)).body.error, 'invalid_grant');
    assert.equal((await call(stage, first.body.access_token)).status, 401);
    assert.equal((await application.refresh(first.body.refresh_token)).body.error, 'invalid_grant');
    await eventually(() => refusals(stage, 'grant_replayed').length > 0);
  });

  const kWrongExchanges = [
    ['wrong verifier', { code_verifier: 'x'.repeat(43) }],
    ['no verifier', { code_verifier: '' }],
    ['the challenge as verifier', (application) => ({ code_verifier: new URL(application.authorizeUrl()).searchParams.get('code_challenge') })],
    ['another client', { client_id: 'another' }],
    ['another redirect', { redirect_uri: 'http://127.0.0.1:8765/other' }],
    ['another resource', { resource: 'http://127.0.0.1:1/mcp' }],
  ];
  for (const [name, changes] of kWrongExchanges) {
    it(`${name}: no token, and the code is worth nothing any more`, async () => {
      const application = new Application(stage);
      const code = (await application.signIn(new Browser())).searchParams.get('code');
      const wrong = await application.exchange(code, typeof changes === 'function' ? changes(application) : changes);
      assert.equal(wrong.body.error, 'invalid_grant');
      assert.equal((await application.exchange(code)).body.error, 'invalid_grant');
      const control = (await application.signIn(new Browser())).searchParams.get('code');
      assert.equal((await application.exchange(control)).status, 200, 'the control: rightly shown it counts');
    });
  }

  it('swapped state: a sign-in comes back in the browser that began it, and in no other', async () => {
    const [victim, attacker] = [new Browser(), new Browser()];
    const application = new Application(stage);
    const page = await attacker.ask(application.authorizeUrl());
    const sent = await attacker.decide(page);
    const stopAtCallback = (url) => url.startsWith(`${stage.issuer}/callback`);
    const atCallback = (await attacker.follow(sent, stopAtCallback)).end;
    await victim.ask(application.authorizeUrl());
    const stolen = await victim.ask(atCallback.href);
    assert.equal(stolen.status, 403);
    assert.equal(stolen.headers.get('location'), null);
    // Even its own browser does not get it any more.
    assert.equal((await attacker.ask(atCallback.href)).status, 403);
    // The control: without the swap the same steps end at the application.
    const own = (await attacker.follow(await attacker.decide(await attacker.ask(application.authorizeUrl())), stopAtCallback)).end;
    assert.equal((await attacker.ask(own.href)).status, 303);
  });

  it('consent crossing: the form of one browser is worth nothing in another', async () => {
    const [victim, attacker] = [new Browser(), new Browser()];
    const application = new Application(stage);
    const page = await attacker.ask(application.authorizeUrl());
    await victim.ask(application.authorizeUrl());
    assert.equal((await victim.decide(page)).status, 403);
    assert.equal((await attacker.decide(page)).status, 200, 'the control: it is good where it was given');
    assert.equal((await attacker.decide(page)).status, 403, 'it is good once');
  });

  it('CSRF: a form from elsewhere is not looked at', async () => {
    const browser = new Browser();
    const application = new Application(stage);
    const page = await browser.ask(application.authorizeUrl());
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }]) {
      const answer = await browser.decide(page, 'allow', { headers });
      assert.equal(answer.status, 403, JSON.stringify(headers));
    }
    assert.equal((await browser.decide(page)).status, 200, 'the control');
  });

  it('iss mix-up: an answer of another provider is not exchanged', async () => {
    const browser = new Browser();
    const application = new Application(stage);
    const stopAtCallback = (url) => url.startsWith(`${stage.issuer}/callback`);
    for (const iss of ['https://evil.example', undefined]) {
      const at = (await browser.follow(await browser.decide(await browser.ask(application.authorizeUrl())), stopAtCallback)).end;
      if (iss) at.searchParams.set('iss', iss);
      else at.searchParams.delete('iss');
      stage.provider.asked.length = 0;
      assert.equal((await browser.ask(at.href)).status, 403, `${iss}`);
      assert.ok(!stage.provider.asked.includes('POST /token'), 'the code was sent to the provider');
    }
    assert.ok((await application.signIn(browser)).searchParams.get('code'), 'the control');
    assert.equal((await application.signIn(browser)).searchParams.get('iss'), stage.issuer);
  });

  const kRedirects = [
    ['another host', 'https://evil.example/callback'],
    ['another path', 'http://127.0.0.1:8765/other'],
    ['a host that begins so', 'http://127.0.0.1.evil.example/callback'],
    ['a user name', 'http://127.0.0.1@evil.example/callback'],
    ['script', 'javascript:alert(1)//callback'],
    ['a fragment', 'http://127.0.0.1:8765/callback#x'],
    ['a backslash', 'http://127.0.0.1:8765\\@evil.example/callback'],
    ['none', undefined],
  ];
  for (const [name, redirect] of kRedirects) {
    it(`open redirect: ${name}`, async () => {
      const answer = await new Browser().ask(new Application(stage).authorizeUrl({ redirect_uri: redirect }));
      assert.equal(answer.status, 400);
      assert.equal(answer.headers.get('location'), null);
      assert.ok(!/http-equiv|href="(?!\/sign-in)/.test(answer.text), answer.text);
    });
  }
  it('open redirect: the control, a port of its own on loopback', async () => {
    const application = new Application(stage, { redirect: 'http://127.0.0.1:55555/callback' });
    assert.ok((await application.signIn(new Browser())).searchParams.get('code'));
  });

  it('framing: no page may be shown in a frame', async () => {
    for (const path of [new Application(stage).authorizeUrl(), `${stage.issuer}/callback?state=x`]) {
      const { headers } = await new Browser().ask(path);
      assert.match(headers.get('content-security-policy'), /frame-ancestors 'none'/);
      assert.equal(headers.get('x-frame-options'), 'DENY');
    }
  });

  it('what a client calls itself is text', async () => {
    const registered = await fetch(`${stage.issuer}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: '<script>alert(1)</script>\u202e', redirect_uris: ['http://127.0.0.1:1/callback', 'https://evil.example/'] }),
    });
    assert.equal(registered.status, 201);
    const client = await registered.json();
    assert.deepEqual(client.redirect_uris, ['http://127.0.0.1:1/callback']);
    const page = await new Browser().ask(new Application(stage, { id: client.client_id }).authorizeUrl());
    assert.equal(page.status, 200);
    assert.ok(!page.text.includes('<script>'));
    assert.match(page.text, /registered itself/);
  });

  it('a client that registers gets no redirect URI but those that are allowed', async () => {
    const register = (redirect_uris) => fetch(`${stage.issuer}/register`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ redirect_uris }) });
    const allowed = ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback', 'http://127.0.0.1:33418/', 'https://vscode.dev/redirect', 'cursor://anysphere.cursor-mcp/oauth/callback'];
    for (const uri of allowed) assert.equal((await register([uri])).status, 201, uri);
    for (const uri of ['https://evil.example/', 'https://claude.ai/', 'https://claude.ai.evil.example/api/mcp/auth_callback', 'http://claude.ai/api/mcp/auth_callback', 'cursor://evil/oauth/callback', 'javascript:alert(1)']) {
      const answer = await register([uri]);
      assert.equal(answer.status, 400, uri);
      assert.equal((await answer.json()).error, 'invalid_redirect_uri');
    }
  });

  it('a token of the provider, or for another endpoint, is worth nothing', async () => {
    const application = new Application(stage);
    const { access_token } = await application.tokens();
    assert.ok(await isIn(stage, access_token), 'the control');
    const elsewhere = (token) =>
      sendModern(`${stage.origin}/other`, 'tools/call', { name: 'files_read', arguments: { text: 'x' } }, { headers: bearer(token) });
    assert.equal((await elsewhere(access_token)).status, 401);
    const there = new Application({ ...stage, resource: `${stage.origin}/other` });
    const other = await there.tokens();
    assert.ok(responseOf(await elsewhere(other.access_token)).result, 'the control: there it is one');
    assert.equal((await call(stage, other.access_token)).status, 401);
    for (const token of Object.values(stage.provider.given.at(-1)).filter((value) => typeof value === 'string' && value.length > 20)) {
      assert.equal((await call(stage, token)).status, 401);
    }
    for (const token of [access_token.slice(0, -1), `${access_token}A`, access_token.replace('btza_', 'btzr_'), 'btza_']) {
      assert.equal((await call(stage, token)).status, 401, token);
    }
  });

  const kAnswered = [
    ['no PKCE', { code_challenge: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['implicit', { response_type: 'token' }, 'unsupported_response_type'],
    ['another resource', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
    ['silently', { prompt: 'none' }, 'interaction_required'],
  ];
  for (const [name, changes, error] of kAnswered) {
    it(`${name}: the client is told`, async () => {
      const answer = await new Browser().ask(new Application(stage).authorizeUrl(changes));
      assert.equal(answer.status, 303);
      const end = new URL(answer.headers.get('location'));
      assert.equal(end.searchParams.get('error'), error);
      assert.equal(end.searchParams.get('iss'), stage.issuer);
    });
  }

  it('a user who does not allow it is sent back without a code', async () => {
    const browser = new Browser();
    const application = new Application(stage);
    stage.provider.asked.length = 0;
    const page = await browser.ask(application.authorizeUrl());
    const { end } = await browser.follow(await browser.decide(page, 'deny'), application.isHere);
    assert.equal(end.searchParams.get('error'), 'access_denied');
    assert.deepEqual(stage.provider.asked, [], 'the provider was asked before the user had consented');
  });
});
