// The connection itself: order, halves, deadlines, bounds and framing, byte by byte over sockets.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';

import { startGateway } from './harness.mjs';
import { kPlain, stdioServer } from './servers.mjs';
import { jsonRpc, LegacySession, responseOf } from './wire.mjs';

const kRules = `
[rule.testers-may]
effect = "permit"
roles = ["tester"]
tools = ["plain/*"]
`;
const kConnectionsOfOneAddress = 1024;

/** A socket to the gateway, what came back over it, and its end. */
function open(url) {
  const socket = connect({ port: url.port, host: '127.0.0.1', allowHalfOpen: true });
  const state = { socket, received: '' };
  socket.on('data', (chunk) => (state.received += chunk));
  socket.on('error', () => {});
  state.ended = new Promise((done) => {
    socket.on('end', done);
    socket.on('close', done);
  });
  return state;
}

describe('a connection', () => {
  let gateway;
  let session;
  let url;
  before(async () => {
    gateway = await startGateway(stdioServer('plain', [kPlain], 'timeout = "60s"') + kRules);
    url = new URL(gateway.url);
    session = await LegacySession.open(gateway.url);
    assert.ok((await session.call(1, 'plain_slow_echo', { token: 'warm', milliseconds: 1 })).result);
  });
  after(() => gateway?.stop());

  const post = (body, more = '') => {
    const headers = Object.entries(session.headers()).map(([name, value]) => `${name}: ${value}\r\n`).join('');
    return `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
  const echo = (id, milliseconds) =>
    jsonRpc(id, 'tools/call', { name: 'plain_slow_echo', arguments: { token: `t${id}`, milliseconds } });

  it('answers pipelined requests in their order, however long each takes', async () => {
    const wire = open(url);
    wire.socket.write(post(echo(11, 300)) + post(echo(12, 1)) + post(echo(13, 50), 'Connection: close\r\n'));
    await wire.ended;
    const ids = [...wire.received.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
    assert.deepEqual(ids, [11, 12, 13]);
    wire.socket.destroy();
  });

  it('answers a peer that has closed its half', async () => {
    const wire = open(url);
    wire.socket.end(post(echo(21, 400)));
    await wire.ended;
    assert.match(wire.received, /"id":21/);
    wire.socket.destroy();
  });

  it('becomes a stream when an answer takes long', async () => {
    const response = await fetch(gateway.url, { method: 'POST', headers: session.headers(), body: echo(31, 16_500) });
    assert.match(response.headers.get('content-type'), /^text\/event-stream/);
    assert.match(await response.text(), /"id":31/);
  });

  it('is cut when a head does not come to its end', async () => {
    const wire = open(url);
    const began = Date.now();
    wire.socket.write('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n');
    const drip = setInterval(() => wire.socket.write('X-A: b\r\n'), 500);
    await wire.ended;
    clearInterval(drip);
    wire.socket.destroy();
    assert.ok(Date.now() - began < 20_000);
  });

  it('is refused beyond what one address may have, and others are not disturbed', async () => {
    const held = [];
    for (let count = 0; count < kConnectionsOfOneAddress + 50; count += 1) held.push(open(url));
    const refused = await Promise.race([Promise.any(held.map((one) => one.ended.then(() => 'refused'))), new Promise((done) => setTimeout(done, 5000, 'none'))]);
    assert.equal(refused, 'refused');
    for (const one of held) one.socket.destroy();
    await new Promise((done) => setTimeout(done, 200));
    const later = await session.call(41, 'plain_slow_echo', { token: 'later', milliseconds: 1 });
    assert.equal(later.result.content[0].text, 'later');
  });

  const body = echo(51, 1);
  const framed = {
    'both lengths': `Content-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n\r\n${body}`,
    'two lengths': `Content-Length: ${body.length}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    'an unknown coding': `Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    'a chunk extension': `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)};x=y\r\n${body}\r\n0\r\n\r\n`,
    'a folded line': `X-A: b\r\n c\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    'a space before the colon': `X-A : b\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    'two hosts': `Host: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    'a lone LF': `X-A: b\nContent-Length: ${body.length}\r\n\r\n${body}`,
  };
  for (const [name, rest] of Object.entries(framed)) {
    it(`is closed after ${name}, and nothing is forwarded`, async () => {
      const before = gateway.records().filter(({ method }) => method === 'tools/call').length;
      const wire = open(url);
      const headers = Object.entries(session.headers()).map(([key, value]) => `${key}: ${value}\r\n`).join('');
      wire.socket.write(`POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}${rest}`);
      await wire.ended;
      assert.match(wire.received, /^HTTP\/1\.1 400 /);
      assert.equal([...wire.received.matchAll(/HTTP\/1\.1/g)].length, 1);
      wire.socket.destroy();
      assert.equal(gateway.records().filter(({ method }) => method === 'tools/call').length, before);
    });
  }

  // What stands behind a refused body is no request; behind a refused call it is one.
  const ping = jsonRpc(71, 'ping');
  const ofText = () => post('x').replace(/content-type: [^\r]+/i, 'Content-Type: text/plain');
  const refused = [
    ['a body that is not JSON', () => post('{"jsonrpc":'), 400, 1],
    ['a body with two members of one name', () => post('{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'), 400, 1],
    ['a body that is not JSON-RPC message', () => post('{"jsonrpc":"1.0","id":1,"method":"ping"}'), 400, 1],
    ['params that are no object', () => post('{"jsonrpc":"2.0","id":1,"method":"ping","params":3}'), 400, 1],
    ['a body of another type', ofText, 415, 1],
    ['no body, of another type', () => ofText().replace('Content-Length: 1\r\n\r\nx', 'Content-Length: 0\r\n\r\n'), 415, 1],
    ['an encoded body', () => post('x', 'Content-Encoding: gzip\r\n'), 415, 1],
    ['a body that is too large', () => post('').replace('Content-Length: 0', 'Content-Length: 99999999'), 413, 1],
    ['(a control) a call of a tool that is not there', () => post(jsonRpc(70, 'tools/call', { name: 'no', arguments: {} })), 200, 2],
  ];
  for (const [name, bytes, status, answers] of refused) {
    it(`carries ${answers === 1 ? 'nothing more' : 'more'} after ${name}`, async () => {
      const wire = open(url);
      wire.socket.write(bytes() + post(ping, 'Connection: close\r\n'));
      await wire.ended;
      wire.socket.destroy();
      assert.match(wire.received, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.equal([...wire.received.matchAll(/HTTP\/1\.1/g)].length, answers);
      assert.match(wire.received, /connection: close/i);
    });
  }

  it('serves on after all that', async () => {
    const answer = responseOf(await session.request(61, 'ping'));
    assert.deepEqual(answer.result, {});
  });
});
