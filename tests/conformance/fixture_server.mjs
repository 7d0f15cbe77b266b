// The server that the official conformance suite runs against, directly and behind the gateway.
// `--port 0` picks a port and prints it; `--eras dual|legacy|modern`; `--record FILE` keeps raw bodies.
import { randomBytes } from 'node:crypto';

import { McpServer, createRequestStateCodec } from '@modelcontextprotocol/server';

import { readArguments } from '../end_to_end/fixtures/arguments.mjs';
import { recorderTo } from '../end_to_end/fixtures/recorder.mjs';
import { serveHttp } from '../end_to_end/fixtures/serve_http.mjs';
import { makeEventStore } from './event_store.mjs';
import { addPrompts, addResources, addSubscriptions } from './fixture_content.mjs';
import { addAskingTools } from './fixture_rounds.mjs';
import { addSkills, kSkillCapability } from './fixture_skills.mjs';
import { addTaskTools, interceptTasks, kTaskCapability } from './fixture_tasks.mjs';
import { addBehaviourTools, addChangeTools, addContentTools, addSchemaTools } from './fixture_tools.mjs';

const kCapabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};
const kModernCapabilities = { ...kCapabilities, extensions: { ...kSkillCapability, ...kTaskCapability } };

const codec = createRequestStateCodec({ key: randomBytes(32) });
let modern;

/** Tells the listeners of the era that a call came in: modern streams hear it from the serving entry. */
function changesOf(server, era) {
  if (era === 'modern') return modern.notify;
  return {
    toolsChanged: () => server.sendToolListChanged(),
    promptsChanged: () => server.sendPromptListChanged(),
  };
}

function makeServer({ era }) {
  const server = new McpServer(
    { name: 'conformance-fixture', version: '1.0.0' },
    { capabilities: era === 'modern' ? kModernCapabilities : kCapabilities, requestState: { verify: codec.verify } },
  );
  addContentTools(server);
  addBehaviourTools(server);
  addSchemaTools(server);
  addChangeTools(server, changesOf(server, era));
  addAskingTools(server, codec);
  addResources(server);
  addSubscriptions(server);
  addPrompts(server);
  if (era === 'modern') addTaskTools(server);
  if (era === 'modern') addSkills(server);
  return server;
}

const options = readArguments({ port: '0', eras: 'dual', record: '' });
modern = await serveHttp({
  factory: makeServer,
  port: options.port,
  eras: options.eras,
  record: recorderTo(options.record),
  makeEventStore,
  intercept: interceptTasks(),
});
