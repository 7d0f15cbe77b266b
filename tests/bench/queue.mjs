// How long a principal waits for a slot that another one wants all the time: its calls go in turn with
// the other's, however many of these wait. Beside it, how long it takes when nobody else calls, and how
// long the other one's calls take.
import { createHash } from 'node:crypto';

import { startGateway } from '../end_to_end/harness.mjs';
import { kPlain, stdioServer } from '../end_to_end/servers.mjs';
import { LegacySession } from '../end_to_end/wire.mjs';
import { say } from './processes.mjs';

const kSlots = 4;
const kPlaces = 64;
const kGreedyCalls = 32;
const kQuietCalls = 300;
const kMilliseconds = 5;
const kWide = ['everyone', 'user', 'tool'].map((name) => `[limit.${name}]\nper = []\nrate = ["100000/s"]\n`).join('');
const digestOf = (key) => createHash('sha256').update(key).digest('hex');
const kAuth = ['quiet', 'greedy']
  .map((who) => `[auth.api_key.${who}]\nprincipal = "${who}"\nsha256 = "${digestOf(who)}"\n[principal.${who}]\nroles = ["caller"]\n`)
  .join('') + '[role.caller]\n';
const kPolicy = `
[rule.callers-echo]
effect = "permit"
roles = ["caller"]
tools = ["plain/slow_echo"]
`;

function percentile(times, share) {
  return times.toSorted((one, other) => one - other)[Math.floor((times.length - 1) * share)];
}

/** One call after the other until told to stop; their times in ms go to `times`. */
async function callAlong(session, id, times, goesOn) {
  for (let number = 0; goesOn(number); number += 1) {
    const began = performance.now();
    const { result } = await session.call(`${id}-${number}`, 'plain_slow_echo', { token: 'x', milliseconds: kMilliseconds });
    if (!result) throw new Error('a call was refused');
    times.push(performance.now() - began);
  }
}

export async function queue(results) {
  const server = stdioServer('plain', [kPlain], 'instances = "shared"\nmax_in_flight = 64');
  const limit = `[limit.slots]\nper = ["tool"]\ntools = ["plain/*"]\nconcurrency = ${kSlots}\nqueue = ${kPlaces}\nqueue_timeout = "60s"\n`;
  const gateway = await startGateway(server + kPolicy, { auth: kAuth, limits: kWide + limit });
  const open = (who) => LegacySession.open(gateway.url, { authorization: `Bearer ${who}` });
  const [quiet, greedy] = [await open('quiet'), await open('greedy')];
  const isMore = (number) => number < kQuietCalls;

  const alone = [];
  await callAlong(quiet, 'alone', alone, isMore);
  const [beside, crowd] = [[], []];
  let isOver = false;
  const others = Array.from({ length: kGreedyCalls }, (_, id) => callAlong(greedy, `greedy-${id}`, crowd, () => !isOver));
  await callAlong(quiet, 'beside', beside, isMore);
  isOver = true;
  await Promise.all(others);
  say(`${kGreedyCalls} calls of another principal at ${kSlots} slots`);
  results.add('fair_queue_p99_ms', percentile(beside, 0.99));
  results.add('fair_queue_alone_p99_ms', percentile(alone, 0.99));
  results.add('fair_queue_greedy_p99_ms', percentile(crowd, 0.99));
  await gateway.stop();
}
