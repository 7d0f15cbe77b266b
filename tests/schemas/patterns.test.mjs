// A pattern that was translated for RE2 matches what Node's RegExp matches: generated patterns and texts,
// the same ones every time.
//
//   BARTIZAN_PATTERNS=COUNT       more of them (default 4000)
//   BARTIZAN_PATTERNS_SEED=SEED   others
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';

import { patternLines } from './patterns.mjs';
import { kProgram } from '../end_to_end/harness.mjs';

const kCompare = join(dirname(kProgram), 'compare_patterns');
const kRowsAtOnce = 4000;

describe('translated patterns', () => {
  const count = Number(process.env.BARTIZAN_PATTERNS ?? 4000);
  const seed = Number(process.env.BARTIZAN_PATTERNS_SEED ?? 1);
  for (let done = 0; done < count; done += kRowsAtOnce) {
    const rows = Math.min(kRowsAtOnce, count - done);
    const seedOfThese = seed + done / kRowsAtOnce;
    it(`match what Node matches, ${rows} of seed ${seedOfThese}`, (context) => {
      const input = [...patternLines(rows, seedOfThese)].join('');
      const { status, stdout, stderr } = spawnSync(kCompare, { input, maxBuffer: 64 << 20 });
      context.diagnostic(stdout.toString().trim().split('\n').at(-1));
      assert.equal(status, 0, `${stdout}${stderr}`);
    });
  }
});
