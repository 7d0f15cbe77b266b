// The official clients behind one small surface, so that a story can be told once for all of them:
// `listTools()`, `call(name, arguments, { signal, onprogress })`, `close()`, and `statuses`, the HTTP
// statuses that the client saw (a bridge shows none).
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { kNode, temporaryDirectory } from './harness.mjs';
import { kRemote } from './servers.mjs';

const kIdentity = { name: 'bartizan-tests', version: '1.0.0' };

/** `fetch` that writes down each status of a POST. */
function watchedFetch(statuses) {
  return async (input, init) => {
    const answer = await fetch(input, init);
    if (init?.method === 'POST') statuses.push(answer.status);
    return answer;
  };
}

function transportOptions(statuses, headers) {
  return { fetch: watchedFetch(statuses), requestInit: { headers } };
}

/** The transport of a client that is as old as that version. */
class OlderTransport extends LegacyTransport {
  constructor(url, options, version) {
    super(url, options);
    this.offered = version;
  }

  send(message, options) {
    const isFirst = message.method === 'initialize';
    const sent = isFirst ? { ...message, params: { ...message.params, protocolVersion: this.offered } } : message;
    return super.send(sent, options);
  }
}

async function connectLegacySdk(url, headers = {}, version = '2025-11-25') {
  const statuses = [];
  const client = new LegacyClient(kIdentity);
  await client.connect(new OlderTransport(new URL(url), transportOptions(statuses, headers), version));
  return {
    client,
    statuses,
    era: 'legacy',
    listTools: async () => (await client.listTools()).tools,
    call: (name, given, options) => client.callTool({ name, arguments: given }, undefined, options),
    close: () => client.close(),
  };
}

async function connectModernSdk(url, headers, mode) {
  const statuses = [];
  const client = new ModernClient(kIdentity, { versionNegotiation: { mode } });
  await client.connect(new ModernTransport(new URL(url), transportOptions(statuses, headers)));
  return {
    client,
    statuses,
    era: client.getProtocolEra(),
    listTools: async () => (await client.listTools()).tools,
    call: (name, given, options) => client.callTool({ name, arguments: given }, options),
    close: () => client.close(),
  };
}

async function connectBridge(url, headers = {}) {
  const headerArguments = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
  const transport = new StdioClientTransport({
    command: kNode,
    args: [kRemote, url, '--allow-http', '--transport', 'http-only', ...headerArguments],
    env: { PATH: process.env.PATH, HOME: temporaryDirectory(), MCP_REMOTE_CONFIG_DIR: temporaryDirectory() },
    stderr: 'ignore',
  });
  const client = new LegacyClient(kIdentity);
  await client.connect(transport);
  return {
    client,
    statuses: [],
    era: 'legacy',
    listTools: async () => (await client.listTools()).tools,
    call: (name, given, options) => client.callTool({ name, arguments: given }, undefined, options),
    close: () => client.close(),
  };
}

function modernClient(name, eras, mode) {
  return { name, eras, connect: (url, headers = {}) => connectModernSdk(url, headers, mode) };
}

/** Each official client: its name, the eras it can speak, how it connects. */
export const kClients = [
  { name: 'sdk 1.32', eras: ['legacy'], connect: connectLegacySdk },
  modernClient('client 2.4 legacy', ['legacy'], 'legacy'),
  modernClient('client 2.4 auto', ['modern', 'legacy'], 'auto'),
  modernClient('client 2.4 pinned to 2026-07-28', ['modern'], { pin: '2026-07-28' }),
  { name: 'mcp-remote', eras: ['legacy'], connect: connectBridge },
];

/** The same for a client of 2025-06-18, which reads wrong arguments as an error of the protocol. */
export const kOlderClient = {
  name: 'sdk 1.32 of 2025-06-18',
  eras: ['legacy'],
  connect: (url, headers = {}) => connectLegacySdk(url, headers, '2025-06-18'),
};
