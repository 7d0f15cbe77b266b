// What the stories assert again and again.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

const kDecisionId = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A refusal as design.md §7 says: a stable reason and the id under which it is on record. */
export function assertRefused(error, reason) {
  assert.ok(error, 'expected a refusal');
  assert.equal(error.data?.reason, reason, `expected ${reason}, got ${JSON.stringify(error)}`);
  assert.match(error.data.decision_id, kDecisionId);
  return error.data.decision_id;
}

/** The error that a promise fails with. */
export async function failureOf(promise) {
  const outcome = await promise.then((value) => ({ value }), (error) => ({ error }));
  assert.ok(outcome.error, `expected a failure, got ${JSON.stringify(outcome.value)}`);
  return outcome.error;
}

export function textOf(result) {
  assert.notEqual(result.isError, true, `the tool failed: ${JSON.stringify(result)}`);
  return result.content[0].text;
}

/** Asks again until `ask` answers something true: for what arrives soon, but not with an answer. */
export async function eventually(ask, what, timeoutMs = 5000) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await ask();
    if (found) return found;
    if (Date.now() > deadline) assert.fail(`${what}: not within ${timeoutMs} ms`);
    await delay(20);
  }
}
