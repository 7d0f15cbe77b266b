// What another configuration means for servers, and for who waits for one: nothing that was granted
// before outlives it, and nothing that a client had asked for is lost without a word.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { freePort, startGateway, temporaryDirectory } from './harness.mjs';
import { apply, configOf, digestOf, refuse, write } from './reloading.mjs';
import { ScriptedServer, startScriptedServer, writeJson } from './scripted_http.mjs';
import { httpServer, kPlain, stdioServer } from './servers.mjs';
import { StdioPeer, stdioPlace } from './stdio_peer.mjs';
import { LegacySession, listen, responseOf, sendModern } from './wire.mjs';

const kRule = '[rule.all]\neffect = "permit"\nroles = ["tester"]\ntools = ["*/*"]\n';
const kForbid = '[rule.no-echo]\neffect = "forbid"\nroles = ["*"]\ntools = ["web/echo"]\n';
const kOneTool = { jsonrpc: '2.0', result: { resultType: 'complete', tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } };

/** A secret in a file of its own, as secrets have to be. */
function putSecret(file, text) {
  writeFileSync(file, text);
  chmodSync(file, 0o600);
}

/** What the gateway's own account is told over the admin socket. */
function statusOf(socketPath) {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path: '/api/status' }, (incoming) => {
      let body = '';
      incoming.on('data', (chunk) => (body += chunk));
      incoming.on('end', () => resolve(JSON.parse(body)));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** A server whose list of tools is withheld until `release` is called; `asked` once it was wanted. */
async function startWithholding(era) {
  const server = await startScriptedServer({
    era,
    onMessage: (message, response) => {
      if (message?.method !== 'tools/list') return false;
      server.release = () => writeJson(response, 200, { ...kOneTool, id: message.id });
      return true;
    },
  });
  return server;
}

describe('a secret that cannot be read', () => {
  it('refuses the configuration, and the server that runs goes on', async (t) => {
    const secret = join(temporaryDirectory(), 'very-private-token');
    putSecret(secret, 'one');
    const server = stdioServer('plain', [kPlain], `env_secret = { TOKEN = ${JSON.stringify(`file:${secret}`)} }`);
    const socket = join(temporaryDirectory(), 'admin.sock');
    const gateway = await startGateway(`[admin]\nsocket = "${socket}"\n${server}${kRule}`);
    t.after(() => gateway.stop());
    const first = readFileSync(gateway.configFile, 'utf8');
    const session = await LegacySession.open(gateway.url);
    assert.ok((await session.call(1, 'plain_big_echo', { text: 'x' })).result);
    rmSync(secret);
    const { digest, reloads } = await refuse(gateway, `${first}# Changed.\n`);
    assert.equal(digest, digestOf(first));
    // Who reads /readyz need not be the operator.
    assert.equal(reloads.error, 'a secret or certificate of a server cannot be used');
    assert.match((await statusOf(socket)).reload_refusal, /^server "plain": secret .*very-private-token/);
    assert.match(gateway.log(), /reload refused.*server \\"plain\\".*very-private-token/);
    assert.ok((await session.call(2, 'plain_big_echo', { text: 'x' })).result, 'the old one goes on');
    putSecret(secret, 'two');
    await eventually(async () => (await configOf(gateway)).reloads.last === 'applied', 'it is applied at last', 20_000);
    assert.ok((await session.call(3, 'plain_big_echo', { text: 'x' })).result);
    assert.match(gateway.log(), /"msg":"reload applied".*"servers_changed":"plain"/);
  });
});

describe('what a reload changed', () => {
  it('is named in the log', async (t) => {
    const gateway = await startGateway(stdioServer('plain', [kPlain]) + kRule);
    t.after(() => gateway.stop());
    const first = readFileSync(gateway.configFile, 'utf8');
    await apply(gateway, first + stdioServer('more', [kPlain]) + kForbid.replace('web/echo', 'more/x'));
    assert.match(gateway.log(), /"before":"[0-9a-f]+","servers_added":"more","rules_added":"no-echo"}/);
    await apply(gateway, first.replace('tools = ["*/*"]', 'tools = ["plain/*"]'));
    assert.match(gateway.log(), /"servers_removed":"more".*"rules_removed":"no-echo","rules_changed":"all"/);
    const guard = `[path.docs]\nroot = "/srv"\n[tool."plain/*".arguments]\n"/path" = { path = "docs", optional = true }\n`;
    await apply(gateway, first + guard);
    assert.match(gateway.log(), /"tools_added":"plain\/\*","paths_added":"docs"}/);
    await apply(gateway, first.replace('[audit]', '[policy]\nunguarded_arguments = "allow"\n[audit]'));
    assert.match(gateway.log(), /"tools_removed":"plain\/\*","paths_removed":"docs","settings_changed":"policy.unguarded_arguments"}/);
    const process = '[process]\ndrain = "5s"\nmemory_max = "256 MiB"\n[log]\nlevel = "debug"\n';
    await apply(gateway, first.replace('[audit]\n', `${process}[audit]\ndurability = "disk"\nretention = "90d"\n`));
    const kSettings = 'process.memory_max, process.drain, audit.durability, audit.retention, log.level';
    assert.ok(gateway.log().includes(`"settings_changed":"policy.unguarded_arguments, ${kSettings}"}`), gateway.log());
    await apply(gateway, `${first}[principal.guest]\n`);
    await apply(gateway, first);
    assert.match(gateway.log(), /"principals_added":"guest"[^]*"principals_removed":"guest"}/);
  });
});

describe('a list of thousands', () => {
  it('is compared once for all who share it, and they are told', async (t) => {
    const tools = Array.from({ length: 9000 }, (_, number) => ({ name: `t${number}`, inputSchema: { type: 'object' } }));
    const server = await startScriptedServer({ tools });
    const gateway = await startGateway(`${httpServer('web', server.url)}${kRule}[process]\nworkers = 1\n`);
    t.after(() => server.stop());
    t.after(() => gateway.stop());
    const first = readFileSync(gateway.configFile, 'utf8');
    const session = await LegacySession.open(gateway.url);
    assert.equal(responseOf(await session.request(1, 'tools/list')).result.tools.length, tools.length);
    const heard = [];
    for (let listener = 0; listener < 60; listener += 1) heard.push(await listen(await LegacySession.open(gateway.url)));
    await apply(gateway, first + kForbid.replace('web/echo', 'web/t8999'));
    await eventually(() => heard.every((messages) => messages.length > 0), 'all are told', 20_000);
    await apply(gateway, `${first}${kForbid.replace('web/echo', 'web/t8999')}# The same.\n`);
    assert.deepEqual((await session.request(2, 'ping')).status, 200);
    assert.ok(heard.every((messages) => messages.length === 1), 'once');
  });
});

describe('over standard input', () => {
  it('the client is told once, and held to the new rules', async () => {
    const place = stdioPlace();
    const config = join(place.directory, 'bartizan.toml');
    const text = `version = 1
[auth.stdio]
principal = "tester"
[principal.tester]
roles = ["tester"]
[role.tester]
[audit]
file = "audit.jsonl"
${stdioServer('plain', [kPlain])}${kRule}`;
    writeFileSync(config, text);
    const peer = new StdioPeer(['run', '--stdio', config], { place });
    await peer.initialize();
    assert.ok((await peer.request(1, 'tools/list')).result.tools.some(({ name }) => name === 'plain_big_echo'));
    write({ configFile: config }, text + kForbid.replace('web/echo', 'plain/big_echo'));
    peer.process.kill('SIGHUP');
    await peer.next(({ method }) => method === 'notifications/tools/list_changed', 'it is told');
    assertRefused((await peer.call(2, 'plain_big_echo', { text: 'x' })).error, 'forbidden');
    assert.ok(!(await peer.request(3, 'tools/list')).result.tools.some(({ name }) => name === 'plain_big_echo'));
    const messages = await peer.end();
    assert.equal(messages.filter(({ method }) => method).length, 1);
  });
});

describe('a server that comes up after its definition', () => {
  it('is told to those who listen', async (t) => {
    const gateway = await startGateway(stdioServer('plain', [kPlain]) + kRule);
    t.after(() => gateway.stop());
    const first = readFileSync(gateway.configFile, 'utf8');
    const session = await LegacySession.open(gateway.url);
    const messages = await listen(session);
    const port = await freePort();
    await apply(gateway, first + httpServer('late', `http://127.0.0.1:${port}/mcp`));
    await eventually(() => /server is down.*late/.test(gateway.log()), 'it is asked in vain');
    assert.deepEqual(messages, []);
    const server = await new ScriptedServer().start(port);
    t.after(() => server.stop());
    await eventually(() => messages.length > 0, 'the client is told', 20_000);
    assert.deepEqual(messages.map(({ method }) => method), ['notifications/tools/list_changed']);
    const { result } = responseOf(await session.request(1, 'tools/list'));
    assert.ok(result.tools.some(({ name }) => name === 'late_echo'));
  });
});

describe('a server that is defined anew', () => {
  it('is asked again for what legacy clients had asked the old one', async (t) => {
    const secret = join(temporaryDirectory(), 'token');
    putSecret(secret, 'old-token');
    const capabilities = { tools: {}, logging: {}, resources: { subscribe: true } };
    const server = await startScriptedServer({
      onMessage: (message, response) => {
        if (message?.method !== 'initialize') return false;
        const session = randomUUID();
        server.sessions.add(session);
        const result = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'memo', version: '1' } };
        writeJson(response, 200, { jsonrpc: '2.0', id: message.id, result }, { 'mcp-session-id': session });
        return true;
      },
    });
    const rule = '[rule.read]\neffect = "permit"\nroles = ["tester"]\nresources = ["memo:**"]\n';
    const definition = httpServer('memo', server.url, `credentials = { bearer = ${JSON.stringify(`file:${secret}`)} }`);
    const level = '[rule.level]\neffect = "permit"\nroles = ["tester"]\nmethods = ["logging/setLevel"]\n';
    const gateway = await startGateway(definition + rule + level);
    t.after(() => server.stop());
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    const messages = await listen(session);
    for (const [id, uri] of [[1, 'memo://a/x'], [2, 'memo://b/y']]) {
      assert.ok(responseOf(await session.request(id, 'resources/subscribe', { uri })).result);
    }
    assert.ok(responseOf(await session.request(3, 'resources/unsubscribe', { uri: 'memo://b/y' })).result);
    assert.ok(responseOf(await session.request(4, 'logging/setLevel', { level: 'warning' })).result);
    putSecret(secret, 'new-token');
    gateway.process.kill('SIGHUP');
    const asked = (method) => server.received(method).filter(({ headers }) => headers.authorization === 'Bearer new-token');
    const updates = () => messages.filter(({ method }) => method === 'notifications/resources/updated');
    await eventually(() => updates().length > 0, 'the client is told', 20_000);
    assert.deepEqual(asked('resources/subscribe').map(({ message }) => message.params.uri), ['memo://a/x']);
    assert.deepEqual(asked('logging/setLevel').map(({ message }) => message.params.level), ['warning']);
    assert.deepEqual(updates().map(({ params }) => params), [{ uri: 'memo://a/x' }]);
    // On record as the gateway's doing, on behalf of the principal whom policy permits it.
    const repeated = gateway.records().filter(({ kind, transport }) => kind === 'decision' && transport === 'gateway');
    assert.deepEqual(repeated.map(({ principal, method, proof, decision }) => [principal, method, proof, decision]).sort(), [
      ['tester', 'logging/setLevel', 'gateway', 'permit'],
      ['tester', 'resources/subscribe', 'gateway', 'permit'],
    ]);
    server.publish({ method: 'notifications/resources/updated', params: { uri: 'memo://a/x' } });
    await eventually(() => updates().length > 1, 'updates go on');
    // Withdrawn, it is not repeated any more.
    const first = readFileSync(gateway.configFile, 'utf8');
    write(gateway, first.replace(rule, rule.replace('permit', 'forbid')));
    putSecret(secret, 'newest-token');
    gateway.process.kill('SIGHUP');
    await eventually(() => /subscriptions lost.*memo.*"count":1/.test(gateway.log()), 'it is lost, and the log says so', 20_000);
    assert.equal(server.received('resources/subscribe').length, 3);
  });
});

describe('a call that waits for a server', () => {
  it('is judged by the configuration of when it is judged', async (t) => {
    const server = await startWithholding('legacy');
    const gateway = await startGateway(httpServer('web', server.url) + kRule);
    t.after(() => server.stop());
    t.after(() => gateway.stop());
    const first = readFileSync(gateway.configFile, 'utf8');
    const session = await LegacySession.open(gateway.url);
    const call = session.call(1, 'web_echo', { text: 'parked' });
    await eventually(() => server.release, 'the call waits');
    await apply(gateway, first + kForbid);
    server.release();
    const id = assertRefused((await call).error, 'forbidden');
    assert.equal(server.received('tools/call').length, 0);
    const [decision] = gateway.records().filter(({ kind, decision_id }) => kind === 'decision' && decision_id === id);
    assert.equal(decision.policy, digestOf(first + kForbid));
  });

  it('is not sent once more after it was forbidden', async (t) => {
    const server = await startScriptedServer({
      era: 'modern',
      onMessage: (message, response) => {
        if (message?.method !== 'tools/list' || server.received('tools/call').length === 0) return false;
        server.release = () => writeJson(response, 200, { ...kOneTool, id: message.id });
        return true;
      },
      onCall: ({ id }, response) => writeJson(response, 400, { jsonrpc: '2.0', id, error: { code: -32020, message: 'HeaderMismatch' } }),
    });
    const gateway = await startGateway(httpServer('web', server.url) + kRule);
    t.after(() => server.stop());
    t.after(() => gateway.stop());
    const first = readFileSync(gateway.configFile, 'utf8');
    const call = sendModern(gateway.url, 'tools/call', { name: 'web_echo', arguments: {} });
    await eventually(() => server.release, 'the list is read again');
    await apply(gateway, first + kForbid);
    server.release();
    assert.equal(responseOf(await call).error.code, -32020);
    assert.equal(server.received('tools/call').length, 1);
  });

  it('is not made for who was revoked meanwhile', async (t) => {
    const server = await startWithholding('modern');
    const key = `[auth.api_key.ann]\nprincipal = "ann"\nsha256 = "${digestOf('key-of-ann')}"\n`;
    const others = '[principal.ann]\nroles = ["tester"]\n[role.tester]\npermissions = []\n';
    const gateway = await startGateway(httpServer('web', server.url) + kRule, { auth: key + others });
    t.after(() => server.stop());
    t.after(() => gateway.stop());
    const first = readFileSync(gateway.configFile, 'utf8');
    const headers = { authorization: 'Bearer key-of-ann' };
    const call = sendModern(gateway.url, 'tools/call', { name: 'web_echo', arguments: {} }, { headers });
    await eventually(() => server.release, 'the call waits');
    await apply(gateway, first.replace(key, key.replace(digestOf('key-of-ann'), digestOf('another'))));
    server.release();
    assertRefused(responseOf(await call).error, 'credentials_invalid');
    assert.equal(server.received('tools/call').length, 0);
  });
});
