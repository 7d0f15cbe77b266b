// The client that the official suite's client scenarios run. It uses all that a server offers, in the
// revision that the suite names: each list, each tool with arguments that fit, each resource and prompt.
// With `--gateway` a gateway stands between it and the suite's server, so that what the server sees is
// the gateway as a client.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { startGateway } from '../end_to_end/harness.mjs';
import { httpServer } from '../end_to_end/servers.mjs';
import { responseOf, sendModern } from '../end_to_end/wire.mjs';

const kCapabilities = { sampling: {}, elicitation: { form: { applyDefaults: true } }, roots: {} };
const kFeatures = 'prefix = "never"\nclient_features = ["sampling", "elicitation", "roots"]';
// Everything that the suite's servers offer: these runs are about the wire, not about policy.
const kPermissive = { tools: 'suite/*', resources: 'suite:**', prompts: 'suite/*', methods: '*' };
const kRules = Object.entries(kPermissive)
  .map(([kind, pattern]) => `[rule.all-${kind}]\neffect = "permit"\nroles = ["*"]\n${kind} = ["${pattern}"]\n`)
  .join('');

const kExamples = { string: 'text', number: 1, integer: 1, boolean: true, array: [], object: {}, null: null };

function exampleArguments({ properties = {}, required = [] }) {
  return Object.fromEntries(required.map((name) => [name, kExamples[properties[name]?.type] ?? 'text']));
}

/** What the suite asks for by name; whatever else a server offers is used with examples. */
function wantedCalls(scenario, tools) {
  const { toolCalls } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
  if (toolCalls) return toolCalls;
  if (scenario === 'json-schema-2020-12-preservation') {
    const { inputSchema: schema } = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
    return [{ name: 'json_schema_echo', arguments: { schema } }];
  }
  return tools.map(({ name, inputSchema }) => ({ name, arguments: exampleArguments(inputSchema) }));
}

/** What fails is seen by the suite's server: it did not get a request, or got another one. */
async function orNothing(promise, nothing) {
  try {
    return await promise;
  } catch (error) {
    console.error(error);
    return nothing;
  }
}

async function useEverything(client, scenario) {
  const { tools } = await orNothing(client.listTools(), { tools: [] });
  await Promise.all(wantedCalls(scenario, tools).map((call) => orNothing(client.callTool(call))));
  const offered = client.getServerCapabilities();
  const { resources } = offered?.resources ? await client.listResources() : { resources: [] };
  for (const { uri } of resources) await orNothing(client.readResource({ uri }));
  const { prompts } = offered?.prompts ? await client.listPrompts() : { prompts: [] };
  for (const { name } of prompts) await orNothing(client.getPrompt({ name }));
}

/** Loads each skill and then reads its files, without holding anything against what is listed. */
async function loadSkills(url, scenario) {
  const ask = async (method, params) => responseOf(await sendModern(url, method, params));
  const { skills } = (await ask('skills/list')).result;
  if (scenario === 'sep-2640-client-no-prefetch') return;
  for (const { uri, resources } of skills) {
    const loaded = await ask('resources/read', { uri });
    if (loaded.error) continue;
    for (const file of resources) await ask('resources/read', { uri: file.uri });
  }
}

async function play(url) {
  const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_PROTOCOL_VERSION: revision } = process.env;
  if (scenario.startsWith('sep-2640-')) return loadSkills(url, scenario);
  const mode = revision >= '2026-07-28' ? { pin: revision } : 'legacy';
  const client = new Client(
    { name: 'conformance-client', version: '1.0.0' },
    { capabilities: kCapabilities, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
  client.setRequestHandler('roots/list', () => ({ roots: [] }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  await useEverything(client, scenario);
  await client.close();
}

const url = process.argv.at(-1);
if (process.argv.includes('--gateway')) {
  const gateway = await startGateway(httpServer('suite', url, kFeatures) + kRules);
  await play(gateway.url);
  await gateway.stop();
} else {
  await play(url);
}
