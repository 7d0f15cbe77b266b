// CPU time of a call over TLS on both sides, from the client to the proxy and from there to the origin,
// beside the same without: TLS 1.3 with AES-128-GCM and certificates that are checked, for everybody.
import { makeCertificates } from '../end_to_end/certificates.mjs';
import { hasEnvoy, startEnvoy } from './envoy_target.mjs';
import { measure, middle, ratio } from './rounds.mjs';
import { startBartizan, startNginx, startOrigin } from './targets.mjs';

export async function tls(results) {
  const plain = await startOrigin();
  const origin = await startOrigin(undefined, makeCertificates('IP:127.0.0.1,DNS:localhost'));
  const targets = [];
  for (const each of [plain, origin]) targets.push(await startNginx(each), await startBartizan(each));
  const withEnvoy = hasEnvoy();
  if (withEnvoy) targets.push(await startEnvoy(origin));
  for (const [what, suffix, shape] of [['400 B', '', {}], ['64 KiB', '_64k', { tool: 'read_book' }]]) {
    const rounds = await measure(what, targets, shape);
    results.add(`cpu_vs_nginx_tls${suffix}`, ratio(rounds, 'bartizan_tls', 'nginx_tls'));
    if (withEnvoy) results.add(`cpu_vs_envoy_tls${suffix}`, ratio(rounds, 'bartizan_tls', 'envoy_tls'));
    results.add(`cpu_us_bartizan_tls${suffix}`, middle(rounds, 'bartizan_tls'));
    results.add(`cpu_us_nginx_tls${suffix}`, middle(rounds, 'nginx_tls'));
    results.add(`tls_vs_plain${suffix}`, ratio(rounds, 'bartizan_tls', 'bartizan'));
    results.add(`tls_vs_plain${suffix}_nginx`, ratio(rounds, 'nginx_tls', 'nginx'));
  }
  for (const target of [...targets, origin, plain]) await target.stop();
}
