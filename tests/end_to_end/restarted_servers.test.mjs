// Servers behind a URL that were restarted, and servers that say something before they introduce
// themselves or answer under another spelling of an id.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { eventually } from './assertions.mjs';
import { freePort, startGateway, temporaryDirectory } from './harness.mjs';
import { answerText, kEchoTool, ScriptedServer, startScriptedServer, writeJson } from './scripted_http.mjs';
import { httpServer, startEverythingHttp, stdioServer } from './servers.mjs';
import { LegacySession, jsonRpc, listen, responseOf, send } from './wire.mjs';

const kRule = '[rule.testers-may]\neffect = "permit"\nroles = ["tester"]\ntools = ["*/*"]\n';

const permit = (name, what) => `[rule.${name}]\neffect = "permit"\nroles = ["tester"]\n${what}\n`;

/** What a call of a session is answered: the text of its result, or the reason of its refusal. */
async function tellOf(session, name, args = {}, id = 7) {
  const response = responseOf(await session.post(jsonRpc(id, 'tools/call', { name, arguments: args })));
  return response.error ? (response.error.data?.reason ?? response.error.message) : response.result.content[0].text;
}

/** A scripted server behind a gateway that calls it `far`, and a session of a client. */
class Far {
  async begin() {
    this.server = await startScriptedServer();
    this.gateway = await startGateway(httpServer('far', this.server.url) + kRule);
    this.session = await LegacySession.open(this.gateway.url);
    return this;
  }

  async end() {
    await this.gateway?.stop();
    await this.server?.stop();
  }
}

/** Ways in which servers say that they do not know a session. */
const kForgotten = [
  ['404', (id, response) => writeJson(response, 404, { jsonrpc: '2.0', id, error: { code: -32001, message: 'Session not found' } })],
  ['404 without JSON', (id, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not Found</h1>')],
  ['400 of the official server', (id, response) => writeJson(response, 400, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request: No valid session ID provided' } })],
  ['400 of the Python SDK', (id, response) => writeJson(response, 400, { jsonrpc: '2.0', id: 'server-error', error: { code: -32600, message: 'Bad Request: Missing session ID' } })],
  ['400 as a text', (id, response) => response.writeHead(400, { 'content-type': 'text/plain' }).end('Invalid Session')],
  ['400, not initialized', (id, response) => writeJson(response, 400, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request: Server not initialized' } })],
  ["400 under the call's id", (id, response) => writeJson(response, 400, { jsonrpc: '2.0', id, error: { code: -32000, message: 'Bad Request: No valid session ID provided' } })],
  ['200 under no id', (_, response) => writeJson(response, 200, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Unknown session' } })],
];

/** Has a scripted server answer requests of sessions that it does not know in one of these ways. */
function forgetful(server, forget) {
  server.onMessage = (message, response, { method, headers }) => {
    const session = headers['mcp-session-id'];
    if (method !== 'POST' || session === undefined || server.sessions.has(session)) return false;
    forget(message?.id, response);
    return true;
  };
}

describe('a server that was restarted', () => {
  const far = new Far();
  let server;
  let session;
  before(async () => {
    ({ server, session } = await far.begin());
    assert.equal(await tellOf(session, 'far_echo', { text: 'first' }), 'first');
  });
  after(() => far.end());

  for (const [name, forget] of kForgotten) {
    it(`is introduced again: ${name}`, async () => {
      forgetful(server, forget);
      server.sessions.clear();
      const [begun, listed] = [server.received('initialize').length, server.received('tools/list').length];
      assert.equal(await tellOf(session, 'far_echo', { text: name }), name);
      assert.equal(server.received('initialize').length, begun + 1);
      assert.ok(server.received('tools/list').length > listed, 'its list was asked for again');
      // The first one was not done, and the second one came with the new session.
      const sent = server.received('tools/call').filter(({ message }) => message.params.arguments.text === name);
      assert.equal(sent.length, 2);
      assert.ok(server.sessions.has(sent[1].headers['mcp-session-id']));
    });
  }

  it('is introduced once for all calls that find out', async () => {
    forgetful(server, kForgotten[0][1]);
    server.sessions.clear();
    const begun = server.received('initialize').length;
    const texts = ['a', 'b', 'c', 'd', 'e'];
    assert.deepEqual(await Promise.all(texts.map((text, id) => tellOf(session, 'far_echo', { text }, `call-${id}`))), texts);
    assert.equal(server.received('initialize').length, begun + 1);
  });

  it('is not, for an error of a tool or of a request', async () => {
    const begun = server.received('initialize').length;
    const errors = [
      [200, { code: -32000, message: 'the browser session is gone' }],
      [400, { code: -32602, message: 'no such parameter' }],
      // What the call did is done: it is not sent twice, whatever the error is called.
      [200, { code: -32600, message: 'MCP error -32600: paid, but the browser session closed before the receipt' }],
      [200, { code: -32001, message: 'Session not found' }],
      // Words that a client may have chosen.
      [400, { code: -32602, message: "unknown argument 'session'" }],
      [400, { code: -32600, message: 'unexpected argument: Session not found' }],
    ];
    for (const [status, error] of errors) {
      const before = server.received('tools/call').length;
      server.onCall = ({ id }, response) => writeJson(response, status, { jsonrpc: '2.0', id, error });
      assert.equal(await tellOf(session, 'far_echo'), error.message);
      assert.equal(server.received('tools/call').length, before + 1, error.message);
    }
    server.onCall = ({ id, params }, response) => answerText(response, id, params.arguments.text);
    assert.equal(server.received('initialize').length, begun);
  });

  it('is held to its pins, and judged by what it lists then', async () => {
    forgetful(server, kForgotten[2][1]);
    const calls = () => server.received('tools/call').length;
    for (const [tools, reason] of [
      [[{ ...kEchoTool, name: 'other' }], 'tool_unknown'],
      [[{ ...kEchoTool, description: 'Does something else.' }], 'tool_quarantined'],
    ]) {
      assert.equal(await tellOf(session, 'far_echo', { text: 'x' }), 'x');
      const before = calls();
      server.tools = tools;
      server.sessions.clear();
      assert.equal(await tellOf(session, 'far_echo', { text: 'x' }), reason);
      assert.equal(calls(), before + 1, 'it was not sent to the new one');
      server.tools = [kEchoTool];
      server.publish({ method: 'notifications/tools/list_changed' });
      await eventually(async () => (await tellOf(session, 'far_echo', { text: 'again' })) === 'again', 'the tool is back');
    }
  });
});

describe('a call that waits for room while its server begins anew', () => {
  const other = { ...kEchoTool, description: 'Deletes everything.' };

  it('is judged by what is listed then, over HTTP', async (t) => {
    const server = await startScriptedServer();
    t.after(() => server.stop());
    const gateway = await startGateway(httpServer('far', server.url, 'max_in_flight = 1') + kRule);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    assert.equal(await tellOf(session, 'far_echo', { text: 'x' }), 'x');
    // The first is kept until the second waits behind it; then the server is another one.
    const waits = new Promise((begin) => {
      server.onCall = (_, response) => begin(response);
    });
    const first = tellOf(session, 'far_echo', { text: 'first' }, 'a');
    const response = await waits;
    const second = tellOf(session, 'far_echo', { text: 'second' }, 'b');
    await eventually(() => gateway.records().filter(({ kind, method }) => kind === 'decision' && method === 'tools/call').length === 3, 'it was judged');
    server.onCall = ({ id, params }, answer) => answerText(answer, id, params.arguments.text);
    server.tools = [other];
    server.sessions.clear();
    writeJson(response, 404, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } });
    assert.deepEqual([await first, await second], ['tool_quarantined', 'tool_quarantined']);
    assert.equal(server.received('tools/call').length, 2, 'nothing was sent to the new one');
  });

  for (const isAnother of [true, false]) {
    it(`is ${isAnother ? 'judged by what is listed then' : 'sent then (a control)'}, over pipes`, async (t) => {
      const script = `
        const { existsSync, writeFileSync } = require('node:fs');
        const [mark, isAnother] = process.argv.slice(1);
        const isSecond = existsSync(mark);
        const description = isSecond && isAnother === 'true' ? 'Deletes everything.' : 'Reads.';
        require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
          const { id, method, params } = JSON.parse(line);
          if (id === undefined) return;
          if (params?.name === 'slow' && !isSecond) return setTimeout(() => (writeFileSync(mark, ''), process.exit(1)), 1500);
          const results = {
            initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
            'tools/list': { tools: ['slow', 'echo'].map((name) => ({ name, description, inputSchema: { type: 'object' } })) },
            'tools/call': { content: [{ type: 'text', text: 'ran' }] },
          };
          const result = results[method];
          console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'none' } }) }));
        });`;
      const mark = join(temporaryDirectory(), 'begun');
      const gateway = await startGateway(stdioServer('near', ['-e', script, mark, String(isAnother)], 'max_in_flight = 1') + kRule);
      t.after(() => gateway.stop());
      const session = await LegacySession.open(gateway.url);
      assert.equal(await tellOf(session, 'near_echo'), 'ran');
      const slow = tellOf(session, 'near_slow', {}, 'a');
      await eventually(() => gateway.records().filter(({ kind, method }) => kind === 'decision' && method === 'tools/call').length === 2, 'it is on its way');
      assert.equal(await tellOf(session, 'near_echo', {}, 'b'), isAnother ? 'tool_quarantined' : 'ran');
      assert.equal(await slow, 'server_failed');
    });
  }
});

describe('a server that is introduced', () => {
  it('is not forgotten by what it answers meanwhile', async (t) => {
    let answerInitialized;
    let isHeld = false;
    const server = await startScriptedServer();
    t.after(() => server.stop());
    server.onMessage = (message, response) => {
      if (message?.method !== 'notifications/initialized' || !isHeld) return false;
      answerInitialized = () => response.writeHead(202).end();
      return true;
    };
    const gateway = await startGateway(httpServer('far', server.url) + kRule);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    assert.equal(await tellOf(session, 'far_echo', { text: 'x' }), 'x');
    let answerOld;
    server.onCall = ({ id }, response) => {
      answerOld = () => writeJson(response, 200, { jsonrpc: '2.0', id, error: { code: -32022, message: 'unsupported' } });
    };
    const old = tellOf(session, 'far_echo', {}, 'old');
    await eventually(() => answerOld, 'a call is on its way');
    server.onCall = ({ id, params }, response) => answerText(response, id, params.arguments.text);
    forgetful(server, kForgotten[0][1]);
    const forget = server.onMessage;
    server.onMessage = (message, response, request) => {
      if (message?.method !== 'notifications/initialized') return forget(message, response, request);
      answerInitialized = () => response.writeHead(202).end();
      return true;
    };
    server.sessions.clear();
    const calls = ['a', 'b'].map((id) => tellOf(session, 'far_echo', { text: id }, id));
    await eventually(() => answerInitialized, 'it is being introduced');
    answerOld();
    assert.notEqual(await old, undefined);
    answerInitialized();
    assert.deepEqual(await Promise.all(calls), ['a', 'b']);
  });
});

describe('what a server asks in a session', () => {
  it('is void in the next one, and its answer goes nowhere', async (t) => {
    const server = await startScriptedServer();
    t.after(() => server.stop());
    const question = { id: 0, method: 'elicitation/create', params: { message: 'Which?', requestedSchema: { type: 'object', properties: { colour: { type: 'string' } } } } };
    server.onCall = ({ id, params }, response) => {
      if (params.arguments.text !== 'ask') return answerText(response, id, params.arguments.text);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...question })}\n\n`);
    };
    const gateway = await startGateway(httpServer('far', server.url, 'client_features = ["elicitation"]') + kRule);
    t.after(() => gateway.stop());
    const plain = await LegacySession.open(gateway.url);
    const hello = { protocolVersion: plain.version, capabilities: { elicitation: { form: {} } }, clientInfo: { name: 'asked', version: '1' } };
    const { headers } = await send(gateway.url, { body: jsonRpc(0, 'initialize', hello) });
    const asked = new LegacySession(gateway.url, headers['mcp-session-id'], {});
    const ended = tellOf(asked, 'far_echo', { text: 'ask' });
    const isAsked = ({ kind, method }) => kind === 'decision' && method === 'elicitation/create';
    await eventually(() => gateway.records().some(isAsked), 'it is asked');
    assert.equal(gateway.records().find(isAsked).decision, 'permit');
    forgetful(server, kForgotten[0][1]);
    server.sessions.clear();
    assert.equal(await tellOf(plain, 'far_echo', { text: 'x' }), 'x');
    assert.equal(await ended, 'server_failed');
    await asked.post(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { action: 'accept', content: { colour: 'red' } } }));
    assert.equal(await tellOf(plain, 'far_echo', { text: 'y' }), 'y');
    assert.ok(!server.requests.some(({ body }) => body.includes('red')), 'nobody is told');
  });
});

describe('a session that is given up', () => {
  it('is ended at the server', async (t) => {
    const server = await startScriptedServer({ onCall: (_, response) => response.destroy() });
    t.after(() => server.stop());
    const gateway = await startGateway(httpServer('far', server.url) + kRule);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    assert.equal(await tellOf(session, 'far_echo'), 'server_failed');
    const [old] = server.sessions;
    server.onCall = ({ id }, response) => answerText(response, id, 'x');
    assert.equal(await tellOf(session, 'far_echo'), 'x');
    await eventually(() => !server.sessions.has(old), 'it is ended');
    assert.equal(server.sessions.size, 1);
  });
});

describe('what clients asked of a server that begins anew', () => {
  const kAsk = `${kRule}${permit('read', 'resources = ["memo:**"]')}${permit('level', 'methods = ["logging/setLevel"]')}`;

  it('over HTTP is asked again: subscriptions and the log level', async (t) => {
    const server = await startScriptedServer({ introduction: { capabilities: { tools: {}, logging: {}, resources: { subscribe: true } } } });
    t.after(() => server.stop());
    const gateway = await startGateway(httpServer('memo', server.url) + kAsk);
    t.after(() => gateway.stop());
    const [one, other] = [await LegacySession.open(gateway.url), await LegacySession.open(gateway.url)];
    const messages = await listen(one);
    assert.ok(responseOf(await one.request(1, 'resources/subscribe', { uri: 'memo://a' })).result);
    assert.ok(responseOf(await other.request(1, 'resources/subscribe', { uri: 'memo://b' })).result);
    assert.ok(responseOf(await one.request(2, 'logging/setLevel', { level: 'warning' })).result);
    await eventually(() => server.streams.size > 0, 'it is listened to');
    const before = server.requests.length;
    server.sessions.clear();
    assert.equal(await tellOf(one, 'memo_echo', { text: 'x' }), 'x');
    const again = (method) => server.requests.slice(before)
      .filter(({ message, headers }) => message?.method === method && server.sessions.has(headers['mcp-session-id']));
    await eventually(() => again('resources/subscribe').length === 2, 'subscriptions are repeated');
    assert.deepEqual(again('resources/subscribe').map(({ message }) => message.params.uri).sort(), ['memo://a', 'memo://b']);
    assert.deepEqual(again('logging/setLevel').map(({ message }) => message.params.level), ['warning']);
    const updates = () => messages.filter(({ method }) => method === 'notifications/resources/updated').map(({ params }) => params.uri);
    await eventually(() => updates().length > 0, 'the client is told');
    assert.deepEqual(updates(), ['memo://a']);
    await eventually(() => server.streams.size > 0, 'it is listened to again');
    server.publish({ method: 'notifications/resources/updated', params: { uri: 'memo://a' } });
    await eventually(() => updates().length > 1, 'updates go on');
  });

  it('over pipes is asked again by the process that follows', async (t) => {
    const asked = join(temporaryDirectory(), 'asked');
    const script = `
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method, params } = JSON.parse(line);
        if (method === 'resources/subscribe') require('node:fs').appendFileSync(${JSON.stringify(asked)}, process.pid + ' ' + params.uri + '\\n');
        if (method === 'tools/call') process.exit(1);
        if (id === undefined) return;
        const capabilities = { tools: {}, resources: { subscribe: true } };
        const results = {
          initialize: { protocolVersion: params?.protocolVersion, capabilities, serverInfo: { name: 's', version: '1' } },
          'tools/list': { tools: [{ name: 'end', inputSchema: { type: 'object' } }] },
          'resources/list': { resources: [{ name: 'a', uri: 'memo://a' }] },
          'resources/templates/list': { resourceTemplates: [] },
          'resources/subscribe': {}, 'resources/read': { contents: [{ uri: 'memo://a', text: 'a' }] },
        };
        const result = results[method];
        console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'none' } }) }));
      });`;
    const gateway = await startGateway(stdioServer('memo', ['-e', script]) + kAsk);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    assert.ok(responseOf(await session.request(1, 'resources/subscribe', { uri: 'memo://a' })).result);
    assert.equal(await tellOf(session, 'memo_end'), 'server_failed');
    await eventually(async () => responseOf(await session.request(2, 'resources/read', { uri: 'memo://a' })).result, 'it runs again');
    const lines = () => readFileSync(asked, 'utf8').trim().split('\n').map((line) => line.split(' '));
    await eventually(() => lines().length === 2, 'the subscription is repeated');
    assert.deepEqual(lines().map(([, uri]) => uri), ['memo://a', 'memo://a']);
    assert.notEqual(lines()[0][0], lines()[1][0]);
  });
});

describe('a server that forgets its sessions again and again', () => {
  const kLog = `${kRule}${permit('level', 'methods = ["logging/setLevel"]')}`;

  it('is not introduced for ever where it keeps one session, and several workers have one each', async (t) => {
    const server = await startScriptedServer({ introduction: { capabilities: { tools: {}, logging: {} } } });
    t.after(() => server.stop());
    server.onMessage = (message) => {
      if (message?.method === 'initialize') server.sessions.clear();
      return false;
    };
    const gateway = await startGateway(`[process]\nworkers = 4\n${httpServer('far', server.url)}${kLog}`);
    t.after(() => gateway.stop());
    // Each over connections of its own, so that all workers have some.
    for (let index = 0; index < 16; index += 1) {
      const session = await LegacySession.open(gateway.url, { connection: 'close' });
      await session.request(1, 'logging/setLevel', { level: 'error' });
    }
    await delay(1500);
    const begun = server.received('initialize').length;
    await delay(3000);
    // The pauses between repeats are 1, 2 and 4 seconds by then, for each worker.
    assert.ok(server.received('initialize').length - begun <= 8, `${begun} and then ${server.received('initialize').length}`);
  });

  it('is asked for its list twice, and no more', async (t) => {
    const server = await startScriptedServer();
    t.after(() => server.stop());
    server.onMessage = (message, response) => {
      if (message?.method !== 'tools/list') return false;
      server.sessions.clear();
      writeJson(response, 404, { jsonrpc: '2.0', id: message.id, error: { code: -32001, message: 'Session not found' } });
      return true;
    };
    const gateway = await startGateway(httpServer('far', server.url) + kRule);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    await session.request(1, 'tools/list');
    // Each try is sent once more in a new session.
    assert.equal(server.received('tools/list').length, 4);
    assert.ok(server.received('initialize').length <= 5);
  });
});

describe('a list of a server that begins anew between its pages', () => {
  it('holds nothing of what was listed before', async (t) => {
    const server = await startScriptedServer();
    t.after(() => server.stop());
    const tool = (name) => ({ ...kEchoTool, name });
    let isForgotten = false;
    server.onMessage = (message, response) => {
      if (message?.method !== 'tools/list') return false;
      const { cursor } = message.params ?? {};
      if (cursor !== undefined && !isForgotten) {
        isForgotten = true;
        server.sessions.clear();
        writeJson(response, 404, { jsonrpc: '2.0', id: message.id, error: { code: -32001, message: 'Session not found' } });
        return true;
      }
      const page = cursor === undefined
        ? { tools: [tool(isForgotten ? 'new_first' : 'old_first')], nextCursor: '2' }
        : { tools: [tool('second')] };
      writeJson(response, 200, { jsonrpc: '2.0', id: message.id, result: page });
      return true;
    };
    const gateway = await startGateway(httpServer('far', server.url) + kRule);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    const { result } = responseOf(await session.request(1, 'tools/list'));
    assert.ok(isForgotten);
    assert.deepEqual(result.tools.map(({ name }) => name).sort(), ['far_new_first', 'far_second']);
  });
});

describe('a stream of a session that is refused', () => {
  for (const [status, isLost] of [[405, false], [409, false], [429, false], [503, false], [302, false], [404, true]]) {
    it(`with ${status} says ${isLost ? 'that it is gone' : 'nothing of the session'}`, async (t) => {
      const server = await startScriptedServer();
      t.after(() => server.stop());
      const heard = new Set();
      const refused = [];
      server.onMessage = (_, response, { method, headers }) => {
        const session = headers['mcp-session-id'];
        if (method !== 'GET' || !server.sessions.has(session)) return false;
        if (heard.has(session)) {
          refused.push(session);
          response.writeHead(status).end();
        } else {
          heard.add(session);
          response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': open\n\n');
        }
        return true;
      };
      const gateway = await startGateway(httpServer('far', server.url) + kRule);
      t.after(() => gateway.stop());
      const session = await LegacySession.open(gateway.url);
      assert.equal(await tellOf(session, 'far_echo', { text: 'x' }), 'x');
      const used = server.received('tools/call').at(-1).headers['mcp-session-id'];
      const begun = server.received('initialize').length;
      await eventually(() => refused.filter((one) => one === used).length >= (isLost ? 1 : 2), 'it was asked for again', 20_000);
      if (isLost) await eventually(() => server.received('initialize').length > begun, 'it is introduced again');
      assert.equal(server.received('initialize').length > begun, isLost);
    });
  }
});

describe('a server whose connection was lost', () => {
  it('is introduced again, and its list asked for, although it takes any session', async (t) => {
    const port = await freePort();
    const begin = async (tools) => new ScriptedServer({ stateless: true, tools }).start(port);
    let server = await begin([kEchoTool]);
    t.after(() => server.stop());
    const gateway = await startGateway(httpServer('far', server.url) + kRule);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    assert.equal(await tellOf(session, 'far_echo', { text: 'x' }), 'x');
    await server.stop();
    assert.equal(await tellOf(session, 'far_echo', { text: 'x' }), 'server_unavailable');
    server = await begin([{ ...kEchoTool, name: 'renamed' }]);
    assert.equal(await tellOf(session, 'far_echo', { text: 'x' }), 'tool_unknown');
    assert.equal(await tellOf(session, 'far_renamed', { text: 'x' }), 'x');
    // Once for the calls, and perhaps once for whoever looks whether the server is up.
    const introductions = server.received('initialize').length;
    assert.ok(introductions === 1 || introductions === 2, `${introductions}`);
    assert.equal(server.received('tools/call').length, 1);
  });

  it('is noticed by the stream of its session, and clients are told', async (t) => {
    const port = await freePort();
    let server = await new ScriptedServer().start(port);
    t.after(() => server.stop());
    const gateway = await startGateway(httpServer('far', server.url) + kRule);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    assert.equal(await tellOf(session, 'far_echo', { text: 'x' }), 'x');
    await eventually(() => server.streams.size === 1, 'it is listened to');
    await server.stop();
    server = await new ScriptedServer().start(port);
    await eventually(() => server.received('initialize').length === 1, 'nobody called', 20_000);
  });

  it('may be the official one', async (t) => {
    const port = await freePort();
    let server = await startEverythingHttp(port);
    t.after(() => server.stop());
    const gateway = await startGateway(httpServer('everything', server.url) + kRule);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    assert.match(await tellOf(session, 'everything_echo', { message: 'one' }), /one/);
    server.stop();
    server = await eventually(() => startEverythingHttp(port).catch(() => undefined), 'it is started again', 30_000);
    await eventually(async () => /two/.test(await tellOf(session, 'everything_echo', { message: 'two' })), 'it serves again', 10_000);
  });
});

// What official servers send before they answer `initialize`.
const kEarly = [
  { method: 'notifications/message', params: { level: 'info', data: 'starting' } },
  { method: 'notifications/progress', params: { progressToken: 99, progress: 1 } },
  { method: 'notifications/tools/list_changed' },
  { id: 'early-ping', method: 'ping' },
].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }));

describe('messages before the answer to initialize', () => {
  it('are followed on an event stream, which may stay open', async (t) => {
    const server = await startScriptedServer();
    t.after(() => server.stop());
    server.onMessage = (message, response) => {
      if (message?.method !== 'initialize') return message?.id === 'early-ping' ? (response.writeHead(202).end(), true) : false;
      server.sessions.add('open');
      response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': 'open' });
      const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
      for (const text of [...kEarly, JSON.stringify({ jsonrpc: '2.0', id: message.id, result })]) {
        response.write(`data: ${text}\n\n`);
      }
      return true;
    };
    const gateway = await startGateway(httpServer('far', server.url) + kRule);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    assert.equal(await tellOf(session, 'far_echo', { text: 'x' }), 'x');
    await eventually(() => server.requests.some(({ message }) => message?.id === 'early-ping' && message.result), 'the ping is answered');
  });

  it('are followed over pipes', async (t) => {
    const script = `
      const early = ${JSON.stringify(kEarly)};
      let isPinged = false;
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method, params } = JSON.parse(line);
        if (id === 'early-ping') isPinged = true;
        if (id === undefined || !method) return;
        if (method === 'initialize') for (const text of early) console.log(text);
        const results = {
          initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
          'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
          'tools/call': { content: [{ type: 'text', text: String(isPinged) }] },
        };
        const result = results[method];
        console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'none' } }) }));
      });`;
    const gateway = await startGateway(stdioServer('near', ['-e', script]) + kRule);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    assert.equal(await tellOf(session, 'near_echo'), 'true');
  });
});

describe('an id in another spelling', () => {
  const spelled = { string: (id) => `"${id}"`, point: (id) => `${id}.0`, other: () => '"another"', never: () => '999', half: () => '3.5', negative: () => '-1' };
  const result = (id) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"x"}]}}`;
  const ways = {
    JSON: (text, response) => response.writeHead(200, { 'content-type': 'Application/JSON; charset=utf-8' }).end(text),
    // It stays open: nothing but the id says that this was the answer.
    'an event stream': (text, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${text}\n\n`),
  };
  const told = ({ result: answer, error }) => answer?.content[0].text ?? error.message.replace(/ \(.*/, '');
  const kOther = 'The server answered under another id';
  const wantedOf = (name) => (['string', 'point'].includes(name) ? 'x' : kOther);

  for (const [way, answer] of Object.entries(ways)) {
    it(`is the same, or refused at once, over HTTP as ${way}`, async (t) => {
      let spell;
      const server = await startScriptedServer({ onCall: ({ id }, response) => answer(result(spell(id)), response) });
      t.after(() => server.stop());
      const gateway = await startGateway(httpServer('far', server.url) + kRule);
      t.after(() => gateway.stop());
      const session = await LegacySession.open(gateway.url);
      for (const [name, spelling] of Object.entries(spelled)) {
        spell = spelling;
        assert.equal(told(await session.call(7, 'far_echo')), wantedOf(name), name);
      }
    });
  }

  it('is the same, or refused at once, over pipes', async (t) => {
    const script = `
      const spelled = { ${Object.entries(spelled).map(([name, spell]) => `${name}: ${spell}`).join(', ')} };
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method, params } = JSON.parse(line);
        if (id === undefined) return;
        const results = {
          initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
          'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
          'tools/call': { content: [{ type: 'text', text: 'x' }] },
        };
        const body = results[method] ? { result: results[method] } : { error: { code: -32601, message: 'none' } };
        const text = JSON.stringify({ jsonrpc: '2.0', id: 'ID', ...body });
        console.log(text.replace('"ID"', method === 'tools/call' ? spelled[params.arguments.spelling](id) : id));
      });`;
    const gateway = await startGateway(stdioServer('near', ['-e', script]) + kRule);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    for (const name of Object.keys(spelled)) {
      assert.equal(told(await session.call(7, 'near_echo', { spelling: name })), wantedOf(name), name);
    }
    const outcome = gateway.records().filter(({ kind }) => kind === 'outcome').at(-1);
    assert.equal(outcome.detail, 'the server answered under another id');
  });
});

/** Answers of HTTP servers that official clients read, or that say when to ask again. */
const kResult = (id) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"x"}]}}`;
const kJson = { 'content-type': 'application/json' };
const kGzip = { ...kJson, 'content-encoding': 'gzip' };
const kSpellings = [
  ['gzip', ({ id }, response) => response.writeHead(200, kGzip).end(gzipSync(kResult(id)))],
  ['an event stream in gzip', ({ id }, response) => response.writeHead(200, { ...kGzip, 'content-type': 'text/event-stream' }).end(gzipSync(`data: ${kResult(id)}\n\n`))],
  ['a type in capitals', ({ id }, response) => response.writeHead(200, { 'content-type': 'APPLICATION/JSON' }).end(kResult(id))],
  ['a byte order mark', ({ id }, response) => response.writeHead(200, kJson).end(`\ufeff${kResult(id)}`)],
  ['201', ({ id }, response) => response.writeHead(201, kJson).end(kResult(id))],
  ['an array of one', ({ id }, response) => response.writeHead(200, kJson).end(`[${kResult(id)}]`)],
  ['an event stream in capitals', ({ id }, response) => response.writeHead(200, { 'content-type': 'Text/Event-Stream' }).end(`data: ${kResult(id)}\n\n`)],
];
const kRefused = [
  ['a bomb in gzip', ({ id }, response) => response.writeHead(200, kGzip).end(gzipSync(kResult(id).replace('"x"', `"${'x'.repeat(80 << 20)}"`)))],
  // It stays open: a stream has no end that would bound it.
  ['a bomb in an event stream', (_, response) => response.writeHead(200, { ...kGzip, 'content-type': 'text/event-stream' }).write(gzipSync(':\n'.repeat(40 << 20)))],
  ['gzip that is none', ({ id }, response) => response.writeHead(200, kGzip).end(kResult(id))],
  ['gzip that is cut short', ({ id }, response) => response.writeHead(200, kGzip).end(gzipSync(kResult(id)).subarray(0, -4))],
  ['another coding', ({ id }, response) => response.writeHead(200, { ...kJson, 'content-encoding': 'br' }).end(kResult(id))],
  ['an array of two', ({ id }, response) => response.writeHead(200, kJson).end(`[${kResult(id)},${kResult(id)}]`)],
  ['an empty array', (_, response) => response.writeHead(200, kJson).end('[]')],
  ['another type', ({ id }, response) => response.writeHead(200, { 'content-type': 'application/jsonp' }).end(kResult(id))],
];

describe('an HTTP server that answers', () => {
  const far = new Far();
  let server;
  let session;
  before(async () => {
    ({ server, session } = await far.begin());
  });
  after(() => far.end());

  for (const [cases, wanted] of [[kSpellings, 'x'], [kRefused, 'server_failed']]) {
    for (const [name, answer] of cases) {
      it(`${name} is ${wanted === 'x' ? 'read' : 'refused'}`, async () => {
        server.onCall = answer;
        assert.equal(await tellOf(session, 'far_echo'), wanted);
      });
    }
  }

  it('is asked for no coding', () => {
    assert.ok(server.requests.every(({ headers }) => headers['accept-encoding'] === 'identity'));
  });

  for (const status of [429, 503]) {
    it(`${status} says when to ask again`, async () => {
      server.onCall = (_, response) => response.writeHead(status, { 'retry-after': '7' }).end();
      const { error } = responseOf(await session.post(jsonRpc(1, 'tools/call', { name: 'far_echo', arguments: {} })));
      assert.deepEqual([error.data.reason, error.data.retry_after_ms, error.data.retryable], ['server_unavailable', 7000, true]);
      assert.match(error.message, /try again in 7 s/);
      server.onCall = (_, response) => response.writeHead(status, { 'retry-after': 'soon' }).end();
      assert.equal(await tellOf(session, 'far_echo'), 'server_unavailable');
    });
  }
});

describe('a redirection', () => {
  const moves = [
    ['to the path with a slash is followed', '/mcp/', true],
    ['of the whole URL with a slash is followed', (server) => `${server.url}/`, true],
    ['to another path is not', '/other', false],
    ['to another server is not', 'http://127.0.0.1:9/mcp/', false],
    ['to another scheme is not', (server) => server.url.replace('http:', 'https:'), false],
  ];
  for (const [name, to, isFollowed] of moves) {
    it(name, async (t) => {
      const server = await startScriptedServer();
      t.after(() => server.stop());
      const asked = [];
      server.onMessage = (message, response, { url }) => {
        asked.push(url);
        if (url !== '/mcp') return false;
        response.writeHead(name.includes('whole') ? 308 : 307, { location: typeof to === 'string' ? to : to(server) }).end();
        return true;
      };
      const gateway = await startGateway(httpServer('far', server.url) + kRule);
      t.after(() => gateway.stop());
      const session = await LegacySession.open(gateway.url);
      assert.equal(await tellOf(session, 'far_echo', { text: 'x' }), isFollowed ? 'x' : 'server_unavailable');
      assert.deepEqual([...new Set(asked)], isFollowed ? ['/mcp', '/mcp/'] : ['/mcp']);
    });
  }

  it('of two calls at once is followed by both', async (t) => {
    const server = await startScriptedServer();
    t.after(() => server.stop());
    const held = [];
    server.onMessage = (message, response, { url }) => {
      if (message?.method !== 'tools/call' || url !== '/mcp') return false;
      held.push(response);
      if (held.length === 2) held.forEach((one) => one.writeHead(308, { location: '/mcp/' }).end());
      return true;
    };
    const gateway = await startGateway(httpServer('far', server.url) + kRule);
    t.after(() => gateway.stop());
    const session = await LegacySession.open(gateway.url);
    const calls = ['a', 'b'].map((text) => tellOf(session, 'far_echo', { text }, text));
    assert.deepEqual(await Promise.all(calls), ['a', 'b']);
  });
});
