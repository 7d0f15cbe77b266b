// What the benchmark compares: the origin alone, two well-known proxies that look at nothing, a
// well-known MCP proxy, and the gateway with every control on. Each answers
// `{ name, port, pid, tool, stop }` and what a request to it has to carry. An origin that speaks TLS
// makes those in front of it speak TLS on both sides, with the same certificates.
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { freePort, kNode, kTestsDirectory, startGateway, temporaryDirectory } from '../end_to_end/harness.mjs';
import { benchProgram, firstLine, kLoadCore, kProxyCore, listening, run, start } from './processes.mjs';

export const kKey = 'the-key-of-the-benchmark';
const kRoot = '/srv/data';

/** The server behind all of them. `core` as everywhere: where it runs. `certificates`: it speaks TLS. */
export async function startOrigin(core = kLoadCore, certificates) {
  const files = certificates ? [certificates.certFile, certificates.keyFile] : [];
  const program = start(core, [benchProgram('bench_origin'), ...files], { stdio: ['ignore', 'pipe', 'pipe'] });
  const port = Number(await firstLine(program.child));
  return { ...program, name: 'direct', port, certificates, authority: certificates?.caFile };
}

const suffixed = (name, origin) => (origin.certificates ? `${name}_tls` : name);

function nginxTls({ caFile, certFile, keyFile }) {
  return `ssl_certificate ${certFile};
    ssl_certificate_key ${keyFile};
    ssl_protocols TLSv1.3;
    proxy_ssl_protocols TLSv1.3;
    proxy_ssl_verify on;
    proxy_ssl_trusted_certificate ${caFile};
    proxy_ssl_name localhost;`;
}

/**
 * nginx with one worker, no log, a kept connection to the origin for every client, and buffers that hold
 * an answer of 64 KiB whole. A larger one is passed on as it comes, without a file.
 */
export async function startNginx(origin, core = kProxyCore) {
  const [port, directory] = [await freePort(), temporaryDirectory()];
  // Started as root, its worker becomes another user, who has to reach the temporary folders.
  chmodSync(directory, 0o755);
  const tls = origin.certificates;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  for (const name of temporary) mkdirSync(join(directory, name));
  const paths = temporary.map((name) => `${name}_temp_path ${directory}/${name};`).join('\n  ');
  writeFileSync(
    join(directory, 'nginx.conf'),
    `daemon off;
worker_processes 1;
pid ${directory}/nginx.pid;
error_log stderr crit;
events { worker_connections 19000; }
http {
  access_log off;
  keepalive_timeout 3600s;
  keepalive_requests 1000000000;
  proxy_buffers 8 128k;
  proxy_busy_buffers_size 256k;
  proxy_max_temp_file_size 0;
  ${paths}
  upstream origin { server 127.0.0.1:${origin.port}; keepalive 512; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port}${tls ? ' ssl' : ''} backlog=4096;
    ${tls ? nginxTls(tls) : ''}
    location / { proxy_pass ${tls ? 'https' : 'http'}://origin; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`,
  );
  const program = start(core, ['nginx', '-p', directory, '-e', 'stderr', '-c', join(directory, 'nginx.conf')]);
  await listening(port, program);
  return { ...program, name: suffixed('nginx', origin), port, authority: origin.authority };
}

/** haproxy with one thread, no log, connections to the origin reused and kept, and buffers as nginx has. */
export async function startHaproxy(origin, core = kProxyCore) {
  const [port, directory] = [await freePort(), temporaryDirectory()];
  const file = join(directory, 'haproxy.cfg');
  writeFileSync(
    file,
    `global
  nbthread 1
  tune.bufsize 131072
defaults
  mode http
  timeout connect 5s
  timeout client 1h
  timeout server 1h
  timeout http-keep-alive 1h
  http-reuse always
listen bench
  bind 127.0.0.1:${port} backlog 4096
  server origin 127.0.0.1:${origin.port} pool-purge-delay 1h
`,
  );
  const program = start(core, ['haproxy', '-f', file, '-db']);
  await listening(port, program);
  return { ...program, name: 'haproxy', port };
}

/** The npm program over a child that echoes; the child's time is part of what it costs. */
export async function startMcpProxy(core = kProxyCore) {
  const port = await freePort();
  const script = join(kTestsDirectory, 'node_modules', 'mcp-proxy', 'dist', 'bin', 'mcp-proxy.mjs');
  const options = ['--port', String(port), '--host', '127.0.0.1', '--server', 'stream', '--no-eventStore'];
  const program = start(core, [kNode, script, ...options, '--', benchProgram('bench_echo')]);
  await listening(port, program);
  return { ...program, name: 'mcp_proxy', port };
}

const kAuth = `
[auth.api_key.bench]
principal = "bench"
sha256 = "${createHash('sha256').update(kKey).digest('hex')}"
[principal.bench]
roles = ["reader"]
attributes = { team = "measurements" }
[role.reader]
permissions = ["read:documents"]
trust = "verified"
`;

const kSession = `
[session]
max_concurrent = 1000
`;

// High enough to refuse nobody, and each of them drawn from on every call.
const kLimits = `
[limit.everyone]
per = []
rate = ["10000000/s", "600000000/min"]
[limit.user]
per = ["principal"]
rate = ["10000000/s", "600000000/min"]
[limit.tool]
per = ["principal", "tool"]
rate = ["10000000/s", "600000000/min"]
burst = 10000000
concurrency = 1000
`;

/** `count` rules: the ones that apply, and others about tools of servers that are called often too. */
export function rules(count) {
  const all = [
    '[rule.readers-read]\neffect = "permit"\nroles = ["reader"]\ntools = ["origin/read_*"]\n',
    '[rule.nobody-writes]\neffect = "forbid"\nroles = ["*"]\ntools = ["origin/write_*"]\n',
  ];
  for (let i = all.length; i < count; i += 1) {
    const effect = i % 4 === 0 ? 'forbid' : 'permit';
    all.push(`[rule.r${i}]\neffect = "${effect}"\nroles = ["reader"]\ntools = ["origin/tool_${i}"]\n`);
  }
  return all.join('');
}

/**
 * The gateway with every control on: keys, path predicates, limits, rules, the record on disk, and
 * metrics. `workers`, `ruleCount`; `session`: other bounds of sessions; `command`: what runs it, instead
 * of taskset on `core`; `program`: another build of it.
 */
export async function startBartizan(origin, { core = kProxyCore, workers = 1, ruleCount = 10, command, program, session = kSession, more = '' } = {}) {
  const tls = origin.certificates;
  const body = `
[process]
workers = ${workers}
[server.origin]
url = "${tls ? 'https' : 'http'}://127.0.0.1:${origin.port}/mcp"
${tls ? `tls_ca = ${JSON.stringify(tls.caFile)}` : ''}
max_in_flight = 1000
[path.data]
root = "${kRoot}"
[tool."origin/*"]
permissions = ["read:documents"]
[tool."origin/read_*".arguments]
"/path" = { path = "data" }
[policy]
unguarded_arguments = "allow"
${rules(ruleCount)}${more}`;
  const wrapper = command ?? ['taskset', '-c', String(core)];
  const secured = tls ? `tls = { cert = ${JSON.stringify(tls.certFile)}, key = ${JSON.stringify(`file:${tls.keyFile}`)} }\n` : '';
  const listen = `${secured}web_socket = true\nsse = true`;
  const gateway = await startGateway(body, { auth: kAuth, limits: session + kLimits, listen, wrapper, program });
  const port = Number(new URL(gateway.url).port);
  return {
    name: suffixed('bartizan', origin),
    port,
    authority: origin.authority,
    pid: gateway.process.pid,
    prefix: 'origin_',
    key: kKey,
    gateway,
    stop: () => gateway.stop(),
  };
}

/** The same gateway for clients of another transport, which a part compares. */
export const overWire = (target, wire) => ({ ...target, name: wire, wire });

/** What the load generator is told for `target`, beside how much. */
export function loadOptions(target, { tool = 'read_note', modern = false, ownSessions = false } = {}) {
  const options = [String(target.port), '--tool', (target.prefix ?? '') + tool];
  if (target.key) options.push('--key', target.key);
  if (target.authority) options.push('--authority', target.authority);
  if (modern) options.push('--modern');
  if (ownSessions) options.push('--own-sessions');
  if (target.wire) options.push('--wire', target.wire);
  return options;
}

/** Loads `target` and answers `{ requests, seconds, p50_us, … }`. */
export async function load(target, shape, more, core = kLoadCore) {
  const command = [benchProgram('bench_load'), ...loadOptions(target, shape), ...more.map(String)];
  return JSON.parse(await run('taskset', ['-c', String(core), ...command]));
}

/**
 * The same in two steps, so that what the connections' opening costs is not measured: it answers when they
 * are open, and what it answers begins the load.
 */
export async function openLoad(target, shape, more, core = kLoadCore) {
  const command = [benchProgram('bench_load'), ...loadOptions(target, shape), ...more.map(String), '--wait'];
  const { child, exited, complaints } = start(core, command, { stdio: ['pipe', 'pipe', 'pipe'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value } = await lines.next();
    if (value === undefined) throw new Error(`${command.join(' ')}: ${complaints()}`);
    return value;
  };
  await next();
  return async () => {
    child.stdin.end();
    const outcome = JSON.parse(await next());
    if ((await exited) !== 0) throw new Error(`${command.join(' ')}: ${complaints()}`);
    return outcome;
  };
}
