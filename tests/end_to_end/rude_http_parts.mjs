// The parts of which rude_http.mjs makes its answers.

export const kGoodText = 'well';

/** A good answer as JSON text. Both eras take it. */
export function goodAnswer({ id }, text = kGoodText) {
  return JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: [{ type: 'text', text }] } });
}

export function answerGood(response, message) {
  response.writeHead(200, { 'content-type': 'application/json' }).end(goodAnswer(message));
}

/** Begins an event stream, once. */
export function stream(response) {
  return response.headersSent ? response : response.writeHead(200, { 'content-type': 'text/event-stream' });
}

/** Writes an answer that the HTTP library would not: its header fields and its body as they stand. */
export function sendRaw(request, fields, body, end = 'stay') {
  request.socket.write(`HTTP/1.1 200 OK\r\n${fields}\r\n\r\n${body}`);
  if (end === 'end') request.socket.end();
}
