// Requests that two HTTP parsers could read differently, against servers that keep every byte: what
// the gateway does not refuse reaches a server as one request of the gateway's own making.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { kCorpora, startGateway } from './harness.mjs';
import { callBody, callHead, callRequest, RawConnection, statusesOf } from './raw_connection.mjs';
import { startRecordingServer } from './recording_http.mjs';
import { httpServer } from './servers.mjs';
import { LegacySession } from './wire.mjs';

const kMutations = join(kCorpora, 'http1-smuggling', 'te_cl_mutations.jsonl');
const kParserCases = join(kCorpora, 'http1-llhttp', 'cases.jsonl');
const kRules = `
[process]
workers = 1
[rule.testers-may]
effect = "permit"
roles = ["tester"]
tools = ["recording/*"]
`;
const kTool = 'recording_echo';
const kAtOnce = 32;

function linesOf(file) {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

/** Does `work` for each item, some at a time. */
async function forEach(items, work) {
  const rest = [...items];
  const worker = async () => {
    while (rest.length > 0) await work(rest.shift());
  };
  await Promise.all(Array.from({ length: kAtOnce }, worker));
}

for (const era of ['modern', 'legacy']) describe(`ambiguous requests of the ${era} era`, () => {
  const marker = `smuggled-${randomBytes(8).toString('hex')}`;
  const markers = `X-Marker: ${marker}\r\nUser-Agent: ${marker}\r\nCookie: a=${marker}\r\n`;
  let server;
  let gateway;
  let session;
  let last = 0;
  before(async () => {
    server = await startRecordingServer(era);
    gateway = await startGateway(httpServer('recording', server.url, 'max_in_flight = 1000') + kRules, { listen: 'allowed_hosts = ["gw.test"]' });
    if (era === 'legacy') session = await LegacySession.open(gateway.url);
    assert.deepEqual(statusesOf(await exchange(request('warm'))), [200]);
  });
  after(async () => {
    await gateway?.stop();
    await server.stop();
  });

  const head = (more) => callHead(kTool, more, session);
  const request = (one, more) => callRequest(kTool, one, more, session);
  const token = (kind) => `${kind}-${(last += 1)}`;
  /** Sends those bytes, and our end once that many answers are there; answers all that came back. */
  const exchange = (bytes, count = 1) => new RawConnection(gateway.url).write(bytes).finish(count);
  const reached = (one) => server.tokens().filter((other) => other === one).length;

  function assertNothingRaw() {
    assert.ok(!server.text().includes(marker), "bytes of a client's head reached the server");
  }

  /** A request whose head has `gadget` in it, and then another one behind it. */
  function attacks(gadget) {
    const [judged, none, smuggled] = [token('judged'), token('none'), token('smuggled')];
    const inner = request(smuggled, markers);
    const first = Buffer.from(head(markers));
    const body = callBody(kTool, judged, {}, session);
    const framed = (length) => Buffer.from(`\r\nContent-Length: ${length}\r\n\r\n`);
    const chunk = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`;
    return [
      // The length tells where the call ends; the coding, where anyone sees it, says something else.
      { judged, smuggled, bytes: Buffer.concat([first, gadget, framed(body.length), Buffer.from(`${body}G`)]) },
      // Seen as chunked, the body ends at once, and a second request follows.
      { judged: none, smuggled, bytes: Buffer.concat([first, gadget, framed(inner.length + 5), Buffer.from(`0\r\n\r\n${inner}`)]) },
      // Seen by its length, the body ends before the second request.
      { judged: none, smuggled, bytes: Buffer.concat([first, gadget, framed(chunk.indexOf('\n') + 1), Buffer.from(chunk)]) },
    ];
  }

  it('of the corpus are refused, or are one request whose framing is ours', { skip: !existsSync(kMutations) && 'no corpus' }, async () => {
    const cases = linesOf(kMutations);
    let accepted = 0;
    await forEach(cases, async ({ id, header_gadget_b64, request_b64 }) => {
      const gadget = Buffer.from(header_gadget_b64, 'base64');
      const whole = Buffer.from(request_b64, 'base64').toString('latin1').replace('\r\n', `\r\n${markers}`);
      assert.deepEqual(statusesOf(await exchange(Buffer.from(whole, 'latin1'))), [400], id);
      for (const { judged, smuggled, bytes } of attacks(gadget)) {
        const received = await exchange(bytes);
        const [status, ...more] = statusesOf(received);
        assert.ok(status === 200 || status === 400, `${id}: ${status}`);
        assert.deepEqual(more, [], `${id}: a second answer`);
        assert.equal(reached(smuggled), 0, `${id}: a second request reached the server`);
        assert.equal(reached(judged), status === 200 ? 1 : 0, `${id}: ${received}`);
        accepted += status === 200;
      }
    });
    assert.ok(accepted < cases.length / 4, `${accepted} of ${cases.length} cases were accepted`);
    assertNothingRaw();
  });

  it('close the connection behind a good request, and take nothing with them', { skip: !existsSync(kMutations) && 'no corpus' }, async () => {
    await forEach(linesOf(kMutations), async ({ id, header_gadget_b64 }) => {
      const [good, late] = [token('good'), token('late')];
      const [, attack] = attacks(Buffer.from(header_gadget_b64, 'base64'));
      const bytes = [Buffer.from(request(good)), attack.bytes, Buffer.from(request(late))];
      const received = await exchange(Buffer.concat(bytes), 2);
      assert.deepEqual(statusesOf(received), [200, 400], id);
      assert.equal(reached(good), 1, id);
      assert.equal(reached(attack.smuggled) + reached(attack.judged) + reached(late), 0, id);
    });
    assertNothingRaw();
  });

  it('of the parser suite never reach a server', { skip: !existsSync(kParserCases) && 'no corpus' }, async () => {
    const before = server.tokens().length;
    await forEach(linesOf(kParserCases), async ({ id, must_reject, raw_b64 }) => {
      const raw = Buffer.from(raw_b64, 'base64').toString('latin1');
      for (const variant of [raw, raw.replace(' HTTP/1.1\r\n', ' HTTP/1.1\r\nHost: gw.test\r\n')]) {
        // Some rows end before their head does.
        const statuses = statusesOf(await exchange(Buffer.from(`${variant}\r\n\r\n`, 'latin1')));
        assert.ok(statuses.every((status) => status >= 400), `${id}: ${statuses}`);
        assert.ok(!must_reject || statuses.length > 0, `${id}: no answer`);
      }
    });
    assert.equal(server.tokens().length, before);
    assert.ok(!server.text().includes('gw.test'));
  });

  // How bytes are read does not depend on the era.
  if (era === 'legacy') return;
  const body = callBody(kTool, 'split');
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const chunked = 'Transfer-Encoding: chunked\r\n';
  const counted = `Content-Length: ${body.length}\r\n`;
  // Each with what stands behind the head's usual lines, and its answer.
  const split = {
    'a call': [`${counted}\r\n${body}`, 200],
    'a chunked call': [`${chunked}\r\n${chunks}`, 200],
    'two lengths': [`${counted}${chunked}\r\n${body}`, 400],
    'a folded coding': [`Transfer-Encoding:\r\n chunked\r\n${counted}\r\n${body}`, 400],
    'a chunk extension': [`${chunked}\r\n${chunks.replace('\r\n', ';a=b\r\n')}`, 400],
    'a trailer': [`${chunked}\r\n${chunks.slice(0, -2)}A: b\r\n\r\n`, 400],
  };
  for (const [name, [rest, status]] of Object.entries(split)) {
    it(`are read alike however they arrive: ${name}`, async () => {
      const bytes = head() + rest;
      const before = server.tokens().length;
      const begun = [];
      for (let at = 1; at < bytes.length; at += 1) {
        begun.push({ wire: new RawConnection(gateway.url).write(bytes.slice(0, at)), late: bytes.slice(at), at });
      }
      await Promise.all(begun.map(({ wire }) => wire.connected));
      // One worker: what it has answered was sent after all those first parts.
      assert.deepEqual(statusesOf(await exchange(request(token('barrier')))), [200]);
      await Promise.all(begun.map(async ({ wire, late, at }) => {
        assert.deepEqual(statusesOf(await wire.write(late).finish()), [status], `split at ${at}`);
      }));
      const expected = 1 + (status === 200 ? bytes.length - 1 : 0);
      assert.equal(server.tokens().length - before, expected);
    });
  }
});
