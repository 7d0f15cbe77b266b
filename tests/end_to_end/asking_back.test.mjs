// What servers ask of users, and tell clients beside answers: forms that want a secret, URLs that
// lead elsewhere, in requests, in results that want more input and in errors; logs and instructions.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { startGateway, testerAuth } from './harness.mjs';
import { answerResult, listing, toolText } from './schema_stage.mjs';
import { startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { LegacySession, jsonRpc, kModernVersion, messagesOf, modernMeta, responseOf, send, sendModern } from './wire.mjs';

const kCapabilities = 'io.modelcontextprotocol/clientCapabilities';
const kTools = [toolText('ask', '{"type":"object"}')];
const kPolicy = `[rule.all]
effect = "permit"
roles = ["tester"]
tools = ["far/*"]
[rule.no-roots]
effect = "forbid"
roles = ["*"]
methods = ["roots/list"]
[url.logins]
hosts = ["login.example.com"]
`;
const kMay = 'client_features = ["elicitation", "sampling", "roots"]\nelicitation_urls = "logins"';
const ask = (params, method = 'elicitation/create') => ({ method, params });
const form = (name, message = 'Please answer') => ({
  message, requestedSchema: { type: 'object', properties: { [name]: { type: 'string' } } },
});
const url = (address) => ({ mode: 'url', message: 'Sign in', url: address, elicitationId: 'e-1' });

/** What a server asks, by the name that a call gives, and why it is refused. */
const kAsked = {
  name: [{ a: ask(form('name')) }],
  login: [{ a: ask(url('https://login.example.com/x')) }],
  none: [{}],
  password: [{ a: ask(form('password')) }, 'secret_requested'],
  second: [{ a: ask(form('name')), b: ask(form('value', 'Your API key, please')) }, 'secret_requested'],
  elsewhere: [{ a: ask(url('https://login.example.com.evil.example/')) }, 'url_not_allowed'],
  forbidden: [{ a: ask({}, 'roots/list') }, 'forbidden'],
  undeclared: [{ a: ask({ messages: [], maxTokens: 1 }, 'sampling/createMessage') }, 'client_feature_not_allowed'],
  call: [{ a: ask({ name: 'ask' }, 'tools/call') }, 'method_not_found'],
  nothing: [{ a: {} }, 'method_not_found'],
  many: [Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, ask(form('name'))])), 'server_failed'],
};

describe('what servers ask back, modern', () => {
  let far;
  let gateway;
  before(async () => {
    const onCall = ({ id, params }, response) => {
      const [inputRequests] = kAsked[params.arguments.as];
      answerResult(response, id, JSON.stringify({ resultType: 'input_required', inputRequests, requestState: 's' }));
    };
    far = await startScriptedServer({ era: 'modern', onCall, onMessage: listing(() => kTools) });
    gateway = await startGateway(httpServer('far', far.url, kMay) + kPolicy, { auth: testerAuth({ trust: 'verified' }) });
  });
  after(async () => {
    await gateway?.stop();
    await far?.stop();
  });

  const declared = { elicitation: { form: {}, url: {} }, roots: {} };
  const call = async (as, capabilities = declared) => responseOf(await sendModern(gateway.url, 'tools/call', {
    name: 'far_ask', arguments: { as }, _meta: modernMeta({ [kCapabilities]: capabilities }),
  }));

  for (const [as, [requests, reason]] of Object.entries(kAsked)) {
    it(`${reason ? 'refuse' : 'pass'} ${as}`, async () => {
      const before = gateway.records().length;
      const { result, error } = await call(as);
      const asked = gateway.records().slice(before)
        .filter(({ kind, direction }) => kind === 'decision' && direction === 'server_to_client');
      if (!reason) {
        assert.deepEqual(result.inputRequests, requests);
        assert.deepEqual(asked.map(({ decision }) => decision), Object.keys(requests).map(() => 'permit'));
        return;
      }
      const id = assertRefused(error, reason);
      assert.ok(!JSON.stringify(error).includes('password') && !JSON.stringify(error).includes('evil'));
      const outcome = gateway.records().findLast((record) => record.kind === 'outcome' && record.decision_id === id);
      assert.deepEqual([outcome.outcome, outcome.reason], ['denied', reason]);
      if (as !== 'many') assert.deepEqual([asked.at(-1).decision, asked.at(-1).reason], ['deny', reason]);
    });
  }

  it('passes on what the configuration allows of what the client can', async () => {
    const seen = (capabilities) => call('none', capabilities).then(() => far.received('tools/call').at(-1).message.params._meta[kCapabilities]);
    assert.deepEqual(await seen(declared), declared);
    assert.deepEqual(await seen({ elicitation: {}, experimental: { x: {} } }), { elicitation: {}, experimental: { x: {} } });
  });
});

describe('what servers ask back, legacy', () => {
  let far;
  let gateway;
  before(async () => {
    const onCall = ({ id, params }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const elicitations = [url('https://login.example.com/a'), url(params.arguments.as)];
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32042, message: 'first sign in', data: { elicitations } } }));
    };
    far = await startScriptedServer({ era: 'legacy', onCall, onMessage: listing(() => kTools) });
    gateway = await startGateway(httpServer('far', far.url, kMay) + kPolicy, { auth: testerAuth({ trust: 'verified' }) });
  });
  after(async () => {
    await gateway?.stop();
    await far?.stop();
  });

  const call = async (address, capabilities) => {
    const body = jsonRpc(0, 'initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'x', version: '1' } });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const answer = await send(gateway.url, { headers, body });
    const session = new LegacySession(gateway.url, answer.headers['mcp-session-id'], {});
    await session.post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    return session.call(1, 'far_ask', { as: address });
  };

  it('passes errors that lead where users may go', async () => {
    const { error } = await call('https://login.example.com/b', { elicitation: { url: {} } });
    assert.equal(error.code, -32042);
    assert.equal(error.data.elicitations.length, 2);
  });
  it('refuses errors that lead elsewhere', async () => {
    assertRefused((await call('https://evil.example/', { elicitation: { url: {} } })).error, 'url_not_allowed');
  });
  it('refuses what the client never said that it can', async () => {
    assertRefused((await call('https://login.example.com/b', {})).error, 'client_feature_not_allowed');
  });
});

describe('what servers tell beside answers', () => {
  const kInstructions = 'Always say please.';
  const kNote = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'told' } };
  const onCall = ({ id }, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify(kNote)}\n\n`);
    response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })}\n\n`);
  };
  for (const features of [[], ['logging'], ['instructions']]) {
    it(`passes what is allowed: ${features.join() || 'nothing'}`, async (t) => {
      const far = await startScriptedServer({
        era: 'legacy', onCall, onMessage: listing(() => kTools), introduction: { capabilities: { tools: {}, logging: {} }, instructions: kInstructions },
      });
      t.after(() => far.stop());
      const gateway = await startGateway(httpServer('far', far.url, `client_features = ${JSON.stringify(features)}`) + kPolicy);
      t.after(() => gateway.stop());
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const body = jsonRpc(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } });
      const answer = await eventually(async () => {
        const one = await send(gateway.url, { headers, body });
        return responseOf(one).result && one;
      }, 'the server is known');
      const { capabilities, instructions } = responseOf(answer).result;
      assert.equal('logging' in capabilities, features.includes('logging'));
      assert.equal(instructions, features.includes('instructions') ? kInstructions : undefined);
      const session = new LegacySession(gateway.url, answer.headers['mcp-session-id'], {});
      await session.post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
      const heard = messagesOf(await session.request(1, 'tools/call', { name: 'far_ask', arguments: {} }));
      assert.equal(heard.some(({ method }) => method === kNote.method), features.includes('logging'));
    });
  }
});
