// Thousands of tools behind three: a client searches, has one described, and calls it as that tool itself.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import { textOf } from './assertions.mjs';
import { kClients } from './clients.mjs';
import { startGateway } from './harness.mjs';
import { answerText, startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { LegacySession, responseOf, sendModern } from './wire.mjs';

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const kKey = 'the-key-of-ann-for-tests';
const bearer = { authorization: `Bearer ${kKey}` };
const kSchema = { type: 'object', properties: { text: { type: 'string', maxLength: 20 } }, additionalProperties: false };
const kTools = [
  { name: 'send_invoice', description: 'Sends an invoice to a customer.', inputSchema: kSchema },
  { name: 'list_invoices', title: 'Invoices', description: 'Lists what was billed.', inputSchema: kSchema },
  { name: 'weather', description: 'Says the weather; no invoice at all.', inputSchema: kSchema },
  { name: 'delete_invoice', description: 'Deletes an invoice.', inputSchema: kSchema },
  ...Array.from({ length: 4996 }, (_, at) => ({ name: `tool_${at}`, description: `Does thing ${at}.`, inputSchema: kSchema })),
];
const kBody = (url) => `${httpServer('shop', url)}
[endpoint.search]
path = "/mcp"
discovery = "search"
[endpoint.whole]
path = "/whole"
[rule.most]
effect = "permit"
roles = ["dev"]
tools = ["shop/*"]
[rule.not-that]
effect = "forbid"
roles = ["*"]
tools = ["shop/delete_*"]
[limit.few]
per = ["principal", "tool"]
tools = ["shop/weather"]
rate = ["2/h"]
`;
const kAuth = `[auth.api_key.ann]\nprincipal = "ann"\nsha256 = "${sha256(kKey)}"\n[principal.ann]\nroles = ["dev"]\n[role.dev]\ntrust = "verified"\n`;

describe('an endpoint whose tools are searched', () => {
  let server;
  let gateway;
  const sent = [];
  before(async () => {
    server = await startScriptedServer({
      tools: kTools,
      onCall: ({ id, params }, response) => {
        sent.push(params);
        answerText(response, id, `${params.name} ${params.arguments?.text ?? ''}`);
      },
    });
    gateway = await startGateway(kBody(server.url), { auth: kAuth });
  });
  after(async () => {
    await gateway.stop();
    await server.stop();
  });

  for (const { name, connect } of kClients) {
    it(`shows three tools to ${name}, which finds, reads and calls another`, async (t) => {
      const connection = await connect(gateway.url, bearer);
      t.after(() => connection.close());
      const listed = await connection.listTools();
      assert.deepEqual(listed.map((tool) => tool.name), ['search_tools', 'describe_tool', 'call_tool']);
      assert.equal(listed[2].annotations.destructiveHint, true);
      const found = await connection.call('search_tools', { query: 'invoice' });
      const { tools, total_matches: total } = found.structuredContent;
      assert.deepEqual([tools.map((tool) => tool.name), total], [['shop_send_invoice', 'shop_list_invoices', 'shop_weather'], 3]);
      const described = await connection.call('describe_tool', { name: 'shop_send_invoice' });
      assert.deepEqual(described.structuredContent.tool.inputSchema, kSchema);
      assert.equal(textOf(await connection.call('call_tool', { name: 'shop_send_invoice', arguments: { text: name.slice(0, 10) } })), `send_invoice ${name.slice(0, 10)}`);
    });
  }

  it('records, judges and validates the tool itself', async () => {
    const session = await LegacySession.open(gateway.url, bearer);
    sent.length = 0;
    const through = (id, name, given) => session.call(id, 'call_tool', { name, arguments: given });
    await through(1, 'shop_tool_7', { text: 'seven' });
    const records = gateway.records();
    const decision = records.findLast(({ kind, method }) => kind === 'decision' && method === 'tools/call');
    assert.deepEqual([decision.server, decision.target, decision.decision, decision.endpoint], ['shop', 'tool_7', 'permit', 'search']);
    const direct = await session.call(2, 'shop_tool_7', { text: 'seven' });
    const twin = gateway.records().findLast(({ kind, method }) => kind === 'decision' && method === 'tools/call');
    assert.equal(twin.argument_digest, decision.argument_digest);
    assert.ok(direct.result);
    for (const [what, given, expected] of [
      ['a forbidden tool', { name: 'shop_delete_invoice', arguments: {} }, /forbids|Unknown|not/i],
      ['a tool that is not there', { name: 'shop_nothing', arguments: {} }, /Unknown|not/i],
      ['arguments that do not fit the inner schema', { name: 'shop_tool_7', arguments: { text: 'x'.repeat(21) } }, /text/],
      ['another argument', { name: 'shop_tool_7', arguments: { other: 1 } }, /other/],
      ['itself', { name: 'call_tool', arguments: { name: 'shop_tool_7' } }, /./],
      ['the search', { name: 'search_tools', arguments: { query: 'x' } }, /./],
      ['no name', { arguments: {} }, /./],
      ['a member more', { name: 'shop_tool_7', arguments: {}, more: 1 }, /./],
      ['arguments that are no object', { name: 'shop_tool_7', arguments: [] }, /./],
    ]) {
      const answer = await session.call('bad', 'call_tool', given);
      assert.ok(answer.error ?? answer.result?.isError, `${what}: ${JSON.stringify(answer)}`);
      assert.match(JSON.stringify(answer), expected, what);
    }
    assert.deepEqual(sent.map(({ name, arguments: given }) => [name, given.text]), [['tool_7', 'seven'], ['tool_7', 'seven']]);
  });

  it('spends the limits of the tool itself', async () => {
    const session = await LegacySession.open(gateway.url, bearer);
    assert.ok((await session.call(1, 'call_tool', { name: 'shop_weather', arguments: {} })).result);
    assert.ok((await session.call(2, 'shop_weather', {})).result);
    const third = await session.call(3, 'call_tool', { name: 'shop_weather', arguments: {} });
    assert.equal(third.error.data.reason, 'limited');
  });

  it('never finds what the caller may not call, and says how many fit', async () => {
    const session = await LegacySession.open(gateway.url, bearer);
    const search = async (id, given) => (await session.call(id, 'search_tools', given)).result?.structuredContent;
    assert.deepEqual((await search(1, { query: 'delete' })).tools, []);
    const { result } = await session.call(2, 'describe_tool', { name: 'shop_delete_invoice' });
    assert.deepEqual([result.isError, result.content[0].text], [true, 'there is no such tool']);
    const all = await search(3, { query: 'tool', limit: 3 });
    assert.deepEqual([all.tools.length, all.total_matches], [3, 4996]);
    assert.equal((await search(4, { query: 'thing 4321' })).tools[0].name, 'shop_tool_4321');
    for (const [given, why] of [
      [{}, /needs "query"/],
      [{ query: 5 }, /needs "query"/],
      [{ query: 'x', limit: 0 }, /from 1 to 50/],
      [{ query: 'x', limit: 51 }, /from 1 to 50/],
      [{ query: 'x', more: 1 }, /nothing else/],
    ]) {
      const { result } = await session.call(5, 'search_tools', given);
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, why, JSON.stringify(given));
    }
  });

  it('holds headers against what the client called, and never judges by them', async () => {
    const params = { name: 'call_tool', arguments: { name: 'shop_send_invoice', arguments: { text: 'modern' } } };
    const right = responseOf(await sendModern(gateway.url, 'tools/call', params, { headers: bearer }));
    assert.equal(textOf(right.result), 'send_invoice modern');
    for (const name of ['shop_send_invoice', 'shop_delete_invoice', 'search_tools']) {
      const wrong = await sendModern(gateway.url, 'tools/call', params, { headers: { ...bearer, 'mcp-name': name } });
      assert.ok(responseOf(wrong).error, name);
    }
  });

  it('leaves other endpoints as they are', async () => {
    const session = await LegacySession.open(gateway.url.replace(/mcp$/, 'whole'), bearer);
    const { tools } = responseOf(await session.request(1, 'tools/list', {})).result;
    assert.equal(tools.length, 4999);
    assert.ok((await session.call(2, 'call_tool', { name: 'shop_tool_7', arguments: {} })).error);
  });
});
