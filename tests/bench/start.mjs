// From the start of the program until /readyz says that it is ready, resident memory then, and from the
// signal until a reload that adds a rule is applied: by servers behind URLs, and by rules.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { startGateway } from '../end_to_end/harness.mjs';
import { apply, write } from '../end_to_end/reloading.mjs';
import { kProxyCore, kRounds, median, residentMib, say } from './processes.mjs';
import { rules, startOrigin } from './targets.mjs';

const kReadyMsMax = 120_000;
const kCases = [
  { name: '1_server', servers: 1, ruleCount: 10 },
  { name: '50_servers', servers: 50, ruleCount: 10 },
  { name: '200_servers', servers: 200, ruleCount: 10 },
  { name: '100_rules', servers: 1, ruleCount: 100 },
  { name: '10k_rules', servers: 1, ruleCount: 10_000 },
];
const kAuth = '[auth]\nmode = "none"\nprincipal = "tester"\n[principal.tester]\nroles = ["reader"]\n[role.reader]\n';
const kAddedRule = '[rule.added]\neffect = "forbid"\nroles = ["reader"]\ntools = ["origin/added_*"]\n';

/** One origin answers for all servers; the gateway knows them by names only. */
function configuration(origin, { servers, ruleCount }) {
  const table = (name) => `[server.${name}]\nurl = "http://127.0.0.1:${origin.port}/mcp"\n`;
  const tables = Array.from({ length: servers }, (_, i) => table(i === 0 ? 'origin' : `origin${i}`));
  return `[process]\nworkers = 1\n${tables.join('')}${rules(ruleCount)}`;
}

/** A gateway that was started and has ended, with this configuration for the next start. */
async function prepare(origin, wanted) {
  const least = configuration(origin, kCases[0]);
  const gateway = await startGateway(least, { auth: kAuth, wrapper: ['taskset', '-c', String(kProxyCore)] });
  await gateway.stop();
  const text = readFileSync(gateway.configFile, 'utf8');
  write(gateway, text.replace(least, () => configuration(origin, wanted)));
  return gateway;
}

/** Starts the program again and answers milliseconds and MiB. */
async function startOnce(gateway) {
  const began = performance.now();
  const started = gateway.relaunch();
  while (!(await started.isReady())) {
    if (started.process.exitCode !== null) throw new Error(`the gateway ended before it was ready:\n${started.log()}`);
    if (performance.now() - began > kReadyMsMax) throw new Error('the gateway was not ready in time');
    await delay(1);
  }
  return { started, ms: performance.now() - began, mib: residentMib(started.process.pid) };
}

async function reloadOnce(gateway) {
  const text = readFileSync(gateway.configFile, 'utf8');
  const began = performance.now();
  await apply(gateway, text + kAddedRule);
  const took = performance.now() - began;
  await apply(gateway, text);
  return took;
}

export async function start(results) {
  const origin = await startOrigin();
  for (const { name, ...wanted } of kCases) {
    // The first start compares with what was loaded before; it does not count.
    let gateway = (await startOnce(await prepare(origin, wanted))).started;
    const rounds = [];
    for (let round = 0; round < kRounds; round += 1) {
      await gateway.stop();
      const { started, ms, mib } = await startOnce(gateway);
      gateway = started;
      rounds.push({ start: ms, mib, reload: await reloadOnce(gateway) });
      const { reload } = rounds.at(-1);
      const figures = `start ${ms.toFixed(0)} ms, ${mib.toFixed(1)} MiB, reload ${reload.toFixed(0)} ms`;
      say(`${name}, round ${round + 1} of ${kRounds}: ${figures}`);
    }
    await gateway.stop();
    const middle = (what) => median(rounds.map((row) => row[what]));
    results.add(`start_ms_${name}`, middle('start'));
    results.add(`start_mib_${name}`, middle('mib'));
    results.add(`reload_ms_${name}`, middle('reload'));
  }
  await origin.stop();
}
