// The osquery server of the Spring AI agent, unmodified behind the gateway, with the configuration that
// docs/other-protocols.md has for it: the agent's client, the one-line tests of its document, and each
// sentence on security, limits and errors.
import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually, textOf } from './assertions.mjs';
import { freePort, kProgram, runProgram, temporaryDirectory } from './harness.mjs';
import { configurationOf, kSeeds, netcat, NextLineClient, noSandbox, pin, replaced, shell, startWritten, userLine, writeConfiguration } from './seeds_stage.mjs';
import { LinePeer } from './wire_peer.mjs';

const kPage = configurationOf('osquery server');
const kSandbox = /\[server\.osquery\.sandbox\]\n(.+\n)+/.exec(kPage)[0];
const kNoSandbox = await noSandbox();

/** A folder with the server and osqueryi, each the fixture itself. */
function installed() {
  const folder = join(temporaryDirectory(), 'opt');
  mkdirSync(folder);
  chmodSync(join(folder, '..'), 0o755);
  for (const name of ['osquery-mcp-server.py', 'osqueryi']) copyFileSync(join(kSeeds, 'osquery', name), join(folder, name));
  return folder;
}
const kFolder = installed();
let lock;

/** A machine with the server and osqueryi, and the configuration of the page, which names them. */
class Machine {
  constructor({ sandbox = !kNoSandbox, more = [], osqueryi = true, folder = kFolder } = {}) {
    this.folder = folder;
    this.server = join(folder, 'osquery-mcp-server.py');
    this.osqueryi = join(folder, 'osqueryi');
    this.body = replaced(kPage, [
      ...(sandbox ? [] : [[kSandbox, '']]),
      ...more,
      ['/opt/osquery/osquery-mcp-server.py', this.server],
      ['/usr/bin/osqueryi', this.osqueryi],
      ...(sandbox ? [['"/opt/osquery"', `"${folder}"`], ['user = "osquery"', userLine('nobody')]] : []),
    ]);
    // The server finds osqueryi on its PATH, as on any machine.
    const path = `/usr/bin${delimiter}/bin`;
    this.environment = { PATH: osqueryi ? `${folder}${delimiter}${path}` : path };
  }

  async write() {
    const written = writeConfiguration(this.body);
    // What a person approves once, on a machine where nothing is wrong yet.
    lock ??= await pin(writeConfiguration(new Machine().body));
    writeFileSync(join(written.place.directory, 'bartizan.lock'), lock.replaceAll(kFolder, this.folder));
    return written;
  }

  /** What the agent starts, as mcp.osquery.command and mcp.osquery.args say. */
  agent(written) {
    return new NextLineClient(kProgram, ['run', '--stdio', written.config], { place: written.place, environment: this.environment });
  }

  /** The gateway as a service, which the tests of the document reach by TCP. */
  async service() {
    this.tcpPort = await freePort();
    this.body = replaced(this.body, [['127.0.0.1:7070', `127.0.0.1:${this.tcpPort}`]]);
    this.gateway = await startWritten(await this.write(), this.environment);
    return this.gateway;
  }
}

const kInitialize = {
  jsonrpc: '2.0',
  id: '1',
  method: 'initialize',
  params: { protocolVersion: '2024-11-05', capabilities: { tools: {} }, clientInfo: { name: 'spring-ai-agent', version: '1.0.0' } },
};
const query = (id, given) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'query_osquery', arguments: given } });
const rowsOf = (answer) => JSON.parse(textOf(answer.result ?? assert.fail(JSON.stringify(answer))));

describe('the agent before the osquery server', () => {
  it('connects, lists, queries and closes, each answer the next line', async () => {
    const machine = new Machine();
    const written = await machine.write();
    const agent = machine.agent(written);
    const hello = await agent.ask(kInitialize);
    assert.equal(hello.id, '1');
    assert.equal(hello.result.protocolVersion, '2024-11-05');
    assert.deepEqual(hello.result.capabilities, { tools: {} });
    // No notification: the agent sends none.
    const listed = await agent.ask({ jsonrpc: '2.0', id: '2', method: 'tools/list', params: {} });
    assert.equal(listed.id, '2');
    assert.deepEqual(listed.result.tools.map(({ name, inputSchema }) => [name, inputSchema.required]), [['query_osquery', ['query']]]);
    const answer = await agent.ask(query('3', { query: 'SELECT * FROM system_info' }));
    assert.equal(answer.id, '3');
    assert.equal(rowsOf(answer)[0].hostname, 'mycomputer');
    // In order, though the server spins on the end of its input instead of ending.
    assert.deepEqual(await agent.close(), { code: 0, signal: null }, agent.errors);
    assert.equal(agent.unread, 0, 'nothing came that it had not asked for');
    const records = written.records();
    const decision = records.find(({ kind, method }) => kind === 'decision' && method === 'tools/call');
    assert.deepEqual([decision.client_name, decision.transport, decision.principal], ['spring-ai-agent', 'stdio', 'agent']);
  });

  // Appendix A, "Testing Standalone", with the gateway in the place of ./osquery-mcp-server.py.
  const kOneLiners = [
    [`echo '{"jsonrpc":"2.0","id":"1","method":"initialize","params":{}}'`, ({ id, result }) => assert.deepEqual([id, result.protocolVersion, result.capabilities], ['1', '2025-11-25', { tools: {} }])],
    [`echo '{"jsonrpc":"2.0","id":"2","method":"tools/list","params":{}}'`, ({ id, result }) => assert.deepEqual([id, result.tools[0].name], ['2', 'query_osquery'])],
    [`echo '{"jsonrpc":"2.0","id":"3","method":"tools/call","params":{"name":"query_osquery","arguments":{"sql":"SELECT hostname FROM system_info"}}}'`, (answer) => assert.deepEqual([answer.id, rowsOf(answer)], ['3', [{ hostname: 'mycomputer' }]])],
  ];
  describe('as a program', { concurrency: true }, () => {
    const machine = new Machine();
    for (const [line, check] of kOneLiners) {
      it(`passes ${line.slice(6, 66)}… over standard input`, async () => {
        const { config } = await machine.write();
        const { code, answers, log } = await shell(`${line} | "$bartizan" run --stdio "$config"`, { config }, machine.environment);
        assert.equal(code, 0, log);
        assert.equal(answers.length, 1);
        check(answers[0]);
      });
    }
  });

  describe('as a service', () => {
    const machine = new Machine();
    before(() => machine.service());
    after(() => machine.gateway?.crash());
    for (const [line, check] of kOneLiners) {
      it(`passes ${line.slice(6, 66)}… over TCP`, async () => {
        const { answers, log } = await shell(`${line} | ${netcat(machine.tcpPort)}`);
        assert.equal(answers.length, 1, log);
        check(answers[0]);
      });
    }
  });
});

describe('a query of the agent', () => {
  const machine = new Machine({ more: [['rate = ["60/min"]', 'rate = ["600/min"]']] });
  let peer;
  let id = 0;
  before(async () => {
    await machine.service();
    peer = new LinePeer({ host: '127.0.0.1', port: machine.tcpPort });
  });
  after(async () => {
    peer?.stop();
    await machine.gateway?.crash();
  });
  const ask = (given) => peer.request((id += 1), 'tools/call', { name: 'query_osquery', arguments: given });
  const lastOutcome = () => eventually(() => machine.gateway.records().findLast(({ kind, method }) => kind === 'outcome' && method === 'tools/call'), 'an outcome');

  // "Example Queries Supported", and the templates of appendix A.
  for (const sql of [
    'SELECT * FROM system_info',
    'SELECT * FROM processes',
    'SELECT * FROM users',
    'SELECT * FROM listening_ports',
    'SELECT hostname FROM system_info',
    'SELECT pid, name, cmdline FROM processes',
    'SELECT username, uid FROM users',
    'SELECT * FROM processes LIMIT 10',
  ]) {
    it(`passes: ${sql}`, async () => assert.ok(rowsOf(await ask({ query: sql })).length >= 1));
  }

  it('may name its argument as the server lists it or as it reads it, never both', async () => {
    assert.equal(rowsOf(await ask({ query: 'SELECT hostname FROM system_info' }))[0].hostname, 'mycomputer');
    assert.equal(rowsOf(await ask({ sql: 'SELECT hostname FROM system_info' }))[0].hostname, 'mycomputer');
    for (const given of [
      { query: 'SELECT hostname FROM system_info', sql: 'SELECT hostname FROM system_info' },
      { query: 'SELECT hostname FROM system_info', sql: 'SELECT hash FROM shadow' },
      { sql: 'SELECT hostname FROM system_info', query: 'SELECT hash FROM shadow' },
    ]) {
      assertRefused((await ask(given)).error, 'argument_not_absent');
    }
  });

  // validate_query of the document only looks for the name of a table somewhere in the text. It would let
  // pass all of these.
  for (const [sql, reason] of [
    ['SELECT hash FROM shadow', 'sql_not_allowed'],
    ["SELECT hash FROM shadow WHERE 'users' = 'users'", 'sql_not_allowed'],
    ['SELECT * FROM users UNION SELECT username, hash, 1 FROM shadow', 'sql_not_allowed'],
    ['SELECT * FROM users WHERE uid IN (SELECT hash FROM shadow)', 'sql_not_allowed'],
    ['SELECT * FROM users, file_lines', 'sql_not_allowed'],
    ['SELECT * FROM "shadow" -- users', 'sql_not_allowed'],
    ['SELECT * FROM users; DROP TABLE users', 'sql_malformed'],
    ["SELECT load_extension('users')", 'sql_not_allowed'],
    ["ATTACH DATABASE '/tmp/users' AS users", 'sql_not_allowed'],
    ['PRAGMA table_info(users)', 'sql_not_allowed'],
    ['DELETE FROM users', 'sql_not_allowed'],
    ['.shell id users', 'sql_malformed'],
    ['--config_path=users', 'sql_malformed'],
    [' .tables users', 'sql_malformed'],
    ['', 'sql_malformed'],
  ]) {
    it(`is refused: ${sql || '(empty)'}`, async () => {
      const { error } = await ask({ query: sql });
      assertRefused(error, reason);
      assert.equal(error.code, -32000);
      assert.equal(error.data.pointer, '/sql');
    });
  }

  it('that osqueryi cannot run has an empty list for an answer, as the document says', async () => {
    assert.deepEqual(rowsOf(await ask({ sql: 'SELECT no_such_column FROM users' })), []);
    assert.deepEqual(rowsOf(await ask({ sql: "SELECT * FROM users WHERE username = 'fail'" })), []);
  });

  it('brings no secret back', async () => {
    const answer = await ask({ sql: "SELECT cmdline FROM processes WHERE name = 'deploy'" });
    assert.equal(rowsOf(answer)[0].cmdline, 'deploy --token=[redacted:github.token]');
    assert.ok((await lastOutcome()).redacted.includes('github.token mask 1'));
  });

  const kErrors = [
    ['a line that is not JSON', '{oops', -32700],
    ['a message without a method', '{"jsonrpc":"2.0","id":"4"}', -32600],
    ['a message of another JSON-RPC', '{"jsonrpc":"1.0","id":"4","method":"tools/list"}', -32600],
    ['a method that nobody has', '{"jsonrpc":"2.0","id":"4","method":"osquery/run"}', -32601],
    ['a call without a tool', '{"jsonrpc":"2.0","id":"4","method":"tools/call","params":{}}', -32602],
    ['a call of an unknown tool', '{"jsonrpc":"2.0","id":"4","method":"tools/call","params":{"name":"get_processes"}}', -32602],
    ['a call without arguments', '{"jsonrpc":"2.0","id":"4","method":"tools/call","params":{"name":"query_osquery"}}', -32602],
    ['a query that is not a text', '{"jsonrpc":"2.0","id":"4","method":"tools/call","params":{"name":"query_osquery","arguments":{"query":7}}}', -32602],
  ];
  for (const [what, line, code] of kErrors) {
    it(`answers ${what} with ${code}`, async () => {
      const stranger = new LinePeer({ host: '127.0.0.1', port: machine.tcpPort });
      stranger.write(line);
      const answer = await stranger.next(({ error }) => error);
      assert.equal(answer.error.code, code, JSON.stringify(answer));
      assert.equal(answer.id, code === -32700 ? null : '4');
      stranger.stop();
    });
  }

  it('that the server does not survive fails with −32603, and the next one finds it again', async () => {
    const { error } = await ask({ sql: "SELECT * FROM users WHERE username = 'crash'" });
    assert.equal(error.code, -32603);
    assertRefused(error, 'server_failed');
    const next = await eventually(async () => {
      const answer = await ask({ sql: 'SELECT hostname FROM system_info' });
      return answer.result && answer;
    }, 'the server is back', 10_000);
    assert.equal(rowsOf(next)[0].hostname, 'mycomputer');
  });

  it('left nothing but answers on the wire, though the server answers notifications too', async () => {
    assert.deepEqual(peer.received.filter((message) => message.id === undefined || message.id === null), []);
    const metrics = await machine.gateway.metrics();
    assert.match(metrics, /bartizan_server_messages_dropped_total\{server="osquery",reason="unknown_id"\} [1-9]/);
  });
});

/** A client of a service of its own. The end is a kill: this server has to be waited for. */
async function connected(t, machine) {
  const gateway = await machine.service();
  const peer = new LinePeer({ host: '127.0.0.1', port: machine.tcpPort });
  t.after(async () => {
    peer.stop();
    await gateway.crash();
  });
  return peer;
}

describe('a query', { concurrency: true }, () => {
  it('that takes too long is given up after the timeout of its tool, with −32001', async (t) => {
    const peer = await connected(t, new Machine({ more: [['timeout = "30s"', 'timeout = "1s"']] }));
    const { error } = await peer.call('3', 'query_osquery', { sql: "SELECT * FROM users WHERE username = 'hang'" });
    assertRefused(error, 'server_timeout');
    assert.equal(error.code, -32001);
  });

  it('of too many is refused: the document knows no limit, the configuration does', async (t) => {
    const peer = await connected(t, new Machine({ more: [['rate = ["60/min"]', 'rate = ["3/min"]']] }));
    for (const id of [1, 2, 3]) assert.ok((await peer.call(id, 'query_osquery', { sql: 'SELECT * FROM users' })).result);
    const { error } = await peer.call(4, 'query_osquery', { sql: 'SELECT * FROM users' });
    assertRefused(error, 'limited');
    assert.equal(error.code, -32000);
  });
});

describe('a query under another name', { concurrency: true }, () => {
  const redaction = `[redact.sql]
detectors = ["secrets"]
in = ["arguments"]
pointers = ["/sql"]
action = "withhold"

[pins]`;
  const secret = "SELECT * FROM users WHERE username = 'AWS_SECRET_ACCESS_KEY=kX8dPq2Rt5Vw9Yb3Nf6Hj1Ls4Mz7Cg0Ea8Ui5Op2'";

  it('is redacted as what is sent', async (t) => {
    const peer = await connected(t, new Machine({ more: [['[pins]', redaction]] }));
    for (const name of ['query', 'sql']) {
      const { error } = await peer.call(name, 'query_osquery', { [name]: secret });
      assertRefused(error, 'argument_withheld');
    }
    assert.ok((await peer.call('3', 'query_osquery', { query: 'SELECT * FROM users' })).result);
  });

  it('is an error of check where another table has the listed name', async () => {
    const { config } = await new Machine({ more: [['[pins]', '[tool."osquery/*".arguments]\n"/query" = { text = {}, optional = true }\n\n[pins]']] }).write();
    const { code, stdout, stderr } = await runProgram('check', config);
    assert.notEqual(code, 0);
    assert.match(stdout + stderr, /error: the profile "osquery\/\*" names "\/query", which no call of "osquery\/query_osquery" is judged by/);
  });
});

/** A machine whose server is not there. */
function unspawnable(more) {
  const machine = new Machine({ sandbox: false, more });
  machine.body = machine.body.replace(/^executables = .*$/m, '').replaceAll(machine.server, join(kFolder, 'none.py'));
  return machine;
}

describe('the process of the osquery server', { concurrency: true }, () => {
  /** A call of a server that does not start, and why not, as the record says. */
  const refusedStart = async (t, machine, tool) => {
    const peer = await connected(t, machine);
    const { error } = await peer.call('1', tool, { sql: 'SELECT * FROM users' });
    assertRefused(error, 'server_unavailable');
    assert.equal(error.code, -32603);
    const { detail } = await eventually(() => machine.gateway.records().findLast(({ kind, detail: why }) => kind === 'server' && /failed/.test(why)), 'why it did not start');
    return detail;
  };

  for (const [prefix, tool] of [['always', 'osquery_query_osquery'], ['never', 'query_osquery']]) {
    const more = [['prefix = "never"', `prefix = "${prefix}"`]];

    it(`is not started from another file than a person approved (prefix = "${prefix}")`, async (t) => {
      const machine = new Machine({ more, folder: installed() });
      writeFileSync(machine.osqueryi, '#!/bin/sh\necho \'[{"hostname":"another"}]\'\n');
      assert.match(await refusedStart(t, machine, tool), /osqueryi/);
    });

    it(`that cannot be spawned fails its calls with −32603 (prefix = "${prefix}")`, async (t) => {
      const machine = unspawnable(more);
      assert.match(await refusedStart(t, machine, tool), /none\.py/);
    });
  }

  it('that cannot be spawned is told in one answer, to a call without initialize over standard input', async () => {
    const { config } = await unspawnable([]).write();
    for (const [method, params] of [['tools/call', { name: 'query_osquery', arguments: { sql: 'SELECT 1' } }], ['tools/list', {}]]) {
      const line = JSON.stringify({ jsonrpc: '2.0', id: '3', method, params });
      const { answers } = await shell(`echo '${line}' | "$bartizan" run --stdio "$config"`, { config });
      assert.deepEqual(answers.map(({ id, error }) => [id, error.code]), [['3', -32603]], JSON.stringify(answers));
    }
  });

  it('that cannot be spawned is as one that has no such tool to who may not call it', async (t) => {
    const rule = 'roles = ["agent"]\ntools = ["osquery/';
    const more = [[`${rule}*"]`, `${rule}query_osquery"]`]];
    const told = [];
    for (const machine of [unspawnable(more), new Machine({ sandbox: false, more })]) {
      const peer = await connected(t, machine);
      const { error } = await peer.call('1', 'get_processes', {});
      const id = assertRefused(error, 'no_matching_rule');
      told.push(JSON.stringify(error).replaceAll(id, 'ID'));
    }
    assert.equal(told[0], told[1]);
  });

  it('that has no osqueryi tells its own −32603', async (t) => {
    const peer = await connected(t, new Machine({ osqueryi: false }));
    const { error } = await peer.call('1', 'query_osquery', { sql: 'SELECT * FROM users' });
    assert.equal(error.code, -32603);
    assert.match(error.message, /Internal error: .*osqueryi/);
  });

  for (const sandbox of [true, false]) {
    it(sandbox ? 'reads no file beside those of its sandbox' : '(a control) reads any file without one', { skip: sandbox && kNoSandbox }, async (t) => {
      const secret = join(temporaryDirectory(), 'secret');
      writeFileSync(secret, 'for nobody\n');
      chmodSync(join(secret, '..'), 0o755);
      // Of the tables that read files, as osquery has them, one is allowed here: the sandbox must hold alone.
      const machine = new Machine({ sandbox, more: [['"listening_ports"]', '"listening_ports", "file_lines"]'], ['prefix = "never"', `prefix = "never"\nenv = { STAND_IN_FILES = "${secret}" }`]] });
      const peer = await connected(t, machine);
      const answer = await peer.call('1', 'query_osquery', { sql: 'SELECT line FROM file_lines' });
      assert.deepEqual(rowsOf(answer), [{ line: sandbox ? 'PermissionError' : 'for nobody' }]);
    });
  }
});
