// What the stories of tools that are not the same for everybody or every time are told on: principals with
// keys, roles and rules of their own, clients of both eras, servers that list what the story says, and the
// two modes that hold servers to something.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { assertRefused, textOf } from './assertions.mjs';
import { kFixtures, runProgram, startGateway, temporaryDirectory } from './harness.mjs';
import { startScriptedServer, writeJson } from './scripted_http.mjs';
import { LegacySession, responseOf, sendModern } from './wire.mjs';

export const kListing = join(kFixtures, 'listing_server.mjs');
const kKeys = { ann: 'the-key-of-ann-for-tests', bob: 'the-key-of-bob-for-tests' };
const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const bearer = (who) => ({ authorization: `Bearer ${kKeys[who]}` });
/** Who has that key has that name, and a role and a rule of their own. */
const access = (who) => `[auth.api_key.${who}]\nprincipal = "${who}"\nsha256 = "${sha256(kKeys[who])}"\n[principal.${who}]\nroles = ["${who}-role"]\n[role.${who}-role]\n[rule.${who}-may]\neffect = "permit"\nroles = ["${who}-role"]\ntools = ["*/*"]\n`;
const kAuth = access('ann') + access('bob');
/** Codes of `tool_quarantined` by era. */
const kCodes = { legacy: -32000, modern: 40302 };
const kHour = 3_600_000;

const tool = (name, description, properties = {}) => ({ name, description, inputSchema: { type: 'object', properties } });
const kText = { text: { type: 'string' } };
export const kRead = tool('read', 'Reads a note.', kText);
export const kOther = tool('read', 'Reads a note, and copies it elsewhere.', { ...kText, copy: { type: 'string' } });
export const kThird = tool('read', 'Reads every note.', kText);
export const kCount = tool('count', 'Counts notes.', kText);
export const kChange = tool('change', 'Changes the list.', kText);
export const kBoth = ['notes_count', 'notes_read'];

/** What holds servers to what: how a flaw begins, and what the configuration says. */
export const kLocked = { name: 'locked', flaw: 'differs from its pin', pins: (place) => `[pins]\nfile = ${JSON.stringify(place.file('bartizan.lock'))}\n` };
export const kFirstUse = { name: 'trust_on_first_use', flaw: 'differs from what came first', pins: () => '' };

/** One client of a gateway, in one era. */
export class Client {
  static async open(gateway, who, era) {
    const client = new Client();
    Object.assign(client, { gateway, who, era, calls: 0 });
    if (era === 'legacy') client.session = await LegacySession.open(gateway.url, bearer(who));
    return client;
  }

  async request(method, params) {
    const id = (this.calls += 1);
    if (this.session) return responseOf(await this.session.request(id, method, params));
    return responseOf(await sendModern(this.gateway.url, method, params, { id, headers: bearer(this.who) }));
  }

  /** By name the tools that are listed. */
  async tools() {
    const { result } = await this.request('tools/list', {});
    return Object.fromEntries(result.tools.map((listed) => [listed.name, listed]));
  }

  async names() {
    return Object.keys(await this.tools()).sort();
  }

  call(name, text) {
    return this.request('tools/call', { name: `notes_${name}`, arguments: { text } });
  }

  async assertServed(name, text) {
    const { result, error } = await this.call(name, text);
    assert.ok(result, `${this.who} is refused ${name}: ${JSON.stringify(error)}`);
    assert.equal(textOf(result), text);
  }

  /** Refused as one who is not told why; answers the decision on record. */
  async assertQuarantined(name, text, flaw) {
    const { error } = await this.call(name, text);
    const id = assertRefused(error, 'tool_quarantined');
    assert.equal(error.code, kCodes[this.era]);
    assert.doesNotMatch(JSON.stringify(error), /fingerprint|description|[0-9a-f]{64}/);
    const decision = this.gateway.records().find(({ kind, decision_id: its }) => kind === 'decision' && its === id);
    const { principal, roles, server, target, decision: verdict, reason } = decision;
    assert.deepEqual({ principal, roles, server, target, verdict, reason }, { principal: this.who, roles: [`${this.who}-role`], server: 'notes', target: name, verdict: 'deny', reason: 'tool_quarantined' });
    assert.match(decision.detail, new RegExp(`^${flaw} \\(fingerprint [0-9a-f]{64}\\): /description is another text`));
    return decision;
  }
}

/** Names of the tools of `notes` that /readyz shows as quarantined. */
export const quarantinedOf = async (gateway) => (await gateway.readiness()).body.servers.notes.quarantined?.tools.map(({ name }) => name) ?? [];
/** Of the definition that a decision refused. */
export const fingerprintOf = ({ detail }) => /fingerprint ([0-9a-f]{64})/.exec(detail)[1];

/** A folder, a server in it, and what is started on them. */
export class Place {
  constructor(t, mode, workers = 2) {
    Object.assign(this, { t, mode, workers, directory: temporaryDirectory() });
  }

  file(name) {
    return join(this.directory, name);
  }

  body(table) {
    return `[process]\nworkers = ${this.workers}\n[admin]\nsocket = ${JSON.stringify(this.file('admin.sock'))}\n${this.mode.pins(this)}${table}`;
  }

  /** Has a person approve what the server lists now, where there is a lock file, and starts the gateway. */
  async start(table) {
    const body = this.body(table);
    this.config = this.file('gateway.toml');
    writeFileSync(this.config, `version = 1\n[audit]\nfile = ${JSON.stringify(this.file('unused.jsonl'))}\n${kAuth}${body}`);
    if (this.mode === kLocked) {
      const { code, stderr } = await runProgram('pin', this.config);
      assert.equal(code, 0, stderr);
    }
    const gateway = await startGateway(body, { auth: kAuth });
    this.t.after(() => gateway.stop());
    return gateway;
  }

  async release(fingerprint) {
    const { code, stderr } = await runProgram('release', this.config, 'notes/read', fingerprint);
    assert.equal(code, 0, stderr);
  }
}

/** A server behind a URL whose list is `tools`, for an hour in the eyes of who asked. */
export async function startListing(t, { era = 'legacy', ttlMs = kHour, ...more }) {
  const onMessage = (message, response, request) => {
    if (more.onMessage?.(message, response, request)) return true;
    if (message?.method !== 'tools/list') return false;
    const tools = more.list?.() ?? server.tools;
    writeJson(response, 200, { jsonrpc: '2.0', id: message.id, result: { resultType: 'complete', tools, ttlMs } });
    return true;
  };
  const server = await startScriptedServer({ ...more, era, onMessage });
  t.after(() => server.stop());
  return server;
}
