// Runs the official conformance suite against our fixture, directly and through the gateway, for both
// requirement sets, and compares check by check. Prints for each
//   conformance REVISION direct A/B gateway C/D
// where A of B and C of D checks passed, then every check on which the two differ. Then the suite plays
// the server, and the gateway stands between it and a client:
//   conformance client SCENARIO gateway C/D
//
// Exit code: 0 when the suite is content with all of them and the gateway passes everything that the
// fixture passes directly; 1 otherwise, and when there is no gateway. BARTIZAN_BIN names the program.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { kNode, kProgram, kTestsDirectory, startGateway, temporaryDirectory } from '../end_to_end/harness.mjs';
import { httpServer, startHttpServer } from '../end_to_end/servers.mjs';

const kRevisions = ['2025-11-25', '2026-07-28'];
const kSuite = join(kTestsDirectory, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
const kFixture = join(kTestsDirectory, 'conformance', 'fixture_server.mjs');

// What the gateway must do as a client of servers: come back for an answer whose stream was closed.
const kClientScenario = 'sse-retry';
const kClient = join(kTestsDirectory, 'conformance', 'client_through_gateway.mjs');

// Everything that the one principal could want: this run is about the wire, not about policy.
const kEveryPattern = { tools: 'fixture/*', resources: 'fixture:**', prompts: 'fixture/*', methods: '*' };
const kPermissive = Object.entries(kEveryPattern)
  .map(([kind, pattern]) => `[rule.all-${kind}]\neffect = "permit"\nroles = ["*"]\n${kind} = ["${pattern}"]\n`)
  .join('');

function runSuite(...suiteArguments) {
  const output = temporaryDirectory();
  return new Promise((done) => {
    const suite = spawn(kNode, [kSuite, ...suiteArguments, '-o', output], { stdio: 'ignore' });
    suite.on('exit', (exitCode) => done({ exitCode, checks: readChecks(output) }));
  });
}

function runServerSuite(url, revision) {
  return runSuite('server', '--url', url, '--requirements', revision);
}

/** The suite's directories are called `server-SCENARIO-TIMESTAMP`. */
function scenarioOf(directory) {
  return directory.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
}

/** Scenario and check → verdict. A check that a scenario emits several times is numbered. */
function readChecks(output) {
  const checks = new Map();
  for (const directory of readdirSync(output)) {
    const file = join(output, directory, 'checks.json');
    if (!existsSync(file)) continue;
    for (const { id, status, errorMessage } of JSON.parse(readFileSync(file, 'utf8'))) {
      if (status === 'INFO' || status === 'SKIPPED') continue;
      const name = uniqueName(checks, `${scenarioOf(directory)}:${id}`);
      checks.set(name, { status, errorMessage });
    }
  }
  return checks;
}

function uniqueName(checks, name) {
  let unique = name;
  for (let repetition = 2; checks.has(unique); repetition += 1) unique = `${name}#${repetition}`;
  return unique;
}

function score(checks) {
  const passed = [...checks.values()].filter(({ status }) => status === 'SUCCESS').length;
  return `${passed}/${checks.size}`;
}

/** The checks whose verdict differs; `isWorse` where one that passed directly does so no more. */
function differences(direct, gateway) {
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

function startGatewayBefore(url) {
  const more = 'prefix = "never"\nclient_features = ["sampling", "elicitation", "roots", "logging", "instructions"]\nmax_in_flight = 256';
  return startGateway(httpServer('fixture', url, more) + kPermissive);
}

async function compare(revision, fixtureUrl, gatewayUrl) {
  const direct = await runServerSuite(fixtureUrl, revision);
  if (!gatewayUrl) {
    console.log(`conformance ${revision} direct ${score(direct.checks)} gateway not built`);
    return false;
  }
  const gateway = await runServerSuite(gatewayUrl, revision);
  console.log(`conformance ${revision} direct ${score(direct.checks)} gateway ${score(gateway.checks)}`);
  const differing = differences(direct.checks, gateway.checks);
  for (const { name, direct: before, gateway: behind, why } of differing) {
    const reason = why.split('\n')[0];
    console.log(`  ${name}: ${before} directly, ${behind} through the gateway${reason && `: ${reason}`}`);
  }
  const isWorse = differing.some((difference) => difference.isWorse);
  return direct.exitCode === 0 && gateway.exitCode === 0 && !isWorse;
}

/** The suite as a server, the gateway as its client. */
async function checkClient() {
  const { exitCode, checks } = await runSuite('client', '--command', `${kNode} ${kClient}`, '--scenario', kClientScenario);
  console.log(`conformance client ${kClientScenario} gateway ${score(checks)}`);
  for (const [name, { status, errorMessage }] of checks) {
    if (status !== 'SUCCESS') console.log(`  ${name}: ${status}: ${errorMessage ?? ''}`);
  }
  return exitCode === 0 && checks.size > 0 && [...checks.values()].every(({ status }) => status === 'SUCCESS');
}

const fixture = await startHttpServer([kFixture, '--port', '0']);
const gateway = existsSync(kProgram) ? await startGatewayBefore(fixture.url) : undefined;
if (!gateway) console.log(`conformance: no gateway at ${kProgram}; running directly only`);
let isGood = true;
for (const revision of kRevisions) {
  isGood = (await compare(revision, fixture.url, gateway?.url)) && isGood;
}
await gateway?.stop();
if (gateway) isGood = (await checkClient()) && isGood;
fixture.stop();
process.exitCode = isGood ? 0 : 1;
