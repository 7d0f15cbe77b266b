// The gateway is killed at random points while calls wait for approvals, are approved and used; then what
// the server received is held against what is on record. `approvals_crash.test.mjs` runs some points,
// `soak.mjs` many.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { bearer, peopleAuth } from './approvals_stage.mjs';
import { freePort, runProgram, startGateway, temporaryDirectory } from './harness.mjs';
import { randomFrom, recordsIn } from './kill_points.mjs';
import { startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { LegacySession } from './wire.mjs';

const kCallers = ['ann', 'zoe'];
const kDigestKey = 'a key for the digests of arguments';
const kServedMs = 40_000;

/** Callers that call until they are answered, and an approver who approves whatever waits. */
class Load {
  answered = new Set();
  approved = 0;
  sent = 0;
  stopped = false;

  constructor(url, console) {
    Object.assign(this, { url, console });
    this.clients = [...kCallers.map((name) => this.#call(name)), this.#approve()];
  }

  async #call(name) {
    while (!this.stopped) {
      const marker = `marker-${name}-${(this.sent += 1)}`;
      let isOver = false;
      while (!isOver && !this.stopped) {
        try {
          const session = await LegacySession.open(this.url, bearer(name));
          for (let tries = 0; tries < 50 && !this.stopped; tries += 1) {
            const { result, error } = await session.call((this.sent += 1), 'web_mark', { marker });
            if (result?.content[0].text === marker) this.answered.add(marker);
            isOver = Boolean(result) || error?.data?.reason !== 'needs_approval';
            if (isOver) break;
            await delay(15);
          }
        } catch {
          await delay(5);
        }
        // Nobody knows whether what was cut off ran: a retry would be another call.
        if (!isOver) isOver = this.seen?.(marker) ?? false;
      }
    }
  }

  async #approve() {
    while (!this.stopped) {
      try {
        const listed = await fetch(`${this.console}/api/approvals`, { headers: bearer('bob') });
        for (const { id, state } of (await listed.json()).approvals) {
          if (state !== 'pending') continue;
          const seen = await fetch(`${this.console}/api/approvals/${id}`, { headers: bearer('bob') });
          await seen.arrayBuffer();
          const headers = { ...bearer('bob'), 'content-type': 'application/json', 'if-match': seen.headers.get('etag') };
          const answer = await fetch(`${this.console}/api/approvals/${id}`, { method: 'POST', headers, body: '{"decision":"approve"}' });
          await answer.arrayBuffer();
          if (answer.status === 200) this.approved += 1;
        }
      } catch {
        // It is down.
      }
      await delay(10);
    }
  }

  async stop() {
    this.stopped = true;
    await Promise.all(this.clients);
  }
}

/** The decision that permitted the call which reached the server with these arguments. */
export function permitOf(records, raw) {
  const digest = createHmac('sha256', kDigestKey).update(raw).digest('hex');
  return records.findLast((one) => one.kind === 'decision' && one.decision === 'permit' && one.argument_digest === digest);
}

/**
 * Whether each call that the server received was approved, used once, and on record in that order.
 * `received`: the arguments of each call, as bytes.
 */
export function checkUses(records, received) {
  const steps = records.filter(({ kind }) => kind === 'approval');
  const permits = new Map(records.filter(({ kind, decision }) => kind === 'decision' && decision === 'permit').map((one) => [one.argument_digest, one]));
  const used = new Map();
  for (const step of steps.filter(({ approval }) => approval === 'used')) {
    assert.ok(!used.has(step.decision_id), `approval ${step.decision_id} was used twice`);
    used.set(step.decision_id, step);
    const approved = steps.find((one) => one.decision_id === step.decision_id && one.approval === 'approved');
    assert.ok(approved && approved.seq < step.seq, `approval ${step.decision_id} was used before it was approved`);
  }
  const byCall = new Map([...used.values()].map((step) => [step.detail, step]));
  assert.equal(byCall.size, used.size, 'two approvals were used by one call');
  for (const raw of received) {
    const permit = permits.get(createHmac('sha256', kDigestKey).update(raw).digest('hex'));
    assert.ok(permit, `${raw} reached the server and no decision says so`);
    const use = byCall.get(`by ${permit.decision_id}`);
    assert.ok(use && use.seq < permit.seq, `${raw} reached the server and no approval was used before`);
  }
  assert.equal(new Set(received).size, received.length, 'one call reached the server twice');
  return { used: used.size, steps: steps.length };
}

/** Kills the gateway at `points` moments and checks what is left. Answers what was counted, and what it was counted from. */
export async function killWhileApproving({ points, seed, onPoint = () => {} }) {
  const random = randomFrom(seed);
  const received = [];
  const onMessage = (message) => {
    if (message?.method === 'tools/call') received.push(JSON.stringify(message.params.arguments));
    return false;
  };
  const onCall = ({ id, params }, response) => {
    const result = { content: [{ type: 'text', text: params.arguments.marker }] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
  const web = await startScriptedServer({ tools: [{ name: 'mark', inputSchema: { type: 'object' } }], onMessage, onCall });
  const keyFile = join(temporaryDirectory(), 'digest.key');
  writeFileSync(keyFile, kDigestKey, { mode: 0o600 });
  const port = await freePort();
  const body = `[console]
address = "127.0.0.1:${port}"
roles = ["operator"]
[state]
file = "state.db"
${httpServer('web', web.url)}
[rule.all]
effect = "permit"
roles = ["caller"]
tools = ["web/*"]
[rule.a-boss-has-to-look]
effect = "require_approval"
roles = ["*"]
tools = ["web/mark"]
approvers = ["boss"]
`;
  let gateway;
  let load;
  try {
    gateway = await startGateway(body, { auth: peopleAuth(), audit: `digest_key = "file:${keyFile}"\n` });
    load = new Load(gateway.url, `http://127.0.0.1:${port}`);
    load.seen = (marker) => received.some((raw) => raw.includes(`"${marker}"`));
    for (let point = 0; point < points; point += 1) {
      const [before, wanted] = [load.answered.size + load.approved, 1 + Math.floor(random() * 4)];
      const deadline = Date.now() + kServedMs;
      while (load.answered.size + load.approved < before + wanted) {
        assert.ok(Date.now() < deadline, `nothing was approved or answered in ${kServedMs} ms:\n${gateway.log()}`);
        await delay(2);
      }
      await delay(random() * 12);
      gateway.process.kill('SIGKILL');
      await gateway.exited;
      gateway = gateway.relaunch();
      onPoint(point + 1, 'approval');
    }
    await gateway.ready();
    await load.stop();
    await gateway.stop();
    const { code, stdout, stderr } = await runProgram('audit', 'verify', gateway.auditFile);
    assert.equal(code, 0, stdout + stderr);
    const records = recordsIn(gateway.directory);
    return { records, received, counted: { ...checkUses(records, received), received: received.length, answered: load.answered.size } };
  } finally {
    if (load) load.stopped = true;
    gateway?.process.kill('SIGKILL');
    await web.stop();
  }
}
