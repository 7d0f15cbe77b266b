// `bartizan check --servers`: what servers have, held against a policy, without a gateway that runs.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';

import { kFixtures, kNode, runProgram, temporaryDirectory } from './harness.mjs';
import { httpServer, startDualServer, kFilesystem, kMemory, notesDirectory, recordedStdioServer, stdioServer } from './servers.mjs';

/** A configuration with these servers and tables, and the place of its record. */
function place(servers, tables) {
  const directory = temporaryDirectory();
  const record = join(directory, 'audit.jsonl');
  const config = join(directory, 'gateway.toml');
  writeFileSync(
    config,
    `version = 1
[auth]
mode = "none"
principal = "ann"
[principal.ann]
roles = ["analyst"]
[role.analyst]
trust = "verified"
[rule.read]
effect = "permit"
roles = ["analyst"]
tools = ["files/read_*"]
[audit]
file = "${record}"
${servers}
${tables}
`,
  );
  return { config, record };
}

/** A server that introduces itself, and closes its standard input before it does. */
const kDeaf = `const { closeSync, readSync } = require('node:fs');
const line = Buffer.alloc(65536);
const { id } = JSON.parse(line.subarray(0, readSync(0, line)));
closeSync(0);
const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'deaf', version: '1' } };
console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
setTimeout(() => {}, 1000);`;

const files = () => stdioServer('files', [kFilesystem, notesDirectory()]);

describe('bartizan check --servers', () => {
  it('finds nothing where profiles fit the tools', async () => {
    const { config, record } = place(
      files(),
      `[tool."files/read_text_file".schema]
properties = { path = { maxLength = 100 }, head = { maximum = 50 } }`,
    );
    const { code, stdout, stderr } = await runProgram('check', config, '--servers');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^server files: 14 tools, legacy$/m);
    assert.ok(!stderr.includes('names'), stderr);
    assert.ok(!existsSync(record), 'a check recorded something');
  });

  it('names pointers that no tool has, with their place', async () => {
    const { config } = place(
      files(),
      `[path.docs]
root = "/srv"
[tool."files/read_text_file".schema]
properties = { pth = { maxLength = 100 } }
[tool."files/read_text_file".arguments]
"/paths/*" = { path = "docs", optional = true }`,
    );
    const { code, stdout } = await runProgram('check', config, '--servers', '--json');
    assert.equal(code, 0);
    const said = JSON.parse(stdout);
    const messages = said.problems.map(({ message }) => message);
    assert.ok(
      messages.includes('the schema of "files/read_text_file" names "/pth", which the input schema of no such tool has'),
      stdout,
    );
    assert.ok(
      messages.includes('a predicate of "files/read_text_file" names "/paths/*", which the input schema of no such tool has'),
      stdout,
    );
    assert.ok(said.problems.every(({ where }) => /gateway\.toml:\d+:\d+$/.test(where)), stdout);
    assert.equal(said.servers[0].name, 'files');
    assert.deepEqual(said.servers[0].eras, ['legacy']);
    assert.ok(said.servers[0].tools.includes('read_text_file'));
    // Without being told to, it starts no server.
    const unasked = JSON.parse((await runProgram('check', config, '--json')).stdout);
    assert.ok(!unasked.problems.some(({ message }) => message.includes('/pth')));
    assert.equal(unasked.servers, undefined);
  });

  it('says which eras each server speaks', async (t) => {
    const tables = [];
    for (const eras of ['dual', 'legacy', 'modern']) {
      const server = await startDualServer({ eras });
      t.after(() => server.stop());
      tables.push(httpServer(eras, server.url));
    }
    const { config } = place(files() + tables.join(''), '');
    const { stdout, stderr } = await runProgram('check', config, '--servers');
    assert.match(stdout, /^server dual: \d+ tools, legacy and modern$/m, stderr);
    assert.match(stdout, /^server legacy: \d+ tools, legacy$/m);
    assert.match(stdout, /^server modern: \d+ tools, modern$/m);
  });

  it('tells of servers that say nothing, and still of the others', async () => {
    const { config } = place(
      `${files()}\n${stdioServer('memory', [kMemory])}\n[server.gone]\nurl = "http://127.0.0.1:9/mcp"`,
      '[tool."memory/no_such_tool"]\ntimeout = "5s"',
    );
    const { code, stdout, stderr } = await runProgram('check', config, '--servers');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /server "gone" did not list its tools: /);
    assert.match(stderr, /"memory\/no_such_tool" is not a tool of memory/);
    assert.match(stdout, /^server memory: 9 tools, legacy$/m);
  });

  it('tells what became of the list, not that the other era is not spoken, and leaves nothing behind', async () => {
    const list = join(temporaryDirectory(), 'list.json');
    writeFileSync(list, `[{"name":"deep","inputSchema":{"type":"object","not":${'{"not":'.repeat(100)}{}${'}'.repeat(100)}}}]`);
    const { config } = place(
      stdioServer('files', [join(kFixtures, 'listing_server.mjs'), '--tools', list])
        + stdioServer('dying', ['--eval', 'console.error("DATABASE_URL is not set"); process.exitCode = 3']),
      '',
    );
    const { code, stderr } = await runProgram('check', config, '--servers');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /server "files" did not list its tools: the server's message cannot be read: nested too deeply, at byte \d+/);
    assert.match(stderr, /server "dying" did not list its tools: the server ended before it introduced itself \(exit 3\); the last line of its standard error: DATABASE_URL is not set/);
    assert.ok(!stderr.includes('Sanitizer'), stderr);
  });

  it('survives servers that close their standard input, as do pin and scan', async () => {
    const pinned = place(stdioServer('files', ['--eval', kDeaf]), '[pins]\nfile = "bartizan.lock"').config;
    const { config } = place(stdioServer('files', ['--eval', kDeaf]), '');
    for (const [command, expected] of [
      [['check', config, '--servers'], 0],
      [['pin', pinned], 1],
      [['scan', config], 1],
      [['scan', '--run', '--', kNode, '--eval', kDeaf], 1],
    ]) {
      const { code, stderr } = await runProgram(...command);
      assert.equal(code, expected, `${command}: ${stderr}`);
      assert.match(stderr, /server "[\w-]+"(?: did not list its tools)?: the server ended/, `${command}`);
    }
  });

  it('names tools that would be quarantined, and starts servers once each', async () => {
    const directory = temporaryDirectory();
    const seen = join(directory, 'seen.jsonl');
    const server = join(directory, 'server.mjs');
    writeFileSync(
      server,
      `import { createInterface } from 'node:readline';
const tools = [
  { name: 'fine', inputSchema: { type: 'object' } },
  { name: 'looks', inputSchema: { type: 'object', properties: { a: { pattern: '(?=a)' } } } },
  { name: 'schemaless' },
  { name: '', inputSchema: { type: 'object' } },
  { name: 'remote', inputSchema: { type: 'object', $ref: 'http://127.0.0.1:9/schema.json' } },
];
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'initialize'
    ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
    : { tools };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
`,
    );
    const { config } = place(recordedStdioServer('files', seen, [server]), '');
    const { code, stderr } = await runProgram('check', config, '--servers');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /tool "files\/looks" is quarantined: inputSchema: untranslatable_pattern at \/properties\/a\/pattern/);
    assert.match(stderr, /untranslatable_patterns = "accept"/);
    assert.match(stderr, /tool "files\/remote" is quarantined: inputSchema: external_reference at \/\$ref/);
    assert.match(stderr, /tool "files\/schemaless" is quarantined: inputSchema is not of type object/);
    assert.ok(!stderr.includes('files/fine'), stderr);
    assert.ok(!stderr.includes('nobody can call any tool'), stderr);
    writeFileSync(config, readFileSync(config, 'utf8') + '[pins]\nmode = "locked"\nfile = "bartizan.lock"\n');
    writeFileSync(join(dirname(config), 'bartizan.lock'), '{"version": 1, "servers": {}}');
    const locked = await runProgram('check', config, '--servers');
    assert.equal(locked.code, 0, locked.stderr);
    assert.match(locked.stderr, /nobody can call any tool of server "files": all that it lists are quarantined/);
    writeFileSync(config, readFileSync(config, 'utf8').replace(/\[pins\][^]*$/, ''));
    const said = JSON.parse((await runProgram('check', config, '--servers', '--json')).stdout);
    assert.deepEqual(said.quarantined.map(({ server, tool }) => `${server}/${tool}`), ['files/(unnamed)', 'files/looks', 'files/remote', 'files/schemaless']);
    assert.deepEqual(said.quarantined.map(({ reason }) => reason), [
      'tool without a name',
      'inputSchema: untranslatable_pattern at /properties/a/pattern',
      'inputSchema: external_reference at /$ref',
      'inputSchema is not of type object',
    ]);
    // What one profile accepts by its name is quarantined no more.
    writeFileSync(config, readFileSync(config, 'utf8') + '[tool."files/looks"]\nuntranslatable_patterns = "accept"\n');
    const accepted = JSON.parse((await runProgram('check', config, '--servers', '--json')).stdout);
    assert.deepEqual(accepted.quarantined.map(({ tool }) => tool), ['(unnamed)', 'remote', 'schemaless']);
  });
});
