// The gateway is killed at random points under load and started again on the same record, again and
// again; then what servers received is held against what is on record. `crash.test.mjs` runs a few
// points, `soak.mjs` many.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, readdirSync, statSync, watch, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { kFixtures, runProgram, startGateway, temporaryDirectory, tomlArray } from './harness.mjs';
import { startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { LegacySession } from './wire.mjs';

const kClients = 4;
const kWaitMs = 10_000;
// Longer than any machine takes to start a gateway and to have it answer twenty calls.
const kServedMs = 40_000;
// As an operator may set it; small, so that every few calls a file is closed.
const kRotateSize = '8 KiB';
const kDigestKey = 'a key for the digests of arguments';
const kTorn = '{"v":1,"kind":"decision","time":"2026-11-21T12:00:00.0';
// Of ten points, so many each.
const kPhases = ['start', 'load', 'load', 'load', 'load', 'load', 'rotation', 'rotation', 'stop', 'answer'];

/** Numbers in [0, 1) that a seed repeats (xorshift, 32 bits). */
export function randomFrom(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

/** Clients that call both servers in turn, open new sessions after each kill, and note what they were answered. */
class Load {
  answered = new Set();
  sent = 0;
  stopped = false;

  constructor(url) {
    this.url = url;
    this.clients = Array.from({ length: kClients }, (_, number) => this.#run(number));
  }

  async #run(number) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!this.stopped) {
      try {
        const session = await LegacySession.open(this.url);
        while (!this.stopped) await this.#call(session, number, agent);
      } catch {
        await delay(5);
      }
    }
    agent.destroy();
  }

  async #call(session, client, agent) {
    const id = (this.sent += 1);
    const marker = `marker-${client}-${id}`;
    const server = id % 2 === 0 ? 'pipe' : 'web';
    const { result } = await session.call(id, `${server}_mark`, { marker }, agent);
    if (result?.content[0].text === marker) this.answered.add(marker);
  }

  async stop() {
    this.stopped = true;
    await Promise.all(this.clients);
  }
}

/** Every message that the servers received: `{ server, method, marker, raw }`, `raw` its arguments' bytes. */
function receivedBy(pipeLog, web) {
  const lines = existsSync(pipeLog) ? readFileSync(pipeLog, 'utf8').split('\n').filter(Boolean) : [];
  const all = [];
  const add = (server, text) => {
    const { method, params } = JSON.parse(text);
    const raw = /"arguments":(\{[^{}]*\})/.exec(text)?.[1];
    all.push({ server, method, marker: params?.arguments?.marker, raw });
  };
  for (const line of lines) add('pipe', line);
  for (const text of web) add('web', text);
  return all;
}

/** Whether the spool beside the record has the whole of its torn line, which is then completed. */
function isSpooled(file) {
  const tail = readFileSync(file, 'utf8').split('\n').at(-1);
  const spool = `${file}.spool`;
  return existsSync(spool) && readFileSync(spool, 'utf8').split('\n').some((line) => line.startsWith(tail));
}

/** Bytes behind the last line end of a file. */
function tornBytes(path) {
  if (!existsSync(path)) return 0;
  const bytes = readFileSync(path);
  return bytes.length - (bytes.lastIndexOf(10) + 1);
}

function isRunning({ process: { exitCode, signalCode } }) {
  return exitCode === null && signalCode === null;
}

/** Waits for the moment at which this point's process is to die. Fails when it serves nobody. */
async function moment(phase, gateway, load, random) {
  if (phase === 'start') return void (await delay(random() * 150));
  const before = load.answered.size;
  const wanted = phase === 'answer' ? 1 : 1 + Math.floor(random() * 20);
  const deadline = Date.now() + kServedMs;
  while (load.answered.size < before + wanted && isRunning(gateway)) {
    assert.ok(Date.now() < deadline, `it answered ${load.answered.size - before} of ${wanted} calls in ${kServedMs} ms:\n${gateway.log()}`);
    await delay(2);
  }
  if (phase === 'load') return void (await delay(random() * 10));
  if (phase === 'stop') {
    gateway.process.kill('SIGTERM');
    return void (await delay(random() * 100));
  }
  if (phase !== 'rotation') return;
  // At the first sign of the next file, and a moment that differs from there.
  await new Promise((done) => {
    const watcher = watch(gateway.directory, (_, name) => name?.endsWith('.next') && finish());
    const timer = setTimeout(finish, kWaitMs);
    function finish() {
      clearTimeout(timer);
      watcher.close();
      done();
    }
  });
  const spins = Math.floor(random() * 20_000);
  for (let spin = 0; spin < spins; spin += 1);
}

/** All records of the chain's files, in order. */
export function recordsIn(directory) {
  const names = readdirSync(directory).filter((name) => /^audit.*\.jsonl$/.test(name));
  const lines = names.flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n').filter(Boolean));
  return lines.map((line) => JSON.parse(line)).sort((one, other) => one.seq - other.seq);
}

function countBy(items, key) {
  const counts = new Map();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

/** What must hold however often the process was killed. Answers what was counted. */
async function check(gateway, received, load, torn) {
  const { code, stdout, stderr } = await runProgram('audit', 'verify', gateway.auditFile);
  assert.equal(code, 0, stdout + stderr);
  const records = recordsIn(gateway.directory);
  records.forEach(({ seq }, index) => assert.equal(seq, index + 1, 'one chain, each record once'));
  assert.match(stdout, new RegExp(`: ${records.length} records, chain ok`), 'verification found every file');

  const permits = records.filter(({ kind, decision }) => kind === 'decision' && decision === 'permit');
  const byDigest = new Map(permits.map((record) => [record.argument_digest, record]));
  const outcomes = new Set(records.filter(({ kind }) => kind === 'outcome').map(({ decision_id: id }) => id));
  const digest = (raw) => createHmac('sha256', kDigestKey).update(raw).digest('hex');
  const calls = received.filter(({ method }) => method === 'tools/call');
  const byMarker = new Map();
  for (const { server, marker, raw } of calls) {
    const permit = byDigest.get(digest(raw));
    assert.ok(permit, `${marker} reached ${server} and no decision says so`);
    assert.deepEqual([permit.server, permit.target, permit.principal], [server, 'mark', 'tester']);
    assert.ok(!byMarker.has(marker), `${marker} reached a server twice`);
    byMarker.set(marker, permit);
  }
  for (const marker of load.answered) {
    assert.ok(outcomes.has(byMarker.get(marker)?.decision_id), `${marker} was answered and no outcome says so`);
  }
  // The gateway's own messages have no arguments: they are counted. Notifications of its handshake
  // belong to the request before.
  const own = (record) => `${record.server} ${record.method}`;
  const permitted = countBy(permits.filter(({ principal }) => principal === 'gateway'), own);
  const others = received.filter(({ method }) => method !== 'tools/call' && !method.startsWith('notifications/'));
  for (const [what, count] of countBy(others, own)) {
    assert.ok(count <= (permitted.get(what) ?? 0), `${what} was sent ${count} times, recorded ${permitted.get(what)}`);
  }
  const repaired = countBy(records.filter(({ kind }) => kind === 'repair'), ({ detail }) => parseInt(detail, 10));
  for (const [bytes, count] of countBy(torn, (size) => size)) {
    assert.ok((repaired.get(bytes) ?? 0) >= count, `${count} tails of ${bytes} bytes, ${repaired.get(bytes)} repairs`);
  }
  const files = readdirSync(gateway.directory).filter((name) => /^audit-.*\.jsonl$/.test(name)).length;
  return { calls: calls.length, answered: load.answered.size, records: records.length, files, torn: torn.length };
}

/** Kills the gateway at `points` moments and checks what is left. */
export async function killAtRandom({ points, seed, durability = 'kernel', onPoint = () => {} }) {
  const random = randomFrom(seed);
  const web = [];
  const onMessage = (message) => {
    if (message) web.push(JSON.stringify(message));
    return false;
  };
  const onCall = ({ id, params }, response) => {
    const result = { content: [{ type: 'text', text: params.arguments.marker }] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
  const webServer = await startScriptedServer({ tools: [{ name: 'mark', inputSchema: { type: 'object' } }], onMessage, onCall });
  const own = temporaryDirectory();
  const pipeLog = join(own, 'pipe.log');
  const keyFile = join(own, 'digest.key');
  writeFileSync(keyFile, kDigestKey, { mode: 0o600 });
  const command = tomlArray(['perl', join(kFixtures, 'logging_server.pl'), pipeLog]);
  const audit = `durability = "${durability}"\ndigest_key = "file:${keyFile}"\nrotate = { size = "${kRotateSize}" }\n`;
  const configuration = `[server.pipe]\ncommand = ${command}\n${httpServer('web', webServer.url)}
[rule.all]
effect = "permit"
roles = ["tester"]
tools = ["*/mark"]
`;
  const torn = [];
  let left = 0;
  let gateway;
  let load;
  try {
    gateway = await startGateway(configuration, { audit });
    load = new Load(gateway.url);
    for (let point = 0; point < points; point += 1) {
      const phase = kPhases[Math.floor(random() * kPhases.length)];
      await moment(phase, gateway, load, random);
      assert.ok(phase === 'stop' || isRunning(gateway), `it ended by itself:\n${gateway.log()}`);
      gateway.process.kill('SIGKILL');
      await gateway.exited;
      // What a loss of power in the middle of a write leaves; a kill alone rarely does.
      if (random() < 0.2 && existsSync(gateway.auditFile) && tornBytes(gateway.auditFile) === 0) {
        appendFileSync(gateway.auditFile, kTorn.slice(0, 1 + Math.floor(random() * kTorn.length)));
      }
      // One that is as it was left was not met by the process between: it died before it looked.
      const size = existsSync(gateway.auditFile) ? statSync(gateway.auditFile).size : 0;
      if (tornBytes(gateway.auditFile) > 0 && size !== left && !isSpooled(gateway.auditFile)) torn.push(tornBytes(gateway.auditFile));
      left = size;
      gateway = gateway.relaunch();
      onPoint(point + 1, phase);
    }
    await gateway.ready();
    await load.stop();
    await gateway.stop();
    return await check(gateway, receivedBy(pipeLog, web), load, torn);
  } finally {
    if (load) load.stopped = true;
    gateway?.process.kill('SIGKILL');
    await webServer.stop();
  }
}
