// Official clients whose calls wait for people: refused with the request's id, held, sent to a page; the
// Inspector on the command line; and a client that writes lines.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { answer, bearer, kEchoNeedsABoss, list, peopleAuth, startApprovals, stepsOf } from './approvals_stage.mjs';
import { eventually, failureOf, textOf } from './assertions.mjs';
import { kClients } from './clients.mjs';
import { freePort, kNode, kTestsDirectory } from './harness.mjs';
import { httpServer, startDualServer } from './servers.mjs';
import { StdioPeer, stdioPlace } from './stdio_peer.mjs';

const kScope = join(kTestsDirectory, 'node_modules', '@modelcontextprotocol');
const kInspector = join(kScope, 'inspector-cli', 'build', 'cli.js');
const pendingId = (stage) => eventually(async () => (await list(stage, 'bob')).body.approvals.find(({ state }) => state === 'pending')?.id, 'a request waits');

describe('a call that waits for a person', () => {
  for (const { name, connect } of kClients) {
    it(`is refused to ${name}, whose retry passes once it is approved`, async (t) => {
      const stage = await startApprovals(t);
      const connection = await connect(stage.gateway.url, bearer('ann'));
      t.after(() => connection.close());
      const refusal = await failureOf(connection.call('dual_echo', { text: 'hello' }));
      assert.match(refusal.message, /A person must approve this call first; try again in 5 s/);
      const id = refusal.data?.approval_id ?? /approval ([0-9a-f-]{36})/.exec(refusal.message)[1];
      assert.equal((await answer(stage, 'bob', id)).status, 200);
      assert.equal(textOf(await connection.call('dual_echo', { text: 'hello' })), 'hello');
      await failureOf(connection.call('dual_echo', { text: 'hello' }));
      assert.equal(stage.sent('hello').length, 1);
    });

    it(`is held for ${name}, which sees nothing of the waiting`, async (t) => {
      const stage = await startApprovals(t, { approvals: 'wait = "30s"' });
      const connection = await connect(stage.gateway.url, bearer('ann'));
      t.after(() => connection.close());
      const called = connection.call('dual_echo', { text: 'hello' });
      await answer(stage, 'bob', await pendingId(stage));
      assert.equal(textOf(await called), 'hello');
    });
  }
});

describe('an official client that can send its user to a URL', () => {
  const capabilities = { elicitation: { url: {}, form: {} } };

  it('of the legacy era gets the error for that, with the page', async (t) => {
    const stage = await startApprovals(t);
    const client = new LegacyClient({ name: 'tests', version: '1' }, { capabilities });
    await client.connect(new LegacyTransport(new URL(stage.gateway.url), { requestInit: { headers: bearer('ann') } }));
    t.after(() => client.close());
    const given = { name: 'dual_echo', arguments: { text: 'hello' } };
    const refusal = await failureOf(client.callTool(given));
    assert.equal(refusal.code, -32042);
    const [{ url, elicitationId, mode }] = refusal.data.elicitations;
    assert.deepEqual([mode, url], ['url', `${stage.console}/approvals/${elicitationId}`]);
    await answer(stage, 'bob', elicitationId);
    assert.equal(textOf(await client.callTool(given)), 'hello');
  });

  it('of 2026-07-28 sends its user there, and comes again by itself', async (t) => {
    const stage = await startApprovals(t);
    const client = new ModernClient({ name: 'tests', version: '1' }, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } });
    const asked = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params);
      const id = params.url.split('/').at(-1);
      if (asked.length === 1) await answer(stage, 'bob', id);
      return { action: 'accept' };
    });
    await client.connect(new ModernTransport(new URL(stage.gateway.url), { requestInit: { headers: bearer('ann') } }));
    t.after(() => client.close());
    assert.equal(textOf(await client.callTool({ name: 'dual_echo', arguments: { text: 'hello' } })), 'hello');
    assert.deepEqual(asked.map(({ mode }) => mode), ['url']);
    assert.equal(stage.sent('hello').length, 1);
  });

  it('approves nothing by accepting', async (t) => {
    const stage = await startApprovals(t);
    const client = new ModernClient({ name: 'tests', version: '1' }, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } });
    client.setRequestHandler('elicitation/create', async () => ({ action: 'accept' }));
    await client.connect(new ModernTransport(new URL(stage.gateway.url), { requestInit: { headers: bearer('ann') } }));
    t.after(() => client.close());
    const refusal = await failureOf(client.callTool({ name: 'dual_echo', arguments: { text: 'hello' } }));
    assert.match(refusal.message, /A person must approve this call first/);
    assert.equal(stage.sent('hello').length, 0);
    const [{ id }] = (await list(stage, 'bob')).body.approvals;
    assert.deepEqual(stepsOf(stage.gateway, id), ['pending by ann']);
  });
});

describe('other ways to call', () => {
  it('the Inspector on the command line says what to do, and passes afterwards', async (t) => {
    const stage = await startApprovals(t);
    // It asks for its version in the package that it is a part of, which is all of the Inspector.
    writeFileSync(join(kScope, 'package.json'), '{ "name": "@modelcontextprotocol/inspector", "version": "1.0.3" }\n');
    const inspect = () =>
      new Promise((done) => {
        const given = [kInspector, '--cli', stage.gateway.url, '--transport', 'http', '--header', `Authorization: ${bearer('ann').authorization}`, '--method', 'tools/call', '--tool-name', 'dual_echo', '--tool-arg', 'text=hello'];
        execFile(kNode, given, { timeout: 30_000 }, (error, stdout, stderr) => done({ code: error?.code ?? 0, text: stdout + stderr }));
      });
    const refused = await inspect();
    assert.match(refused.text, /A person must approve this call first/);
    await answer(stage, 'bob', /approval ([0-9a-f-]{36})/.exec(refused.text)[1]);
    const passed = await inspect();
    assert.match(passed.text, /"text": "hello"/, passed.text);
  });

  it('a client that writes lines, over standard input', async (t) => {
    const dual = await startDualServer();
    t.after(() => dual.stop());
    const place = stdioPlace();
    const port = await freePort();
    const config = join(place.directory, 'bartizan.toml');
    writeFileSync(config, `version = 1
[auth.stdio]
principal = "ann"
[audit]
file = "audit.jsonl"
[console]
address = "127.0.0.1:${port}"
roles = ["operator"]
[state]
file = "state.db"
${httpServer('dual', dual.url)}${peopleAuth()}
[rule.callers]
effect = "permit"
roles = ["caller"]
tools = ["dual/*"]
${kEchoNeedsABoss}`);
    const peer = new StdioPeer(['run', '--stdio', config], { place });
    await peer.initialize();
    const { error } = await peer.call(1, 'dual_echo', { text: 'hello' });
    assert.equal(error.data.reason, 'needs_approval');
    const stage = { console: `http://127.0.0.1:${port}` };
    assert.equal((await answer(stage, 'bob', error.data.approval_id)).status, 200);
    assert.equal(textOf((await peer.call(2, 'dual_echo', { text: 'hello' })).result), 'hello');
    await peer.end();
  });
});
