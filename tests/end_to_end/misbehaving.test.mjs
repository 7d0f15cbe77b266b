// Servers that break every promise: each call to them ends in order, nothing of theirs reaches whom it is
// not for, and the other server behind the same gateway answers all the while.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { startGateway } from './harness.mjs';
import { kEchoTool, answerText, startScriptedServer, writeJson } from './scripted_http.mjs';
import { httpServer, kPlain, kRude, stdioServer } from './servers.mjs';
import { LegacySession, messagesOf, responseOf, sendModern } from './wire.mjs';

const kRule = '[rule.all]\neffect = "permit"\nroles = ["tester"]\ntools = ["*/*"]\n';
const kQuick = '[tool."*/*"]\ntimeout = "600ms"\n';
const kBystander = stdioServer('plain', [kPlain]);

const textOf = (response) => response.result?.content[0].text ?? JSON.stringify(response);

/** Calls the bystander again and again until told to stop; fails unless each call succeeds. */
async function keepCalling(url) {
  const session = await LegacySession.open(url);
  let running = true;
  let calls = 0;
  const loop = async () => {
    while (running) {
      const token = `bystander ${(calls += 1)}`;
      assert.equal(textOf(await session.call(calls, 'plain_slow_echo', { token, milliseconds: 5 })), token);
    }
  };
  const done = loop();
  done.catch(() => {});
  return async () => {
    running = false;
    await done;
    assert.ok(calls > 0);
    await session.close();
  };
}

describe('a child that misbehaves', () => {
  let gateway;
  let session;
  let stopBystander;
  before(async () => {
    gateway = await startGateway(stdioServer('rude', [kRude, '--banner', 'yes']) + kBystander + kRule + kQuick);
    session = await LegacySession.open(gateway.url);
    stopBystander = await keepCalling(gateway.url);
  });
  after(async () => {
    try {
      await stopBystander?.();
    } finally {
      await gateway?.stop();
    }
  });
  const echoes = async (id) => textOf(await session.call(id, 'rude_echo', { text: 'still here' })) === 'still here';

  it('greets before it speaks the protocol', async () => {
    assert.ok(await echoes(1));
  });
  it('never answers', async () => {
    const { error } = await session.call(2, 'rude_never');
    const id = assertRefused(error, 'server_timeout');
    assert.equal(error.code, -32001);
    const outcome = gateway.records().find((record) => record.kind === 'outcome' && record.decision_id === id);
    assert.equal(outcome.outcome, 'timeout');
    assert.ok(await echoes(3));
  });
  it('answers twice', async () => {
    assert.equal(textOf(await session.call(4, 'rude_twice')), 'first');
    assert.ok(await echoes(5));
  });
  it('answers under ids that nobody asked with', async () => {
    assert.equal(textOf(await session.call(6, 'rude_wrong_id')), 'right');
    assert.ok(await echoes(7));
  });
  it('writes what is no message', async () => {
    assert.equal(textOf(await session.call(8, 'rude_garbage')), 'after the garbage');
    assert.ok(await echoes(9));
    assert.match(await gateway.metrics(), /messages_dropped_total\{[^}]*rude[^}]*\} [1-9]/);
  });
  it('writes a line over the limit', async () => {
    const { error } = await session.call(10, 'rude_huge');
    assert.ok(['server_timeout', 'server_failed'].includes(error?.data.reason), JSON.stringify(error));
    await eventually(() => echoes(11), 'the line is over');
  });
  it('floods with notifications', async () => {
    // Either the client keeps up, or its stream is cut off; nobody else notices.
    const call = session.request(12, 'tools/call', { name: 'rude_flood', arguments: {} });
    const answer = await call.catch(({ code }) => assert.equal(code, 'ECONNRESET'));
    for (const { method } of answer ? messagesOf(answer) : []) assert.notEqual(method, 'notifications/progress');
    assert.ok(await echoes(13));
  });
  it('asks for what nobody allowed', async () => {
    for (const [index, method] of ['sampling/createMessage', 'elicitation/create', 'roots/list', 'no/such'].entries()) {
      const answer = await session.request(20 + index, 'tools/call', { name: 'rude_ask', arguments: { text: method } });
      assert.ok(messagesOf(answer).every(({ id, method: asked }) => id === undefined || !asked), answer.body);
      const told = JSON.parse(textOf(responseOf(answer)));
      assert.equal(told.error.code, -32601, method);
    }
  });
  it('leaves during a call, and comes back', async () => {
    const { error } = await session.call(30, 'rude_leave');
    assertRefused(error, 'server_failed');
    await eventually(() => echoes(31), 'the server is back', 10_000);
  });
  it('does not see the gateway’s environment', async () => {
    const seen = JSON.parse(textOf(await session.call(32, 'rude_environment')));
    assert.deepEqual(Object.keys(seen).filter((name) => !['PATH', 'HOME'].includes(name)), []);
  });
});

describe('a child that never introduces itself', () => {
  it('keeps nobody else waiting', async (t) => {
    const gateway = await startGateway(stdioServer('mute', [kRude, '--silent', 'yes']) + kBystander + kRule + kQuick);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    assert.equal(textOf(await session.call(1, 'plain_slow_echo', { token: 'fine', milliseconds: 1 })), 'fine');
    assert.ok((await gateway.readiness()).body.servers.plain.up);
  });
});

describe('a child that asks before anybody called it', () => {
  it('is answered, and nobody is asked', async (t) => {
    const more = 'instances = "shared"\nclient_features = ["sampling"]';
    const gateway = await startGateway(stdioServer('rude', [kRude, '--asks', 'yes'], more) + kRule);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    const answer = await session.request(1, 'tools/call', { name: 'rude_echo', arguments: { text: 'hello' } });
    assert.deepEqual(messagesOf(answer).map((message) => message.method), [undefined]);
  });
});

describe('a child that does not want to end', () => {
  it('is killed when the gateway stops', async () => {
    const gateway = await startGateway(stdioServer('rude', [kRude, '--stays', 'yes']) + kRule);
    const session = await LegacySession.open(gateway.url);
    const pid = Number(textOf(await session.call(1, 'rude_pid')));
    await gateway.stop();
    assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  });
});

describe('a server over HTTP that misbehaves', () => {
  let rude;
  let gateway;
  let session;
  let stopBystander;
  let elsewhere;
  // What the server does with the next call instead of answering it.
  let behave;
  before(async () => {
    elsewhere = await startScriptedServer();
    rude = await startScriptedServer({
      tools: [kEchoTool],
      onCall: (message, response, request) => (behave ? behave(message, response, request) : answerText(response, message.id, 'well')),
    });
    gateway = await startGateway(httpServer('rude', rude.url) + kBystander + kRule + kQuick);
    session = await LegacySession.open(gateway.url);
    stopBystander = await keepCalling(gateway.url);
  });
  after(async () => {
    try {
      await stopBystander?.();
    } finally {
      await gateway?.stop();
      await rude?.stop();
      await elsewhere?.stop();
    }
  });
  afterEach(async () => {
    behave = undefined;
    assert.equal(textOf(await session.call(1000, 'rude_echo')), 'well', 'the next call is served');
  });

  const html = (response, status, headers) => response.writeHead(status, headers).end('<html></html>');
  const stream = (response) => response.writeHead(200, { 'content-type': 'text/event-stream' });
  const result = { content: [{ type: 'text', text: 'of another call' }] };
  const kFailures = [
    ['redirects', (message, response) => html(response, 307, { location: elsewhere.url })],
    ['answers HTML', (message, response) => html(response, 200, { 'content-type': 'text/html' })],
    ['answers 500', (message, response) => html(response, 500, { 'content-type': 'text/html' })],
    ['answers 401', (message, response) => writeJson(response, 401, {})],
    ['answers 202', (message, response) => response.writeHead(202).end()],
    ['answers JSON that is none', (message, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":')],
    ['answers nothing', (message, response) => response.writeHead(200, { 'content-type': 'application/json' }).end()],
    ['answers under another id', (message, response) => writeJson(response, 200, { jsonrpc: '2.0', id: message.id + 1, result })],
    ['answers a batch', ({ id }, response) => writeJson(response, 200, [{ jsonrpc: '2.0', id, result }])],
    ['ends its stream without an answer', (message, response) => stream(response).end(': nothing\n\n')],
    ['resets the connection', (message, response, request) => request.socket.resetAndDestroy()],
    ['ends in the middle of its answer', (message, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"jsonrpc"', () => response.destroy());
    }],
    ['compresses', (message, response) => response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('x')],
    ['says its length twice', (message, response, request) =>
      request.socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}')],
    ['speaks no HTTP', (message, response, request) => request.socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
  ];
  for (const [index, [what, how]] of kFailures.entries()) {
    it(what, async () => {
      behave = how;
      const { error } = await session.call(index + 1, 'rude_echo', {});
      assert.ok(error, 'expected a refusal');
      assert.equal(error.code, -32603, JSON.stringify(error));
      assertRefused(error, 'server_failed');
    });
  }
  it('was not followed anywhere', () => {
    assert.equal(elsewhere.requests.length, 0);
  });

  const kEndless = [
    ['never answers', () => {}],
    ['begins and does not go on', (message, response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{')],
    ['streams comments for ever', (message, response) => {
      stream(response);
      const timer = setInterval(() => response.write(': still here\n\n'), 20);
      response.on('close', () => clearInterval(timer));
    }],
    ['streams notifications for ever', (message, response) => {
      stream(response);
      const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } };
      const timer = setInterval(() => response.write(`data: ${JSON.stringify(note)}\n\n`), 20);
      response.on('close', () => clearInterval(timer));
    }],
  ];
  for (const [index, [what, how]] of kEndless.entries()) {
    it(`${what}, and is cut off`, async () => {
      behave = how;
      const { error } = await session.call(index + 100, 'rude_echo', {});
      assertRefused(error, 'server_timeout');
      assert.equal(error.code, -32001);
    });
  }
  it('is asked in vain by a modern client, who is told so', async () => {
    const answer = await sendModern(gateway.url, 'tools/call', { name: 'rude_echo', arguments: {} });
    assert.equal(answer.status, 400);
  });
});

describe('a server over HTTP that takes connections and says nothing', () => {
  it('keeps nobody waiting, and is found when it wakes up', async (t) => {
    let awake = false;
    const sleepy = await startScriptedServer({ onMessage: () => !awake });
    t.after(() => sleepy.stop());
    const gateway = await startGateway(httpServer('sleepy', sleepy.url) + kBystander + kRule + kQuick);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    assert.equal(textOf(await session.call(1, 'plain_slow_echo', { token: 'fine', milliseconds: 1 })), 'fine');
    awake = true;
    const echoes = async () => textOf(await session.call(2, 'sleepy_echo', { text: 'awake' })) === 'awake';
    await eventually(echoes, 'the server is found', 60_000);
  });
});
