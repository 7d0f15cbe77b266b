// The MCP servers of the stories. Each is a TOML table for the gateway; HTTP ones are running programs.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

import { kFixtures, kNode, kTestsDirectory, temporaryDirectory, tomlArray } from './harness.mjs';

const kStartTimeoutMs = 20_000;

function installed(name, file = 'dist/index.js') {
  return join(kTestsDirectory, 'node_modules', ...name.split('/'), ...file.split('/'));
}

function preload(name) {
  return pathToFileURL(join(kFixtures, name)).href;
}

export const kEverything = installed('@modelcontextprotocol/server-everything');
export const kFilesystem = installed('@modelcontextprotocol/server-filesystem');
export const kMemory = installed('@modelcontextprotocol/server-memory');
export const kRemote = installed('mcp-remote', 'dist/proxy.js');
export const kDual = join(kFixtures, 'dual_server.mjs');
export const kPlain = join(kFixtures, 'plain_stdio_server.mjs');
export const kQuery = join(kFixtures, 'query_server.mjs');
export const kRude = join(kFixtures, 'rude_stdio_server.mjs');
export const kResources = join(kFixtures, 'resource_server.mjs');

/** `[server.NAME]` for a child process; `more` are further keys. */
export function stdioServer(name, commandArguments, more = '') {
  return `[server.${name}]\ncommand = ${tomlArray([kNode, ...commandArguments])}\n${more}\n`;
}

/** The same, with everything that the child is sent written to `recordFile`. */
export function recordedStdioServer(name, recordFile, commandArguments, more = '') {
  return stdioServer(name, [join(kFixtures, 'tee_stdio.mjs'), recordFile, kNode, ...commandArguments], more);
}

/** `[server.NAME]` for a server at a URL. */
export function httpServer(name, url, more = '') {
  return `[server.${name}]\nurl = ${JSON.stringify(url)}\n${more}\n`;
}

/** A directory for server-filesystem with one note in it. */
export function notesDirectory() {
  const root = join(temporaryDirectory(), 'notes');
  mkdirSync(root);
  writeFileSync(join(root, 'notes.md'), 'remember the milk\n');
  return root;
}

/** Starts a program of the runtime that prints its URL; answers `{ url, stop }`. */
export function startHttpServer(nodeArguments, environment = {}) {
  return startServer(kNode, ['--import', preload('end_with_stdin.mjs'), ...nodeArguments], environment);
}

/** Starts any program that prints its URL, and that ends with its standard input. */
export async function startServer(command, commandArguments, environment = {}) {
  const child = spawn(command, commandArguments, {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const stop = () => child.kill('SIGKILL');
  process.on('exit', stop);
  const url = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no URL from ${commandArguments.join(' ')}`)), kStartTimeoutMs);
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /^listening on ((?:http|ws|tcp|unix):\S+)$/.exec(line);
      if (!found) return;
      clearTimeout(timer);
      resolve(found[1]);
    });
    child.on('exit', (code) => reject(new Error(`${commandArguments.join(' ')} ended with ${code}`)));
  });
  child.removeAllListeners('exit');
  return { url, stop };
}

export function startDualServer({ record = '', eras = 'dual' } = {}) {
  return startHttpServer([kDual, '--port', '0', '--record', record, '--eras', eras]);
}

/** The dual-era server over TCP, a Unix socket or WebSocket: `{ url, stop }`. */
export function startWireServer(wire, { place = '0', eras = 'dual', headers = '' } = {}) {
  return startHttpServer([join(kFixtures, 'wire_server.mjs'), '--wire', wire, '--place', String(place), '--eras', eras, '--headers', headers]);
}

/** The official server of 2024-11-05's transport; its URL is that of the event stream. */
export async function startEverythingSse(port = 0) {
  const server = await startHttpServer(['--import', preload('loopback_only.mjs'), kEverything, 'sse'], { PORT: String(port) });
  return { ...server, url: server.url.replace(/mcp$/, 'sse') };
}

export function startEverythingHttp(port = 0) {
  const program = [kEverything, 'streamableHttp'];
  return startHttpServer(['--import', preload('loopback_only.mjs'), ...program], { PORT: String(port) });
}
