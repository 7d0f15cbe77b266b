// Envoy with one worker thread, connections to the origin kept, no log: passing through, or with what it
// has to guard MCP. Its configuration is JSON, which it takes for YAML.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { freePort, temporaryDirectory } from '../end_to_end/harness.mjs';
import { kProxyCore, listening, say, start } from './processes.mjs';
import { kKey } from './targets.mjs';

const kEnvoy = fileURLToPath(new URL('../../build/bench/envoy/envoy/_bin/envoy', import.meta.url));
const kTypes = 'type.googleapis.com/envoy.extensions';
const kOfRequest = 'envoy.filters.http.mcp';
const kTls = { tls_minimum_protocol_version: 'TLSv1_3', tls_maximum_protocol_version: 'TLSv1_3' };

/** Whether it is installed; says so where it is not. */
export function hasEnvoy() {
  if (existsSync(kEnvoy)) return true;
  say('Envoy is SKIPPED: it is not installed (tests/bench/install_envoy.sh)');
  return false;
}

const filter = (name, type, more = {}) => ({
  name: `envoy.filters.http.${name}`,
  typed_config: { '@type': `${kTypes}.filters.http.${type}`, ...more },
});
const ofRequest = (path, match) => ({
  metadata: { filter: kOfRequest, path: path.map((key) => ({ key })), value: { string_match: match } },
});
const policy = (...permissions) => ({ permissions, principals: [{ any: true }] });

/** One key, one limit that refuses nobody, JSON-RPC that is read, and who may call what. */
function controls() {
  const always = { default_value: { numerator: 100 } };
  const bucket = { max_tokens: 10_000_000, tokens_per_fill: 10_000_000, fill_interval: '1s' };
  const isCall = ofRequest(['method'], { exact: 'tools/call' });
  const reads = ofRequest(['params', 'name'], { prefix: 'read_' });
  const policies = {
    handshake: policy(ofRequest(['method'], { exact: 'initialize' }), ofRequest(['method'], { prefix: 'notifications/' })),
    readers: policy({ and_rules: { rules: [isCall, reads] } }),
  };
  return [
    filter('api_key_auth', 'api_key_auth.v3.ApiKeyAuth', {
      credentials: [{ key: kKey, client: 'bench' }],
      key_sources: [{ header: 'Authorization' }],
    }),
    filter('local_ratelimit', 'local_ratelimit.v3.LocalRateLimit', {
      stat_prefix: 'limit', token_bucket: bucket, filter_enabled: always, filter_enforced: always,
    }),
    filter('mcp', 'mcp.v3.Mcp', { traffic_mode: 'REJECT_NO_MCP' }),
    filter('rbac', 'rbac.v3.RBAC', { rules: { action: 'ALLOW', policies } }),
  ];
}

function transport(type, common, more) {
  const typed_config = {
    '@type': `${kTypes}.transport_sockets.tls.v3.${type}`,
    common_tls_context: { tls_params: kTls, ...common },
    ...more,
  };
  return { transport_socket: { name: 'envoy.transport_sockets.tls', typed_config } };
}

/** Nothing where there are no certificates. */
function tlsOf(certificates) {
  if (!certificates) return { listening: {}, calling: {} };
  const { caFile, certFile, keyFile } = certificates;
  const own = { tls_certificates: [{ certificate_chain: { filename: certFile }, private_key: { filename: keyFile } }] };
  const names = [{ san_type: 'DNS', matcher: { exact: 'localhost' } }];
  const peer = { validation_context: { trusted_ca: { filename: caFile }, match_typed_subject_alt_names: names } };
  return {
    listening: transport('DownstreamTlsContext', own),
    calling: transport('UpstreamTlsContext', peer, { sni: 'localhost' }),
  };
}

function configuration(origin, port, filters) {
  const at = (port_value) => ({ socket_address: { address: '127.0.0.1', port_value } });
  const tls = tlsOf(origin.certificates);
  const route = { match: { prefix: '/' }, route: { cluster: 'origin', timeout: '0s' } };
  const connections = {
    '@type': `${kTypes}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: 'bench',
    route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes: [route] }] },
    http_filters: [...filters, filter('router', 'router.v3.Router')],
  };
  const manager = { name: 'envoy.filters.network.http_connection_manager', typed_config: connections };
  const listener = { address: at(port), filter_chains: [{ filters: [manager], ...tls.listening }] };
  const endpoints = [{ lb_endpoints: [{ endpoint: { address: at(origin.port) } }] }];
  const cluster = {
    name: 'origin',
    type: 'STATIC',
    connect_timeout: '5s',
    load_assignment: { cluster_name: 'origin', endpoints },
    ...tls.calling,
  };
  return { static_resources: { listeners: [listener], clusters: [cluster] } };
}

async function launch(origin, name, filters, core) {
  const [port, directory] = [await freePort(), temporaryDirectory()];
  const file = join(directory, 'envoy.json');
  writeFileSync(file, JSON.stringify(configuration(origin, port, filters)));
  const options = ['--concurrency', '1', '--use-dynamic-base-id', '-l', 'error', '-c', file];
  const program = start(core, [kEnvoy, ...options]);
  await listening(port, program);
  return { ...program, name, port, authority: origin.certificates?.caFile };
}

/** Passes everything through; over TLS on both sides where the origin speaks it. */
export function startEnvoy(origin, core = kProxyCore) {
  return launch(origin, origin.certificates ? 'envoy_tls' : 'envoy', [], core);
}

/** With API key, rate limit, the MCP filter and RBAC. */
export async function startEnvoyControls(origin, core = kProxyCore) {
  return { ...(await launch(origin, 'envoy_controls', controls(), core)), key: kKey };
}
