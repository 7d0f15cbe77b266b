// The client of `make run`: the official SDK as "ann", making calls that the policy allows, calls that
// it refuses, and one that waits for a person. `--approve` approves that one with the command that is
// printed; `--wait` makes it again and again until somebody else has. Every figure that it prints was measured or counted in this run. Exit code: 0 when
// each call ended as the demo's policy says and the record's chain is whole.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const names = ['program', 'gateway-pid', 'log', 'url', 'metrics', 'data', 'record', 'config', 'approver-key'];
const flags = ['approve', 'wait'];
const options = Object.fromEntries([...names.map((name) => [name, { type: 'string' }]), ...flags.map((name) => [name, { type: 'boolean' }])]);
const { values: given } = parseArgs({ options });

// The packages are installed for the tests, not beside this file.
const tests = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..', 'tests');
const require = createRequire(join(tests, 'package.json'));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = await load('@modelcontextprotocol/sdk/client/streamableHttp.js');

const kReadyTimeoutMs = 30_000;
const identity = { name: 'bartizan-demo', version: '1.0.0' };
const surprises = [];

function fail(why) {
  console.error(`demo: FAILED: ${why}\n${readFileSync(given.log, 'utf8').split('\n').slice(-20).join('\n')}`);
  process.exit(1);
}

function gatewayRuns() {
  try {
    return process.kill(Number(given['gateway-pid']), 0);
  } catch {
    return false;
  }
}

async function waitUntilReady() {
  const deadline = Date.now() + kReadyTimeoutMs;
  while (Date.now() < deadline) {
    if (!gatewayRuns()) fail('the gateway ended; its last lines:');
    const status = await fetch(`${given.metrics}/readyz`).then((answer) => answer.status, () => 0);
    if (status === 200) return;
    await delay(50);
  }
  fail('the gateway is not ready; its last lines:');
}

async function connect(transport) {
  const client = new Client(identity);
  await client.connect(transport);
  return client;
}

async function countTools(client) {
  let count = 0;
  let cursor;
  do {
    const page = await client.listTools(cursor ? { cursor } : {});
    count += page.tools.length;
    cursor = page.nextCursor;
  } while (cursor);
  return count;
}

/** What the server itself would show, asked past the gateway. */
async function countToolsDirectly() {
  const server = join(tests, 'node_modules', '@modelcontextprotocol', 'server-filesystem', 'dist', 'index.js');
  const parameters = { command: process.execPath, args: [server, given.data], stderr: 'ignore' };
  const client = await connect(new StdioClientTransport(parameters));
  const count = await countTools(client);
  await client.close();
  return count;
}

/** The rule that permitted the newest call of this tool: an answer does not say it, the record does. */
function permittingRule(tool) {
  const records = readFileSync(given.record, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
  return records.findLast((record) => record.kind === 'decision' && record.target?.endsWith(tool))?.rule ?? '?';
}

function show(call, verdict, why, figure) {
  console.log(`  ${call.padEnd(34)}${verdict.padEnd(8)}${why.padEnd(22)}${figure}`);
}

/** Calls a tool and prints how it ended: `{ permitted, reason, rule, id }`. */
async function call(client, tool, givenArguments, shown) {
  const label = `${tool} ${shown}`;
  const began = performance.now();
  try {
    await client.callTool({ name: `files_${tool}`, arguments: givenArguments });
    const milliseconds = performance.now() - began;
    const rule = permittingRule(tool);
    show(label, 'PERMIT', rule, `${milliseconds.toFixed(1)} ms`);
    return { permitted: true, rule };
  } catch (error) {
    const { reason, decision_id: id, policy_rule: rule, approval_id: approval } = error.data ?? {};
    if (!reason) throw error;
    if (!given.wait) show(label, approval ? 'WAITS' : 'DENY', rule ?? reason, `id ${approval ?? id}`);
    return { permitted: false, reason, rule, id, approval };
  }
}

function expect(what, isSo) {
  if (!isSo) surprises.push(what);
}

async function makeCalls(client) {
  const [shown, all] = [await countTools(client), await countToolsDirectly()];
  console.log(`  ${'tools/list'.padEnd(34)}${shown} of ${all} shown`);
  expect('some tools are shown and some are not', shown > 0 && shown < all);

  const read = await call(client, 'read_text_file', { path: 'notes.md' }, 'notes.md');
  expect('notes.md can be read', read.permitted);
  const escape = await call(client, 'read_text_file', { path: '../../etc/passwd' }, '../../etc/passwd');
  expect('a path outside the root is refused for that', escape.reason === 'path_outside_root');
  const move = await call(client, 'move_file', { source: 'notes.md', destination: 'gone.md' }, 'notes.md');
  expect('moving is refused', move.permitted === false);
  const write = await call(client, ...kWrite);
  expect('writing waits for a person', write.reason === 'needs_approval' && write.approval);
  return { refused: escape.id, approval: write.approval };
}

/** The write that its owner has to approve. */
const kWrite = ['write_file', { path: 'diary.md', content: 'Remembered the milk.\n' }, 'diary.md'];

function approvalCommand(id) {
  return `BARTIZAN_KEY="$(cat ${given['approver-key']})" ${given.program} approvals approve ${given.config} ${id}`;
}

/** Approves with the printed command, and makes the call again. */
async function approveAndRepeat(client, id) {
  const command = [given.program, ['approvals', 'approve', given.config, id, '--yes', '--why', 'the demo']];
  execFileSync(...command, { env: { ...process.env, BARTIZAN_KEY: readFileSync(given['approver-key'], 'utf8').trim() } });
  const again = await call(client, ...kWrite);
  expect('the write passes once it is approved', again.permitted);
}

/** Makes the write again and again, until somebody has approved or denied it. */
async function waitForApproval(client) {
  for (;;) {
    await delay(2000);
    const { permitted, reason } = await call(client, ...kWrite);
    if (permitted || reason !== 'needs_approval') return;
  }
}

/** The program's own verdict on what was just recorded; it exits with 1 when the chain is broken. */
function verifyRecord() {
  try {
    return JSON.parse(execFileSync(given.program, ['audit', 'verify', '--json', given.record], { encoding: 'utf8' }));
  } catch (error) {
    return JSON.parse(error.stdout);
  }
}

await waitUntilReady();
const headers = { Authorization: `Bearer ${process.env.BARTIZAN_KEY}` };
const transport = new StreamableHTTPClientTransport(new URL(given.url), { requestInit: { headers } });
const client = await connect(transport);
if (given.wait) {
  await waitForApproval(client).catch(() => {});
  await client.close();
  process.exit(0);
}
console.log('[4/4] @modelcontextprotocol/sdk as "ann" (analyst) → server-filesystem');
const { refused, approval } = await makeCalls(client);
if (given.approve && approval) await approveAndRepeat(client, approval);
await transport.terminateSession();
await client.close();

const { intact, records } = verifyRecord();
expect('the chain of the record is whole', intact);
console.log(`record    ${given.record}  ${records} records, chain ${intact ? 'ok' : 'BROKEN'}   (${given.program} audit verify ${given.record})`);
console.log(`why?      ${given.program} audit show ${refused}`);
console.log(`policy    ${given.config}`);
if (!given.approve) console.log(`approve   ${approvalCommand(approval)}`);
for (const surprise of surprises) console.error(`demo: FAILED: expected that ${surprise}`);
process.exit(surprises.length === 0 ? 0 : 1);
