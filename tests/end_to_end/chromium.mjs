// A real browser for stories: Debian's Chromium, told what to do over its DevTools pipe. Keys and texts go
// in as a keyboard sends them.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

import { eventually } from './assertions.mjs';
import { temporaryDirectory } from './harness.mjs';

const kProgram = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
/** Why a story with a browser is skipped; false where there is one. */
export const kNoChromium = !kProgram && 'no Chromium: apt-get install chromium';

const kPatienceMs = 30_000;
const kKeys = {
  Tab: { code: 'Tab', windowsVirtualKeyCode: 9 },
  Enter: { code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
};

/** One page. */
class Page {
  constructor(browser, session) {
    Object.assign(this, { browser, session });
  }

  ask(method, params) {
    return this.browser.ask(method, params, this.session);
  }

  /** Goes to a URL, as somebody does who writes it into the bar. */
  async open(url) {
    await this.ask('Page.navigate', { url });
    await this.settled();
  }

  async settled() {
    await eventually(async () => (await this.value('document.readyState').catch(() => '')) === 'complete', 'the page is loaded', kPatienceMs);
  }

  /** What an expression is in the page. */
  async value(expression) {
    const { result, exceptionDetails } = await this.ask('Runtime.evaluate', { expression, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until an expression is true in the page, whichever page that is then. */
  until(expression, what = expression) {
    return eventually(() => this.value(expression).catch(() => false), what, kPatienceMs);
  }

  path() {
    return this.value('location.pathname');
  }

  untilPath(path) {
    return this.until(`document.readyState === 'complete' && location.pathname === ${JSON.stringify(path)}`, `the page ${path}`);
  }

  async press(key, modifiers = 0) {
    const event = { key, modifiers, ...kKeys[key] };
    await this.ask('Input.dispatchKeyEvent', { type: event.text ? 'keyDown' : 'rawKeyDown', ...event });
    await this.ask('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }

  async type(text) {
    for (const letter of text) await this.ask('Input.dispatchKeyEvent', { type: 'char', text: letter });
  }

  /** Presses Tab until what a selector means has the focus: no pointer is needed to get there. */
  async tabTo(selector) {
    for (let presses = 0; presses < 60; presses += 1) {
      if (await this.value(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
      await this.press('Tab');
    }
    throw new Error(`no Tab leads to ${selector} on ${await this.path()}`);
  }
}

/** A browser with a profile of its own. */
export class Chromium {
  #process;
  #asked = new Map();
  #last = 0;
  #rest = '';

  static async start(t) {
    const browser = new Chromium();
    t.after(() => browser.stop());
    return browser;
  }

  /** `more`: further options of its command line. */
  constructor(more = []) {
    const given = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--remote-debugging-pipe'];
    this.#process = spawn(kProgram, [...given, ...more, `--user-data-dir=${temporaryDirectory()}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    process.on('exit', () => this.#process.kill('SIGKILL'));
    this.#process.stdio[3].on('error', () => {});
    this.#process.stdio[4].setEncoding('utf8').on('data', (chunk) => this.#take(chunk));
    this.#process.on('exit', () => {
      for (const { reject } of this.#asked.values()) reject(new Error('the browser has ended'));
    });
  }

  #take(chunk) {
    const messages = (this.#rest + chunk).split('\0');
    this.#rest = messages.pop();
    for (const text of messages) {
      const { id, result, error } = JSON.parse(text);
      const asked = this.#asked.get(id);
      if (!asked) continue;
      this.#asked.delete(id);
      if (error) asked.reject(new Error(`${asked.method}: ${error.message}`));
      else asked.resolve(result);
    }
  }

  ask(method, params = {}, sessionId = undefined) {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { method, resolve, reject });
      this.#process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  async newPage() {
    const { browserContextId } = await this.ask('Target.createBrowserContext');
    const { targetId } = await this.ask('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await this.ask('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId);
    await page.ask('Page.enable');
    await page.ask('Page.bringToFront');
    return page;
  }

  async stop() {
    const ended = new Promise((done) => this.#process.once('exit', done));
    this.ask('Browser.close').catch(() => {});
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), 5000);
    await ended;
    clearTimeout(timer);
  }
}
