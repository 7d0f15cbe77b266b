// Hours in seconds: the gateway with a time that the story puts forward (shifted_time.mjs).
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually } from './assertions.mjs';
import { startGateway } from './harness.mjs';
import { startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { shiftedTime } from './shifted_time.mjs';
import { LegacySession } from './wire.mjs';

const kHour = 3_600_000;
const kRule = `
[rule.testers-may]
effect = "permit"
roles = ["tester"]
tools = ["*/echo"]
[limit.daily]
per = ["principal"]
tools = ["far/echo"]
rate = ["3/d"]
`;

const textOf = (response) => response.result?.content[0].text ?? JSON.stringify(response);

describe('time that passes', () => {
  let scripted;
  let gateway;
  let time;
  before(async () => {
    scripted = await startScriptedServer();
    time = shiftedTime();
    gateway = await startGateway(httpServer('far', scripted.url) + kRule, { program: time.program });
  });
  after(async () => {
    await gateway?.stop();
    await scripted?.stop();
  });

  it('ends a session that nobody used for 15 minutes, and no sooner', async () => {
    const session = await LegacySession.open(gateway.url);
    await time.pass(kHour / 4 - 60_000);
    assert.equal((await session.request(1, 'tools/list')).status, 200);
    await time.pass(kHour / 4 - 60_000);
    assert.equal((await session.request(2, 'tools/list')).status, 200);
    await time.pass(kHour / 4 + 1);
    assert.equal((await session.request(3, 'tools/list')).status, 404);
  });

  it('fills the limit of a day again, and begins another file of the record', async () => {
    const session = await LegacySession.open(gateway.url);
    for (let id = 1; id <= 3; id += 1) assert.equal(textOf(await session.call(id, 'far_echo', { text: 'x' })), 'x');
    assertRefused((await session.call(4, 'far_echo', { text: 'x' })).error, 'limited');
    await time.pass(24 * kHour);
    const later = await LegacySession.open(gateway.url);
    assert.equal(textOf(await later.call(5, 'far_echo', { text: 'x' })), 'x');
    const ahead = ({ time }) => Date.parse(time) - Date.now();
    const isOnRecord = () => gateway.records().some((one) => one.target === 'echo' && ahead(one) >= 24 * kHour);
    await eventually(isOnRecord, 'the last call is on record, with its time');
    // A file of the record is closed after a day.
    const isClosed = () => readdirSync(dirname(gateway.auditFile)).some((name) => /^audit-.*\.jsonl$/.test(name));
    await eventually(isClosed, 'the file of the day before is closed');
  });
});
