// Pages that a browser shows reach no server, whatever they send to the gateway's ports. No call needs a
// handshake. For a page from elsewhere nobody needs a key either: only what the browser adds to its requests
// stands in the way. Pages of this machine are let in without an entry in `allowed_origins`, and need a key.
import assert from 'node:assert/strict';
import { createServer as createHttp } from 'node:http';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';

import { eventually, textOf } from './assertions.mjs';
import { Chromium, kNoChromium } from './chromium.mjs';
import { EventPeer, WebSocketPeer } from './wire_peer.mjs';
import { bearer, begin, calls, kPeople } from './wires_stage.mjs';

const kNobody = '[auth]\nmode = "none"\nprincipal = "ann"\n[principal.ann]\nroles = ["dev"]\n[principal.eve]\nroles = ["guest"]\n[role.dev]\ntrust = "verified"\n[role.guest]\n';
const kImplied = '[client]\nhandshake = "implied"\n';
const call = (text) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'web_echo', arguments: { text } } });

const listen = (server) => new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)));

/** What a page does; each settles as a text. `url` is where it sends, `text` what. */
const kAttempts = {
  fetch: `fetch(url, { method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body: text + '\\n' }).then(({ type }) => type, ({ name }) => name)`,
  'fetch with credentials': `fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', headers: { 'content-type': 'text/plain' }, body: '\\n' + text + '\\n' }).then(({ type }) => type, ({ name }) => name)`,
  'fetch of JSON': `fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }, body: text }).then((answer) => answer.text(), ({ name }) => name)`,
  beacon: `Promise.resolve(String(navigator.sendBeacon(url, text + '\\n')))`,
  form: `new Promise((done) => {
    const frame = Object.assign(document.createElement('iframe'), { name: 'into', onload: () => done('loaded') });
    const form = Object.assign(document.createElement('form'), { method: 'POST', enctype: 'text/plain', action: url, target: 'into' });
    const [head, tail] = text.replace('"arguments":', '"x":"=","arguments":').split('=');
    form.append(Object.assign(document.createElement('input'), { name: head, value: tail }));
    document.body.append(frame, form);
    form.submit();
    setTimeout(() => done('given up'), 3000);
  })`,
  'event source': `new Promise((done) => {
    const source = new EventSource(url);
    source.onopen = () => done('open');
    source.onerror = () => done('error');
  })`,
  'web socket': `new Promise((done) => {
    const socket = new WebSocket(url.replace(/^http/, 'ws'), ['mcp']);
    socket.onopen = () => socket.send(text);
    socket.onmessage = ({ data }) => done(data);
    socket.onclose = ({ code }) => done('closed ' + code);
    setTimeout(() => done('given up'), 5000);
  })`,
};

describe('a page', { skip: kNoChromium }, () => {
  let browser;
  let pages;
  let pagesPort;
  before(async () => {
    browser = new Chromium(['--host-resolver-rules=MAP page.example 127.0.0.1']);
    pages = createHttp((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><body>a page</body>'));
    pagesPort = await listen(pages);
  });
  after(async () => {
    await browser?.stop();
    pages?.closeAllConnections();
    pages?.close();
  });

  /** Has a page of that host try, and answers how that ended for it. */
  async function attempt(host, how, url, text) {
    const page = await browser.newPage();
    await page.open(`http://${host}:${pagesPort}/`);
    const given = `const url = ${JSON.stringify(url)}, text = ${JSON.stringify(text)};`;
    await page.value(`{ ${given} window.outcome = undefined; (${kAttempts[how]}).then((outcome) => (window.outcome = String(outcome))); undefined }`);
    await page.until('window.outcome !== undefined', `${how} has an end`);
    return page.value('window.outcome');
  }

  describe('with a plain listener, as a control,', () => {
    let received = '';
    let port;
    let plain;
    before(async () => {
      plain = createServer((socket) => {
        socket.on('error', () => {}).on('data', (chunk) => {
          received += chunk;
          socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
        });
      });
      port = await listen(plain);
    });
    after(() => plain.close());

    for (const how of ['fetch', 'fetch with credentials', 'beacon', 'form']) {
      it(`reaches it by ${how}, with the call`, async () => {
        const text = call(`control ${how}`);
        await attempt('page.example', how, `http://127.0.0.1:${port}/`, text);
        await eventually(() => received.includes(`"text":"control ${how}"`), 'what it posted');
      });
    }
    for (const how of ['fetch of JSON', 'event source', 'web socket']) {
      it(`reaches it by ${how}`, async () => {
        received = '';
        await attempt('page.example', how, `http://127.0.0.1:${port}/${how.replaceAll(' ', '-')}`, call(how));
        assert.match(received, /^(OPTIONS|GET) /);
        assert.match(received, new RegExp(`Origin: http://page.example:${pagesPort}`));
      });
    }
  });

  for (const { host, people, reason } of [
    { host: 'page.example', people: kNobody, reason: 'origin_not_allowed' },
    { host: 'localhost', people: kPeople, reason: 'unauthenticated' },
  ]) {
    describe(`of http://${host}`, () => {
      let stage;
      let places;
      before(async () => {
        stage = await begin({ people, client: kImplied });
        const opened = new EventPeer(stage.gateway.url, bearer);
        const target = await opened.endpoint;
        assert.ok((await opened.request(1, 'tools/list', {})).result, 'the stream is open');
        places = {
          'the endpoint': stage.gateway.url,
          'an event stream of somebody else': new URL(target, stage.gateway.url).href,
          'the line socket': `http://127.0.0.1:${stage.tcpPort}/`,
        };
        stage.opened = opened;
      });
      after(async () => {
        stage.opened.stop();
        await stage.stop();
      });

      for (const where of ['the endpoint', 'an event stream of somebody else', 'the line socket']) {
        it(`reaches no server through ${where}`, async () => {
          const attempts = Object.keys(kAttempts).map(async (how) => {
            const outcome = await attempt(host, how, places[where], call(`${host} ${where} ${how}`));
            assert.ok(!outcome.includes('"result"'), `${how}: ${outcome}`);
          });
          await Promise.all(attempts);
          assert.deepEqual(calls(stage), []);
          assert.deepEqual(stage.opened.received.map(({ id }) => id), [1], 'nothing is on the stream but what its opener asked');
          const expected = where === 'the line socket' ? 'parse_error' : reason;
          assert.ok(stage.gateway.records().some((record) => record.kind === 'refusal' && record.reason === expected), expected);
        });
      }

      it('(a control) others are served meanwhile, by the same calls', async () => {
        const peers = [stage.wires.tcp(), new WebSocketPeer(stage.gateway.url, bearer)];
        for (const peer of peers) {
          peer.write(call('a client'));
          assert.equal(textOf((await peer.answer(1)).result), 'a client');
          peer.stop();
        }
        stage.opened.write(call('a client'));
        await eventually(() => calls(stage, 'a client').length === 3, 'three calls');
      });
    });
  }

  it('(a control) of an origin that is allowed reaches the server', async (t) => {
    const stage = await begin({ people: kNobody, client: kImplied, listen: `allowed_origins = ["http://page.example:${pagesPort}"]` });
    t.after(() => stage.stop());
    const outcome = await attempt('page.example', 'web socket', stage.gateway.url, call('allowed'));
    assert.equal(textOf(JSON.parse(outcome).result), 'allowed');
    assert.equal(calls(stage, 'allowed').length, 1);
  });
});
