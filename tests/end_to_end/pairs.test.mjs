// Every official client meets every server through the gateway. A pair that shares an era lists, calls,
// is refused, cancels and receives progress as far as the server can; any other pair is told so.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually, failureOf, textOf } from './assertions.mjs';
import { kClients } from './clients.mjs';
import { startGateway, temporaryDirectory } from './harness.mjs';
import {
  httpServer,
  kEverything,
  kFilesystem,
  kMemory,
  notesDirectory,
  startDualServer,
  startEverythingHttp,
  stdioServer,
} from './servers.mjs';

const notes = notesDirectory();
const kLongRunning = 'trigger-long-running-operation';

// `calls` is one permitted call and a part of its answer; `refused` exists but no rule permits it.
const kEverythingStory = {
  permitted: ['echo', kLongRunning],
  calls: { tool: 'echo', given: { message: 'hello' }, answer: /hello/ },
  refused: { tool: 'get-env', given: {} },
  slow: { tool: kLongRunning, given: () => ({ duration: 20, steps: 2 }) },
  progress: { tool: kLongRunning, given: { duration: 0.3, steps: 3 }, leastSteps: 2 },
};

const kServers = [
  {
    name: 'everything over stdio',
    server: 'everything',
    eras: ['legacy'],
    table: async () => stdioServer('everything', [kEverything, 'stdio']),
    ...kEverythingStory,
  },
  {
    name: 'everything over HTTP',
    server: 'everything',
    eras: ['legacy'],
    table: async (stops) => {
      const { url, stop } = await startEverythingHttp();
      stops.push(stop);
      return httpServer('everything', url);
    },
    ...kEverythingStory,
  },
  {
    name: 'filesystem',
    server: 'files',
    eras: ['legacy'],
    table: async () => stdioServer('files', [kFilesystem, notes]),
    permitted: ['list_directory', 'read_text_file'],
    calls: { tool: 'read_text_file', given: { path: join(notes, 'notes.md') }, answer: /remember the milk/ },
    refused: { tool: 'write_file', given: { path: join(notes, 'notes.md'), content: 'gone' } },
  },
  {
    name: 'memory',
    server: 'memory',
    eras: ['legacy'],
    table: async () => {
      const file = join(temporaryDirectory(), 'memory.jsonl');
      return stdioServer('memory', [kMemory], `env = { MEMORY_FILE_PATH = ${JSON.stringify(file)} }`);
    },
    permitted: ['read_graph', 'search_nodes'],
    calls: { tool: 'search_nodes', given: { query: 'nobody' }, answer: /entities/ },
    refused: { tool: 'delete_entities', given: { entityNames: ['nobody'] } },
  },
  {
    name: 'dual-era server over HTTP',
    server: 'dual',
    eras: ['legacy', 'modern'],
    table: async (stops) => {
      const { url, stop } = await startDualServer();
      stops.push(stop);
      return httpServer('dual', url);
    },
    permitted: ['echo', 'progress', 'slow', 'was_cancelled'],
    calls: { tool: 'echo', given: { text: 'hello' }, answer: /^hello$/ },
    refused: { tool: 'forbidden', given: {} },
    slow: { tool: 'slow', given: (mark) => ({ milliseconds: 20_000, mark }), wasCancelled: 'was_cancelled' },
    progress: { tool: 'progress', given: { steps: 3 }, leastSteps: 3 },
  },
];

function permitRule({ server, permitted }) {
  const tools = permitted.map((tool) => `"${server}/${tool}"`).join(', ');
  return `[rule.testers-may]\neffect = "permit"\nroles = ["tester"]\ntools = [${tools}]\n`;
}

async function listsWhatIsPermitted(connection, story) {
  const names = (await connection.listTools()).map((tool) => tool.name);
  const expected = story.permitted.map((tool) => `${story.server}_${tool}`);
  assert.deepEqual(names.toSorted(), expected.toSorted());
}

async function callsOne(connection, { server, calls }) {
  const result = await connection.call(`${server}_${calls.tool}`, calls.given);
  assert.match(textOf(result), calls.answer);
}

async function isRefusedOne(connection, { server, refused }) {
  const error = await failureOf(connection.call(`${server}_${refused.tool}`, refused.given));
  assertRefused(error, 'no_matching_rule');
  assert.equal(error.code, connection.era === 'modern' ? 40300 : -32000);
  if (connection.statuses.length > 0) assert.equal(connection.statuses.at(-1), 200);
}

async function cancelsOne(connection, { server, slow }, mark) {
  const controller = new AbortController();
  const call = failureOf(
    connection.call(`${server}_${slow.tool}`, slow.given(mark), { signal: controller.signal, timeout: 15_000 }),
  );
  setTimeout(() => controller.abort('changed my mind'), 300);
  const error = await call;
  assert.match(error.message, /changed my mind/);
  if (!slow.wasCancelled) return;
  const asks = async () => textOf(await connection.call(`${server}_${slow.wasCancelled}`, { mark })) === 'yes';
  await eventually(asks, 'the server hears of the cancellation');
}

async function receivesProgress(connection, { server, progress }) {
  const steps = [];
  const onprogress = (notification) => steps.push(notification.progress);
  textOf(await connection.call(`${server}_${progress.tool}`, progress.given, { onprogress }));
  // server-everything sends its last step and its answer in one go, and clients then drop the step.
  assert.ok(steps.length >= progress.leastSteps, `${steps.length} steps`);
  assert.deepEqual(steps, [1, 2, 3].slice(0, steps.length));
}

for (const story of kServers) {
  describe(story.name, () => {
    const stops = [];
    let gateway;
    before(async () => {
      gateway = await startGateway((await story.table(stops)) + permitRule(story));
    });
    after(async () => {
      stops.forEach((stop) => stop());
      await gateway?.stop();
    });

    for (const client of kClients) {
      // Whatever the server speaks: a client that speaks both eras prefers the modern one.
      const [era] = client.eras;
      it(`serves ${client.name} in its ${era} era`, async (test) => {
        const connection = await client.connect(gateway.url);
        assert.equal(connection.era, era);
        await test.test('lists', () => listsWhatIsPermitted(connection, story));
        await test.test('calls', () => callsOne(connection, story));
        await test.test('is refused', () => isRefusedOne(connection, story));
        if (story.slow) await test.test('cancels', () => cancelsOne(connection, story, client.name));
        if (story.progress) await test.test('receives progress', () => receivesProgress(connection, story));
        await test.test('goes on', () => callsOne(connection, story));
        await connection.close();
      });
    }
  });
}
