// Runs the benchmark's programs on a core, and reads from /proc what they have used.
import { execFile, spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createConnection } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

import { kProgram } from '../end_to_end/harness.mjs';

/** The proxy under test has core 0 for itself; load and origin share core 1, where there is one. */
export const kProxyCore = 0;
export const kLoadCore = availableParallelism() > 1 ? 1 : 0;

/** How often the targets take turns, and for how long each is loaded. */
export const kRounds = Number(process.env.ROUNDS ?? 5);
export const kSecondsEach = Number(process.env.SECONDS_EACH ?? 3);
export const kConnections = 32;

const kStartTimeoutMs = 20_000;

/** A program of the benchmark, from the build that the gateway comes from. */
export function benchProgram(name) {
  return join(kProgram, '..', name);
}

export function say(text) {
  process.stderr.write(`bench: ${text}\n`);
}

/** Starts a command on `core`. What it writes to standard error is kept for the case that it ends. */
export function start(core, [command, ...rest], options = {}) {
  const child = spawn('taskset', ['-c', String(core), command, ...rest], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...options,
  });
  let complaints = '';
  child.stderr?.on('data', (text) => (complaints = (complaints + text).slice(-4000)));
  process.on('exit', () => child.kill('SIGKILL'));
  const exited = new Promise((done) => child.on('exit', done));
  const stop = async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
    await exited;
    clearTimeout(timer);
  };
  return { child, pid: child.pid, exited, stop, complaints: () => complaints };
}

/** Waits until something listens on the port. */
export async function listening(port, program) {
  const deadline = Date.now() + kStartTimeoutMs;
  for (;;) {
    const reached = await new Promise((done) => {
      const socket = createConnection({ port, host: '127.0.0.1' }, () => done(true));
      socket.on('error', () => done(false));
      socket.on('close', () => done(false));
      socket.unref();
      socket.on('connect', () => socket.destroy());
    });
    if (reached) return;
    if (program.child.exitCode !== null) throw new Error(`${program.child.spawnargs.join(' ')}: ${program.complaints()}`);
    if (Date.now() > deadline) throw new Error(`nothing listens on ${port}`);
    await delay(50);
  }
}

/** The first line that a program prints. */
export function firstLine(child) {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.on('exit', (code) => reject(new Error(`${child.spawnargs.join(' ')} ended with ${code}`)));
  });
}

/** Runs a command to its end and answers its standard output. Fails when it fails. */
export function run(command, commandArguments, options = {}) {
  return new Promise((resolve, reject) => {
    execFile(command, commandArguments, { maxBuffer: 64 << 20, ...options }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${command} ${commandArguments.join(' ')}: ${error.message}\n${stderr}`));
      else resolve(stdout);
    });
  });
}

/** The fields of `/proc/PID/stat` behind the command, which may hold anything. */
function statFields(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function parentOf(pid) {
  return Number(statFields(pid)[1]);
}

/** A process and all that descend from it now. */
export function tree(pid) {
  const parents = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      parents.set(Number(name), parentOf(name));
    } catch {
      continue; // It ended meanwhile.
    }
  }
  const found = [pid];
  for (const at of found) for (const [child, parent] of parents) if (parent === at) found.push(child);
  return found;
}

/** Nanoseconds that each task of the process tree has run, by task id. */
export function taskTimes(pid) {
  const times = new Map();
  for (const process of tree(pid)) {
    for (const task of readdirSync(`/proc/${process}/task`)) {
      const [ran] = readFileSync(`/proc/${process}/task/${task}/schedstat`, 'utf8').split(' ');
      times.set(task, Number(ran));
    }
  }
  return times;
}

/** The same, summed up. */
export function cpuNanoseconds(pid) {
  return [...taskTimes(pid).values()].reduce((sum, ran) => sum + ran, 0);
}

/** Pages that the kernel had to give the process tree without reading them from a disk. */
export function pageFaults(pid) {
  return tree(pid).reduce((sum, process) => sum + Number(statFields(process)[7]), 0);
}

/** Resident memory of the process tree in MiB, shared pages counted in each process. */
export function residentMib(pid) {
  let kib = 0;
  for (const process of tree(pid)) {
    kib += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process}/status`, 'utf8'))?.[1] ?? 0);
  }
  return kib / 1024;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
