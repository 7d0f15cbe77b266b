// What callers learn of the errors of servers: all of it, or as much as their trust allows.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import { startGateway } from './harness.mjs';
import { kAuth, kTrusts, openCaller } from './schema_stage.mjs';
import { startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { kModernVersion, responseOf } from './wire.mjs';

/** Made anew for each story: nobody's, and never in a repository. */
const kSecret = `ghp_${randomBytes(27).toString('base64').replaceAll(/[+/]/g, 'x')}`;
const kMessage = 'no such table "payroll_2026" on db-7.internal';
const kRules = `
[rule.calls]
effect = "permit"
roles = ["*"]
tools = ["*/*"]
[rule.reads]
effect = "permit"
roles = ["*"]
resources = ["far:**"]
`;
/** Who gets the error itself where errors are told by trust. */
const kTrusted = ['verified', 'system'];

/** By code: what stands for the message for who is not trusted; nothing where all get the error. */
const kSentences = new Map([
  [-32700, 'The server could not read the request.'],
  [-32600, 'The server rejected the request as invalid.'],
  [-32601, 'The server does not have the method.'],
  [-32603, 'The server failed.'],
  [-32002, 'The server does not have the resource.'],
  [-32000, 'The server answered with an error.'],
  [-32019, 'The server answered with an error.'],
  [-32023, 'The server answered with an error.'],
  [-32041, 'The server answered with an error.'],
  [-32043, 'The server answered with an error.'],
  [7, 'The server answered with an error.'],
  [-32602, undefined],
  [-32021, undefined],
]);

/** Answers with an error of the code that the arguments, or the URI, name; on a stream if they say so. */
function answerError({ id, params }, response) {
  const code = params.arguments?.code ?? Number(params.uri.split('/').at(-1));
  const error = { code, message: kMessage, data: { sql: 'select *', hint: kSecret, requiredCapabilities: {} }, more: kMessage };
  const text = JSON.stringify({ jsonrpc: '2.0', id, error });
  const isStream = params.arguments?.stream ?? false;
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
  response.end(isStream ? `event: message\ndata: ${text}\n\n` : text);
}

/** A server of one era, and a gateway before it. */
async function begin(era, keys) {
  const capabilities = { tools: {}, resources: {} };
  const far = await startScriptedServer({
    era,
    introduction: { capabilities },
    onCall: answerError,
    onMessage: (message, response) => {
      if (message?.method !== 'resources/read') return false;
      answerError(message, response);
      return true;
    },
  });
  const gateway = await startGateway(httpServer('far', far.url, keys) + kRules, { auth: kAuth });
  return { far, gateway, stop: async () => (await gateway.stop(), await far.stop()) };
}

function assertWhole(error, code) {
  assert.equal(error.code, code);
  assert.equal(error.message, kMessage);
  assert.deepEqual(error.data, { sql: 'select *', hint: '[redacted:github.token]', requiredCapabilities: {} });
}

function assertSentence(answer, code) {
  assert.deepEqual(responseOf(answer).error, { code, message: kSentences.get(code) }, answer.body);
}

describe('errors of servers', () => {
  for (const [era, version] of [['legacy', '2025-11-25'], ['modern', kModernVersion]]) {
    describe(`of the ${era} era, by trust`, () => {
      let stage;
      before(async () => (stage = await begin(era, 'server_errors = "by_trust"')));
      after(() => stage?.stop());

      for (const trust of kTrusts) {
        for (const stream of [false, true]) {
          it(`are told to ${trust}${stream ? ' on a stream' : ''} as they may be`, async () => {
            const caller = await openCaller(stage.gateway.url, trust, version);
            for (const [code, sentence] of kSentences) {
              const answer = await caller.call('echo', JSON.stringify({ code, stream }));
              if (kTrusted.includes(trust) || sentence === undefined) {
                assertWhole(answer.response.error, code);
              } else {
                assertSentence(answer, code);
              }
            }
          });
        }
      }
      it('stand on record as what they were, redacted', async () => {
        const caller = await openCaller(stage.gateway.url, 'untrusted', version);
        await caller.call('echo', '{"code":-32603}');
        const outcome = stage.gateway.records().findLast(({ kind, method }) => kind === 'outcome' && method === 'tools/call');
        assert.equal(outcome.rpc_code, -32603);
        assert.match(outcome.detail, /^server error: "no such table \\"payroll_2026\\" on db-7\.internal" \{"sql":"select \*",/);
        assert.ok(!outcome.line.includes(kSecret), outcome.line);
      });
    });
  }

  describe('of what is read, by trust', () => {
    let stage;
    before(async () => (stage = await begin('legacy', 'server_errors = "by_trust"')));
    after(() => stage?.stop());

    for (const trust of kTrusts) {
      it(`are told to ${trust} as they may be`, async () => {
        const { session } = await openCaller(stage.gateway.url, trust, '2025-11-25');
        const answer = await session.request(9, 'resources/read', { uri: 'file:///srv/-32603' });
        if (kTrusted.includes(trust)) return assertWhole(responseOf(answer).error, -32603);
        assertSentence(answer, -32603);
      });
    }
  });

  describe('where nothing is said of them', () => {
    let stage;
    before(async () => (stage = await begin('legacy', '')));
    after(() => stage?.stop());

    it('are told to everybody, and stand on record by their code alone', async () => {
      for (const trust of kTrusts) {
        const caller = await openCaller(stage.gateway.url, trust, '2025-11-25');
        for (const code of kSentences.keys()) {
          const { response } = await caller.call('echo', JSON.stringify({ code }));
          assertWhole(response.error, code);
        }
        const read = await caller.session.request(9, 'resources/read', { uri: 'file:///srv/-32603' });
        assertWhole(responseOf(read).error, -32603);
      }
      assert.ok(stage.gateway.records().every(({ detail }) => !detail?.includes('server error')));
    });
  });
});
