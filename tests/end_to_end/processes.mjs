// What /proc says of processes that a story has started through a gateway.
import { readFileSync, readdirSync } from 'node:fs';

/** State, parent and group of a process, or nothing once it is gone. */
export function processOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent, group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { pid, state, parent: Number(parent), group: Number(group) };
  } catch {
    return undefined;
  }
}

/** Every process for which `wanted` is true. */
export function processesThat(wanted) {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((name) => processOf(Number(name)));
  return all.filter((one) => one !== undefined && wanted(one));
}
