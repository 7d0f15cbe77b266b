// A server that shows one principal something else than another: who is shown what was approved, or what
// came first, is served all the while, and nobody else.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';

import { Client, fingerprintOf, kBoth, kCount, kFirstUse, kListing, kLocked, kOther, kRead, Place, quarantinedOf, startListing } from './pin_stage.mjs';
import { httpServer, recordedStdioServer, stdioServer } from './servers.mjs';

describe('a server that shows principals something else', () => {
  const kWays = [
    ...['legacy', 'modern'].map((era) => ({
      name: `behind a URL, ${era}`,
      era,
      // Each worker has a list of its own for each principal, and this server cannot tell who asks.
      workers: 1,
      async start(place) {
        const server = await startListing(place.t, { era });
        const calls = () => server.received('tools/call').map(({ body }) => body).join('\n');
        return { table: httpServer('notes', server.url), show: (tools) => (server.tools = tools), calls };
      },
    })),
    {
      name: 'a process for each principal',
      era: 'legacy',
      workers: 2,
      async start(place) {
        const [list, record] = [place.file('tools.json'), place.file('record.jsonl')];
        const table = recordedStdioServer('notes', record, [kListing, '--tools', list, '--once', 'yes'], 'instances = "per_principal"');
        const calls = () => (existsSync(record) ? readFileSync(record, 'utf8') : '');
        return { table, show: (tools) => writeFileSync(list, JSON.stringify(tools)), calls };
      },
    },
  ];
  // Under a lock file it is not who comes first that counts; without one nothing else does.
  const kModes = [
    { mode: kLocked, served: 'ann', refused: 'bob' },
    { mode: kFirstUse, served: 'bob', refused: 'ann' },
  ];

  for (const way of kWays) {
    for (const { mode, served, refused } of kModes) {
      it(`serves who is shown what counts, and nobody else: ${way.name}, ${mode.name}`, async (t) => {
        const place = new Place(t, mode, way.workers);
        const server = await way.start(place);
        const shown = { ann: [kRead, kCount], bob: [kOther, kCount] };
        server.show(shown.ann);
        const gateway = await place.start(server.table);
        const clients = {};
        for (const who of ['bob', 'ann']) {
          server.show(shown[who]);
          clients[who] = await Client.open(gateway, who, way.era);
          assert.deepEqual(await clients[who].names(), who === served ? kBoth : ['notes_count'], who);
        }
        assert.equal((await clients[served].tools()).notes_read.description, shown[served][0].description);
        for (let round = 0; round < 3; ++round) {
          // At the same time, and after each other.
          await Promise.all([clients[refused].assertQuarantined('read', 'not served', mode.flaw), clients[served].assertServed('read', 'served')]);
          await clients[refused].assertServed('count', 'counted');
          await clients[served].assertServed('read', 'served');
        }
        assert.doesNotMatch(server.calls(), /not served/, 'the server learns of no call that was refused');
        const decisions = gateway.records().filter(({ kind, target, method }) => kind === 'decision' && target === 'read' && method === 'tools/call');
        assert.deepEqual(new Set(decisions.map(({ principal, decision }) => `${principal} ${decision}`)), new Set([`${served} permit`, `${refused} deny`]));
        assert.deepEqual(await quarantinedOf(gateway), ['read']);
      });
    }
  }

  it('shows each what each is shown, once a person has released the other one', async (t) => {
    const place = new Place(t, kLocked);
    const list = place.file('tools.json');
    const show = (tools) => writeFileSync(list, JSON.stringify(tools));
    show([kRead, kCount]);
    const gateway = await place.start(stdioServer('notes', [kListing, '--tools', list, '--once', 'yes'], 'instances = "per_principal"'));
    const ann = await Client.open(gateway, 'ann', 'legacy');
    assert.deepEqual(await ann.names(), kBoth);
    show([kOther, kCount]);
    const bob = await Client.open(gateway, 'bob', 'legacy');
    await place.release(fingerprintOf(await bob.assertQuarantined('read', 'early', kLocked.flaw)));
    await bob.assertServed('read', 'released');
    await ann.assertServed('read', 'as before');
    const descriptions = await Promise.all([ann, bob].map(async (client) => (await client.tools()).notes_read.description));
    assert.deepEqual(descriptions, [kRead.description, kOther.description], 'each sees what each is shown');
    assert.deepEqual(await quarantinedOf(gateway), []);
  });
});
