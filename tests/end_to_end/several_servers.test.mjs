// Two living servers and two dead ones behind one endpoint: names tell them apart, and what is dead
// disturbs nothing but calls to itself.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually, failureOf, textOf } from './assertions.mjs';
import { kClients } from './clients.mjs';
import { freePort, runProgram, startGateway, temporaryDirectory } from './harness.mjs';
import { processOf, processesThat } from './processes.mjs';
import { httpServer, kDual, kEverything, kPlain, recordedStdioServer, stdioServer } from './servers.mjs';

const kRules = `
[rule.testers-may]
effect = "permit"
roles = ["tester"]
tools = ["dual/echo", "dual/slow", "everything/echo", "plain/*", "dead/*", "gone/*"]
[rule.testers-read]
effect = "permit"
roles = ["tester"]
resources = ["dual:**"]
[rule.testers-prompt]
effect = "permit"
roles = ["tester"]
prompts = ["dual/*"]
`;

describe('several servers behind one endpoint', () => {
  let gateway;
  let connection;
  before(async () => {
    const servers = [
      stdioServer('dual', [kDual]),
      stdioServer('everything', [kEverything, 'stdio']),
      stdioServer('plain', [kPlain], 'instances = "shared"'),
      stdioServer('dead', ['-e', 'process.exit(1)']),
      httpServer('gone', `http://127.0.0.1:${await freePort()}/mcp`),
    ];
    gateway = await startGateway(servers.join('') + kRules);
    connection = await kClients[0].connect(gateway.url);
  });
  after(async () => {
    await connection?.close();
    await gateway?.stop();
  });

  const names = async () => (await connection.listTools()).map((tool) => tool.name).toSorted();

  it('lists the tools of all that live, each under server_tool', async () => {
    const expected = ['dual_echo', 'dual_slow', 'everything_echo', 'plain_big_echo', 'plain_slow_echo', 'plain_stop'];
    await eventually(async () => (await names()).length === expected.length, 'all catalogues');
    assert.deepEqual(await names(), expected);
  });

  it('calls tools of the same name in different servers', async () => {
    assert.equal(textOf(await connection.call('dual_echo', { text: 'one' })), 'one');
    assert.match(textOf(await connection.call('everything_echo', { message: 'two' })), /two/);
  });

  it('merges resources and prompts likewise', async () => {
    const { resources } = await connection.client.listResources();
    assert.deepEqual(resources.map((resource) => resource.name), ['note']);
    const read = await connection.client.readResource({ uri: resources[0].uri });
    assert.equal(read.contents[0].text, 'a note');
    const { prompts } = await connection.client.listPrompts();
    assert.deepEqual(prompts.map((prompt) => prompt.name), ['dual_greet']);
    const prompt = await connection.client.getPrompt({ name: 'dual_greet', arguments: { who: 'Ann' } });
    assert.equal(prompt.messages[0].content.text, 'Hello, Ann!');
  });

  it('answers clearly for a server that cannot start or cannot be reached', async () => {
    for (const name of ['dead_anything', 'gone_anything']) {
      const error = await failureOf(connection.call(name, {}));
      assertRefused(error, 'server_unavailable');
      assert.equal(error.code, -32603);
    }
  });

  it('outlives a server that dies during a call, and starts it again', async () => {
    const slow = connection.call('dual_slow', { milliseconds: 500, mark: 'bystander' });
    const error = await failureOf(connection.call('plain_stop', {}));
    assert.ok(['server_failed', 'server_unavailable'].includes(error.data?.reason), JSON.stringify(error));
    assert.equal(textOf(await slow), 'slept 500 bystander');
    const again = async () => {
      const outcome = await connection.call('plain_slow_echo', { token: 'back' }).catch(() => undefined);
      return outcome && textOf(outcome) === 'back';
    };
    await eventually(again, 'the server is back', 15_000);
  });
});

const kPlainRule = '[rule.testers-may]\neffect = "permit"\nroles = ["tester"]\ntools = ["plain/*"]\n';

describe('a process that calls wait for', () => {
  it('is sent nothing between the handshake and its end', async (t) => {
    const sent = join(temporaryDirectory(), 'sent.jsonl');
    const gateway = await startGateway(recordedStdioServer('plain', sent, [kPlain], 'instances = "shared"') + kPlainRule);
    t.after(() => gateway.stop());
    const connection = await kClients[0].connect(gateway.url);
    t.after(() => connection.close());
    await eventually(async () => (await connection.listTools()).length > 0, 'the catalogue');
    await failureOf(connection.call('plain_stop', {}));
    // All of these wait for the process that is started again.
    const tokens = ['a', 'b', 'c', 'd', 'e', 'f'];
    const answers = await Promise.allSettled(tokens.map((token) => connection.call('plain_slow_echo', { token })));
    assert.ok(answers.some(({ status }) => status === 'fulfilled'), JSON.stringify(answers));
    // The era is asked for beside the first handshake.
    const methods = readFileSync(sent, 'utf8').split('\n').filter(Boolean)
      .map((line) => JSON.parse(Buffer.from(JSON.parse(line).base64, 'base64')).method)
      .filter((method) => method && method !== 'server/discover');
    const handshakes = methods.flatMap((method, place) => (method === 'initialize' ? [methods[place + 1]] : []));
    assert.ok(handshakes.length >= 2, methods.join(' '));
    assert.deepEqual(new Set(handshakes), new Set(['notifications/initialized']), methods.join(' '));
  });
});

describe('a server that no rule of the caller is about', () => {
  let gateway;
  let connection;
  before(async () => {
    const servers = [
      stdioServer('everything', [kEverything, 'stdio']),
      stdioServer('plain', [kPlain], 'instances = "shared"'),
      stdioServer('unruled', [kDual], 'prefix = "never"'),
    ];
    const rule = '[rule.testers-may]\neffect = "permit"\nroles = ["tester"]\ntools = ["everything/echo", "plain/*"]\n';
    gateway = await startGateway(servers.join('') + rule);
    connection = await kClients[0].connect(gateway.url);
  });
  after(async () => {
    await connection?.close();
    await gateway?.stop();
  });

  // It has both; the record cannot tell, since it was not asked, and must not say that it has not.
  const kCalls = [
    ['a resource', () => connection.client.readResource({ uri: 'dual://note' }), 'resources = ["SERVER:URI"]'],
    ['a bare name', () => connection.call('echo', { text: 'one' }), 'tools = ["SERVER/NAME"]'],
  ];
  for (const [name, call, rule] of kCalls) {
    it(`is not said to lack ${name}`, async () => {
      const id = assertRefused(await failureOf(call()), 'no_matching_rule');
      const { stdout } = await runProgram('audit', 'show', id, gateway.auditFile);
      const [meaning] = stdout.split('\n').filter((line) => line.startsWith('meaning'));
      assert.match(meaning, /no running server that a rule of this caller covers/);
      assert.ok(meaning.includes(rule), meaning);
    });
  }
});

describe('a launcher that was killed', () => {
  it('is said by /readyz, and the processes that run go on', async (t) => {
    const gateway = await startGateway(stdioServer('plain', [kPlain], 'instances = "shared"') + kPlainRule);
    t.after(() => gateway.stop());
    const connection = await kClients[0].connect(gateway.url);
    t.after(() => connection.close());
    await eventually(async () => (await connection.listTools()).length > 0, 'the catalogue');
    assert.ok(await gateway.isReady());
    const [launcher] = processesThat(({ pid }) => processOf(pid)?.parent === gateway.process.pid && readFileSync(`/proc/${pid}/comm`, 'utf8') === 'bartizan-launch\n');
    process.kill(launcher.pid, 'SIGKILL');
    await eventually(async () => !(await gateway.isReady()), 'the gateway says so');
    const { reason } = await (await fetch(`${gateway.metricsUrl}/readyz`)).json();
    assert.match(reason, /launcher has ended.*restart/);
    assert.equal(textOf(await connection.call('plain_slow_echo', { token: 'goes on' })), 'goes on');
  });
});
