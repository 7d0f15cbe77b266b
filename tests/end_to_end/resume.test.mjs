// A client that loses its connection comes back with `Last-Event-ID` and gets what it missed: the same
// principal alone, judged again, without gaps, and within bounds.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { assertRefused, eventually, textOf } from './assertions.mjs';
import { kClients } from './clients.mjs';
import { EventStream, startWire } from './event_stream.mjs';
import { startGateway } from './harness.mjs';
import { ResumeStage, isResume, kAnn, kBob, kRule, kStreamFirst, kTools, progress, stepsOf } from './resume_stage.mjs';
import { startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { LegacySession, jsonRpc, responseOf, send } from './wire.mjs';

describe('a stream that is resumed', () => {
  let stage;
  let gateway;
  let scripted;
  const openSession = () => stage.openSession();
  const beginCall = (...given) => stage.beginCall(...given);
  const resume = (...given) => stage.resume(...given);

  before(async () => {
    stage = await ResumeStage.start();
    ({ gateway, scripted } = stage);
  });
  beforeEach(() => {
    stage.open = [];
    scripted.tools = kTools;
  });
  after(() => stage?.stop());

  const ended = (id) => eventually(() => gateway.records().some((one) => one.kind === 'outcome' && one.decision_id === id), 'it ends', 10_000);

  for (const name of ['sdk 1.32', 'client 2.4 legacy']) {
    it(`goes on for ${name} after its connection was cut`, async (t) => {
      const wire = await startWire(gateway.url);
      t.after(() => wire.stop());
      const client = await kClients.find((one) => one.name === name).connect(wire.url, kAnn);
      const tokens = [];
      const seen = [];
      const onprogress = ({ progress: step }) => seen.push(step);
      const answered = client.call('far_slow', {}, { onprogress, onresumptiontoken: (token) => tokens.push(token) });
      const call = await stage.nextCall();
      call.tell(1);
      await eventually(() => seen.length === 1, 'the first progress arrives');
      wire.cut();
      call.tell(2);
      call.answer('after the cut');
      assert.equal(textOf(await answered), 'after the cut');
      assert.deepEqual(seen, [1, 2]);
      assert.ok(tokens.length > 0, 'the client was told where it is');
      await client.close();
    });
  }

  it('begins with an id and a pause, and each event has an id of its own', async () => {
    const session = await openSession();
    const { stream, call } = await beginCall(session);
    assert.equal(stream.events[0].message, undefined);
    assert.ok(stream.events[0].retry > 0);
    call.tell(1);
    call.answer('end');
    await stream.ended;
    const ids = stream.events.map(({ id }) => id);
    assert.equal(new Set(ids).size, 3);
    assert.equal(stream.response().result.content[0].text, 'end');
  });

  it('is found from every connection, whichever worker takes it, and from every event', async () => {
    const session = await openSession();
    const { stream, call } = await beginCall(session);
    for (let step = 1; step <= 4; step += 1) call.tell(step);
    call.answer('end');
    await stream.ended;
    for (const [at, { id }] of [...stream.events.entries(), ...stream.events.entries()]) {
      const again = await resume(session, id);
      assert.equal(again.status, 200);
      assert.equal(await again.ended, true);
      assert.deepEqual(again.messages(), stream.events.slice(at + 1).map(({ message }) => message));
    }
    const returns = gateway.records().filter(isResume).slice(-2 * stream.events.length);
    const [{ decision_id: id }] = returns;
    assert.ok(returns.every((one) => one.decision_id === id && one.decision === 'permit' && one.principal === 'ann'));
    assert.ok(returns.every(({ rule, target, method }) => rule === 'testers-may' && target === 'slow' && method === 'tools/call'));
    assert.match(returns[0].detail, /^stream \d+ after event 0$/);
    assert.equal(returns[0].count, stream.events.length - 1);
    const kinds = gateway.records().filter((one) => one.decision_id === id).map(({ kind }) => kind);
    assert.deepEqual(new Set(kinds), new Set(['decision', 'outcome', 'resume']));
  });

  it('moves to the new connection while the old one still looks alive', async () => {
    const session = await openSession();
    const { stream, call } = await beginCall(session);
    call.tell(1);
    await eventually(() => stepsOf(stream).length === 1, 'progress arrives');
    const next = await resume(session, stream.lastId());
    assert.equal(await stream.ended, false, 'the old one is cut');
    call.tell(2);
    call.answer('end');
    await next.ended;
    assert.deepEqual(stepsOf(next), [2]);
    assert.equal(next.response().result.content[0].text, 'end');
  });

  it('was not cancelled when its client left', async () => {
    const session = await openSession();
    const { stream, call } = await beginCall(session);
    stream.close();
    call.tell(1);
    call.answer('nobody heard it');
    await call.isGone;
    await eventually(async () => {
      const next = await resume(session, stream.lastId());
      await next.ended;
      return next.response()?.result.content[0].text === 'nobody heard it';
    }, 'the answer was kept');
  });

  describe('is refused', () => {
    const isRefused = async (stream, status) => {
      assert.equal(stream.status, status);
      await stream.ended;
      assert.deepEqual(stream.messages(), []);
    };
    it('to another principal', async () => {
      const session = await openSession();
      const { stream, call } = await beginCall(session);
      await isRefused(await resume(session, stream.lastId(), kBob), 404);
      call.answer('for ann alone');
      await stream.ended;
      await isRefused(await resume(session, stream.events[0].id, kBob), 404);
    });
    it('in another session of the same principal', async () => {
      const session = await openSession();
      const { stream, call } = await beginCall(session);
      call.answer('end');
      await stream.ended;
      await isRefused(await resume(await openSession(), stream.events[0].id), 400);
    });
    it('for what was never given out', async () => {
      const session = await openSession();
      const { stream, call } = await beginCall(session);
      call.answer('end');
      await stream.ended;
      const [number] = stream.lastId().split('-');
      for (const id of [`${number}-99`, '99-0', '0-0', `${number}-01`, 'x', `${stream.lastId()}x`]) {
        await isRefused(await resume(session, id), 400);
      }
    });
    it('after the session has ended', async () => {
      const session = await openSession();
      const { stream, call } = await beginCall(session);
      call.answer('end');
      await stream.ended;
      assert.ok((await session.close()).status < 300);
      await isRefused(await resume(session, stream.events[0].id), 404);
    });
    it('rather than sent with a gap', async () => {
      const session = await openSession();
      const { stream, call } = await beginCall(session);
      const first = stream.lastId();
      stream.close();
      const { decision_id: id } = gateway.records().findLast(({ target }) => target === 'slow');
      for (let step = 1; step <= 1100; step += 1) {
        call.tell(step);
        if (step % 50 === 0) await new Promise(setImmediate);
      }
      call.answer('end');
      await ended(id);
      await isRefused(await resume(session, first), 400);
    });
    it('to who comes back without pause', async () => {
      const session = await openSession();
      const { stream, call } = await beginCall(session);
      call.answer('end');
      await stream.ended;
      const statuses = [];
      for (let count = 0; count < 25; count += 1) statuses.push((await resume(session, stream.lastId())).status);
      assert.ok(statuses.includes(429), statuses.join());
      assert.ok(statuses.every((status) => status === 200 || status === 429), statuses.join());
      await eventually(async () => (await resume(session, stream.lastId())).status === 200, 'it may come back later');
    });
  });

  it("is the session's own as well: what came meanwhile is not lost", async () => {
    const session = await openSession();
    const stream = await stage.openGet(session);
    await eventually(() => stream.lastId(), 'the stream says where it begins');
    await session.call(1, 'far_echo', { text: 'begin' });
    await eventually(() => scripted.streams.size > 0, 'the gateway listens to its server');
    stream.close();
    const isFree = async () => {
      scripted.publish({ method: 'notifications/tools/list_changed' });
      const again = await resume(session, stream.lastId());
      const changes = await eventually(() => again.messages().length > 0 && again.messages(), 'it arrives').catch(() => undefined);
      again.close();
      return changes?.[0].method === 'notifications/tools/list_changed';
    };
    await eventually(isFree, 'what was missed is sent');
    const fresh = await eventually(async () => {
      const one = await stage.openGet(session);
      return one.status === 200 && one;
    }, 'a new one may be had instead');
    fresh.close();
  });

  it('is none when JSON is enough, and one without ids for what the gateway answers itself', async () => {
    const session = await openSession();
    const quick = await session.request(3, 'tools/call', { name: 'far_echo', arguments: { text: 'quick' } });
    assert.equal(quick.headers['content-type'], 'application/json');
    const askFirst = (body) => send(gateway.url, { headers: { ...session.headers(), ...kStreamFirst }, body });
    const streamed = await askFirst(jsonRpc(4, 'tools/call', { name: 'far_echo', arguments: { text: 'quick' } }));
    assert.equal(streamed.headers['content-type'], 'text/event-stream');
    assert.equal(responseOf(streamed).result.content[0].text, 'quick');
    assert.match(streamed.body, /^id: /m);
    const listed = await askFirst(jsonRpc(5, 'tools/list'));
    assert.equal(listed.headers['content-type'], 'text/event-stream');
    assert.equal(responseOf(listed).result.tools.length, kTools.length);
    assert.doesNotMatch(listed.body, /^id: /m);
  });

  it('stays within its bounds when 1 000 are abandoned, and ends with its session', async () => {
    const used = async () => Number(/^bartizan_memory_reserved_bytes (\S+)$/m.exec(await gateway.metrics())[1]);
    const before = await used();
    const session = await openSession();
    const text = 'x'.repeat(12_000);
    const headers = { ...session.headers(), ...kStreamFirst };
    const abandon = async (id) => {
      await send(gateway.url, { headers, body: jsonRpc(id, 'tools/call', { name: 'far_echo', arguments: { text } }) });
    };
    for (let id = 1; id <= 1000; id += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, more) => abandon(id + more)));
    }
    const kept = (await used()) - before;
    assert.ok(kept > 1 << 20, `${kept} bytes are kept`);
    assert.ok(kept <= 8 << 20, `${kept} bytes are kept`);
    await session.close();
    await eventually(async () => (await used()) <= before, 'everything is given back');
  });
});

describe('a server that closes its stream before it answers', () => {
  let scripted;
  let gateway;
  let script;

  // `script` says, one after the other, how each attempt to read the answer goes.
  function attempt(id, response) {
    const step = script.shift() ?? { status: 500 };
    if (step.status) return response.writeHead(step.status).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (step.id) response.write(`id: ${step.id}\nretry: 50\ndata: \n\n`);
    for (const count of step.progress ?? []) response.write(`id: p${count}\nretry: 50\ndata: ${JSON.stringify(progress(id, count))}\n\n`);
    const answer = { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'at last' }] } };
    if (step.answers) response.write(`id: end\ndata: ${JSON.stringify(answer)}\n\n`);
    if (step.breaks) return response.socket.destroySoon();
    return response.end();
  }
  let pending;
  const lastIds = () => scripted.requests.filter(({ method, headers }) => method === 'GET' && headers['last-event-id']).map(({ headers }) => headers['last-event-id']);

  before(async () => {
    scripted = await startScriptedServer({
      onCall: (message, response) => {
        pending = message.id;
        attempt(message.id, response);
      },
      onMessage: (message, response, { method, headers }) => {
        if (method !== 'GET' || !headers['last-event-id']) return false;
        attempt(pending, response);
        return true;
      },
    });
    gateway = await startGateway(httpServer('far', scripted.url) + kRule);
  });
  beforeEach(() => {
    scripted.requests.length = 0;
  });
  after(async () => {
    await gateway?.stop();
    await scripted?.stop();
  });

  const kCases = [
    { what: 'is asked again for the rest', steps: [{ id: 'a' }, { answers: true }], asked: ['a'] },
    { what: 'is asked from where it got to', steps: [{ id: 'a' }, { progress: [1, 2] }, { answers: true }], asked: ['a', 'p2'] },
    { what: 'is asked again when the connection broke', steps: [{ id: 'a', breaks: true }, { answers: true }], asked: ['a'] },
    { what: 'is asked again when it was busy', steps: [{ id: 'a' }, { status: 503 }, { answers: true }], asked: ['a', 'a'] },
    { what: 'is believed when it refuses', steps: [{ id: 'a' }, { status: 400 }], asked: ['a'], fails: true },
    { what: 'is not sent the call again when it forgot the session', steps: [{ id: 'a' }, { status: 404 }], asked: ['a'], fails: true },
    { what: 'is not asked for what it gave no id for', steps: [{}], asked: [], fails: true },
  ];
  for (const { what, steps, asked, fails } of kCases) {
    it(what, async () => {
      const session = await LegacySession.open(gateway.url);
      script = [...steps];
      const answer = await session.call(1, 'far_echo', { text: 'x' });
      if (fails) assertRefused(answer.error, 'server_failed');
      else assert.equal(answer.result.content[0].text, 'at last');
      assert.deepEqual(lastIds(), asked);
      assert.equal(scripted.received('tools/call').length, 1);
    });
  }

  it('lets a client that can come back go as well', async () => {
    const session = await LegacySession.open(gateway.url);
    script = [{ id: 'a' }, { answers: true }];
    const headers = { ...session.headers(), ...kStreamFirst };
    const body = jsonRpc(1, 'tools/call', { name: 'far_echo', arguments: { text: 'x' } });
    const stream = await EventStream.open(gateway.url, { method: 'POST', headers, body });
    assert.equal(await stream.ended, true, 'it ends in order');
    assert.equal(stream.response(), undefined);
    const next = await EventStream.open(gateway.url, {
      headers: { ...session.headers(), accept: 'text/event-stream', 'last-event-id': stream.lastId() },
    });
    await next.ended;
    assert.equal(next.response().result.content[0].text, 'at last');
  });
});
