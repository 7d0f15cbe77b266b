// MCP over standard input and output, by hand: what a line may be, who may say what, what ends, and that
// nothing but messages ever stands on standard output.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { assertRefused, eventually, textOf } from './assertions.mjs';
import { freePort, kNode, runProgram, startConfigured } from './harness.mjs';
import { kDual, kEverything, kPlain, kRude, notesDirectory, kFilesystem, stdioServer } from './servers.mjs';
import { StdioPeer, stdioPlace } from './stdio_peer.mjs';
import { LegacySession, modernMeta } from './wire.mjs';

const kRule = '[rule.all]\neffect = "permit"\nroles = ["tester"]\ntools = ["*/*"]\n';
const kLocalUser = '[auth.stdio]\nprincipal = "tester"\n[principal.tester]\nroles = ["tester"]\n[role.tester]\n';
const kHugeBytes = 5 << 20;

/** `bartizan run --stdio` with these tables. */
function runStdio(body, { auth = kLocalUser, ...options } = {}) {
  const place = stdioPlace();
  const config = join(place.directory, 'bartizan.toml');
  writeFileSync(config, `version = 1\n${auth}[audit]\nfile = "audit.jsonl"\n${body}`);
  const peer = new StdioPeer(['run', '--stdio', config], { place, ...options });
  peer.record = join(place.directory, 'audit.jsonl');
  return peer;
}

/** `bartizan wrap -- COMMAND`, its record in the story's own home. */
function wrap(command, { options = [], ...more } = {}) {
  const place = more.place ?? stdioPlace();
  const peer = new StdioPeer(['wrap', '--name', 'it', ...options, '--', kNode, ...command], { ...more, place });
  peer.record = join(place.state, 'it.jsonl');
  return peer;
}

function recordsOf(peer) {
  if (!existsSync(peer.record)) return [];
  return readFileSync(peer.record, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

async function assertVerified(peer) {
  const { code, stdout, stderr } = await runProgram('audit', 'verify', peer.record);
  assert.equal(code, 0, stdout + stderr);
  assert.equal(recordsOf(peer).at(-1).kind, 'stop');
}

const isListening = ({ kind, method }) => kind === 'decision' && method === 'subscriptions/listen';
const isToolCall = ({ kind, method }) => kind === 'decision' && method === 'tools/call';

describe('a line', () => {
  it('is answered one by one, and garbage does not end the conversation', async () => {
    const peer = wrap([kPlain]);
    peer.write('no JSON\n\n  \n{"jsonrpc":"2.0","id":7}\n{"a":1,"a":2}\n');
    peer.write(Buffer.from([0xff, 0xfe, 0x0a]));
    const hello = await peer.initialize();
    assert.equal(hello.result.protocolVersion, '2025-11-25');
    assert.equal(textOf((await peer.call(1, 'slow_echo', { token: 'still here', milliseconds: 0 })).result), 'still here');
    const messages = await peer.end();
    const errors = messages.filter(({ error }) => error).map(({ id, error }) => [id, error.code]);
    assert.deepEqual(errors, [[null, -32700], [null, -32700], [7, -32600], [null, -32700], [null, -32700]]);
    assert.ok(messages.every((message) => message.jsonrpc === '2.0'));
    await assertVerified(peer);
    assert.equal(recordsOf(peer).filter(({ kind }) => kind === 'refusal').length, 5);
  });

  it('may be too long: it is skipped to its end', async () => {
    const peer = wrap([kPlain]);
    await peer.initialize();
    peer.write(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${'x'.repeat(kHugeBytes)}"}}\n`);
    assert.deepEqual((await peer.request(2, 'ping')).result, {});
    const messages = await peer.end();
    const errors = messages.filter(({ error }) => error);
    assert.equal(errors.length, 1);
    assert.equal(errors[0].id, null);
    assert.ok(!messages.some(({ id }) => id === 1));
  });

  it('may end with CR LF, and the last one with nothing', async () => {
    const peer = wrap([kPlain]);
    await peer.initialize();
    peer.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n{"jsonrpc":"2.0","id":2,"method":"ping"}');
    const messages = await peer.end();
    assert.deepEqual(messages.map(({ id }) => id), ['hello', 1, 2]);
  });

  it('may be a batch in the revision that has them', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ];
    for (const [protocolVersion, isServed] of [['2025-03-26', true], ['2025-11-25', false]]) {
      const peer = wrap([kPlain]);
      await peer.initialize({ protocolVersion });
      peer.write(`${JSON.stringify(batch)}\n`);
      assert.deepEqual((await peer.request(3, 'ping')).result, {});
      const messages = await peer.end();
      const answer = messages.find((message) => Array.isArray(message));
      if (isServed) {
        assert.deepEqual(answer.map(({ id }) => id).toSorted(), [1, 2]);
      } else {
        assert.equal(answer, undefined);
        assert.equal(messages.find(({ error }) => error).error.code, -32600);
      }
    }
  });
});

describe('a legacy conversation', () => {
  it('begins with initialize, once', async () => {
    const peer = wrap([kPlain]);
    assertRefused((await peer.request(1, 'tools/list')).error, 'session_missing');
    await peer.initialize();
    assertRefused((await peer.request(2, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} })).error, 'invalid_request');
    assert.equal((await peer.request(3, 'tools/list')).result.tools.length, 3);
    await peer.end();
    await assertVerified(peer);
  });

  it('keeps its calls apart, whatever the order of the answers', async () => {
    const peer = wrap([kPlain]);
    await peer.initialize();
    const tokens = Array.from({ length: 100 }, (_, i) => `token-${i}`);
    for (const [id, token] of tokens.entries()) {
      peer.send({ id, method: 'tools/call', params: { name: 'slow_echo', arguments: { token } } });
    }
    for (const [id, token] of tokens.entries()) assert.equal(textOf((await peer.answer(id)).result), token);
    await peer.end();
  });

  it('cancels a call, which is answered with nothing', async () => {
    const peer = wrap([kRude]);
    await peer.initialize();
    peer.send({ id: 1, method: 'tools/call', params: { name: 'never', arguments: {} } });
    await eventually(() => recordsOf(peer).some(isToolCall), 'the call is on its way');
    peer.send({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await eventually(() => recordsOf(peer).some(({ outcome }) => outcome === 'cancelled'), 'the call is cancelled');
    const messages = await peer.end();
    assert.ok(!messages.some(({ id }) => id === 1));
  });

  it('takes a whole conversation from a file', async () => {
    const place = stdioPlace();
    const file = join(place.directory, 'conversation');
    const lines = [
      { id: 'hello', method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } } },
      { method: 'notifications/initialized' },
      ...Array.from({ length: 300 }, (_, id) => ({ id, method: 'tools/call', params: { name: 'slow_echo', arguments: { token: `${id}` } } })),
    ];
    writeFileSync(file, lines.map((line) => `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`).join(''));
    const input = openSync(file, 'r');
    const output = openSync(join(place.directory, 'answers'), 'w');
    const peer = wrap([kPlain], { place, input, output });
    closeSync(input);
    closeSync(output);
    await peer.ended();
    const answers = readFileSync(join(place.directory, 'answers'), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
    assert.equal(answers.length, 301);
    for (const { id, result } of answers.slice(1)) assert.equal(textOf(result), `${id}`);
    await assertVerified(peer);
  });
});

describe('a modern conversation', () => {
  it('needs no beginning, and one process serves it', async () => {
    const peer = wrap([kDual]);
    const found = await peer.modern(1, 'server/discover');
    assert.deepEqual(found.result.supportedVersions, ['2026-07-28']);
    const { result } = await peer.modern(2, 'tools/list');
    assert.ok(result.tools.length > 0);
    assert.equal(result.cacheScope, 'private');
    await peer.end();
    const starts = recordsOf(peer).filter(({ kind, detail }) => kind === 'server' && detail === 'started');
    assert.equal(starts.length, 1);
    await assertVerified(peer);
  });

  it('is served by a server of the legacy era, in one process', async () => {
    const peer = wrap([kPlain]);
    const { result } = await peer.modern(1, 'server/discover');
    assert.deepEqual(result.supportedVersions, ['2026-07-28']);
    await peer.initialize();
    assert.equal((await peer.request(2, 'tools/list')).result.tools.length, 3);
    await peer.end();
    const starts = recordsOf(peer).filter(({ kind, detail }) => kind === 'server' && detail === 'started');
    assert.equal(starts.length, 1);
  });

  it('is cancelled by a notification, and hears nothing more', async () => {
    const peer = wrap([kDual]);
    const listen = { id: 1, method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true }, _meta: modernMeta() } };
    peer.send(listen);
    await eventually(() => recordsOf(peer).some(isListening), 'it listens');
    // The id is in use: a second request under it would make its answers ambiguous.
    const known = peer.messages().length;
    peer.send(listen);
    await eventually(() => peer.messages().slice(known).some(({ error }) => error?.data?.reason === 'invalid_request'), 'the second is refused');
    peer.send({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await eventually(() => recordsOf(peer).some(({ outcome }) => outcome === 'cancelled'), 'it is cancelled');
    const before = peer.messages().length;
    assert.deepEqual((await peer.modern(3, 'server/discover')).result.supportedVersions, ['2026-07-28']);
    const messages = await peer.end();
    assert.ok(!messages.slice(before).some(({ id }) => id === 1));
  });
});

describe('the local user', () => {
  const files = () => stdioServer('files', [kFilesystem, notesDirectory()]);

  it('must be named', async () => {
    const peer = runStdio(files(), { auth: '' });
    await peer.ended(1);
    assert.match(peer.log(), /write \[auth\.stdio\] principal/);
    assert.deepEqual(peer.messages(), []);
  });

  it('is held to the rules of the file', async () => {
    const rules = '[rule.read]\neffect = "permit"\nprincipals = ["tester"]\ntools = ["files/read_*"]\n';
    const peer = runStdio(files() + rules);
    await peer.initialize();
    const { tools } = (await peer.request(1, 'tools/list')).result;
    assert.ok(tools.length > 0 && tools.every(({ name }) => name.startsWith('files_read_')));
    assertRefused((await peer.call(2, 'files_write_file', { path: 'x', content: 'y' })).error, 'no_matching_rule');
    await peer.end();
    const denied = recordsOf(peer).find(({ decision, method }) => decision === 'deny' && method === 'tools/call');
    assert.deepEqual([denied.transport, denied.principal, denied.proof], ['stdio', 'tester', 'local_user']);
    assert.equal(denied.source, 'stdio');
    await assertVerified(peer);
  });

  it('runs several gateways beside one another, each with its own record', async () => {
    const first = runStdio(files() + kRule);
    const second = runStdio(files() + kRule);
    await Promise.all([first.initialize(), second.initialize()]);
    const third = new StdioPeer(['run', '--stdio', join(first.place.directory, 'bartizan.toml')], { place: first.place });
    third.record = join(first.place.directory, 'audit.stdio.jsonl');
    await third.initialize();
    assert.match(third.log(), /runs beside another gateway of this configuration/);
    const record = join(first.place.directory, 'fourth.jsonl');
    const fourth = new StdioPeer(['run', '--stdio', '--record', record, join(first.place.directory, 'bartizan.toml')], { place: first.place });
    await fourth.initialize();
    await Promise.all([first.end(), second.end(), third.end(), fourth.end()]);
    await assertVerified({ record });
    await assertVerified(third);
  });
});

describe('one configuration', () => {
  /** A configuration with all that one process alone can have. */
  async function prepare() {
    const place = stdioPlace();
    const config = join(place.directory, 'bartizan.toml');
    const [port, metricsPort, consolePort] = [await freePort(), await freePort(), await freePort()];
    writeFileSync(config, `version = 1
[listen]
address = "127.0.0.1:${port}"
[metrics]
address = "127.0.0.1:${metricsPort}"
[console]
address = "127.0.0.1:${consolePort}"
roles = ["tester"]
[admin]
socket = "admin.socket"
[state]
file = "state.db"
[auth.api_key.tester]
principal = "tester"
sha256 = "${createHash('sha256').update('tester').digest('hex')}"
${kLocalUser}[audit]
file = "audit.jsonl"
${stdioServer('plain', [kPlain])}${kRule}`);
    const local = (number, ...options) => {
      const peer = new StdioPeer(['run', '--stdio', ...options, config], { place });
      peer.record = join(place.directory, `audit.stdio${number > 1 ? `-${number}` : ''}.jsonl`);
      return peer;
    };
    return { place, config, port, metricsPort, local };
  }
  const echo = async (peer) => textOf((await peer.call(1, 'plain_slow_echo', { token: 'here', milliseconds: 0 })).result);

  it('serves a listener, and local clients beside it', async (t) => {
    const { config, port, metricsPort, local } = await prepare();
    const gateway = await startConfigured(config, { port, metricsPort, record: 'audit.jsonl' });
    t.after(() => gateway.stop());
    // One after the other: of two that start at once, either may be the first.
    const first = local(1);
    await first.initialize();
    const second = local(2);
    await second.initialize();
    const session = await LegacySession.open(gateway.url, { authorization: 'Bearer tester' });
    for (const answer of [await echo(first), await echo(second), textOf((await session.call(1, 'plain_slow_echo', { token: 'here', milliseconds: 0 })).result)])
      assert.equal(answer, 'here');
    await first.end();
    await second.end();
    for (const peer of [first, second]) {
      await assertVerified(peer);
      assert.equal(recordsOf(peer).filter(isToolCall).length, 1);
    }
    assert.match(first.log(), /state\.stdio\.db/);
  });

  it('serves local clients first where they are told so', async (t) => {
    const { config, port, metricsPort, local } = await prepare();
    const first = local(1, '--beside');
    await first.initialize();
    const gateway = await startConfigured(config, { port, metricsPort, record: 'audit.jsonl' });
    t.after(() => gateway.stop());
    assert.equal(await echo(first), 'here');
    await first.end();
    await assertVerified(first);
  });
});

describe('a configuration that changes', () => {
  const rule = (tools) => `[rule.some]\neffect = "permit"\nroles = ["tester"]\ntools = ["plain/${tools}"]\n`;

  it('takes over within the conversation, and the client is told', async (t) => {
    const place = stdioPlace();
    const config = join(place.directory, 'bartizan.toml');
    const write = (rules) => {
      writeFileSync(`${config}.new`, `version = 1\n${kLocalUser}[audit]\nfile = "of-the-file.jsonl"\n${stdioServer('plain', [kPlain])}${rules}`);
      renameSync(`${config}.new`, config);
    };
    write(rule('big_echo'));
    const record = join(place.directory, 'audit.jsonl');
    const peer = new StdioPeer(['run', '--stdio', '--record', record, config], { place });
    peer.record = record;
    t.after(() => peer.process.kill('SIGKILL'));
    await peer.initialize();
    assert.equal((await peer.request(0, 'tools/list')).result.tools.length, 1);
    assertRefused((await peer.call(1, 'plain_slow_echo', { token: 'x' })).error, 'no_matching_rule');
    write(rule('*'));
    await peer.next(({ method }) => method === 'notifications/tools/list_changed', 'the client is told');
    assert.equal(textOf((await peer.call(2, 'plain_slow_echo', { token: 'x', milliseconds: 0 })).result), 'x');
    await peer.end();
    assert.ok(recordsOf(peer).some(({ kind }) => kind === 'reload'));
    assert.ok(!existsSync(join(place.directory, 'of-the-file.jsonl')));
    await assertVerified(peer);
  });
});

describe('a full house', () => {
  it('takes a batch of answers, which is what it waits for', async () => {
    const limits = '[limit.everyone]\nper = []\nrate = ["100000/s"]\n[limit.user]\nper = ["principal"]\nrate = ["100000/s"]\n'
      + '[limit.tool]\nper = ["principal", "tool"]\nrate = ["100000/s"]\n[process]\ndrain = "100ms"\n';
    const rude = stdioServer('rude', [kRude], 'client_features = ["roots"]\nmax_in_flight = 1000');
    const peer = runStdio(limits + rude + kRule);
    await peer.initialize({ protocolVersion: '2025-03-26', capabilities: { roots: {} } });
    peer.send({ id: 'asks', method: 'tools/call', params: { name: 'rude_ask', arguments: { text: 'roots/list' } } });
    const { id } = await peer.next(({ method }) => method === 'roots/list', 'the server asks');
    for (let call = 0; call < 300; call += 1) {
      peer.send({ id: call, method: 'tools/call', params: { name: 'rude_never', arguments: {} } });
    }
    await peer.next(({ error }) => error?.data?.reason === 'overloaded', 'the house is full');
    peer.write(`${JSON.stringify([{ jsonrpc: '2.0', id, result: { roots: [{ uri: 'file:///srv' }] } }])}\n`);
    assert.match(textOf((await peer.answer('asks')).result), /file:\/\/\/srv/);
    await peer.end(1);
    await assertVerified(peer);
  });
});

describe('the end', () => {
  it('of the input waits for calls in progress, and records them', async () => {
    const peer = wrap([kPlain]);
    await peer.initialize();
    peer.send({ id: 1, method: 'tools/call', params: { name: 'slow_echo', arguments: { token: 'late', milliseconds: 1000 } } });
    const messages = await peer.end();
    assert.equal(textOf(messages.at(-1).result), 'late');
    await assertVerified(peer);
    const outcomes = recordsOf(peer).filter(({ kind, method }) => kind === 'outcome' && method === 'tools/call');
    assert.deepEqual(outcomes.map(({ outcome }) => outcome), ['success']);
  });

  it('of the input cuts calls off that outlast the drain', async () => {
    const peer = runStdio(`${stdioServer('rude', [kRude])}${kRule}[process]\ndrain = "100ms"\n`);
    await peer.initialize();
    peer.send({ id: 1, method: 'tools/call', params: { name: 'rude_never', arguments: {} } });
    await eventually(() => recordsOf(peer).some(isToolCall), 'the call is on its way');
    await peer.end(1);
    assert.equal(recordsOf(peer).at(-1).detail, 'calls were cut off');
  });

  it('of a client that uses force is quick, and still recorded', async () => {
    const peer = wrap([kRude, '--stays', 'yes'], { options: ['--log', 'info'] });
    await peer.initialize();
    peer.send({ id: 1, method: 'tools/call', params: { name: 'never', arguments: {} } });
    await eventually(() => recordsOf(peer).some(isToolCall), 'the call is on its way');
    peer.process.stdin.end();
    await eventually(() => peer.log().includes('"stopping"'), 'it drains');
    peer.process.kill('SIGTERM');
    await peer.ended(1);
    await assertVerified(peer);
    const outcomes = recordsOf(peer).filter(({ kind, method }) => kind === 'outcome' && method === 'tools/call');
    assert.deepEqual(outcomes.map(({ outcome }) => outcome), ['failed']);
  });

  for (const signal of ['SIGTERM', 'SIGINT']) {
    it(`by ${signal} is an orderly one`, async () => {
      const peer = wrap([kPlain]);
      await peer.initialize();
      peer.process.kill(signal);
      await peer.ended(0);
      await assertVerified(peer);
    });
  }

  it('of the reader cancels the calls', async () => {
    const peer = wrap([kRude]);
    await peer.initialize();
    peer.send({ id: 1, method: 'tools/call', params: { name: 'never', arguments: {} } });
    await eventually(() => recordsOf(peer).some(isToolCall), 'the call is on its way');
    peer.process.stdout.destroy();
    peer.send({ id: 2, method: 'ping' });
    const { code } = await peer.exited;
    assert.equal(code, 0);
    const outcomes = recordsOf(peer).filter(({ kind, method }) => kind === 'outcome' && method === 'tools/call');
    assert.deepEqual(outcomes.map(({ outcome }) => outcome), ['cancelled']);
    await assertVerified(peer);
  });

  it('leaves no process behind', async () => {
    const peer = wrap([kRude]);
    await peer.initialize();
    const pid = Number(textOf((await peer.call(1, 'pid')).result));
    await peer.end();
    assert.throws(() => process.kill(pid, 0));
  });
});

describe('a slow reader', () => {
  it('is waited for, and loses nothing', async () => {
    const peer = wrap([kPlain]);
    await peer.initialize();
    peer.process.stdout.pause();
    const text = 'x'.repeat(200_000);
    const count = 40;
    for (let id = 0; id < count; id += 1) {
      peer.send({ id, method: 'tools/call', params: { name: 'big_echo', arguments: { text } } });
    }
    await eventually(() => recordsOf(peer).filter(({ kind, method }) => kind === 'outcome' && method === 'tools/call').length > 3, 'some calls are answered');
    peer.process.stdout.resume();
    for (let id = 0; id < count; id += 1) assert.equal(textOf((await peer.answer(id)).result).length, text.length);
    await peer.end();
    await assertVerified(peer);
  });
});

describe('a server that is not there', () => {
  it('is said to the client and on standard error', async () => {
    const place = stdioPlace();
    const peer = new StdioPeer(['wrap', '--', '/no/such/program'], { place });
    const { error } = await peer.request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} });
    assert.equal(error.code, -32603);
    assertRefused(error, 'server_unavailable');
    assert.match(error.message, /^No server has answered; .*program .* not found.* \(decision [0-9a-f-]{36}\)\.$/);
    await peer.end(1);
    assert.match(peer.log(), /no\/such\/program|not found/);
  });
});

describe('a client that offers what no server may ask of it', () => {
  it('finds that in the log', async () => {
    const peer = wrap([kEverything], { options: ['--log', 'info'] });
    await peer.initialize({ capabilities: { sampling: {}, roots: {} } });
    await peer.end();
    assert.match(peer.log(), /client features not passed on.*sampling, roots/);
  });
});

describe('two wraps of one server', () => {
  it('work at the same time, each with its record', async () => {
    const place = stdioPlace();
    const peers = [1, 2, 3].map(() => wrap([kEverything], { place }));
    await Promise.all(peers.map((peer) => peer.initialize()));
    await Promise.all(peers.map((peer) => peer.end()));
    for (const name of ['it', 'it-2', 'it-3']) await assertVerified({ record: join(place.state, `${name}.jsonl`) });
  });
});

// As `npx` does that fetches its package first.
function slowServer(name, tool, delayMs) {
  const script = `
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const results = {
        initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
        'tools/list': { tools: [{ name: '${tool}', inputSchema: { type: 'object' } }] },
      };
      const body = results[method] ? { result: results[method] } : { error: { code: -32601, message: 'none' } };
      setTimeout(() => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...body })), method === 'initialize' ? ${delayMs} : 0);
    });`;
  return stdioServer(name, ['-e', script]);
}

describe('servers that start together', () => {
  // The late one takes longer than `initialize` waits for all where one has answered.
  const both = slowServer('early', 'one', 0) + slowServer('late', 'two', 6500) + kRule;
  const namesOf = ({ result }) => result.tools.map(({ name }) => name);

  it('are all listed to a client that asks at once', async () => {
    const peer = runStdio(both);
    const { result } = await peer.initialize();
    assert.deepEqual(result.capabilities.tools, { listChanged: true });
    assert.deepEqual(result.capabilities.prompts, { listChanged: true }, 'the other one may have them');
    assert.deepEqual(namesOf(await peer.request(1, 'tools/list')), ['early_one', 'late_two']);
    await peer.end();
  });

  it('are told of where nobody waits', async () => {
    const peer = runStdio(`[process]\nstart_wait = "0s"\n${both}`);
    await peer.initialize();
    assert.deepEqual(namesOf(await peer.request(1, 'tools/list')), ['early_one']);
    await eventually(() => peer.received.some(({ method }) => method === 'notifications/tools/list_changed'), 'it hears of the other one', 10_000);
    assert.deepEqual(namesOf(await peer.request(2, 'tools/list')), ['early_one', 'late_two']);
    await peer.end();
  });
});
