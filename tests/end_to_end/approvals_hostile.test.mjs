// A server of the gateway's own account that wants its calls approved: confined, it reaches nothing that
// approvals rest on; unconfined, it reaches it, and a policy that wants approvals does not start.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { answer, bearer, peopleAuth, stepsOf } from './approvals_stage.mjs';
import { assertRefused, textOf } from './assertions.mjs';
import { freePort, kFixtures, startGateway } from './harness.mjs';
import { kAsOrdinary, kNoOrdinary } from './ordinary.mjs';
import { LegacySession } from './wire.mjs';

const kFiles = `read = ["/usr", "/lib", "/lib64", "/bin", "/etc", "/proc", ${JSON.stringify(kFixtures)}]`;
const kAsks = '[rule.acts-need-a-boss]\neffect = "require_approval"\nroles = ["*"]\ntools = ["own/act"]\napprovers = ["boss"]\n';
let calls = 0;

/** A gateway before that server. */
async function start({ sandbox = '', asks = kAsks, admin = true } = {}) {
  const port = await freePort();
  const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  const body = `[approvals]
signing_key = "file:approvals.pem"
[console]
address = "127.0.0.1:${port}"
roles = ["operator"]
${admin ? '[admin]\nsocket = "admin.sock"\n' : ''}[state]
file = "state.db"
[server.own]
command = ["python3", ${JSON.stringify(join(kFixtures, 'approving_server.py'))}]
${sandbox}
[rule.own]
effect = "permit"
roles = ["caller"]
tools = ["own/*"]
${asks}`;
  const gateway = await startGateway(body, { auth: peopleAuth(), files: { 'approvals.pem': key }, wrapper: kAsOrdinary });
  const session = await LegacySession.open(gateway.url, bearer('ann'));
  const call = (name, given) => session.call((calls += 1), `own_${name}`, given);
  const strike = async (id) => {
    const place = (name) => join(gateway.directory, name);
    const console = `http://127.0.0.1:${port}/api/approvals/${id}`;
    const { result } = await call('strike', { key: place('approvals.pem'), state: place('state.db'), socket: place('admin.sock'), console });
    return JSON.parse(textOf(result));
  };
  return { gateway, console: `http://127.0.0.1:${port}`, call, strike };
}

describe('a server that approves its own calls', { skip: kNoOrdinary }, () => {
  for (const level of ['process', 'container']) {
    it(`reaches nothing in a sandbox of the level ${level}`, async (t) => {
      let stage;
      try {
        // The kernel lets a process of the level `process` connect to any socket that it can name.
        stage = await start({ sandbox: `sandbox = { level = "${level}", network = "host", ${kFiles} }`, admin: level === 'container' });
      } catch (error) {
        if (!/docs\/local-servers\.md|Landlock|no \/proc of its own/.test(error.message)) throw error;
        return t.skip('this machine has no such sandbox');
      }
      t.after(() => stage.gateway.stop());
      const { error } = await stage.call('act', {});
      assertRefused(error, 'needs_approval');
      const id = error.data.approval_id;
      const found = await stage.strike(id);
      for (const [way, result] of Object.entries(found)) assert.notEqual(result, 'reached', `${way}: ${JSON.stringify(found)}`);
      assert.equal(found.console, '401', 'without a credential of its own it is a stranger there');
      assertRefused((await stage.call('act', {})).error, 'needs_approval');
      assert.deepEqual(stepsOf(stage.gateway, id), ['pending by ann']);
      assert.equal((await answer(stage, 'bob', id)).status, 200);
      assert.equal(textOf((await stage.call('act', {})).result), 'acted', 'a person is what it takes');
    });
  }

  it('is refused at the start where it is not confined', async () => {
    await assert.rejects(start(), /server "own" runs as the gateway's account and is not confined/);
    await assert.rejects(start({ sandbox: 'sandbox = { level = "process", read = ["/"] }' }), /may reach the state file of approvals/);
    await assert.rejects(start({ sandbox: 'sandbox = { level = "process", read = ["/usr"] }' }), /may reach the admin socket/);
  });

  // Without this, the first story could pass because the server looks in the wrong place.
  it('reaches all of it where nothing confines it', async (t) => {
    const stage = await start({ asks: '' });
    t.after(() => stage.gateway.stop());
    const found = await stage.strike('none');
    assert.deepEqual([found.key, found.state, found.socket], ['reached', 'reached', 'reached'], JSON.stringify(found));
  });
});
