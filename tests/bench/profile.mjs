// What `make profile` has an instrumented gateway do: calls of both eras, small and large, and every
// stage of `micro` for a moment, so that texts of other scripts, what is found in them, and unusual
// arguments are not taken for what never happens. Writes `gateway.profraw` and `micro.profraw` to the
// folder that it is given.
import { join } from 'node:path';

import { benchProgram, kConnections, run, say } from './processes.mjs';
import { load, startBartizan, startOrigin } from './targets.mjs';

const kFolder = process.argv[2];
const kShapes = [
  { shape: {}, requests: 20_000 },
  { shape: { modern: true }, requests: 10_000 },
  { shape: { tool: 'read_book' }, requests: 3_000 },
];
// What is made once before it is measured would look as if it were made for each call.
const kLeftOut = '-valijson|commit_disk|compile_10k|rules_10*k|authenticate_10k';

/** Where programs that are started from now on write their profile; by default nowhere. */
function keepProfile(file = '/dev/null') {
  process.env.LLVM_PROFILE_FILE = file;
}

say('profile: calls');
keepProfile();
const origin = await startOrigin();
keepProfile(join(kFolder, 'gateway.profraw'));
const gateway = await startBartizan(origin);
keepProfile();
for (const { shape, requests } of kShapes) await load(gateway, shape, ['--connections', kConnections, '--requests', requests]);
await gateway.stop();
await origin.stop();

// A moment each: what runs a million times must not make all else look rare.
say('profile: stages');
keepProfile(join(kFolder, 'micro.profraw'));
await run(benchProgram('bench_micro'), ['--benchmark_min_time=0.001', `--benchmark_filter=${kLeftOut}`]);
