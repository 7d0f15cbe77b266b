// Operators who sign in to the console at the provider of a front door, and who does not get in so.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { eventually } from './assertions.mjs';
import { Browser, openDoor } from './front_door_stage.mjs';
import { freePort } from './harness.mjs';

describe('the console, by a provider', () => {
  let stage;
  let at;
  before(async () => {
    const port = await freePort();
    at = `http://127.0.0.1:${port}`;
    stage = await openDoor({ tables: () => `[console]\naddress = "127.0.0.1:${port}"\nroles = ["writer"]\n` });
    (await stage.provider.provider.Client.find('gateway')).redirectUris.push(`${at}/callback`);
  });
  after(() => stage?.stop());

  const begin = (browser, more = {}) => browser.ask(`${at}/sign-in/provider`, { method: 'POST', body: 'door=door', ...more });
  /** From the button to the page that the provider sends the browser back to. */
  const comeBack = async (browser, more) => {
    const { end } = await browser.follow(await begin(browser, more), (url) => url.startsWith(`${at}/callback`));
    return browser.ask(end.href);
  };
  const field = (page, name) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1].replaceAll('&amp;', '&');
  const goOn = (browser, page, changes = {}, more = {}) => {
    const fields = { code: field(page, 'code'), state: field(page, 'state'), iss: field(page, 'iss'), ...changes };
    return browser.ask(`${at}/callback`, { method: 'POST', body: new URLSearchParams(fields).toString(), ...more });
  };

  it('shows a button for each, and lets in whoever has the role there', async () => {
    const browser = new Browser();
    const page = await browser.ask(`${at}/sign-in`);
    assert.match(page.text, /<button type="submit" name="door" value="door">Sign in with door<\/button>/);
    assert.doesNotMatch(page.text, /Your key/, 'there are no keys');
    const callback = await comeBack(browser);
    assert.equal(callback.status, 200);
    assert.equal((await browser.ask(`${at}/`)).status, 303, 'GET has signed in');
    assert.equal((await goOn(browser, callback)).status, 303);
    const console = await browser.ask(`${at}/`);
    assert.equal(console.status, 200);
    assert.match(console.text, /Signed in as <strong>door:ann<\/strong> <span class="quiet">\(front_door:door\)/);
    const record = stage.gateway.records().findLast(({ kind }) => kind === 'sign_in');
    assert.equal(record.principal, 'door:ann');
    assert.equal(record.proof, 'front_door:door');
    assert.equal((await goOn(browser, callback)).status, 403, 'a state is taken once');
  });

  it('leads on to the page of approvals that was asked for, and nowhere else', async () => {
    const places = [['/approvals', '/approvals'], ['/revocations', '/'], ['//evil.example/approvals', '/']];
    for (const [then, place] of places) {
      const browser = new Browser();
      const callback = await comeBack(browser, { body: new URLSearchParams({ door: 'door', then }).toString() });
      const answer = await goOn(browser, callback);
      assert.equal(answer.status, 303, then);
      assert.equal(answer.headers.get('location'), place, then);
    }
  });

  it('lets in nobody without the role', async () => {
    stage.provider.user = { sub: 'bob', groups: ['readers'] };
    const browser = new Browser();
    assert.equal((await goOn(browser, await comeBack(browser))).status, 403);
    assert.equal((await browser.ask(`${at}/`)).status, 303);
    await eventually(() => stage.gateway.records().some(({ kind, reason, principal }) => kind === 'refusal' && reason === 'role_missing' && principal === 'door:bob'), 'a record');
    stage.provider.user = { sub: 'ann', groups: ['readers', 'writers'] };
  });

  it('takes an answer in the browser that began alone, and from its provider', async () => {
    const [operator, attacker] = [new Browser(), new Browser()];
    const callback = await comeBack(attacker);
    await begin(operator);
    assert.equal((await goOn(operator, callback)).status, 403, 'swapped');
    assert.equal((await goOn(attacker, callback)).status, 403, 'and it is over then');
    const other = await comeBack(operator);
    assert.equal((await goOn(operator, other, { iss: 'https://evil.example' })).status, 403, 'mix-up');
    const third = await comeBack(operator);
    assert.equal((await goOn(operator, third, { code: 'x' })).status, 403, 'no code of the provider');
    const fourth = await comeBack(operator);
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      assert.equal((await goOn(operator, fourth, {}, { headers })).status, 403);
      assert.equal((await begin(operator, { headers })).status, 403);
    }
    assert.equal((await goOn(operator, fourth)).status, 303, 'the control');
  });

  it('ends a session with its front door', async () => {
    const browser = new Browser();
    assert.equal((await goOn(browser, await comeBack(browser))).status, 303);
    assert.equal((await browser.ask(`${at}/`)).status, 200, 'the control');
    const { readFileSync, writeFileSync } = await import('node:fs');
    const text = readFileSync(stage.gateway.configFile, 'utf8');
    writeFileSync(stage.gateway.configFile, text.replace('writers = ["writer"]', 'writers = ["reader"]'));
    stage.gateway.process.kill('SIGHUP');
    await eventually(async () => (await browser.ask(`${at}/`)).status === 303, 'the end of the session');
  });
});
