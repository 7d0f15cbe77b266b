// Whoever comes back is judged under what holds then: what was withdrawn meanwhile is not delivered, and
// nothing is sent that is not on record.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { EventStream } from './event_stream.mjs';
import { runProgram, startGateway, temporaryDirectory } from './harness.mjs';
import { ResumeStage, isResume, kAnn, kRule, kStreamFirst, kTools, stepsOf } from './resume_stage.mjs';
import { startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { LegacySession, jsonRpc, responseOf, send, sendModern } from './wire.mjs';

describe('a client that comes back', () => {
  let stage;
  let gateway;
  let scripted;
  let original;
  /** The session's own stream that `forgetTools` read. */
  let lastGet;
  /** While it is set, the server does not answer what its tools are. */
  let held;

  const onMessage = async (message) => {
    if (message?.method !== 'tools/list' || !held) return false;
    held.isHeld = true;
    await held.promise;
    return false;
  };
  const hold = () => {
    const holding = {};
    holding.promise = new Promise((release) => (holding.release = () => release((held = undefined))));
    held = holding;
  };

  before(async () => {
    const folder = temporaryDirectory();
    const tables = `[state]\nfile = "${join(folder, 'state.db')}"\n[admin]\nsocket = "${join(folder, 'admin.sock')}"\n`;
    stage = await ResumeStage.start({ more: `client_features = ["elicitation"]\nmax_in_flight = 256\n${tables}`, onMessage });
    ({ gateway, scripted } = stage);
    original = readFileSync(gateway.configFile, 'utf8');
  });
  beforeEach(() => {
    stage.open = [];
    scripted.tools = kTools;
  });
  afterEach(() => apply(original));
  after(async () => {
    held?.release();
    await stage?.stop();
  });

  /** Replaces the configuration and waits until every worker has it. */
  async function apply(text) {
    const digest = createHash('sha256').update(text).digest('hex');
    writeFileSync(`${gateway.configFile}.next`, text);
    renameSync(`${gateway.configFile}.next`, gateway.configFile);
    gateway.process.kill('SIGHUP');
    await eventually(async () => (await gateway.readiness()).body.config.digest === digest, 'the configuration is applied', 20_000);
  }
  const lastReturn = () => gateway.records().filter(isResume).at(-1);

  it('gets the refusal for an answer when its rule was withdrawn', async () => {
    const session = await stage.openSession();
    const { stream, call } = await stage.beginCall(session, 7);
    stream.close();
    await apply(original + '[rule.not-slow]\neffect = "forbid"\nroles = ["*"]\ntools = ["far/slow"]\n');
    const next = await stage.resume(session, stream.lastId());
    await next.ended;
    assert.equal(next.response().id, 7);
    assertRefused(next.response().error, 'forbidden');
    await call.isGone;
    const { decision, reason, rule, count } = lastReturn();
    assert.deepEqual({ decision, reason, rule, count }, { decision: 'deny', reason: 'forbidden', rule: 'not-slow', count: undefined });
    assert.equal((await stage.resume(session, stream.lastId())).status, 400, 'and nothing is kept of it');
  });

  it('gets nothing of an answer that it may not have any more', async () => {
    const session = await stage.openSession();
    const stream = await stage.finishedCall(session);
    await apply(original.replace(kRule, ''));
    const next = await stage.resume(session, stream.events[0].id);
    await next.ended;
    assertRefused(next.response().error, 'no_matching_rule');
    assert.doesNotMatch(next.text, /end/);
  });

  it('is unknown when its key was withdrawn', async () => {
    const session = await stage.openSession();
    const stream = await stage.finishedCall(session);
    await apply(original.replace(/\[auth\.api_key\.ann-laptop\]\n.*\n.*\n/, ''));
    const next = await stage.resume(session, stream.events[0].id);
    assert.equal(next.status, 401);
    assert.deepEqual(next.messages(), []);
    await apply(original);
    assert.equal((await stage.resume(session, stream.events[0].id)).status, 404, 'and its session has ended');
  });

  it('does not lend its key to a stream that was opened with another', async () => {
    const sha256 = createHash('sha256').update('the-second-key').digest('hex');
    await apply(`${original}\n[auth.api_key.ann-second]\nprincipal = "ann"\nsha256 = "${sha256}"\n`);
    const session = await stage.openSession();
    await forgetTools(session);
    const first = lastGet;
    const second = { ...session.headers(), accept: 'text/event-stream', authorization: 'Bearer the-second-key' };
    const other = await eventually(async () => {
      const stream = await EventStream.open(gateway.url, { headers: second });
      return stream.status === 200 ? stream : undefined;
    }, 'the second key has the stream');
    const back = await stage.resume(session, first.events[0].id);
    assert.equal(back.status, 200);
    await back.ended;
    await apply(original);
    await other.ended;
  });

  it('is refused when the tool is gone', async () => {
    const session = await stage.openSession();
    const { stream, call } = await stage.beginCall(session, 7);
    stream.close();
    scripted.tools = kTools.filter(({ name }) => name !== 'slow');
    await forgetTools(session);
    const names = async () => responseOf(await session.request(2, 'tools/list')).result.tools.map(({ name }) => name);
    await eventually(async () => !(await names()).includes('far_slow'), 'the tool is gone');
    const next = await stage.resume(session, stream.lastId());
    await next.ended;
    const { id, error } = next.response();
    assert.equal(id, 7);
    assert.equal(error.code, -32602);
    await call.isGone;
    const { decision, reason } = lastReturn();
    assert.deepEqual({ decision, reason }, { decision: 'deny', reason: 'tool_unknown' });
    await forgetTools(session);
  });

  it('is refused when another server has the name of the tool', async (t) => {
    const near = await startScriptedServer({ tools: kTools });
    t.after(() => near.stop());
    await apply(original.replace('client_features', 'prefix = "never"\nclient_features'));
    const session = await stage.openSession();
    const { stream, call } = await stage.beginCall(session, 7, 'slow');
    stream.close();
    scripted.tools = kTools.filter(({ name }) => name === 'echo');
    await apply(original.replace('client_features', 'prefix = "never"\nclient_features') + httpServer('near', near.url, 'prefix = "never"') + kRule.replace('testers-may', 'near-too').replace('far/*', 'near/*'));
    await forgetTools(session);
    await eventually(async () => responseOf(await session.request(2, 'tools/call', { name: 'other', arguments: {} })).result, 'the name is of the other server');
    const next = await stage.resume(session, stream.lastId());
    await next.ended;
    assert.equal(next.response().id, 7);
    assertRefused(next.response().error, 'tool_unknown');
    await call.isGone;
    scripted.tools = kTools;
    await forgetTools(session);
  });

  it('gets nothing that cannot be recorded', async () => {
    const session = await stage.openSession();
    const stream = await stage.finishedCall(session);
    execFileSync('prlimit', ['--pid', `${gateway.process.pid}`, '--fsize=1:']);
    const next = await stage.resume(session, stream.events[0].id);
    assert.equal(next.status, 503);
    await next.ended;
    assert.deepEqual(next.messages(), []);
    execFileSync('prlimit', ['--pid', `${gateway.process.pid}`, '--fsize=unlimited:']);
    await eventually(() => gateway.isReady(), 'the gateway is ready again');
    const again = await stage.resume(session, stream.events[0].id);
    await again.ended;
    assert.equal(again.response().result.content[0].text, 'end');
  });

  /** The server's list changes, so that the gateway asks for it when it is next needed. */
  async function forgetTools(session) {
    await session.call(99, 'far_echo', { text: 'begin' });
    await eventually(() => scripted.streams.size > 0, 'the gateway listens to its server');
    const stream = await stage.openGet(session);
    scripted.publish({ method: 'notifications/tools/list_changed' });
    await eventually(() => stream.messages().some(({ method }) => method.endsWith('list_changed')), 'the list has changed');
    stream.close();
    lastGet = stream;
  }

  /** Comes back while the server does not say what its tools are, so that judging waits for it. */
  async function resumeWhileHeld(session, id) {
    await forgetTools(session);
    hold();
    const { status } = await stage.resume(session, id);
    return status;
  }

  it('overtakes itself: of two returns the last is answered', async () => {
    const session = await stage.openSession();
    const [{ id }] = (await stage.finishedCall(session)).events;
    // Nothing tells when the second one has arrived; one that comes too late is no second one.
    await eventually(async () => {
      const first = resumeWhileHeld(session, id);
      await eventually(() => held?.isHeld, 'the server holds its answer');
      const second = stage.resume(session, id);
      await session.request(3, 'ping');
      held.release();
      return (await second).status === 200 && (await first) === 429;
    }, 'the first is overtaken', 20_000);
  });

  it('is not answered under a configuration that was replaced meanwhile', async () => {
    const session = await stage.openSession();
    const [{ id }] = (await stage.finishedCall(session)).events;
    const status = resumeWhileHeld(session, id);
    await eventually(() => held?.isHeld, 'the server holds its answer');
    await apply(`${original}# another configuration\n`);
    held.release();
    assert.equal(await status, 503);
  });

  /** `bartizan VERB… FILE REST…`, which has to be done. */
  async function order(verb, ...rest) {
    const { code, stdout, stderr } = await runProgram(...verb.split(' '), gateway.configFile, ...rest, '--json');
    assert.equal(code, 0, stderr);
    return String(JSON.parse(stdout).revocation.number);
  }

  it('is not answered where an operator revoked something meanwhile', async () => {
    const session = await stage.openSession();
    const [{ id }] = (await stage.finishedCall(session)).events;
    const status = resumeWhileHeld(session, id);
    await eventually(() => held?.isHeld, 'the server holds its answer');
    const number = await order('revoke principal', 'bob', '--why', 'left');
    held.release();
    assert.equal(await status, 503);
    assert.equal((await stage.resume(session, id)).status, 200, 'it comes back once more');
    await order('lift', number);
  });

  it('loses its stream with the key that it came back with', async () => {
    const sha256 = createHash('sha256').update('the-second-key').digest('hex');
    await apply(`${original}\n[auth.api_key.ann-second]\nprincipal = "ann"\nsha256 = "${sha256}"\n`);
    const session = await stage.openSession();
    const { stream, call } = await stage.beginCall(session);
    stream.close();
    const back = await stage.resume(session, stream.lastId(), { authorization: 'Bearer the-second-key' });
    assert.equal(back.status, 200);
    const number = await order('revoke key', 'ann-second', '--why', 'lost');
    await back.ended;
    await call.isGone;
    await order('lift', number);
  });

  it("is asked what a server asked, unless it has answered", async () => {
    const body = jsonRpc(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 'x', version: '1' } });
    const begun = await send(gateway.url, { headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...kAnn }, body });
    const session = new LegacySession(gateway.url, begun.headers['mcp-session-id'], kAnn);
    const { stream, call } = await stage.beginCall(session);
    const ask = (id) => call.write({ jsonrpc: '2.0', id, method: 'elicitation/create', params: { message: id, requestedSchema: { type: 'object', properties: {} } } });
    ask('one');
    ask('two');
    await eventually(() => stream.messages().length === 2, 'both arrive');
    const [one] = stream.messages();
    await session.post(JSON.stringify({ jsonrpc: '2.0', id: one.id, result: { action: 'decline' } }));
    const next = await stage.resume(session, stream.events[0].id);
    call.answer('end');
    await next.ended;
    assert.deepEqual(next.messages().filter(({ method }) => method).map(({ params }) => params.message), ['two']);
    assert.equal(lastReturn().count, 1);
    const late = await stage.resume(session, stream.events[0].id);
    await late.ended;
    assert.equal(late.messages().length, 1, 'after the end only the answer is left');
    assert.deepEqual(stepsOf(late), []);
  });
});

describe('Last-Event-ID in the modern era', () => {
  it('is ignored, and streams have no ids', async (t) => {
    const scripted = await startScriptedServer({ era: 'modern' });
    const gateway = await startGateway(httpServer('far', scripted.url) + '[rule.all]\neffect = "permit"\nroles = ["tester"]\ntools = ["far/*"]\n');
    t.after(async () => {
      await gateway.stop();
      await scripted.stop();
    });
    for (const headers of [{}, kStreamFirst]) {
      const answer = await sendModern(gateway.url, 'tools/call', { name: 'far_echo', arguments: { text: 'new' } }, { headers: { 'last-event-id': '1-0', ...headers } });
      assert.equal(answer.status, 200);
      assert.equal(responseOf(answer).result.content[0].text, 'new');
      assert.doesNotMatch(answer.body, /^id: /m);
    }
    assert.deepEqual(gateway.records().filter(isResume), []);
  });
});
