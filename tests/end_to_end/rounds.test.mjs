// What goes back and forth within or beside a call, with the official clients in front of the gateway:
// sampling, elicitation and roots, logging levels, completion, subscriptions. Clients of both eras meet
// servers of either and of both: the same is said and heard, whatever the mix.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

import { eventually, textOf } from './assertions.mjs';
import { kTestsDirectory, startGateway } from './harness.mjs';
import { httpServer, startHttpServer } from './servers.mjs';

const kIdentity = { name: 'rounds', version: '1.0.0' };
const kCapabilities = { sampling: {}, elicitation: {}, roots: {} };
const kSample = { model: 'none', role: 'assistant', content: { type: 'text', text: 'Paris' } };
const kRoots = { roots: [{ uri: 'file:///srv', name: 'srv' }] };
const kFeatures = ['sampling', 'elicitation', 'roots', 'logging'];
const kRules = Object.entries({ tools: 'fixture/*', resources: 'fixture:**', prompts: 'fixture/*', methods: '*' })
  .map(([kind, pattern]) => `[rule.all-${kind}]\neffect = "permit"\nroles = ["tester"]\n${kind} = ["${pattern}"]\n`)
  .join('');

/** The form is filled in with what was asked for: each property gets a value of its type. */
function fillIn({ params }) {
  const values = { string: 'Ann', boolean: true, integer: 7, number: 7 };
  const entries = Object.entries(params.requestedSchema.properties);
  return { action: 'accept', content: Object.fromEntries(entries.map(([name, { type }]) => [name, values[type]])) };
}

const kAnswers = {
  'sampling/createMessage': () => kSample,
  'elicitation/create': fillIn,
  'roots/list': () => kRoots,
};
const kSchemas = {
  'sampling/createMessage': CreateMessageRequestSchema,
  'elicitation/create': ElicitRequestSchema,
  'roots/list': ListRootsRequestSchema,
};

async function connectLegacySdk(url, capabilities = kCapabilities) {
  const client = new LegacyClient(kIdentity, { capabilities });
  const [asked, logged] = [[], []];
  for (const [method, answer] of Object.entries(kAnswers)) {
    if (!capabilities[{ s: 'sampling', e: 'elicitation', r: 'roots' }[method[0]]]) continue;
    client.setRequestHandler(kSchemas[method], (request) => (asked.push(method), answer(request)));
  }
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params));
  await client.connect(new LegacyTransport(new URL(url)));
  return { client, asked, logged, call: (name, given = {}) => client.callTool({ name, arguments: given }) };
}

async function connectModernSdk(url, mode, capabilities = kCapabilities) {
  const client = new ModernClient(kIdentity, { capabilities, versionNegotiation: { mode } });
  const [asked, logged] = [[], []];
  for (const [method, answer] of Object.entries(kAnswers)) {
    if (!capabilities[{ s: 'sampling', e: 'elicitation', r: 'roots' }[method[0]]]) continue;
    client.setRequestHandler(method, (request) => (asked.push(method), answer(request)));
  }
  client.setNotificationHandler('notifications/message', ({ params }) => void logged.push(params));
  await client.connect(new ModernTransport(new URL(url)));
  return { client, asked, logged, call: (name, given = {}, more = {}) => client.callTool({ name, arguments: given, ...more }) };
}

const kModern = { pin: '2026-07-28' };
const kClients = [
  { name: 'sdk 1.32', era: 'legacy', connect: connectLegacySdk },
  { name: 'client 2.4 legacy', era: 'legacy', connect: (url, capabilities) => connectModernSdk(url, 'legacy', capabilities) },
  { name: 'client 2.4 modern', era: 'modern', connect: (url, capabilities) => connectModernSdk(url, kModern, capabilities) },
];

for (const eras of ['dual', 'legacy', 'modern']) describe(`a server of the eras ${eras} that asks back`, () => {
  let fixture;
  let gateway;
  let closed;
  before(async () => {
    fixture = await startHttpServer([join(kTestsDirectory, 'conformance', 'fixture_server.mjs'), '--port', '0', '--eras', eras]);
    const features = `prefix = "never"\nclient_features = ${JSON.stringify(kFeatures)}`;
    gateway = await startGateway(httpServer('fixture', fixture.url, features) + kRules);
    closed = await startGateway(httpServer('fixture', fixture.url, 'prefix = "never"') + kRules);
  });
  after(async () => {
    await gateway?.stop();
    await closed?.stop();
    fixture?.stop();
  });

  const kRounds = [
    { tool: 'test_input_required_result_sampling', asks: ['sampling/createMessage'], says: 'Sampled: Paris' },
    { tool: 'test_input_required_result_elicitation', asks: ['elicitation/create'], says: 'Hello, Ann!' },
    { tool: 'test_input_required_result_list_roots', asks: ['roots/list'], says: 'Roots: file:///srv' },
    {
      tool: 'test_input_required_result_multiple_inputs',
      asks: ['elicitation/create', 'roots/list', 'sampling/createMessage'],
      says: 'All three answered.',
    },
    {
      tool: 'test_input_required_result_multi_round',
      asks: ['elicitation/create', 'elicitation/create'],
      says: 'Both steps answered.',
    },
  ];
  for (const { name, era, connect } of kClients) {
    describe(`to ${name}`, () => {
      for (const { tool, asks, says } of kRounds) {
        it(`${tool.replace('test_input_required_result_', '')}`, async () => {
          const { client, asked, call } = await connect(gateway.url);
          assert.equal(textOf(await call(tool)), says);
          assert.deepEqual(asked.toSorted(), asks);
          await client.close();
        });
      }
      it('is not let through where the configuration does not allow it', async () => {
        const { client, asked, call } = await connect(closed.url);
        for (const { tool } of kRounds) {
          const outcome = await call(tool).catch((error) => ({ isError: true, error }));
          assert.equal(outcome.isError, true, JSON.stringify(outcome));
        }
        assert.deepEqual(asked, []);
        await client.close();
      });
      it('completes what a prompt is asked with', async () => {
        const { client } = await connect(gateway.url);
        const { completion } = await client.complete({
          ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
          argument: { name: 'arg1', value: 'par' },
        });
        assert.deepEqual(completion.values, ['paris', 'park', 'party']);
        await client.close();
      });
      if (era === 'legacy') {
        it('logs at the level that its client set, and above', async () => {
          const { client, call, logged } = await connect(gateway.url);
          await client.setLoggingLevel('error');
          await call('test_tool_with_logging');
          assert.deepEqual(logged, []);
          await client.setLoggingLevel('info');
          await call('test_tool_with_logging');
          await eventually(() => logged.length === 3, 'three lines');
          assert.ok(logged.every(({ level }) => level === 'info'));
          await client.close();
        });
      } else {
        it('logs at the level that each request names', async () => {
          const { client, call, logged } = await connect(gateway.url);
          await call('test_logging_tool');
          assert.deepEqual(logged, []);
          await call('test_logging_tool', {}, { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } });
          await eventually(() => logged.length === 3, 'three lines');
          await client.close();
        });
        it('says what changed to who listens for it, and to nobody else', async () => {
          const { client, call } = await connect(gateway.url);
          const heard = [];
          for (const what of ['tools', 'prompts']) {
            client.setNotificationHandler(`notifications/${what}/list_changed`, () => void heard.push(what));
          }
          const subscription = await client.listen({ toolsListChanged: true });
          await call('test_trigger_prompt_change');
          await call('test_trigger_tool_change');
          await eventually(() => heard.length > 0, 'a change is told');
          assert.deepEqual(heard, ['tools']);
          await subscription.close();
          await client.close();
        });
      }
    });
  }

  it('is not asked what the client did not declare', async () => {
    for (const { connect } of kClients) {
      const { client, call } = await connect(gateway.url, {});
      const outcome = await call('test_input_required_result_sampling').catch((error) => ({ isError: true, error }));
      assert.equal(outcome.isError, true, JSON.stringify(outcome));
      await client.close();
    }
  });
  it('is told of a failure where its client fails', async () => {
    const { client } = await connectLegacySdk(gateway.url);
    client.setRequestHandler(CreateMessageRequestSchema, () => {
      throw new Error('no model today');
    });
    const call = client.callTool({ name: 'test_sampling', arguments: { prompt: 'x' } });
    const outcome = await call.catch((error) => ({ isError: true, error }));
    assert.equal(outcome.isError, true, JSON.stringify(outcome));
    await client.close();
  });
});
