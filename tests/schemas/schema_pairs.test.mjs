// Two validators that know nothing of each other judge the same generated pairs: ajv in this process,
// ours in a program that reads what ajv said.
//
//   BARTIZAN_SCHEMAS=…    how many schemas, each with its values (default 600)
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { it } from 'node:test';

import { kProgram } from '../end_to_end/harness.mjs';
import { schemaPairs } from './schema_pairs.mjs';

const kJudge = join(dirname(kProgram), 'judge_schema_pairs');
const kSchemas = Number(process.env.BARTIZAN_SCHEMAS ?? 600);

/** What the program counts; it ends with 1, and names them, where it disagrees. */
function judge(lines) {
  try {
    return execFileSync(kJudge, { input: `${lines.join('\n')}\n`, maxBuffer: 1 << 30 }).toString();
  } catch (thrown) {
    return assert.fail(thrown.stdout?.toString() ?? thrown.message);
  }
}

it('ajv and ours judge generated 2020-12 pairs alike', () => {
  const tally = JSON.parse(judge([...schemaPairs(kSchemas)]));
  const all = tally.valid + tally.invalid + tally.refused;
  assert.equal(tally.different, 0);
  // Pairs that say little: all of one verdict, or not judged.
  assert.ok(all > 10 * kSchemas && tally.valid > all / 4 && tally.invalid > all / 4, JSON.stringify(tally));
  assert.ok(tally.refused < all / 100, JSON.stringify(tally));
});

it('finds a verdict that is wrong', () => {
  const line = '{"schema":{"type":"integer"},"values":[{"value":1.0,"valid":true},{"value":1.5,"valid":true}]}';
  assert.throws(() => judge([line]), /value: {2}1\.5\nours: {3}invalid/);
});
