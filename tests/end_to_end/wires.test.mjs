// Clients over TCP, Unix sockets, WebSocket and HTTP+SSE: the same calls, checks and records as over HTTP,
// one session a connection, and what is let in nowhere.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';

import { eventually, textOf } from './assertions.mjs';
import { Authority, makeCertificates } from './certificates.mjs';
import { freePort, kNode, startGateway, temporaryDirectory } from './harness.mjs';
import { RawConnection } from './raw_connection.mjs';
import { apply, refuse } from './reloading.mjs';
import { answerText, startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { EventPeer, LinePeer, WebSocketPeer } from './wire_peer.mjs';
import { bearer, begin, calls, kPeople, kRules, kTools, uid } from './wires_stage.mjs';

const kProofs = { tcp: 'socket:tcp', unix: 'socket:unix', websocket: 'api_key:ann-key', sse: 'api_key:ann-key' };

for (const wire of ['tcp', 'unix', 'websocket', 'sse']) {
  describe(`over ${wire}`, () => {
    let stage;
    before(async () => (stage = await begin()));
    after(() => stage.stop());

    it('a legacy client has a session, calls, and is refused what no rule permits', async () => {
      const peer = stage.wires[wire]();
      const hello = await peer.initialize();
      assert.equal(hello.result.serverInfo.name, 'bartizan');
      const listed = await peer.request(1, 'tools/list', {});
      assert.deepEqual(listed.result.tools.map(({ name }) => name).sort(), ['web_echo', 'web_wait']);
      assert.equal(textOf((await peer.call(2, 'web_echo', { text: `legacy-${wire}` })).result), `legacy-${wire}`);
      const refused = await peer.call(3, 'web_hidden');
      assert.ok(refused.error, JSON.stringify(refused));
      const invalid = await peer.call(4, 'web_echo', { text: 5 });
      assert.match(JSON.stringify(invalid), /text/);
      const records = stage.gateway.records();
      const decision = records.findLast(({ kind, method, decision: said }) => kind === 'decision' && method === 'tools/call' && said === 'permit');
      assert.deepEqual([decision.transport, decision.principal, decision.proof], [wire, 'ann', kProofs[wire]]);
      assert.match(decision.source, wire === 'unix' ? new RegExp(`^uid:${uid}$`) : /^127\.0\.0\.1:\d+$/);
      assert.ok(records.some(({ kind, decision: said, transport }) => kind === 'decision' && said === 'deny' && transport === wire));
    });

    it('a modern client calls without one, beside', async () => {
      const peer = stage.wires[wire]();
      assert.ok((await peer.modern(1, 'server/discover')).result);
      const { result } = await peer.modern(2, 'tools/call', { name: 'web_echo', arguments: { text: 'modern' } });
      assert.equal(textOf(result), 'modern');
    });

    it('what is no message is answered with an error, and the next one is served', async () => {
      const peer = stage.wires[wire]();
      await peer.initialize();
      peer.write('{"jsonrpc":"2.0","id":7,');
      const error = await peer.next((message) => message.error, 'an error');
      assert.equal(error.error.code, -32700);
      assert.deepEqual((await peer.request(8, 'ping')).result, {});
    });

    it('a session begins once, and is nobody else’s', async () => {
      const [one, two] = [stage.wires[wire](), stage.wires[wire]()];
      await one.initialize();
      assert.ok((await one.request('again', 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } })).error);
      assert.equal((await two.request(1, 'tools/list', {})).error.data.reason, 'session_missing');
    });

    it('calls go on side by side, and one that is cancelled is cancelled at its server', async () => {
      const peer = stage.wires[wire]();
      await peer.initialize();
      peer.send({ id: 1, method: 'tools/call', params: { name: 'web_wait', arguments: { mark: wire } } });
      const { message } = await eventually(() => stage.held.find(({ message: { params } }) => params.arguments.mark === wire), 'the held call');
      assert.equal(textOf((await peer.call(2, 'web_echo', { text: 'between' })).result), 'between');
      peer.send({ method: 'notifications/cancelled', params: { requestId: 1 } });
      await eventually(() => stage.received.find(({ method, params }) => method === 'notifications/cancelled' && params.requestId === message.id), 'the cancellation');
    });

    it('a client that leaves has its calls cancelled and its session ended', async () => {
      const peer = stage.wires[wire]();
      await peer.initialize();
      peer.send({ id: 1, method: 'tools/call', params: { name: 'web_wait', arguments: { mark: `left-${wire}` } } });
      const { message } = await eventually(() => stage.held.find(({ message: { params } }) => params.arguments.mark === `left-${wire}`), 'the held call');
      peer.stop();
      // Over lines the end of the client's side alone cancels nothing: only a write shows that it is gone.
      if (wire === 'websocket' || wire === 'sse') await eventually(() => stage.received.find(({ method, params }) => method === 'notifications/cancelled' && params.requestId === message.id), 'the cancellation');
    });

    it('a client that does not read is cut off, and others are served', async () => {
      const peer = stage.wires[wire]();
      await peer.initialize();
      if (!peer.socket?.pause) return peer.stop(); // The runtime's clients read by themselves.
      peer.socket.pause();
      peer.socket.on('error', () => {});
      for (let id = 0; id < 250 && !peer.isClosed; id += 1) peer.send({ id, method: 'tools/call', params: { name: 'web_echo', arguments: { text: 'y'.repeat(200_000) } } });
      const other = stage.wires[wire]();
      await other.initialize();
      assert.equal(textOf((await other.call(1, 'web_echo', { text: 'beside' })).result), 'beside');
      peer.stop();
    });
  });
}

describe('a socket', () => {
  it('listens to nothing that does not begin with a JSON object', async (t) => {
    const stage = await begin({ client: '[client]\nhandshake = "implied"\n' });
    t.after(() => stage.stop());
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'web_echo', arguments: { text: 'page' } } });
    const said = await new Promise((done) => {
      const socket = connect(stage.tcpPort, '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => (text += chunk)).on('close', () => done(text));
      socket.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: ${call.length + 1}\r\n\r\n${call}\n`);
    });
    assert.equal(said, '');
    assert.equal(calls(stage, 'page').length, 0);
    await eventually(() => stage.gateway.records().some(({ kind, reason, transport }) => kind === 'refusal' && reason === 'parse_error' && transport === 'tcp'), 'the record');
    const peer = stage.wires.tcp();
    peer.write(call);
    assert.equal(textOf((await peer.answer(1)).result), 'page', 'the control: the same line by itself is a call');
  });

  it('serves a call without a handshake where that is implied, and tells nothing else', async (t) => {
    const stage = await begin({ client: '[client]\nhandshake = "implied"\n' });
    t.after(() => stage.stop());
    for (const wire of Object.values(stage.wires)) {
      const peer = wire();
      assert.equal(textOf((await peer.call(1, 'web_echo', { text: 'no hello' })).result), 'no hello');
      assert.deepEqual(peer.received.map(({ id }) => id), [1]);
    }
    const decision = stage.gateway.records().findLast(({ method }) => method === 'tools/call');
    assert.equal(decision.kind === 'decision' ? decision.protocol : '2024-11-05', '2024-11-05');
  });

  it('answers what was asked before its client ended its side', async (t) => {
    const stage = await begin({ client: '[client]\nhandshake = "implied"\n' });
    t.after(() => stage.stop());
    for (const wire of ['tcp', 'unix']) {
      const peer = stage.wires[wire]();
      peer.send({ id: 1, method: 'tools/call', params: { name: 'web_wait', arguments: { mark: wire } } });
      peer.finish();
      const { message, response } = await eventually(() => stage.held.find((one) => one.message.params.arguments.mark === wire), 'the held call');
      await delay(200);
      answerText(response, message.id, 'late');
      assert.equal(textOf((await peer.answer(1)).result), 'late');
      await peer.closed();
    }
  });

  it('of a named endpoint refuses what is no call, and lives', async (t) => {
    const server = await startScriptedServer({ tools: kTools });
    const port = await freePort();
    const gateway = await startGateway(
      `${httpServer('web', server.url)}[endpoint.desk]\npath = "/mcp"\n[endpoint.other]\npath = "/other"\nservers = ["web"]\ntools = ["web/wait"]\n[socket.desk]\naddress = "127.0.0.1:${port}"\nprincipal = "ann"\nendpoint = "desk"\n${kRules}`,
      { auth: kPeople, listen: 'web_socket = true\nsse = true' },
    );
    t.after(async () => {
      await gateway.stop();
      await server.stop();
    });
    const line = () => new LinePeer({ port, host: '127.0.0.1' });
    const strange = line();
    strange.write('GET / HTTP/1.1');
    await strange.closed();
    for (const peer of [line(), new WebSocketPeer(gateway.url, bearer), new EventPeer(gateway.url, bearer)]) {
      assert.equal((await peer.request(1, 'tools/list', {})).error.data.reason, 'session_missing');
      peer.write('garbage');
      await peer.next(({ error }) => error?.code === -32700, 'an error');
      await peer.initialize();
      assert.equal(textOf((await peer.call(2, 'web_echo', { text: 'x' })).result), 'x');
      peer.stop();
    }
    const refusals = gateway.records().filter(({ kind }) => kind === 'refusal');
    assert.deepEqual([...new Set(refusals.map(({ endpoint }) => endpoint))], ['desk']);
    const other = new WebSocketPeer(gateway.url.replace(/mcp$/, 'other'), bearer);
    await other.initialize();
    assert.deepEqual((await other.request(1, 'tools/list', {})).result.tools.map(({ name }) => name), ['web_wait'], 'each endpoint has its own view');
    other.stop();
  });

  it('makes who connects no more than its table says', async (t) => {
    const stage = await begin();
    t.after(() => stage.stop());
    const eve = stage.eve();
    await eve.initialize();
    assert.deepEqual((await eve.request(1, 'tools/list', {})).result.tools, []);
    assert.ok((await eve.call(2, 'web_echo', { text: 'of eve' })).error);
    assert.equal(calls(stage, 'of eve').length, 0);
  });

  it('of Unix is open to its owner, and to accounts of its table alone', { skip: uid !== 0 && 'needs another account' }, async (t) => {
    const folder = temporaryDirectory();
    const stage = await begin({ more: `[socket.wide]\npath = "${folder}/wide.sock"\nopen_to = "everyone"\nusers = { nobody = "ann" }\n[socket.other]\npath = "${folder}/other.sock"\nopen_to = "everyone"\nusers = { daemon = "ann" }\n` });
    t.after(() => stage.stop());
    assert.equal(statSync(join(stage.folder, 'mcp.sock')).mode & 0o777, 0o600);
    assert.equal(statSync(join(folder, 'wide.sock')).mode & 0o777, 0o666);
    // The folders of stories are their owner's: others come by a descriptor that is open already.
    const ask = (path) =>
      new Promise((done) => {
        const program = `const s=require('net').connect(process.argv[1]);let t='';s.on('data',(d)=>{t+=d;if(t.includes('"id":2'))s.destroy()}).on('error',(e)=>{t+=e.code}).on('close',()=>{console.log(t)});s.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"n","version":"1"}}}\\n{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"web_echo","arguments":{"text":"by nobody"}}}\\n')`;
        const child = spawn('setpriv', ['--reuid=nobody', '--clear-groups', '--inh-caps=-all', kNode, '-e', program, path], { stdio: ['ignore', 'pipe', 'ignore'] });
        let text = '';
        child.stdout.on('data', (chunk) => (text += chunk));
        child.on('close', () => done(text));
      });
    spawn('chmod', ['755', folder, stage.folder]);
    await delay(200);
    assert.match(await ask(join(folder, 'wide.sock')), /by nobody/);
    const refused = await ask(join(folder, 'other.sock'));
    assert.doesNotMatch(refused, /by nobody/);
    assert.match(refused, /credentials_invalid|authenticat|error/i);
    assert.match(await ask(join(stage.folder, 'mcp.sock')), /EACCES/);
  });

  it('over TLS takes who shows a certificate, and nobody else', async (t) => {
    const authority = new Authority();
    const own = makeCertificates('IP:127.0.0.1');
    const port = await freePort();
    const stage = await begin({
      auth: '[auth.certificate.build]\nprincipal = "ann"\nnames = ["dns:build.example.com"]\n',
      more: `[socket.plant]\naddress = "127.0.0.1:${port}"\ntls = { cert = "${own.certFile}", key = "file:${own.keyFile}", client_ca = "${authority.file}" }\n`,
    });
    t.after(() => stage.stop());
    const ca = readFileSync(own.caFile);
    const certificate = authority.issue('DNS:build.example.com');
    const peer = new LinePeer({ port, host: '127.0.0.1' }, { ca, cert: certificate.cert, key: certificate.key });
    await peer.initialize();
    assert.equal(textOf((await peer.call(1, 'web_echo', { text: 'proved' })).result), 'proved');
    const decision = stage.gateway.records().findLast(({ kind, method }) => kind === 'decision' && method === 'tools/call');
    assert.deepEqual([decision.transport, decision.proof], ['tcp', 'certificate:build']);
    peer.stop();
    const without = new LinePeer({ port, host: '127.0.0.1' }, { ca });
    const { error } = await without.initialize();
    assert.equal(error.data.reason, 'unauthenticated');
    await without.closed();
    const plain = new LinePeer({ port, host: '127.0.0.1' });
    plain.send({ id: 1, method: 'ping' });
    await plain.closed();
    assert.deepEqual(plain.received, []);
  });

  it('ends when its table names another principal, and others go on', async (t) => {
    const stage = await begin({ auth: '[principal.bob]\nroles = ["dev"]\n' });
    t.after(() => stage.stop());
    const [tcp, unix] = [stage.wires.tcp(), stage.wires.unix()];
    for (const peer of [tcp, unix]) await peer.initialize();
    const text = readFileSync(stage.gateway.configFile, 'utf8');
    await apply(stage.gateway, text.replace(/(\[socket\.tcp\]\naddress = .*\nprincipal = )"ann"/, '$1"bob"'));
    await tcp.closed();
    assert.equal(textOf((await unix.call(1, 'web_echo', { text: 'still' })).result), 'still');
    const again = stage.wires.tcp();
    await again.initialize();
    assert.equal(textOf((await again.call(1, 'web_echo', { text: 'as bob' })).result), 'as bob');
    const decision = stage.gateway.records().findLast(({ kind, method }) => kind === 'decision' && method === 'tools/call');
    assert.equal(decision.principal, 'bob');
    await refuse(stage.gateway, text.replace(/address = "127.0.0.1:(\d+)"\nprincipal = "ann"/, 'address = "127.0.0.1:1"\nprincipal = "ann"'));
    assert.match(stage.gateway.log(), /a change of \\"socket\.tcp\.address\\" needs a restart/);
  });

  it('ends with the gateway, once what is in progress was answered', async (t) => {
    const stage = await begin();
    t.after(() => stage.stop());
    const peers = Object.values(stage.wires).map((wire) => wire());
    for (const peer of peers) await peer.initialize();
    peers[0].send({ id: 1, method: 'tools/call', params: { name: 'web_wait', arguments: { mark: 'drain' } } });
    const { message, response } = await eventually(() => stage.held.find((one) => one.message.params.arguments.mark === 'drain'), 'the held call');
    const stopped = stage.gateway.stop();
    await peers[1].closed();
    await peers[2].closed();
    assert.equal(peers[2].code, 1001);
    await peers[3].closed();
    answerText(response, message.id, 'still answered');
    assert.equal(textOf((await peers[0].answer(1)).result), 'still answered');
    await stopped;
    assert.equal(existsSync(stage.gateway.auditFile), true);
  });
});

describe('a WebSocket', () => {
  let stage;
  before(async () => (stage = await begin()));
  after(() => stage.stop());

  const kAsk = { Host: '127.0.0.1', Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==', Authorization: bearer.authorization };
  const ask = async (change, path = '/mcp') => {
    const connection = new RawConnection(stage.gateway.url);
    const fields = Object.entries({ ...kAsk, ...change }).filter(([, value]) => value !== null);
    connection.write(`GET ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
    await eventually(() => connection.received.includes('\r\n\r\n'), 'the answer');
    return connection;
  };

  for (const [what, change, status, more] of [
    ['all that it needs', {}, 101, /Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/],
    ['a list of tokens', { Connection: 'keep-alive, Upgrade', Upgrade: 'h2c, WebSocket' }, 101],
    ['the subprotocol', { 'Sec-WebSocket-Protocol': 'other, mcp' }, 101, /Sec-WebSocket-Protocol: mcp\r\n/],
    ['an extension, which is not agreed on', { 'Sec-WebSocket-Extensions': 'permessage-deflate' }, 101, /^(?![\s\S]*Extensions)/],
    ['no key', { 'Sec-WebSocket-Key': null }, 426],
    ['a short key', { 'Sec-WebSocket-Key': 'dGhl' }, 426],
    ['another version', { 'Sec-WebSocket-Version': '8' }, 426, /Sec-WebSocket-Version: 13/],
    ['no Connection', { Connection: 'keep-alive' }, 426],
    ['no credentials', { Authorization: null }, 401],
    ['a wrong key of an account', { Authorization: 'Bearer x' }, 401],
    ['an Origin that is not allowed', { Origin: 'https://evil.example' }, 403],
    ['an Origin that is', { Origin: 'http://localhost:3000' }, 101],
    ['another Host', { Host: 'evil.example' }, 403],
  ]) {
    it(`is begun, or not, by a request with ${what}: ${status}`, async () => {
      const connection = await ask(change);
      assert.match(connection.received, new RegExp(`^HTTP/1.1 ${status} `));
      if (more) assert.match(connection.received, more);
      connection.destroy();
    });
  }

  /** A frame as a client writes it. */
  const frame = (opcode, payload, { fin = true, masked = true, rsv = 0 } = {}) => {
    const body = Buffer.from(payload);
    const mask = Buffer.from([1, 2, 3, 4]);
    const head = [(fin ? 0x80 : 0) | rsv | opcode, (masked ? 0x80 : 0) | (body.length < 126 ? body.length : 126)];
    if (body.length >= 126) head.push(body.length >> 8, body.length & 255);
    const sent = masked ? Buffer.from(body.map((byte, at) => byte ^ mask[at % 4])) : body;
    return Buffer.concat([Buffer.from(head), masked ? mask : Buffer.alloc(0), sent]);
  };
  const kPing = JSON.stringify({ jsonrpc: '2.0', id: 'p', method: 'server/discover', params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {}, 'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' } } } });

  for (const [what, frames, expected] of [
    ['a message in three fragments with a ping between them', [frame(1, kPing.slice(0, 5), { fin: false }), frame(9, 'are you there'), frame(0, kPing.slice(5, 9), { fin: false }), frame(0, kPing.slice(9))], /are you there[\s\S]*"id":"p"/],
    ['bytes that are no text', [frame(2, kPing)], /\x03\xeb/],
    ['a frame without a mask', [frame(1, kPing, { masked: false })], /\x03\xea/],
    ['a reserved bit', [frame(1, kPing, { rsv: 0x40 })], /\x03\xea/],
    ['text that is not UTF-8', [frame(1, Buffer.from([0xff, 0xfe]))], /\x03\xef/],
    ['its end', [frame(8, Buffer.from([0x03, 0xe8]))], /\x03\xe8/],
  ]) {
    it(`with ${what} is answered so`, async () => {
      const connection = await ask({});
      const head = connection.received.indexOf('\r\n\r\n') + 4;
      for (const one of frames) connection.write(one);
      await eventually(() => expected.test(connection.received.slice(head)), `${expected} in ${JSON.stringify(connection.received.slice(head))}`);
      if (expected.source.startsWith('\\x03')) await connection.ended;
      connection.destroy();
    });
  }

  it('is none without the key of the configuration', async (t) => {
    const server = await startScriptedServer({ tools: kTools });
    const gateway = await startGateway(httpServer('web', server.url) + kRules, { auth: kPeople });
    t.after(async () => {
      await gateway.stop();
      await server.stop();
    });
    const connection = new RawConnection(gateway.url);
    connection.write(`GET /mcp HTTP/1.1\r\n${Object.entries(kAsk).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
    await eventually(() => connection.received.includes('\r\n\r\n'), 'the answer');
    assert.match(connection.received, /^HTTP\/1.1 405 /);
    connection.destroy();
    assert.equal((await fetch(gateway.url, { headers: { ...bearer, accept: 'text/event-stream' } })).status, 405);
    // The operator learns which key it is, and nobody else.
    const keys = [...gateway.log().matchAll(/"source":"[^"]*","hint":"([^"]*)"/g)].map(([, key]) => key);
    assert.deepEqual(keys, ['[listen] web_socket = true', '[listen] sse = true']);
    assert.ok(!connection.received.includes('web_socket'), connection.received);
  });
});

describe('an event stream of 2024-11-05', () => {
  let stage;
  before(async () => (stage = await begin({ auth: `[auth.api_key.eve-key]\nprincipal = "eve"\nsha256 = "${createHash('sha256').update('the-key-of-eve').digest('hex')}"\n` })));
  after(() => stage.stop());

  const post = (target, headers, body = '{"jsonrpc":"2.0","id":1,"method":"ping"}') =>
    fetch(new URL(target, stage.gateway.url), { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });

  it('takes messages from who opened it, and from nobody else', async () => {
    const peer = stage.wires.sse();
    await peer.initialize();
    const target = await peer.endpoint;
    assert.match(target, /^\/mcp\?sse=[0-9a-f]{36}$/);
    const other = target.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    for (const [what, where, headers, status] of [
      ['nobody', target, {}, 401],
      ['somebody else', target, { authorization: 'Bearer the-key-of-eve' }, 404],
      ['the key of no stream', other, bearer, 404],
      ['a key that is none', '/mcp?sse=zz', bearer, 404],
      ['a key of no worker', target.replace(/sse=..../, 'sse=ffff'), bearer, 404],
      ['the opener', target, bearer, 202],
    ]) {
      assert.equal((await post(where, headers)).status, status, what);
    }
    assert.equal((await fetch(stage.gateway.url, { headers: { accept: 'text/event-stream' } })).status, 401);
    peer.stop();
    await eventually(async () => (await post(target, bearer)).status === 404, 'the end of the stream');
  });

  it('serves the official client of that transport', async (t) => {
    const client = new LegacyClient({ name: 'tests', version: '1' });
    await client.connect(new SSEClientTransport(new URL(stage.gateway.url), { requestInit: { headers: bearer }, eventSourceInit: { fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...bearer } }) } }));
    t.after(() => client.close());
    assert.equal(textOf(await client.callTool({ name: 'web_echo', arguments: { text: 'official' } })), 'official');
    const decision = stage.gateway.records().findLast(({ kind, method }) => kind === 'decision' && method === 'tools/call');
    assert.deepEqual([decision.transport, decision.principal], ['sse', 'ann']);
  });
});
