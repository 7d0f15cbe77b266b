// Starts a gateway for one story, waits until it is ready, stops it, and reads what it recorded.
//
// BARTIZAN_BIN names the program (default: build/dev/bin/bartizan). The configuration that a story
// writes is what an operator would write; only addresses, limits and the record come from here.
import { execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, fstatSync, mkdirSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

// Each program of a story is ended with the story, by a listener of its own.
process.setMaxListeners(0);

const here = dirname(fileURLToPath(import.meta.url));
export const kTestsDirectory = resolve(here, '..');
export const kFixtures = join(here, 'fixtures');
export const kNode = process.execPath;
export const kProgram = resolve(
  process.env.BARTIZAN_BIN ?? join(kTestsDirectory, '..', 'build', 'dev', 'bin', 'bartizan'),
);
// As tests/run_tests.sh has it, for a story that is run by itself.
process.env.ASAN_OPTIONS ??= 'malloc_context_size=3';
export const kCorpora = resolve(process.env.BARTIZAN_CORPORA ?? join(kTestsDirectory, '..', '..', 'shared', 'data'));

const kReadyTimeoutMs = 30_000;
const kStopTimeoutMs = 20_000;
// What AddressSanitizer and UndefinedBehaviorSanitizer begin their reports with.
const kSanitizerReport = /AddressSanitizer|LeakSanitizer|runtime error:/;

/** Without API keys everyone is `tester`, who has that trust and these permissions. */
export function testerAuth({ trust = 'untrusted', permissions = [] } = {}) {
  return `
[auth]
mode = "none"
principal = "tester"
[principal.tester]
roles = ["tester"]
[role.tester]
trust = "${trust}"
permissions = ${JSON.stringify(permissions)}
`;
}

// The shipped limits are for people; a story that is not about limits must not meet them.
const kWideLimits = `
[session]
max_concurrent = 1000
[limit.everyone]
per = []
rate = ["100000/s"]
[limit.user]
per = ["principal"]
rate = ["100000/s"]
[limit.tool]
per = ["principal", "tool"]
rate = ["100000/s"]
`;

// Ports below those that the kernel gives to outgoing connections, in parts. A story that runs holds
// the last port of a part, which makes the part its own: between the moment a port is found free and
// the gateway's listening nobody else takes it.
const kPortsBegin = 10_240;
const kPortsOfPart = 80;
const kParts = 280;
let portsAsked = 0;
let part;

/** Listens on a port, and answers the listener; nothing where the port is taken. */
function listenOn(port) {
  const listener = createServer();
  return new Promise((done) => {
    listener.once('error', () => done(undefined));
    listener.listen(port, '127.0.0.1', () => done(listener.unref()));
  });
}

async function takePart() {
  for (let tries = 0; tries < kParts; tries += 1) {
    const begin = kPortsBegin + ((process.pid + tries) % kParts) * kPortsOfPart;
    const holder = await listenOn(begin + kPortsOfPart - 1);
    if (holder) return { begin, holder };
  }
  throw new Error('no part of the ports is free');
}

/** A port of 127.0.0.1 on which nobody listens. */
export async function freePort() {
  part ??= takePart();
  const { begin } = await part;
  for (let tries = 1; tries < kPortsOfPart; tries += 1) {
    const port = begin + (portsAsked % (kPortsOfPart - 1));
    portsAsked += 1;
    const listener = await listenOn(port);
    if (!listener) continue;
    await new Promise((done) => listener.close(done));
    return port;
  }
  throw new Error(`no port is free from ${begin} on`);
}

/** A fresh directory that is removed when the process of this story ends. */
export function temporaryDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'bartizan-'));
  if (!process.env.BARTIZAN_KEEP) process.on('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A TOML array of strings: JSON writes the same escapes. */
export function tomlArray(values) {
  return `[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
}

/** The records in a spool, older ones that were written over in part among them. */
function readSpool(file) {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  const lines = text.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
  return lines.flatMap((line) => {
    try {
      return [{ ...JSON.parse(line), line }];
    } catch {
      return [];
    }
  });
}

/** A file's text from that byte on. */
function readFrom(file, begin) {
  const handle = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(fstatSync(handle).size - begin, 0));
    return bytes.toString('utf8', 0, readSync(handle, bytes, 0, bytes.length, begin));
  } finally {
    closeSync(handle);
  }
}

function requireProgram() {
  if (existsSync(kProgram)) return;
  throw new Error(`no gateway at ${kProgram}: build it (cmake --workflow --preset dev) or set BARTIZAN_BIN`);
}

async function isReady(metricsUrl) {
  try {
    const answer = await fetch(`${metricsUrl}/readyz`, { signal: AbortSignal.timeout(1000) });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}

/** A running gateway. `url` is the MCP endpoint, `metricsUrl` has no path. */
export class Gateway {
  #exited;

  constructor(place) {
    Object.assign(this, place);
    const child = this.process;
    this.#exited = new Promise((done) => child.on('exit', (code, signal) => done({ code, signal })));
    // A story that fails before it stops its gateway must not leave it behind, nor wait for it until
    // its time is over.
    process.on('exit', () => child.kill('SIGKILL'));
    child.unref();
  }

  /** How it ended, once it has. */
  get exited() {
    this.process.ref();
    return this.#exited;
  }

  log() {
    return readFileSync(this.logFile, 'utf8');
  }

  /** Fails when a sanitizer of the development build has found something. */
  checkLog() {
    const log = this.log();
    const found = kSanitizerReport.exec(log);
    if (found) throw new Error(`a sanitizer spoke:\n${log.slice(found.index, found.index + 4000)}`);
  }

  /** What /readyz says: `{ status, body }`, the body as an object. */
  async readiness() {
    const answer = await fetch(`${this.metricsUrl}/readyz`);
    return { status: answer.status, body: await answer.json() };
  }

  /** The text of /metrics. */
  async metrics() {
    return (await fetch(`${this.metricsUrl}/metrics`)).text();
  }

  /**
   * The records so far, each with its `line` as it stands in the file, or in its spool before that. Who
   * asks often hands over what it `kept`, an object that begins empty, and reads only what is new.
   */
  records(kept = {}) {
    if (!existsSync(this.auditFile)) return [];
    // First, since what is there may be in the file a moment later.
    const spooled = readSpool(`${this.auditFile}.spool`);
    kept.records ??= [];
    kept.bytes ??= 0;
    const text = readFrom(this.auditFile, kept.bytes);
    // A line that is just being written has no end yet.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    kept.bytes += Buffer.byteLength(whole);
    kept.records.push(...whole.split('\n').filter(Boolean).map((line) => ({ ...JSON.parse(line), line })));
    const records = [...kept.records];
    for (const record of spooled) {
      const last = records.at(-1);
      if (last && record.seq === last.seq + 1 && record.prev === last.hash) records.push(record);
    }
    return records;
  }

  /** Whether /readyz says so; a gateway that drains is not ready. */
  isReady() {
    return isReady(this.metricsUrl);
  }

  async ready() {
    const deadline = Date.now() + kReadyTimeoutMs;
    let ended;
    void this.#exited.then((status) => (ended = status));
    while (!(await this.isReady())) {
      if (ended) throw new Error(`the gateway ended (${JSON.stringify(ended)}) before it was ready:\n${this.log()}`);
      if (Date.now() > deadline) throw new Error(`the gateway was not ready in time:\n${this.log()}`);
      await delay(50);
    }
    return this;
  }

  /** Sends SIGTERM and waits. Fails unless the process ends in order: in time, and with 0. */
  async stop() {
    const isRunning = this.process.exitCode === null && this.process.signalCode === null;
    if (isRunning) this.process.kill('SIGTERM');
    const timer = setTimeout(() => this.process.kill('SIGKILL'), kStopTimeoutMs);
    const status = await this.exited;
    clearTimeout(timer);
    this.checkLog();
    if (status.code !== 0) throw new Error(`the gateway ended with ${JSON.stringify(status)}:\n${this.log()}`);
  }

  /** Ends the process as a power cut would. */
  async crash() {
    this.process.kill('SIGKILL');
    await this.exited;
    this.checkLog();
  }

  /** A new process on the same configuration, record and addresses, after this one has ended. */
  again() {
    return this.relaunch().ready();
  }

  /** The same without waiting until it is ready. */
  relaunch() {
    return launch(this);
  }
}

/** Starts the program for what `place` names: directory, addresses, configuration, record and log. */
function launch(place) {
  const { wrapper = [], program = kProgram, environment = {} } = place;
  const [command, ...commandArguments] = [...wrapper, program, 'run', '--config', place.configFile].flat();
  const log = openSync(place.logFile, 'a');
  const child = spawn(command, commandArguments, {
    cwd: place.directory,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', log],
  });
  closeSync(log);
  return new Gateway({ ...place, process: child });
}

/**
 * Writes the configuration and starts `bartizan run --config FILE`.
 * `body`: servers and rules as TOML. `auth`, `limits`: replace the tables above. `listen`: more keys
 * of [listen]. `audit`: more keys of [audit]. `auditFolder`: where the record is, below the story's
 * own directory. `files`: names and contents of more files there, for their owner. `include`: which
 * of them belong to the configuration. `environment`: added to the gateway's own. `wrapper`: a command that becomes the
 * gateway. `program`: another build of it, or that and its first arguments.
 */
export async function startGateway(body, options = {}) {
  const { auth = testerAuth(), limits = kWideLimits, listen = '', environment = {}, wrapper = [], program } = options;
  const { audit = '', auditFolder = '.', files = {}, include = [] } = options;
  requireProgram();
  const directory = temporaryDirectory();
  const [port, metricsPort] = [await freePort(), await freePort()];
  const auditFile = join(directory, auditFolder, 'audit.jsonl');
  mkdirSync(dirname(auditFile), { recursive: true });
  const configFile = join(directory, 'bartizan.toml');
  const logFile = join(directory, 'gateway.log');
  const included = include.length > 0 ? `include = ${tomlArray(include)}\n` : '';
  const prelude = `version = 1
${included}[listen]
address = "127.0.0.1:${port}"
${listen}
[metrics]
address = "127.0.0.1:${metricsPort}"
[audit]
file = ${JSON.stringify(auditFile)}
${audit}
`;
  // What names the gateway's own address is made once that is known.
  const place = { port, origin: `${listen.includes('tls') ? 'https' : 'http'}://127.0.0.1:${port}`, directory };
  const textOf = (part) => (typeof part === 'function' ? part(place) : part);
  writeFileSync(configFile, prelude + textOf(auth) + limits + textOf(body));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text, { mode: 0o600 });
  const metricsUrl = `http://127.0.0.1:${metricsPort}`;
  const url = `${listen.includes('tls') ? 'https' : 'http'}://127.0.0.1:${port}/mcp`;
  return launch({ url, metricsUrl, directory, configFile, auditFile, logFile, wrapper, program, environment }).ready();
}

/** Starts the program on a configuration that exists already and names these ports, and this record. */
export function startConfigured(configFile, { port, metricsPort, environment = {}, record = 'gateway.audit.jsonl' }) {
  requireProgram();
  const directory = dirname(configFile);
  const place = { directory, configFile, wrapper: [], environment };
  const metricsUrl = `http://127.0.0.1:${metricsPort}`;
  const files = { auditFile: join(directory, record), logFile: join(directory, 'gateway.log') };
  return launch({ ...place, ...files, url: `http://127.0.0.1:${port}/mcp`, metricsUrl }).ready();
}

/** Runs the program with other arguments: `{ code, stdout, stderr }`. */
export function runProgram(...programArguments) {
  requireProgram();
  return new Promise((done) => {
    execFile(kProgram, programArguments, { maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      done({ code: error ? error.code : 0, stdout, stderr });
    });
  });
}
