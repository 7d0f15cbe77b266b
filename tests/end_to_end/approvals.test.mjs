// Calls that a rule wants approved: asked for, approved, denied, given up; each used once, and bound to
// exactly what was asked for.
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'node:test';

import { answer, approvalRecords, bearer, kEchoNeedsABoss, kPeople, list, look, startApprovals, stepsOf } from './approvals_stage.mjs';
import { assertRefused, eventually, textOf } from './assertions.mjs';
import { runProgram } from './harness.mjs';
import { LegacySession, jsonRpc, messagesOf, responseOf, send, sendModern } from './wire.mjs';

let calls = 0;
const open = (stage, name = 'ann', version) => LegacySession.open(stage.gateway.url, bearer(name), 'by-hand', version);
const echo = async (session, text) => session.call((calls += 1), 'dual_echo', { text });

/** Calls, and answers the id of the request that the call waits for. */
async function askFor(session, text) {
  const { error } = await echo(session, text);
  assertRefused(error, 'needs_approval');
  assert.match(error.data.approval_id, /^[0-9a-f-]{36}$/);
  return error.data.approval_id;
}

describe('a call that a rule wants approved', () => {
  it('is refused with what its caller can do, and passes once when somebody approved it', async (t) => {
    const stage = await startApprovals(t);
    const session = await open(stage);
    const { error } = await echo(session, 'hello');
    const decision = assertRefused(error, 'needs_approval');
    assert.equal(error.code, -32003);
    const { approval_id: id, approval_url: url, retry_after_ms: wait, policy_rule: rule, remediation, retryable } = error.data;
    assert.deepEqual({ wait, rule, remediation, retryable, url }, {
      wait: 5000, rule: 'echo-needs-a-boss', remediation: 'Ask your boss.', retryable: true, url: `${stage.console}/approvals/${id}`,
    });
    assert.match(error.message, /A person must approve this call first; try again in 5 s \(approval [0-9a-f-]{36}, decision [0-9a-f-]{36}\)\. Ask your boss\./);
    assert.equal(await askFor(session, 'hello'), id, 'asked again, it is the same request');
    assert.equal((await answer(stage, 'bob', id)).status, 200);
    assert.equal(stage.sent('hello').length, 0);
    assert.equal(textOf((await echo(session, 'hello')).result), 'hello');
    assert.equal(stage.sent('hello').length, 1);
    assert.notEqual(await askFor(session, 'hello'), id, 'it was used');
    assert.equal(stage.sent('hello').length, 1);

    // Each step is on record before its effect, and the permit after it was used.
    assert.deepEqual(stepsOf(stage.gateway, id), ['pending by ann', 'approved by bob', 'used by ann']);
    const records = stage.gateway.records();
    const used = records.findIndex((one) => one.kind === 'approval' && one.approval === 'used');
    const permit = records.findIndex((one) => one.kind === 'decision' && one.decision === 'permit' && one.target === 'echo');
    assert.ok(used > 0 && permit > used, `used ${used}, permit ${permit}`);
    assert.equal(records[used].detail, `by ${records[permit].decision_id}`);
    assert.equal(records.find((one) => one.kind === 'decision' && one.decision_id === decision).detail, `approval ${id}`);
    const [pending, approved] = approvalRecords(stage.gateway, id);
    assert.equal(pending.detail, `asked by ${decision}`);
    assert.deepEqual([approved.decision, approved.detail, approved.proof], ['permit', 'call of ann: looked at it', 'api_key:bob-key']);
    assert.ok(!JSON.stringify(records).includes('hello'), 'arguments are not on record');
  });

  it('is another call with one byte changed, and the same in another session, revision and spelling', async (t) => {
    const stage = await startApprovals(t);
    const session = await open(stage);
    const id = await askFor(session, 'hello');
    await answer(stage, 'bob', id);
    const other = await askFor(session, 'hellp');
    const refusal = stage.gateway.records().findLast((one) => one.kind === 'decision' && one.reason === 'needs_approval');
    assert.equal(refusal.detail, `approval ${other}; another arguments than of approval ${id}`);
    const zoe = await open(stage, 'zoe');
    assert.notEqual(await askFor(zoe, 'hello'), id, 'of another principal');
    assert.equal(stage.sent('').length, 0);
    await session.close();
    const another = await open(stage, 'ann', '2025-06-18');
    const spelled = String.raw`{"params":{"arguments":{ "text":"\u0068ello" },"name":"dual_echo"},"method":"tools/call","id":77,"jsonrpc":"2.0"}`;
    assert.equal(textOf(responseOf(await another.post(spelled)).result), 'hello');
  });

  it('waits over a restart of the gateway, and passes after one', async (t) => {
    const stage = await startApprovals(t);
    const id = await askFor(await open(stage), 'hello');
    await stage.gateway.stop();
    stage.gateway = await stage.gateway.again();
    t.after(() => stage.gateway.stop());
    assert.equal(await askFor(await open(stage), 'hello'), id);
    assert.equal((await answer(stage, 'bob', id)).status, 200);
    await stage.gateway.crash();
    stage.gateway = await stage.gateway.again();
    assert.equal(textOf((await echo(await open(stage), 'hello')).result), 'hello');
  });

  it('is not sent once more by a state file of yesterday', async (t) => {
    const stage = await startApprovals(t);
    const id = await askFor(await open(stage), 'hello');
    await answer(stage, 'bob', id);
    await stage.gateway.stop();
    copyFileSync(stage.stateFile, `${stage.stateFile}.yesterday`);
    stage.gateway = await stage.gateway.again();
    t.after(() => stage.gateway.stop());
    assert.ok((await echo(await open(stage), 'hello')).result);
    await stage.gateway.stop();
    copyFileSync(`${stage.stateFile}.yesterday`, stage.stateFile);
    stage.gateway = await stage.gateway.again();
    assert.notEqual(await askFor(await open(stage), 'hello'), id);
    assert.equal(stage.sent('hello').length, 1);
    assert.match(stage.gateway.log(), /approval is not what the state file says/);
  });

  it('is denied for its time once somebody denied it', async (t) => {
    const stage = await startApprovals(t);
    const session = await open(stage);
    const id = await askFor(session, 'hello');
    assert.equal((await answer(stage, 'carl', id, 'deny', 'not today')).status, 200);
    assert.equal((await answer(stage, 'bob', id)).status, 409);
    const { error } = await echo(session, 'hello');
    assertRefused(error, 'approval_denied');
    assert.equal(error.data.retryable, false);
    assert.equal(error.data.approval_id, id);
    assert.equal(stage.sent('hello').length, 0);
    assert.deepEqual(stepsOf(stage.gateway, id), ['pending by ann', 'denied by carl']);
  });

  it('needs as many persons as the rule says, and none who called it', async (t) => {
    const rules = kEchoNeedsABoss.replace('approvers = ["boss"]', 'approvers = ["boss", "caller"]\napprovals = 2');
    const people = { ...kPeople, 'bob-phone': ['boss'] };
    const stage = await startApprovals(t, { rules, people, more: { bob: 'identities = ["bob-phone"]\n' } });
    const session = await open(stage);
    const id = await askFor(session, 'hello');
    assert.equal((await answer(stage, 'ann', id)).status, 403, 'a caller');
    assert.equal((await answer(stage, 'olga', id)).status, 403, 'no approver');
    assert.equal((await answer(stage, 'bob', id)).status, 200);
    assert.equal((await answer(stage, 'bob', id)).status, 200, 'said again');
    await answer(stage, 'bob-phone', id);
    assert.equal((await look(stage, 'bob', id)).body.state, 'pending', 'one person, however many keys');
    assertRefused((await echo(session, 'hello')).error, 'needs_approval');
    assert.equal((await answer(stage, 'zoe', id)).body.state, 'approved');
    assert.equal(textOf((await echo(session, 'hello')).result), 'hello');
  });

  it('does not pass by an approver who was revoked meanwhile', async (t) => {
    const stage = await startApprovals(t, { rules: `[admin]\nsocket = "admin.sock"\n${kEchoNeedsABoss}` });
    const session = await open(stage);
    const id = await askFor(session, 'hello');
    await answer(stage, 'bob', id);
    const { code, stderr } = await runProgram('revoke', 'principal', stage.gateway.configFile, 'bob', '--why', 'gone');
    assert.equal(code, 0, stderr);
    const other = await askFor(session, 'hello');
    assert.notEqual(other, id);
    assert.deepEqual(stepsOf(stage.gateway, id), ['pending by ann', 'approved by bob', 'withdrawn by gateway']);
    await answer(stage, 'carl', other);
    assert.ok((await echo(session, 'hello')).result);
    const metrics = await stage.gateway.metrics();
    assert.match(metrics, /bartizan_approvals_total\{state="used"\} 1/);
    await eventually(async () => /bartizan_approvals_waiting 0/.test(await stage.gateway.metrics()), 'the gauge');
  });

  it('is asked for once a chain is risky', async (t) => {
    const rules = `
[tool."dual/echo"]
risk = "low"
reversibility = "reversible"
[tool."dual/structured"]
risk = "critical"
[rule.after-something-critical]
effect = "require_approval"
roles = ["*"]
tools = ["dual/echo"]
when = { chain_risk = ["critical"] }
approvers = ["boss"]
`;
    const stage = await startApprovals(t, { rules });
    const session = await open(stage);
    assert.ok((await echo(session, 'before')).result);
    assert.ok((await session.call(990, 'dual_structured', { value: 2 })).result);
    await answer(stage, 'bob', await askFor(session, 'after'));
    assert.ok((await echo(session, 'after')).result);
    assert.ok((await echo(await open(stage), 'elsewhere')).result, 'another session is another chain');
  });

  it('is used by one of many calls at once', async (t) => {
    const stage = await startApprovals(t);
    const session = await open(stage);
    await answer(stage, 'bob', await askFor(session, 'hello'));
    const answers = await Promise.all(Array.from({ length: 8 }, () => echo(session, 'hello')));
    assert.equal(answers.filter(({ result }) => result).length, 1);
    assert.equal(stage.sent('hello').length, 1);
  });

  it('is withdrawn with its policy', async (t) => {
    const stage = await startApprovals(t);
    const session = await open(stage);
    const id = await askFor(session, 'hello');
    await answer(stage, 'bob', id);
    writeFileSync(stage.gateway.configFile, `${readFileSync(stage.gateway.configFile, 'utf8')}# other bytes\n`);
    stage.gateway.process.kill('SIGHUP');
    await eventually(() => stepsOf(stage.gateway, id).includes('withdrawn by gateway'), 'the request is withdrawn');
    assert.notEqual(await askFor(session, 'hello'), id);
  });

  it('expires', async (t) => {
    const stage = await startApprovals(t, { approvals: 'expires = "1s"' });
    const session = await open(stage);
    const id = await askFor(session, 'hello');
    await eventually(() => stepsOf(stage.gateway, id).includes('expired by gateway'), 'the request expires');
    assert.equal((await answer(stage, 'bob', id)).status, 409);
    assert.notEqual(await askFor(session, 'hello'), id);
  });

  it('is asked about only where it could pass', async (t) => {
    const rules = `${kEchoNeedsABoss}
[tool."dual/echo".arguments]
"/text" = { text = { max_length = 9 } }
[rule.secret]
effect = "require_approval"
roles = ["*"]
tools = ["dual/structured"]
approvers = ["boss"]
hide = true
`;
    const stage = await startApprovals(t, { rules });
    const session = await open(stage);
    assertRefused((await echo(session, 'longer than nine')).error, 'argument_not_allowed');
    assertRefused((await session.call(900, 'dual_structured')).error, 'tool_unknown');
    assertRefused((await echo(await open(stage, 'olga'), 'hello')).error, 'no_matching_rule');
    assert.equal((await list(stage, 'bob')).body.approvals.length, 0);
    assert.equal(approvalRecords(stage.gateway).length, 0);
  });

  it('has its share of what may wait, and others have theirs', async (t) => {
    const stage = await startApprovals(t);
    const ann = await open(stage);
    const reasons = [];
    for (let i = 0; i < 34; i += 1) {
      reasons.push((await echo(ann, `text ${i}`)).error.data.reason);
      await delay(60);
    }
    assert.equal(reasons.filter((reason) => reason === 'needs_approval').length <= 32, true);
    assert.ok(reasons.some((reason) => reason === 'overloaded' || reason === 'limited'), reasons.join(' '));
    await askFor(await open(stage, 'zoe'), 'hello');
  });

  it('is asked for by a flow, too', async (t) => {
    const rules = `
[tool."dual/echo"]
labels = ["untrusted", "destructive"]
[flow.strangers-delete-nothing]
after = ["untrusted"]
to = ["destructive"]
effect = "require_approval"
approvers = ["boss"]
`;
    const stage = await startApprovals(t, { rules });
    const session = await open(stage);
    assert.ok((await echo(session, 'first')).result);
    const id = await askFor(session, 'second');
    const { body } = await look(stage, 'bob', id);
    assert.equal(body.rule, 'flow:strangers-delete-nothing');
    await answer(stage, 'bob', id);
    assert.ok((await echo(session, 'second')).result);
    assert.equal(await askFor(session, 'third').then(() => stage.sent('third').length), 0);
  });
});

describe('a held call', () => {
  const held = { approvals: 'wait = "20s"' };
  const pendingId = (stage) => eventually(async () => (await list(stage, 'bob')).body.approvals[0]?.id, 'a request waits');

  it('goes on when it is approved, and says meanwhile that it waits', async (t) => {
    const stage = await startApprovals(t, held);
    const session = await open(stage);
    const params = { name: 'dual_echo', arguments: { text: 'hello' }, _meta: { progressToken: 'p' } };
    const answered = session.request(5, 'tools/call', params);
    const id = await pendingId(stage);
    await delay(5500);
    await answer(stage, 'bob', id);
    const messages = messagesOf(await answered);
    assert.equal(textOf(messages.at(-1).result), 'hello');
    const progress = messages.filter(({ method }) => method === 'notifications/progress');
    assert.ok(progress.some((one) => one.params.message === `waiting for approval ${id}`), JSON.stringify(messages));
    assert.deepEqual(stepsOf(stage.gateway, id), ['pending by ann', 'approved by bob', 'used by ann']);
  });

  it('is refused when it is denied', async (t) => {
    const stage = await startApprovals(t, held);
    const session = await open(stage);
    const answered = echo(session, 'hello');
    await answer(stage, 'bob', await pendingId(stage), 'deny');
    assertRefused((await answered).error, 'approval_denied');
    assert.equal(stage.sent('hello').length, 0);
  });

  it('is not sent when its client went away, and the retry passes', async (t) => {
    const stage = await startApprovals(t, held);
    const session = await open(stage);
    const controller = new AbortController();
    const body = jsonRpc(7, 'tools/call', { name: 'dual_echo', arguments: { text: 'hello' } });
    const gone = fetch(stage.gateway.url, { method: 'POST', headers: session.headers(), body, signal: controller.signal }).catch(() => {});
    const id = await pendingId(stage);
    const cancel = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
    await session.post(cancel);
    controller.abort();
    await gone;
    await eventually(() => stage.gateway.records().some((one) => one.detail === 'cancelled while it waited for an approval'), 'the call is given up');
    await answer(stage, 'bob', id);
    await delay(300);
    assert.equal(stage.sent('hello').length, 0);
    assert.equal(textOf((await echo(session, 'hello')).result), 'hello');
  });
});

describe('a client that can send its user somewhere', () => {
  const capabilities = { elicitation: { url: {} } };
  const modern = (stage, params) =>
    sendModern(stage.gateway.url, 'tools/call', { name: 'dual_echo', arguments: { text: 'hello' }, ...params, _meta: { 'io.modelcontextprotocol/clientCapabilities': capabilities } }, { headers: bearer('ann') });

  it('is asked to by an input request, once, and comes again', async (t) => {
    const stage = await startApprovals(t);
    const { result } = responseOf(await modern(stage));
    assert.equal(result.resultType, 'input_required');
    const [[name, asked]] = Object.entries(result.inputRequests);
    assert.equal(asked.method, 'elicitation/create');
    assert.equal(asked.params.mode, 'url');
    const id = result._meta['bartizan/denial'].approval_id;
    assert.equal(asked.params.url, `${stage.console}/approvals/${id}`);
    const again = { requestState: result.requestState, inputResponses: { [name]: { action: 'accept' } } };
    const refusal = responseOf(await modern(stage, again));
    assertRefused(refusal.error, 'needs_approval');
    assert.equal(refusal.error.code, 40301);
    assert.equal(refusal.error.data.approval_id, id, 'a user who accepted has approved nothing');
    await answer(stage, 'bob', id);
    assert.equal(textOf(responseOf(await modern(stage, again)).result), 'hello');
    const [sent] = stage.sent('hello');
    assert.doesNotMatch(sent, /bartizan|inputResponses|requestState/);
  });

  it('is not asked where it has not declared that', async (t) => {
    const stage = await startApprovals(t);
    const { error } = responseOf(await sendModern(stage.gateway.url, 'tools/call', { name: 'dual_echo', arguments: { text: 'hello' } }, { headers: bearer('ann') }));
    assertRefused(error, 'needs_approval');
  });

  it('is asked to by an error in the legacy era', async (t) => {
    const stage = await startApprovals(t);
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...bearer('ann') };
    const begun = await send(stage.gateway.url, {
      headers,
      body: jsonRpc(0, 'initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'by-hand', version: '1' } }),
    });
    const session = new LegacySession(stage.gateway.url, begun.headers['mcp-session-id'], bearer('ann'));
    await session.post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    const { error } = await echo(session, 'hello');
    assert.equal(error.code, -32042);
    const [elicitation] = error.data.elicitations;
    assert.deepEqual([elicitation.mode, elicitation.elicitationId, elicitation.url], ['url', error.data.approval_id, `${stage.console}/approvals/${error.data.approval_id}`]);
    await answer(stage, 'bob', error.data.approval_id);
    assert.equal(textOf((await echo(session, 'hello')).result), 'hello');
  });
});
