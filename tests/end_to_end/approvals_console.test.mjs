// How people answer calls that wait for them: on a page with the keyboard alone, on the command line, and
// over HTTP; and what they are shown, whoever worded it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { answer, approvalRecords, bearer, keyOf, list, look, startApprovals, stepsOf } from './approvals_stage.mjs';
import { assertRefused, eventually, textOf } from './assertions.mjs';
import { makeCertificates } from './certificates.mjs';
import { Chromium, kNoChromium } from './chromium.mjs';
import { kProgram, temporaryDirectory } from './harness.mjs';
import { LegacySession } from './wire.mjs';

let calls = 0;
const open = (stage, name = 'ann') => LegacySession.open(stage.gateway.url, bearer(name));
const echo = async (session, text) => session.call((calls += 1), 'dual_echo', { text });

/** Calls, and answers the id of the request that the call waits for. */
async function askFor(session, text) {
  const { error } = await echo(session, text);
  assertRefused(error, 'needs_approval');
  return error.data.approval_id;
}

const kHostile = [
  '</bdi></div><script>document.title = "owned"</script>',
  '<img src="x" onerror="document.title = \'owned\'">',
  '<form action="/approvals"><button name="decision" value="approve">Deny</button></form>',
  '<meta http-equiv="refresh" content="0; url=https://evil.example/">',
  'safe\u202egnp.exe\u200b \u001b[2J',
];

/** Elements on the page that a text of a client has made. */
const kForeign = 'document.querySelectorAll("main script, main img, main iframe, main meta, main form form, main .value *:not(bdi):not(.mark)").length';

async function signIn(page, name) {
  await page.untilPath('/sign-in');
  await page.tabTo('#key');
  await page.type(keyOf(name));
  await page.press('Enter');
}

describe('the page of approvals, in a browser', { skip: kNoChromium }, () => {
  it('denies and approves with the keyboard alone, and shows new calls by itself', async (t) => {
    const stage = await startApprovals(t);
    const session = await open(stage);
    const browser = await Chromium.start(t);
    const page = await browser.newPage();
    await page.open(`${stage.console}/approvals`);
    await signIn(page, 'bob');
    await page.untilPath('/approvals');
    assert.match(await page.value('document.body.innerText'), /No call waits for you/);

    // A call comes, and is there without a key pressed.
    const denied = await askFor(session, 'the first');
    await page.until(`document.querySelector('a[href="/approvals/${denied}"]') !== null`, 'the list shows the call by itself');
    await page.tabTo(`a[href="/approvals/${denied}"]`);
    await page.press('Enter');
    await page.untilPath(`/approvals/${denied}`);
    const text = await page.value('document.querySelector("main").innerText');
    for (const part of ['dual/echo', 'ann', 'echo-needs-a-boss', 'the first', '0 of 1']) assert.ok(text.includes(part), `${part} in ${text}`);

    // Whoever writes a reason and presses Enter has said no.
    await page.tabTo('#why');
    await page.type('not today');
    await page.press('Enter');
    await page.until('document.body.innerText.includes("It is denied")');
    assert.deepEqual(stepsOf(stage.gateway, denied), ['pending by ann', 'denied by bob']);
    assert.equal(approvalRecords(stage.gateway, denied).at(-1).detail, 'call of ann: not today');
    assertRefused((await echo(session, 'the first')).error, 'approval_denied');

    const approved = await askFor(session, 'the second');
    await page.open(`${stage.console}/approvals/${approved}`);
    await page.tabTo('button[value="approve"]');
    await page.press('Enter');
    await page.until('document.body.innerText.includes("It is approved")');
    assert.equal((await look(stage, 'bob', approved)).body.state, 'approved');
    assert.equal(textOf((await echo(session, 'the second')).result), 'the second');
    await page.until('document.body.innerText.includes("It is used")', 'the page of a call is live, too');
  });

  it('shows what clients word as text, and all of it', async (t) => {
    const stage = await startApprovals(t);
    const session = await open(stage);
    const browser = await Chromium.start(t);
    const page = await browser.newPage();
    await page.open(`${stage.console}/approvals`);
    await signIn(page, 'bob');
    await page.untilPath('/approvals');
    for (const hostile of kHostile) {
      const id = await askFor(session, hostile);
      await page.open(`${stage.console}/approvals/${id}`);
      assert.equal(await page.value(kForeign), 0, hostile);
      assert.doesNotMatch(await page.value('document.title'), /owned/);
      assert.equal(await page.path(), `/approvals/${id}`);
      const shown = await page.value('[...document.querySelectorAll("main .value")].map((one) => one.textContent).join("\\n")');
      const seen = hostile.replace('\u202e', '[U+202E]').replace('\u200b', '[U+200B]').replace('\u001b', '[U+001B]');
      assert.ok(shown.includes(seen), `${seen} in ${shown}`);
      assert.doesNotMatch(await page.value('document.body.innerHTML'), /[\u202e\u200b\u001b]/);
      // The control: the same page without its escaping has elements of the client's.
      if (!hostile.startsWith('<')) continue;
      const html = (await page.value('document.documentElement.outerHTML')).replaceAll('&lt;', '<').replaceAll('&gt;', '>');
      await page.open('about:blank');
      const { frameTree } = await page.ask('Page.getFrameTree');
      await page.ask('Page.setDocumentContent', { frameId: frameTree.frame.id, html });
      assert.ok((await page.value(kForeign)) > 0, `the test would see it: ${hostile}`);
    }
  });

  it('is reached by a link from elsewhere, signed in or not', async (t) => {
    const stage = await startApprovals(t);
    const id = await askFor(await open(stage), 'linked');
    const path = `/approvals/${id}`;
    // Another site than 127.0.0.1: the browser keeps the cookie of a session back.
    const other = createServer((_, response) => response.setHeader('content-type', 'text/html').end(`<a href="${stage.console}${path}">approve</a>`));
    await new Promise((done) => other.listen(0, 'localhost', done));
    t.after(() => other.close());
    const browser = await Chromium.start(t);
    const page = await browser.newPage();
    const follow = async () => {
      await page.open(`http://localhost:${other.address().port}/`);
      await page.tabTo('a');
      await page.press('Enter');
    };
    await follow();
    await signIn(page, 'bob');
    await page.untilPath(path);
    await follow();
    await page.untilPath(path);
    await eventually(() => page.value('document.querySelector("button[value=approve]") !== null'), 'the form');
    assert.equal((await look(stage, 'bob', id)).body.state, 'pending', 'a link decides nothing');
  });

  it('refuses a form that was shown before somebody else answered', async (t) => {
    const rules = '[rule.two]\neffect = "require_approval"\nroles = ["*"]\ntools = ["dual/echo"]\napprovers = ["boss"]\napprovals = 2\n';
    const stage = await startApprovals(t, { rules });
    const id = await askFor(await open(stage), 'both of you');
    const browser = await Chromium.start(t);
    const page = await browser.newPage();
    await page.open(`${stage.console}/approvals/${id}`);
    await signIn(page, 'bob');
    await page.untilPath(`/approvals/${id}`);
    assert.equal((await answer(stage, 'carl', id)).status, 200);
    await page.tabTo('button[value="approve"]');
    await page.press('Enter');
    await page.until('document.body.innerText.includes("not as you saw it any more")');
    await page.tabTo(`a[href="/approvals/${id}"]`);
    await page.press('Enter');
    await page.until('document.body.innerText.includes("1 of 2")');
    await page.tabTo('button[value="approve"]');
    await page.press('Enter');
    await page.until('document.body.innerText.includes("It is approved")');
  });
});

/** Runs `bartizan approvals …` with the key of somebody, and that input; `door` says where the console is. */
function approvals(stage, name, words, { input = '', key, door = ['--console', stage.console] } = {}) {
  const file = join(temporaryDirectory(), 'key');
  writeFileSync(file, `${key ?? keyOf(name)}\n`, { mode: 0o600 });
  const [act, ...rest] = words;
  const child = spawn(kProgram, ['approvals', act, ...door, '--key', `file:${file}`, ...rest]);
  const out = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr']) child[stream].setEncoding('utf8').on('data', (chunk) => (out[stream] += chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  out.ended = new Promise((done) => child.on('close', (code) => done({ ...out, code })));
  out.child = child;
  return out;
}

describe('bartizan approvals', () => {
  it('lists, shows, denies and approves, by an approver’s own key', async (t) => {
    const stage = await startApprovals(t);
    const session = await open(stage);
    const run = (name, words, more) => approvals(stage, name, words, more).ended;
    assert.match((await run('bob', ['list'])).stdout, /no call waits for you/);
    const id = await askFor(session, `${kHostile[4]}<b>`);
    const listed = await run('bob', ['list']);
    assert.equal(listed.code, 0);
    assert.match(listed.stdout, new RegExp(`^${id}  pending  ann  dual/echo  \\(rule echo-needs-a-boss\\)`));
    const { stdout: shown } = await run('bob', ['show', id]);
    assert.match(shown, /text: text safe\\u\{202e\}gnp\.exe\\u\{200b\} \\u\{1b\}\[2J<b>/);
    assert.match(shown, /approved by 0 of 1/);
    assert.ok([...shown].every((letter) => letter === '\n' || (letter >= ' ' && letter <= '~')), 'a terminal gets nothing to obey');

    // Whatever is no yes is no, and changes nothing.
    for (const input of ['', '\n', 'Y es\n', 'no\n', 'n\n']) {
      const { code, stdout, stderr } = await run('bob', ['approve', id], { input });
      assert.equal(code, 1, stdout + stderr);
      assert.match(stderr, /not approved/);
    }
    assert.equal((await look(stage, 'bob', id)).body.state, 'pending');
    const yes = await run('bob', ['approve', id, '--why', 'looks right'], { input: 'y\n' });
    assert.equal(yes.code, 0, yes.stderr);
    assert.match(yes.stdout, /Approve this call\? \[y\/N\] approved: /);
    assert.ok((await echo(session, `${kHostile[4]}<b>`)).result);
    assert.deepEqual(stepsOf(stage.gateway, id), ['pending by ann', 'approved by bob', 'used by ann']);

    const other = await askFor(session, 'another');
    const { code, stdout } = await run('carl', ['deny', other, '--json', '--why', 'no']);
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).state, 'denied');
    assert.equal((await run('carl', ['deny', other])).code, 0, 'said again, it does no harm');
    const late = await run('bob', ['approve', other, '--yes']);
    assert.equal(late.code, 1);
    assert.match(late.stderr, /it is denied already/);
  });

  it('refuses who may not, and says what is wrong with a command', async (t) => {
    const stage = await startApprovals(t);
    const id = await askFor(await open(stage), 'hello');
    const rows = [
      ['a caller', 'ann', ['approve', id, '--yes'], 1, /may approve nothing/],
      ['an operator', 'olga', ['approve', id, '--yes'], 1, /olga is not an approver/],
      ['another id', 'bob', ['show', `${id.slice(0, -1)}x`], 2, /ID must be one/],
      ['an id that is none', 'bob', ['show', '0'], 1, /no such page/],
      ['an id of nothing', 'bob', ['show', '00000000-0000-7000-8000-000000000000'], 1, /There is no such request/],
      ['no id', 'bob', ['show'], 2, /requires FILE ID/],
      ['JSON without --yes', 'bob', ['approve', id, '--json'], 2, /does not ask/],
    ];
    for (const [what, name, words, code, sentence] of rows) {
      const ended = await approvals(stage, name, words).ended;
      assert.equal(ended.code, code, `${what}: ${ended.stdout}${ended.stderr}`);
      assert.match(ended.stderr, sentence, what);
    }
    const wrong = await approvals(stage, 'bob', ['list'], { key: 'another-key' }).ended;
    assert.equal(wrong.code, 1);
    assert.ok(!wrong.stderr.includes('another-key'));
    assert.equal((await look(stage, 'bob', id)).body.state, 'pending');
  });

  it('finds the console by a configuration, and checks its certificate', async (t) => {
    const tls = makeCertificates('IP:127.0.0.1');
    const table = `tls = { cert = ${JSON.stringify(tls.certFile)}, key = ${JSON.stringify(`file:${tls.keyFile}`)} }\n`;
    for (const more of ['', table]) {
      const stage = await startApprovals(t, { console: more });
      await askFor(await open(stage), 'hello');
      const door = [stage.gateway.configFile];
      const listed = await approvals(stage, 'bob', ['list', ...(more && ['--ca', tls.caFile])], { door }).ended;
      assert.match(listed.stdout, /dual\/echo/, listed.stderr);
      if (!more) continue;
      const strange = await approvals(stage, 'bob', ['list'], { door }).ended;
      assert.equal(strange.code, 1);
      assert.match(strange.stderr, /certificate/i);
    }
  });

  it('watches until it is interrupted, and prints each call once', async (t) => {
    const stage = await startApprovals(t);
    const session = await open(stage);
    const first = await askFor(session, 'one');
    const watch = approvals(stage, 'bob', ['watch', '--json']);
    t.after(() => watch.child.kill('SIGKILL'));
    const seen = () => watch.stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line).id);
    await eventually(() => seen().includes(first), 'what waits is printed at once', 15_000);
    const second = await askFor(session, 'two');
    await eventually(() => seen().includes(second), 'a new call is printed as it comes', 15_000);
    watch.child.kill('SIGINT');
    await watch.ended;
    assert.deepEqual(seen(), [first, second]);
  });
});

describe('approvals over HTTP', () => {
  it('tells what it refuses as problem details, and on record', async (t) => {
    const stage = await startApprovals(t);
    const id = await askFor(await open(stage), 'hello');
    const url = `${stage.console}/api/approvals/${id}`;
    const json = { 'content-type': 'application/json' };
    const body = JSON.stringify({ decision: 'approve' });
    const { etag } = await look(stage, 'bob', id);
    const rows = [
      ['no key', { headers: json }, 401, 'unauthenticated'],
      ['a cookie in its place', { headers: { ...json, cookie: `bartizan=${'a'.repeat(64)}` } }, 401, 'unauthenticated'],
      ['a caller’s key', { headers: { ...json, ...bearer('ann') } }, 403, 'role_missing'],
      ['an operator’s key', { headers: { ...json, ...bearer('olga'), 'if-match': etag } }, 403, 'role_missing'],
      ['a form', { headers: { ...bearer('bob'), 'content-type': 'application/x-www-form-urlencoded' } }, 415],
      ['without what was seen', { headers: { ...json, ...bearer('bob') } }, 428],
      ['another state', { headers: { ...json, ...bearer('bob'), 'if-match': '"pending-7-0"' } }, 412],
      ['from another site', { headers: { ...json, ...bearer('bob'), 'if-match': etag, origin: 'https://evil.example' } }, 403, 'origin_not_allowed'],
    ];
    for (const [what, options, status, reason] of rows) {
      const refused = await fetch(url, { method: 'POST', body, ...options });
      const problem = await refused.json();
      assert.equal(refused.status, status, what);
      assert.equal(refused.headers.get('content-type'), 'application/problem+json', what);
      assert.equal(problem.status, status);
      assert.equal(problem.reason, reason, what);
      assert.ok(problem.title && problem.detail, what);
      if (reason) assert.equal(stage.gateway.records().find((one) => one.decision_id === problem.decision_id).reason, reason, what);
    }
    assert.equal((await look(stage, 'bob', id)).body.state, 'pending');
    assert.equal((await answer(stage, 'bob', id)).body.state, 'approved');
  });

  it('shows how the gateway reads arguments, and the calls before', async (t) => {
    const rules = `
[path.docs]
root = "/srv/data"
[tool."dual/echo".arguments]
"/text" = { path = "docs" }
[rule.outside-of-tmp]
effect = "require_approval"
roles = ["*"]
tools = ["dual/echo"]
approvers = ["boss"]
unless = { "/text" = { text = { matches = "/srv/data/tmp/.*" } } }
`;
    const stage = await startApprovals(t, { rules });
    const session = await open(stage);
    assert.ok((await echo(session, '/srv/data/tmp/x')).result);
    const id = await askFor(session, '/srv/data/a/./b//../secret.txt');
    const { body } = await look(stage, 'bob', id);
    assert.deepEqual(body.call.readings, [{ pointer: '/text', kind: 'path', reading: '/srv/data/a/secret.txt' }]);
    assert.equal(body.call.params.arguments.text, '/srv/data/a/./b//../secret.txt');
    assert.equal(body.call.history.length, 1, JSON.stringify(body.call));
    const { stdout } = await approvals(stage, 'bob', ['show', id]).ended;
    assert.match(stdout, /as the gateway reads it:\n  \/text path\n    \/srv\/data\/a\/secret\.txt\n/);
    assert.equal((await list(stage, 'bob')).body.approvals[0].call, undefined, 'a list has no arguments');
  });
});
