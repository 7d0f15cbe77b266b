// What could make an approval count for another call, or by somebody who may not approve any more: a
// target that moves while its call is held, revocations while it waits for its turn, persons who are
// joined later, a rule with the name of a flow.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'node:test';

import { answer, bearer, list, peopleAuth, stepsOf } from './approvals_stage.mjs';
import { assertRefused, eventually, textOf } from './assertions.mjs';
import { freePort, runProgram, startGateway } from './harness.mjs';
import { httpServer } from './servers.mjs';
import { LegacySession } from './wire.mjs';

const tool = (name, description = name) => ({ name, description, inputSchema: { type: 'object' } });
const rule = (tools, more = '') => `[rule.pay]\neffect = "require_approval"\nroles = ["*"]\ntools = ${JSON.stringify(tools)}\napprovers = ["boss"]\n${more}`;

/** A legacy server whose tools may change; `calls` are the names that it was called by. */
async function startShifting(tools, onCall = () => {}) {
  const its = { tools, calls: [] };
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const answers = {
      initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'shifting', version: '1' } }),
      'tools/list': () => ({ tools: its.tools }),
      'tools/call': () => ({ content: [{ type: 'text', text: `did ${params.name}` }] }),
    };
    const lines = [];
    if (method === 'tools/call') {
      its.calls.push(params.name);
      if (await onCall(params.name, its)) lines.push({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    }
    lines.push({ jsonrpc: '2.0', id, result: answers[method]?.() ?? {} });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(lines.map((line) => `data: ${JSON.stringify(line)}\n\n`).join(''));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return Object.assign(its, { url: `http://127.0.0.1:${server.address().port}/mcp`, stop: () => server.close(() => {}) && server.closeAllConnections() });
}

async function start(t, servers, rules, { approvals = '', people } = {}) {
  const port = await freePort();
  const tables = Object.entries(servers).map(([name, { url, more = '' }]) => httpServer(name, url, more)).join('');
  const patterns = JSON.stringify(Object.keys(servers).map((name) => `${name}/*`));
  const gateway = await startGateway(
    `${approvals && `[approvals]\n${approvals}\n`}[admin]\nsocket = "admin.sock"\n[console]\naddress = "127.0.0.1:${port}"\nroles = ["operator"]\n[state]\nfile = "state.db"\n${tables}[rule.callers]\neffect = "permit"\nroles = ["caller"]\ntools = ${patterns}\n${rules}`,
    { auth: peopleAuth(people) },
  );
  const stage = { gateway, console: `http://127.0.0.1:${port}` };
  t.after(async () => {
    await stage.gateway.stop();
    for (const server of Object.values(servers)) server.stop();
  });
  return stage;
}

const open = (stage, name = 'ann') => LegacySession.open(stage.gateway.url, bearer(name));
const pendingId = (stage) => eventually(async () => (await list(stage, 'bob')).body.approvals[0]?.id, 'a request waits');

describe('an approval', () => {
  it('is none of what has the name of its tool afterwards', async (t) => {
    const alpha = await startShifting([tool('pay', 'Shows the balance.'), tool('flip')], (name, its) => name === 'flip' && (its.tools = [tool('flip')]));
    const beta = await startShifting([tool('other')], (name, its) => name === 'other' && (its.tools = [tool('other'), tool('pay', 'Pays.')]));
    for (const server of [alpha, beta]) server.more = 'prefix = "never"';
    const stage = await start(t, { alpha, beta }, rule(['alpha/pay', 'beta/pay']), { approvals: 'wait = "20s"' });
    const [ann, zoe] = [await open(stage), await open(stage, 'zoe')];
    const held = ann.call(1, 'pay', {});
    const id = await pendingId(stage);
    await zoe.call(1, 'flip');
    await zoe.call(2, 'other');
    await zoe.request(3, 'tools/list', {});
    assert.equal((await answer(stage, 'bob', id)).status, 200);
    const { error, result } = await held;
    // Where the move was not seen yet, the call went where it was approved for.
    if (result) assert.ok(alpha.calls.includes('pay'));
    else assertRefused(error, 'needs_approval');
    assert.ok(!beta.calls.includes('pay'), 'beta was never approved');
  });

  it('does not count any more when its approver is revoked while the call waits for its turn', async (t) => {
    const alpha = await startShifting([tool('pay'), tool('slow')], async (name) => name === 'slow' && void (await delay(3000)));
    const limit = '[limit.slots]\nper = []\ntools = ["alpha/*"]\nconcurrency = 1\nqueue = 16\nqueue_timeout = "20s"\n';
    const stage = await start(t, { alpha }, rule(['alpha/pay']) + limit);
    const [ann, zoe] = [await open(stage), await open(stage, 'zoe')];
    const { error } = await ann.call(1, 'alpha_pay');
    await answer(stage, 'bob', error.data.approval_id);
    const slow = zoe.call(1, 'alpha_slow');
    await delay(500);
    const pay = ann.call(2, 'alpha_pay');
    await delay(500);
    assert.equal((await runProgram('revoke', 'principal', stage.gateway.configFile, 'bob', '--why', 'left')).code, 0);
    assert.ok((await slow).result);
    assertRefused((await pay).error, 'needs_approval');
    assert.ok(!alpha.calls.includes('pay'));
    assert.deepEqual(stepsOf(stage.gateway, error.data.approval_id), ['pending by ann', 'approved by bob', 'withdrawn by gateway']);
  });

  it('does not count any more when the key that gave it is revoked', async (t) => {
    const alpha = await startShifting([tool('pay')]);
    const stage = await start(t, { alpha }, rule(['alpha/pay']));
    const ann = await open(stage);
    const { error } = await ann.call(1, 'alpha_pay');
    await answer(stage, 'bob', error.data.approval_id);
    assert.equal((await runProgram('revoke', 'key', stage.gateway.configFile, 'bob-key', '--why', 'stolen')).code, 0);
    assertRefused((await ann.call(2, 'alpha_pay')).error, 'needs_approval');
    assert.deepEqual(alpha.calls, []);
  });

  it('of two who are one person from the next start on keeps nobody from starting', async (t) => {
    const alpha = await startShifting([tool('pay')]);
    const people = { ann: ['caller'], bob: ['boss'], carl: ['boss'], dora: ['boss'], olga: ['operator'] };
    const stage = await start(t, { alpha }, rule(['alpha/pay'], 'approvals = 3\n'), { people });
    const { error } = await (await open(stage)).call(1, 'alpha_pay');
    for (const name of ['bob', 'carl']) assert.equal((await answer(stage, name, error.data.approval_id)).status, 200);
    await stage.gateway.stop();
    const text = readFileSync(stage.gateway.configFile, 'utf8');
    writeFileSync(stage.gateway.configFile, text.replace('[principal.bob]\n', '[principal.bob]\nidentities = ["carl"]\n').replace('approvals = 3', 'approvals = 2'));
    stage.gateway = await stage.gateway.again();
    await eventually(() => stepsOf(stage.gateway, error.data.approval_id).includes('withdrawn by gateway'), 'another policy withdraws it');
  });

  it('of a rule is none of a flow that has its name', async (t) => {
    const alpha = await startShifting([tool('get'), tool('pay')]);
    const rules = `[tool."alpha/get"]\nlabels = ["untrusted"]\n[tool."alpha/pay"]\nlabels = ["destructive"]
[flow.pay]\nafter = ["untrusted"]\nto = ["destructive"]\neffect = "require_approval"\napprovers = ["boss"]
[rule."flow.pay"]\neffect = "require_approval"\nroles = ["*"]\ntools = ["alpha/pay"]\napprovers = ["boss"]\n`;
    const stage = await start(t, { alpha }, rules);
    const ann = await open(stage);
    assert.ok((await ann.call(1, 'alpha_get')).result);
    for (const number of [2, 3]) {
      const { error } = await ann.call(number, 'alpha_pay');
      assertRefused(error, 'needs_approval');
      await answer(stage, 'bob', error.data.approval_id);
    }
    assert.equal(textOf((await ann.call(4, 'alpha_pay')).result), 'did pay');
  });
});
