// Clients that mean harm: each is cut, refused or outlasted, and whoever calls tools meanwhile does not
// notice. What takes the gateway's own deadlines to end begins with the file and is looked at last.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { eventually, textOf } from './assertions.mjs';
import { kClients } from './clients.mjs';
import { startGateway } from './harness.mjs';
import { callBody, callHead, callRequest, RawConnection, statusesOf } from './raw_connection.mjs';
import { startRecordingServer } from './recording_http.mjs';
import { httpServer } from './servers.mjs';
import { LegacySession, send, sendModern } from './wire.mjs';

const kRules = '[rule.testers-may]\neffect = "permit"\nroles = ["tester"]\ntools = ["*/*"]\n';
const kListen = { listen: 'allowed_hosts = ["gw.test"]' };
const kMiB = 1 << 20;
const kSlowConnections = 5000;
const kNeeded = 8000;
// One address may have 1024 connections; these come from several.
const kAddresses = Array.from({ length: 8 }, (_, index) => `127.0.1.${index + 1}`);

const openFilesMax = Number(/^Max open files +\S+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))[1]);

/** The value of a gauge without labels. */
async function gauge(gateway, name) {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await gateway.metrics())[1]);
}
const reserved = (gateway) => gauge(gateway, 'bartizan_memory_reserved_bytes');
const connections = (gateway) => gauge(gateway, 'bartizan_connections');

/** Resident and virtual bytes of the gateway's process. */
function memoryOf({ process: { pid } }) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)[1]) * 1024;
  return { resident: bytes('VmRSS'), virtual: bytes('VmSize') };
}

/** Sanitizers have shadow memory of terabytes, and an overhead of their own. */
const isSanitised = (gateway) => memoryOf(gateway).virtual > 2 ** 40;

/** Calls with an official client until `stop` is called, which answers how many calls succeeded. */
async function callOnAndOn(gateway, test) {
  const client = await kClients[2].connect(gateway.url);
  let isOver = false;
  let calls = 0;
  const calling = (async () => {
    for (; !isOver; calls += 1) {
      const token = `call-${calls}`;
      assert.equal(textOf(await client.call('modern_echo', { token })), token);
    }
  })();
  calling.catch(() => {});
  test.after(async () => {
    isOver = true;
    await client.close();
  });
  return {
    stop: async () => {
      isOver = true;
      await calling;
      return calls;
    },
  };
}

/** A gateway in front of a recording server. */
async function startPair(more = '', { era = 'modern', filler = '', ...options } = {}) {
  const server = await startRecordingServer(era, { filler });
  const gateway = await startGateway(httpServer('modern', server.url, 'max_in_flight = 64') + more + kRules, { ...kListen, ...options });
  const stop = async () => {
    await gateway.stop();
    await server.stop();
  };
  return { gateway, server, stop };
}

const announced = (bytes) => `${callHead('modern_echo')}Content-Length: ${bytes}\r\n\r\n`;

// --- What takes the gateway's deadlines ----------------------------------------------------------

let slow;
let slowly;
before(async () => {
  slow = await startPair('', { filler: 'x'.repeat(2 * kMiB) });
  const { url } = slow.gateway;
  const drip = (wire, bytes) => {
    const timer = setInterval(() => wire.write(bytes), 500);
    void wire.ended.then(() => clearInterval(timer));
    return wire;
  };
  slowly = {
    head: drip(new RawConnection(url).write('POST /mcp HTTP/1.1\r\n'), 'X-A: b\r\n'),
    body: drip(new RawConnection(url).write(announced(4 * kMiB)), 'x'),
    chunks: drip(new RawConnection(url).write(`${callHead('modern_echo')}Transfer-Encoding: chunked\r\n\r\n`), '1\r\nx\r\n'),
  };
  // Answers of 2 MiB that nobody takes in: more than both sockets hold.
  slowly.reader = new RawConnection(url, { isReading: false });
  slowly.reader.write(callRequest('modern_echo', 'unread').repeat(16));
});
after(() => slow?.stop());

// --- What is answered at once --------------------------------------------------------------------

describe('what no client sends', () => {
  let pair;
  before(async () => (pair = await startPair()));
  after(() => pair?.stop());

  const body = callBody('modern_echo', 'x');
  const chunked = `${callHead('modern_echo')}Transfer-Encoding: chunked\r\n\r\n`;
  const size = body.length.toString(16);
  const cases = [
    ['a head of more than 16 KiB', callHead('modern_echo', `X-A: ${'a'.repeat(17_000)}\r\n`), 431],
    ['a header line of 1 MiB', callHead('modern_echo', `X-A: ${'a'.repeat(kMiB)}\r\n`), 431],
    ['1 000 headers', `${callHead('modern_echo', 'A: b\r\n'.repeat(1000))}\r\n`, 431],
    ['a target of 9 KiB', `GET /${'a'.repeat(9000)} HTTP/1.1\r\nHost: gw.test\r\n\r\n`, 431],
    ['a body of 4 GiB', announced(2 ** 32), 413],
    ['a body of more bytes than there are numbers', announced('99999999999999999999'), 400],
    ['a chunk of 4 GiB', `${chunked}100000000\r\n`, 413],
    ['a chunk size of 100 digits', `${chunked}${'0'.repeat(100)}1\r\nx\r\n`, 400],
    ['a chunk extension of 1 MiB', `${chunked}${size};${'a'.repeat(kMiB)}\r\n${body}\r\n0\r\n\r\n`, 400],
    ['trailers of 1 MiB', `${chunked}${size}\r\n${body}\r\n0\r\nA: ${'a'.repeat(kMiB)}\r\n\r\n`, 400],
    ['a body of 5 MiB in small chunks', chunked + `400\r\n${'a'.repeat(1024)}\r\n`.repeat(5 * 1024), 413],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 505],
    ['a TLS handshake without TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400],
    ['a WebSocket', 'GET /mcp HTTP/1.1\r\nHost: gw.test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n', 405],
    ['a proxy request', 'GET http://127.0.0.1:22/ HTTP/1.1\r\nHost: gw.test\r\n\r\n', 400],
    ['a tunnel', 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n', 400],
    ['zeros', '\0'.repeat(100_000), 400],
  ];
  for (const [name, bytes, status] of cases) {
    it(`${name} is answered ${status}, once`, async () => {
      const wire = new RawConnection(pair.gateway.url).write(Buffer.from(bytes, 'latin1'));
      assert.deepEqual(statusesOf(await wire.finish()), [status]);
    });
  }

  it('has reached no server, and left nothing behind', async () => {
    assert.deepEqual(pair.server.tokens(), []);
    await eventually(async () => (await connections(pair.gateway)) === 0, 'all connections are over');
    assert.equal(await reserved(pair.gateway), 0);
  });

  it('leaves nothing when it resets amid a head, a body or a call', async () => {
    const begun = [callHead('modern_echo'), announced(kMiB) + 'x'.repeat(100_000), callRequest('modern_echo', 'reset')];
    const wires = begun.flatMap((bytes) => Array.from({ length: 50 }, () => new RawConnection(pair.gateway.url).write(bytes)));
    await Promise.all(wires.map((wire) => wire.connected));
    assert.ok((await reserved(pair.gateway)) <= 50 * kMiB);
    for (const wire of wires) wire.reset();
    await eventually(async () => (await connections(pair.gateway)) === 0, 'all connections are over');
    await eventually(async () => (await reserved(pair.gateway)) === 0, 'nothing is held');
  });

  it('gets its pipelined flood answered in order, while others call', async (test) => {
    const flood = 10_000;
    const others = await callOnAndOn(pair.gateway, test);
    const wire = new RawConnection(pair.gateway.url, { isReading: false });
    const requests = Array.from({ length: flood }, (_, index) =>
      index % 100 === 0 ? callRequest('modern_echo', `flood-${index}`) : 'GET /nowhere HTTP/1.1\r\nHost: gw.test\r\n\r\n');
    requests.push('GET /nowhere HTTP/1.1\r\nHost: gw.test\r\nConnection: close\r\n\r\n');
    wire.write(requests.join(''));
    await eventually(() => pair.server.tokens().includes('flood-1000'), 'a tenth of the flood', 30_000);
    wire.socket.on('data', (chunk) => (wire.received += chunk.toString('latin1')));
    wire.socket.resume();
    await wire.ended;
    const expected = Array.from({ length: flood + 1 }, (_, index) => (index % 100 === 0 && index < flood ? 200 : 404));
    assert.deepEqual(wire.statuses(), expected);
    assert.ok((await others.stop()) > 0);
  });

  it('may open no more sessions and streams than one principal has', async () => {
    const limited = await startPair('', { era: 'legacy', limits: '[session]\nmax_concurrent = 20\n[limit.everyone]\nper = []\nrate = ["100000/s"]\n[limit.user]\nper = ["principal"]\nrate = ["100000/s"]\n' });
    try {
      const opened = await Promise.allSettled(Array.from({ length: 40 }, () => LegacySession.open(limited.gateway.url)));
      const sessions = opened.filter(({ value }) => value).map(({ value }) => value);
      assert.equal(sessions.length, 20);
      const lines = Object.entries({ ...sessions[0].headers(), 'mcp-session-id': undefined }).map(([name, value]) => (value ? `${name}: ${value}\r\n` : ''));
      const get = ({ id }) => `GET /mcp HTTP/1.1\r\nHost: gw.test\r\n${lines.join('')}mcp-session-id: ${id}\r\n\r\n`;
      const streams = sessions.flatMap((session) => Array.from({ length: 10 }, () => new RawConnection(limited.gateway.url).write(get(session))));
      await eventually(() => streams.every((stream) => stream.received), 'each GET is answered');
      const statuses = streams.map((stream) => stream.statuses()[0]);
      assert.equal(statuses.filter((status) => status === 200).length, 20);
      assert.equal(statuses.filter((status) => status === 409).length, 180);
      for (const stream of streams) stream.reset();
      await eventually(async () => (await connections(limited.gateway)) <= 1, 'the streams are over');
    } finally {
      await limited.stop();
    }
  });
});

// --- Crowds --------------------------------------------------------------------------------------

describe('a crowd', () => {
  const skip = openFilesMax < kNeeded && `the limit of open files is ${openFilesMax}, and ${kNeeded} are needed`;
  it(`of ${kSlowConnections} slow connections disturbs nobody, and is cut at the deadline`, { skip }, async (test) => {
    const { gateway, stop } = await startPair('', {
      limits: '[session]\nauthentication_timeout = "4s"\n[limit.everyone]\nper = []\nrate = ["100000/s"]\n[limit.user]\nper = ["principal"]\nrate = ["100000/s"]\n[limit.tool]\nper = ["principal", "tool"]\nrate = ["100000/s"]\n',
    });
    const others = await callOnAndOn(gateway, test);
    const before = memoryOf(gateway).resident;
    const first = ['', 'POST /mcp HTTP/1.1\r\nHost: gw.test\r\nX-A: ', `${announced(4 * kMiB)}{`];
    const crowd = Array.from({ length: kSlowConnections }, (_, index) => ({
      wire: new RawConnection(gateway.url, { from: kAddresses[index % kAddresses.length] }).write(first[index % first.length]),
      kind: index % first.length,
    }));
    const drip = setInterval(() => crowd.forEach(({ wire, kind }) => kind > 0 && !wire.isEnded && wire.write('x')), 1000);
    await Promise.all(crowd.map(({ wire }) => wire.connected));
    // Bodies that were announced and did not come are no memory, or this would be seven GB.
    assert.ok((await reserved(gateway)) < 64 * kMiB);
    const grown = memoryOf(gateway).resident - before;
    if (!isSanitised(gateway)) assert.ok(grown < kSlowConnections * 16 * 1024, `${grown} bytes more`);
    const [idle, heads, bodies] = first.map((_, kind) => crowd.filter((one) => one.kind === kind).map(({ wire }) => wire));
    await Promise.all([...idle, ...heads].map((wire) => wire.ended));
    assert.ok(idle.every((wire) => wire.received === ''));
    assert.ok(heads.every((wire) => wire.statuses()[0] === 408));
    // Their heads said who they are, so that they have the time that a body has.
    assert.ok(bodies.every((wire) => !wire.isEnded));
    clearInterval(drip);
    assert.ok((await others.stop()) > 0);
    for (const { wire } of crowd) wire.destroy();
    await eventually(async () => (await connections(gateway)) <= 1, 'the crowd is gone', 20_000);
    assert.equal(await reserved(gateway), 0);
    await stop();
  });

  it('leaves places to others, and descriptors to servers, where these are few', async () => {
    // 300 connections of 400 descriptors; the gateway is started with less, and helps itself.
    const { gateway, stop } = await startPair('', { wrapper: ['prlimit', '--nofile=60:400'] });
    const crowd = [];
    for (const from of kAddresses) {
      for (let count = 0; count < 100; count += 1) crowd.push(new RawConnection(gateway.url, { from }));
    }
    await Promise.all(crowd.map((wire) => wire.connected));
    await eventually(async () => (await connections(gateway)) > 200, 'the crowd is in');
    const isIn = (from) => crowd.filter(({ socket, isEnded }) => !isEnded && socket.localAddress === from).length;
    await eventually(() => isIn(kAddresses[0]) <= 75, 'one address has its part');
    assert.ok((await connections(gateway)) < 300);
    const answer = await sendModern(gateway.url, 'tools/call', { name: 'modern_echo', arguments: { token: 'newcomer' } });
    assert.equal(answer.status, 200);
    for (const wire of crowd) wire.destroy();
    await stop();
  });
});

// --- Memory --------------------------------------------------------------------------------------

describe('a memory budget of 64 MiB', () => {
  let pair;
  let idle;
  const peak = { gauge: 0, resident: 0 };
  before(async () => {
    pair = await startPair('[process]\nmemory_max = "64 MiB"\n', { filler: 'x'.repeat(2 * kMiB) });
    const warm = await sendModern(pair.gateway.url, 'tools/call', { name: 'modern_echo', arguments: { token: 'warm' } });
    assert.equal(warm.status, 200);
    idle = await reserved(pair.gateway);
  });
  after(() => pair?.stop());

  /** Waits for `work`, and watches the gateway meanwhile. */
  async function watching(work) {
    let isOver = false;
    const watch = (async () => {
      while (!isOver) {
        peak.gauge = Math.max(peak.gauge, await reserved(pair.gateway));
        peak.resident = Math.max(peak.resident, memoryOf(pair.gateway).resident);
        await delay(10);
      }
    })();
    const result = await work;
    isOver = true;
    await watch;
    return result;
  }
  const isAsBefore = async () => (await reserved(pair.gateway)) === idle;

  it('refuses the bodies that do not fit, and says when to come back', async () => {
    const body = callBody('modern_echo', 'big', { filler: 'y'.repeat(4 * kMiB - 1000) });
    const begun = Array.from({ length: 40 }, () => new RawConnection(pair.gateway.url).write(announced(body.length) + body.slice(0, -10)));
    const refused = await watching(eventually(() => {
      const ended = begun.filter((wire) => wire.received);
      return ended.length >= 20 && ended;
    }, 'what does not fit is refused', 20_000));
    for (const wire of refused) {
      assert.deepEqual(wire.statuses(), [503]);
      assert.match(wire.received, /^Retry-After: \d+\r$/m);
      assert.match(wire.received, /"reason":"overloaded"/);
    }
    for (const wire of begun) wire.write(body.slice(-10));
    await watching(eventually(() => begun.every((wire) => wire.received), 'each is answered', 20_000));
    const statuses = begun.map((wire) => wire.statuses()[0]);
    assert.ok(statuses.every((status) => status === 200 || status === 503), String(statuses));
    // A small call needs none of the budget.
    for (const wire of begun) wire.destroy();
    await eventually(isAsBefore, 'everything was given back');
  });

  it('is kept when nobody takes large answers in', async () => {
    const readers = Array.from({ length: 60 }, (_, index) =>
      new RawConnection(pair.gateway.url, { isReading: false }).write(callRequest('modern_echo', `unread-${index}`).repeat(4)));
    await watching(eventually(() => pair.server.tokens().filter((token) => token.startsWith('unread')).length >= 40, 'calls', 20_000));
    await watching(delay(300));
    for (const wire of readers) wire.destroy();
    await eventually(isAsBefore, 'everything was given back', 20_000);
  });

  it('was never exceeded', () => {
    assert.ok(peak.gauge > 0 && peak.gauge <= 64 * kMiB, `${peak.gauge} bytes reserved`);
    // What stands beside the budget: the program, the index of each message, and bytes being copied.
    if (!isSanitised(pair.gateway)) assert.ok(peak.resident < 4 * 64 * kMiB, `${peak.resident} bytes resident`);
  });

  it('serves on', async () => {
    const answer = await sendModern(pair.gateway.url, 'tools/call', { name: 'modern_echo', arguments: { token: 'later' } });
    assert.equal(answer.status, 200);
  });
});

// --- The deadlines, at last ----------------------------------------------------------------------

describe('a peer without haste', () => {
  it('is cut amid a head', async () => {
    await slowly.head.ended;
    assert.deepEqual(slowly.head.statuses(), [408]);
  });
  it('is cut amid a body', async () => {
    await Promise.all([slowly.body.ended, slowly.chunks.ended]);
    assert.deepEqual(slowly.body.statuses(), [408]);
    assert.deepEqual(slowly.chunks.statuses(), [408]);
  });
  it('is cut when it takes no answer in', async () => {
    await eventually(async () => (await connections(slow.gateway)) === 0, 'the reader is cut', 45_000);
    assert.equal(await reserved(slow.gateway), 0);
    slowly.reader.destroy();
    const answer = await send(slow.gateway.url, { method: 'GET' });
    assert.equal(answer.status, 405);
  });
});
