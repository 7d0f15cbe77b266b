// Gateway, database and receiver are killed again and again while records are sent. Then each sink has each
// record of the verified chain. `make soak` does this at more points.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { eventually } from './assertions.mjs';
import { kNoPostgres, Postgres, Receiver, recordFiles, startExporting, verifiedRecords } from './export_stage.mjs';
import { randomFrom } from './kill_points.mjs';
import { sendModern } from './wire.mjs';

const kSeed = Number(process.env.BARTIZAN_SEED ?? Date.now() % 2 ** 31);
const kPoints = Number(process.env.BARTIZAN_EXPORT_POINTS ?? 100);
const kCaughtUpMs = 60_000;

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Calls without pause, whether somebody answers or not, until it is stopped. */
function keepCalling(url) {
  let isOver = false;
  const ended = (async () => {
    for (let at = 0; !isOver; at += 1) {
      const name = at % 5 === 4 ? 'dual_forbidden' : 'dual_echo';
      await sendModern(url, 'tools/call', { name, arguments: { text: `${at}` } }).catch(() => pause(20));
    }
  })();
  return () => ((isOver = true), ended);
}

describe('killed again and again while records are sent', { skip: kNoPostgres }, () => {
  it(`at ${kPoints} points`, { timeout: 10 * kPoints * 1000 + 120_000 }, async (t) => {
    t.diagnostic(`BARTIZAN_SEED=${kSeed}`);
    const random = randomFrom(kSeed);
    const database = await Postgres.start(t);
    const receiver = await Receiver.start(t, () => ({}));
    const tables = `${database.table('store')}[export.lines]\ntype = "json_lines"\nurl = "${receiver.url}"\n`;
    let gateway = await startExporting(t, tables, { audit: 'rotate = { size = "32 KiB", age = "24h" }\n', auditFolder: 'record', environment: database.environment });
    t.after(() => gateway.process.kill('SIGKILL'));
    const stopCalling = keepCalling(gateway.url);
    const killed = { gateway: 0, database: 0, receiver: 0 };
    for (let point = 0; point < kPoints; point += 1) {
      await pause(300 * random());
      const what = ['gateway', 'gateway', 'database', 'receiver'][Math.floor(4 * random())];
      killed[what] += 1;
      if (what === 'gateway') {
        await gateway.crash();
        gateway = await gateway.again();
      } else if (what === 'database') {
        await database.kill('SIGKILL');
        await pause(200 * random());
        await database.start();
      } else {
        await receiver.stop();
        await pause(200 * random());
        await receiver.listen();
      }
    }
    t.diagnostic(JSON.stringify(killed));
    await stopCalling();
    const inDatabase = () => database.query('SELECT seq, hash FROM bartizan.record ORDER BY seq').catch(() => []);
    const last = gateway.records().at(-1).seq;
    await eventually(async () => Number((await inDatabase()).at(-1)?.[0] ?? 0) >= last, 'the database has all', kCaughtUpMs);
    await eventually(() => receiver.records().some(({ seq }) => seq >= last), 'the receiver has all', kCaughtUpMs);
    await gateway.stop();
    const records = await verifiedRecords(gateway);
    const wanted = records.map(({ seq, hash }) => `${seq} ${hash}`);
    assert.ok(recordFiles(gateway).length > 1, 'files were closed meanwhile');
    assert.deepEqual((await inDatabase()).map(([seq, hash]) => `${seq} ${hash}`), wanted, 'nothing is lost in PostgreSQL, and nothing is doubled');
    assert.deepEqual(await database.query('SELECT * FROM bartizan.conflict'), []);
    const arrived = new Set(receiver.records().map(({ seq, hash }) => `${seq} ${hash}`));
    assert.deepEqual([...arrived].sort((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10)), wanted, 'nothing is lost over HTTP');
    // The check finds what it looks for.
    await database.query('DELETE FROM bartizan.record WHERE seq = 3');
    assert.notDeepEqual((await inDatabase()).map(([seq, hash]) => `${seq} ${hash}`), wanted);
  });
});
