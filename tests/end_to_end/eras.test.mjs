// An endpoint serves clients of both eras, whatever its servers speak; what leaving means follows from
// the era; and a server may ask its client back only for what the configuration allows.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

import { eventually, textOf } from './assertions.mjs';
import { kClients } from './clients.mjs';
import { startGateway } from './harness.mjs';
import { httpServer, kRude, startDualServer, stdioServer } from './servers.mjs';
import { LegacySession, jsonRpc, kLegacyVersion, kModernVersion, modernMeta, responseOf, send, sendModern } from './wire.mjs';

const kRule = '[rule.all]\neffect = "permit"\nroles = ["tester"]\ntools = ["*/*"]\n';
const kInitialize = { protocolVersion: kLegacyVersion, capabilities: {}, clientInfo: { name: 'by-hand', version: '1' } };

const clientNamed = (name) => kClients.find((client) => client.name === name);

describe('an endpoint', () => {
  const running = {};
  before(async () => {
    for (const eras of ['dual', 'legacy', 'modern']) running[eras] = await startDualServer({ eras });
  });
  after(() => {
    for (const server of Object.values(running)) server.stop();
  });

  const kMixes = [['modern'], ['legacy'], ['dual'], ['dual', 'modern'], ['dual', 'legacy'], ['legacy', 'modern']];
  for (const servers of kMixes) {
    describe(`of ${servers.join(' and ')}`, () => {
      let gateway;
      before(async () => {
        const tables = servers.map((eras) => httpServer(eras, running[eras].url));
        gateway = await startGateway(tables.join('') + kRule);
      });
      after(() => gateway?.stop());

      it('takes initialize', async () => {
        const answer = await send(gateway.url, { body: jsonRpc(1, 'initialize', kInitialize) });
        assert.equal(answer.status, 200);
        assert.ok(responseOf(answer).result.capabilities.tools, answer.body);
      });
      it('answers server/discover', async () => {
        const answer = await sendModern(gateway.url, 'server/discover');
        assert.deepEqual(responseOf(answer).result.supportedVersions, [kModernVersion]);
        assert.ok(responseOf(answer).result.capabilities.tools, answer.body);
      });
      for (const { name, eras } of kClients) {
        it(`serves ${name} in its best era, with the tools of all servers`, async () => {
          const client = await clientNamed(name).connect(gateway.url);
          assert.equal(client.era, eras[0]);
          const names = new Set((await client.listTools()).map((tool) => tool.name.split('_')[0]));
          assert.deepEqual([...names].toSorted(), servers.toSorted());
          for (const server of servers) {
            assert.equal(textOf(await client.call(`${server}_echo`, { text: server })), server);
          }
          await client.close();
        });
      }
      it('says which server speaks what', async () => {
        const spoken = { dual: 'modern and legacy', legacy: 'legacy', modern: 'modern' };
        for (const eras of servers) {
          assert.match(gateway.log(), new RegExp(`"server is up","server":"${eras}","eras":"${spoken[eras]}"`));
        }
      });
    });
  }
});

describe('a client that leaves during a call', () => {
  let dual;
  let gateway;
  before(async () => {
    dual = await startDualServer();
    gateway = await startGateway(httpServer('dual', dual.url) + kRule);
  });
  after(async () => {
    await gateway?.stop();
    dual?.stop();
  });

  /** Sends a call and drops the connection once the call has been forwarded. */
  async function callAndLeave(headers, id, mark, meta) {
    const body = jsonRpc(id, 'tools/call', {
      name: 'dual_slow',
      arguments: { milliseconds: 1500, mark },
      ...(meta && { _meta: meta }),
    });
    const outgoing = request(gateway.url, { method: 'POST', headers });
    outgoing.on('error', () => {});
    outgoing.end(body);
    const outcomeOf = (decision) => gateway.records().find((one) => one.kind === 'outcome' && one.decision_id === decision);
    const isRunning = ({ kind, target, decision_id: decision }) => kind === 'decision' && target === 'slow' && !outcomeOf(decision);
    const call = await eventually(() => gateway.records().find(isRunning), 'the call is on its way');
    outgoing.destroy();
    return eventually(() => outcomeOf(call.decision_id), 'the call ends');
  }
  const wasCancelled = async (mark) => {
    const answer = await sendModern(gateway.url, 'tools/call', { name: 'dual_was_cancelled', arguments: { mark } });
    const response = responseOf(answer);
    assert.ok(response?.result, `no result: ${JSON.stringify(answer)}\n${gateway.log()}`);
    return response.result.content[0].text;
  };

  it('cancels it upstream in the modern era', async () => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': kModernVersion,
      'mcp-method': 'tools/call',
      'mcp-name': 'dual_slow',
    };
    const outcome = await callAndLeave(headers, 1, 'modern', modernMeta());
    assert.equal(outcome.outcome, 'cancelled');
    await eventually(async () => (await wasCancelled('modern')) === 'yes', 'the server knows');
  });
  it('does not in the legacy era: the call goes on to its end', async () => {
    const session = await LegacySession.open(gateway.url);
    const outcome = await callAndLeave(session.headers(), 1, 'legacy');
    assert.equal(outcome.outcome, 'success');
    assert.equal(await wasCancelled('legacy'), 'no');
  });
  it('but a legacy client may say so', async () => {
    const session = await LegacySession.open(gateway.url);
    const call = session.call(7, 'dual_slow', { milliseconds: 60_000, mark: 'told' });
    call.catch(() => {});
    // Before it has left, a cancelled call is never sent, and no server could tell of it.
    const isOnItsWay = ({ kind, target }) => kind === 'decision' && target === 'slow';
    await eventually(() => gateway.records().filter(isOnItsWay).length === 3, 'the call is on its way');
    const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
    const isCancelled = async () => {
      assert.equal((await session.post(note)).status, 202);
      return (await wasCancelled('told')) === 'yes';
    };
    await eventually(isCancelled, 'the server knows');
  });
  it('and nobody else may', async () => {
    const session = await LegacySession.open(gateway.url);
    const other = await LegacySession.open(gateway.url);
    const call = session.call(8, 'dual_slow', { milliseconds: 700, mark: 'not theirs' });
    const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 8 } });
    for (let count = 0; count < 10; count += 1) await other.post(note);
    assert.match((await call).result.content[0].text, /slept/);
    assert.equal(await wasCancelled('not theirs'), 'no');
  });
});

describe('a server that asks its client', () => {
  const kAsked = [
    ['sampling/createMessage', 'sampling'],
    ['elicitation/create', 'elicitation'],
    ['roots/list', 'roots'],
  ];
  const kModel = { model: 'none', role: 'assistant', content: { type: 'text', text: 'as the client said' } };

  async function connect(url, capabilities) {
    const asked = [];
    const client = new Client({ name: 'asked', version: '1' }, { capabilities });
    const answerWith = (result) => (message) => {
      asked.push(message.method);
      return result;
    };
    if (capabilities.sampling) client.setRequestHandler(CreateMessageRequestSchema, answerWith(kModel));
    if (capabilities.elicitation) client.setRequestHandler(ElicitRequestSchema, answerWith({ action: 'decline' }));
    if (capabilities.roots) client.setRequestHandler(ListRootsRequestSchema, answerWith({ roots: [{ uri: 'file:///srv' }] }));
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const ask = async (method) => JSON.parse(textOf(await client.callTool({ name: 'rude_ask', arguments: { text: method } })));
    return { client, asked, ask };
  }

  it('is answered by the client where the configuration allows it', async (t) => {
    const gateway = await startGateway(stdioServer('rude', [kRude], 'client_features = ["sampling", "elicitation", "roots"]') + kRule);
    t.after(() => gateway.stop());
    const { client, asked, ask } = await connect(gateway.url, { sampling: {}, elicitation: {}, roots: {} });
    assert.deepEqual((await ask('sampling/createMessage')).result, kModel);
    assert.deepEqual((await ask('roots/list')).result.roots, [{ uri: 'file:///srv' }]);
    assert.deepEqual(asked, ['sampling/createMessage', 'roots/list']);
    const fromServer = gateway.records().filter(({ kind, direction }) => kind === 'decision' && direction === 'server_to_client');
    assert.deepEqual(fromServer.map(({ method, decision }) => [method, decision]), asked.map((method) => [method, 'permit']));
    for (const { decision_id: id, method } of fromServer) {
      const outcome = gateway.records().find((record) => record.kind === 'outcome' && record.decision_id === id);
      assert.deepEqual([outcome?.outcome, outcome?.method], ['success', method], 'joined with its outcome');
    }
    await client.close();
  });
  it('is refused where it does not', async (t) => {
    const gateway = await startGateway(stdioServer('rude', [kRude]) + kRule);
    t.after(() => gateway.stop());
    const { client, asked, ask } = await connect(gateway.url, { sampling: {}, elicitation: {}, roots: {} });
    for (const [method] of kAsked) assert.equal((await ask(method)).error.code, -32601);
    assert.deepEqual(asked, []);
    const denied = gateway.records().filter(({ direction, decision }) => direction === 'server_to_client' && decision === 'deny');
    assert.deepEqual(denied.map(({ reason }) => reason), kAsked.map(() => 'client_feature_not_allowed'));
    await client.close();
  });
  it('is refused what the client did not declare', async (t) => {
    const gateway = await startGateway(stdioServer('rude', [kRude], 'client_features = ["sampling", "roots"]') + kRule);
    t.after(() => gateway.stop());
    const { client, ask } = await connect(gateway.url, { roots: {} });
    assert.equal((await ask('sampling/createMessage')).error.code, -32601);
    assert.deepEqual((await ask('roots/list')).result.roots, [{ uri: 'file:///srv' }]);
    await client.close();
  });
  it('is never answered by whom it did not ask', async (t) => {
    const gateway = await startGateway(stdioServer('rude', [kRude], 'instances = "shared"\nclient_features = ["roots"]') + kRule);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    for (const id of [1, 2, '1', 'own-0']) {
      const answer = await session.post(JSON.stringify({ jsonrpc: '2.0', id, result: { roots: [{ uri: 'file:///etc' }] } }));
      assert.ok(answer.status >= 200 && answer.status < 500);
    }
    const denied = gateway.records().filter(({ reason }) => reason === 'not_pending');
    assert.equal(denied.length > 0, true);
  });
});
