// Several endpoints in one process: what each shows and accepts, and that nothing of one is known at
// another.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { kClients } from './clients.mjs';
import { startGateway } from './harness.mjs';
import { apply, digestOf } from './reloading.mjs';
import { kEchoTool, startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { LegacySession, kLegacyVersion, listen, responseOf, send, sendModern } from './wire.mjs';

const keyOf = (who) => `the-key-of-${who}`;
const bearer = (who) => ({ authorization: `Bearer ${keyOf(who)}` });

const kAuth = `
[role.tester]
${['ann', 'ci'].map((who) => `[principal.${who}]\nroles = ["tester"]\n[auth.api_key.${who}]\nprincipal = "${who}"\nsha256 = "${digestOf(keyOf(who))}"\n`).join('')}`;

const kDesk = '[endpoint.desk]\npath = "/desk/mcp"\nservers = ["files"]\ntools = ["files/read"]\n';
const kBuild = '[endpoint.build]\npath = "/build/mcp"\nauth = ["api_key.ci"]\nservers = ["git"]\n';
const kWhole = '[endpoint.whole]\npath = "/mcp"\n';
const kRules = `
[rule.all]
effect = "permit"
roles = ["tester"]
tools = ["*/*"]
[rule.erase-at-the-desk-only]
effect = "forbid"
roles = ["*"]
tools = ["files/erase"]
unless.endpoint = ["desk"]
`;

const tool = (name) => ({ ...kEchoTool, name });
const namesOf = (answer) => responseOf(answer).result.tools.map(({ name }) => name).sort();

/** What a refusal says that may differ between two calls. */
const plain = ({ error }) => withoutIds(JSON.stringify(error));
const withoutIds = (text) => text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID');

describe('endpoints', () => {
  let files;
  let git;
  let gateway;
  let at;
  before(async () => {
    const speaking = (instructions) => ({ introduction: { instructions } });
    files = await startScriptedServer({ tools: ['read', 'write', 'erase'].map(tool), ...speaking('Read files.') });
    git = await startScriptedServer({ tools: ['log'].map(tool), ...speaking('Commit often.') });
    const told = 'client_features = ["instructions"]\n';
    const servers = httpServer('files', files.url, told) + httpServer('git', git.url, told);
    gateway = await startGateway(servers + kDesk + kBuild + kWhole + kRules, { auth: kAuth });
    at = (path) => new URL(path, gateway.url).href;
  });
  after(async () => {
    await gateway?.stop();
    await files?.stop();
    await git?.stop();
  });

  const open = (path, who) => LegacySession.open(at(path), bearer(who));

  it('show their own servers and tools only', async () => {
    for (const [path, who, names] of [
      ['/desk/mcp', 'ann', ['files_read']],
      ['/build/mcp', 'ci', ['git_log']],
      ['/mcp', 'ann', ['files_read', 'files_write', 'git_log']],
    ]) {
      const session = await open(path, who);
      assert.deepEqual(namesOf(await session.request(1, 'tools/list')), names, path);
    }
  });

  it('are told the instructions of their own servers only', async () => {
    for (const [path, who, told] of [
      ['/desk/mcp', 'ann', 'Read files.'],
      ['/build/mcp', 'ci', 'Commit often.'],
      ['/mcp', 'ann', 'files:\nRead files.\n\ngit:\nCommit often.'],
    ]) {
      const body = { protocolVersion: kLegacyVersion, capabilities: {}, clientInfo: { name: 'by-hand', version: '1' } };
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...bearer(who) };
      const answer = await send(at(path), { headers, body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: body }) });
      assert.equal(responseOf(answer).result.instructions, told, path);
    }
  });

  it('serve the official client', async () => {
    const { connect } = kClients[0];
    const client = await connect(at('/desk/mcp'), bearer('ann'));
    assert.deepEqual((await client.listTools()).map(({ name }) => name), ['files_read']);
    await client.close();
  });

  it('answer a call of what they leave out as of a name that nobody has', async () => {
    const desk = await open('/desk/mcp', 'ann');
    const seen = () => [files, git].map((server) => server.received('tools/call').length);
    const before = seen();
    for (const [index, name] of ['files_write', 'files_erase', 'git_log'].entries()) {
      const hidden = await desk.call(10 + index, name, { text: 'x' });
      assertRefused(hidden.error, 'tool_unknown');
      const nobody = await desk.call(20 + index, `${name}x`, { text: 'x' });
      assert.deepEqual(plain(hidden), plain(nobody), name);
    }
    assert.deepEqual(seen(), before, 'no server was asked');
    const reasons = gateway.records().filter(({ endpoint, decision }) => endpoint === 'desk' && decision === 'deny').map(({ reason, target }) => `${target} ${reason}`);
    assert.deepEqual(reasons.filter((text) => !text.includes('x ')), ['write not_at_endpoint', 'erase not_at_endpoint', 'log not_at_endpoint']);
    // The control: it is the endpoint that refused.
    const whole = await open('/mcp', 'ann');
    assert.ok((await whole.call(1, 'files_write', { text: 'x' })).result);
    assert.ok((await whole.call(2, 'git_log', { text: 'x' })).result);
    assert.ok(gateway.records().some(({ endpoint, decision, target }) => endpoint === 'whole' && decision === 'permit' && target === 'write'));
  });

  it('ask no server that they leave out what a long name stands for', async () => {
    // As long as names may be: it may have been shortened, and then its server's list says so.
    const name = `git_${'a'.repeat(60)}`;
    const [desk, whole] = [await open('/desk/mcp', 'ann'), await open('/mcp', 'ann')];
    const before = git.requests.length;
    assertRefused((await desk.call(1, name, {})).error, 'tool_unknown');
    assert.equal(git.requests.length, before, 'it is not asked');
    assertRefused((await whole.call(1, name, {})).error, 'tool_unknown');
  });

  it('are asked for by rules', async () => {
    const whole = await open('/mcp', 'ann');
    assertRefused((await whole.call(1, 'files_erase', {})).error, 'forbidden');
  });

  it('know their own sessions only', async () => {
    const session = await open('/desk/mcp', 'ann');
    const elsewhere = new LegacySession(at('/mcp'), session.id, bearer('ann'));
    const nobodys = new LegacySession(at('/mcp'), session.id.replace(/.$/, (c) => (c === '0' ? '1' : '0')), bearer('ann'));
    for (const method of ['POST', 'GET', 'DELETE']) {
      const ask = async (of) => {
        const body = method === 'POST' ? JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) : undefined;
        const accept = method === 'GET' ? { accept: 'text/event-stream' } : {};
        const { status, body: text } = await send(of.url, { method, headers: { ...of.headers(), ...accept }, body });
        return { status, text: withoutIds(text) };
      };
      const refused = await ask(elsewhere);
      assert.equal(refused.status, 404, method);
      assert.deepEqual(refused, await ask(nobodys), method);
    }
    assert.deepEqual(namesOf(await session.request(2, 'tools/list')), ['files_read'], 'and it lives on');
    assert.equal((await session.close()).status, 204);
  });

  it('accept their own credentials only', async () => {
    const ask = async (path, who) => {
      const { status, headers, body } = await sendModern(at(path), 'tools/list', {}, { headers: bearer(who) });
      return { status, challenge: headers['www-authenticate'], body: withoutIds(body) };
    };
    const refused = await ask('/build/mcp', 'ann');
    assert.equal(refused.status, 401);
    assert.deepEqual(refused, await ask('/build/mcp', 'nobody'));
    assert.notEqual((await ask('/build/mcp', 'ci')).status, 401, 'the control');
    assert.notEqual((await ask('/mcp', 'ann')).status, 401, 'the control');
    const refusals = gateway.records().filter(({ kind, endpoint }) => kind === 'refusal' && endpoint === 'build');
    assert.equal(refusals[0].reason, 'credentials_invalid');
  });

  it('are the only paths', async () => {
    for (const path of ['/', '/desk', '/desk/mcp/', '/DESK/mcp', '/build', '/mcp/mcp']) {
      const { status } = await send(at(path), { headers: bearer('ann'), body: '{}' });
      assert.equal(status, 404, path);
    }
  });

  it('hear of changes of their own servers only', async () => {
    const [desk, build] = [await open('/desk/mcp', 'ann'), await open('/build/mcp', 'ci')];
    const [atDesk, atBuild] = [await listen(desk), await listen(build)];
    git.tools = ['log', 'blame'].map(tool);
    git.publish({ method: 'notifications/tools/list_changed' });
    await eventually(() => atBuild.length > 0, 'the endpoint that shows git hears of it');
    assert.equal(atDesk.length, 0);
    files.publish({ method: 'notifications/tools/list_changed' });
    await eventually(() => atDesk.length > 0, 'and that of files of its own');
    assert.ok(atDesk.every(({ method }) => method === 'notifications/tools/list_changed'));
    assert.deepEqual(namesOf(await build.request(3, 'tools/list')), ['git_blame', 'git_log']);
    await desk.close();
    await build.close();
  });

  it('come and go with a reload, and so do their sessions', async () => {
    const [desk, whole] = [await open('/desk/mcp', 'ann'), await open('/mcp', 'ann')];
    const text = readFileSync(gateway.configFile, 'utf8');
    await apply(gateway, text.replace(kWhole, '[endpoint.late]\npath = "/late/mcp"\n').replace('tools = ["files/read"]', 'tools = ["files/*"]'));
    assert.equal((await whole.request(1, 'tools/list')).status, 404);
    assert.deepEqual(namesOf(await desk.request(2, 'tools/list')), ['files_erase', 'files_read', 'files_write']);
    const late = await open('/late/mcp', 'ann');
    assert.ok((await late.call(1, 'git_log', {})).result);
    await apply(gateway, text);
    assertRefused((await desk.call(3, 'files_write', {})).error, 'tool_unknown');
  });
});

describe('sessions of all principals together', () => {
  it('are bounded, and whoever comes later is told when to come back', async () => {
    const files = await startScriptedServer();
    const limits = '[session]\nmax_concurrent = 2\nmax_concurrent_sessions = 3\n';
    const gateway = await startGateway(httpServer('files', files.url) + kRules.replace(/\[rule.erase[^]*/, ''), { auth: kAuth, limits });
    const begin = (who) => {
      const params = { protocolVersion: kLegacyVersion, capabilities: {}, clientInfo: { name: 'by-hand', version: '1' } };
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...bearer(who) };
      return send(gateway.url, { headers, body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }) });
    };
    for (const [who, status] of [['ann', 200], ['ann', 200], ['ann', 429], ['ci', 200], ['ci', 503]]) {
      const answer = await begin(who);
      assert.equal(answer.status, status, who);
      if (status === 200) continue;
      assert.equal(answer.headers['retry-after'], '10');
      assertRefused(responseOf(answer).error, 'session_limit');
    }
    await gateway.stop();
    await files.stop();
  });
});
