// What many rules cost when they are loaded: from the start of the program until it is ready, until a
// reload is applied, and in `bartizan check`; and how long a permit that is taken out of very many
// still grants, from the signal to the first call that is refused.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';

import { runProgram, startGateway } from '../end_to_end/harness.mjs';
import { manyRules, manyServers } from '../end_to_end/many_rules.mjs';
import { apply, replace } from '../end_to_end/reloading.mjs';
import { LegacySession } from '../end_to_end/wire.mjs';
import { benchProgram, kRounds, median, say } from './processes.mjs';

const kRules = 10_000;
const kVeryMany = 100_000;
const kRevokedMsMax = 60_000;
const kOne = '[rule.the-one]\neffect = "permit"\nroles = ["tester"]\ntools = ["server0/read_note"]\n';

const milliseconds = (since) => performance.now() - since;

function serverTables() {
  const command = JSON.stringify([benchProgram('bench_echo')]);
  return manyServers().map((name) => `[server.${name}]\ncommand = ${command}\n`).join('');
}

/** Start, reload and check once, of rules in one file. */
async function measureOnce() {
  const begun = performance.now();
  const gateway = await startGateway(serverTables() + manyRules(kRules) + kOne);
  const start = milliseconds(begun);
  const text = readFileSync(gateway.configFile, 'utf8');
  const signalled = performance.now();
  await apply(gateway, text.replace(kOne, ''));
  const reload = milliseconds(signalled);
  const asked = performance.now();
  const { code, stdout } = await runProgram('check', gateway.configFile);
  if (code !== 0) throw new Error(`check: ${stdout}`);
  const check = milliseconds(asked);
  await gateway.stop();
  return { start, reload, check };
}

/** From the signal until a call is refused that the permit let through. A file has 4 MiB at most. */
async function revoke() {
  const parts = manyRules(kVeryMany).split(/(?=^\[)/m);
  const files = { 'one.toml': kOne };
  for (let at = 0; at < parts.length; at += 20_000) {
    files[`rules${at}.toml`] = parts.slice(at, at + 20_000).join('');
  }
  const gateway = await startGateway(serverTables(), { files, include: Object.keys(files) });
  const session = await LegacySession.open(gateway.url);
  const isPermitted = async (id) => (await session.call(id, 'server0_read_note')).result !== undefined;
  if (!(await isPermitted(1))) throw new Error('the call is refused with its permit');
  replace(join(gateway.directory, 'one.toml'), '# nothing any more\n');
  const signalled = performance.now();
  gateway.process.kill('SIGHUP');
  for (let id = 2; await isPermitted(id); id += 1) {
    if (milliseconds(signalled) > kRevokedMsMax) throw new Error('the permit still grants');
    await delay(5);
  }
  const took = milliseconds(signalled);
  await gateway.stop();
  return took;
}

export async function rules(results) {
  const rounds = [];
  for (let round = 0; round < kRounds; round += 1) {
    rounds.push(await measureOnce());
    const { start, reload, check } = rounds.at(-1);
    say(`round ${round + 1} of ${kRounds}, ms: start ${start.toFixed(0)}, reload ${reload.toFixed(0)}, check ${check.toFixed(0)}`);
  }
  for (const name of ['start', 'reload', 'check']) {
    results.add(`${name}_10k_rules_ms`, median(rounds.map((round) => round[name])));
  }
  results.add('revoke_100k_rules_ms', await revoke());
}
