// A client by hand in front of a program that speaks MCP over standard input and output: every byte of
// the program's output is kept and must be a line that is one JSON text.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { kProgram, temporaryDirectory } from './harness.mjs';
import { Peer } from './peer.mjs';

export { kHello } from './peer.mjs';

const kEndTimeoutMs = 20_000;
const kSanitizerReport = /AddressSanitizer|LeakSanitizer|runtime error:/;

/** A directory for one process: its home, its state, its record. */
export function stdioPlace() {
  const directory = temporaryDirectory();
  const home = join(directory, 'home');
  mkdirSync(home);
  return { directory, home, state: join(home, '.local', 'state', 'bartizan') };
}

/** What a desktop client starts: `bartizan ARGUMENTS…` with an environment of its own. */
export class StdioPeer extends Peer {
  constructor(programArguments, { place = stdioPlace(), input = 'pipe', output = 'pipe', environment = {} } = {}) {
    super();
    this.place = place;
    this.logFile = join(place.directory, `peer-${Math.random().toString(36).slice(2)}.log`);
    const log = openSync(this.logFile, 'a');
    this.process = spawn(kProgram, programArguments, {
      cwd: place.directory,
      env: { PATH: process.env.PATH, HOME: place.home, ...environment },
      stdio: [input, output, log],
    });
    closeSync(log);
    this.rest = '';
    this.problem = undefined;
    // Every byte is kept in mind: what is no line with one JSON text fails the story.
    this.process.stdout?.setEncoding('utf8').on('data', (text) => this.take(text));
    this.process.stdin?.on('error', () => {});
    this.exited = new Promise((done) => {
      // `close` comes when the pipes are read to their end, so nothing of the output is missing.
      this.process.on('close', (code, signal) => done({ code, signal }));
    });
    process.on('exit', () => this.process.kill('SIGKILL'));
  }

  log() {
    return readFileSync(this.logFile, 'utf8');
  }

  take(text) {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop();
    for (const line of lines) {
      try {
        this.received.push(JSON.parse(line));
      } catch {
        this.problem ??= new Error(`standard output has a line that is not a message: ${line.slice(0, 200)}`);
      }
    }
  }

  /** The messages so far. Fails on any byte of the output that is no part of one. */
  messages() {
    if (this.problem) throw this.problem;
    return this.received;
  }

  write(text) {
    this.process.stdin.write(text);
  }

  send(message) {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Ends the input and waits for the end of the process. Fails unless it ends with `code`. */
  async end(code = 0) {
    this.process.stdin?.end();
    return this.ended(code);
  }

  async ended(code = 0) {
    const timer = setTimeout(() => this.process.kill('SIGKILL'), kEndTimeoutMs);
    const status = await this.exited;
    clearTimeout(timer);
    const log = this.log();
    const found = kSanitizerReport.exec(log);
    if (found) throw new Error(`a sanitizer spoke:\n${log.slice(found.index, found.index + 4000)}`);
    if (status.code !== code) throw new Error(`ended with ${JSON.stringify(status)}, not ${code}:\n${log}`);
    if (this.rest !== '') throw new Error('the output ends within a line');
    return this.messages();
  }
}
