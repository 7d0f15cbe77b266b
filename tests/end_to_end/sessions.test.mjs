// Sessions of the legacy revisions: how they begin and end on both sides of the gateway, their GET
// stream, and the batches of the one revision that has them.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { startGateway } from './harness.mjs';
import { kEchoTool, startScriptedServer } from './scripted_http.mjs';
import { httpServer, kRude, stdioServer } from './servers.mjs';
import { LegacySession, jsonRpc, kLegacyVersion, messagesOf, responseOf, send } from './wire.mjs';

const kRule = `
[rule.testers-may]
effect = "permit"
roles = ["tester"]
tools = ["*/echo", "*/grow", "*/never", "*/added", "*/grown"]
`;
const kBatchVersion = '2025-03-26';

/** Opens the session's GET stream; `messages` grows with what arrives. */
async function openStream(session) {
  const aborter = new AbortController();
  const headers = { ...session.headers(), accept: 'text/event-stream' };
  const answer = await fetch(session.url, { headers, signal: aborter.signal });
  const stream = { status: answer.status, messages: [], close: () => aborter.abort() };
  const read = async () => {
    let text = '';
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      stream.messages = messagesOf({ headers: { 'content-type': 'text/event-stream' }, body: text });
    }
  };
  stream.ended = read().catch(() => {});
  return stream;
}

const textOf = (response) => response.result?.content[0].text ?? JSON.stringify(response);

describe('sessions', () => {
  let scripted;
  let gateway;
  before(async () => {
    scripted = await startScriptedServer();
    const servers = httpServer('far', scripted.url) + stdioServer('near', [kRude]);
    gateway = await startGateway(servers + kRule);
  });
  after(async () => {
    await gateway?.stop();
    await scripted?.stop();
  });

  describe('with a server that forgets', () => {
    it('begins again once, and the call succeeds', async () => {
      const session = await LegacySession.open(gateway.url);
      assert.equal(textOf(await session.call(1, 'far_echo', { text: 'one' })), 'one');
      const before = scripted.received('initialize').length;
      scripted.sessions.clear();
      assert.equal(textOf(await session.call(2, 'far_echo', { text: 'two' })), 'two');
      assert.equal(scripted.received('initialize').length, before + 1);
    });
    it('gives up when it forgets at once again', async () => {
      const session = await LegacySession.open(gateway.url);
      await session.call(1, 'far_echo', { text: 'one' });
      const before = scripted.received('initialize').length;
      const { onMessage } = scripted;
      scripted.onMessage = (message, response) => {
        if (message?.method !== 'tools/call') return false;
        response.writeHead(404).end();
        return true;
      };
      const { error } = await session.call(2, 'far_echo', { text: 'two' });
      scripted.onMessage = onMessage;
      assertRefused(error, 'server_failed');
      // Each of the two sendings found out.
      assert.equal(scripted.received('initialize').length, before + 2);
      assert.equal(textOf(await session.call(3, 'far_echo', { text: 'three' })), 'three');
    });
    it('keeps no connection of an introduction that was refused', async () => {
      const session = await LegacySession.open(gateway.url);
      await session.call(1, 'far_echo', { text: 'one' });
      const { onMessage } = scripted;
      scripted.sessions.clear();
      scripted.onMessage = (message, response) => {
        if (message?.method !== 'initialize') return false;
        response.writeHead(503, { 'content-type': 'text/html' }).end('<p>later</p>');
        return true;
      };
      const before = scripted.received('initialize').length;
      for (let id = 2; id < 14; id += 1) assertRefused((await session.call(id, 'far_echo', { text: 'x' })).error, 'server_unavailable');
      assert.equal(scripted.received('initialize').length, before + 12);
      const open = await new Promise((done) => scripted.listener.getConnections((error, count) => done(count)));
      assert.ok(open < 6, `${open} connections are open`);
      scripted.onMessage = onMessage;
      assert.equal(textOf(await session.call(14, 'far_echo', { text: 'again' })), 'again');
    });
  });

  it('serves requests although notifications/initialized never came', async () => {
    const params = { protocolVersion: kLegacyVersion, capabilities: {}, clientInfo: { name: 'hasty', version: '1' } };
    const opened = await send(gateway.url, { body: jsonRpc(0, 'initialize', params) });
    const session = new LegacySession(gateway.url, opened.headers['mcp-session-id'], {});
    assert.equal(textOf(await session.call(1, 'far_echo', { text: 'hasty' })), 'hasty');
  });

  it('ends with DELETE, which ends its stream and its calls', async () => {
    const session = await LegacySession.open(gateway.url);
    const stream = await openStream(session);
    const call = session.request(1, 'tools/call', { name: 'near_never', arguments: {} });
    const isOnItsWay = ({ kind, target }) => kind === 'decision' && target === 'never';
    await eventually(() => gateway.records().some(isOnItsWay), 'the call is on its way');
    assert.ok((await session.close()).status < 300);
    await stream.ended;
    await call;
    assert.equal((await session.request(2, 'tools/list')).status, 404);
    assert.equal((await session.close()).status, 404);
  });

  describe('the GET stream', () => {
    it('is one at a time, and another may follow', async () => {
      const session = await LegacySession.open(gateway.url);
      const first = await openStream(session);
      assert.equal(first.status, 200);
      const second = await openStream(session);
      assert.equal(second.status, 409);
      first.close();
      const isFree = async () => {
        const third = await openStream(session);
        third.close();
        return third.status === 200;
      };
      await eventually(isFree, 'the stream is free again');
    });

    it('says when a server over HTTP changed its tools, and the next list has them', async () => {
      const session = await LegacySession.open(gateway.url);
      const stream = await openStream(session);
      await session.call(1, 'far_echo', { text: 'begin' });
      await eventually(() => scripted.streams.size > 0, 'the gateway listens to its server');
      scripted.tools = [kEchoTool, { ...kEchoTool, name: 'added' }];
      scripted.publish({ method: 'notifications/tools/list_changed' });
      const isChange = ({ method }) => method === 'notifications/tools/list_changed';
      await eventually(() => stream.messages.some(isChange), 'the change arrives');
      const { result } = responseOf(await session.request(2, 'tools/list'));
      assert.ok(result.tools.some(({ name }) => name === 'far_added'), JSON.stringify(result.tools));
      assert.equal(textOf(await session.call(3, 'far_added', { text: 'new' })), 'new');
      stream.close();
    });

    it('says when a child changed its tools during a call', async () => {
      const session = await LegacySession.open(gateway.url);
      const stream = await openStream(session);
      const names = async (id) => responseOf(await session.request(id, 'tools/list')).result.tools.map(({ name }) => name);
      assert.ok(!(await names(1)).includes('near_grown'));
      assert.equal(textOf(await session.call(2, 'near_grow', { text: 'grown' })), 'grown');
      const isChange = ({ method }) => method === 'notifications/tools/list_changed';
      await eventually(() => stream.messages.some(isChange), 'the change arrives');
      assert.ok((await names(3)).includes('near_grown'));
      stream.close();
    });
  });

  describe('a batch', () => {
    const kEcho = (id, text) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'far_echo', arguments: { text } } });

    async function openBatching() {
      const params = { protocolVersion: kBatchVersion, capabilities: {}, clientInfo: { name: 'batcher', version: '1' } };
      const opened = await send(gateway.url, { body: jsonRpc(0, 'initialize', params) });
      assert.equal(responseOf(opened).result.protocolVersion, kBatchVersion);
      const id = opened.headers['mcp-session-id'];
      return new LegacySession(gateway.url, id, { 'mcp-protocol-version': kBatchVersion });
    }
    const answersOf = (answer) => messagesOf(answer).flat().toSorted((one, two) => one.id - two.id);

    it('of 2025-03-26 is judged element by element', async () => {
      const session = await openBatching();
      const refused = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'near_leave', arguments: {} } };
      const unknown = { jsonrpc: '2.0', id: 4, method: 'no/such/method' };
      const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
      const answer = await session.post(JSON.stringify([kEcho(1, 'one'), refused, note, kEcho(3, 'three'), unknown]));
      assert.equal(answer.status, 200, answer.body);
      const answers = answersOf(answer);
      assert.deepEqual(answers.map(({ id }) => id), [1, 2, 3, 4]);
      assert.deepEqual([textOf(answers[0]), textOf(answers[2])], ['one', 'three']);
      const id = assertRefused(answers[1].error, 'no_matching_rule');
      assert.equal(answers[3].error.code, -32601);
      assert.ok(gateway.records().some((record) => record.decision_id === id && record.decision === 'deny'));
    });
    it('of notifications only is answered 202', async () => {
      const session = await openBatching();
      const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
      const answer = await session.post(JSON.stringify([note, note]));
      assert.deepEqual([answer.status, answer.body], [202, '']);
    });
    it('with two equal ids answers one of them and refuses the other', async () => {
      const session = await openBatching();
      const answers = answersOf(await session.post(JSON.stringify([kEcho(7, 'a'), kEcho(7, 'b')])));
      assert.equal(answers.length, 2);
      assert.ok(answers.filter(({ error }) => error).length <= 1, JSON.stringify(answers));
    });
    for (const [what, elements] of [
      ['with an element that is not a message', [kEcho(1, 'one'), { jsonrpc: '2.0' }]],
      ['in a batch', [[kEcho(1, 'one')]]],
      ['with initialize', [{ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }]],
      ['of none', []],
      ['of 65', Array.from({ length: 65 }, (_, id) => kEcho(id, 'x'))],
    ]) {
      it(`${what} is refused whole`, async () => {
        const session = await openBatching();
        const before = scripted.received('tools/call').length;
        const answer = await session.post(JSON.stringify(elements));
        assert.equal(answer.status, 400, answer.body);
        assert.equal(scripted.received('tools/call').length, before);
      });
    }
    it('of 64 is served', async () => {
      const session = await openBatching();
      const elements = Array.from({ length: 64 }, (_, id) => kEcho(id, `text ${id}`));
      const answers = answersOf(await session.post(JSON.stringify(elements)));
      assert.deepEqual(answers.map(textOf), elements.map(({ id }) => `text ${id}`));
    });
    it('is refused in every other revision', async () => {
      const session = await LegacySession.open(gateway.url);
      for (const version of ['2025-06-18', '2025-11-25', '2024-11-05']) {
        const headers = { ...session.headers(), 'mcp-protocol-version': version };
        const answer = await send(gateway.url, { headers, body: JSON.stringify([kEcho(1, 'one')]) });
        assert.equal(answer.status, 400, `${version}: ${answer.body}`);
      }
    });
    it('is refused in a session that agreed on another revision, whatever its header says', async () => {
      const session = await LegacySession.open(gateway.url);
      const headers = { ...session.headers(), 'mcp-protocol-version': kBatchVersion };
      const answer = await send(gateway.url, { headers, body: JSON.stringify([kEcho(1, 'one')]) });
      assert.ok(answer.status === 400 || answersOf(answer).every(({ error }) => error), answer.body);
    });
  });
});

describe('bounds of sessions', () => {
  const limits = (session) => `
[session]
${session}
[limit.user]
per = ["principal"]
rate = ["100000/s"]
`;

  it('end what idles, and not what is in use', async (t) => {
    const gateway = await startGateway(stdioServer('near', [kRude]) + kRule, { limits: limits('idle = "1s"') });
    t.after(() => gateway.stop());
    const idle = await LegacySession.open(gateway.url);
    const busy = await LegacySession.open(gateway.url);
    const call = busy.request(1, 'tools/call', { name: 'near_never', arguments: {} });
    call.catch(() => {});
    await eventually(async () => /mcp_server_sessions\S* 1\n|sessions\S* 1\n/.test(await gateway.metrics()), 'one is left');
    assert.equal((await idle.request(1, 'ping')).status, 404);
    assert.equal((await busy.request(2, 'ping')).status, 200);
    await busy.close();
    await call;
  });

  it('refuse one more than a principal may have, until one ends', async (t) => {
    const gateway = await startGateway(stdioServer('near', [kRude]) + kRule, { limits: limits('max_concurrent = 2') });
    t.after(() => gateway.stop());
    const sessions = [await LegacySession.open(gateway.url), await LegacySession.open(gateway.url)];
    const params = { protocolVersion: kLegacyVersion, capabilities: {}, clientInfo: { name: 'third', version: '1' } };
    const answer = await send(gateway.url, { body: jsonRpc(0, 'initialize', params) });
    assert.equal(answer.headers['mcp-session-id'], undefined);
    assertRefused(responseOf(answer).error, 'session_limit');
    await sessions[0].close();
    await LegacySession.open(gateway.url);
  });
});
