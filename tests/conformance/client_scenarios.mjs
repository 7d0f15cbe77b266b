// The suite plays servers, and the gateway stands between each of them and a client. Says
//   conformance client REVISION direct A/B gateway C/D
// and every check that passes without the gateway and not with it, with the sentence that it comes from.
import { join } from 'node:path';

import { kNode, kTestsDirectory } from '../end_to_end/harness.mjs';
import { listClientScenarios, passesAtLeast, runClientScenario, score } from './suite.mjs';

const kClient = join(kTestsDirectory, 'conformance', 'suite_client.mjs');
const kAtOnce = 2;

const kHandshake = 'each server is asked in both eras: "initialize" is of 2025-11-25 (basic/lifecycle), which has no such member';

// What a gateway in the middle cannot do, and the sentence that says why.
const kExpected = {
  '2025-11-25': {},
  '2026-07-28': {
    'request-metadata:ClientSendsVersionHeader': kHandshake,
    'request-metadata:ClientPopulatesMeta': kHandshake,
    'request-metadata:ClientSendsClientInfo': kHandshake,
    'http-standard-headers:ClientMcpMethodHeader_initialize': kHandshake,
    'http-custom-headers:NotObserved':
      'arguments that do not fit the schema reach no server (docs/schemas.md): "verbose" is a boolean, and null here',
  },
};

// The verdict is on the last message, whichever of two that are on their way at once this is.
const kEither = {
  'request-metadata:ClientRetrySupportedVersion':
    'the last message may be the "initialize" of the other era (docs/eras.md), which came second',
};

// Scenarios that are not played, by how their names begin.
const kNotPlayed = {
  'auth/': 'the gateway signs in at no server: it sends what its configuration names (docs/servers-behind-urls.md)',
};

// Clients of skills, and which of them a gateway protects that verify nothing themselves.
const kSkills = 'sep-2640-client-';
const kSkillRevision = '2026-07-28';
const kSkillsExpected = {
  'sep-2640-client-verify-frontmatter:SkillsClientVerify_frontmatter':
    'the front matter is what the host reads (SEP-2640, "Frontmatter Verification"): the gateway reads no YAML',
};
const kSkillsFloors = { direct: 1, gateway: 3 };

// So many checks must pass at least: a check that is left out fails nothing.
const kFloors = { '2025-11-25': 20, '2026-07-28': 59 };

function reasonNotToPlay(scenario) {
  return Object.keys(kNotPlayed).find((beginning) => scenario.startsWith(beginning));
}

/** Each of the jobs, two at a time. */
async function runAll(jobs) {
  const left = [...jobs];
  const work = async () => {
    for (let job = left.shift(); job; job = left.shift()) await job();
  };
  await Promise.all(Array.from({ length: kAtOnce }, work));
}

/** Plays the scenarios of one revision with that client: `{ exitCodes, checks }`. */
function playing(scenarios, revision, way) {
  const checks = new Map();
  const command = [kNode, kClient, ...way].join(' ');
  const jobs = scenarios.map((scenario) => async () => {
    const played = await runClientScenario(scenario, revision, command);
    if (played.checks.size === 0) checks.set(`${scenario}:(none)`, { status: 'FAILURE', errorMessage: 'nothing was checked' });
    for (const [name, verdict] of played.checks) checks.set(name, verdict);
  });
  return { jobs, checks };
}

/** Whether only what is expected fails, and all that is expected does; `tell` is told what fails. */
function judge(gateway, expected, tell) {
  let isGood = true;
  for (const [name, { status, errorMessage = '' }] of gateway) {
    if (status === 'SUCCESS') continue;
    const reason = expected[name] ?? kEither[name];
    tell(`  ${name}: ${status}: ${reason ?? `NOT EXPECTED: ${errorMessage.split('\n')[0]}`}`);
    isGood &&= reason !== undefined;
  }
  for (const name of Object.keys(expected)) {
    if (gateway.get(name)?.status !== 'SUCCESS' && gateway.has(name)) continue;
    tell(`  ${name}: expected to fail, and does not`);
    isGood = false;
  }
  return isGood;
}

function tellFailures(direct, tell) {
  const failed = [...direct].filter(([, { status }]) => status !== 'SUCCESS');
  for (const [name, { status, errorMessage = '' }] of failed) {
    tell(`  ${name}: ${status} without the gateway: ${errorMessage.split('\n')[0]}`);
  }
  return failed.length === 0;
}

/** Plays them all: `{ isGood, lines }`, whether the outcome is as expected and what there is to say. */
export async function checkClients(revisions) {
  const lines = [];
  const tell = (line) => void lines.push(line);
  const all = await listClientScenarios();
  const runs = revisions.map((revision) => {
    const scenarios = all
      .filter((scenario) => scenario.revisions.includes(revision) && !reasonNotToPlay(scenario.name))
      .map(({ name }) => name);
    return { revision, direct: playing(scenarios, revision, []), gateway: playing(scenarios, revision, ['--gateway']) };
  });
  const skillScenarios = all.map(({ name }) => name).filter((name) => name.startsWith(kSkills));
  const skills = {
    direct: playing(skillScenarios, kSkillRevision, []),
    gateway: playing(skillScenarios, kSkillRevision, ['--gateway']),
  };
  await runAll([...runs, skills].flatMap(({ direct, gateway }) => [...gateway.jobs, ...direct.jobs]));
  let isGood = true;
  for (const { revision, direct, gateway } of runs) {
    tell(`conformance client ${revision} direct ${score(direct.checks)} gateway ${score(gateway.checks)}`);
    isGood = judge(gateway.checks, kExpected[revision], tell) && isGood;
    isGood = tellFailures(direct.checks, tell) && isGood;
    isGood &&= passesAtLeast(gateway.checks, kFloors[revision]);
  }
  const { direct, gateway } = skills;
  tell(`conformance client of skills that verifies nothing: direct ${score(direct.checks)} gateway ${score(gateway.checks)}`);
  isGood = judge(gateway.checks, kSkillsExpected, tell) && isGood;
  isGood &&= !passesAtLeast(direct.checks, kSkillsFloors.direct + 1) && passesAtLeast(gateway.checks, kSkillsFloors.gateway);
  for (const [beginning, reason] of Object.entries(kNotPlayed)) {
    const count = all.filter(({ name }) => reasonNotToPlay(name) === beginning).length;
    tell(`conformance client ${beginning}* not played (${count}): ${reason}`);
    isGood &&= count > 0;
  }
  return { isGood, lines };
}
