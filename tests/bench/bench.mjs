// The parts of the benchmark, one after the other, and the lines `name value [MISSED]` at the end.
//
//   node tests/bench/bench.mjs PART…    from the root of the project; see run.sh
import { mkdirSync, writeFileSync } from 'node:fs';

import { say } from './processes.mjs';
import { Results } from './results.mjs';

const kParts = ['proxies', 'idle', 'syscalls', 'p50', 'wrap', 'home', 'callgrind'];

const results = new Results();
const parts = process.argv.slice(2).length ? process.argv.slice(2) : kParts;
let failed = 0;
for (const name of parts) {
  if (!kParts.includes(name)) throw new Error(`no part ${name}; there are ${kParts.join(', ')}`);
  try {
    const part = await import(`./${name}.mjs`);
    await part[name](results);
  } catch (error) {
    failed += 1;
    say(`${name} could not run: ${error.message}`);
  }
}
mkdirSync('build/bench', { recursive: true });
writeFileSync('build/bench/results.txt', results.text());
process.stdout.write(results.text());
process.exit(failed === 0 ? 0 : 1);
