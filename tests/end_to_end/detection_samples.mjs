// The samples of docs/detection: one situation each, as a gateway exports its record of it. The story
// detection.test.mjs makes them anew; BARTIZAN_DETECTION=rewrite replaces those of the folder.
//
// No record holds a path of this machine: what clients send stands in no record, and a configuration only as
// its digest.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { answer as answerApproval, bearer as approver, kEchoNeedsABoss, startApprovals } from './approvals_stage.mjs';
import { Receiver } from './export_stage.mjs';
import { kFixtures, runProgram, startGateway, temporaryDirectory } from './harness.mjs';
import { kChange, kListing, kOther, kRead } from './pin_stage.mjs';
import { apply } from './reloading.mjs';
import { kPlain, stdioServer } from './servers.mjs';
import { LegacySession, jsonRpc, responseOf, send, sendModern } from './wire.mjs';

const kExport = 'siem';
const kAudit = 'instance = "gw-1"\n';
const kClient = { name: 'desk-agent', version: '1.0.0' };
const kKeys = { ann: 'the-key-of-ann-for-samples', bob: 'the-key-of-bob-for-samples', old: 'the-old-key-of-ann' };
const bearer = (name) => ({ authorization: `Bearer ${kKeys[name] ?? name}` });
const keyTable = (name, principal, more = '') =>
  `[auth.api_key.${name}-key]\nprincipal = "${principal}"\nsha256 = "${createHash('sha256').update(kKeys[name]).digest('hex')}"\n${more}`;
const kAuth = `${keyTable('ann', 'ann')}${keyTable('bob', 'bob')}${keyTable('old', 'ann', 'expires = 2020-01-01\n')}
[principal.ann]
roles = ["analyst"]
[principal.bob]
roles = ["analyst"]
[role.analyst]
trust = "verified"
`;

/** A server with these tools, and a rule that permits them; a call answers what it was given. */
const toy = (name, tools, more = '') =>
  stdioServer(name, [join(kFixtures, 'toy_server.mjs'), ...tools, 'delete_all'], more) + permit(tools.map((tool) => `${name}/${tool}`));
const permit = (tools) => `[rule.analysts]\neffect = "permit"\nroles = ["analyst"]\ntools = ${JSON.stringify(tools)}\n`;

/** Makes calls, each `[tool, arguments, reason, key, headers]`, and holds them to their reason, or to none. */
async function callAll(gateway, rows) {
  for (const [name, given, reason, key = 'ann', more = {}] of rows) {
    const params = { name, arguments: given, _meta: { 'io.modelcontextprotocol/clientInfo': kClient } };
    const { result, error } = responseOf(await sendModern(gateway.url, 'tools/call', params, { headers: { ...bearer(key), ...more } }));
    assert.equal(error?.data?.reason, reason, `${name} ${JSON.stringify(given)}: ${JSON.stringify(error ?? result)}`);
  }
}

// Nobody's, and in one piece nowhere in the tree.
const kToken = `ghp_${createHash('sha256').update('of nobody').digest('hex').slice(0, 36)}`;

/** A record whose last line was torn by a crash, and one that somebody cut. */
async function damage(gateway) {
  await callAll(gateway, [['files_read_file', {}]]);
  await gateway.crash();
  appendFileSync(gateway.auditFile, '{"v":1,"kind":"decision","time":"2026-');
  const mended = await gateway.again();
  await callAll(mended, [['files_read_file', {}]]);
  await mended.stop();
  const lines = readFileSync(gateway.auditFile, 'utf8').split('\n').filter(Boolean);
  writeFileSync(gateway.auditFile, `${lines.slice(0, -3).join('\n')}\n`);
  // So that the export reads the cut record from its beginning, wherever it had been.
  rmSync(`${gateway.auditFile}.export-${kExport}`);
  return mended.again();
}

const kPlainHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** What stands in the folder as `NN-name.jsonl`: what is configured, and what is done. */
export const kSamples = {
  '01-ordinary-calls': {
    body: () => toy('files', ['read_file', 'list_folder']),
    act: (gateway) => callAll(gateway, [['files_list_folder', {}], ['files_read_file', { path: 'a.txt' }], ['files_read_file', { path: 'b.txt' }]]),
  },
  '02-refused-call': {
    body: () => toy('files', ['read_file']),
    act: (gateway) => callAll(gateway, [['files_read_file', {}], ['files_delete_all', {}, 'no_matching_rule'], ['files_read_file', {}]]),
  },
  '03-refused-call-burst': {
    body: () => toy('files', ['read_file']),
    act: (gateway) => callAll(gateway, Array.from({ length: 6 }, (_, at) => [`files_${['delete_all', 'write_file', 'run'][at % 3]}`, { at }, 'no_matching_rule'])),
  },
  '04-path-traversal': {
    body: () => `${toy('files', ['read_file'], 'cwd = "/"')}[path.notes]\nroot = ${JSON.stringify(temporaryDirectory())}\n[tool."files/*".arguments]\n"/path" = { path = "notes" }\n`,
    act: (gateway) => callAll(gateway, ['/etc/passwd', '../../etc/passwd'].map((path) => ['files_read_file', { path }, 'path_outside_root'])),
  },
  '05-secret-masked': {
    body: () => toy('search', ['find']),
    act: (gateway) => callAll(gateway, [['search_find', { text: 'nothing' }], ['search_find', { text: kToken }]]),
  },
  '06-result-withheld': {
    body: () => `${toy('search', ['find'])}[redact.no-tokens]\ndetectors = ["github.*"]\nin = ["results"]\naction = "withhold"\n`,
    act: (gateway) => callAll(gateway, [['search_find', { text: kToken }]]),
  },
  '07-tool-definition-changed': {
    body: () => {
      const folder = temporaryDirectory();
      const files = ['first', 'next'].map((name) => join(folder, name));
      writeFileSync(files[0], JSON.stringify([kRead, kChange]));
      writeFileSync(files[1], JSON.stringify([kOther, kChange]));
      return stdioServer('notes', [kListing, '--tools', files[0], '--next', files[1]]) + permit(['notes/*']);
    },
    act: (gateway) => callAll(gateway, [['notes_read', { text: 'a' }], ['notes_change', {}], ['notes_read', { text: 'a' }, 'tool_quarantined']]),
  },
  '08-credential-guessing': {
    body: () => toy('files', ['read_file']),
    act: (gateway) => callAll(gateway, Array.from({ length: 12 }, (_, at) => ['files_read_file', {}, 'credentials_invalid', `guess-${at}`])),
  },
  '09-expired-key': {
    body: () => toy('files', ['read_file']),
    act: (gateway) => callAll(gateway, [['files_read_file', {}, 'credentials_expired', 'old'], ['files_read_file', {}, 'credentials_invalid', 'mistyped'], ['files_read_file', {}]]),
  },
  '10-limit-exceeded': {
    body: () => toy('files', ['read_file']),
    limits: '[limit.few]\nper = ["principal", "tool"]\nrate = ["2/min"]\n',
    act: (gateway) => callAll(gateway, [['files_read_file', { at: 1 }], ['files_read_file', { at: 2 }], ['files_read_file', { at: 3 }, 'limited']]),
  },
  '11-call-loop': {
    body: () => toy('files', ['read_file']),
    limits: '[limit.circles]\nper = ["principal"]\nloop = { calls = 2, repeats = 2 }\n',
    act: (gateway) => callAll(gateway, [...'ABAB'].map((path, at) => ['files_read_file', { path }, at === 3 ? 'call_loop' : undefined])),
  },
  '12-destructive-command': {
    body: () => `${toy('shell', ['run'])}[command.look]\nprograms = ["ls", "rm"]\n[tool."shell/*".arguments]\n"/command" = { command = "look" }\n`,
    act: (gateway) => callAll(gateway, [['shell_run', { command: 'ls -l' }], ['shell_run', { command: 'rm -rf /' }, 'command_blocked'], ['shell_run', { command: 'cat notes' }, 'command_not_allowed']]),
  },
  '13-sql-refused': {
    body: () => `${toy('db', ['query'])}[sql.users]\ndialect = "sqlite"\ntables = ["users"]\n[tool."db/*".arguments]\n"/sql" = { sql = "users" }\n`,
    act: (gateway) => callAll(gateway, [['db_query', { sql: 'SELECT name FROM users' }], ['db_query', { sql: 'DROP TABLE users' }, 'sql_not_allowed'], ['db_query', { sql: 'SELECT 1; SELECT 2' }, 'sql_malformed']]),
  },
  '14-private-url': {
    body: () => `${toy('web', ['fetch'])}[url.pages]\nhosts = ["docs.example.com"]\n[tool."web/*".arguments]\n"/url" = { url = "pages" }\n`,
    act: (gateway) => callAll(gateway, [['web_fetch', { url: 'https://docs.example.com/' }], ['web_fetch', { url: 'https://169.254.169.254/latest/meta-data/' }, 'url_private'], ['web_fetch', { url: 'https://elsewhere.example.net/' }, 'url_not_allowed']]),
  },
  '15-stolen-session': {
    body: () => toy('files', ['read_file']),
    act: async (gateway) => {
      const session = await LegacySession.open(gateway.url, bearer('ann'), kClient.name);
      assert.ok((await session.call(1, 'files_read_file')).result);
      const stolen = { ...session.headers(), ...bearer('bob') };
      assert.equal((await send(gateway.url, { headers: stolen, body: jsonRpc(2, 'tools/call', { name: 'files_read_file', arguments: {} }) })).status, 404);
    },
  },
  '16-malformed-messages': {
    body: () => toy('files', ['read_file']),
    act: async (gateway) => {
      assert.equal((await send(gateway.url, { headers: { ...kPlainHeaders, ...bearer('ann') }, body: '{"jsonrpc":"2.0",' })).status, 400);
      await callAll(gateway, [['files_read_file', {}, 'header_mismatch', 'ann', { 'mcp-name': 'files_delete_all' }]]);
    },
  },
  '17-slow-call': {
    body: () => `${stdioServer('plain', [kPlain])}[tool."plain/slow_echo"]\nslow = "50ms"\n${permit(['plain/*'])}`,
    act: (gateway) => callAll(gateway, [['plain_big_echo', { text: 'a' }], ['plain_slow_echo', { token: 'a', milliseconds: 200 }]]),
  },
  '18-record-damaged': {
    body: () => `[state]\nfile = "state.db"\n${toy('files', ['read_file'])}`,
    act: damage,
  },
  '19-reload-and-revocation': {
    body: () => `[state]\nfile = "state.db"\n[admin]\nsocket = "admin.sock"\n${toy('files', ['read_file'])}`,
    act: async (gateway) => {
      await apply(gateway, `${readFileSync(gateway.configFile, 'utf8')}[rule.nobody]\neffect = "forbid"\nroles = ["*"]\ntools = ["files/delete_all"]\n`);
      const order = async (...words) => assert.equal((await runProgram(...words)).code, 0, words.join(' '));
      await order('revoke', 'principal', gateway.configFile, 'bob', '--why', 'left the company');
      await callAll(gateway, [['files_read_file', {}, 'credentials_invalid', 'bob']]);
      await order('lift', gateway.configFile, '1');
      await callAll(gateway, [['files_read_file', {}, undefined, 'bob']]);
    },
  },
  '20-approvals': {
    start: (t, sink) => startApprovals(t, { rules: kEchoNeedsABoss + sink, audit: kAudit }),
    act: async (gateway, stage) => {
      const session = await LegacySession.open(gateway.url, approver('ann'), kClient.name);
      const ask = async (id, text) => (await session.call(id, 'dual_echo', { text })).error?.data.approval_id;
      assert.equal((await answerApproval(stage, 'bob', await ask(1, 'a'))).status, 200);
      assert.equal(await ask(2, 'a'), undefined);
      assert.equal((await answerApproval(stage, 'bob', await ask(3, 'b'), 'deny', 'not today')).status, 200);
      assert.equal((await session.call(4, 'dual_echo', { text: 'b' })).error.data.reason, 'approval_denied');
    },
  },
};

/** Of the gateway's own traffic with its servers, which is in every record and shows nothing here. */
const isOwn = ({ kind, proof }) => kind === 'server' || proof === 'gateway';

/** Makes one sample: the lines that arrived at a receiver of JSON lines, each once. */
export async function makeSample(name) {
  const ends = [];
  const t = { after: (end) => ends.push(end) };
  const receiver = await Receiver.start(t, () => ({}));
  const sink = `[export.${kExport}]\ntype = "json_lines"\nurl = "${receiver.url}/in"\n`;
  const { body, act, limits = '', start } = kSamples[name];
  const begin = start ?? (async () => ({ gateway: await startGateway(body() + sink, { auth: kAuth, audit: kAudit, limits }) }));
  try {
    const stage = await begin(t, sink);
    t.after(() => stage.gateway.process.kill('SIGKILL'));
    const last = (await act(stage.gateway, stage)) ?? stage.gateway;
    await last.stop();
  } finally {
    for (const end of ends.reverse()) await end();
  }
  const lines = receiver.requests.flatMap((request) => request.body.split('\n').filter(Boolean));
  return [...new Set(lines)].filter((line) => !isOwn(JSON.parse(line)));
}
