// Thousands of silent streams, of each transport that has them: resident memory of one, and how long it
// takes until the last has heard that the list of tools changed. Each has to hear it once.
import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';

import { eventually } from '../end_to_end/assertions.mjs';
import { startScriptedServer } from '../end_to_end/scripted_http.mjs';
import { LegacySession } from '../end_to_end/wire.mjs';
import { benchProgram, kLoadCore, kProxyCore, residentMib, say, start } from './processes.mjs';
import { startBartizan } from './targets.mjs';

const kStreams = 10_000;
const kNews = { method: 'notifications/tools/list_changed' };
// Sent when all were told; what any of them was told twice has come before it.
const kMark = { method: 'notifications/prompts/list_changed' };
const kOffers = { capabilities: { tools: { listChanged: true }, prompts: { listChanged: true } } };
const kSession = `
[session]
max_concurrent = 20000
max_concurrent_sessions = 20000
`;

/** Opens the streams and answers what the holder says, line by line. */
async function hold(target, wire, count) {
  const command = [benchProgram('bench_streams'), String(target.port), '--key', target.key, '--wire', wire, '--streams', String(count)];
  const { child, exited, complaints } = start(kLoadCore, command, { stdio: ['pipe', 'pipe', 'pipe'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => {
    const { value } = await lines.next();
    if (value === undefined) throw new Error(`${wire}: ${complaints()}`);
    return value;
  };
  assert.equal(await line(), 'open');
  return {
    line,
    end: async () => {
      child.stdin.end();
      const report = JSON.parse(await line());
      await exited;
      return report;
    },
  };
}

/** Holds `count` streams of a wire: `{ bytes, toldMs, addedMib }`, of one, until the last, and by the news. */
export async function holdStreams(wire, count, { workers = 1, command } = {}) {
  const server = await startScriptedServer({ introduction: kOffers });
  const target = await startBartizan(server, { workers, command, session: kSession });
  // The server is begun, and has been asked for its list, before memory is looked at.
  const session = await LegacySession.open(target.gateway.url, { authorization: `Bearer ${target.key}` });
  await session.request(1, 'tools/list');
  await session.close();
  await eventually(() => server.streams.size > 0, 'the gateway listens to the server', 20_000);
  const before = residentMib(target.pid);
  const crowd = await hold(target, wire, count);
  const open = residentMib(target.pid);
  const published = Date.now();
  server.publish(kNews);
  const toldMs = Number(/^told (\d+)$/.exec(await crowd.line())?.[1]) - published;
  const told = residentMib(target.pid);
  server.publish(kMark);
  assert.equal(await crowd.line(), 'marked');
  const { least, most, ended } = await crowd.end();
  if (least !== 1 || most !== 1 || ended > 0) throw new Error(`streams over ${wire} heard the news ${least} to ${most} times; ${ended} of ${count} ended`);
  await target.stop();
  await server.stop();
  return { bytes: ((open - before) * (1 << 20)) / count, toldMs, addedMib: told - open };
}

export async function streams(results) {
  // As an operator would raise it: a stream is a file.
  const command = ['prlimit', '--nofile=20000:20000', 'taskset', '-c', String(kProxyCore)];
  for (const [wire, suffix] of [['http', 'http'], ['sse', 'sse'], ['websocket', 'web_socket']]) {
    say(`${kStreams} streams over ${wire}`);
    const { bytes, toldMs, addedMib } = await holdStreams(wire, kStreams, { command });
    results.add(`stream_bytes_${suffix}`, bytes);
    results.add(`list_changed_10k_ms_${suffix}`, toldMs);
    results.add(`list_changed_10k_added_mib_${suffix}`, addedMib);
  }
}
