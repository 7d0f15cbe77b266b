// What the stories of the systems that the gateway was asked for share: their configuration as the manual
// has it, clients that take the next line for the answer, and one line piped through a program.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { freePort, kFixtures, kProgram, kTestsDirectory, runProgram, startConfigured } from './harness.mjs';
import { kNoOrdinary } from './ordinary.mjs';
import { stdioPlace } from './stdio_peer.mjs';

export const kSeeds = join(kFixtures, 'seeds');
const kPage = resolve(kTestsDirectory, '..', 'docs', 'other-protocols.md');

/** The configuration below that heading of docs/other-protocols.md. */
export function configurationOf(heading) {
  const section = readFileSync(kPage, 'utf8').split(`\n## ${heading}\n`)[1];
  const found = /```toml\n([\s\S]*?)```/.exec(section ?? '');
  if (!found) throw new Error(`docs/other-protocols.md has no configuration below "${heading}"`);
  return found[1];
}

/** The text with each piece replaced. Fails where one is not there, so that page and story stay in step. */
export function replaced(text, pieces) {
  let changed = text;
  for (const [old, fresh] of pieces) {
    assert.ok(changed.includes(old), `the configuration of the page has no ${old}`);
    changed = changed.replaceAll(old, fresh);
  }
  return changed;
}

/** Who the server of a sandbox runs as: where the gateway is not root, it is the gateway's account. */
export const userLine = (user) => (user && process.getuid() === 0 ? `user = "${user}"` : '');

/** A folder with that configuration in it. `files` are names and contents of more. */
export function writeConfiguration(body, files = {}) {
  const place = stdioPlace();
  const config = join(place.directory, 'gateway.toml');
  writeFileSync(config, body.startsWith('version = 1') ? body : `version = 1\n${body}`);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place.directory, name), text, { mode: 0o600 });
  const auditFile = join(place.directory, 'audit.jsonl');
  return {
    place,
    config,
    auditFile,
    records: () => (existsSync(auditFile) ? readFileSync(auditFile, 'utf8') : '').split('\n').filter(Boolean).map((line) => JSON.parse(line)),
  };
}

/** Approves what the servers of a configuration are and list, as `bartizan pin` does. */
export async function pin({ config }) {
  const { code, stdout, stderr } = await runProgram('pin', config);
  assert.equal(code, 0, stdout + stderr);
  return readFileSync(join(dirname(config), 'bartizan.lock'), 'utf8');
}

/** Why servers cannot be confined here, or false. */
export async function noSandbox() {
  if (kNoOrdinary) return kNoOrdinary;
  const lines = `audit.file = "a"\n[server.tried]\ncommand = ["/bin/true"]\n[server.tried.sandbox]\nlevel = "process"\n${userLine('nobody')}\nread = ["/usr", "/bin", "/lib"]\n`;
  const { stdout, stderr } = await runProgram('check', writeConfiguration(lines).config);
  return /docs\/local-servers\.md|Landlock/.test(stdout + stderr) && 'this machine has no such sandbox';
}

/** Starts `bartizan run` on a configuration that has been written. */
export async function startWritten({ config }, environment = {}) {
  const [port, metricsPort] = [await freePort(), await freePort()];
  writeFileSync(config, `${readFileSync(config, 'utf8')}\n[listen]\naddress = "127.0.0.1:${port}"\n[metrics]\naddress = "127.0.0.1:${metricsPort}"\n`);
  return startConfigured(config, { port, metricsPort, environment, record: 'audit.jsonl' });
}

/** One line of a shell, as a document has it, with `"$bartizan"` for the program: `{ code, answers, log }`. */
export function shell(line, variables = {}, environment = {}) {
  const env = { PATH: process.env.PATH, HOME: stdioPlace().home, bartizan: kProgram, ...variables, ...environment };
  return new Promise((done) => {
    execFile('sh', ['-c', line], { env, timeout: 60_000, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      const answers = stdout.split('\n').filter(Boolean).map((text) => JSON.parse(text));
      done({ code: error ? error.code : 0, answers, log: stderr });
    });
  });
}

/** `nc` of OpenBSD, or socat: what is piped into it is sent, the answers are printed, and it ends. */
export const netcat = (port) => (hasNetcat() ? `nc -N localhost ${port}` : `socat -t 20 - TCP:localhost:${port}`);

function hasNetcat() {
  try {
    return / -N\b/.test(execFileSync('sh', ['-c', 'nc -h 2>&1'], { encoding: 'utf8' }));
  } catch {
    return false;
  }
}

/**
 * A client that writes a line and takes the next one for the answer, whatever it is: BufferedReader's
 * readLine(). It looks at no id.
 */
export class NextLineClient {
  #lines = [];
  #waiting = [];
  #rest = '';

  constructor(command, given, { place = stdioPlace(), environment = {} } = {}) {
    this.process = spawn(command, given, { cwd: place.directory, env: { PATH: process.env.PATH, HOME: place.home, ...environment }, stdio: ['pipe', 'pipe', 'pipe'] });
    this.errors = '';
    this.process.stderr.setEncoding('utf8').on('data', (text) => (this.errors += text));
    this.process.stdin.on('error', () => {});
    this.process.stdout.setEncoding('utf8').on('data', (text) => this.#take(text));
    this.exited = new Promise((done) => this.process.on('close', (code, signal) => done({ code, signal })));
    process.on('exit', () => this.process.kill('SIGKILL'));
  }

  #take(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) (this.#waiting.shift() ?? ((one) => this.#lines.push(one)))(line);
  }

  /** Lines that came and were asked for by nobody. */
  get unread() {
    return this.#lines.length;
  }

  readLine() {
    if (this.#lines.length > 0) return Promise.resolve(this.#lines.shift());
    return new Promise((done, failed) => {
      this.#waiting.push(done);
      void this.exited.then(() => failed(new Error(`no line; the program ended:\n${this.errors}`)));
    });
  }

  /** Writes one message and takes the next line. */
  async ask(message) {
    this.write(message);
    return JSON.parse(await this.readLine());
  }

  write(message) {
    this.process.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  }

  /** `writer.close(); reader.close(); process.destroy()`, the last only where it has not ended itself. */
  async close() {
    this.process.stdin.end();
    const timer = setTimeout(() => this.process.kill('SIGKILL'), 20_000);
    const status = await this.exited;
    clearTimeout(timer);
    assert.doesNotMatch(this.errors, /AddressSanitizer|LeakSanitizer|runtime error:/);
    return status;
  }
}
