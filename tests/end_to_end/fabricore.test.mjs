// Fabricore's agents and orchestrator before the gateway, with the configuration that
// docs/other-protocols.md has for them: every row of the table of its document.
import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { eventually } from './assertions.mjs';
import { Fabricore, identification, kAgent, kToken, keyOf } from './fabricore_stage.mjs';
import { apply } from './reloading.mjs';
import { responseOf, sendModern } from './wire.mjs';

const kDownload = { source_url: 'https://fabricore-server/api/v1/files/scripts/update_agent.sh', destination_path: '/tmp/update_agent.sh', verify_hash: `sha256:${'e3b0c442'.repeat(8)}` };
const isViolation = ({ code, message }) => code === -32003 && message.startsWith('Security Violation: ');

/** Thirty spellings of what the document blocks. */
const kBlocked = [
  'rm -rf /', 'rm -fr /', 'rm -r -f /', 'rm -f -r /', 'rm -Rf /', 'rm --recursive --force /', 'rm --recurs -f /', 'rm -rf //', 'rm -rf /.', 'rm -rf /./',
  'rm -rf /../', 'rm -rf /tmp/..', 'rm -rf "/"', "rm -rf '/'", 'r\\m -rf /', '"rm" -rf /', "'r'm -rf /", '/bin/rm -rf /', '/usr/bin/../bin/rm -rf /', 'rm -rf -- /',
  'rm  -rf   /', 'rm\t-rf\t/', 'rm -rf / ', 'sudo rm -rf /', 'rm -rf /*', 'mkfs /dev/sda', 'mkfs.ext4 /dev/sda1', 'sudo mkfs /dev/sda', '"mkfs" /dev/sda', 'mk\\fs /dev/sda',
];

describe('Fabricore', () => {
  const place = new Fabricore();
  let agent;
  let orchestrator;
  before(async () => {
    await place.start();
    agent = await place.connected();
    orchestrator = place.orchestrator();
  });
  after(() => place.stop());

  const records = (kind) => place.gateway.records().filter((one) => one.kind === kind);
  const lastSent = () => agent.got.at(-1);
  const callOfMcp = async (args, more = {}) =>
    responseOf(await sendModern(`http://127.0.0.1:${place.port}/mcp`, 'tools/call', { name: 'agent-db_exec_command', arguments: args, ...more }, { headers: { authorization: `Bearer ${keyOf('backend')}` } }));
  let asked = 100;
  const execute = (tool_name, args, more = {}) => orchestrator.request(`req-${(asked += 1)}`, 'tool.execute', { tool_name, arguments: args, ...more });

  describe('agents', () => {
    it('identifies, and is answered', () => {
      assert.deepEqual(agent.answers[0], { jsonrpc: '2.0', id: 1, result: { status: 'identified' } });
    });

    it('keeps the inventory, and uses none of it', async () => {
      const { status, body } = await place.http('GET', `/agents/${kAgent}/details`);
      assert.equal(status, 200);
      assert.deepEqual(body.mcp_servers, identification().mcp_servers);
      assert.deepEqual(body.os_info, identification().os_info);
      assert.deepEqual(body.security_policy, identification().security_policy);
      const record = records('server').find((one) => one.detail.startsWith('agent.identify'));
      assert.match(record.detail, /prod-db-01.*brave-search/);
      assert.deepEqual([record.server, record.endpoint, record.transport], ['agent-db', 'fabricore', 'websocket']);
    });

    it('keeps the token to itself', async () => {
      const { body } = await place.http('GET', `/agents/${kAgent}/details`);
      const everything = JSON.stringify([body, place.gateway.records()]) + place.gateway.log();
      assert.match(everything, /uuid-550e8400-e29b/, 'the control: what was looked through has the agent');
      assert.ok(!everything.includes(kToken));
    });

    const kRefused = [
      ['with another token', { token: 'auth-token-secret-124' }, -32001, 'credentials_invalid'],
      ['with another id', { agent_id: 'uuid-550e8400-e29c' }, -32001, 'credentials_invalid'],
      ['a second time, whatever it knows', {}, -32001, 'credentials_invalid'],
      ['without a token', { token: undefined }, -32600, 'invalid_request'],
      ['with an id that is not a text', { agent_id: 5 }, -32600, 'invalid_request'],
      ['with servers that are no list', { mcp_servers: {} }, -32600, 'invalid_request'],
      ['with a policy of another type', { security_policy: { blocked_commands: 'rm' } }, -32600, 'invalid_request'],
    ];
    for (const [name, more, code, reason] of kRefused) {
      it(`refuses an agent: ${name}`, async () => {
        const seen = records('refusal').length;
        const other = place.agent({ identify: identification(more) });
        await other.closed();
        assert.equal(other.answers[0].error.code, code);
        const refusal = (await eventually(() => records('refusal').slice(seen), 'a record'))[0];
        assert.deepEqual([refusal.reason, refusal.endpoint], [reason, 'fabricore']);
        assert.equal((await execute('exec_command', { command: 'systemctl status' })).result.status, 'success', 'the first one is still there');
      });
    }

    it('refuses an agent that begins with something else', async () => {
      const other = place.agent({ identify: null });
      await eventually(() => other.socket.readyState === WebSocket.OPEN, 'the WebSocket');
      other.ask('tool.execute', { tool_name: 'exec_command' });
      await other.closed();
      assert.equal(other.answers[0].error.code, -32600);
    });

    it('refuses a second agent.identify, and goes on', async () => {
      const id = agent.ask('agent.identify', identification({ agent_id: 'another' }));
      assert.equal((await agent.answered(id)).error.code, -32600);
      const id2 = agent.ask('tools/list', {});
      assert.equal((await agent.answered(id2)).error.code, -32601);
      assert.equal((await execute('exec_command', { command: 'systemctl status' })).result.status, 'success');
    });

    it('lets no stranger to an agent’s own path, nor anybody to an agent that is not theirs', async () => {
      for (const peer of [place.orchestrator(null), place.orchestrator('admin'), place.orchestrator('backend', 'uuid-of-nobody')]) {
        await eventually(() => peer.error, 'a refusal');
      }
      assert.equal((await place.http('GET', '/agents', undefined, null)).status, 401);
    });
  });

  describe('tool.execute', () => {
    it('executes, with both ids and the bytes of the arguments', async () => {
      const answer = await execute('exec_command', { command: 'systemctl restart nginx', timeout: 30 }, { execution_id: 'task-999', approved_by: 'admin_user_id' });
      assert.deepEqual(answer, { jsonrpc: '2.0', id: `req-${asked}`, result: { status: 'success', output: 'Service restarted successfully.', exit_code: 0, timestamp: '2024-02-05T12:00:00Z' } });
      const { id, ...sent } = lastSent();
      assert.match(id, /^req-\d+$/);
      assert.deepEqual(sent, { jsonrpc: '2.0', method: 'tool.execute', params: { tool_name: 'exec_command', arguments: { command: 'systemctl restart nginx', timeout: 30 }, execution_id: 'task-999' } }, 'without approved_by of the client');
      const decision = records('decision').at(-1);
      assert.deepEqual([decision.server, decision.target, decision.principal, decision.correlation_id, decision.decision], ['agent-db', 'exec_command', 'backend', 'task-999', 'permit']);
    });

    it('reports a command that failed', async () => {
      const { result } = await execute('exec_command', { command: 'df' });
      assert.deepEqual(result, { status: 'error', output: 'df: no such disk', exit_code: 1 });
      const ended = await eventually(() => records('outcome').at(-1), 'an outcome');
      assert.equal(ended.outcome, 'tool_error');
    });

    it('redacts what the agent answers', async () => {
      const { result } = await execute('exec_command', { command: 'ls' });
      assert.match(result.output, /^AWS_SECRET_ACCESS_KEY=/);
      assert.doesNotMatch(JSON.stringify(result), /kX8dPq2R/);
    });

    for (const command of kBlocked) {
      it(`blocks ${JSON.stringify(command)}`, async () => {
        const sent = agent.got.length;
        const { error } = await execute('exec_command', { command });
        assert.ok(error, 'an error');
        assert.equal(error.data.source, 'gateway');
        assert.match(error.data.reason, /^command_(blocked|not_allowed|malformed)$/);
        assert.equal(agent.got.length, sent, 'nothing was sent');
      });
    }

    it('sends what is almost blocked', async () => {
      assert.equal((await execute('exec_command', { command: 'rm -rf /tmp/build/cache' })).result.status, 'success');
    });

    it('downloads from the backend only', async () => {
      assert.equal((await execute('download_file', kDownload)).result.status, 'success');
      assert.deepEqual(lastSent().params.arguments, kDownload);
      for (const [more, reason] of [[{ source_url: 'https://evil.example/x' }, 'url_not_allowed'], [{ source_url: 'http://fabricore-server/x' }, 'url_not_allowed'], [{ destination_path: '/etc/cron.d/x' }, 'path_outside_root'], [{ destination_path: '/tmp/../etc/x' }, 'path_outside_root'], [{ verify_hash: 'sha256:e3' }, 'argument_not_allowed']]) {
        const { error } = await execute('download_file', { ...kDownload, ...more });
        assert.equal(error.data.reason, reason, JSON.stringify(more));
      }
    });

    it('refuses as the document has it, and names the gateway', async () => {
      const { error } = await execute('unlisted_tool', {});
      assert.equal(error.data.reason, 'tool_unknown');
      const denied = await place.command('exec_command', { command: 'ls' }, {}, 'admin');
      assert.equal(denied.status, 404, 'no rule lets admin use the agent');
    });

    for (const [name, method, params, code] of [
      ['a method that agents do not have', 'tools/list', {}, -32601],
      ['members that it has not', 'tool.execute', { tool_name: 'exec_command', sudo: true }, -32602],
      ['no tool', 'tool.execute', { arguments: {} }, -32602],
      ['arguments that are no object', 'tool.execute', { tool_name: 'exec_command', arguments: ['ls'] }, -32602],
      ['arguments that do not fit the schema', 'tool.execute', { tool_name: 'exec_command', arguments: { command: 5 } }, -32602],
      ['an execution_id that is not a text', 'tool.execute', { tool_name: 'exec_command', arguments: {}, execution_id: 4 }, -32602],
      ['an execution_id with more than an id', 'tool.execute', { tool_name: 'exec_command', arguments: {}, execution_id: 'task; rm -rf /' }, -32602],
    ]) {
      it(`refuses ${name}`, async () => {
        const sent = agent.got.length;
        const { error } = await orchestrator.request(`req-${(asked += 1)}`, method, params);
        assert.equal(error.code, code, JSON.stringify(error));
        assert.equal(agent.got.length, sent);
      });
    }
  });

  describe('mcp.proxy', () => {
    const proxy = (inner, target_server = 'postgres-mcp') => orchestrator.request(`req-${(asked += 1)}`, 'mcp.proxy', { target_server, inner_request: { jsonrpc: '2.0', method: 'tools/call', id: 50, ...inner } });
    const query = (sql) => ({ params: { name: 'query_database', arguments: { sql } } });

    it('carries a call to an MCP server, and answers with both ids', async () => {
      const answer = await proxy(query('SELECT count(*) FROM users;'));
      assert.equal(answer.id, `req-${asked}`);
      assert.equal(answer.result.id, 50);
      assert.deepEqual(answer.result.result.content, [{ type: 'text', text: '[{"count": 3}]' }]);
      const { params, method } = lastSent();
      assert.equal(method, 'mcp.proxy');
      assert.equal(params.target_server, 'postgres-mcp');
      const { id, ...inner } = params.inner_request;
      assert.ok(Number.isInteger(id));
      assert.deepEqual(inner, { jsonrpc: '2.0', method: 'tools/call', params: { name: 'query_database', arguments: { sql: 'SELECT count(*) FROM users;' } } });
      assert.equal(records('decision').at(-1).target, 'postgres-mcp.query_database');
    });

    it('judges the inner call', async () => {
      const sent = agent.got.length;
      const { error } = await proxy(query('DROP TABLE users'));
      assert.equal(error.data.reason, 'sql_not_allowed');
      assert.equal((await proxy(query('SELECT 1'), 'brave-search')).error.data.reason, 'tool_unknown');
      assert.equal((await proxy({ params: { name: 'other' } })).error.data.reason, 'tool_unknown');
      assert.equal(agent.got.length, sent);
    });

    it('carries nothing but tools/call', async () => {
      const { error } = await proxy({ method: 'resources/read', params: { uri: 'file:///etc/passwd' } });
      assert.equal(error.code, -32601);
      assert.equal((await proxy({ id: undefined, ...query('SELECT 1') })).error.code, -32602);
    });

    it('takes no answer to another inner request', async () => {
      const usual = agent.answer;
      agent.answer = () => ({ result: { jsonrpc: '2.0', id: 7, result: { content: [{ type: 'text', text: 'of another' }] } } });
      try {
        const { error } = await proxy(query('SELECT count(*) FROM users'));
        assert.match(error.message, /another inner request/);
        assert.equal(error.data.source, 'agent');
      } finally {
        agent.answer = usual;
      }
    });
  });

  describe('approvals', () => {
    // Each try has an id of its own, as an orchestrator's have.
    let tries = 0;
    const restart = () => execute('restart_service', { service: 'nginx' }, { execution_id: `task-${(tries += 1)}` });

    it('lists what waits, approves, and sends who approved, signed', async () => {
      const sent = agent.got.length;
      const refused = (await restart()).error;
      assert.ok(isViolation(refused), JSON.stringify(refused));
      assert.deepEqual([refused.data.policy_rule, refused.data.remediation, refused.data.source], ['restarts-need-an-admin', 'Request admin approval via Dashboard.', 'gateway']);
      const { body } = await place.console('GET', 'pending');
      assert.deepEqual(body.pending.map(({ approval_id: id, call }) => [id, call.params.arguments]), [[refused.data.approval_id, { service: 'nginx' }]]);
      assert.equal((await place.console('POST', 'approve', { approval_id: refused.data.approval_id }, 'backend')).status, 403, 'the caller cannot');
      const approved = await place.console('POST', 'approve', { approval_id: refused.data.approval_id, why: 'planned' });
      assert.equal(approved.status, 200, JSON.stringify(approved));
      assert.deepEqual((await place.console('GET', 'pending')).body.pending, []);
      assert.equal((await restart()).result.status, 'success');
      assert.equal(agent.got.length, sent + 1);
      const [header, claims, signature] = lastSent().params.approved_by.split('.');
      const key = createPublicKey(readFileSync(join(place.written.place.directory, 'approvals.pem')));
      assert.ok(verify(null, Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url')), 'the agent can verify it');
      const said = JSON.parse(Buffer.from(claims, 'base64url'));
      assert.deepEqual([said.decision, said.approver, said.server, said.target, said.approval], ['approve', 'admin_user_id', 'agent-db', 'restart_service', refused.data.approval_id]);
      assert.ok(isViolation((await restart()).error), 'once');
    });

    it('denies', async () => {
      const { error } = await restart();
      const denied = await place.console('POST', 'deny', { approval_id: error.data.approval_id });
      assert.equal(denied.status, 200, JSON.stringify(denied));
      assert.equal((await restart()).error.data.reason, 'approval_denied');
    });

    it('takes no other answer', async () => {
      for (const body of [{}, { id: 'x' }, { approval_id: 5 }, []]) assert.equal((await place.console('POST', 'approve', body)).status, 400);
      assert.equal((await place.console('POST', 'approve', { approval_id: '019a0000-0000-7000-8000-000000000000' })).status, 404);
      assert.equal((await place.console('POST', 'pending', {})).status, 405);
      assert.equal((await place.console('GET', 'approve')).status, 405);
    });

    it('drops approved_by of a client of MCP', async () => {
      const { result } = await callOfMcp({ command: 'systemctl status' }, { approved_by: 'forged' });
      assert.equal(result.structuredContent.status, 'success');
      assert.deepEqual(lastSent().params, { tool_name: 'exec_command', arguments: { command: 'systemctl status' } });
    });
  });

  describe('over HTTP', () => {
    it('lists agents of which a rule lets the caller use a tool', async () => {
      const { body } = await place.http('GET', '/agents');
      assert.equal(body.agents.length, 1);
      const { connected_since: since, ...listed } = body.agents[0];
      assert.deepEqual(listed, { agent_id: kAgent, name: 'agent-db', status: 'online' });
      assert.ok(Math.abs(since - Date.now() / 1000) < 600);
      assert.deepEqual((await place.http('GET', '/agents', undefined, 'admin')).body, { agents: [] });
    });

    it('takes a command', async () => {
      const { status, body } = await place.command('exec_command', { command: 'systemctl status' }, { execution_id: 'task-2' });
      assert.deepEqual([status, body.status], [200, 'success']);
      assert.equal(lastSent().params.execution_id, 'task-2');
      const decision = records('decision').at(-1);
      assert.deepEqual([decision.transport, decision.endpoint, decision.correlation_id], ['http', 'fabricore', 'task-2']);
    });

    it('takes a command for an MCP server', async () => {
      const inner_request = { jsonrpc: '2.0', method: 'tools/call', id: 'x', params: { name: 'query_database', arguments: { sql: 'SELECT count(*) FROM users' } } };
      const { body } = await place.http('POST', `/agents/${kAgent}/command`, { target_server: 'postgres-mcp', inner_request });
      assert.equal(body.id, 'x');
    });

    for (const [name, body, status, match] of [
      ['a blocked command', { tool_name: 'exec_command', arguments: { command: 'rm -rf /' } }, 400, /command_blocked/],
      ['what needs an approval', { tool_name: 'restart_service', arguments: { service: 'postgresql' } }, 403, /restarts-need-an-admin/],
      ['an unknown tool', { tool_name: 'other', arguments: {} }, 404, /tool_unknown/],
      ['other members', { tool_name: 'exec_command', cwd: '/' }, 400, /no other members/],
      ['an array', [], 400, /object/],
      ['two methods in one', '{"tool_name":"exec_command"},"method":"mcp.proxy"', 400, /object|message/],
    ]) {
      it(`refuses ${name}`, async () => {
        const sent = agent.got.length;
        const answer = await place.http('POST', `/agents/${kAgent}/command`, body);
        assert.equal(answer.status, status, JSON.stringify(answer));
        assert.match(JSON.stringify(answer.body), match);
        assert.equal(agent.got.length, sent);
      });
    }

    for (const [method, path, status] of [['POST', '/agents', 405], ['GET', `/agents/${kAgent}/command`, 405], ['GET', `/agents/${kAgent}`, 405], ['GET', '/agents/none/details', 404], ['GET', `/agents/${kAgent}/token`, 404], ['GET', '', 426], ['DELETE', `/agents/${kAgent}/details`, 405]]) {
      it(`answers ${method} ${path} with ${status}`, async () => {
        assert.equal((await place.http(method, path)).status, status);
      });
    }
  });

  describe('the agent itself', () => {
    it('passes the agent’s refusal, marked as the agent’s', async () => {
      const usual = agent.answer;
      agent.answer = () => ({ error: { code: -32003, message: 'Security Violation: Action requires HITL Approval.', data: { policy_rule: 'restart_service_requires_approval', remediation: 'Request admin approval via Dashboard.', source: 'gateway' } } });
      try {
        const { error } = await execute('exec_command', { command: 'systemctl status' });
        assert.deepEqual(error, { code: -32003, message: 'Security Violation: Action requires HITL Approval.', data: { source: 'agent', policy_rule: 'restart_service_requires_approval', remediation: 'Request admin approval via Dashboard.' } });
        assert.equal((await place.command('exec_command', { command: 'systemctl status' })).status, 403);
        const told = await callOfMcp({ command: 'systemctl status' });
        assert.deepEqual([told.error.code, told.error.data.agent.policy_rule], [-32003, 'restart_service_requires_approval']);
      } finally {
        agent.answer = usual;
      }
    });

    it('does not pass for the gateway', async () => {
      const usual = agent.answer;
      agent.answer = () => ({ error: { code: 1, message: 'no', data: { reason: 'forbidden', decision_id: 'x', policy_rule: 'restarts-need-an-admin' } } });
      try {
        assert.equal((await execute('exec_command', { command: 'systemctl status' })).error.data.source, 'agent');
      } finally {
        agent.answer = usual;
      }
    });

    it('is gone: its calls fail, its tools go, and it may come again', async () => {
      const usual = agent.answer;
      agent.answer = () => null;
      const waiting = execute('exec_command', { command: 'systemctl status' });
      const sent = agent.got.length;
      await eventually(() => agent.got.length > sent, 'the call at the agent');
      agent.stop();
      assert.ok((await waiting).error);
      agent.answer = usual;
      await eventually(async () => (await place.http('GET', '/agents')).body.agents[0].status === 'offline', 'the end');
      assert.equal((await place.command('exec_command', { command: 'ls' })).status, 503);
      agent = await place.connected();
      await eventually(async () => (await place.command('exec_command', { command: 'systemctl status' })).status === 200, 'the agent again', 20_000);
    });
  });
});

describe('Fabricore, an agent with a policy of its own', () => {
  const place = new Fabricore();
  let agent;
  before(async () => {
    // Nothing of the operator's stands in the way of these commands and tools.
    await place.start({
      pieces: [
        ['programs = ["systemctl", "df", "ls", "rm", "mkfs", "mkfs.ext4"]', 'programs = ["systemctl", "df", "shutdownd", "nginx", "/usr/sbin/nginx"]'],
        ['arguments.rm = ["-rf", "/tmp/build/[a-z]+", "/"]\n', 'syntax = ["pipes"]\n'],
        ['timeout = "40s"', 'timeout = "2s"'],
      ],
      more: '[session]\nauthentication_timeout = "1s"\n',
    });
    agent = await place.connected({ identify: identification({ security_policy: { hitl_enabled: true, blocked_commands: ['shutdownd now', 'nginx'], requires_approval_for: ['list_files'] } }) });
  });
  after(() => place.stop());

  const assertDenied = () => {
    const { decision, check } = place.gateway.records().filter(({ kind }) => kind === 'decision').at(-1);
    assert.deepEqual([decision, check], ['deny', 'agent']);
  };

  it('narrows by the agent’s policy: approvals', async () => {
    const { status, body } = await place.command('list_files', { path: '/tmp' });
    assert.deepEqual([status, body.error.code, body.error.data.source, body.error.data.reason], [403, -32003, 'gateway', 'needs_approval']);
    assertDenied();
    assert.equal(agent.got.length, 0);
  });

  for (const command of ['nginx', 'nginx -s stop', '/usr/sbin/nginx', '"nginx"', 'sudo nginx -s stop', 'df | nginx', 'shutdownd now', "shutdownd 'now' -f"]) {
    it(`narrows by the agent’s policy: ${command}`, async () => {
      const { status, body } = await place.command('exec_command', { command });
      assert.deepEqual([status, body.error.code, body.error.data.source, body.error.data.reason], [403, -32003, 'gateway', 'forbidden'], JSON.stringify(body));
      assertDenied();
      assert.equal(agent.got.length, 0);
    });
  }

  it('sends what the policy does not name', async () => {
    assert.equal((await place.command('exec_command', { command: 'shutdownd later' })).status, 200);
    assert.equal(agent.got.length, 1);
  });

  it('does not wait for ever: for an agent that says nothing, or answers nothing', async () => {
    const silent = place.agent({ identify: null });
    await silent.closed();
    agent.answer = () => null;
    assert.equal((await place.command('exec_command', { command: 'df' })).status, 504);
    agent.send('no JSON');
    agent.send({ jsonrpc: '2.0', id: 'req-1', result: { status: 'success', output: 'late' } });
    agent.answer = () => ({ result: 'plain' });
    const { body } = await place.command('exec_command', { command: 'df' });
    assert.deepEqual(body, { status: 'success', output: '"plain"' });
  });

  it('ends the connection where a reload gives the agent another token', async () => {
    const text = readFileSync(place.gateway.configFile, 'utf8');
    await apply(place.gateway, text.replace(/token_sha256 = "[0-9a-f]+"/, `token_sha256 = "${'0'.repeat(64)}"`));
    await agent.closed();
    const other = place.agent();
    await other.closed();
    assert.equal(other.answers[0].error.code, -32001);
  });
});
