// Runs the official suite and reads what it found: scenario and check → verdict.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { kNode, kTestsDirectory, temporaryDirectory } from '../end_to_end/harness.mjs';

const kSuite = join(kTestsDirectory, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');

/** A run for servers: its exit code and its checks, by their ids. */
export function runServerSuite(url, revision) {
  return runSuite('id', ['server', '--url', url, '--requirements', revision]);
}

/** One scenario for servers, which need not belong to the revision: its checks, by their ids. */
export async function runServerScenario(url, scenario, revision) {
  const ran = await runSuite('id', ['server', '--url', url, '--scenario', scenario, '--spec-version', revision, '--force']);
  return ran.checks;
}

/** One scenario for clients. Its checks go by their names: several have one id. */
export function runClientScenario(scenario, revision, command) {
  return runSuite('name', ['client', '--command', command, '--scenario', scenario, '--spec-version', revision, '--force']);
}

function runSuite(named, suiteArguments) {
  const output = temporaryDirectory();
  return new Promise((done) => {
    const suite = spawn(kNode, [kSuite, ...suiteArguments, '-o', output], { stdio: 'ignore' });
    suite.on('exit', (exitCode) => done({ exitCode, checks: readChecks(output, named) }));
  });
}

/** The scenarios that the suite has for clients: names with the revisions of each. */
export function listClientScenarios() {
  return new Promise((done) => {
    const suite = spawn(kNode, [kSuite, 'list'], { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    suite.stdout.on('data', (part) => (text += part));
    suite.on('close', () => {
      const [, section = ''] = /^Client scenarios[^\n]*\n((?: {2}- [^\n]*\n)*)/m.exec(text) ?? [];
      const lines = [...section.matchAll(/- (\S+) \[([^\]]*)\]/g)];
      done(lines.map(([, name, revisions]) => ({ name, revisions: revisions.split(',') })));
    });
  });
}

/** The suite's directories are called `server-SCENARIO-TIMESTAMP`, for clients without `server-`. */
function scenarioOf(directory) {
  return directory.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
}

function findChecks(output) {
  return readdirSync(output, { recursive: true }).filter((file) => file.endsWith('checks.json'));
}

/** A check that a scenario emits several times is numbered. */
function readChecks(output, named) {
  const checks = new Map();
  for (const file of findChecks(output)) {
    const scenario = scenarioOf(file.replace(/\/?checks\.json$/, ''));
    for (const { status, errorMessage, [named]: name } of JSON.parse(readFileSync(join(output, file), 'utf8'))) {
      if (status === 'INFO' || status === 'SKIPPED') continue;
      checks.set(uniqueName(checks, `${scenario}:${name}`), { status, errorMessage });
    }
  }
  return checks;
}

function uniqueName(checks, name) {
  let unique = name;
  for (let repetition = 2; checks.has(unique); repetition += 1) unique = `${name}#${repetition}`;
  return unique;
}

function countPassed(checks) {
  return [...checks.values()].filter(({ status }) => status === 'SUCCESS').length;
}

export function score(checks) {
  return `${countPassed(checks)}/${checks.size}`;
}

export function passesAtLeast(checks, floor) {
  return countPassed(checks) >= floor;
}

/** The checks whose verdict differs; `isWorse` where one that passed directly does so no more. */
export function differences(direct, gateway) {
  const names = [...new Set([...direct.keys(), ...gateway.keys()])];
  return names
    .filter((name) => direct.get(name)?.status !== gateway.get(name)?.status)
    .map((name) => ({
      name,
      direct: direct.get(name)?.status ?? 'absent',
      gateway: gateway.get(name)?.status ?? 'absent',
      why: gateway.get(name)?.errorMessage ?? '',
      isWorse: direct.get(name)?.status === 'SUCCESS',
    }));
}
