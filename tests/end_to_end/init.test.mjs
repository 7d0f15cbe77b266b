// `bartizan init`, and what it wrote used for real: the wrapped entries, and the gateway behind mcp-remote.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { textOf } from './assertions.mjs';
import { freePort, kNode, kProgram, runProgram, startConfigured } from './harness.mjs';
import { kFilesystem, kRemote, kRude, notesDirectory } from './servers.mjs';
import { stdioPlace } from './stdio_peer.mjs';

const kSecret = 'hunter2-hunter2';

function settingsIn(place) {
  const file = join(place.directory, 'settings.json');
  const servers = {
    Files: { command: kNode, args: [kFilesystem, notesDirectory()] },
    rude: { command: kNode, args: [kRude], env: { MODE: 'plain', RUDE_TOKEN: kSecret }, autoApprove: ['echo'] },
  };
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  return file;
}

/** Runs init in JSON; answers what it said. */
async function init(place, ...more) {
  const config = join(place.directory, 'gateway.toml');
  const { code, stdout, stderr } = await runProgram('init', settingsIn(place), '--output', config, '--json', ...more);
  assert.equal(code, 0, stderr);
  assert.ok(!(stdout + stderr).includes(kSecret), 'a secret was printed');
  return { config, said: JSON.parse(stdout) };
}

async function connect({ command, args, env = {} }, place) {
  const client = new Client({ name: 'desktop', version: '1' });
  const environment = { PATH: process.env.PATH, HOME: place.home, ...env };
  await client.connect(new StdioClientTransport({ command, args, env: environment, stderr: 'ignore' }));
  return client;
}

describe('what init writes', () => {
  it('passes check, is its owner\'s alone and holds no secret', async () => {
    const place = stdioPlace();
    const { config, said } = await init(place);
    const { code, stdout, stderr } = await runProgram('check', config);
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /ok, 2 servers/);
    assert.ok(!readFileSync(config, 'utf8').includes(kSecret));
    assert.equal(said.secrets.length, 1);
    assert.equal(said.secrets[0].pointer, '/mcpServers/rude/env/RUDE_TOKEN');
    assert.equal(readFileSync(said.secrets[0].file, 'utf8'), kSecret);
    for (const file of [config, said.secrets[0].file]) assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(said.notes.map(({ pointer }) => pointer), ['/mcpServers/rude/autoApprove', '/mcpServers/Files']);
  });

  it('is never written over, unless --force says so', async () => {
    const place = stdioPlace();
    const { config } = await init(place);
    const written = readFileSync(config, 'utf8');
    const again = await runProgram('init', settingsIn(place), '--output', config);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /exists already: --force replaces it/);
    assert.equal(readFileSync(config, 'utf8'), written);
    const beside = `${config}.new`;
    writeFileSync(beside, 'of somebody else');
    await init(place, '--force');
    assert.equal(readFileSync(beside, 'utf8'), 'of somebody else');
    assert.deepEqual(readdirSync(place.directory).filter((name) => name.startsWith('gateway.toml')), ['gateway.toml', 'gateway.toml.new']);
    assert.notEqual(readFileSync(config, 'utf8'), written, 'the key is another one');
  });

  it('says in text what it says in JSON', async () => {
    const place = stdioPlace();
    const config = join(place.directory, 'gateway.toml');
    const { code, stdout, stderr } = await runProgram('init', settingsIn(place), '--output', config);
    assert.equal(code, 0, stderr);
    const blocks = stdout.split(/^#.*\n/m).filter((block) => block.trim() !== '').map((block) => JSON.parse(block));
    assert.deepEqual(blocks.map(({ mcpServers }) => Object.keys(mcpServers)), [['bartizan'], ['Files', 'rude'], ['bartizan']]);
    assert.match(stderr, /copied \/mcpServers\/rude\/env\/RUDE_TOKEN to .*: remove it from /);
    assert.ok(!(stdout + stderr).includes(kSecret));
    assert.match(stdout, /^# Tool names now begin with their server's name: TOOL of files is files_TOOL\.$/m);
  });
});

describe('the entries that init shows', () => {
  it('wrap each program', async () => {
    const place = stdioPlace();
    const { said } = await init(place);
    const files = await connect(said.wrap.mcpServers.Files, place);
    assert.equal((await files.listTools()).tools.length, 14);
    await files.close();
    const rude = await connect(said.wrap.mcpServers.rude, place);
    const environment = JSON.parse(textOf(await rude.callTool({ name: 'environment', arguments: {} })));
    assert.deepEqual([environment.MODE, environment.RUDE_TOKEN], ['plain', kSecret]);
    await rude.close();
  });

  it('serve the configuration without a gateway that runs', async () => {
    const place = stdioPlace();
    const { said } = await init(place);
    const client = await connect(said.stdio.mcpServers.bartizan, place);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    assert.ok(names.includes('files_read_text_file') && names.includes('rude_echo'), names.join());
    await client.close();
  });

  it('reach the gateway that init configured', async (t) => {
    const place = stdioPlace();
    const { config, said } = await init(place);
    // The addresses are the defaults, which another story may hold.
    const [port, metricsPort] = [await freePort(), await freePort()];
    writeFileSync(config, `${readFileSync(config, 'utf8')}\n[listen]\naddress = "127.0.0.1:${port}"\n[metrics]\naddress = "127.0.0.1:${metricsPort}"\n`);
    const gateway = await startConfigured(config, { port, metricsPort });
    t.after(() => gateway.stop());
    const { command, args, env } = said.gateway.mcpServers.bartizan;
    assert.deepEqual([command, args[0], args[1]], ['npx', '-y', 'mcp-remote@0.15.1']);
    const its = args.slice(2).map((argument) => argument.replace('127.0.0.1:8080', `127.0.0.1:${port}`));
    const client = await connect({ command: kNode, args: [kRemote, ...its], env: { ...env, MCP_REMOTE_CONFIG_DIR: place.directory } }, place);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    assert.ok(names.includes('files_read_text_file') && names.includes('rude_echo'));
    const environment = JSON.parse(textOf(await client.callTool({ name: 'rude_environment', arguments: {} })));
    assert.equal(environment.RUDE_TOKEN, kSecret);
    await client.close();
  });
});

describe('init --write', () => {
  const clientEnv = (place) => ({ PATH: process.env.PATH, HOME: place.home });
  const run = (place, ...rest) => spawnSync(kProgram, ['init', ...rest], { cwd: place.directory, env: clientEnv(place), encoding: 'utf8' });
  const kOld = { type: 'ws', url: 'ws://127.0.0.1:1/mcp' };

  for (const [client, path, member, mark = ''] of [
    ['claude-desktop', '.config/Claude/claude_desktop_config.json', 'mcpServers'],
    ['claude-code', '.claude.json', 'mcpServers'],
    ['cursor', '.cursor/mcp.json', 'mcpServers', '\ufeff'],
    ['vscode', '.config/Code/User/mcp.json', 'servers'],
    ['windsurf', '.codeium/windsurf/mcp_config.json', 'mcpServers'],
  ]) {
    it(`wraps the programs of ${client}, and takes it back`, async () => {
      const place = stdioPlace();
      const file = join(place.home, path);
      mkdirSync(dirname(file), { recursive: true });
      const servers = {
        files: { command: kNode, args: [kFilesystem, notesDirectory()] },
        rude: { command: kNode, args: [kRude], env: { MODE: 'plain', RUDE_TOKEN: kSecret, PORT: 3000, KEY: '${input:key}' } },
        old: kOld,
      };
      // As people keep these files: a comment, a comma too much, and what belongs to the client alone.
      const text = `${mark}{\n  // Mine.\n  "theme": "dark",\n  ${JSON.stringify(member)}: ${JSON.stringify(servers, undefined, 2)},\n}\n`;
      writeFileSync(file, text, { mode: 0o600 });
      const written = run(place, '--write', '--client', client);
      assert.equal(written.status, 0, written.stderr);
      assert.match(written.stdout, /wrapped 2 servers in .*: files, rude/);
      assert.match(written.stderr, new RegExp(`/${member}/old stays as it is: it has a URL`));
      assert.ok(!(written.stdout + written.stderr).includes(kSecret));
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.equal(readFileSync(`${file}.before-bartizan`, 'utf8'), text);
      const now = readFileSync(file, 'utf8');
      assert.ok(now.includes('// Mine.') && now.startsWith(mark));
      const entries = JSON.parse(now.replace(mark, '').replace('// Mine.', '').replace(/,\n}\n$/, '}'))[member];
      assert.deepEqual(entries.old, kOld);

      // The client starts what stands there now: the same tools, the same environment.
      const files = await connect(entries.files, place);
      assert.equal((await files.listTools()).tools.length, 14);
      await files.close();
      const rude = await connect({ ...entries.rude, env: { ...entries.rude.env, PORT: '3000', KEY: 'filled in' } }, place);
      const environment = JSON.parse(textOf(await rude.callTool({ name: 'environment', arguments: {} })));
      assert.deepEqual([environment.MODE, environment.RUDE_TOKEN, environment.PORT, environment.KEY], ['plain', kSecret, '3000', 'filled in']);
      await rude.close();

      const again = run(place, '--write', '--client', client);
      assert.match(again.stdout, /no server of .* was wrapped; the file is unchanged/);
      assert.equal(readFileSync(file, 'utf8'), now);

      const undone = run(place, '--undo', '--client', client);
      assert.equal(undone.status, 0, undone.stderr);
      assert.equal(readFileSync(file, 'utf8'), text);
    });
  }

  it('changes nothing where it cannot keep a backup, or there is no such client', async () => {
    const place = stdioPlace();
    const missing = run(place, '--write', '--client', 'cursor');
    assert.equal(missing.status, 1);
    assert.match(missing.stderr, /Cursor has no settings at .*\.cursor\/mcp\.json: name the file/);
    const folder = join(place.directory, 'locked');
    mkdirSync(folder);
    const file = join(folder, 'mcp.json');
    writeFileSync(file, '{"mcpServers": {"a": {"command": "x"}}}');
    for (let number = 1; number <= 9; number += 1) writeFileSync(`${file}.before-bartizan${number > 1 ? `-${number}` : ''}`, '{}');
    const full = run(place, '--write', file);
    assert.equal(full.status, 1);
    assert.match(full.stderr, /9 backups .* already/);
    assert.equal(readFileSync(file, 'utf8'), '{"mcpServers": {"a": {"command": "x"}}}');
  });

  it('keeps a variable that the client fills in, in the entries that the client starts', async () => {
    const place = stdioPlace();
    const file = join(place.directory, 'settings.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { rude: { command: kNode, args: [kRude], env: { MODE: 'plain', KEY: '${input:key}' } } } }));
    const { status, stdout, stderr } = run(place, file, '--json');
    assert.equal(status, 0, stderr);
    const said = JSON.parse(stdout);
    assert.match(said.notes.find(({ pointer }) => pointer === '/mcpServers/rude/env/KEY').message, /set KEY in its environment/);
    for (const [entry, tool] of [[said.wrap.mcpServers.rude, 'environment'], [said.stdio.mcpServers.bartizan, 'rude_environment']]) {
      assert.equal(entry.env.KEY, '${input:key}');
      const client = await connect({ ...entry, env: { ...entry.env, KEY: 'filled in' } }, place);
      const environment = JSON.parse(textOf(await client.callTool({ name: tool, arguments: {} })));
      assert.deepEqual([environment.MODE, environment.KEY], ['plain', 'filled in']);
      await client.close();
    }
  });

  it('leaves an entry out of a configuration that none can hold, and keeps the others', async () => {
    const place = stdioPlace();
    const file = join(place.directory, 'settings.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { old: { type: 'http', url: 'gopher://h/' }, files: { command: kNode, args: [kFilesystem, place.directory], env: { PORT: 3000 } } } }));
    const { status, stderr } = run(place, file);
    assert.equal(status, 0, stderr);
    assert.match(stderr, /\/mcpServers\/old: .*: the server is left out/);
    const config = readFileSync(join(place.directory, 'gateway.toml'), 'utf8');
    assert.match(config, /\[server\.files\]/);
    assert.match(config, /"PORT" = "3000"/);
    assert.doesNotMatch(config, /gopher/);
  });
});
