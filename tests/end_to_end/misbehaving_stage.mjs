// What every row of misbehaving.test.mjs is told on: one gateway, the client that meets the server
// that misbehaves (ann), and two bystanders (bob) who must not notice: one on a server that behaves,
// one on an instance of his own of the very server that does not.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { join } from 'node:path';

import { eventually } from './assertions.mjs';
import { startGateway, temporaryDirectory } from './harness.mjs';
import { LegacySession, messagesOf, responseOf, sendModern } from './wire.mjs';

const kKeys = { ann: 'the-key-of-ann-for-tests', bob: 'the-key-of-bob-for-tests' };
const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const bearer = (who) => ({ authorization: `Bearer ${kKeys[who]}` });
const kAuth = Object.keys(kKeys)
  .map((who) => `[auth.api_key.${who}]\nprincipal = "${who}"\nsha256 = "${sha256(kKeys[who])}"\n[principal.${who}]\nroles = ["caller"]\n`)
  .join('') + '[role.caller]\npermissions = []\ntrust = "verified"\n';
const kRule = '[rule.all]\neffect = "permit"\nroles = ["caller"]\ntools = ["*/*"]\n';
export const kMemoryMax = 256 << 20;
/** What the lists of the servers take, which are kept, and what is remembered of the first 10,000
 * tools of a server that lists more. */
const kKeptLists = 16 << 20;

/** Codes of each reason: legacy, modern. */
const kCodes = {
  server_failed: [-32603, 50200],
  server_unavailable: [-32603, 50200],
  server_timeout: [-32001, 50400],
  tool_quarantined: [-32000, 40302],
  overloaded: [-32000, 50300],
};
const kOutcomes = { server_timeout: 'timeout', server_failed: 'failed', server_unavailable: 'failed' };

const textOf = (response) => response?.result?.content?.[0]?.text;

export class Stage {
  static async start(era, servers, policy) {
    const socket = join(temporaryDirectory(), 'admin.sock');
    const tables = `[process]\nworkers = 2\nmemory_max = "256 MiB"\n[admin]\nsocket = ${JSON.stringify(socket)}\n`;
    const gateway = await startGateway(tables + servers + kRule + policy, { auth: kAuth });
    return new Stage(era, gateway, socket);
  }

  constructor(era, gateway, socket) {
    Object.assign(this, { era, gateway, socket, bystanders: [], clients: 0, kept: {} });
  }

  records() {
    return this.gateway.records(this.kept);
  }

  /** A client with a name of its own, under which the record knows what it did. */
  async client(who = 'ann') {
    const name = `${who} ${(this.clients += 1)}`;
    const meta = { 'io.modelcontextprotocol/clientInfo': { name, version: '1.0.0' } };
    const session = this.era === 'legacy' ? await LegacySession.open(this.gateway.url, bearer(who), name) : undefined;
    let calls = 0;
    const call = (tool, given = {}) => {
      calls += 1;
      const params = { name: tool, arguments: given };
      if (session) return session.request(calls, 'tools/call', params);
      return sendModern(this.gateway.url, 'tools/call', { ...params, _meta: meta }, { id: calls, headers: bearer(who) });
    };
    return { name, session, call, close: async () => session?.close() };
  }

  /** Has bob call `tool` for as long as the stage stands; each answer is checked, each is counted. */
  async addBystander(tool, given, text, pauseMs = 10) {
    const client = await this.client('bob');
    const bystander = { tool, answered: 0, failure: undefined, running: true };
    const loop = async () => {
      while (bystander.running) {
        const answer = await client.call(tool, given);
        assert.equal(textOf(responseOf(answer)), text, `${tool}: ${answer.body}`);
        bystander.answered += 1;
        await new Promise((done) => setTimeout(done, pauseMs));
      }
    };
    bystander.done = loop().catch((error) => (bystander.failure = error));
    this.bystanders.push(bystander);
  }

  /** Each bystander is answered once more, and never was anything else. */
  async assertBystanders() {
    const before = this.bystanders.map(({ answered }) => answered);
    for (const [index, bystander] of this.bystanders.entries()) {
      await eventually(() => bystander.failure || bystander.answered > before[index], `${bystander.tool} goes on`, 30_000);
      assert.ifError(bystander.failure);
    }
  }

  status() {
    return new Promise((resolve, reject) => {
      const outgoing = request({ socketPath: this.socket, path: '/api/status' }, (incoming) => {
        const chunks = [];
        incoming.on('data', (chunk) => chunks.push(chunk));
        incoming.on('end', () => resolve(JSON.parse(Buffer.concat(chunks))));
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
  }

  /** Messages of that server that were dropped for that reason, as the metric and the record count them. */
  async dropped(server, reason) {
    const line = new RegExp(`^bartizan_server_messages_dropped_total\\{server="${server}",reason="${reason}"\\} (\\d+)`, 'm');
    const counted = Number(line.exec(await this.gateway.metrics())?.[1] ?? 0);
    const summaries = this.records().filter((record) => record.kind === 'summary' && record.server === server && record.detail.endsWith(`: ${reason}`));
    return { counted, recorded: summaries.reduce((sum, { count }) => sum + count, 0) };
  }

  /** What ann's client named `name` has on record about `tool`: decisions and outcomes. */
  history(name, tool) {
    const records = this.records();
    const decisions = records.filter((record) => record.kind === 'decision' && record.client_name === name && record.target === tool);
    // How a call ended says only which call it was.
    const ids = new Set(decisions.map(({ decision_id: id }) => id));
    return { decisions, outcomes: records.filter(({ kind, decision_id: id }) => kind === 'outcome' && ids.has(id)) };
  }

  /**
   * Tells one row: calls, and asserts what the client sees, what the record says, what was dropped, that
   * the bystanders go on, and that the next call works. `sees` is a text or one reason of several;
   * `mend` is done before the next call.
   */
  async tell({ server, tool, given, sees, dropped = {}, next = true, decision = 'permit', sendings = 1, mend = () => {} }) {
    const before = {};
    for (const reason of Object.keys(dropped)) before[reason] = await this.dropped(server, reason);
    const client = await this.client();
    const answer = await client.call(`${server}_${tool}`, given);
    const response = responseOf(answer);
    this.assertSeen(response, sees, answer);
    // Nobody learns of messages that were not for him.
    assert.equal(messagesOf(answer).filter((message) => message.id !== undefined).length, 1, answer.body.slice(0, 500));
    this.assertRecorded(client.name, tool, response, { decision, sendings });
    for (const [reason, count] of Object.entries(dropped)) {
      const grown = async () => {
        const now = await this.dropped(server, reason);
        return now.counted - before[reason].counted >= count && now.recorded - before[reason].recorded >= count;
      };
      await eventually(grown, `${count} dropped as ${reason}`, 20_000);
    }
    await this.assertBystanders();
    mend();
    if (next) await this.assertNext(client, server, next);
    await client.close();
    return { answer, response, name: client.name };
  }

  assertSeen(response, sees, answer) {
    if (sees.mismatch) return assert.equal(response?.error?.code, -32020, answer.body);
    if (typeof sees === 'string') return assert.equal(textOf(response), sees, answer.body);
    assert.ok(response?.error, `expected ${sees.reasons}, got ${answer.body.slice(0, 500)}`);
    const { code, data } = response.error;
    assert.ok(sees.reasons.includes(data?.reason), `expected ${sees.reasons}, got ${JSON.stringify(response.error)}`);
    assert.equal(code, kCodes[data.reason][this.era === 'legacy' ? 0 : 1]);
  }

  /** One decision for each sending, and for each decision one outcome, which says what the client saw. */
  assertRecorded(name, tool, response, { decision, sendings }) {
    const history = this.history(name, tool);
    // What a server did nothing with, because it had to be introduced again first, is no sending.
    const unsent = new Set(history.outcomes.filter(({ detail }) => /begun anew/.test(detail ?? '')).map(({ decision_id: id }) => id));
    const [decisions, outcomes] = [history.decisions, history.outcomes].map((records) => records.filter(({ decision_id: id }) => !unsent.has(id)));
    assert.ok([sendings].flat().includes(decisions.length), JSON.stringify(decisions));
    assert.deepEqual(outcomes.map(({ decision_id: id }) => id), decisions.map(({ decision_id: id }) => id));
    const [told, ended] = [decisions.at(-1), outcomes.at(-1)];
    assert.equal(told.decision, decision);
    if (response.result) return assert.equal(ended.outcome, 'success');
    assert.equal(ended.rpc_code, response.error.code);
    if (!response.error.data?.reason) return assert.equal(ended.outcome, 'error');
    assert.equal(told.decision_id, response.error.data.decision_id);
    assert.equal(ended.reason, response.error.data.reason);
    assert.equal(ended.outcome, kOutcomes[ended.reason] ?? 'denied');
  }

  /** The server serves its next caller; one that was lost to what came before may be asked again. */
  async assertNext(client, server, { tool = 'echo', given = { text: 'still here' }, text = 'still here' } = {}) {
    const works = async () => textOf(responseOf(await client.call(`${server}_${tool}`, given))) === text;
    await eventually(works, `the next call to ${server} works`, 30_000);
  }

  /** Ends everything, and asserts that nothing is left: no memory, no call, no record that does not verify. */
  async stop() {
    for (const bystander of this.bystanders) bystander.running = false;
    await Promise.all(this.bystanders.map(({ done }) => done));
    try {
      for (const { tool, failure } of this.bystanders) assert.ifError(failure, tool);
      const idle = async () => {
        const { memory, calls_in_progress: calls } = await this.status();
        return memory.used <= kKeptLists && calls === 0;
      };
      await eventually(idle, 'all memory but that of lists and of tools that were seen is given back', 20_000);
      const { memory } = await this.status();
      assert.ok(memory.peak <= kMemoryMax, JSON.stringify(memory));
    } finally {
      await this.gateway.stop();
    }
  }
}

export const refusal = (...reasons) => ({ reasons });
