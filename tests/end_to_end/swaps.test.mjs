// Two hundred clients share one slow server and all number their calls alike. Each must get its own
// answer: the token that it sent, under the id that it used.
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { after, before, describe, it } from 'node:test';

import { startGateway } from './harness.mjs';
import { httpServer, kPlain, startDualServer, stdioServer } from './servers.mjs';
import { LegacySession, responseOf, sendModern } from './wire.mjs';

const kClientCount = 200;
const kCallsPerClient = 5;

/** Counts the answers that are not what `client` asked for; `ask` sends one call. */
async function countSwaps(ask) {
  const clients = Array.from({ length: kClientCount }, (_, client) => client);
  const swaps = await Promise.all(
    clients.map(async (client) => {
      let wrong = 0;
      for (let id = 1; id <= kCallsPerClient; id += 1) {
        const token = `client-${client}-call-${id}`;
        const response = await ask(client, id, token);
        assert.ok(response?.result, `client ${client} got ${JSON.stringify(response)}`);
        if (response.id !== id || !response.result.content[0].text.includes(token)) wrong += 1;
      }
      return wrong;
    }),
  );
  return swaps.reduce((sum, wrong) => sum + wrong, 0);
}

describe('200 clients with equal ids', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: kClientCount });
  let dual;
  let legacyGateway;
  let modernGateway;
  before(async () => {
    const rule = (tools) => `[rule.all]\neffect = "permit"\nroles = ["tester"]\ntools = ["${tools}"]\n`;
    const shared = 'instances = "shared"\nmax_in_flight = 64';
    legacyGateway = await startGateway(stdioServer('plain', [kPlain], shared) + rule('plain/slow_echo'));
    dual = await startDualServer();
    modernGateway = await startGateway(httpServer('dual', dual.url, 'max_in_flight = 64') + rule('dual/slow'));
  });
  after(async () => {
    agent.destroy();
    await legacyGateway?.stop();
    await modernGateway?.stop();
    dual?.stop();
  });

  it('swaps no answer of a shared stdio server', async () => {
    const opened = Array.from({ length: kClientCount }, () => LegacySession.open(legacyGateway.url));
    const sessions = await Promise.all(opened);
    const ask = (client, id, token) => sessions[client].call(id, 'plain_slow_echo', { token }, agent);
    assert.equal(await countSwaps(ask), 0);
  });

  it('swaps no answer of a modern HTTP server', async () => {
    const ask = async (_client, id, token) => {
      const params = { name: 'dual_slow', arguments: { milliseconds: Math.random() * 60, mark: token } };
      return responseOf(await sendModern(modernGateway.url, 'tools/call', params, { id }));
    };
    assert.equal(await countSwaps(ask), 0);
  });
});
