// Tools and a prompt that ask the client something. A modern client is answered `input_required` and
// comes back; toward a legacy client the SDK sends the same questions as requests of its own.
import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

import { textResult } from './fixture_tools.mjs';

function formOf(message, properties, required) {
  const requestedSchema = { type: 'object', properties, ...(required && { required }) };
  return inputRequired.elicit({ message, requestedSchema });
}

function promptOf(text, maxTokens) {
  return inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens });
}

const kName = { name: { type: 'string' } };
const kOk = { ok: { type: 'boolean' } };
const askName = () => formOf('What is your name?', kName, ['name']);
const askConfirmation = () => formOf('Please confirm', kOk, ['ok']);

function responseTo(context, key) {
  return inputResponse(context.mcpReq.inputResponses, key);
}

/** The accepted form under `key`, or nothing: declined, malformed and missing answers are asked again. */
function acceptedForm(context, key) {
  const response = responseTo(context, key);
  return response.kind === 'elicit' && response.action === 'accept' ? response.content : undefined;
}

function declaredCapabilities(context) {
  return context.mcpReq.envelope?.[CLIENT_CAPABILITIES_META_KEY];
}

/** One question under one key: asks until it is answered with the wanted kind. */
function addOneQuestion(server, name, key, kind, ask, tell) {
  server.registerTool(name, { description: `Asks the client for ${key}.` }, (context) => {
    const response = responseTo(context, key);
    if (response.kind !== kind) return inputRequired({ inputRequests: { [key]: ask() } });
    return textResult(tell(response));
  });
}

function addLegacyNamedTools(server) {
  const account = {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  };
  const samplingSchema = z.object({ prompt: z.string() });
  server.registerTool('test_sampling', { description: 'Asks the client for a sample.', inputSchema: samplingSchema },
    ({ prompt }, context) => {
      const response = responseTo(context, 'sample');
      if (response.kind !== 'sampling') return inputRequired({ inputRequests: { sample: promptOf(prompt, 100) } });
      return textResult(`LLM response: ${response.result.content.text}`);
    });
  const elicitationSchema = z.object({ message: z.string() });
  server.registerTool('test_elicitation', { description: 'Asks the user.', inputSchema: elicitationSchema },
    ({ message }, context) => {
      const response = responseTo(context, 'account');
      if (response.kind === 'elicit') return textResult(`User response: ${JSON.stringify(response)}`);
      return inputRequired({ inputRequests: { account: formOf(message, account, ['username', 'email']) } });
    });
}

function addForms(server) {
  const done = ({ action, content }) => `Elicitation completed: action=${action}, content=${JSON.stringify(content)}`;
  const defaults = {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  };
  const titled = ['First', 'Second', 'Third'];
  const options = (title) => titled.map((word, index) => ({ const: `value${index + 1}`, title: `${word} ${title}` }));
  const plain = ['option1', 'option2', 'option3'];
  const enums = {
    untitledSingle: { type: 'string', enum: plain },
    titledSingle: { type: 'string', oneOf: options('Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: plain } },
    titledMulti: { type: 'array', items: { anyOf: options('Choice') } },
  };
  addOneQuestion(server, 'test_elicitation_sep1034_defaults', 'form', 'elicit',
    () => formOf('Check these defaults', defaults), done);
  addOneQuestion(server, 'test_elicitation_sep1330_enums', 'form', 'elicit',
    () => formOf('Choose from these', enums), done);
}

function addSimpleRounds(server) {
  server.registerTool('test_input_required_result_elicitation', { description: 'Asks for a name.' }, (context) => {
    const answer = acceptedForm(context, 'user_name');
    if (answer?.name === undefined) return inputRequired({ inputRequests: { user_name: askName() } });
    return textResult(`Hello, ${answer.name}!`);
  });
  addOneQuestion(server, 'test_input_required_result_sampling', 'capital_question', 'sampling',
    () => promptOf('What is the capital of France?', 100), ({ result }) => `Sampled: ${result.content.text}`);
  addOneQuestion(server, 'test_input_required_result_list_roots', 'client_roots', 'roots',
    () => inputRequired.listRoots(), ({ roots }) => `Roots: ${roots.map((root) => root.uri).join(', ')}`);
  // The suite wants a stream that carries notifications and one result, never a request.
  server.registerTool('test_streaming_elicitation', { description: 'Asks for a confirmation.' }, (context) => {
    if (responseTo(context, 'confirm').kind === 'elicit') return textResult('Confirmed.');
    return inputRequired({ inputRequests: { confirm: askConfirmation() } });
  });
}

function addStatefulRounds(server, codec) {
  const confirmWithState = (name) =>
    server.registerTool(name, { description: 'Asks for a confirmation and keeps state.' }, async (context) => {
      const state = context.mcpReq.requestState();
      if (state?.tool === name && responseTo(context, 'confirm').kind === 'elicit') return textResult('state-ok');
      const requestState = await codec.mint({ tool: name });
      return inputRequired({ inputRequests: { confirm: askConfirmation() }, requestState });
    });
  confirmWithState('test_input_required_result_request_state');
  confirmWithState('test_input_required_result_tampered_state');

  server.registerTool('test_input_required_result_multiple_inputs', { description: 'Asks for three things at once.' },
    async (context) => {
      const kinds = ['user_name', 'greeting', 'client_roots'].map((key) => responseTo(context, key).kind);
      if (kinds.join() === 'elicit,sampling,roots') return textResult('All three answered.');
      const inputRequests = {
        user_name: askName(),
        greeting: promptOf('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      };
      return inputRequired({ inputRequests, requestState: await codec.mint({ round: 1 }) });
    });

  server.registerTool('test_input_required_result_multi_round', { description: 'Asks twice.' }, async (context) => {
    const round = context.mcpReq.requestState()?.round ?? 0;
    if (round === 2 && acceptedForm(context, 'step2')) return textResult('Both steps answered.');
    if (round >= 1 && acceptedForm(context, 'step1')) {
      const step2 = formOf('Step 2: What is your favorite color?', { color: { type: 'string' } }, ['color']);
      return inputRequired({ inputRequests: { step2 }, requestState: await codec.mint({ round: 2 }) });
    }
    const step1 = formOf('Step 1: What is your name?', kName, ['name']);
    return inputRequired({ inputRequests: { step1 }, requestState: await codec.mint({ round: 1 }) });
  });
}

function addCapabilityTools(server) {
  const description = 'Asks only what the client can answer.';
  server.registerTool('test_input_required_result_capabilities', { description },
    (context) => {
      const declared = declaredCapabilities(context) ?? {};
      const inputRequests = {
        ...(declared.elicitation && { user_name: askName() }),
        ...(declared.sampling && { greeting: promptOf('Generate a greeting', 50) }),
        ...(declared.roots && { client_roots: inputRequired.listRoots() }),
      };
      const isAnswered = Object.keys(context.mcpReq.inputResponses ?? {}).length > 0;
      if (isAnswered || Object.keys(inputRequests).length === 0) return textResult('Nothing more to ask.');
      return inputRequired({ inputRequests });
    });
  server.registerTool('test_missing_capability', { description: 'Needs a client that can sample.' }, (context) => {
    if (responseTo(context, 'sample').kind === 'sampling') return textResult('The client can sample.');
    // The SDK answers -32021 where a question needs a capability that the client did not declare.
    return inputRequired({ inputRequests: { sample: promptOf('Say something.', 10) } });
  });
}

function addAskingPrompt(server) {
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks for a context.' }, (context) => {
    const answer = acceptedForm(context, 'user_context');
    if (!answer) {
      const question = formOf('What context should the prompt use?', { context: { type: 'string' } }, ['context']);
      return inputRequired({ inputRequests: { user_context: question } });
    }
    return { messages: [{ role: 'user', content: { type: 'text', text: `Context: ${answer.context}` } }] };
  });
}

/** Everything that asks. `codec` seals the state that travels through the client. */
export function addAskingTools(server, codec) {
  addLegacyNamedTools(server);
  addForms(server);
  addSimpleRounds(server);
  addStatefulRounds(server, codec);
  addCapabilityTools(server);
  addAskingPrompt(server);
}
