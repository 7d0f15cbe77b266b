// The tools that the official suite calls by name and that answer in one round.
import { setTimeout as delay } from 'node:timers/promises';

import { fromJsonSchema } from '@modelcontextprotocol/server';

import { kPng, kWav } from './fixture_content.mjs';

const kImage = { type: 'image', data: kPng, mimeType: 'image/png' };

// The suite compares this schema member by member with what `tools/list` answers.
const kRichSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const kMirroredSchema = {
  type: 'object',
  properties: {
    region: { type: 'string', description: 'Mirrored into a header.', 'x-mcp-header': 'Region' },
    query: { type: 'string', description: 'Not mirrored.' },
  },
  required: ['region'],
};

export function textResult(value) {
  return { content: [{ type: 'text', text: value }] };
}

function embedded(uri, mimeType, text) {
  return { type: 'resource', resource: { uri, mimeType, text } };
}

/** The three steps of a call that takes its time, 50 ms apart as the suite wants. */
async function inThreeSteps(step) {
  await step(0);
  await delay(50);
  await step(1);
  await delay(50);
  await step(2);
}

export function addContentTools(server) {
  const add = (name, description, content) => server.registerTool(name, { description }, () => ({ content }));
  const text = (value) => ({ type: 'text', text: value });
  const mixed = embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}');

  add('test_simple_text', 'Answers a text.', [text('This is a simple text response for testing.')]);
  add('test_image_content', 'Answers an image.', [kImage]);
  add('test_audio_content', 'Answers a sound.', [{ type: 'audio', data: kWav, mimeType: 'audio/wav' }]);
  add('test_embedded_resource', 'Answers a resource.', [
    embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ]);
  add('test_multiple_content_types', 'Answers three kinds.', [text('Multiple content types test:'), kImage, mixed]);
}

export function addBehaviourTools(server) {
  server.registerTool('test_error_handling', { description: 'Always fails.' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  const logging = async (context) => {
    const lines = ['Tool execution started', 'Tool processing data', 'Tool execution completed'];
    await inThreeSteps((step) => context.mcpReq.log('info', lines[step]));
    return textResult('Logged three lines.');
  };
  server.registerTool('test_tool_with_logging', { description: 'Logs three lines.' }, logging);
  server.registerTool('test_logging_tool', { description: 'Logs where the request asked for it.' }, logging);
  server.registerTool('test_tool_with_progress', { description: 'Reports progress.' }, async (context) => {
    const progressToken = context.mcpReq._meta?.progressToken;
    await inThreeSteps(async (step) => {
      if (progressToken === undefined) return;
      const params = { progressToken, progress: step * 50, total: 100 };
      await context.mcpReq.notify({ method: 'notifications/progress', params });
    });
    return textResult('Reported three steps.');
  });
  server.registerTool(
    'test_reconnection',
    { description: 'Closes its event stream before it answers; the answer waits for the client to come back.' },
    async (context) => {
      await delay(50);
      context.http?.closeSSE?.();
      await delay(100);
      return textResult('Answered after the reconnection.');
    },
  );
}

export function addSchemaTools(server) {
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Tool with JSON Schema 2020-12 features', inputSchema: fromJsonSchema(kRichSchema) },
    () => textResult('ok'),
  );
  server.registerTool(
    'test_mirrored_header',
    { description: 'Mirrors its region into a header.', inputSchema: fromJsonSchema(kMirroredSchema) },
    ({ region }) => textResult(`region ${region}`),
  );
}

/** Tools that announce a changed list. `changes` answers who is told in which era. */
export function addChangeTools(server, changes) {
  server.registerTool('test_trigger_tool_change', { description: 'Announces changed tools.' }, () => {
    changes.toolsChanged();
    return textResult('Tools changed.');
  });
  server.registerTool('test_trigger_prompt_change', { description: 'Announces changed prompts.' }, () => {
    changes.promptsChanged();
    return textResult('Prompts changed.');
  });
}
