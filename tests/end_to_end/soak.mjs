// What `make soak` runs: `node soak.mjs [POINTS] [SEED]`. Progress goes to standard error, the sum to
// standard output.
import { killAtRandom } from './kill_points.mjs';

const points = Number(process.argv[2] ?? 2000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const began = Date.now();
const seconds = () => Math.round((Date.now() - began) / 1000);

async function run(durability, share) {
  process.stderr.write(`soak: ${share} kills with durability ${durability}, seed ${seed}\n`);
  const onPoint = (point) => {
    if (point % 100 === 0) process.stderr.write(`  ${point} of ${share}, ${seconds()} s\n`);
  };
  const counted = await killAtRandom({ points: share, seed, durability, onPoint });
  const text = Object.entries(counted).map(([name, count]) => `${count} ${name}`);
  process.stdout.write(`soak: ${share} kills with durability ${durability}: ok, ${text.join(', ')}, ${seconds()} s\n`);
}

try {
  await run('kernel', Math.ceil(points * 0.8));
  await run('disk', Math.floor(points * 0.2));
} catch (error) {
  process.stdout.write(`soak: FAILED with seed ${seed}: ${error.stack}\n`);
  process.exitCode = 1;
}
process.exit();
