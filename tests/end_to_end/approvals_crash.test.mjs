// Killed at any moment while calls are approved, the gateway has sent no call without an approval on
// record, and none twice. `make soak` does this 2 000 times.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { checkUses, killWhileApproving, permitOf } from './approval_kill_points.mjs';

const kSeed = Number(process.env.BARTIZAN_SEED ?? Date.now() % 2 ** 31);
const kPoints = 100;

describe('killed again and again while calls are approved', () => {
  it(`at ${kPoints} random points`, { timeout: 300_000 }, async (t) => {
    t.diagnostic(`BARTIZAN_SEED=${kSeed}`);
    const { records, received, counted } = await killWhileApproving({ points: kPoints, seed: kSeed });
    t.diagnostic(JSON.stringify(counted));
    assert.ok(counted.received > 0, JSON.stringify(counted));

    // The check finds what it looks for.
    const isUse = (one) => one.kind === 'approval' && one.approval === 'used';
    const uses = records.filter(isUse);
    const permit = permitOf(records, received.at(-1));
    const sent = uses.find((use) => use.detail === `by ${permit.decision_id}`);
    const without = (gone) => records.filter((one) => one !== gone);
    assert.throws(() => checkUses([...without(sent), { ...sent, seq: permit.seq + 1 }], received), /no approval was used before|reached/, 'a use after its effect');
    assert.throws(() => checkUses([...records, { ...sent, seq: records.length + 1 }], received), /used twice/);
    assert.throws(() => checkUses(records, [...received, received[0]]), /reached the server twice/);
    const approval = records.find((one) => one.kind === 'approval' && one.approval === 'approved' && one.decision_id === sent.decision_id);
    assert.throws(() => checkUses(without(approval), received), /used before it was approved/);
  });
});
