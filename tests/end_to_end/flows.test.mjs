// What was read in a session rules out what may be done in it later: the incidents of the corpus, end to
// end, and the same without sessions.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

import { assertRefused, eventually, textOf } from './assertions.mjs';
import { kCorpora, kFixtures, startGateway, temporaryDirectory, testerAuth } from './harness.mjs';
import { kDual, kRude, recordedStdioServer, stdioServer } from './servers.mjs';
import { LegacySession, jsonRpc, messagesOf, responseOf, sendModern } from './wire.mjs';

const kToys = join(kFixtures, 'toy_server.mjs');
const kFrames = join(kCorpora, 'mcp-cve-frames', 'frames.jsonl');
const kLabels = `
[tool."github/get_issue"]
labels = ["untrusted"]
[tool."github/get_file"]
labels = ["private"]
[tool."github/create_*"]
labels = ["public_sink"]
[tool."github/delete_*"]
labels = ["destructive"]
[rule.testers-may]
effect = "permit"
roles = ["tester"]
tools = ["github/*"]
`;
const kFlows = `${kLabels}
[flow.nothing-private-leaves]
after = ["untrusted", "private"]
to = ["public_sink"]
remediation = "Begin a new session."
[flow.strangers-delete-nothing]
after = ["untrusted"]
to = ["destructive"]
`;
const kPolicy = `${kFlows}
[tool."postgres/query".arguments]
"/sql" = { sql = { dialect = "postgresql", statements = ["select"], tables = ["**"] } }
[rule.testers-may-ask]
effect = "permit"
roles = ["tester"]
tools = ["postgres/*"]
`;
const kModernPolicy = `
[tool."dual/echo"]
labels = ["untrusted", "private"]
[tool."dual/structured"]
labels = ["public_sink"]
[flow.nothing-private-leaves]
after = ["untrusted", "private"]
to = ["public_sink"]
[rule.testers-may]
effect = "permit"
roles = ["tester"]
tools = ["dual/*"]
`;

/** The frames of the first row whose id holds that word. */
function framesOf(word) {
  const rows = readFileSync(kFrames, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
  return [rows.find(({ id }) => id.includes(word)).frame].flat();
}

describe('flows', () => {
  const skip = !existsSync(kFrames) && `no corpus at ${kFrames}; set BARTIZAN_CORPORA`;
  const sent = join(temporaryDirectory(), 'sent');
  let gateway;
  before(async () => {
    const tools = ['get_issue', 'get_file', 'create_pull_request', 'delete_repository', 'star'];
    const servers = recordedStdioServer('github', sent, [kToys, ...tools]) + recordedStdioServer('postgres', sent, [kToys, 'query']);
    gateway = await startGateway(servers + kPolicy, { auth: testerAuth({ trust: 'verified' }) });
  });
  after(() => gateway?.stop());

  const open = () => LegacySession.open(gateway.url);
  const countSent = (word) => {
    const lines = readFileSync(sent, 'utf8').split('\n').filter(Boolean);
    return lines.filter((line) => Buffer.from(JSON.parse(line).base64, 'base64').includes(word)).length;
  };
  const counted = async (name) => {
    const line = (await gateway.metrics()).split('\n').find((text) => text.startsWith(name));
    return Number(line?.split(' ').at(-1) ?? 0);
  };

  it('refuse the last step of the GitHub incident, on record', { skip }, async () => {
    const session = await open();
    const before = await counted('bartizan_flow_marks_total{label="private"}');
    const answers = [];
    for (const [index, { params }] of framesOf('GitHub').entries()) {
      answers.push(await session.call(index, `github_${params.name}`, params.arguments));
    }
    assert.deepEqual(answers.map(({ result }) => result !== undefined), [true, true, false]);
    const { error } = answers[2];
    const id = assertRefused(error, 'flow_refused');
    assert.equal(error.code, -32000);
    assert.equal(error.data.policy_rule, 'nothing-private-leaves');
    assert.equal(error.data.remediation, 'Begin a new session.');
    assert.equal(error.data.retryable, false);
    assert.deepEqual([countSent('get_file'), countSent('create_pull_request')], [1, 0]);
    const record = gateway.records().find((one) => one.kind === 'decision' && one.decision_id === id);
    assert.deepEqual(
      [record.decision, record.reason, record.rule, record.check],
      ['deny', 'flow_refused', 'nothing-private-leaves', 'flows'],
    );
    assert.equal((await counted('bartizan_flow_marks_total{label="private"}')) - before, 1);
  });

  it('refuse the row of the Postgres server', { skip }, async () => {
    const session = await open();
    const [{ params }] = framesOf('Postgres');
    assertRefused((await session.call(1, 'postgres_query', params.arguments)).error, 'sql_not_allowed');
    assert.equal(countSent('DROP SCHEMA'), 0);
    assert.ok((await session.call(2, 'postgres_query', { sql: 'SELECT 1' })).result);
  });

  it('leave alone what nothing was read before, what has no label, and other sessions', async () => {
    const session = await open();
    const call = async (name) => (await session.call(name, `github_${name}`)).error?.data.reason;
    assert.equal(await call('create_pull_request'), undefined);
    assert.equal(await call('get_file'), undefined);
    assert.equal(await call('create_pull_request'), undefined);
    assert.equal(await call('get_issue'), undefined);
    assert.equal(await call('star'), undefined);
    assert.equal(await call('create_pull_request'), 'flow_refused');
    assert.equal(await call('delete_repository'), 'flow_refused');
    const another = await open();
    assert.ok((await another.call(1, 'github_create_pull_request')).result);
  });

  it('refuse each call of a batch that may not follow', async () => {
    const session = await LegacySession.open(gateway.url, {}, 'by-hand', '2025-03-26');
    await session.call(1, 'github_get_issue');
    await session.call(2, 'github_get_file');
    const calls = ['create_pull_request', 'star', 'create_pull_request']
      .map((name, index) => jsonRpc(3 + index, 'tools/call', { name: `github_${name}`, arguments: {} }));
    const answers = messagesOf(await session.post(`[${calls}]`)).flat().toSorted((one, other) => one.id - other.id);
    assert.deepEqual(answers.map(({ error }) => error?.data.reason), ['flow_refused', undefined, 'flow_refused']);
  });

  it('judge what a client answers within a call by what was read since it began', async (t) => {
    const publishing = `${kFlows}
[tool."rude/ask"]
labels = ["public_sink"]
[rule.testers-may-be-asked]
effect = "permit"
roles = ["tester"]
tools = ["rude/*"]
`;
    const servers = stdioServer('github', [kToys, 'get_issue', 'get_file']) + stdioServer('rude', [kRude], 'client_features = ["roots"]');
    const asking = await startGateway(servers + publishing, { auth: testerAuth({ trust: 'verified' }) });
    t.after(() => asking.stop());
    for (const reads of [[], ['get_issue'], ['get_issue', 'get_file']]) {
      const client = new Client({ name: 'asked', version: '1' }, { capabilities: { roots: {} } });
      t.after(() => client.close());
      client.setRequestHandler(ListRootsRequestSchema, async () => {
        for (const name of reads) await client.callTool({ name: `github_${name}`, arguments: {} });
        return { roots: [{ uri: 'file:///what/was/read' }] };
      });
      await client.connect(new StreamableHTTPClientTransport(new URL(asking.url)));
      const told = JSON.parse(textOf(await client.callTool({ name: 'rude_ask', arguments: { text: 'roots/list' } })));
      assert.equal(told.result !== undefined, reads.length < 2, JSON.stringify(told));
    }
    const denied = asking.records().filter(({ decision }) => decision === 'deny');
    assert.deepEqual(denied.map(({ reason, rule, check }) => [reason, rule, check]), [['flow_refused', 'nothing-private-leaves', 'flows']]);
    const ended = asking.records().filter(({ kind, direction }) => kind === 'outcome' && direction === 'server_to_client');
    assert.deepEqual(ended.map(({ outcome }) => outcome).toSorted(), ['denied', 'success', 'success']);
  });

  it('know of resources and prompts of servers that bear labels', async (t) => {
    const policy = `${kFlows}
[rule.testers-may-read]
effect = "permit"
roles = ["tester"]
resources = ["dual:dual://note"]
[rule.testers-may-be-greeted]
effect = "permit"
roles = ["tester"]
prompts = ["dual/greet"]
`;
    const servers = stdioServer('github', [kToys, 'create_pull_request']) + stdioServer('dual', [kDual], 'labels = ["private", "untrusted"]');
    const labelled = await startGateway(servers + policy, { auth: testerAuth({ trust: 'verified' }) });
    t.after(() => labelled.stop());
    for (const [method, params] of [['resources/read', { uri: 'dual://note' }], ['prompts/get', { name: 'dual_greet', arguments: { who: 'Ann' } }]]) {
      const session = await LegacySession.open(labelled.url);
      const publish = async (id) => (await session.call(id, 'github_create_pull_request')).error?.data.reason;
      assert.equal(await publish(1), undefined);
      assert.ok(responseOf(await session.request(2, method, params)).result);
      assert.equal(await publish(3), 'flow_refused', method);
    }
  });

  it('know of what was read before a reload that adds them', async (t) => {
    const server = stdioServer('github', [kToys, 'get_issue', 'get_file', 'create_pull_request']);
    const reloaded = await startGateway(server + kLabels, { auth: testerAuth({ trust: 'verified' }) });
    t.after(() => reloaded.stop());
    const session = await LegacySession.open(reloaded.url);
    for (const name of ['get_issue', 'get_file', 'create_pull_request']) assert.ok((await session.call(name, `github_${name}`)).result);
    appendFileSync(reloaded.configFile, '[flow.nothing-private-leaves]\nafter = ["untrusted", "private"]\nto = ["public_sink"]\n');
    reloaded.process.kill('SIGHUP');
    await eventually(async () => (await session.call('again', 'github_create_pull_request')).error?.data.reason === 'flow_refused', 'the flow is loaded');
  });

  it('hold for the principal where there are no sessions', async (t) => {
    // Beside a server that speaks the older revisions only, nobody is answered in the newest.
    const modern = await startGateway(stdioServer('dual', [kDual]) + kModernPolicy, { auth: testerAuth({ trust: 'verified' }) });
    t.after(() => modern.stop());
    const call = async (name, given) => responseOf(await sendModern(modern.url, 'tools/call', { name: `dual_${name}`, arguments: given }));
    assert.ok((await call('structured', { value: 1 })).result, 'what sessions read is theirs');
    assert.ok((await call('echo', { text: 'read' })).result);
    const { error } = await call('structured', { value: 1 });
    assertRefused(error, 'flow_refused');
    assert.equal(error.code, 40300);
  });
});
