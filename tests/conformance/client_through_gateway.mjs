// The client that the official suite's client scenarios run: an SDK client in front of a gateway in
// front of the suite's server, so that what the server sees is the gateway as a client.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { startGateway } from '../end_to_end/harness.mjs';
import { httpServer } from '../end_to_end/servers.mjs';

const kRule = '[rule.all]\neffect = "permit"\nroles = ["*"]\ntools = ["suite/*"]\n';

const gateway = await startGateway(httpServer('suite', process.argv.at(-1), 'prefix = "never"') + kRule);
const client = new Client({ name: 'conformance-client', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
const { tools } = await client.listTools();
for (const { name } of tools) await client.callTool({ name, arguments: {} });
await client.close();
await gateway.stop();
