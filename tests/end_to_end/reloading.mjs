// Gives a running gateway another configuration, and waits for what becomes of it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** What names a configuration in records. */
export const digestOf = (text) => createHash('sha256').update(text).digest('hex');

/** What /readyz says of the configuration that runs. */
export const configOf = async (gateway) => (await gateway.readiness()).body.config;

/** As `eventually`, for what takes milliseconds and is waited for a thousand times. */
async function soon(ask, what) {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const found = await ask();
    if (found) return found;
    if (Date.now() > deadline) assert.fail(`${what}: not in time`);
    await delay(1);
  }
}

/** Replaces a file as an editor would: whole, by a rename. */
export function replace(file, text) {
  writeFileSync(`${file}.next`, text);
  renameSync(`${file}.next`, file);
}

/** Replaces the configuration so. */
export function write(gateway, text) {
  replace(gateway.configFile, text);
}

/** Writes, signals, and waits until every worker has the new configuration. */
export async function apply(gateway, text) {
  const { digest, reloads } = await configOf(gateway);
  write(gateway, text);
  gateway.process.kill('SIGHUP');
  if (digest === digestOf(text)) return;
  const isApplied = async () => {
    const now = await configOf(gateway);
    return now.digest === digestOf(text) && now.reloads.applied > reloads.applied;
  };
  await soon(isApplied, 'the configuration is applied');
}

/** Writes what cannot be taken, signals, and answers what /readyz says of it. */
export async function refuse(gateway, text) {
  const { reloads } = await configOf(gateway);
  write(gateway, text);
  gateway.process.kill('SIGHUP');
  return soon(async () => {
    const now = await configOf(gateway);
    return now.reloads.refused > reloads.refused && now;
  }, 'the configuration is refused');
}
