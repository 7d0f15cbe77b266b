// What a well-behaved client notices of an attack: its p50 alone and under each attack, in rounds that
// alternate, and the ratio of the two; of lists of thousands of tools, and of one principal who asks for
// approvals without end, its p99, too; of answers that
// nobody reads, which part of its calls is refused. Prints lines `name value [MISSED]`.
//
//   BARTIZAN_BIN=build/release/bin/bartizan node tests/bench/attack.mjs
//   ATTACKS=lists,unread …    these alone
//
// The gateway has one worker. Attackers are a process of their own, which yields the processor to
// everybody else, since in earnest it would be another machine.
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { freePort, startGateway } from '../end_to_end/harness.mjs';
import { callHead, callRequest } from '../end_to_end/raw_connection.mjs';
import { httpServer } from '../end_to_end/servers.mjs';
import { modernMeta } from '../end_to_end/wire.mjs';

const kRounds = Number(process.env.ROUNDS ?? 5);
const kRoundMs = 1500;
const kGapMs = 2;
const kRatioMax = 2;
const kAttacks = process.env.ATTACKS?.split(',') ?? ['slowloris', 'flood', 'heads', 'unread', 'lists', 'approvals'];
const kSlowConnections = 5000;
const kFloodConnections = 8;
const kUnreadConnections = 60;
const kListedTools = 5000;
const kLargeBytes = 2 << 20;
const kKeys = { victim: 'the-key-of-the-victim', attacker: 'the-key-of-the-attacker', boss: 'the-key-of-the-boss' };

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const keyLine = (who) => `Authorization: Bearer ${kKeys[who]}\r\n`;

const kAuth = Object.entries(kKeys)
  .map(([name, key]) => `[auth.api_key.${name}]\nprincipal = "${name}"\nsha256 = "${sha256(key)}"\n[principal.${name}]\nroles = ["user"]\n`)
  .join('');
// A quota of 10 calls in a second is for the tool that is flooded; the victim calls oftener.
const kLimits = `
[role.user]
permissions = []
[limit.user]
per = ["principal"]
rate = ["1000/s"]
[limit.tool]
per = ["principal", "tool"]
rate = ["1000/s"]
[limit.flooded]
per = ["principal"]
rate = ["10/s"]
tools = ["origin/flooded"]
[process]
workers = 1
memory_max = "64 MiB"
[rule.a-boss-has-to-look]
effect = "require_approval"
roles = ["*"]
tools = ["origin/approved"]
approver_principals = ["boss"]
[state]
file = "state.db"
[rule.users-may]
effect = "permit"
roles = ["user"]
tools = ["*/*"]
`;

// --- The attackers -------------------------------------------------------------------------------

let isAttacking = false;
const open = new Set();

/** A connection that is made again when it ends, for as long as the attack lasts. */
function attackWith(port, index, onConnect) {
  const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.2.${1 + (index % 8)}`, noDelay: true });
  open.add(socket);
  socket.on('error', () => {});
  socket.on('data', () => {});
  socket.on('connect', () => onConnect(socket));
  socket.on('close', () => {
    open.delete(socket);
    if (isAttacking) setTimeout(() => isAttacking && attackWith(port, index, onConnect), 10);
  });
}

/** Writes `bytes` as fast as they are taken. */
function pour(socket, bytes) {
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

const attacks = {
  slowloris(port) {
    for (let index = 0; index < kSlowConnections; index += 1) {
      attackWith(port, index, (socket) => {
        socket.write('POST /mcp HTTP/1.1\r\nHost: gw.test\r\nX-A: ');
        const drip = setInterval(() => socket.write('x'), 1000 + (index % 500));
        socket.on('close', () => clearInterval(drip));
      });
    }
  },
  flood(port) {
    const bytes = callRequest('origin_flooded', 'flood', keyLine('attacker')).repeat(50);
    for (let index = 0; index < kFloodConnections; index += 1) attackWith(port, index, (socket) => pour(socket, bytes));
  },
  unread(port) {
    const bytes = callRequest('origin_large', 'unread', keyLine('attacker')).repeat(4);
    for (let index = 0; index < kUnreadConnections; index += 1) attackWith(port, index, (socket) => socket.pause().write(bytes));
  },
  lists(port) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modernMeta() } });
    const head = callHead('x', keyLine('attacker')).replace('tools/call', 'tools/list').replace(/Mcp-Name: .*\r\n/, '');
    const request = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
    for (let index = 0; index < kFloodConnections; index += 1) {
      attackWith(port, index, (socket) => {
        socket.write(request);
        // One list at a time: whatever ends an object ends the answer.
        socket.on('data', (chunk) => chunk.at(-1) === 0x7d && chunk.at(-2) === 0x7d && socket.write(request));
      });
    }
  },
  /** Each call is another one, so that each asks for an approval of its own. */
  approvals(port) {
    let calls = 0;
    for (let index = 0; index < kFloodConnections; index += 1) {
      attackWith(port, index, (socket) => {
        const ask = () => socket.write(callRequest('origin_approved', `call ${(calls += 1)}`, keyLine('attacker')));
        socket.on('data', (chunk) => chunk.at(-1) === 0x7d && ask());
        ask();
      });
    }
  },
  heads(port) {
    const lines = Array.from({ length: 80 }, (_, index) => `X-${index}: ${'a'.repeat(180)}\r\n`).join('');
    const allowed = `GET /nowhere HTTP/1.1\r\nHost: gw.test\r\n${lines}\r\n`;
    const tooLarge = `GET /nowhere HTTP/1.1\r\nHost: gw.test\r\n${lines.repeat(3)}\r\n`;
    for (let index = 0; index < kFloodConnections; index += 1) {
      attackWith(port, index, (socket) => (index % 2 === 0 ? pour(socket, allowed) : socket.end(tooLarge)));
    }
  },
};

function beAttacker() {
  process.on('message', async ({ attack, port }) => {
    isAttacking = attack !== undefined;
    if (isAttacking) {
      attacks[attack](port);
      await delay(attack === 'slowloris' || attack === 'unread' ? 1500 : 200);
    } else {
      for (const socket of open) socket.resetAndDestroy();
      // One that was half closed, or not yet connected, does not always end by that.
      for (; open.size > 0; await delay(10)) for (const socket of open) socket.destroy();
    }
    process.send({ open: open.size });
  });
}

function startAttacker() {
  const child = fork(fileURLToPath(import.meta.url), ['attacker'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  process.on('exit', () => child.kill('SIGKILL'));
  const tell = (message) => new Promise((done) => {
    child.once('message', done);
    child.send(message);
  });
  return { tell, stop: () => child.kill('SIGKILL') };
}

// --- The victim ----------------------------------------------------------------------------------

async function startOrigin() {
  const listed = [
    ...['echo', 'flooded', 'large', 'approved'].map((name) => ({ name, inputSchema: { type: 'object' } })),
    ...Array.from({ length: kListedTools }, (_, index) => ({ name: `tool_${index}`, description: `Does thing ${index}.`, inputSchema: { type: 'object' } })),
  ];
  const answers = {
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 60_000, cacheScope: 'private' },
    'tools/list': { tools: listed, ttlMs: 3_600_000, cacheScope: 'private' },
    'tools/call': { content: [{ type: 'text', text: 'here' }] },
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method, params } = JSON.parse(body);
    const result = { resultType: 'complete', ...answers[method] };
    if (params.name === 'large') result.content = [{ type: 'text', text: 'x'.repeat(kLargeBytes) }];
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

/** One connection that calls, waits for the answer, and calls again a little later. */
async function startVictim(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise((done) => socket.once('connect', done));
  const requests = Object.fromEntries(['echo', 'large'].map((tool) => [tool, callRequest(`origin_${tool}`, 'call', keyLine('victim'))]));
  let received = '';
  let onAnswer = () => {};
  socket.on('data', (chunk) => {
    received += chunk;
    // One call at a time: whatever ends an object ends the answer.
    if (received.endsWith('}')) onAnswer();
  });
  let refused = 0;
  const call = async (tool) => {
    received = '';
    const answered = new Promise((done) => (onAnswer = done));
    const began = process.hrtime.bigint();
    socket.write(requests[tool]);
    await answered;
    const took = Number(process.hrtime.bigint() - began) / 1000;
    if (received.includes('"reason":"overloaded"')) refused += 1;
    else if (!/^HTTP\/1\.1 200 .*"result"/s.test(received)) throw new Error(`the victim was answered ${received}`);
    return took;
  };
  /** One round: microseconds of the median and of the slowest hundredth, and the part that was refused. */
  const round = async (tool = 'echo') => {
    const times = [];
    refused = 0;
    for (const end = Date.now() + kRoundMs; Date.now() < end; await delay(kGapMs)) times.push(await call(tool));
    times.sort((a, b) => a - b);
    return { p50: times[times.length >> 1], p99: times[Math.floor(times.length * 0.99)], refused: refused / times.length };
  };
  return { round, stop: () => socket.destroy() };
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

/** Measures; answers `{ name: value }`. */
export async function measureAttacks() {
  const origin = await startOrigin();
  const server = httpServer('origin', `http://127.0.0.1:${origin.address().port}/mcp`);
  const console = `[console]\naddress = "127.0.0.1:${await freePort()}"\nroles = ["user"]\n`;
  const gateway = await startGateway(server + console, { auth: kAuth, limits: kLimits, listen: 'allowed_hosts = ["gw.test"]' });
  const port = Number(new URL(gateway.url).port);
  const victim = await startVictim(port);
  const attacker = startAttacker();
  await victim.round();
  const figures = {};
  for (const attack of kAttacks) {
    const tool = attack === 'unread' ? 'large' : 'echo';
    const quiet = [];
    const attacked = [];
    for (let round = 0; round < kRounds; round += 1) {
      quiet.push(await victim.round(tool));
      const { open: connections } = await attacker.tell({ attack, port });
      attacked.push(await victim.round(tool));
      await attacker.tell({});
      process.stderr.write(`attack: ${attack} ${connections} connections, p50 ${quiet.at(-1).p50.toFixed(0)} -> ${attacked.at(-1).p50.toFixed(0)} us\n`);
    }
    const ratio = (name) => median(attacked.map((one) => one[name])) / median(quiet.map((one) => one[name]));
    if (attack !== 'unread') figures[`attack_p50_ratio_${attack}`] = ratio('p50');
    if (attack === 'lists' || attack === 'approvals') figures[`attack_p99_ratio_${attack}`] = ratio('p99');
    if (attack === 'unread') figures.attack_refused_unread = median(attacked.map((one) => one.refused));
  }
  attacker.stop();
  victim.stop();
  await gateway.stop();
  origin.closeAllConnections();
  origin.close();
  return figures;
}

if (process.argv[2] === 'attacker') {
  beAttacker();
} else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, value] of Object.entries(await measureAttacks())) {
    process.stdout.write(`${name} ${value.toFixed(2)}${name.startsWith('attack_p50') && name !== 'attack_p50_ratio_lists' && value > kRatioMax ? ' MISSED' : ''}\n`);
  }
}
