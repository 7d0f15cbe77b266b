// Secrets in what servers say reach no client, no record and no log, wherever they stand; what is not
// redacted arrives byte for byte.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

import { eventually } from './assertions.mjs';
import { kClients } from './clients.mjs';
import { EventStream } from './event_stream.mjs';
import { kFixtures, startGateway, testerAuth } from './harness.mjs';
import { SchemaStage, answerResult, kServer, kVersions, toolText } from './schema_stage.mjs';
import { stdioServer } from './servers.mjs';
import { LegacySession, kModernVersion, messagesOf, responseOf } from './wire.mjs';

/** Made anew for each story: nobody's, and never in a repository. */
function drawn(length, letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789') {
  return [...randomBytes(length)].map((byte) => letters[byte % letters.length]).join('');
}
const token = () => `ghp_${drawn(36)}`;
const kMask = '[redacted:github.token]';
const kTelling = join(kFixtures, 'telling_server.mjs');
const kPermits = `
[rule.testers-may]
effect = "permit"
roles = ["*"]
tools = ["*/*"]
[rule.testers-may-read]
effect = "permit"
roles = ["*"]
resources = ["tell:**"]
`;
const kOpenServer = 'client_features = ["logging", "instructions", "elicitation"]';

/** A gateway before the server that tells, and a session with it. */
async function begin(policy = '', { trust = 'system', more = '' } = {}) {
  const own = token();
  const gateway = await startGateway(stdioServer('tell', [kTelling, own], `${kOpenServer}\n${more}`) + kPermits + policy, { auth: testerAuth({ trust }) });
  const session = await LegacySession.open(gateway.url);
  let calls = 0;
  const tell = async (as, said, tool = 'tell') => {
    calls += 1;
    const answer = await session.request(calls, 'tools/call', { name: `tell_${tool}`, arguments: { as, said }, _meta: { progressToken: `p${calls}` } });
    return { answer, messages: messagesOf(answer), response: responseOf(answer) };
  };
  return { gateway, session, own, tell };
}

/** What an official client was asked, and what the tool made of its answer. */
async function askThrough(gateway, said) {
  const asked = [];
  const client = new Client({ name: 'asked', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return { action: 'decline' };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  const result = await client.callTool({ name: 'tell_tell', arguments: { as: 'ask', said } });
  await client.close();
  return { asked, answer: result.content[0].text };
}

function outcomes(gateway) {
  return gateway.records().filter(({ kind, method }) => kind === 'outcome' && method === 'tools/call');
}

describe('redaction', () => {
  let stage;
  before(async () => (stage = await begin()));
  after(() => stage?.gateway.stop());

  const password = drawn(14) + '1a2B';
  for (const [what, said, mayKeep] of [
    ['a name beside its value', { env: [{ name: 'DB_PASSWORD', value: password }], ok: 'yes' }, 'yes'],
    ['an option before its value', { argv: ['mysql', '--password', password] }, 'mysql'],
    ['a number', { password: 12345678901, port: 5432 }, '5432'],
    ['a name of its own', { password, user: 'app' }, 'app'],
    ['colours', { log: '\u001b[31mred\u001b[0m', more: 'é' }, 'red'],
    ['a line break of its own kind', { log: `one\u0085two`, token: token() }, 'one'],
  ]) {
    it(`leaves nothing in one copy of a structured result that is not in the other: ${what}`, async () => {
      const { answer, response } = await stage.tell('both', JSON.stringify(said));
      const { content, structuredContent } = response.result;
      assert.deepEqual(JSON.parse(content[0].text), structuredContent, answer.body);
      assert.notDeepEqual(structuredContent, said, answer.body);
      assert.ok(answer.body.includes(mayKeep), answer.body);
      for (const secret of [password, '12345678901', '\u001b']) assert.ok(!JSON.stringify(structuredContent).includes(secret), answer.body);
    });
  }

  for (const as of ['text', 'several', 'structured', 'name', 'error', 'envelope', 'log', 'progress', 'stderr']) {
    it(`takes a secret out of what is told as ${as}, and tells nobody of it`, async () => {
      const secret = token();
      const { answer, response } = await stage.tell(as, secret, as === 'structured' ? 'structured' : 'tell');
      assert.ok(!answer.body.includes(secret), answer.body);
      if (as !== 'stderr') assert.ok(answer.body.includes('[redacted:github.token'), answer.body);
      if (as === 'structured') {
        assert.equal(response.result.structuredContent.told, kMask);
        assert.equal(JSON.parse(response.result.content[0].text).told, kMask);
      }
      if (as === 'error') assert.equal(response.error.message, `failed: ${kMask}`);
      if (as === 'stderr') await eventually(() => stage.gateway.log().includes(`at work with ${kMask}`), 'the line in the log');
      assert.ok(!stage.gateway.log().includes(secret));
      assert.ok(!readFileSync(stage.gateway.auditFile, 'utf8').includes(secret));
      assert.ok(!(await stage.gateway.metrics()).includes(secret));
    });
  }

  it('is on record with the detector, what was done and how often', async () => {
    await stage.tell('several', token());
    assert.deepEqual(outcomes(stage.gateway).at(-1).redacted, ['github.token mask 3']);
    await stage.tell('text', 'nothing of the kind');
    assert.equal(outcomes(stage.gateway).at(-1).redacted, undefined);
    const counted = (await stage.gateway.metrics()).split('\n').find((line) => line.startsWith('bartizan_redactions_total{detector="github.token",action="mask",carrier="results"}'));
    assert.ok(Number(counted.split(' ').at(-1)) >= 3, counted);
  });

  it('takes it out of definitions and instructions', async () => {
    const listed = await stage.session.request(90, 'tools/list');
    assert.ok(!listed.body.includes(stage.own), listed.body);
    assert.equal(responseOf(listed).result.tools.find(({ name }) => name === 'tell_tell').description, `Tells. ${kMask}`);
    const session = await LegacySession.open(stage.gateway.url);
    const again = await session.request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } });
    assert.ok(again.body.includes(`Use it well. ${kMask}`), again.body);
    for (const method of ['tools/list', 'initialize']) {
      const outcome = stage.gateway.records().findLast((one) => one.kind === 'outcome' && one.method === method);
      assert.ok(outcome.redacted?.some((one) => one.startsWith('github.token mask')), `${method}: ${JSON.stringify(outcome)}`);
    }
  });

  it('takes it out of what a server asks a user', async () => {
    const { asked, answer } = await askThrough(stage.gateway, token());
    assert.deepEqual(asked, [`About ${kMask}?`]);
    assert.equal(answer, 'they decline');
  });

  it('takes it out of what a client made up, on record', async () => {
    const secret = token();
    const response = responseOf(await stage.session.request(91, 'resources/read', { uri: `file:///x?token=${secret}` }));
    assert.ok(response, 'an answer');
    assert.ok(!JSON.stringify(response).includes(secret), 'the server told the URI');
    const line = stage.gateway.records().findLast(({ method, kind }) => method === 'resources/read' && kind === 'decision');
    assert.equal(line.target, `file:///x?token=${kMask}`);
  });

  for (const { name, connect } of kClients.filter((client) => client.eras.includes('legacy') && client.name !== 'mcp-remote')) {
    it(`an official client gets the masked text: ${name}`, async () => {
      const connected = await connect(stage.gateway.url, {});
      const result = await connected.call('tell_tell', { as: 'text', said: `it is ${token()}.` });
      assert.equal(result.content[0].text, `it is ${kMask}.`);
      await connected.close();
    });
  }
});

describe('redaction by rules', () => {
  it('withholds what a rule lets nobody have, each in its own way', async () => {
    const { gateway, tell } = await begin('[redact.none]\ndetectors = ["github.*"]\naction = "withhold"\n');
    const secret = token();
    const { response } = await tell('text', secret);
    assert.equal(response.result.isError, true);
    assert.equal(response.result._meta['bartizan/withheld'].reason, 'content_withheld');
    const outcome = outcomes(gateway).at(-1);
    assert.deepEqual([outcome.outcome, outcome.reason, outcome.detail], ['tool_error', 'content_withheld', 'github.token by redact.none']);
    assert.deepEqual(outcome.redacted, ['github.token withhold 1']);
    const failed = await tell('error', secret);
    assert.equal(failed.response.error.data.reason, 'content_withheld');
    const logged = await tell('log', secret);
    assert.deepEqual(logged.messages.map(({ method }) => method), [undefined], 'the log message is not passed on');
    assert.equal(logged.response.result.content[0].text, 'logged');
    const { asked, answer: told } = await askThrough(gateway, secret);
    assert.deepEqual(asked, []);
    assert.match(told, /content that policy withholds/);
    const refused = gateway.records().findLast(({ method, direction }) => method === 'elicitation/create' && direction === 'server_to_client');
    assert.deepEqual([refused.decision, refused.reason], ['deny', 'content_withheld']);
    for (const { answer } of [failed, logged]) assert.ok(!answer.body.includes(secret), answer.body);
    await gateway.stop();
  });

  it('puts the same hash in the place of the same value', async () => {
    const { gateway, tell } = await begin('[redact.secrets]\ndetectors = ["secrets"]\naction = "hash"\n');
    const [secret, other] = [token(), token()];
    const said = (await tell('text', `${secret} ${secret} ${other}`)).response.result.content[0].text.split(' ');
    assert.match(said[0], /^\[redacted:github\.token:[0-9a-f]{16}\]$/);
    assert.equal(said[0], said[1]);
    assert.notEqual(said[0], said[2]);
    await gateway.stop();
  });

  it('only observes where a rule says so, by the name of the default', async () => {
    const { gateway, tell } = await begin('[redact.secrets]\ndetectors = ["secrets"]\naction = "observe"\n');
    const secret = token();
    assert.equal((await tell('text', secret)).response.result.content[0].text, secret);
    assert.deepEqual(outcomes(gateway).at(-1).redacted, ['github.token observe 1']);
    await gateway.stop();
  });

  it('keeps a presigned link where an exception names it, and nothing else of the text', async () => {
    const { gateway, tell } = await begin(`
[redact.secrets]
detectors = ["secrets"]
[redact.secrets.keep.report-link]
tools = ["tell/tell"]
detectors = ["url.presigned"]
hosts = ["acme.s3.eu-west-1.amazonaws.com"]
pointers = ["/content/*/text"]
expires = 2099-03-31
because = "people download the report from this link"
`);
    const key = `AKIA${drawn(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`;
    const link = (host) => `https://${host}/r/7.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${key}%2F20261121%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Signature=${drawn(64, 'abcdef0123456789')}`;
    const kept = link('acme.s3.eu-west-1.amazonaws.com');
    assert.equal((await tell('text', `${kept} ${token()}`)).response.result.content[0].text, `${kept} ${kMask}`);
    const other = (await tell('text', link('evil.example.com'))).response.result.content[0].text;
    assert.ok(other.startsWith('https://evil.example.com/r/7.pdf?'), other);
    assert.ok(!other.includes(key) && other.includes('[redacted:url.presigned]'), other);
    await gateway.stop();
  });

  it('reads texts of one result, and notifications of one call, as one', async () => {
    const { gateway, tell } = await begin();
    const secret = token();
    const parts = [`see ${secret.slice(0, 20)}`, `${secret.slice(20)} there`];
    const { response } = await tell('split', parts);
    assert.deepEqual(response.result.content.map(({ text }) => text), [`see ${kMask}`, `${kMask} there`]);
    const steps = (await tell('steps', parts)).messages.filter(({ method }) => method).map(({ params }) => params.message);
    assert.deepEqual(steps, [parts[0], `${kMask} there`], 'what was sent already cannot be taken back');
    const mixed = (await tell('mixed', parts)).messages.filter(({ method }) => method).map(({ params }) => params.message ?? params.data);
    assert.deepEqual(mixed, [parts[0], `${kMask} there`], 'progress, and then a message of the log');
    const list = (await tell('rows', parts)).response.result;
    assert.deepEqual(list.structuredContent.rows, [`see ${kMask}`, `${kMask} there`]);
    await gateway.stop();
  });

  for (const [protection, policy, expected] of [
    ['on', '', (parts) => [parts[0], `${kMask} there`, 'and on']],
    ['off', '[redact.secrets]\ndetectors = ["secrets"]\naction = "observe"\n', (parts) => [...parts, 'and on']],
  ]) {
    it(`reads messages of the log on a session's own stream as one, protection ${protection}`, async () => {
      const { gateway, session, tell } = await begin(policy, { more: 'instances = "per_principal"' });
      const stream = await EventStream.open(gateway.url, { headers: { ...session.headers(), accept: 'text/event-stream' } });
      const secret = token();
      const parts = [`see ${secret.slice(0, 20)}`, `${secret.slice(20)} there`];
      const logged = () => stream.messages().filter(({ method }) => method === 'notifications/message').map(({ params }) => params.data);
      await tell('later', [parts[0]]);
      await eventually(() => logged().length === 1, 'the first part');
      await tell('later', [parts[1], 'and on']);
      await eventually(() => logged().length === 3, 'the rest');
      assert.deepEqual(logged(), expected(parts));
      stream.close();
      await gateway.stop();
    });
  }

  it('gives a server the value back for its token, and nobody else', async () => {
    const { gateway, tell } = await begin('[redact.secrets]\ndetectors = ["secrets"]\naction = "tokenise"\n');
    const secret = token();
    const mark = (await tell('text', secret)).response.result.content[0].text;
    assert.match(mark, /^\[redacted:github\.token:[0-9a-f]{32}\]$/);
    assert.equal((await tell('length', mark)).response.result.content[0].text, '40: true', 'the server got the value');
    const unknown = mark.replace(/[0-9a-f]{32}/, '0'.repeat(32));
    assert.equal((await tell('length', unknown)).response.result.content[0].text, `${unknown.length}: false`);
    const { argument_digest: sent, sent_digest: said } = gateway.records().findLast(({ kind, method, sent_digest }) => kind === 'decision' && method === 'tools/call' && sent_digest);
    assert.ok(sent && said && sent !== said, 'the record has both');
    const url = (await tell('text', 'postgres://app:s3cr3tPw9x@db/x')).response.result.content[0].text;
    const [password] = /\[redacted:url\.password:[0-9a-f]{32}\]/.exec(url);
    assert.equal((await tell('text', `value ${password}`)).response.result.content[0].text, `value ${password}`, 'what repeats it tells nothing');
    assert.equal((await tell('error', password)).response.error.message, `failed: ${password}`);
    const restored = gateway.records().findLast(({ kind, method, redacted }) => kind === 'decision' && method === 'tools/call' && redacted);
    assert.deepEqual(restored.redacted, ['url.password restore 1']);
    assert.ok(gateway.records().some(({ kind, redacted }) => kind === 'decision' && redacted?.includes('github.token unknown 1')));
    assert.ok(!readFileSync(gateway.auditFile, 'utf8').includes(secret));
    assert.ok(!gateway.log().includes(secret));
    await gateway.stop();
  });

  it('takes out of arguments what a rule lets nobody send', async () => {
    const rule = '[redact.out]\ndetectors = ["github.*"]\nin = ["arguments"]\n';
    const { gateway, tell } = await begin(rule);
    const secret = token();
    assert.equal((await tell('length', secret)).response.result.content[0].text, `${kMask.length}: false`);
    const decision = () => gateway.records().findLast(({ kind, method }) => kind === 'decision' && method === 'tools/call');
    assert.deepEqual(decision().redacted, ['github.token mask 1']);
    const text = readFileSync(gateway.configFile, 'utf8');
    writeFileSync(gateway.configFile, text.replace(rule, `${rule}action = "withhold"\n`));
    gateway.process.kill('SIGHUP');
    const refused = await eventually(async () => {
      const { response } = await tell('length', secret);
      return response.error && response;
    }, 'the other action');
    assert.equal(refused.error.data.reason, 'argument_withheld');
    assert.match(refused.error.message, /arguments contain content that policy does not allow to be sent/);
    assert.deepEqual([decision().reason, decision().redacted], ['argument_withheld', ['github.token withhold 1']]);
    assert.equal(decision().detail, 'github.token by redact.out');
    await gateway.stop();
  });

  it('gives the first part of what is too large, once all of it was searched', async () => {
    const { gateway, tell } = await begin('[tool."tell/tell"]\nmax_blocks = 2\nmax_result = "200 B"\noversize = "truncate"\n');
    const secret = token();
    const { response } = await tell('split', [`a ${secret}`, ' b', secret]);
    assert.deepEqual(response.result.content.map(({ text }) => text), [`a ${kMask}`, ' b', '[truncated: 2 of 3 blocks; a result may have at most 2 blocks]']);
    assert.notEqual(response.result.isError, true);
    const [outcome] = outcomes(gateway).slice(-1);
    assert.deepEqual([outcome.outcome, outcome.reason, outcome.redacted], ['success', 'result_too_large', ['github.token mask 2']]);
    assert.equal(outcome.detail, 'truncated: result /* (max_blocks: at most 2 blocks)');
    const long = (await tell('text', 'x'.repeat(5000))).response.result.content;
    assert.ok(long[0].text.length < 200 && /^x+$/.test(long[0].text), long[0].text);
    assert.equal(long[1].text, '[truncated: 0 of 1 blocks and the beginning of the next; a result may have at most 200 bytes]');
    const { error } = (await tell('error', 'x'.repeat(5000))).response;
    assert.deepEqual([error.data.reason, JSON.stringify(error).includes('xxx')], ['result_too_large', false]);
    assert.deepEqual([outcomes(gateway).at(-1).outcome, outcomes(gateway).at(-1).reason], ['denied', 'result_too_large']);
    await gateway.stop();
  });

  it('takes out personal data and what the operator defined, where rules name them', async () => {
    const { gateway, tell } = await begin(`
[redact.people]
detectors = ["pii.card", "custom.ticket"]
[redact.mail]
detectors = ["pii.email"]
action = "observe"
[detector.ticket]
pattern = "ACME-[0-9]{6}"
`);
    const said = 'ACME-123456: ann@example.com paid with 4111 1111 1111 1111, call +49 30 1234567';
    assert.equal((await tell('text', said)).response.result.content[0].text, '[redacted:custom.ticket]: ann@example.com paid with [redacted:pii.card], call +49 30 1234567');
    assert.deepEqual([...outcomes(gateway).at(-1).redacted].sort(), ['custom.ticket mask 1', 'pii.card mask 1', 'pii.email observe 1']);
    assert.match(await gateway.metrics(), /bartizan_redactions_total\{detector="custom\.ticket",action="mask",carrier="results"\} 1/);
    const text = readFileSync(gateway.configFile, 'utf8');
    writeFileSync(gateway.configFile, text.replace('[detector.ticket]', '[detector.bird]\nwords = ["falcon"]\n[detector.ticket]').replace('"custom.ticket"', '"custom.bird"'));
    gateway.process.kill('SIGHUP');
    await eventually(async () => (await tell('text', 'ACME-123456 is about a Falcon')).response.result.content[0].text === 'ACME-123456 is about a [redacted:custom.bird]', 'the other detector');
    await gateway.stop();
  });

  it('takes out what rules of gitleaks find, and reads them again when their file changes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rules-'));
    const file = join(folder, 'gitleaks.toml');
    const rule = (id, regex) => `[[rules]]\nid = "${id}"\nregex = '${regex}'\nkeywords = ["rocket"]\nentropy = 2.5\n`;
    writeFileSync(file, rule('rocket-key', 'rocket[ =:]+"?([a-z0-9]{20})') + '[[rules.allowlists]]\nstopwords = ["sample"]\n');
    const { gateway, tell } = await begin(`[detector.house]\ngitleaks = "${file}"\n[redact.house]\ndetectors = ["custom.house"]\n`);
    const control = await begin();
    const secret = drawn(20, 'abcdefghjkmnpqrstuvwxyz23456789');
    const said = `rocket: ${secret}, rocket: aaaaaaaaaaaaaaaaaaaa, rocket: samplex9samplex8samp, wile ${secret}`;
    const text = async (teller) => (await teller('text', said)).response.result.content[0].text;
    assert.equal(await text(control.tell), said, 'nothing of it is found without the rules');
    assert.equal(await text(tell), said.replace(secret, '[redacted:custom.house.rocket-key]'));
    assert.deepEqual(outcomes(gateway).at(-1).redacted, ['custom.house.rocket-key mask 1']);
    assert.match(await gateway.metrics(), /bartizan_redactions_total\{detector="custom\.house\.rocket-key",action="mask",carrier="results"\} 1/);
    writeFileSync(file, rule('wile-key', 'wile ([a-z0-9]{20})'));
    await eventually(async () => (await text(tell)) === said.replace(`wile ${secret}`, 'wile [redacted:custom.house.wile-key]'), 'the other rule');
    writeFileSync(file, rule('wile-key', 'wile (?=x)'));
    await eventually(async () => /bartizan_config_reloads_total\{result="refused"\} [1-9]/.test(await gateway.metrics()), 'the refusal');
    assert.match(gateway.log(), /gitleaks\.toml:3:9.*not a pattern that RE2 can use/);
    await gateway.stop();
    await control.gateway.stop();
    rmSync(folder, { recursive: true });
  });

  it('a reload changes what is taken out of definitions that are known already', async () => {
    const rule = '[redact.secrets]\ndetectors = ["aws.*"]\n';
    const { gateway, session, own } = await begin(rule);
    const listed = async () => (await session.request(70, 'tools/list')).body;
    assert.ok((await listed()).includes(own));
    writeFileSync(gateway.configFile, readFileSync(gateway.configFile, 'utf8').replace(rule, ''));
    gateway.process.kill('SIGHUP');
    await eventually(async () => !(await listed()).includes(own), 'the mask in the description');
    await gateway.stop();
  });

  it('a reload changes what is taken out of records of calls that were made before', async () => {
    const { gateway, tell } = await begin('[redact.birds]\ndetectors = ["custom.bird"]\n[detector.bird]\nwords = ["falcon"]\n');
    const target = async () => {
      await tell('text', 'words');
      return gateway.records().findLast(({ method }) => method === 'tools/call').target;
    };
    assert.equal(await target(), 'tell');
    assert.equal(await target(), 'tell');
    writeFileSync(gateway.configFile, readFileSync(gateway.configFile, 'utf8').replace('"falcon"', '"falcon", "tell"'));
    gateway.process.kill('SIGHUP');
    await eventually(async () => (await target()) === '[redacted:custom.bird]', 'the mask in the record');
    await gateway.stop();
  });

  it('a reload changes what is taken out', async () => {
    const { gateway, tell } = await begin();
    const secret = token();
    assert.equal((await tell('text', secret)).response.result.content[0].text, kMask);
    const text = readFileSync(gateway.configFile, 'utf8');
    writeFileSync(gateway.configFile, `${text}\n[redact.secrets]\ndetectors = ["aws.*"]\n`);
    gateway.process.kill('SIGHUP');
    await eventually(async () => (await tell('text', secret)).response.result.content[0].text === secret, 'the other rule');
    writeFileSync(gateway.configFile, `${text}\n[redact.secrets]\ndetectors = ["no-such"]\n`);
    gateway.process.kill('SIGHUP');
    await eventually(() => gateway.log().includes('there is no detector'), 'the refusal of the reload');
    await gateway.stop();
  });
});

for (const era of ['legacy', 'modern']) {
  const complete = era === 'modern' ? '"resultType":"complete",' : '';
  describe(`redaction over HTTP, ${era}`, () => {
    const secret = token();
    /** Spelled as nobody would, so that whoever writes it anew is found out. */
    const around = (inner) => `{${complete}"content":[ {"type":"text" ,\t"text":"7\\u00b0 \\/ ${inner}\\n"} ],"x":[1.50,1e2],"structuredContent":{"told":"${inner}"}}`;
    let stage;
    before(async () => {
      const output = ',"outputSchema":{"type":"object","properties":{"told":{"type":"string","maxLength":50}}}';
      stage = await SchemaStage.start({
        era,
        tools: [toolText('tell', '{"type":"object"}', output), toolText('narrow', '{"type":"object"}', ',"outputSchema":{"type":"object","properties":{"told":{"type":"string","pattern":"^ghp_"}}}')],
        onCall: ({ id, params }, response) => answerResult(response, id, around(params.arguments.clean ? 'nothing' : secret)),
      });
    });
    after(() => stage?.stop());
    for (const version of kVersions.filter((one) => (one === kModernVersion) === (era === 'modern'))) {
      it(`changes what it masks and not a byte more, ${version}`, async () => {
        const caller = await stage.caller('untrusted', version);
        const clean = await caller.call('tell', '{"clean":true}');
        assert.ok(clean.body.endsWith(`"result":${around('nothing')}}`), clean.body);
        const masked = await caller.call('tell', '{}');
        assert.ok(masked.body.endsWith(`"result":${around(kMask)}}`), masked.body);
      });
      it(`what does not fit its schema once masked is withheld, ${version}`, async () => {
        const caller = await stage.caller('untrusted', version);
        const { response, body } = await caller.call('narrow', '{}');
        assert.equal(response.result.isError, true, body);
        assert.equal(response.result.structuredContent, undefined);
        assert.equal(response.result._meta['bartizan/withheld'].reason, 'result_invalid');
        assert.ok(!body.includes(secret), body);
      });
    }
  });
}
