// `sandbox = { network = "none" }`: a server that has nothing but its own loopback, one beside it that has
// the host's, and what is said where the machine allows no namespaces.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { eventually, textOf } from './assertions.mjs';
import { kFixtures, kTestsDirectory, runProgram, startGateway } from './harness.mjs';
import { kNoNamespaces } from './namespaces.mjs';
import { stdioServer } from './servers.mjs';
import { LegacySession } from './wire.mjs';

const kReaching = join(kFixtures, 'reaching_server.mjs');
const kRule = '[rule.testers-may]\neffect = "permit"\nroles = ["tester"]\ntools = ["*/*"]\n';
const kServers =
  stdioServer('alone', [kReaching], 'sandbox = { network = "none" }') +
  stdioServer('open', [kReaching], 'sandbox = { network = "host" }') +
  stdioServer('usual', [kReaching]) +
  kRule;

// Who may make a network does so; all others get theirs with a user namespace.
const kWithoutRight = ['setpriv', '--bounding-set=-sys_admin', '--inh-caps=-sys_admin'];
const kGateways = [
  ['a gateway as it is', [], false],
  ['a gateway of root without the right to make a network', kWithoutRight, process.getuid() === 0 ? false : 'needs root'],
];

for (const [name, wrapper, skip] of kGateways) {
  describe(`under ${name}`, { skip: kNoNamespaces || skip }, () => {
    let gateway;
    let session;
    let host;
    let port;
    before(async () => {
      host = createServer((socket) => socket.destroy());
      await new Promise((done) => host.listen(0, '127.0.0.1', done));
      port = host.address().port;
      gateway = await startGateway(kServers, { wrapper });
      session = await LegacySession.open(gateway.url);
    });
    after(async () => {
      host?.close();
      await gateway?.stop();
    });
    const said = async (tool, given = {}) => textOf((await session.call(1, tool, given)).result);

    it('a server without a network reaches no port of the host', async () => {
      assert.equal(await said('alone_reach', { port }), 'ECONNREFUSED');
    });
    it('it has its own loopback, and nothing else', async () => {
      assert.equal(await said('alone_reach_itself'), 'connected');
      assert.equal(await said('alone_interfaces'), 'lo');
    });
    it('a server with the network of the host reaches it, as does one of which nothing is said', async () => {
      assert.equal(await said('open_reach', { port }), 'connected');
      assert.equal(await said('usual_reach', { port }), 'connected');
    });
    it('nothing is doubted beforehand', async () => {
      assert.doesNotMatch((await runProgram('check', gateway.configFile)).stderr, /network/);
    });
  });
}

// The profile that is shipped allows no namespaces.
const kProfile = join(kTestsDirectory, '..', 'deploy', 'seccomp', 'bartizan.json');
const kConfined = ['python3', join(kTestsDirectory, 'deploy', 'confine.py'), kProfile];
const kNoProfile = process.arch === 'x64' ? false : 'the profile is applied by a program for x86-64 only';

describe('where the machine allows no namespaces', { skip: kNoProfile }, () => {
  const why = /server "alone" cannot start: .*sandbox = \{ network = "none" \}.*Operation not permitted.*write network = "host"/;

  it('the gateway does not start, and says which key it is and what to do', async () => {
    await assert.rejects(startGateway(kServers, { wrapper: kConfined }), ({ message }) => {
      assert.match(message, /bartizan\.toml:\d+:\d+: error: /);
      assert.match(message, why);
      return true;
    });
  });
  it('it starts without that server', async () => {
    const gateway = await startGateway(stdioServer('open', [kReaching]) + kRule, { wrapper: kConfined });
    const session = await LegacySession.open(gateway.url);
    textOf((await session.call(2, 'open_interfaces', {})).result);
    // A reload is refused for the same reason, and changes nothing.
    const before = readFileSync(gateway.configFile, 'utf8');
    writeFileSync(gateway.configFile, before + stdioServer('alone', [kReaching], 'sandbox = { network = "none" }'));
    await eventually(() => why.test(gateway.log().replaceAll('\\"', '"')), 'the reload is refused');
    textOf((await session.call(3, 'open_interfaces', {})).result);
    await gateway.stop();
  });
});
