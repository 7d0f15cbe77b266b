// Messages of almost four mebibytes in both directions at once, through one stdio child: a gateway
// that stopped reading while it writes would wait for ever, as would the child.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { startGateway } from './harness.mjs';
import { kPlain, stdioServer } from './servers.mjs';
import { LegacySession } from './wire.mjs';

const kTextBytes = 4 * 1024 * 1024 - 1024;
const kAtOnce = 4;
const kRule = '[rule.all]\neffect = "permit"\nroles = ["tester"]\ntools = ["plain/*"]\n';

describe('4 MiB each way', () => {
  let gateway;
  before(async () => {
    gateway = await startGateway(stdioServer('plain', [kPlain], 'instances = "shared"') + kRule);
  });
  after(() => gateway?.stop());

  const echo = async (session, id) => {
    const text = String(id).repeat(kTextBytes);
    const response = await session.call(id, 'plain_big_echo', { text });
    assert.equal(response.id, id);
    assert.equal(response.result?.content[0].text.length, kTextBytes);
    assert.ok(response.result.content[0].text === text, 'the text came back changed');
  };

  it('echoes one', async () => {
    await echo(await LegacySession.open(gateway.url), 1);
  });

  it(`echoes ${kAtOnce} at once, and a small call passes between them`, async () => {
    const session = await LegacySession.open(gateway.url);
    const bigs = Array.from({ length: kAtOnce }, (_, index) => echo(session, index + 1));
    const small = await session.call(100, 'plain_slow_echo', { token: 'small', milliseconds: 1 });
    assert.equal(small.result.content[0].text, 'small');
    await Promise.all(bigs);
  });
});
