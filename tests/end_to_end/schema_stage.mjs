// What the stories of schemas share: servers inside the story whose tools are written down as tables,
// a gateway with a caller of each trust, calls written by hand, and what is searched for a value that
// nobody may repeat.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

import { startGateway } from './harness.mjs';
import { startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { LegacySession, kModernVersion, modernMeta, responseOf, send } from './wire.mjs';

export const kTrusts = ['untrusted', 'community', 'verified', 'system'];
const kPermitAll = '[rule.all]\neffect = "permit"\nroles = ["*"]\ntools = ["*/*"]\n';
/** The server's name in these stories, and how its tools begin. */
export const kServer = 'far';
/** Protocol versions by how they answer arguments that do not fit. */
export const kVersions = [kModernVersion, '2025-11-25', '2025-06-18'];

const keyOf = (who) => `the-key-of-${who}-for-tests`;
const sha256 = (text) => createHash('sha256').update(text).digest('hex');
export const bearer = (who) => ({ authorization: `Bearer ${keyOf(who)}` });

/** One principal for each trust, named after it. */
export const kAuth = kTrusts
  .map((who) => `[auth.api_key.${who}]\nprincipal = "${who}"\nsha256 = "${sha256(keyOf(who))}"
[principal.${who}]\nroles = ["${who}"]\n[role.${who}]\npermissions = []\ntrust = "${who}"\n`)
  .join('');

/** A tool whose schemas are JSON text, as they go over the wire. */
export function toolText(name, inputSchema, more = '') {
  return `{"name":${JSON.stringify(name)},"description":"A tool.","inputSchema":${inputSchema}${more}}`;
}

/** Answers every `tools/list` with that text of an array, which `tools` says anew each time. */
export function listing(tools, members = '') {
  return (message, response, request) => {
    if (message?.method !== 'tools/list') return false;
    const isModern = request.headers['mcp-protocol-version'] === kModernVersion;
    const complete = isModern ? '"resultType":"complete",' : '';
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{${complete}${members}"tools":[${tools().join(',')}]}}`);
    return true;
  };
}

/** Answers a call with that JSON text as its result. */
export function answerResult(response, id, result) {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
}

/** Answers a call with its own text, as each era wants it. */
function echo({ id, params }, response, request) {
  const complete = request.headers['mcp-protocol-version'] === kModernVersion ? { resultType: 'complete' } : {};
  answerResult(response, id, JSON.stringify({ ...complete, content: [{ type: 'text', text: params.arguments?.text ?? '' }] }));
}

/** A caller of one trust, in one version: `call(tool, argumentsText)` answers the JSON-RPC response and its bytes. */
export async function openCaller(url, who, version) {
  const isModern = version === kModernVersion;
  const session = isModern ? undefined : await LegacySession.open(url, bearer(who), who, version);
  let calls = 0;
  const post = (name, given) => {
    calls += 1;
    const meta = isModern ? `,"_meta":${JSON.stringify(modernMeta())}` : '';
    const member = given === undefined ? '' : `,"arguments":${given}`;
    const body = `{"jsonrpc":"2.0","id":${calls},"method":"tools/call","params":{"name":${JSON.stringify(name)}${member}${meta}}}`;
    if (session) return session.post(body);
    const headers = {
      'content-type': 'application/json', accept: 'application/json, text/event-stream', ...bearer(who),
      'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': name,
    };
    return send(url, { headers, body });
  };
  return {
    who, version, isModern, session,
    call: async (tool, given, server = kServer) => {
      const answer = await post(`${server}_${tool}`, given);
      return { ...answer, response: responseOf(answer) };
    },
  };
}

/** A gateway before one server in the story's own process. */
export class SchemaStage {
  /** `tools`: texts of tools, or a function that says them. `policy`: more of the configuration. */
  static async start({ era, tools, onCall = echo, policy = '', serverKeys = '', members = '' }) {
    const said = typeof tools === 'function' ? tools : () => tools;
    const far = await startScriptedServer({ era: era === 'modern' ? 'modern' : 'legacy', onCall, onMessage: listing(said, members) });
    const gateway = await startGateway(httpServer(kServer, far.url, serverKeys) + kPermitAll + policy, { auth: kAuth });
    return new SchemaStage(gateway, far);
  }

  constructor(gateway, far) {
    Object.assign(this, { gateway, far });
  }

  caller(who, version) {
    return openCaller(this.gateway.url, who, version);
  }

  /** The calls that have reached the server. */
  reached() {
    return this.far.received('tools/call');
  }

  /** The decision that a refusal, or a result, names; it was recorded before it was answered. */
  decision(id) {
    return this.gateway.records().find((record) => record.kind === 'decision' && record.decision_id === id);
  }

  outcome(id) {
    return this.gateway.records().find((record) => record.kind === 'outcome' && record.decision_id === id);
  }

  lastDecision() {
    return this.gateway.records().findLast(({ kind, method }) => kind === 'decision' && method === 'tools/call');
  }

  async metric(name, labels) {
    const line = (await this.gateway.metrics()).split('\n').find((text) => text.startsWith(`${name}{${labels}}`));
    return Number(line?.split(' ').at(-1) ?? 0);
  }

  /** Nothing that the gateway says, keeps or counts has that value; nor what is like it. */
  async assertNowhere(value, answers) {
    const kept = this.gateway.records().map(({ line }) => line).join('\n');
    const places = { answers: answers.join('\n'), record: kept, metrics: await this.gateway.metrics(), log: this.gateway.log() };
    for (const [place, text] of Object.entries(places)) assert.ok(!text.includes(value), `${value} is in the ${place}`);
  }

  async stop() {
    await this.gateway?.stop();
    await this.far?.stop();
  }
}

/** What a refusal says of itself, wherever it stands: in a result for models, or in an error. */
export function refusalOf(response) {
  return response.error?.data ?? response.result?._meta?.['bartizan/denial'];
}

/** Arguments that do not fit, as design.md §7 says for that version. */
export function assertMisfit({ version, isModern }, response, { reason, pointers = [] }) {
  const told = refusalOf(response);
  assert.equal(told?.reason, reason, JSON.stringify(response));
  const isResult = version >= '2025-11-25';
  assert.equal(response.error?.code, isResult ? undefined : -32602, JSON.stringify(response));
  if (isResult) assert.equal(response.result.isError, true);
  if (isResult) assert.equal(response.result.resultType, isModern ? 'complete' : undefined);
  const sentence = isResult ? response.result.content[0].text : response.error.message;
  assert.deepEqual((told.violations ?? []).map(({ pointer }) => pointer), pointers, JSON.stringify(told));
  for (const { pointer, keyword, expected } of told.violations ?? []) {
    assert.ok(keyword && expected, 'it says what was expected');
    assert.ok(sentence.includes(`${pointer || 'the whole'}: expected ${expected} (${keyword})`), sentence);
  }
  assert.ok(sentence.includes(told.decision_id), sentence);
  return told;
}
