// Tasks of 2025-11-25, and tasks that the client did not declare: the gateway passes none of their methods
// on, whatever policy permits, and nothing of a task that a server tells of.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { SchemaStage, answerResult, bearer, toolText } from './schema_stage.mjs';
import { jsonRpc, kModernVersion, messagesOf, responseOf, sendModern } from './wire.mjs';

const kPermitMethods = '[rule.methods]\neffect = "permit"\nroles = ["*"]\nmethods = ["*"]\n';
const kHidden = 'ZQ-hidden-5190';
const kTask = { taskId: 'task-1', status: 'completed', createdAt: '2026-11-22T00:00:00Z', lastUpdatedAt: '2026-11-22T00:00:00Z', ttl: 60_000 };
const kOutput = ',"outputSchema":{"type":"object","properties":{"degrees":{"type":"number"}}}';
const kTools = [toolText('typed', '{"type":"object"}', kOutput), toolText('untyped', '{"type":"object"}')];

/** Answers with a task where the call asks for it, and else tells of one before it answers. */
function onCall({ id, params }, response, request) {
  const isModern = request.headers['mcp-protocol-version'] === kModernVersion;
  if (params.arguments.as === 'task') {
    const modern = { resultType: 'task', ...kTask };
    return answerResult(response, id, JSON.stringify(isModern ? modern : { task: kTask }));
  }
  const result = { content: [], structuredContent: { degrees: kHidden } };
  const events = [
    { method: 'notifications/tasks', params: { ...kTask, result } },
    { method: 'notifications/tasks/status', params: { ...kTask, result } },
    { id, result: { ...(isModern && { resultType: 'complete' }), content: [{ type: 'text', text: 'done' }], structuredContent: { degrees: 7 } } },
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(events.map((event) => `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...event })}\n\n`).join(''));
}

for (const era of ['legacy', 'modern']) {
  describe(`tasks, ${era}`, () => {
    const version = era === 'modern' ? kModernVersion : '2025-11-25';
    let stage;
    let caller;
    before(async () => {
      stage = await SchemaStage.start({ era, tools: kTools, onCall, policy: kPermitMethods });
      caller = await stage.caller('system', version);
    });
    after(() => stage?.stop());

    const ask = (method, params) =>
      era === 'modern'
        ? sendModern(stage.gateway.url, method, params, { headers: { ...bearer('system'), 'mcp-name': params.taskId } })
        : caller.session.post(jsonRpc(700, method, params));

    const kMethods = { legacy: ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'], modern: ['tasks/get', 'tasks/result', 'tasks/update', 'tasks/cancel'] };
    for (const method of kMethods[era]) {
      it(`reach no server: ${method}`, async () => {
        // A list has no target, and one that names one is refused before.
        const { error } = responseOf(await ask(method, method === 'tasks/list' ? {} : { taskId: 'task-1' }));
        assert.ok(['client_capability_missing', 'method_not_found'].includes(error?.data?.reason), JSON.stringify(error));
        assert.deepEqual(stage.far.requests.filter(({ message }) => message?.method?.startsWith('tasks/')), []);
      });
    }

    it('are no results', async () => {
      const typed = (await caller.call('typed', '{"as":"task"}')).response;
      if (era === 'modern') return assert.equal(typed.error?.data.reason, 'server_failed', JSON.stringify(typed));
      assert.equal(typed.result.isError, true, JSON.stringify(typed));
      assert.equal(typed.result._meta['bartizan/withheld'].reason, 'result_invalid');
    });

    it('are not told of', async () => {
      for (const tool of ['typed', 'untyped']) {
        const answer = await caller.call(tool, '{"as":"told"}');
        assert.equal(answer.response.result?.content[0].text, 'done', answer.body);
        assert.deepEqual(messagesOf(answer).map(({ method }) => method).filter(Boolean), []);
        assert.ok(!answer.body.includes(kHidden), answer.body);
      }
    });
  });
}
