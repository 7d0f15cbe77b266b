// Tasks of the extension io.modelcontextprotocol/tasks, by a server and clients by hand: whose a task
// is, what may pass of it, when its call's slots are free again, and what is heard of it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { kTasks } from './fixtures/task_desk.mjs';
import { apply } from './reloading.mjs';
import { Stage, configOf, form, kSecret, text, weather } from './task_stage.mjs';

describe('a task', () => {
  let stage;
  before(async () => (stage = await Stage.start()));
  after(() => stage?.stop());

  it('is offered to clients, and goes on to its end under an id of the gateway', async () => {
    const { result: offer } = await stage.ask('server/discover', {});
    assert.deepEqual(offer.capabilities.extensions, { [kTasks]: {} });
    const { id, own } = await stage.begin('job');
    const working = await stage.get(id);
    assert.equal(working.result.status, 'working');
    assert.equal(working.result.taskId, id);
    stage.desk.finish(own);
    const done = await stage.get(id);
    assert.equal(done.result.status, 'completed');
    assert.equal(done.result.resultType, 'complete');
    for (const answer of [working, done]) assert.ok(!JSON.stringify(answer).includes(own), 'the server\'s id');
  });

  it('has its result redacted like a result of a call', async () => {
    const { id, own } = await stage.begin('job');
    stage.desk.finish(own);
    const { result } = await stage.get(id);
    assert.match(result.result.content[0].text, /^done, by /);
    assert.ok(!JSON.stringify(result).includes(kSecret));
    assert.ok(JSON.stringify(stage.desk.details(own)).includes(kSecret), 'the control');
    const outcome = stage.gateway.records().findLast(({ kind, method }) => kind === 'outcome' && method === 'tasks/get');
    assert.match(outcome.redacted[0], /github\.token mask 1/);
  });

  it('is on record with its tool and its call', async () => {
    const { id } = await stage.begin('job');
    await stage.get(id);
    const decisions = stage.gateway.records().filter(({ kind }) => kind === 'decision');
    const [call, get] = [decisions.at(-2), decisions.at(-1)];
    assert.equal(get.method, 'tasks/get');
    assert.deepEqual([get.server, get.target, get.detail], ['far', 'job', `task of ${call.decision_id}`]);
    assert.ok(!stage.gateway.records().some(({ line }) => line.includes(id)), 'the id is in the record');
  });

  it('has its result held against the output schema of its tool', async () => {
    const fits = await stage.begin('typed');
    stage.desk.finish(fits.own);
    assert.deepEqual((await stage.get(fits.id)).result.result.structuredContent, { degrees: 7 });
    const { id, own } = await stage.begin('typed');
    stage.desk.finish(own, { result: weather('warm') });
    const { result } = await stage.get(id);
    assert.equal(result.status, 'completed');
    assert.equal(result.result.isError, true, JSON.stringify(result));
    assert.equal(result.result.structuredContent, undefined);
    assert.equal(result.result._meta['bartizan/withheld'].reason, 'result_invalid');
  });

  it('that failed has the error of its server', async () => {
    const { id, own } = await stage.begin('job');
    stage.desk.finish(own, { error: { code: -32603, message: `it broke by ${kSecret}` } });
    const { result } = await stage.get(id);
    assert.equal(result.status, 'failed');
    assert.equal(result.error.code, -32603);
    assert.ok(!result.error.message.includes(kSecret));
  });

  it('is nobody else\'s', async () => {
    const { id, own } = await stage.begin('job', { who: 'verified' });
    const count = stage.reached('tasks/get');
    const forged = `${id.slice(0, -1)}${id.endsWith('A') ? 'B' : 'A'}`;
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      for (const [taskId, who] of [[id, 'system'], [forged, 'verified'], [own, 'verified'], ['task-1', 'verified']]) {
        const { error } = await stage.ask(method, { taskId, ...(method === 'tasks/update' && { inputResponses: {} }) }, { who });
        assertRefused(error, 'task_unknown');
        assert.equal(error.code, -32602);
      }
    }
    assert.equal(stage.reached('tasks/get'), count);
    assert.equal(stage.reached('tasks/cancel') + stage.reached('tasks/update'), 0);
    assert.equal((await stage.get(id, { who: 'verified' })).result.status, 'working', 'the control');
  });

  it('is for clients that declare the extension', async () => {
    const { id } = await stage.begin('job');
    const { error } = await stage.get(id, { meta: {} });
    assertRefused(error, 'client_capability_missing');
    assert.deepEqual([error.code, error.data.requiredCapabilities], [-32021, { extensions: { [kTasks]: {} } }]);
    const listened = await stage.ask('subscriptions/listen', { notifications: { taskIds: [id] } }, { meta: {} });
    assertRefused(listened.error, 'client_capability_missing');
    assert.equal((await stage.call('job', { meta: {} })).result.content[0].text, 'done at once');
  });

  it('asks its client what may be asked, and hears the answer', async () => {
    const { id } = await stage.begin('asking');
    const { result } = await stage.get(id);
    assert.equal(result.status, 'input_required');
    assert.equal(result.inputRequests.where.params.message, 'Which city?');
    const told = await stage.ask('tasks/update', { taskId: id, inputResponses: { where: { action: 'accept', content: { city: 'Oslo' } } } });
    assert.deepEqual(told.result, { resultType: 'complete' });
    assert.equal(stage.far.received('tasks/update').at(-1).message.params.inputResponses.where.content.city, 'Oslo');
    await eventually(async () => (await stage.get(id)).result.status === 'completed', 'the task ends');
  });

  it('asks its client for no secret', async () => {
    const { id } = await stage.begin('phishing');
    const { error } = await stage.get(id);
    assertRefused(error, 'secret_requested');
  });

  it('begins with nothing that nobody judges', async () => {
    const { error } = await stage.call('begun_wrong');
    assertRefused(error, 'server_failed');
  });

  const kWrong = {
    'another task\'s id': (details) => ({ ...details, taskId: 'other' }),
    'no known status': (details) => ({ ...details, status: 'paused' }),
    'a result before its end': (details) => ({ ...details, result: text('early') }),
    'a result under another spelling': (details) => ({ ...details, Result: text('early') }),
    'an end without a result': (details) => ({ ...details, status: 'completed' }),
    'an end that is a task': (details) => ({ ...details, status: 'completed', result: { resultType: 'task', taskId: 'x' } }),
    'a state of its own': (details) => ({ ...details, requestState: 'x' }),
  };
  for (const [what, changed] of Object.entries(kWrong)) {
    it(`tells nothing with ${what}`, async () => {
      const { id } = await stage.begin('job');
      stage.changed = changed;
      const { error } = await stage.get(id);
      stage.changed = (details) => details;
      assertRefused(error, 'server_failed');
      assert.equal((await stage.get(id)).result.status, 'working', 'the control');
    });
  }
});

describe('a task whose call', () => {
  let stage;
  before(async () => (stage = await Stage.start()));
  after(() => stage?.stop());

  it('may not be made any more tells nothing, and can still be ended', async () => {
    const { id, own } = await stage.begin('job');
    assert.equal((await stage.get(id)).result.status, 'working', 'the control');
    stage.desk.finish(own);
    await apply(stage.gateway, `${configOf(stage)}[rule.no]\neffect = "forbid"\nroles = ["*"]\ntools = ["far/job"]\n`);
    const count = stage.reached('tasks/get');
    assertRefused((await stage.get(id)).error, 'forbidden');
    assertRefused((await stage.ask('tasks/update', { taskId: id, inputResponses: {} })).error, 'forbidden');
    assert.equal(stage.reached('tasks/get'), count);
    assert.deepEqual((await stage.ask('tasks/cancel', { taskId: id })).result, { resultType: 'complete' });
  });
});

describe('without "tasks" in client_features', () => {
  it('a server learns of no extension, and begins no task', async (t) => {
    const stage = await Stage.start({ features: '' });
    t.after(() => stage.stop());
    assert.equal((await stage.ask('server/discover', {})).result.capabilities.extensions, undefined);
    assert.equal((await stage.call('job')).result.content[0].text, 'done at once');
    const { params } = stage.far.received('tools/call').at(-1).message;
    assert.deepEqual(params._meta['io.modelcontextprotocol/clientCapabilities'], { extensions: {} });
  });
});

describe('the slots of a call', () => {
  const kOne = '[limit.one]\nper = ["principal"]\ntools = ["far/job"]\nconcurrency = 1\n';
  let stage;
  before(async () => (stage = await Stage.start({ more: kOne })));
  after(() => stage?.stop());

  const isRefused = async () => (await stage.call('job')).error?.data.reason;
  for (const [what, end] of [
    ['its task is over, as its client hears', async ({ id, own }) => (stage.desk.finish(own), stage.get(id))],
    ['its server has agreed to end it', ({ id }) => stage.ask('tasks/cancel', { taskId: id })],
  ]) {
    it(`are held until ${what}`, async () => {
      const task = await stage.begin('job');
      assert.equal(await isRefused(), 'limited');
      assert.equal((await stage.get(task.id)).result.status, 'working');
      assert.equal(await isRefused(), 'limited');
      await end(task);
      const next = await stage.begin('job');
      await stage.ask('tasks/cancel', { taskId: next.id });
    });
  }
});

describe('tasks of one principal', () => {
  it('are bounded: further calls are sent without the extension', async (t) => {
    const stage = await Stage.start();
    t.after(() => stage.stop());
    const first = await stage.begin('job');
    for (let i = 1; i < 128; i += 1) await stage.begin('job');
    assert.equal((await stage.call('job')).result.content[0].text, 'done at once');
    assert.equal((await stage.call('job', { who: 'verified' })).result.resultType, 'task', 'the control');
    await stage.ask('tasks/cancel', { taskId: first.id });
    await stage.begin('job');
    assertRefused((await stage.get(first.id)).error, 'task_unknown');
  });
});

describe('a subscription to tasks', () => {
  let stage;
  before(async () => (stage = await Stage.start()));
  after(() => stage?.stop());

  const listen = (taskIds) => stage.listen({ taskIds });
  const news = (stream) => stream.messages().filter(({ method }) => method === 'notifications/tasks');

  it('hears of its client\'s tasks alone, redacted, under the ids of the gateway', async () => {
    const mine = await stage.begin('job');
    const other = await stage.begin('job', { who: 'verified' });
    const stream = await listen([mine.id, other.id, 'task-1']);
    await eventually(() => stream.messages().length > 0, 'the acknowledgement');
    assert.deepEqual(stream.messages()[0].params.notifications.taskIds, [mine.id]);
    assert.deepEqual(stage.streams.at(-1).taskIds, [mine.own]);
    stage.desk.finish(other.own);
    stage.desk.finish(mine.own);
    await eventually(() => news(stream).length > 0, 'news of the task');
    const [{ params }] = news(stream);
    assert.equal(params.taskId, mine.id);
    assert.equal(params.status, 'completed');
    assert.match(params.result.content[0].text, /^done, by /);
    assert.ok(!stream.text.includes(kSecret) && !stream.text.includes(mine.own) && !stream.text.includes(other.own));
    assert.equal(news(stream).length, 1);
    stream.close();
  });

  it('hears nothing of a task whose result does not fit', async () => {
    const [bad, good] = [await stage.begin('typed'), await stage.begin('typed')];
    const stream = await listen([bad.id, good.id]);
    await eventually(() => stream.messages().length > 0, 'the acknowledgement');
    stage.desk.finish(bad.own, { result: weather('warm') });
    stage.desk.finish(good.own);
    await eventually(() => news(stream).length === 2, 'news of both');
    const [first, second] = news(stream).map(({ params }) => params.result);
    assert.equal(first._meta['bartizan/withheld'].reason, 'result_invalid');
    assert.equal(first.structuredContent, undefined);
    assert.deepEqual(second.structuredContent, { degrees: 7 }, 'the control');
    stream.close();
  });

  it('hears nothing of a task whose call may not be made any more', async () => {
    const [job, typed] = [await stage.begin('job'), await stage.begin('typed')];
    await apply(stage.gateway, `${configOf(stage)}[rule.no]\neffect = "forbid"\nroles = ["*"]\ntools = ["far/job"]\n`);
    const stream = await listen([job.id, typed.id]);
    await eventually(() => stream.messages().length > 0, 'the acknowledgement');
    stage.desk.finish(job.own);
    stage.desk.finish(typed.own);
    await eventually(() => news(stream).length > 0, 'news of the other');
    assert.deepEqual(news(stream).map(({ params }) => params.taskId), [typed.id]);
    stream.close();
  });
});
