// What the README says, block by block, as somebody does it who has installed the program and `npx`.
import assert from 'node:assert/strict';
import { spawn, execFile } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, it } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { eventually, textOf } from './assertions.mjs';
import { freePort, kNode, kProgram, kTestsDirectory, temporaryDirectory } from './harness.mjs';
import { kFilesystem } from './servers.mjs';

const kPage = readFileSync(join(kTestsDirectory, '..', 'README.md'), 'utf8');
const blocks = (language) => [...kPage.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, text]) => text);
const kCommands = blocks('console').flatMap((block) => [...block.matchAll(/^\$ (.+)$/gm)].map(([, command]) => command));
const kPackage = '@modelcontextprotocol/server-filesystem';

/** A `PATH` with the program, and an `npx` that runs the installed package in place of fetching it. */
function makePath() {
  const folder = temporaryDirectory();
  symlinkSync(kProgram, join(folder, 'bartizan'));
  const npx = join(folder, 'npx');
  writeFileSync(npx, `#!/bin/sh\n[ "$1 $2" = "-y ${kPackage}" ] || exit 7\nshift 2\nexec ${kNode} ${kFilesystem} "$@"\n`);
  chmodSync(npx, 0o755);
  return [folder, dirname(kNode), process.env.PATH].join(delimiter);
}

const environment = (home) => ({ ...process.env, HOME: home, XDG_STATE_HOME: join(home, '.state'), PATH: makePath() });

function run(command, options) {
  const [program, ...given] = command.split(' ');
  return new Promise((done) => {
    execFile(program, given, options, (error, stdout, stderr) => done({ code: error?.code ?? 0, stdout, stderr }));
  });
}

/** The first protected call, and the seconds until then. */
async function firstCall(t, what, connect, name, path) {
  const began = performance.now();
  const client = new Client({ name: 'newcomer', version: '1.0.0' });
  await client.connect(await connect());
  t.after(() => client.close());
  const answer = await client.callTool({ name, arguments: { path } });
  t.diagnostic(`${what}: ${((performance.now() - began) / 1000).toFixed(1)} s to the first protected call`);
  assert.match(textOf(answer), /Notes/);
  return client;
}

describe('the README', () => {
  it('protects one server of a desktop client', async (t) => {
    const [before, after] = blocks('json').map((text) => JSON.parse(`{${text}}`).files);
    assert.deepEqual([after.command, after.args.slice(0, 2)], ['bartizan', ['wrap', before.command]]);
    assert.deepEqual(after.args.slice(2), before.args);
    const home = temporaryDirectory();
    const data = join(home, 'data');
    mkdirSync(data);
    writeFileSync(join(data, 'notes.md'), '# Notes\n');
    const args = after.args.map((word) => (word === '/srv/data' ? data : word));
    const connect = () => new StdioClientTransport({ command: after.command, args, env: environment(home), stderr: 'ignore' });
    const client = await firstCall(t, 'wrap', connect, 'read_text_file', join(data, 'notes.md'));
    const outside = await client.callTool({ name: 'read_text_file', arguments: { path: '/etc/passwd' } });
    assert.equal(outside.isError, true);
  });

  it('runs a gateway with a policy', async (t) => {
    const home = temporaryDirectory();
    const options = { cwd: home, env: environment(home) };
    const [init, start] = kCommands.filter((command) => / init --example | run /.test(command));
    const made = await run(init, options);
    assert.equal(made.code, 0, made.stderr);
    const key = made.stdout.trim();
    assert.match(key, /^btz_\S+$/);
    // The addresses of the page may be taken on this machine.
    const [port, metrics] = [await freePort(), await freePort()];
    const file = join(home, 'demo', 'bartizan.toml');
    appendFileSync(file, `[listen]\naddress = "127.0.0.1:${port}"\n[metrics]\naddress = "127.0.0.1:${metrics}"\n`);
    const checked = await run('bartizan check demo/bartizan.toml', options);
    assert.equal(checked.code, 0, checked.stderr);
    const [program, ...given] = start.split(' ');
    const gateway = spawn(program, given, { ...options, stdio: 'ignore' });
    t.after(() => gateway.kill('SIGKILL'));
    await eventually(async () => (await fetch(`http://127.0.0.1:${metrics}/readyz`).catch(() => ({}))).status === 200, 'the gateway is ready', 20_000);
    const connect = () =>
      new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit: { headers: { authorization: `Bearer ${key}` } } });
    const client = await firstCall(t, 'gateway', connect, 'files_read_text_file', join(home, 'demo', 'data', 'notes.md'));
    // What the page says is refused.
    for (const [name, given, reason] of [
      ['files_read_text_file', { path: join(home, 'demo', 'bartizan.toml') }, 'path_outside_root'],
      ['files_read_text_file', { path: join(home, 'demo', 'data', 'notes.md'), verbose: 'x' }, 'argument_unguarded'],
      ['files_write_file', { path: join(home, 'demo', 'data', 'new.md'), content: 'x' }, 'no_matching_rule'],
    ]) {
      const refused = await client.callTool({ name, arguments: given }).catch((error) => error);
      assert.match(JSON.stringify(refused.data ?? refused), new RegExp(reason), name);
    }
    for (const command of kCommands.filter((one) => one.startsWith('bartizan audit'))) {
      const { code, stdout, stderr } = await run(command, options);
      assert.equal(code, 0, `${command}: ${stderr}`);
      assert.match(stdout, /no_matching_rule/, command);
    }
    assert.match((await run(init, options)).stderr, /demo: File exists/);
  });

  it('names commands that exist, and no other', async () => {
    const own = kCommands.filter((command) => command.startsWith('bartizan '));
    assert.ok(own.length >= 4, own.join('\n'));
    for (const [, name] of kPage.matchAll(/`bartizan ([a-z-]+)/g)) {
      assert.equal((await run(`${kProgram} ${name} --help`, {})).code, 0, name);
    }
  });
});
