// What strangers' clients and servers send that is not quite the protocol, and what they are sent:
// members that are null, halves of characters, headers that a server wants, answers and nothing else.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { kNode, runProgram, startGateway, testerAuth } from './harness.mjs';
import { startScriptedServer } from './scripted_http.mjs';
import { httpServer, kRude } from './servers.mjs';
import { StdioPeer, stdioPlace } from './stdio_peer.mjs';
import { jsonRpc, LegacySession, responseOf, send } from './wire.mjs';

const kJson = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const kRule = '[rule.all]\neffect = "permit"\nroles = ["*"]\ntools = ["*/*"]\n';
const kTrusting = testerAuth({ trust: 'system' });

/** Answers with the bytes that the arguments name; `result` is the text of a result. */
function answerBytes({ id, params }, response) {
  const { result, hex, silent } = params.arguments ?? {};
  if (silent) return;
  response.writeHead(200, { 'content-type': 'application/json' });
  const text = result ?? `{"content":[{"type":"text","text":${JSON.stringify(JSON.stringify(params))}}]}`;
  const [head, tail] = [`{"jsonrpc":"2.0","id":${id},"result":`, '}'];
  response.end(Buffer.concat([Buffer.from(head), hex ? Buffer.from(hex, 'hex') : Buffer.from(text), Buffer.from(tail)]));
}

describe('members that say that they are not there', () => {
  let far;
  let gateway;
  let session;
  before(async () => {
    far = await startScriptedServer({ onCall: answerBytes });
    gateway = await startGateway(httpServer('far', far.url) + kRule);
    session = await LegacySession.open(gateway.url);
  });
  after(async () => (await gateway?.stop(), await far?.stop()));

  const kCases = [
    ['arguments that are null', 'tools/call', '{"name":"far_echo","arguments":null}', '{"name":"echo"}', ['null remove 1']],
    ['arguments that are a list', 'tools/call', '{"arguments":[],"name":"far_echo"}', '{"name":"echo"}', ['empty-list remove 1']],
    ['null beside null', 'tools/call', '{"name":"far_echo","arguments":null,"_meta":null}', '{"name":"echo"}', ['null remove 2']],
    ['null within arguments', 'tools/call', '{"name":"far_echo","arguments":{"cursor":null,"a":[]}}', '{"name":"echo","arguments":{"cursor":null,"a":[]}}', undefined],
  ];
  for (const [what, method, params, wanted, sanitised] of kCases) {
    it(`forwards ${what} as ${wanted}, and records it`, async () => {
      const answer = responseOf(await session.post(`{"jsonrpc":"2.0","id":7,"method":"${method}","params":${params}}`));
      assert.equal(answer.result?.content[0].text, wanted, JSON.stringify(answer));
      const sent = far.received('tools/call').at(-1);
      assert.ok(sent.body.includes(`"params":${wanted}`), sent.body);
      const decision = gateway.records().filter(({ kind, method: of }) => kind === 'decision' && of === method).at(-1);
      assert.deepEqual(decision.sanitised, sanitised);
    });
  }

  for (const params of ['"params":{"cursor":null}', '"params":null', '"params":[]']) {
    it(`lists for ${params}`, async () => {
      const answer = responseOf(await session.post(`{"jsonrpc":"2.0","id":8,"method":"tools/list",${params}}`));
      assert.equal(answer.result?.tools.length, 1, JSON.stringify(answer));
    });
  }

  it('counts them', async () => {
    const text = await (await fetch(`${gateway.metricsUrl}/metrics`)).text();
    assert.match(text, /bartizan_sanitisings_total\{what="null",action="remove",carrier="arguments"\} [1-9]/);
    assert.match(text, /bartizan_sanitisings_total\{what="empty-list",action="remove",carrier="arguments"\} [1-9]/);
  });

  it('refuses them where the configuration says so', async () => {
    const strict = await startGateway(`[client]\nnull_members = "refuse"\n${httpServer('far', far.url)}${kRule}`);
    try {
      const other = await LegacySession.open(strict.url);
      const before = far.received('tools/call').length;
      const answer = responseOf(await other.post('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"far_echo","arguments":null}}'));
      assert.equal(answer.error.code, -32602);
      assert.equal(far.received('tools/call').length, before);
    } finally {
      await strict.stop();
    }
  });
});

describe('errors without an id', () => {
  let far;
  let gateway;
  before(async () => {
    far = await startScriptedServer({ onCall: answerBytes });
    gateway = await startGateway(httpServer('far', far.url) + kRule);
  });
  after(async () => (await gateway?.stop(), await far?.stop()));

  for (const [version, has] of [[undefined, true], ['2025-11-25', true], ['2026-07-28', false]]) {
    it(`${has ? 'have null' : 'have none'} towards ${version ?? 'a client without a version'}`, async () => {
      const headers = version ? { ...kJson, 'mcp-protocol-version': version } : kJson;
      const answer = await send(gateway.url, { headers, body: '{"jsonrpc":' });
      const message = JSON.parse(answer.body);
      assert.equal(answer.status, 400);
      assert.equal(message.error.code, -32700);
      assert.equal('id' in message, has);
      assert.equal(message.id ?? null, null);
    });
  }

  it('explains a request without a session as that', async () => {
    const answer = await send(gateway.url, { headers: kJson, body: jsonRpc(3, 'tools/list') });
    assert.equal(answer.status, 400);
    assert.deepEqual([responseOf(answer).id, responseOf(answer).error.code], [3, -32600]);
    const record = await eventually(() => gateway.records().findLast(({ kind, reason }) => kind === 'refusal' && reason === 'session_missing'), 'a record');
    const { stdout } = await runProgram('audit', 'show', record.decision_id, gateway.auditFile);
    assert.match(stdout, /the header Mcp-Session-Id is missing/);
  });
});

describe('what a server sends that cannot be taken as it is', () => {
  let far;
  let gateway;
  let session;
  before(async () => {
    far = await startScriptedServer({ onCall: answerBytes });
    gateway = await startGateway(httpServer('far', far.url, 'timeout = "1500ms"') + kRule, { auth: kTrusting });
    session = await LegacySession.open(gateway.url);
  });
  after(async () => (await gateway?.stop(), await far?.stop()));
  const outcome = () => gateway.records().filter(({ kind, method }) => kind === 'outcome' && method === 'tools/call').at(-1);

  it('has U+FFFD for half a character, counted and on record', async () => {
    const result = '{"content":[{"type":"text","text":"a\\ud83d b\\ude00 \\ud83d\\ude00"}]}';
    const answer = await session.call(1, 'far_echo', { result });
    assert.equal(answer.result.content[0].text, 'a\ufffd b\ufffd \u{1f600}');
    assert.deepEqual(outcome().sanitised, ['surrogate replace 2']);
    const text = await (await fetch(`${gateway.metricsUrl}/metrics`)).text();
    assert.match(text, /bartizan_sanitisings_total\{what="surrogate",action="replace",carrier="results"\} 2/);
  });

  it('has it in a batch of one, too', async () => {
    far.onCall = ({ id }, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(`[{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"a\\ud83d"}]}}]`);
    const answer = await session.call(1, 'far_echo', {});
    far.onCall = answerBytes;
    assert.equal(answer.result.content[0].text, 'a\ufffd');
    assert.deepEqual(outcome().sanitised, ['surrogate replace 1']);
  });

  it('passes structured content that is null', async () => {
    const answer = await session.call(2, 'far_echo', { result: '{"content":[],"structuredContent":null,"_meta":null}' });
    assert.deepEqual(answer.result, { content: [], structuredContent: null, _meta: null });
  });

  const hex = (text) => Buffer.from(text, 'latin1').toString('hex');
  const kRefused = [
    ['bytes that are no text', hex('{"a":"\xff"}'), /^The server's message cannot be read: bytes that are no UTF-8, at byte \d+ \(decision/],
    ['a control character', hex('{"a":"\x01"}'), /cannot be read: a control character within a string, at byte \d+/],
    ['two members of one name', hex('{"a":1,"a":2}'), /cannot be read: a member name occurs twice, at byte \d+/],
    ['a value that is too deep', hex(`${'['.repeat(2000)}${']'.repeat(2000)}`), /cannot be read: nested too deeply, at byte \d+/],
    ['a result that is not an object', hex('[1]'), /sent no JSON-RPC message: result is not an object/],
  ];
  for (const [what, bytes, sentence] of kRefused) {
    it(`is refused for ${what}, which the caller and the record are told`, async () => {
      const { error } = await session.call(3, 'far_echo', { hex: bytes });
      assertRefused(error, 'server_failed');
      assert.match(error.message, sentence);
      if (!what.startsWith('a result')) assert.match(outcome().detail, /cannot be read/);
    });
  }

  it('says which limit ran out, once', async () => {
    const { error } = await session.call(4, 'far_echo', { silent: true });
    assertRefused(error, 'server_timeout');
    assert.match(error.message, /^The server did not answer within 1500 ms, the timeout of \[server\.far\] \(decision [^)]+\)\.$/);
    assert.match(outcome().detail, /timeout of \[server\.far\]/);
  });
});

describe('headers for a server', () => {
  /** Made anew for each story: nobody's, and never in a repository. */
  const key = randomBytes(18).toString('hex');
  const password = randomBytes(18).toString('hex');
  it('are sent with every message, and stand nowhere else', async () => {
    const far = await startScriptedServer({ onCall: answerBytes });
    const more = 'credentials = { user = "ann", password = "file:password" }\nheaders = { X-Api-Key = "file:key", X-Org = "acme" }';
    const files = { key: `${key}\n`, password };
    const gateway = await startGateway(httpServer('far', far.url, more) + kRule, { files });
    const session = await LegacySession.open(gateway.url, { 'x-org': 'evil', 'x-other': 'evil' });
    assert.ok((await session.call(1, 'far_echo', {})).result);
    const basic = `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`;
    assert.ok(far.requests.length >= 4, 'introduction, its notification, list and call');
    for (const { headers, method } of far.requests) {
      assert.deepEqual([headers['x-api-key'], headers['x-org'], headers.authorization, headers['x-other']], [key, 'acme', basic, undefined], method);
    }
    writeFileSync(join(gateway.directory, 'key'), 'another', { mode: 0o600 });
    await gateway.stop();
    await far.stop();
    for (const file of [gateway.auditFile, gateway.logFile]) {
      const text = readFileSync(file, 'utf8');
      for (const secret of [key, password, basic.slice(6)]) assert.ok(!text.includes(secret), file);
    }
  });
});

describe('a client that takes the next line for the answer', () => {
  function wrap(...options) {
    const place = stdioPlace();
    const peer = new StdioPeer(['wrap', '--name', 'it', '--allow', 'sampling', ...options, '--', kNode, kRude], { place });
    peer.record = join(place.state, 'it.jsonl');
    return peer;
  }
  const unasked = (messages) => messages.filter(({ method }) => method !== undefined);

  for (const options of [['--answers-only'], []]) {
    const isQuiet = options.length > 0;
    it(isQuiet ? 'is sent nothing else, and told of nothing else' : '(a control) is sent more otherwise', async () => {
      const peer = wrap(...options);
      const hello = await peer.initialize({ capabilities: { sampling: {} } });
      assert.equal(JSON.stringify(hello.result.capabilities).includes('listChanged'), !isQuiet);
      assert.equal('logging' in hello.result.capabilities, !isQuiet);
      const params = { name: 'grow', arguments: { text: 'grown' }, _meta: { progressToken: 1 } };
      await peer.request(1, 'tools/call', params);
      if (!isQuiet) await peer.next(({ method }) => method === 'notifications/tools/list_changed');
      await peer.request(2, 'tools/list', {});
      const messages = await peer.end();
      assert.equal(unasked(messages).length > 0, !isQuiet, JSON.stringify(unasked(messages)));
      assert.ok(existsSync(peer.record));
    });
  }
});
