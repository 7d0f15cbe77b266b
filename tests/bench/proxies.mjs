// CPU time per request of each proxy's whole process tree. The targets are loaded in turn, round
// after round, and a ratio is the median of the ratios within each round.
import { measure, middle, ratio } from './rounds.mjs';
import { startBartizan, startHaproxy, startMcpProxy, startNginx, startOrigin } from './targets.mjs';

const kManyRules = 10_000;
const kManyConnections = 128;
// A just-in-time compiler needs thousands of calls before it is what it will be.
const kWarmRequests = 5000;

export async function proxies(results) {
  const origin = await startOrigin();
  const nginx = await startNginx(origin);
  const haproxy = await startHaproxy(origin);
  const mcpProxy = await startMcpProxy();
  const bartizan = await startBartizan(origin);
  const manyRules = { ...(await startBartizan(origin, { ruleCount: kManyRules })), name: 'bartizan_10k_rules' };

  const small = await measure('400 B', [origin, nginx, haproxy, bartizan, manyRules, mcpProxy], {}, { warm: kWarmRequests });
  results.add('cpu_vs_nginx', ratio(small, 'bartizan', 'nginx'));
  results.add('cpu_vs_haproxy', ratio(small, 'bartizan', 'haproxy'));
  results.add('cpu_vs_mcp_proxy', ratio(small, 'bartizan', 'mcp_proxy'));
  results.add('cpu_10k_rules_vs_10', ratio(small, 'bartizan_10k_rules', 'bartizan'));
  for (const { name } of [origin, nginx, haproxy, bartizan, mcpProxy]) results.add(`cpu_us_${name}`, middle(small, name));

  const many = await measure(`400 B, ${kManyConnections} connections`, [nginx, haproxy, bartizan], {}, { connections: kManyConnections });
  results.add('cpu_vs_nginx_many', ratio(many, 'bartizan', 'nginx'));
  results.add('cpu_vs_haproxy_many', ratio(many, 'bartizan', 'haproxy'));
  results.add('cpu_us_bartizan_many', middle(many, 'bartizan'));

  const modern = await measure('400 B of 2026-07-28', [nginx, haproxy, bartizan], { modern: true });
  results.add('cpu_vs_nginx_modern', ratio(modern, 'bartizan', 'nginx'));
  results.add('cpu_vs_haproxy_modern', ratio(modern, 'bartizan', 'haproxy'));

  const large = await measure('64 KiB', [nginx, haproxy, bartizan], { tool: 'read_book' });
  results.add('cpu_vs_nginx_64k', ratio(large, 'bartizan', 'nginx'));
  results.add('cpu_vs_haproxy_64k', ratio(large, 'bartizan', 'haproxy'));
  results.add('cpu_us_bartizan_64k', middle(large, 'bartizan'));
  results.add('cpu_us_nginx_64k', middle(large, 'nginx'));

  for (const target of [bartizan, manyRules, mcpProxy, haproxy, nginx, origin]) await target.stop();
}
