// User instructions per request: the one figure that repeats to the per cent on a busy machine.
// The gateway runs under callgrind with a fixed number of requests; what start-up and the first
// requests cost is left out.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { kProgram } from '../end_to_end/harness.mjs';
import { run, say } from './processes.mjs';
import { load, startBartizan, startOrigin } from './targets.mjs';

const kWarmRequests = 500;
const kRequests = 2000;
const kConnections = 32;
const kTop = 40;
const kTopCalled = 12;
const kTopCallers = 5;
// Instructions, their share in per cent, and `file:function [object]`.
const kFunction = /^\s*([\d,]+) \(\s*([\d.]+)%\)\s+(.*)$/;

/** Instructions in all, and the functions of a listing of callgrind_annotate. */
function read(listing) {
  const lines = listing.split('\n');
  const total = Number(/([\d,]+) .*PROGRAM TOTALS/.exec(listing)[1].replaceAll(',', ''));
  const begin = lines.findIndex((line) => /file:function/.test(line)) + 2;
  return { total, functions: lines.slice(begin).filter((line) => kFunction.test(line)) };
}

/** Whether nearly everything is put down to a line: what was open when counting began is given all below it. */
function isOutermost(line) {
  return Number(kFunction.exec(line)[2]) > 90;
}

/** One line of such a listing, in instructions per request. */
function perRequest(line) {
  const [, count, , rest] = kFunction.exec(line);
  const instructions = Math.round(Number(count.replaceAll(',', '')) / kRequests);
  return `${String(instructions).padStart(8)}  ${rest.replace(/ \[.*$/, '').slice(0, 220)}`;
}

/** Of the first functions, who calls them; each line of callers stands above its function. */
function callersOf(listing, functions) {
  const wanted = new Set(functions.map((line) => kFunction.exec(line)[3]));
  const report = [];
  let callers = [];
  for (const line of listing.split('\n')) {
    const [, kind, name] = /^\s*[\d,]+ \(\s*[\d.]+%\)\s+([<*>])\s+(.*)$/.exec(line) ?? [];
    if (kind === '<') callers.push(line.replace(/([<*>])\s+/, ''));
    if (kind !== '*') continue;
    const own = name.replace(/ \(\d+x\)/, '');
    if (wanted.has(own)) report.push('', own.replace(/ \[.*$/, ''), ...callers.sort(byInstructions).slice(0, kTopCallers).map(perRequest));
    callers = [];
  }
  return report;
}

function byInstructions(a, b) {
  const count = (line) => Number(kFunction.exec(line)[1].replaceAll(',', ''));
  return count(b) - count(a);
}

export async function callgrind(results) {
  const directory = resolve('build/bench/callgrind');
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const origin = await startOrigin();
  say('callgrind: the gateway starts under valgrind');
  const tool = ['--tool=callgrind', `--callgrind-out-file=${directory}/out`, '--dump-instr=no'];
  const program = join(directory, 'bartizan');
  // Debian 12's valgrind cannot read the line tables of clang 19; the names of functions suffice.
  await run('llvm-objcopy-19', ['--strip-debug', kProgram, program]);
  const target = await startBartizan(origin, { program, command: ['valgrind', '-q', ...tool, '--'] });
  const shape = {};
  await load(target, shape, ['--connections', kConnections, '--requests', kWarmRequests]);
  await run('callgrind_control', ['--zero', String(target.pid)]);
  say(`callgrind: ${kRequests} requests`);
  await load(target, shape, ['--connections', kConnections, '--requests', kRequests]);
  await run('callgrind_control', ['--dump=measured', String(target.pid)]);
  await target.stop();
  await origin.stop();

  const dump = join(directory, 'out.1');
  const list = (...options) => run('callgrind_annotate', ['--auto=no', '--threshold=100', ...options, dump]);
  const annotate = async (...options) => read(await list(...options));
  const exclusive = await annotate();
  const inclusive = await annotate('--inclusive=yes');
  const byThemselves = exclusive.functions.filter((line) => !isOutermost(line)).slice(0, kTop);
  const report = [
    `user instructions per request, ${kRequests} requests on ${kConnections} connections: ${Math.round(exclusive.total / kRequests)}`,
    '',
    'by themselves:',
    ...byThemselves.map(perRequest),
    '',
    'with what they call:',
    ...inclusive.functions.slice(0, kTop).map(perRequest),
    '',
    'who calls the first of them (instructions of the callee under that caller):',
    ...callersOf(await list('--tree=caller'), byThemselves.slice(0, kTopCalled)),
  ];
  writeFileSync('build/bench/callgrind.txt', report.join('\n') + '\n');
  say('callgrind: build/bench/callgrind.txt has the functions');
  results.add('instructions_per_request', exclusive.total / kRequests);
}
