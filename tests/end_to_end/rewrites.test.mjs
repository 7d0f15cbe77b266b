// What profiles force and compact: the server gets it, the client does not see it, the record knows
// of both.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused, textOf } from './assertions.mjs';
import { startGateway, testerAuth } from './harness.mjs';
import { httpServer, startDualServer } from './servers.mjs';
import { LegacySession, responseOf, sendModern } from './wire.mjs';

const kPolicy = `
[tool."dual/region_echo".arguments]
"/region" = { fixed = "eu-1" }
"/text" = { text = { max_length = 9 }, optional = true }
[tool."dual/echo".arguments]
"/text" = { text = { max_length = 9, classes = ["letters", "spaces"], compact = true } }
[rule.testers-may]
effect = "permit"
roles = ["tester"]
tools = ["dual/echo", "dual/region_echo"]
`;

describe('arguments that profiles change', () => {
  let dual;
  let gateway;
  let session;
  let id = 0;
  before(async () => {
    dual = await startDualServer();
    gateway = await startGateway(httpServer('dual', dual.url) + kPolicy, { auth: testerAuth({ trust: 'verified' }) });
    session = await LegacySession.open(gateway.url);
  });
  after(async () => {
    await gateway?.stop();
    dual?.stop();
  });

  const modern = async (method, params, headers = {}) =>
    responseOf(await sendModern(gateway.url, method, params, { id: (id += 1), headers }));
  const legacy = (tool, given) => session.call((id += 1), `dual_${tool}`, given);
  const regionOf = (tools) => tools.find(({ name }) => name === 'dual_region_echo').inputSchema;
  const lastDecision = () => gateway.records().filter(({ kind }) => kind === 'decision').at(-1);

  it('leave the list of tools, in both eras', async () => {
    const { result } = await modern('tools/list', {});
    assert.deepEqual(Object.keys(regionOf(result.tools).properties), ['text']);
    assert.deepEqual(regionOf(result.tools).required, []);
    const listed = responseOf(await session.request((id += 1), 'tools/list', {}));
    assert.deepEqual(Object.keys(regionOf(listed.result.tools).properties), ['text']);
  });

  for (const [name, given, headers] of [
    ['no argument', {}, {}],
    ['other arguments', { text: 'x' }, {}],
    ['another value, with its header', { region: 'us-1', text: 'x' }, { 'mcp-param-region': 'us-1' }],
    ['the value itself', { region: 'eu-1' }, { 'mcp-param-region': 'eu-1' }],
  ]) {
    it(`are forced on ${name}, headers included`, async () => {
      const answer = await modern('tools/call', { name: 'dual_region_echo', arguments: given }, headers);
      assert.equal(textOf(answer.result), 'region eu-1');
      const decision = lastDecision();
      assert.equal(decision.decision, 'permit');
      // Two digests where it was changed, one where it was not.
      if (given.region === 'eu-1') assert.equal(decision.sent_digest, undefined);
      else assert.notEqual(decision.sent_digest, decision.argument_digest);
      assert.match(decision.argument_digest, /^[0-9a-f]{64}$/);
    });
  }

  it('are forced where a legacy client sends none', async () => {
    const bare = await session.request((id += 1), 'tools/call', { name: 'dual_region_echo' });
    assert.equal(textOf(responseOf(bare).result), 'region eu-1');
    assert.equal(textOf((await legacy('region_echo', { region: 'us-1' })).result), 'region eu-1');
  });

  it('are judged as what the client sent where headers repeat them', async () => {
    const params = { name: 'dual_region_echo', arguments: { region: 'us-1' } };
    const { error } = await modern('tools/call', params, { 'mcp-param-region': 'eu-1' });
    assertRefused(error, 'header_mismatch');
  });

  it('are compacted before they are judged', async () => {
    assert.equal(textOf((await legacy('echo', { text: 'a\r\n\t b' })).result), 'a b');
    assert.equal(textOf((await legacy('echo', { text: `a${'\n'.repeat(99)}b` })).result), 'a b');
    const { error } = await legacy('echo', { text: 'a\nb1' });
    assertRefused(error, 'argument_not_allowed');
    assert.match(lastDecision().sent_digest, /^[0-9a-f]{64}$/);
  });
});
