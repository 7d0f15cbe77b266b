// A configuration of many rules that looks like one that teams have written for years: for each
// server and role literal names, families of tools by a glob, now and then a whole server, rules that
// forbid, and rules that ask for a time or an argument. The same numbers give the same text.
//
//   node tests/end_to_end/many_rules.mjs 10000 > rules.toml      rules and roles alone, no server
import { fileURLToPath } from 'node:url';

const kVerbs = ['read', 'list', 'search', 'create', 'update', 'delete', 'export', 'approve'];
const kThings = ['ticket', 'invoice', 'page', 'branch', 'report', 'customer', 'order', 'device', 'secret', 'note'];

/** Numbers that look like chance and are the same in every run (Park and Miller). */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** The names of the servers that the rules are about. */
export function manyServers(servers = 10) {
  return Array.from({ length: servers }, (_, number) => `server${number}`);
}

/** One pattern of one server: three of four name one tool. */
function pattern(next, server, count) {
  const verb = kVerbs[next(kVerbs.length)];
  const thing = kThings[next(kThings.length)];
  const kind = next(200);
  if (kind < 150) return `${server}/${verb}_${thing}_${next(count)}`;
  if (kind < 180) return `${server}/${verb}_${thing}_${next(count)}*`;
  if (kind < 199) return `${server}/*_${thing}_${next(count)}`;
  return `${server}/${verb}_*`;
}

const kConditions = [
  'when = { transport = ["http"] }\n',
  'when = { time = { days = ["mon", "tue", "wed", "thu", "fri"], from = "08:00", to = "18:00", zone = "Europe/Berlin" } }\n',
  'when = { "/amount" = { number = { max = 1000 } } }\n',
  'unless = { "/state" = { one_of = ["draft", "closed"] } }\n',
];

/**
 * `count` rules as text, with the roles that they name and two principals. `last`: more text, such as
 * the rule that a story is about.
 */
export function manyRules(count, { servers = 10, roles = 40, seed = 36 } = {}) {
  const next = numbers(seed);
  const names = manyServers(servers);
  const lines = [];
  for (let role = 0; role < roles; role += 1) lines.push(`[role.team${role}]\n`);
  for (let role = 0; role < roles; role += 1) {
    lines.push(`[principal.agent${role}]\nroles = ["team${role}"]\n`);
  }
  for (let number = 0; number < count; number += 1) {
    const server = names[next(names.length)];
    const effect = next(8) === 0 ? 'forbid' : 'permit';
    const named = [`team${next(roles)}`];
    if (next(4) === 0) named.push(`team${next(roles)}`);
    const patterns = [pattern(next, server, count)];
    while (next(3) === 0) patterns.push(pattern(next, server, count));
    lines.push(
      `[rule.r${number}]\neffect = "${effect}"\nroles = ${JSON.stringify([...new Set(named)])}\n` +
        `tools = ${JSON.stringify([...new Set(patterns)])}\n${next(10) === 0 ? kConditions[next(kConditions.length)] : ''}`,
    );
  }
  return lines.join('');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(manyRules(Number(process.argv[2] ?? 1000)));
}
