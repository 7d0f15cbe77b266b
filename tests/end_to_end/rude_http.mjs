// What servers over HTTP do instead of answering. A behaviour is `(message, response, request)`, as
// `onCall` of a scripted server takes it; the argument `how` of a call names the one that it meets.
import { kGoodText, answerGood, goodAnswer, sendRaw, stream } from './rude_http_parts.mjs';
import { writeJson } from './scripted_http.mjs';

const kNote = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } };
const kHugeBytes = 33 << 20;
const html = (response, status, headers) => response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<html></html>');
const json = (response) => response.writeHead(200, { 'content-type': 'application/json' });
const event = (message) => `data: ${JSON.stringify(message)}\n\n`;

/** Writes `piece` again and again until the connection is closed. */
function drip(response, piece, milliseconds) {
  const timer = setInterval(() => response.write(piece()), milliseconds);
  response.on('close', () => clearInterval(timer));
}

const asked = (id, method) => ({ jsonrpc: '2.0', id, method, params: { messages: [], maxTokens: 1 } });

/** Answers that are one JSON document, or should have been. */
export const kJsonBehaviours = {
  well: (message, response) => answerGood(response, message),
  never: () => {},
  closes: (message, response, request) => request.socket.destroy(),
  html: (message, response) => html(response, 200),
  text: (message, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(goodAnswer(message)),
  status_500: (message, response) => html(response, 500),
  status_429: (message, response) => html(response, 429, { 'retry-after': '1' }),
  status_503: (message, response) => html(response, 503, { 'retry-after': '1' }),
  status_401: (message, response) => writeJson(response, 401, {}, { 'www-authenticate': 'Bearer realm="of the server"' }),
  status_202: (message, response) => response.writeHead(202).end(),
  status_204: (message, response) => response.writeHead(204).end(),
  status_404: ({ id }, response) => writeJson(response, 404, { jsonrpc: '2.0', id, error: { code: -32001, message: 'Session not found' } }),
  error_500: ({ id }, response) => writeJson(response, 500, { jsonrpc: '2.0', id, error: { code: -32050, message: 'own words' } }),
  empty: (message, response) => json(response).end(),
  no_id: (message, response) => json(response).end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32603, message: 'x' } })),
  huge: (message, response) => response.writeHead(200, { 'content-type': 'application/json', 'content-length': kHugeBytes }).write('{'),
  slow: (message, response) => drip(json(response), () => ' ', 100),
  short_length: (message, response, request) =>
    sendRaw(request, 'Content-Type: application/json\r\nContent-Length: 10', goodAnswer(message)),
  long_length: (message, response, request) =>
    sendRaw(request, 'Content-Type: application/json\r\nContent-Length: 1000', goodAnswer(message)),
  long_length_closes: (message, response, request) =>
    sendRaw(request, 'Content-Type: application/json\r\nContent-Length: 1000', goodAnswer(message), 'end'),
  two_lengths: (message, response, request) =>
    sendRaw(request, 'Content-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 3', '{}'),
  bad_chunks: (message, response, request) =>
    sendRaw(request, 'Content-Type: application/json\r\nTransfer-Encoding: chunked', 'zz\r\n{}\r\n0\r\n\r\n'),
  giant_head: (message, response, request) => sendRaw(request, `Content-Type: application/json\r\nX: ${'x'.repeat(32 << 10)}`, ''),
  many_fields: (message, response, request) => sendRaw(request, `Content-Length: 0\r\n${'X: x\r\n'.repeat(200)}X: x`, ''),
  slow_head: (message, response, request) => drip(request.socket, () => 'X', 100),
  continues: (message, response, request) => {
    request.socket.write('HTTP/1.1 100 Continue\r\n\r\n');
    answerGood(response, message);
  },
  continues_for_ever: (message, response, request) => drip(request.socket, () => 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(10), 10),
  switches: (message, response, request) => request.socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n'),
  compresses: (message, response) => response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(goodAnswer(message)),
  other_protocol: (message, response, request) => request.socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
  other_session: (message, response) => json(response.setHeader('mcp-session-id', 'another')).end(goodAnswer(message)),
  closes_idle: (message, response, request) => {
    json(response).end(goodAnswer(message), () => setTimeout(() => request.socket.destroy(), 20));
  },
};

/** Answers that are event streams. */
export const kStreamBehaviours = {
  well: (message, response) => stream(response).end(`data: ${goodAnswer(message)}\n\n`),
  comments: (message, response) => drip(stream(response), () => ': still here\n\n', 20),
  notes: (message, response) => drip(stream(response), () => event(kNote), 20),
  ends: (message, response) => stream(response).end(event(kNote)),
  other_event: (message, response) => stream(response).end(`event: answer\ndata: ${goodAnswer(message)}\n\n`),
  named_event: (message, response) => stream(response).end(`event: message\nid: 1\nretry: 10\ndata: ${goodAnswer(message)}\n\n`),
  carriage_returns: (message, response) => stream(response).end(`: hello\rdata: ${goodAnswer(message)}\r\r`),
  several_lines: (message, response) => {
    const [first, ...rest] = goodAnswer(message).split(/(?<=,)/);
    stream(response).end(`\ufeffdata: ${first}\n${rest.map((line) => `data: ${line}\n`).join('')}\n`);
  },
  goes_on: (message, response) => {
    stream(response).write(`data: ${goodAnswer(message)}\n\n`);
    drip(response, () => event(kNote), 20);
  },
  asks: (message, response) => {
    for (const method of ['sampling/createMessage', 'elicitation/create', 'roots/list', 'no/such']) {
      stream(response).write(event(asked(`own ${method}`, method)));
    }
    response.end(`data: ${goodAnswer(message)}\n\n`);
  },
};

const typed = (type) => (message, response) =>
  writeJson(response, 200, { jsonrpc: '2.0', id: message.id, result: { resultType: type, content: [{ type: 'text', text: kGoodText }] } });
const refused = (status, code, data) => ({ id }, response) =>
  writeJson(response, status, { jsonrpc: '2.0', id, error: { code, message: 'refused', ...(data && { data }) } });

/** What only a server of the modern era can do. */
export const kModernBehaviours = {
  well: kJsonBehaviours.well,
  streams: kStreamBehaviours.well,
  never: kJsonBehaviours.never,
  asks: kStreamBehaviours.asks,
  other_type: typed('extraordinary'),
  task: typed('task'),
  type_is_no_text: typed(7),
  mismatch: refused(400, -32020),
  unsupported: refused(400, -32022, { supported: ['2027-01-01'], requested: '2026-07-28' }),
  closes: kJsonBehaviours.closes,
  comments: kStreamBehaviours.comments,
  session: kJsonBehaviours.other_session,
};

export function behave(behaviours) {
  return (message, response, request) => behaviours[message.params.arguments?.how ?? 'well'](message, response, request);
}
