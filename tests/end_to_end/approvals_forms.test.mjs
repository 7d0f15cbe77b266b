// The user of the gateway's own process approves its calls in a form, over standard input and nowhere else.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { bearer, kEchoNeedsABoss, peopleAuth, startApprovals } from './approvals_stage.mjs';
import { failureOf, textOf } from './assertions.mjs';
import { kProgram } from './harness.mjs';
import { httpServer, startDualServer } from './servers.mjs';
import { StdioPeer, stdioPlace } from './stdio_peer.mjs';

const kBothMayAnswer = `${kEchoNeedsABoss}self_approval = true\n`;
const kPeople = { ann: ['caller', 'boss'] };
const kForms = { elicitation: { form: {} } };

/** A configuration of a process for one local user, without a console. */
async function prepare(t, { rules = kBothMayAnswer, auth = '', more = '' } = {}) {
  const place = stdioPlace();
  const sent = join(place.directory, 'sent.jsonl');
  const dual = await startDualServer({ record: sent });
  t.after(() => dual.stop());
  const config = join(place.directory, 'bartizan.toml');
  writeFileSync(config, `version = 1
[auth.stdio]
principal = "ann"
[audit]
file = "audit.jsonl"
[state]
file = "state.db"
${more}${httpServer('dual', dual.url)}${auth || '[principal.ann]\nroles = ["caller", "boss"]\n[role.caller]\ntrust = "verified"\n[role.boss]\ntrust = "verified"\n'}
[rule.callers]
effect = "permit"
roles = ["caller"]
tools = ["dual/*"]
${rules}`);
  return {
    place,
    config,
    records: () => readFileSync(join(place.directory, 'audit.jsonl'), 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)),
    sent: () => (existsSync(sent) ? readFileSync(sent, 'utf8') : '').split('\n').filter((line) => line && Buffer.from(JSON.parse(line).base64, 'base64').includes('"tools/call"')).length,
  };
}

const started = ({ place, config }) => ({ command: kProgram, args: ['run', '--stdio', config], cwd: place.directory, env: { PATH: process.env.PATH, HOME: place.home }, stderr: 'ignore' });

/** An official client whose user answers forms so. */
async function connect(t, prepared, era, answer) {
  const asked = [];
  const handle = async ({ params }) => {
    asked.push(params);
    return answer;
  };
  let client;
  if (era === 'legacy') {
    client = new LegacyClient({ name: 'tests', version: '1' }, { capabilities: kForms });
    const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    client.setRequestHandler(ElicitRequestSchema, handle);
    await client.connect(new LegacyStdio(started(prepared)));
  } else {
    client = new ModernClient({ name: 'tests', version: '1' }, { capabilities: kForms, versionNegotiation: { mode: { pin: '2026-07-28' } } });
    client.setRequestHandler('elicitation/create', handle);
    await client.connect(new ModernStdio(started(prepared)));
  }
  t.after(() => client.close());
  return { client, asked };
}

const kApprove = { action: 'accept', content: { decision: 'approve' } };
// The server's answer comes without the hidden character.
const kCall = { name: 'dual_echo', arguments: { text: 'hello\u200b' } };
const steps = (prepared) => prepared.records().filter(({ kind }) => kind === 'approval').map((one) => `${one.approval} by ${one.principal}`);

describe('a form for the local user', () => {
  for (const era of ['legacy', 'modern']) {
    it(`of a client of the ${era} era shows the whole call, and approves it`, async (t) => {
      const prepared = await prepare(t);
      const { client, asked } = await connect(t, prepared, era, kApprove);
      assert.equal(textOf(await client.callTool(kCall)), 'hello');
      assert.equal(asked.length, 1);
      assert.match(asked[0].message, /echo-needs-a-boss requires approval of your call to dual\/echo\./);
      assert.match(asked[0].message, /text: text hello\\u\{200b\}/);
      assert.deepEqual(asked[0].requestedSchema.required, ['decision']);
      assert.deepEqual(steps(prepared), ['pending by ann', 'approved by ann', 'used by ann']);
      assert.equal(prepared.sent(), 1);
      assert.equal(textOf(await client.callTool(kCall)), 'hello');
      assert.equal(asked.length, 2, 'each call has an approval of its own');
    });

    for (const [what, answer, reason] of [
      ['declines', { action: 'decline' }, /denied/],
      ['chooses to deny', { action: 'accept', content: { decision: 'deny' } }, /denied/],
      ['closes the form', { action: 'cancel' }, /A person must approve this call first/],
      ['accepts without a decision', { action: 'accept', content: { decision: 'yes' } }, /A person must approve|approve/],
    ]) {
      it(`of a client of the ${era} era whose user ${what} sends nothing`, async (t) => {
        const prepared = await prepare(t);
        const { client } = await connect(t, prepared, era, answer);
        const refusal = await failureOf(client.callTool(kCall));
        assert.match(refusal.message, reason);
        assert.ok(!steps(prepared).includes('approved by ann'));
        assert.equal(prepared.sent(), 0);
      });
    }
  }

  it('is not shown where the rule lets nobody approve calls of their own', async (t) => {
    const prepared = await prepare(t, { rules: kEchoNeedsABoss, more: '[console]\naddress = "127.0.0.1:0"\nroles = ["boss"]\n', auth: peopleAuth({ ann: ['caller', 'boss'], bob: ['boss'] }) });
    const { client, asked } = await connect(t, prepared, 'legacy', kApprove);
    const refusal = await failureOf(client.callTool(kCall));
    assert.match(refusal.message, /A person must approve this call first/);
    assert.deepEqual(asked, []);
  });

  it('is not shown over HTTP, to whomever', async (t) => {
    const stage = await startApprovals(t, { rules: kBothMayAnswer, people: { ...kPeople, olga: ['operator'] } });
    const client = new LegacyClient({ name: 'tests', version: '1' }, { capabilities: kForms });
    const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const asked = [];
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      asked.push(params);
      return kApprove;
    });
    await client.connect(new LegacyHttp(new URL(stage.gateway.url), { requestInit: { headers: bearer('ann') } }));
    t.after(() => client.close());
    const refusal = await failureOf(client.callTool(kCall));
    assert.match(refusal.message, /A person must approve this call first/);
    assert.deepEqual(asked, []);
    assert.equal(stage.sent('hello').length, 0);
  });

  it('is answered once, by the id of its own request, and by no state of another one', async (t) => {
    const prepared = await prepare(t);
    const peer = new StdioPeer(['run', '--stdio', prepared.config], { place: prepared.place });
    await peer.initialize({ capabilities: kForms });
    peer.send({ id: 1, method: 'tools/call', params: kCall });
    const form = await peer.next(({ method }) => method === 'elicitation/create', 'the form');
    peer.send({ id: form.id + 1, result: kApprove });
    peer.send({ id: form.id, result: { action: 'cancel' } });
    peer.send({ id: form.id, result: kApprove });
    assert.equal((await peer.answer(1)).error.data.reason, 'needs_approval');
    const meta = { 'io.modelcontextprotocol/clientCapabilities': kForms };
    const first = await peer.modern(2, 'tools/call', { ...kCall, _meta: meta });
    assert.equal(first.result.resultType, 'input_required');
    const inputResponses = { 'bartizan/approval': kApprove };
    const forged = await peer.modern(3, 'tools/call', { ...kCall, _meta: meta, inputResponses, requestState: 'bartizan.approval.00000000-0000-0000-0000-000000000000' });
    assert.equal(forged.error.data.reason, 'needs_approval');
    assert.equal(prepared.sent(), 0);
    const { requestState } = first.result;
    const passed = await peer.modern(4, 'tools/call', { ...kCall, _meta: meta, inputResponses, requestState });
    assert.equal(textOf(passed.result), 'hello');
    const again = await peer.modern(5, 'tools/call', { ...kCall, _meta: meta, inputResponses, requestState });
    assert.equal(again.error.data.reason, 'needs_approval');
    assert.equal(prepared.sent(), 1);
    await peer.end();
  });
});
