// Runs the official conformance suite against our fixture, directly and through the gateway, for both
// requirement sets, and compares check by check. Prints for each
//   conformance REVISION direct A/B gateway C/D
// where A of B and C of D checks passed, then every check on which the two differ, and the same for the
// extension for skills. Then servers of one era, with clients of both, directly and through the gateway:
//   conformance ERA server, REVISION client: direct A/B gateway C/D
// and every check that a server of both eras passes and this one does not, with the sentence of the
// specification that it comes from. Then the suite plays servers (`client_scenarios.mjs`).
//
// Exit code: 0 when the suite is content with all of them, the gateway passes everything that the
// fixture passes directly, and a bridge between the eras costs only what has its sentence here; 1
// otherwise, and when there is no gateway. BARTIZAN_BIN names the program.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { kProgram, kTestsDirectory, startGateway } from '../end_to_end/harness.mjs';
import { httpServer, startHttpServer } from '../end_to_end/servers.mjs';
import { checkClients } from './client_scenarios.mjs';
import { differences, passesAtLeast, runServerScenario, runServerSuite, score } from './suite.mjs';

const kRevisions = ['2025-11-25', '2026-07-28'];
const kFixture = join(kTestsDirectory, 'conformance', 'fixture_server.mjs');

// What a bridge between the eras cannot do, and the sentence that says why.
const kUnbridged = {
  'legacy 2026-07-28': {
    'input-required-result-basic-elicitation:sep-2322-elicitation-incomplete':
      'a request of 2025-11-25 has no name, so the gateway gives its own (2025-11-25, client/elicitation)',
    'input-required-result-capability-check:sep-2322-respect-client-capabilities':
      'capabilities are agreed on once for a session (2025-11-25, basic/lifecycle): one server serves all',
    'input-required-result-ignore-extra-params:sep-2322-ignore-unexpected-params':
      'the suite answers by the name that the server would have given (2026-07-28, basic/patterns/mrtr)',
    'server-stateless:sep-2575-server-rejects-undeclared-capability':
      'what a server will ask is known when it asks (2025-11-25, client/sampling): it is refused then',
    'server-stateless:sep-2575-missing-capability-http-400':
      'the same',
    'tasks-*': 'servers of 2025-11-25 have no tasks of the extension (io.modelcontextprotocol/tasks, Capability Negotiation)',
  },
  'modern 2025-11-25': {},
};

// So many checks must pass at least: a check that is left out fails nothing.
const kFloors = { 'legacy 2026-07-28': 158, 'modern 2025-11-25': 83, 'legacy 2025-11-25': 84, 'modern 2026-07-28': 196 };

const kSkillScenarios = ['sep-2640-skills-directory', 'sep-2640-skills-enumeration', 'sep-2640-skills-manifest'];
const kSkillFloor = 45;

// Everything that the one principal could want: this run is about the wire, not about policy.
const kEveryPattern = { tools: 'fixture/*', resources: 'fixture:**', prompts: 'fixture/*', methods: '*' };
const kPermissive = Object.entries(kEveryPattern)
  .map(([kind, pattern]) => `[rule.all-${kind}]\neffect = "permit"\nroles = ["*"]\n${kind} = ["${pattern}"]\n`)
  .join('');

function startGatewayBefore(url) {
  const more = 'prefix = "never"\nclient_features = ["sampling", "elicitation", "roots", "logging", "instructions", "tasks"]\nmax_in_flight = 256';
  return startGateway(httpServer('fixture', url, more) + kPermissive);
}

async function compare(revision, fixtureUrl, gatewayUrl, ideal) {
  const direct = await runServerSuite(fixtureUrl, revision);
  if (!gatewayUrl) {
    console.log(`conformance ${revision} direct ${score(direct.checks)} gateway not built`);
    return false;
  }
  const gateway = await runServerSuite(gatewayUrl, revision);
  ideal.set(revision, gateway.checks);
  console.log(`conformance ${revision} direct ${score(direct.checks)} gateway ${score(gateway.checks)}`);
  const differing = differences(direct.checks, gateway.checks);
  for (const { name, direct: before, gateway: behind, why } of differing) {
    const reason = why.split('\n')[0];
    console.log(`  ${name}: ${before} directly, ${behind} through the gateway${reason && `: ${reason}`}`);
  }
  const isWorse = differing.some((difference) => difference.isWorse);
  return direct.exitCode === 0 && gateway.exitCode === 0 && !isWorse;
}

/** Skills are an extension, which no requirement set has: as many checks as directly have to pass. */
async function compareSkills(fixtureUrl, gatewayUrl) {
  const [direct, gateway] = [new Map(), new Map()];
  for (const scenario of kSkillScenarios) {
    for (const [checks, url] of [[direct, fixtureUrl], [gateway, gatewayUrl]]) {
      for (const [name, verdict] of await runServerScenario(url, scenario, '2026-07-28')) checks.set(name, verdict);
    }
  }
  console.log(`conformance skills direct ${score(direct)} gateway ${score(gateway)}`);
  const differing = differences(direct, gateway);
  for (const { name, gateway: verdict, why } of differing) console.log(`  ${name}: ${verdict}: ${why.split('\n')[0]}`);
  return differing.length === 0 && passesAtLeast(gateway, kSkillFloor);
}

/** Servers of one era. `ideal` is what a server of both passes through the gateway. */
async function compareEras(era, revision, ideal) {
  const fixture = await startHttpServer([kFixture, '--port', '0', '--eras', era]);
  const gateway = await startGatewayBefore(fixture.url);
  const direct = await runServerSuite(fixture.url, revision);
  const bridged = await runServerSuite(gateway.url, revision);
  await gateway.stop();
  fixture.stop();
  console.log(`conformance ${era} server, ${revision} client: direct ${score(direct.checks)} gateway ${score(bridged.checks)}`);
  const sentences = kUnbridged[`${era} ${revision}`] ?? {};
  const sentenceOf = (name) => sentences[name] ?? (name.startsWith('tasks-') ? sentences['tasks-*'] : undefined);
  const lost = differences(ideal, bridged.checks).filter(({ isWorse, gateway: verdict }) => isWorse && verdict !== 'absent');
  const isOfTasks = ({ name }) => !sentences[name] && Boolean(sentenceOf(name));
  const [ofTasks, others] = [lost.filter(isOfTasks), lost.filter((one) => !isOfTasks(one))];
  if (ofTasks.length > 0) console.log(`  ${ofTasks.length} checks of tasks: ${sentences['tasks-*']}`);
  for (const { name, gateway: verdict, why } of others) {
    console.log(`  ${name}: ${verdict}: ${sentenceOf(name) ?? `NOT EXPECTED: ${why.split('\n')[0]}`}`);
  }
  return lost.every(({ name }) => sentenceOf(name)) && passesAtLeast(bridged.checks, kFloors[`${era} ${revision}`]);
}

const fixture = await startHttpServer([kFixture, '--port', '0']);
const gateway = existsSync(kProgram) ? await startGatewayBefore(fixture.url) : undefined;
if (!gateway) console.log(`conformance: no gateway at ${kProgram}; running directly only`);
let isGood = true;
// Both mostly wait, and so they run beside each other.
const clients = gateway && checkClients(kRevisions);
const ideal = new Map();
for (const revision of kRevisions) {
  isGood = (await compare(revision, fixture.url, gateway?.url, ideal)) && isGood;
}
if (gateway) isGood = (await compareSkills(fixture.url, gateway.url)) && isGood;
await gateway?.stop();
for (const era of gateway ? ['legacy', 'modern'] : []) {
  for (const revision of kRevisions) isGood = (await compareEras(era, revision, ideal.get(revision))) && isGood;
}
if (clients) {
  const { isGood: isAsExpected, lines } = await clients;
  for (const line of lines) console.log(line);
  isGood &&= isAsExpected;
}
fixture.stop();
process.exitCode = isGood ? 0 : 1;
