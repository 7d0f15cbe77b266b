// What a server can do wrong on any transport, each said once. A fault takes an occasion in its own
// hands: a `connection`, an `upgrade`, an HTTP `request`, the messages `initialize`, `list` and `call`, or
// that its client has `ended`. `sees`, `dropped`, `decision` and `next` are what Stage.tell asserts, `says`
// what the record has of the server, `then` asserts more. `on` has what is otherwise for one kind of
// transport, or for one transport. `not` says why that cannot carry the fault; `only` and `otherwise` say
// so for all kinds but one. An answer for another call in progress has no row: on a connection that calls
// share, nobody but the server can tell whose answer it is.
import assert from 'node:assert/strict';

import { eventually } from './assertions.mjs';
import { refusal } from './misbehaving_stage.mjs';
import { frame } from './rude_wires.mjs';
import { messagesOf } from './wire.mjs';

const failed = refusal('server_failed');
const unavailable = refusal('server_unavailable');
const timedOut = refusal('server_timeout');

const kSampling = { messages: [{ role: 'user', content: { type: 'text', text: 'say something' } }], maxTokens: 10 };
const kLine = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n`;
const kRequests = ['sampling/createMessage', 'elicitation/create', 'roots/list', 'no/such'];
const kTooManyBytes = 33 << 20;
/** What a call may take that is to time out, and when its answer comes. */
export const kPatience = '2s';
const kLateMs = 3000;
const kEnded = /^ended unexpectedly/;
const kOneMessage = 'a document is one message';

const head = ({ id }) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"well"}]`;
const good = (message) => `${head(message)}}}`;
const note = (link, method, params) => link.send({ method: `notifications/${method}`, params });
/** Says something that is no answer, and then answers as it should. */
const before = (act) => (link, message, server) => {
  act(link, message, server);
  link.answer(message);
  link.over();
};
/** Answers with these bytes. */
const bytes = (make) => (link, message) => {
  link.whole(make(message));
  link.over();
};
const one = { document: { not: kOneMessage } };

/** What goes wrong in a call. */
const kInCall = [
  {
    what: 'answers twice',
    call: before((link, message) => link.answer(message)),
    sees: 'well', dropped: { unknown_id: 1 }, on: one,
  },
  {
    what: 'answers under the ids of calls that are over',
    call: before((link, { id }) => [1, 2].forEach((back) => link.answer({ id: id - back }, 'of another'))),
    sees: 'well', dropped: { unknown_id: 2 }, on: { ...one, events: { sees: failed, dropped: { unknown_id: 1 } } },
  },
  {
    what: 'answers under an id that was never asked',
    call: before((link, { id }) => link.answer({ id: id + 1000 }, 'of nobody')),
    sees: 'well', dropped: { unknown_id: 1 }, on: { stdio: { sees: failed }, events: { sees: failed }, document: { sees: failed, call: (link, { id }) => link.answer({ id: id + 1000 }) } },
  },
  {
    what: 'answers under a text for a number',
    call: bytes(({ id }) => good({ id: `"${id}"` })),
    sees: 'well',
  },
  {
    what: 'answers under ids of other types',
    call: before((link) => [null, 1.5, [1], { id: 1 }, true].forEach((id) => link.answer({ id }))),
    sees: 'well', dropped: { not_a_message: 4 }, on: { ...one, stdio: { sees: failed }, events: { sees: failed } },
  },
  { what: 'never answers', call: () => {}, sees: timedOut },
  {
    what: 'answers after the deadline',
    call: (link, message) => setTimeout(() => link.answer(message, 'too late'), kLateMs),
    sees: timedOut, dropped: { unknown_id: 1 }, on: { events: { dropped: {} }, document: { dropped: {} } },
  },
  {
    what: 'answers half, and closes',
    call: (link, message, server) => {
      link.begin(head(message));
      server.cut('end');
    },
    sees: failed,
  },
  {
    what: 'answers half, and waits',
    call: (link, message) => link.begin(head(message)),
    sees: timedOut,
  },
  {
    what: 'answers what is not JSON',
    call: before((link) => ['no JSON', '{"jsonrpc":"2.0"', '[]', 'null', '{}', '\u0000\u0001'].forEach((text) => link.whole(text))),
    sees: 'well', dropped: { not_a_message: 6 }, on: { document: { call: bytes(() => '{"jsonrpc":'), sees: failed, dropped: {} } },
  },
  {
    what: 'answers what is not UTF-8',
    call: bytes((message) => Buffer.concat([Buffer.from(`${head(message)},"x":"`), Buffer.from([0xff]), Buffer.from('"}}')])),
    sees: failed, dropped: { not_a_message: 1 }, on: { frames: { dropped: {} }, document: { dropped: {} } },
  },
  {
    what: 'answers nested too deep',
    call: bytes((message) => `${head(message)},"structuredContent":${'['.repeat(2000)}${']'.repeat(2000)}}}`),
    sees: failed, dropped: { not_a_message: 1 }, on: { document: { dropped: {} } },
  },
  {
    what: 'answers with a member twice',
    call: bytes((message) => `${head(message)},"content":[]}}`),
    sees: failed, dropped: { not_a_message: 1 }, on: { document: { dropped: {} } },
  },
  {
    what: 'answers in a batch',
    call: bytes((message) => `[${good(message)}]`),
    sees: timedOut, dropped: { not_a_message: 1 }, on: { events: { sees: failed }, document: { sees: 'well', dropped: {} } },
  },
  {
    what: 'answers as JSON-RPC 1.0',
    call: bytes((message) => good(message).replace('2.0', '1.0')),
    sees: failed, dropped: { not_a_message: 1 }, on: { document: { dropped: {} } },
  },
  {
    what: 'answers with a result and an error',
    call: (link, message) => link.answer(message, 'well', { error: { code: 1, message: 'x' } }),
    sees: failed, dropped: { not_a_message: 1 }, on: { document: { dropped: {} } },
  },
  {
    what: 'answers with an error that is a text',
    call: (link, { id }) => link.send({ id, error: 'a text' }),
    sees: failed, dropped: { not_a_message: 1 }, on: { document: { dropped: {} } },
  },
  {
    what: 'answers with a result that is a text',
    call: (link, { id }) => link.send({ id, result: 'a text' }),
    sees: failed, dropped: { not_a_message: 1 }, on: { document: { dropped: {} } },
  },
  {
    what: 'answers byte by byte',
    call: (link, message) => link.drip(good(message)),
    sees: 'well',
  },
  {
    what: 'floods with notifications',
    call: before((link) => {
      for (let count = 0; count < 2000; count += 1) note(link, 'message', { level: 'info', data: `flood ${count}` });
    }),
    keys: 'client_features = ["logging"]',
    sees: 'well', on: one,
    then: ({ answer }) => assert.ok(messagesOf(answer).length > 100, 'what the client reads in time passes'),
  },
  {
    what: 'floods with requests',
    call: before((link) => {
      for (let count = 0; count < 500; count += 1) link.send({ id: `flood-${count}`, method: 'sampling/createMessage', params: kSampling });
    }),
    sees: 'well', dropped: { request_flood: 100 }, on: one,
    then: ({ stage, name }) => {
      const denials = stage.records().filter(({ server, direction }) => server === name && direction === 'server_to_client');
      assert.ok(denials.length > 0 && denials.length <= 65, `${denials.length} records of 500 requests`);
    },
  },
  {
    what: 'asks for what nobody allowed',
    call: before((link) => kRequests.forEach((method) => link.send({ id: method, method, params: {} }))),
    sees: 'well', on: one,
    then: async ({ stage, server, name }) => {
      for (const method of kRequests) {
        const reply = await eventually(() => server.told.find(({ id }) => id === method), `the answer to ${method}`);
        assert.equal(reply.error.code, -32601, method);
        const record = stage.records().findLast((one) => one.server === name && one.direction === 'server_to_client' && one.method === method);
        assert.deepEqual([record.decision, record.reason], ['deny', method === 'no/such' ? 'method_not_found' : 'client_feature_not_allowed']);
      }
    },
  },
  {
    what: 'reports progress of calls that nobody made',
    call: before((link, { id }) => [id + 1000, 'nobody’s', -1].forEach((progressToken) => note(link, 'progress', { progressToken, progress: 1 }))),
    sees: 'well', dropped: { notification_outside_call: 3 }, on: { ...one, events: { dropped: { unknown_token: 3 } } },
  },
  {
    what: 'changes its tools in the middle of a call',
    call: before((link, message, server) => {
      server.tools = [...server.tools, { ...server.tools[0], name: 'grown' }];
      for (let count = 0; count < 500; count += 1) note(link, 'tools/list_changed');
    }),
    sees: 'well', next: { tool: 'grown' }, on: one,
    then: ({ server }) => assert.ok(server.listed <= 12, `${server.listed} looks at the list`),
  },
  { what: 'closes in a call', call: (link, message, server) => server.cut('end'), sees: failed, says: kEnded, on: { events: { says: undefined }, document: { says: undefined } } },
  {
    what: 'breaks off in a call',
    call: (link, message, server) => server.cut('reset'),
    sees: failed, on: { stdio: { not: 'a pipe has no reset' }, unix: { not: 'a Unix socket has no reset' } },
  },
  {
    what: 'sends bytes for a text',
    call: (link, message) => link.sink.write(frame(2, good(message), true)),
    sees: failed, says: kEnded, only: 'frames', otherwise: 'bytes are all it has',
  },
  {
    what: 'says goodbye in a call',
    call: (link) => link.sink.write(frame(8, Buffer.from([0x03, 0xf3]), true)),
    sees: failed, says: kEnded, only: 'frames', otherwise: 'it has no word for that',
  },
  {
    what: 'answers, and closes',
    call: (link, message, server) => {
      link.answer(message);
      link.over();
      setTimeout(() => server.cut('end'), 20);
    },
    sees: 'well',
  },
];

/** What a budget of memory is for: a few of these at a time. */
const kLarge = [
  {
    what: 'answers more than an answer may have',
    call: (link, message) => {
      link.begin(head(message));
      link.pour(kTooManyBytes, () => link.end('}}'));
    },
    sees: failed, on: { lines: { sees: timedOut, dropped: { message_too_long: 1 } }, stdio: { dropped: { line_too_long: 1 } } },
  },
  {
    what: 'writes a message without end',
    call: (link, message) => {
      link.begin(head(message));
      link.pour(kTooManyBytes * 2);
    },
    sees: failed, on: { lines: { sees: timedOut } },
  },
];

const kDocumentHead = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const kRedirectHead = 'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n';
const kWrongKeyHead = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n';
const events = (response, text) => response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text);
/** Takes the stream of events in its own hands, and counts what is posted to it. */
const ofStream = (open) => (response, request, server) => {
  if (request.method !== 'POST') return open(response, request);
  server.posted = (server.posted ?? 0) + 1;
  response.writeHead(500).end();
};
const atFirst = (fault) => ({ sees: unavailable, decision: 'deny', isFirst: true, ...fault });
const ofWebSockets = (fault) => atFirst({ only: 'frames', otherwise: 'it is asked for no WebSocket', ...fault });
const ofStreams = (fault) => atFirst({ only: 'session', otherwise: 'its stream of events, if it has one, is not a session', ...fault });
const kNoSilence = { tls: { sees: unavailable }, wss: { sees: unavailable } };

/** What goes wrong before the first call, until the client has its answer. */
const kAtFirst = [
  { what: 'closes whatever connects', connection: (socket) => socket.destroy() },
  { what: 'refuses the introduction', initialize: (link, { id }) => link.send({ id, error: { code: -32603, message: 'not today' } }) },
  {
    what: 'introduces itself with a revision that nobody knows',
    initialize: (link, { id }) => link.send({ id, result: { protocolVersion: '1999-01-01', capabilities: { tools: {} }, serverInfo: { name: 'rude', version: '1' } } }),
  },
  {
    what: 'lists without end',
    list: (link, { id }, server) => {
      server.listed += 1;
      link.send({ id, result: { tools: [{ ...server.tools[0], name: `tool_${server.listed}` }], nextCursor: `${server.listed}` } });
      link.over();
    },
    // 200 pages, or 30 seconds, whichever ends first.
    sees: refusal('server_failed', 'server_timeout'),
  },
  {
    what: 'lists what is not a list',
    list: (link, { id }) => {
      link.send({ id, result: { tools: 'none' } });
      link.over();
    },
    sees: failed,
  },
  ofWebSockets({ what: 'answers the upgrade with 200', upgrade: (socket) => socket.write(kDocumentHead), says: /status 200/ }),
  ofWebSockets({ what: 'redirects the upgrade', upgrade: (socket) => socket.write(kRedirectHead), says: /status 302/ }),
  ofWebSockets({ what: 'accepts another key than it was sent', upgrade: (socket) => socket.write(kWrongKeyHead), says: /does not accept the key/ }),
  ofStreams({ what: 'opens no stream of events', request: ofStream((response) => response.end('{}')), says: /no stream of events/ }),
  ofStreams({ what: 'names no endpoint', request: ofStream((response) => events(response, 'event: message\ndata: {}\n\n')), says: /names no endpoint/ }),
  ofStreams({
    what: 'names an endpoint elsewhere',
    request: ofStream((response, { socket }) => events(response, `event: endpoint\ndata: http://localhost:${socket.localPort}/messages\n\n`)),
    says: /another origin/,
    then: ({ server }) => assert.equal(server.posted, undefined, 'nothing is sent to another origin'),
  }),
  ofStreams({
    what: 'takes no messages',
    request: ofStream((response) => events(response, 'event: endpoint\ndata: /messages\n\n')),
    says: /ended before it introduced itself/,
    then: ({ server }) => assert.ok(server.posted > 0, 'a message was sent'),
  }),
].map(atFirst);

/** The same for what shows only by time: the limit of a server that begins is 30 seconds. */
const kSilent = [
  { what: 'says nothing to who connects', connection: () => {} },
  { what: 'speaks another protocol', connection: (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'), on: kNoSilence },
  { what: 'never introduces itself', initialize: () => {} },
  { what: 'never lists', list: () => {} },
].map((fault) => atFirst({ sees: timedOut, ...fault }));

/** What goes on once nobody listens any more. */
const kAtLast = [
  {
    what: 'goes on sending when it is taken out',
    sees: 'well',
    call: before(() => {}),
    ended: (socket, server) => {
      const more = () => socket.write(kLine, (error) => !error && (server.sentAfter += 1));
      more();
      const timer = setInterval(more, 10);
      socket.on('close', () => clearInterval(timer));
    },
  },
];

/** The rows, in groups of as many cells at a time as that says. */
export const kGroups = [
  { group: 'in a call', atOnce: 12, faults: kInCall },
  { group: 'with too much', atOnce: 2, faults: kLarge },
  { group: 'before its first call', atOnce: 12, faults: kAtFirst },
  { group: 'by its silence', atOnce: 100, faults: kSilent },
  { group: 'at its end', atOnce: 10, faults: kAtLast },
];
