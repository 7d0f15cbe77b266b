// What was judged is what is sent: two JSON readers that we did not write read the same method, name
// and arguments from the very bytes that the servers received, and these are what the client meant.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { kCorpora, kFixtures, startGateway, temporaryDirectory } from './harness.mjs';
import { httpServer, kPlain, recordedStdioServer, startDualServer } from './servers.mjs';
import { LegacySession, messagesOf, modernMeta, send, sendModern } from './wire.mjs';

const kRules = (server) => `
[sanitise.default]
hidden = "keep"
[rule.all-tools]
effect = "permit"
roles = ["tester"]
tools = ["${server}/*"]
[rule.all-methods]
effect = "permit"
roles = ["tester"]
methods = ["*"]
`;

// Texts that readers have disagreed on: escapes, separators, look-alikes, numbers at the edges.
const kTexts = [
  'plain',
  'quote " backslash \\ slash / tab \t newline \n',
  '\u2028\u2029\u0000\u001f\u007f',
  'Grüße, 世界, \u{1F3F0}',
  'e\u0301 and \u00e9',
  '=?base64?cmVhZA==?=',
  '{"method":"tools/list"}',
];

// Bodies as a client might write them, byte for byte: white space, escapes in names, odd numbers.
const kRawArguments = [
  '{ "text" : "\\u0074ext" }',
  '{"\\u0074ext":"escaped key"}',
  '{"text":"x","n":1.0,"e":1e2,"z":-0.0,"big":9007199254740993}',
  '{"text":"x","deep":{"a":[{"b":[[]]}]},"null":null}',
  '\n\t{"text":"x"\r\n}',
];

// Numbers that readers of 64 bits and of doubles do not read as they stand, and that nothing looks at.
const kNumbers = [
  '18446744073709551615', '18446744073709551616', '-9223372036854775809', '100000000000000000000001',
  `1${'0'.repeat(308)}`, '1.10', '0.1000000000000000055511151231257827', '1e-400', '-0.0', '1E+2',
];
/** Beyond a double: such a call is refused, and the refusal names it. */
const kTooLarge = [`1${'0'.repeat(309)}`, '1e309', '-1e400'];

/** Method, name and arguments as Node's JSON.parse reads them, written like read_messages.py does. */
function readWithNode(line) {
  const bytes = Buffer.from(JSON.parse(line).base64, 'base64');
  const message = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  return [message.method ?? null, message.params?.name ?? null, message.params?.arguments ?? null];
}

function readWithPython(recordFile) {
  const input = readFileSync(recordFile);
  const output = execFileSync('python3', [join(kFixtures, 'read_messages.py')], { input, maxBuffer: 256 << 20 });
  return output.toString().split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

function assertNoDifference(recordFile) {
  const lines = readFileSync(recordFile, 'utf8').split('\n').filter(Boolean);
  const python = readWithPython(recordFile);
  assert.equal(python.length, lines.length);
  lines.forEach((line, index) => assert.deepEqual(readWithNode(line), python[index]));
  return lines.map(readWithNode);
}

function corpusBodies() {
  const file = join(kCorpora, 'jsonrpc-mcp', 'messages.jsonl');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line).raw ?? '');
}

describe('what the servers received', () => {
  const directory = temporaryDirectory();
  const stdioRecord = join(directory, 'stdio.jsonl');
  const httpRecord = join(directory, 'http.jsonl');
  let legacyGateway;
  let modernGateway;
  let dual;
  before(async () => {
    legacyGateway = await startGateway(recordedStdioServer('plain', stdioRecord, [kPlain]) + kRules('plain'));
    dual = await startDualServer({ record: httpRecord });
    modernGateway = await startGateway(httpServer('dual', dual.url) + kRules('dual'));
  });
  after(async () => {
    await legacyGateway?.stop();
    await modernGateway?.stop();
    dual?.stop();
  });

  it('over stdio, from a legacy client', async () => {
    const session = await LegacySession.open(legacyGateway.url);
    for (const [id, text] of kTexts.entries()) {
      const response = await session.call(id + 1, 'plain_big_echo', { text });
      assert.equal(response.result.content[0].text, text);
    }
    for (const raw of kRawArguments) {
      const params = `{"name":"plain_big_echo","arguments":${raw}}`;
      await session.post(`{"jsonrpc":"2.0","id":99,"method":"tools/call","params":${params}}`);
    }
    for (const body of corpusBodies()) await session.post(body);

    const read = assertNoDifference(stdioRecord);
    const texts = read.filter(([method]) => method === 'tools/call').map(([, name, given]) => [name, given?.text]);
    for (const text of kTexts) assert.ok(texts.some(([name, sent]) => name === 'big_echo' && sent === text), text);
    assert.equal(texts.filter(([, text]) => text === 'x').length >= 3, true);
  });

  it('over HTTP, from a modern client', async () => {
    for (const text of kTexts) {
      const answer = await sendModern(modernGateway.url, 'tools/call', { name: 'dual_echo', arguments: { text } });
      assert.equal(messagesOf(answer)[0].result.content[0].text, text);
    }
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'dual_echo',
      authorization: 'Bearer a-token-that-is-not-the-servers-business',
    };
    for (const raw of kRawArguments) {
      const params = `{"_meta":${JSON.stringify(modernMeta())},"arguments":${raw},"name":"dual_echo"}`;
      const body = `{"params":${params},"method":"tools/call","id":1,"jsonrpc":"2.0"}`;
      assert.equal((await send(modernGateway.url, { headers, body })).status, 200);
    }
    const read = assertNoDifference(httpRecord);
    const sent = read.filter(([method]) => method === 'tools/call').map(([, name, given]) => [name, given.text]);
    for (const text of kTexts) assert.ok(sent.some(([name, value]) => name === 'echo' && value === text), text);
  });

  it('numbers as they are written', async () => {
    const session = await LegacySession.open(legacyGateway.url);
    const post = async (number, id) => {
      const params = `{"name":"plain_big_echo","arguments":{"text":"n","n":[${number},{"m":${number}}]}}`;
      return JSON.parse((await session.post(`{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":${params}}`)).body);
    };
    for (const [index, number] of kNumbers.entries()) {
      assert.equal((await post(number, `n${index}`)).result.content[0].text, 'n', number);
    }
    for (const [index, number] of kTooLarge.entries()) {
      const refused = await post(number, `x${index}`);
      assert.equal(refused.id, `x${index}`);
      assert.equal(refused.error.code, -32700);
      assert.match(refused.error.message, /too large for a double/);
    }
    const lines = readFileSync(stdioRecord, 'utf8').split('\n').filter(Boolean);
    const received = lines.map((line) => Buffer.from(JSON.parse(line).base64, 'base64').toString());
    const has = (number) => received.some((text) => text.includes(`"arguments":{"text":"n","n":[${number},{"m":${number}}]}`));
    for (const number of kNumbers) assert.ok(has(number), number);
    for (const number of kTooLarge) assert.ok(!has(number), number);
  });

  it('without the token of the client', () => {
    const received = readFileSync(httpRecord, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
    assert.ok(received.length > 0);
    for (const { headers } of received) assert.equal(headers.authorization, undefined);
  });
});
