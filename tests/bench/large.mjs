// What answers of 1, 4 and 8 MiB cost: CPU time, and pages that the kernel has to clear and map.
import { measure, middle, ratio } from './rounds.mjs';
import { startBartizan, startNginx, startOrigin } from './targets.mjs';

// Fewer connections than elsewhere: 32 answers of 8 MiB would measure the machine's memory.
const kFew = { connections: 4, warm: 100 };

export async function large(results) {
  const origin = await startOrigin();
  const targets = [await startNginx(origin), await startBartizan(origin)];
  for (const size of ['1m', '4m', '8m']) {
    const rounds = await measure(`answers of ${size}`, targets, { tool: `read_${size}` }, kFew);
    results.add(`cpu_vs_nginx_${size}`, ratio(rounds, 'bartizan', 'nginx'));
    for (const { name } of targets) results.add(`cpu_us_${name}_${size}`, middle(rounds, name));
    results.add(`page_faults_per_request_${size}`, middle(rounds, 'bartizan', 'faults'));
    results.add(`page_faults_per_request_${size}_nginx`, middle(rounds, 'nginx', 'faults'));
  }
  for (const target of [...targets, origin]) await target.stop();
}
