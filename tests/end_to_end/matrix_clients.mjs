// The clients of the matrix behind one surface, each with one connection to the gateway: `list()`,
// `call(tool, given, { onprogress, signal })`, `read(uri)`, `prompt(name, given)`, `follow(uri)`, which
// answers how it ends, `updates`, `form` with what the user writes into forms, and `close()`.
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

import { kNode, kProgram, temporaryDirectory } from './harness.mjs';
import { connectInspector, connectPython, connectPythonWebSocket, connectRaw } from './matrix_peers.mjs';
import { kRemote } from './servers.mjs';
import { LinePeer } from './wire_peer.mjs';

const kIdentity = { name: 'matrix', version: '1.0.0' };
const kCapabilities = { elicitation: {} };

/** What both libraries of the runtime have in common. */
class SdkConnection {
  updates = [];
  form = {};

  async list() {
    const [{ tools }, { prompts }, { resources }, { resourceTemplates }] = [
      await this.client.listTools(), await this.client.listPrompts(), await this.client.listResources(), await this.client.listResourceTemplates(),
    ];
    return {
      tools: tools.map(({ name }) => name), prompts: prompts.map(({ name }) => name),
      resources: resources.map(({ uri }) => uri), templates: resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    };
  }

  read(uri) {
    return this.client.readResource({ uri });
  }

  prompt(name, given) {
    return this.client.getPrompt({ name, arguments: given });
  }

  async follow(uri) {
    await this.client.subscribeResource({ uri });
    return () => this.client.unsubscribeResource({ uri });
  }

  answerForm() {
    return { action: 'accept', content: { ...this.form } };
  }

  close() {
    return this.client.close();
  }
}

/** SDK 1.32, over whatever transport. */
class LegacyConnection extends SdkConnection {
  static async open(transport) {
    const connection = new LegacyConnection();
    connection.client = new LegacyClient(kIdentity, { capabilities: kCapabilities });
    connection.client.setRequestHandler(ElicitRequestSchema, () => connection.answerForm());
    connection.client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void connection.updates.push(params.uri));
    await connection.client.connect(transport);
    return connection;
  }

  call(name, given, options) {
    return this.client.callTool({ name, arguments: given }, undefined, options);
  }
}

/** Client 2.4, in an era. */
class ModernConnection extends SdkConnection {
  static async open(url, mode) {
    const connection = new ModernConnection();
    connection.client = new ModernClient(kIdentity, { capabilities: kCapabilities, versionNegotiation: { mode } });
    connection.client.setRequestHandler('elicitation/create', () => connection.answerForm());
    connection.client.setNotificationHandler('notifications/resources/updated', ({ params }) => void connection.updates.push(params.uri));
    await connection.client.connect(new ModernTransport(new URL(url)));
    return connection;
  }

  call(name, given, options) {
    return this.client.callTool({ name, arguments: given }, options);
  }

  async follow(uri) {
    if (this.client.getProtocolEra() === 'legacy') return super.follow(uri);
    const subscription = await this.client.listen({ resourceSubscriptions: [uri] });
    const { resourceSubscriptions = [] } = subscription.honoredFilter;
    if (!resourceSubscriptions.includes(uri)) throw new Error('the subscription is not honoured');
    return () => subscription.close();
  }
}

const remote = (url) => [kRemote, url, '--allow-http', '--transport', 'http-only'];
const remoteEnvironment = () => ({ PATH: process.env.PATH, HOME: temporaryDirectory(), MCP_REMOTE_CONFIG_DIR: temporaryDirectory() });
const overStdio = (command, commandArguments) =>
  LegacyConnection.open(new StdioClientTransport({ command, args: commandArguments, env: remoteEnvironment(), stderr: 'ignore' }));

const kNoInspector = {
  refused: 'calls nothing that is not listed',
  progress: 'shows none', cancel: 'has no cancellation', subscribe: 'has no subscriptions', elicit: 'answers no questions',
};

/** Each client: its row, how it connects, the transport on record, what it cannot do. */
export const kClients = [
  { name: 'SDK 1.32', transport: 'http', lacks: {}, connect: ({ url }) => LegacyConnection.open(new LegacyTransport(new URL(url))) },
  { name: 'client 2.4 legacy', transport: 'http', lacks: {}, connect: ({ url }) => ModernConnection.open(url, 'legacy') },
  { name: 'client 2.4 auto', transport: 'http', lacks: {}, modern: true, connect: ({ url }) => ModernConnection.open(url, 'auto') },
  { name: 'client 2.4 modern', transport: 'http', lacks: {}, modern: true, connect: ({ url }) => ModernConnection.open(url, { pin: '2026-07-28' }) },
  { name: 'mcp-remote', transport: 'http', lacks: {}, connect: ({ url }) => overStdio(kNode, remote(url)) },
  { name: 'Inspector CLI', transport: 'http', lacks: kNoInspector, connect: connectInspector },
  { name: 'Python mcp', transport: 'http', lacks: {}, modern: true, connect: connectPython('mcp') },
  { name: 'Python fastmcp', transport: 'http', lacks: {}, modern: true, connect: connectPython('fastmcp') },
  { name: 'WebSocket by hand', transport: 'websocket', lacks: {}, connect: connectPythonWebSocket },
  { name: 'TCP by hand', transport: 'tcp', lacks: {}, connect: connectRaw(({ tcp }) => new LinePeer({ port: tcp, host: '127.0.0.1' })) },
  { name: 'Unix by hand', transport: 'unix', lacks: {}, connect: connectRaw(({ unix }) => new LinePeer({ path: unix })) },
  {
    name: 'wrap', transport: 'http', lacks: { refused: 'refuses by itself what the gateway does not list' },
    // It starts local servers alone, so what it starts is the bridge to the gateway.
    // Both gateways name the server of a resource, one around the other.
    connect: async ({ url }) => Object.assign(await overStdio(kProgram, ['wrap', '--name', 'it', '--allow', 'elicitation', '--', kNode, ...remote(url)]), { around: 'bartizan://it/' }),
  },
];
