// What `make soak` runs: `node soak.mjs [POINTS] [SEED]`. Progress goes to standard error, the sum to
// standard output.
import { killWhileApproving } from './approval_kill_points.mjs';
import { killAtRandom } from './kill_points.mjs';

const points = Number(process.argv[2] ?? 2000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const began = Date.now();
const seconds = () => Math.round((Date.now() - began) / 1000);

async function run(what, share, kill) {
  process.stderr.write(`soak: ${share} kills ${what}, seed ${seed}\n`);
  const onPoint = (point) => {
    if (point % 100 === 0) process.stderr.write(`  ${point} of ${share}, ${seconds()} s\n`);
  };
  const counted = await kill({ points: share, seed, onPoint });
  const text = Object.entries(counted).map(([name, count]) => `${count} ${name}`);
  process.stdout.write(`soak: ${share} kills ${what}: ok, ${text.join(', ')}, ${seconds()} s\n`);
}

const under = (durability) => (options) => killAtRandom({ ...options, durability });

try {
  await run('with durability kernel', Math.ceil(points * 0.8), under('kernel'));
  await run('with durability disk', Math.floor(points * 0.2), under('disk'));
  await run('while calls are approved', points, async (options) => (await killWhileApproving(options)).counted);
} catch (error) {
  process.stdout.write(`soak: FAILED with seed ${seed}: ${error.stack}\n`);
  process.exitCode = 1;
}
process.exit();
