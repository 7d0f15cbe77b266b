// A gateway whose rules want approvals, its server, its callers, and the persons who approve over the
// console.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { freePort, startGateway, temporaryDirectory } from './harness.mjs';
import { httpServer, startDualServer } from './servers.mjs';

export const kPeople = {
  ann: ['caller'],
  zoe: ['caller'],
  bob: ['boss'],
  carl: ['boss'],
  olga: ['operator'],
};
export const keyOf = (name) => `the-key-of-${name}-for-tests`;
const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** Everyone with a key and roles. */
export function peopleAuth(people = kPeople, more = {}) {
  const keys = Object.keys(people).map((name) => `[auth.api_key.${name}-key]\nprincipal = "${name}"\nsha256 = "${sha256(keyOf(name))}"\n`);
  const principals = Object.entries(people).map(([name, roles]) => `[principal.${name}]\nroles = ${JSON.stringify(roles)}\n${more[name] ?? ''}`);
  const roles = [...new Set(['caller', 'boss', 'operator', ...Object.values(people).flat()])].map((role) => `[role.${role}]\ntrust = "verified"\n`);
  return [...keys, ...principals, ...roles].join('');
}

export const kEchoNeedsABoss = `
[rule.echo-needs-a-boss]
effect = "require_approval"
roles = ["*"]
tools = ["dual/echo"]
approvers = ["boss"]
remediation = "Ask your boss."
`;

/** One gateway before one server, with a console and a state file. */
export async function startApprovals(t, { rules = kEchoNeedsABoss, approvals = '', console = '', people = kPeople, more = {}, server = {}, audit = '' } = {}) {
  const record = join(temporaryDirectory(), 'sent.jsonl');
  const dual = await startDualServer({ record, ...server });
  const port = await freePort();
  const body = `${approvals && `[approvals]\n${approvals}\n`}
[console]
address = "127.0.0.1:${port}"
roles = ["operator"]
${console}[state]
file = "state.db"
${httpServer('dual', dual.url)}
[rule.callers]
effect = "permit"
roles = ["caller"]
tools = ["dual/*"]
${rules}`;
  const gateway = await startGateway(body, { auth: peopleAuth(people, more), audit });
  t?.after(async () => {
    dual.stop();
    await gateway.stop();
  });
  return {
    gateway,
    console: `http://127.0.0.1:${port}`,
    stateFile: join(gateway.directory, 'state.db'),
    stop: async () => {
      dual.stop();
      await gateway.stop();
    },
    /** What the server was sent that holds a text. */
    sent: (text) => {
      const lines = (existsSync(record) ? readFileSync(record, 'utf8') : '').split('\n').filter(Boolean);
      return lines.map((line) => Buffer.from(JSON.parse(line).base64, 'base64').toString()).filter((sent) => sent.includes('"tools/call"') && sent.includes(text));
    },
  };
}

export const bearer = (name) => ({ authorization: `Bearer ${keyOf(name)}` });

async function ask(url, name, { method = 'GET', body, headers = {} } = {}) {
  const answer = await fetch(url, { method, body, headers: { ...bearer(name), ...headers } });
  const text = await answer.text();
  return { status: answer.status, etag: answer.headers.get('etag'), body: text ? JSON.parse(text) : undefined };
}

/** What one person sees of a request. */
export const look = (stage, name, id) => ask(`${stage.console}/api/approvals/${id}`, name);
/** What waits, as one person sees it. */
export const list = (stage, name) => ask(`${stage.console}/api/approvals`, name);

/** One person answers a request as it stands now. */
export async function answer(stage, name, id, decision = 'approve', why = 'looked at it') {
  const { etag } = await look(stage, name, id);
  return ask(`${stage.console}/api/approvals/${id}`, name, {
    method: 'POST',
    body: JSON.stringify({ decision, why }),
    headers: { 'content-type': 'application/json', 'if-match': etag ?? '"none"' },
  });
}

export const approvalRecords = (gateway, id) => gateway.records().filter((record) => record.kind === 'approval' && (!id || record.decision_id === id));
/** `pending by ann` for each step of a request. */
export const stepsOf = (gateway, id) => approvalRecords(gateway, id).map((record) => `${record.approval} by ${record.principal}`);
