// CPU time of a call beside Envoy: passing through, and with its API keys, rate limit, MCP filter and
// RBAC. That these refuse is looked at first, since controls that let everything pass cost less.
import { hasEnvoy, startEnvoy, startEnvoyControls } from './envoy_target.mjs';
import { measure, middle, ratio } from './rounds.mjs';
import { startBartizan, startOrigin } from './targets.mjs';

/** The status of one call to `tool` with `key`. */
async function ask(target, tool, key = target.key) {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: {} } };
  const accepted = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const request = { method: 'POST', headers: { ...accepted, Authorization: `Bearer ${key}` }, body: JSON.stringify(message) };
  const answer = await fetch(`http://127.0.0.1:${target.port}/mcp`, request);
  await answer.arrayBuffer();
  return answer.status;
}

async function checkControls(target) {
  const statuses = [];
  for (const [tool, key] of [['read_note'], ['write_note'], ['read_note', 'another-key']]) statuses.push(await ask(target, tool, key));
  if (statuses.join(' ') === '200 403 401') return;
  throw new Error(`Envoy's controls answer ${statuses.join(', ')} instead of 200, 403, 401`);
}

export async function envoy(results) {
  if (!hasEnvoy()) return;
  const origin = await startOrigin();
  const targets = [await startEnvoy(origin), await startEnvoyControls(origin), await startBartizan(origin)];
  await checkControls(targets[1]);
  for (const [what, suffix, shape] of [['400 B', '', {}], ['64 KiB', '_64k', { tool: 'read_book' }]]) {
    const rounds = await measure(what, targets, shape);
    results.add(`cpu_vs_envoy${suffix}`, ratio(rounds, 'bartizan', 'envoy'));
    results.add(`cpu_vs_envoy_controls${suffix}`, ratio(rounds, 'bartizan', 'envoy_controls'));
    results.add(`cpu_us_envoy${suffix}`, middle(rounds, 'envoy'));
    results.add(`cpu_us_envoy_controls${suffix}`, middle(rounds, 'envoy_controls'));
  }
  for (const target of [...targets, origin]) await target.stop();
}
