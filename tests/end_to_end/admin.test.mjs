// What the operator may ask: the admin socket and the status pages, and who gets neither.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { eventually } from './assertions.mjs';
import { runProgram, startGateway, temporaryDirectory } from './harness.mjs';
import { kPlain, stdioServer } from './servers.mjs';
import { LegacySession, send } from './wire.mjs';

/** One request over the Unix socket. */
function ask(socketPath, path, method = 'GET') {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path, method }, (incoming) => {
      let body = '';
      incoming.on('data', (chunk) => (body += chunk));
      incoming.on('end', () => resolve({ status: incoming.statusCode, body }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

describe('an address that is taken', () => {
  it('is named with its key, beside every other one', async () => {
    const first = await startGateway('');
    const config = join(temporaryDirectory(), 'second.toml');
    writeFileSync(config, readFileSync(first.configFile, 'utf8').replace(first.auditFile, `${first.auditFile}.second`));
    const { code, stderr } = await runProgram('run', config);
    await first.stop();
    assert.equal(code, 1);
    assert.match(stderr, /\[listen\] address: cannot listen on 127\.0\.0\.1:\d+: [^;]*; \[metrics\] address: cannot listen on/);
    assert.ok(!existsSync(`${first.auditFile}.second`));
  });
});

describe('what is doubtful about a configuration', () => {
  const kRules = `
[rule.typed-wrongly]
effect = "permit"
roles = ["tester"]
tools = ["plain/slow_ehco"]
[tool."plain/slow_ehco"]
timeout = "1s"
[rule.all]
effect = "permit"
roles = ["tester"]
tools = ["plain/*"]
`;
  it('stands in the log at the start', async (t) => {
    const gateway = await startGateway(stdioServer('plain', [kPlain], 'env = { A_TOKEN = "x" }') + kRules);
    t.after(() => gateway.stop());
    assert.match(gateway.log(), /env \\"A_TOKEN\\" of server \\"plain\\" looks like a secret/);
  });

  it('is told of names that no tool has, once the tools are known', async (t) => {
    const gateway = await startGateway(stdioServer('plain', [kPlain]) + kRules);
    t.after(() => gateway.stop());
    assert.equal((await gateway.readiness()).body.warnings, undefined);
    const session = await LegacySession.open(gateway.url);
    await session.request(1, 'tools/list');
    await eventually(async () => (await gateway.readiness()).body.warnings?.length === 2, 'two warnings');
    assert.deepEqual((await gateway.readiness()).body.warnings, [
      'rule "typed-wrongly": "plain/slow_ehco" is not a tool of plain',
      'profile "plain/slow_ehco" guards nothing: "plain/slow_ehco" is not a tool of plain',
    ]);
    assert.match(gateway.log(), /did you mean \\"slow_echo\\"\?/);
  });
});

describe('the operator', () => {
  const socket = join(temporaryDirectory(), 'admin.sock');
  let gateway;
  before(async () => {
    gateway = await startGateway(`[admin]\nsocket = "${socket}"\n` + stdioServer('plain', [kPlain]));
  });
  after(() => gateway?.stop());

  it('sees the state of the process over a socket that is its own', async () => {
    assert.equal(statSync(socket).mode & 0o777, 0o600);
    const { status, body } = await ask(socket, '/api/status');
    assert.equal(status, 200);
    const state = JSON.parse(body);
    assert.equal(state.servers.plain.up, true);
    assert.match(state.audit_head, /^[1-9]\d*:[0-9a-f]{64}$/);
    assert.ok(state.memory.max > 0);
  });

  it('can only read there', async () => {
    assert.equal((await ask(socket, '/api/status', 'POST')).status, 405);
    assert.equal((await ask(socket, '/api/nothing')).status, 404);
    assert.equal((await ask(socket, '/metrics')).status, 404);
  });

  it('finds no status page on the MCP listener', async () => {
    for (const path of ['/metrics', '/healthz', '/readyz', '/api/status']) {
      assert.equal((await send(new URL(path, gateway.url), { method: 'GET' })).status, 404, path);
    }
  });

  it('is told of every documented family', async () => {
    const text = await gateway.metrics();
    for (const family of [
      'bartizan_sessions', 'bartizan_connections', 'bartizan_server_up', 'bartizan_server_queue_calls',
      'bartizan_server_in_flight_calls', 'bartizan_audit_records_total', 'bartizan_audit_head_sequence',
      'bartizan_audit_pending_records', 'bartizan_memory_reserved_bytes', 'bartizan_build_info',
    ]) {
      assert.match(text, new RegExp(`^# TYPE ${family} `, 'm'));
    }
  });

  it('keeps a file that is no socket, and a socket that answers', async () => {
    const file = join(temporaryDirectory(), 'precious');
    writeFileSync(file, 'kept');
    for (const path of [file, socket]) {
      await assert.rejects(startGateway(`[admin]\nsocket = "${path}"\n` + stdioServer('plain', [kPlain])));
    }
    assert.equal((await ask(socket, '/api/status')).status, 200);
    assert.ok(statSync(file).isFile());
  });
});
