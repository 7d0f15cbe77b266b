// The servers of the matrix, one gateway in front of all. Each says which tool, resource and prompt
// stands for what is tried, with a nonce in it, and what it does not have.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { eventually } from './assertions.mjs';
import { freePort, kFixtures, kNode, kTestsDirectory, temporaryDirectory } from './harness.mjs';
import { startLineServer } from './line_server.mjs';
import {
  httpServer, kEverything, kFilesystem, kMemory, recordedStdioServer, startEverythingHttp, startEverythingSse,
  startHttpServer, startServer,
} from './servers.mjs';

const kSupergateway = join(kTestsDirectory, 'node_modules', 'supergateway', 'dist', 'index.js');
export const kPython = join(kTestsDirectory, '..', 'build', 'python', 'bin', 'python');
const kAsks = 'client_features = ["elicitation"]';

/** What a tee or a fixture wrote down of each message, as one text. */
function sentTo(recordFile) {
  if (!existsSync(recordFile)) return '';
  const lines = readFileSync(recordFile, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => (line.startsWith('{') ? Buffer.from(JSON.parse(line).base64, 'base64').toString() : line)).join('\n');
}

/** The official server of everything. Its numbers are the nonce where it takes no text. */
const kEverythingOffers = {
  call: (nonce) => ({ tool: 'echo', given: { message: nonce.text }, answers: nonce.text }),
  refused: (nonce) => ({ tool: 'get-sum', given: { a: nonce.number, b: 1 } }),
  progress: (nonce) => ({ tool: 'trigger-long-running-operation', given: { duration: 0.2 + nonce.number / 1e12, steps: 3 }, answers: String(0.2 + nonce.number / 1e12) }),
  cancel: (nonce) => ({ tool: 'trigger-long-running-operation', given: { duration: nonce.number, steps: 2 }, mark: String(nonce.number) }),
  subscribe: (nonce) => ({ uri: `demo://resource/dynamic/text/${nonce.number}`, tool: 'toggle-subscriber-updates', touches: () => ({}) }),
  elicit: () => ({ tool: 'trigger-elicitation-request', given: {} }),
  read: (nonce) => ({ uri: `demo://resource/dynamic/text/${nonce.number}`, answers: `Resource ${nonce.number}` }),
  prompt: (nonce) => ({ name: 'args-prompt', given: { city: nonce.text }, answers: nonce.text }),
};

/** The servers of our own tools, whatever they are made with. */
const kOurOffers = {
  call: (nonce) => ({ tool: 'echo', given: { text: nonce.text }, answers: nonce.text }),
  refused: (nonce) => ({ tool: 'forbidden', given: { text: nonce.text } }),
  progress: (nonce) => ({ tool: 'count', given: { text: nonce.text }, answers: nonce.text }),
  cancel: (nonce) => ({ tool: 'slow', given: { milliseconds: 600_000, mark: nonce.text }, mark: nonce.text, asks: 'was_cancelled' }),
  subscribe: (nonce) => ({ uri: `note://${nonce.text}`, tool: 'touch', touches: () => ({ uri: `note://${nonce.text}` }) }),
  elicit: (nonce) => ({ tool: 'ask', given: { text: nonce.text } }),
  read: (nonce) => ({ uri: `note://${nonce.text}`, answers: nonce.text }),
  prompt: (nonce) => ({ name: 'greet', given: { who: nonce.text }, answers: `Hello, ${nonce.text}!` }),
};

const kNothingAsked = { elicit: 'asks nothing' };
const kAtOnce = { progress: 'reports none', cancel: 'answers at once' };

function filesOffers(root) {
  const place = (nonce) => join(root, nonce.text);
  return {
    call: (nonce) => ({
      tool: 'read_text_file', given: { path: place(nonce) }, answers: `the file ${nonce.text}`,
      prepare: () => writeFileSync(place(nonce), `the file ${nonce.text}`),
    }),
    refused: (nonce) => ({ tool: 'create_directory', given: { path: `${place(nonce)}-refused` } }),
    read: (nonce) => ({ uri: `note://${nonce.text}` }),
    prompt: (nonce) => ({ name: 'greet', given: { who: nonce.text } }),
    subscribe: (nonce) => ({ uri: `note://${nonce.text}` }),
  };
}

const entity = (nonce) => ({ entities: [{ name: nonce.text, entityType: 'nonce', observations: [] }] });
const kGraph = 'memory://knowledge-graph';
const kMemoryOffers = {
  call: (nonce) => ({ tool: 'create_entities', given: entity(nonce), answers: nonce.text }),
  refused: (nonce) => ({ tool: 'delete_entities', given: { entityNames: [nonce.text] } }),
  subscribe: (nonce) => ({ uri: kGraph, tool: 'create_entities', touches: (time) => entity({ text: `${nonce.text}-${time}` }) }),
  read: (nonce) => ({ uri: kGraph, first: { tool: 'create_entities', given: entity(nonce) }, answers: nonce.text }),
  prompt: (nonce) => ({ name: 'greet', given: { who: nonce.text } }),
};

function recorded(name, command, more = '') {
  const file = join(temporaryDirectory(), 'sent.jsonl');
  return { table: recordedStdioServer(name, file, command, more), sent: () => sentTo(file), stop: () => {} };
}

async function dual(name, eras) {
  const file = join(temporaryDirectory(), 'sent.jsonl');
  const server = await startHttpServer([join(kFixtures, 'matrix_server.mjs'), '--eras', eras, '--record', file]);
  return { table: httpServer(name, server.url, kAsks), sent: () => sentTo(file), stop: server.stop };
}

async function startSupergateway(name) {
  const [file, port] = [join(temporaryDirectory(), 'sent.jsonl'), await freePort()];
  const behind = [kNode, join(kFixtures, 'tee_stdio.mjs'), file, kNode, kEverything].join(' ');
  const child = spawn(kNode, ['--import', join(kFixtures, 'loopback_only.mjs'), '--import', join(kFixtures, 'end_with_stdin.mjs'), kSupergateway, '--stdio', behind, '--outputTransport', 'ws', '--port', String(port), '--messagePath', '/message'], { stdio: ['pipe', 'pipe', 'pipe'] });
  process.on('exit', () => child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  await eventually(() => /listening on/i.test(said), 'supergateway', 30_000);
  return { table: httpServer(name, `ws://127.0.0.1:${port}/message`, kAsks), sent: () => sentTo(file), stop: () => child.kill() };
}

/** Each server: its column, how it is started behind the gateway, what it offers, what it does not have. */
export const kServers = [
  { name: 'everything, stdio', id: 'stdio', offers: kEverythingOffers, lacks: {}, start: async (id) => recorded(id, [kEverything], kAsks) },
  {
    name: 'everything, HTTP', id: 'http', offers: kEverythingOffers, lacks: {},
    start: async (id) => {
      const server = await startEverythingHttp();
      return { table: httpServer(id, server.url, kAsks), stop: server.stop };
    },
  },
  {
    name: 'everything, SSE', id: 'sse', offers: kEverythingOffers, lacks: {},
    start: async (id) => {
      const server = await startEverythingSse();
      return { table: httpServer(id, server.url, `transport = "sse"\n${kAsks}`), stop: server.stop };
    },
  },
  {
    name: 'filesystem', id: 'files', lacks: { ...kAtOnce, ...kNothingAsked, read: 'has no resources', subscribe: 'has no resources', prompt: 'has no prompts' },
    start: async (id) => {
      const root = join(temporaryDirectory(), 'files');
      mkdirSync(root);
      return { ...recorded(id, [kFilesystem, root]), offers: filesOffers(root) };
    },
  },
  {
    name: 'memory', id: 'memory', offers: kMemoryOffers, lacks: { ...kAtOnce, ...kNothingAsked, prompt: 'has no prompts' },
    start: async (id) => recorded(id, [kMemory], `env = { MEMORY_FILE_PATH = ${JSON.stringify(join(temporaryDirectory(), 'memory.jsonl'))} }`),
  },
  ...['legacy', 'dual', 'modern'].map((eras) => ({ name: `server 2.4 ${eras}`, id: eras, offers: kOurOffers, lacks: {}, start: (id) => dual(id, eras) })),
  {
    name: 'supergateway, WebSocket', id: 'ws', offers: kEverythingOffers, lacks: { elicit: 'puts other ids into answers, so that its server knows none of them', cancel: 'puts other ids into calls and not into cancellations' },
    start: startSupergateway,
  },
  {
    name: 'fastmcp', id: 'fastmcp', lacks: { subscribe: 'has no subscriptions' }, lacksInModern: { elicit: 'asks nothing of clients of 2026-07-28' },
    offers: {
      ...kOurOffers,
      cancel: (nonce) => ({ tool: 'slow', given: { mark: nonce.text }, mark: nonce.text }),
      subscribe: (nonce) => ({ uri: `note://${nonce.text}` }),
      read: (nonce) => ({ uri: `note://${nonce.text}`, answers: nonce.text, mark: `read ${nonce.text}` }),
    },
    start: async (id) => {
      const file = join(temporaryDirectory(), 'sent.txt');
      appendFileSync(file, '');
      const server = await startServer(kPython, [join(kFixtures, 'fastmcp_server.py'), file]);
      return { table: httpServer(id, server.url, kAsks), sent: () => sentTo(file), stop: server.stop };
    },
  },
  {
    name: 'by hand, TCP', id: 'lines', lacks: {},
    offers: {
      ...kOurOffers,
      cancel: (nonce) => ({ tool: 'slow', given: { text: nonce.text }, mark: nonce.text }),
      subscribe: (nonce) => ({ uri: `note://${nonce.text}`, tool: 'touch', touches: () => ({ text: `note://${nonce.text}` }) }),
    },
    start: async (id) => {
      const server = await startLineServer();
      return { table: httpServer(id, server.url, kAsks), sent: () => server.received.join('\n'), stop: server.stop };
    },
  },
];

/** The rules that permit what is tried of the servers, and leave out what `refused` names. */
export function rulesOf(servers) {
  const nonce = { text: 'x', number: 1 };
  const tools = servers.flatMap(({ id, offers }) =>
    Object.entries(offers).filter(([operation]) => operation !== 'refused').map(([, offer]) => offer(nonce))
      .flatMap(({ tool, asks }) => [tool, asks]).filter(Boolean).map((tool) => `${id}/${tool}`));
  const quoted = (values) => JSON.stringify([...new Set(values)]);
  return `
[rule.tools]
effect = "permit"
roles = ["tester"]
tools = ${quoted(tools)}
[rule.resources]
effect = "permit"
roles = ["tester"]
resources = ["*:**"]
[rule.prompts]
effect = "permit"
roles = ["tester"]
prompts = ["*/*"]
[rule.methods]
effect = "permit"
roles = ["tester"]
methods = ["*"]
`;
}
