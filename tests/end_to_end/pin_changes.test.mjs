// Tools over time: a server whose secret is rotated has its tools as before, and one that lists something
// else whenever it is asked has them while they are what they were.
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { runProgram } from './harness.mjs';
import { Client, fingerprintOf, kBoth, kChange, kCount, kFirstUse, kListing, kLocked, kOther, kRead, kThird, Place, quarantinedOf, startListing } from './pin_stage.mjs';
import { configOf, write } from './reloading.mjs';
import { answerText } from './scripted_http.mjs';
import { httpServer, stdioServer } from './servers.mjs';

function putSecret(file, secret) {
  writeFileSync(file, secret);
  chmodSync(file, 0o600);
}

/** Lines of the log about that. */
const countQuarantined = (gateway) => gateway.log().split('"quarantined"').length - 1;

/** Does what the gateway notices by itself, and waits until that is in force. */
async function reload(gateway, act) {
  const { reloads } = await configOf(gateway);
  act();
  await eventually(async () => (await configOf(gateway)).reloads.applied > reloads.applied, 'it is noticed', 30_000);
}

/** As a mounted one is replaced. */
function replaceSecret(file, secret) {
  putSecret(`${file}.next`, secret);
  renameSync(`${file}.next`, file);
}

describe('a server whose secret is rotated', () => {
  const kWays = [
    {
      name: 'a token that it is sent',
      async start(place, file) {
        let lists;
        let since = 0;
        const secret = () => readFileSync(file, 'utf8');
        const server = await startListing(place.t, {
          onMessage(message, response, request) {
            if (request.headers.authorization === `Bearer ${secret()}`) return false;
            response.writeHead(401).end();
            return true;
          },
          onCall({ id, params }, response) {
            if (params.name === 'change') {
              server.tools = lists.next;
              server.publish({ method: 'notifications/tools/list_changed' });
            }
            answerText(response, id, params.arguments.text);
          },
        });
        const list = (tools, next) => {
          lists = { tools, next };
          server.tools = tools;
          since = server.requests.length;
        };
        const table = httpServer('notes', server.url, `credentials = { bearer = ${JSON.stringify(`file:${file}`)} }`);
        // What it says outside of calls is heard on a stream, and another one after each reload.
        const ready = () => eventually(() => server.requests.slice(since).some(({ method }) => method === 'GET'), 'the gateway listens', 30_000);
        return { table, list, ready, another: (text) => text.replace(server.url, `${server.url}?of=another`) };
      },
    },
    {
      name: 'a variable of its process',
      async start(place, file) {
        const [now, next] = [place.file('tools.json'), place.file('next.json')];
        const table = stdioServer('notes', [kListing, '--tools', now, '--next', next], `instances = "shared"\nenv_secret = { TOKEN = ${JSON.stringify(`file:${file}`)} }`);
        const list = (tools, later) => {
          writeFileSync(now, JSON.stringify(tools));
          writeFileSync(next, JSON.stringify(later));
        };
        return { table, list, ready: () => {}, another: (text) => text.replace('"--next"', '"--once", "", "--next"') };
      },
    },
  ];
  const kNames = ['notes_change', 'notes_read'];

  for (const way of kWays) {
    for (const mode of [kLocked, kFirstUse]) {
      it(`has nothing quarantined and nothing forgotten: ${way.name}, ${mode.name}`, async (t) => {
        const place = new Place(t, mode, 1);
        const secret = place.file('secret');
        putSecret(secret, 'the-first-secret');
        const server = await way.start(place, secret);
        server.list([kRead, kChange], [kOther, kChange]);
        const gateway = await place.start(server.table);
        const ann = await Client.open(gateway, 'ann', 'legacy');
        const shows = ({ description }) => eventually(async () => (await ann.tools()).notes_read?.description === description, `"${description}" is shown`, 30_000);
        const change = async () => {
          await server.ready();
          await ann.assertServed('change', 'changed');
        };
        const renew = async (act, now, next) => {
          await server.ready();
          server.list(now, next);
          await reload(gateway, act);
        };
        const rotate = (text, now = [kRead, kChange], next = [kOther, kChange]) => renew(() => replaceSecret(secret, text), now, next);
        await ann.assertServed('read', 'first');

        await rotate('the-second-secret');
        assert.match(gateway.log(), /"msg":"reload applied".*"servers_changed":"notes"/);
        assert.deepEqual(await ann.names(), kNames);
        await ann.assertServed('read', 'after a rotation');
        assert.deepEqual(await quarantinedOf(gateway), []);
        assert.equal(countQuarantined(gateway), 0);

        await change();
        await eventually(async () => !(await ann.tools()).notes_read, 'what changed is listed no more', 30_000);
        const released = fingerprintOf(await ann.assertQuarantined('read', 'changed', mode.flaw));
        await place.release(released);
        await shows(kOther);
        const told = countQuarantined(gateway);

        await rotate('the-third-secret');
        await shows(kRead);
        await ann.assertServed('read', 'what came first');
        await change();
        await shows(kOther);
        await ann.assertServed('read', 'what was released stays released');
        assert.deepEqual(await quarantinedOf(gateway), []);
        assert.equal(countQuarantined(gateway), told);

        // Nor is it an occasion for something else.
        await rotate('the-fourth-secret', [kThird, kChange]);
        assert.deepEqual(await ann.names(), ['notes_change']);
        assert.notEqual(fingerprintOf(await ann.assertQuarantined('read', 'a third', mode.flaw)), released);
        assert.equal(gateway.records().filter(({ kind }) => kind === 'release').length, 1);

        // Another program is another matter: what was released of the old one is not of this one.
        await renew(() => write(gateway, server.another(readFileSync(gateway.configFile, 'utf8'))), [kRead, kChange], [kOther, kChange]);
        assert.deepEqual(await ann.names(), kNames);
        await change();
        await eventually(async () => !(await ann.tools()).notes_read, 'its release is over', 30_000);
        await ann.assertQuarantined('read', 'another program', mode.flaw);
      });
    }
  }
});

describe('a list that is another one each time it is asked for', () => {
  /** Lists what counts the first time, something else the second, and so on; `shown` is what it listed last. */
  async function startFlipping(t, more) {
    const faces = [kRead, kOther];
    const state = { asked: 0, shown: undefined, wrong: 0 };
    const server = await startListing(t, {
      ...more,
      list() {
        state.shown = faces[state.asked % 2];
        state.asked += 1;
        return [state.shown, kCount];
      },
      onCall({ id, params }, response) {
        if (params.name === 'read' && state.shown !== kRead) state.wrong += 1;
        answerText(response, id, params.arguments.text);
      },
    });
    return Object.assign(server, { state });
  }

  for (const mode of [kLocked, kFirstUse]) {
    it(`is usable while it is what it was: ${mode.name}`, async (t) => {
      const place = new Place(t, mode, 1);
      const server = await startFlipping(t);
      const gateway = await place.start(httpServer('notes', server.url));
      const ann = await Client.open(gateway, 'ann', 'legacy');
      await ann.names();
      await eventually(() => server.streams.size > 0, 'the gateway listens', 30_000);
      const flip = async () => {
        const { asked } = server.state;
        server.publish({ method: 'notifications/tools/list_changed' });
        await eventually(async () => (await ann.names()) && server.state.asked > asked, 'the list is asked for again', 30_000);
        assert.equal(server.state.asked, asked + 1);
      };
      const seen = { served: 0, quarantined: 0 };
      let decision;
      for (let round = 0; round < 6; ++round) {
        const isWhatItWas = server.state.shown === kRead;
        assert.deepEqual(await ann.names(), isWhatItWas ? kBoth : ['notes_count']);
        if (isWhatItWas) await ann.assertServed('read', `round ${round}`);
        else decision = await ann.assertQuarantined('read', `round ${round}`, mode.flaw);
        seen[isWhatItWas ? 'served' : 'quarantined'] += 1;
        await ann.assertServed('count', 'whatever the other is');
        await flip();
      }
      assert.deepEqual(seen, { served: 3, quarantined: 3 });
      assert.equal(server.state.wrong, 0);
      await place.release(fingerprintOf(decision));
      for (let round = 0; round < 4; ++round) {
        await ann.assertServed('read', 'either was taken by now');
        await flip();
      }
    });
  }

  it('is judged by what was listed last, also where nothing is announced', async (t) => {
    const place = new Place(t, kFirstUse, 1);
    const server = await startFlipping(t, { era: 'modern', ttlMs: 0 });
    const gateway = await place.start(httpServer('notes', server.url));
    const ann = await Client.open(gateway, 'ann', 'modern');
    const seen = [];
    await eventually(async () => {
      const { result, error } = await ann.call('read', 'whenever');
      if (error) assertRefused(error, 'tool_quarantined');
      const what = result ? 'served' : 'quarantined';
      if (seen.at(-1) !== what) seen.push(what);
      return seen.length === 4;
    }, 'it is served and refused in turn', 60_000);
    assert.deepEqual(seen, ['served', 'quarantined', 'served', 'quarantined']);
    assert.equal(server.state.wrong, 0, 'no call left under what the server listed otherwise');
    assert.ok(server.received('tools/call').length > 0);
  });

  it('has nothing approved that a person did not see', async (t) => {
    const place = new Place(t, kLocked, 1);
    const server = await startFlipping(t);
    await place.start(httpServer('notes', server.url));
    const lock = readFileSync(place.file('bartizan.lock'), 'utf8');
    assert.deepEqual(JSON.parse(lock).servers.notes.tools.read.definition, kRead);
    const shown = await runProgram('pin', place.config);
    assert.equal(server.state.shown, kOther);
    assert.equal(shown.code, 1);
    const [, digest] = /--accept ([0-9a-f]{64})$/m.exec(shown.stderr);
    await runProgram('pin', place.config, '--accept', digest);
    assert.equal(server.state.shown, kRead, 'it was asked again');
    assert.equal(readFileSync(place.file('bartizan.lock'), 'utf8'), lock);
    assert.equal((await runProgram('pin', place.config, '--accept', digest)).code, 0);
    assert.deepEqual(JSON.parse(readFileSync(place.file('bartizan.lock'), 'utf8')).servers.notes.tools.read.definition, kOther);
  });
});
