// The time of a gateway that a story puts forward (shifted_program.cc).
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { kProgram, temporaryDirectory } from './harness.mjs';

/** A time for `bartizan_shifted`; `pass` puts it forward. */
export function shiftedTime() {
  const file = join(temporaryDirectory(), 'shift');
  let milliseconds = 0n;
  const write = () => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(milliseconds);
    // In place: the gateway has the file mapped.
    writeFileSync(file, bytes, { flag: milliseconds === 0n ? 'w' : 'r+' });
  };
  write();
  return {
    program: [join(dirname(kProgram), 'bartizan_shifted'), file],
    /** Returns once the gateway has closed the connections that nobody used meanwhile: `settleMs` later. */
    async pass(more, settleMs = 200) {
      milliseconds += BigInt(more);
      write();
      await delay(settleMs);
    },
  };
}
