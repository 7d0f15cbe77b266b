// The parts of the benchmark, one after the other, and the lines `name value [MISSED]` at the end.
//
//   node tests/bench/bench.mjs PART…    see run.sh
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { run, say } from './processes.mjs';
import { Results } from './results.mjs';

const kAll = [
  'proxies', 'envoy', 'tls', 'large', 'workers', 'wires', 'idle', 'streams', 'start', 'syscalls', 'p50',
  'wrap', 'home', 'queue', 'rules', 'attack', 'evidence', 'micro', 'callgrind', 'corpus',
];
const kParts = [...kAll, 'smoke'];

/** The program of its own that attacks: its lines are taken over. */
async function attack(into) {
  const script = fileURLToPath(new URL('attack.mjs', import.meta.url));
  if (!existsSync(script)) throw new Error('there is no attack.mjs');
  into.addLines(await run(process.execPath, [script]));
}

// Whoever is interrupted ends what it started: the listeners of `exit` do that, and signals skip them.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
const results = new Results();
const parts = process.argv.slice(2).length ? process.argv.slice(2) : kAll;
const unknown = parts.filter((name) => !kParts.includes(name));
if (unknown.length) {
  say(`no part ${unknown.join(', ')}; there are ${kParts.join(', ')}`);
  process.exit(2);
}
let failed = 0;
for (const name of parts) {
  try {
    if (name === 'attack') await attack(results);
    else await (await import(`./${name}.mjs`))[name](results);
  } catch (error) {
    failed += 1;
    say(`${name} could not run: ${error.message}`);
  }
}
if (!parts.includes('smoke')) {
  mkdirSync('build/bench', { recursive: true });
  writeFileSync('build/bench/results.txt', results.text());
}
process.stdout.write(results.text());
process.exit(failed === 0 ? 0 : 1);
