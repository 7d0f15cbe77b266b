// Killed at any moment, the gateway has recorded whatever reached a server. `make soak` does this
// 2 000 times.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { killAtRandom } from './kill_points.mjs';

const kSeed = Number(process.env.BARTIZAN_SEED ?? Date.now() % 2 ** 31);

describe('killed again and again under load', () => {
  for (const [durability, points] of [['kernel', 80], ['disk', 20]]) {
    it(`at ${points} random points, with durability ${durability}`, { timeout: 200_000 }, async (t) => {
      t.diagnostic(`BARTIZAN_SEED=${kSeed}`);
      const counted = await killAtRandom({ points, seed: kSeed, durability });
      t.diagnostic(JSON.stringify(counted));
      assert.ok(counted.answered > 0 && counted.files > 0, JSON.stringify(counted));
    });
  }
});
