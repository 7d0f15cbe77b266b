// The gateway and the servers behind it under the seccomp profile that is shipped: all of their work
// goes on, and what no server needs is refused by the kernel.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { textOf } from './assertions.mjs';
import { kClients } from './clients.mjs';
import { kFixtures, kTestsDirectory, startGateway } from './harness.mjs';
import { httpServer, kEverything, kFilesystem, notesDirectory, startDualServer, stdioServer } from './servers.mjs';

const kProfile = join(kTestsDirectory, '..', 'deploy', 'seccomp', 'bartizan.json');
const kWrapper = ['python3', join(kTestsDirectory, 'deploy', 'confine.py'), kProfile];
const kSkip = process.arch === 'x64' ? false : 'the profile is applied by a program for x86-64 only';
const kRules = `
[rule.testers-may]
effect = "permit"
roles = ["tester"]
tools = ["*/*"]
`;

const kTrying = `[server.trying]\ncommand = ["python3", ${JSON.stringify(join(kFixtures, 'trying_server.py'))}]\n`;

function everyKindOfServer(dual) {
  const notes = notesDirectory();
  return [
    stdioServer('files', [kFilesystem, notes], `cwd = ${JSON.stringify(notes)}`),
    stdioServer('everything', [kEverything, 'stdio']),
    httpServer('dual', dual.url),
    kTrying,
  ].join('');
}

async function tried(connection) {
  return JSON.parse(textOf(await connection.call('trying_try_all', {})));
}

describe('under the seccomp profile', { skip: kSkip }, () => {
  let dual;
  let gateway;
  let connection;
  before(async () => {
    dual = await startDualServer();
    gateway = await startGateway(everyKindOfServer(dual) + kRules, { wrapper: kWrapper });
    connection = await kClients[0].connect(gateway.url);
  });
  after(async () => {
    await connection?.close();
    await gateway?.stop();
    dual?.stop();
  });

  it('calls of every kind of server work', async () => {
    assert.match(textOf(await connection.call('files_read_text_file', { path: 'notes.md' })), /milk/);
    assert.equal(textOf(await connection.call('everything_echo', { message: 'a' })), 'Echo: a');
    assert.match(textOf(await connection.call('dual_echo', { text: 'b' })), /b/);
    await connection.call('files_write_file', { path: 'new.md', content: 'x' });
    assert.match(textOf(await connection.call('files_read_text_file', { path: 'new.md' })), /x/);
  });

  it('what no server needs is refused', async () => {
    const attempts = Object.entries(await tried(connection));
    assert.ok(attempts.length > 30);
    assert.deepEqual(attempts.filter(([, said]) => said !== 'EPERM'), []);
  });
});

// Without this, the test above could pass because the machine refuses all of it anyway.
describe('without the profile', { skip: kSkip }, () => {
  it('the same server may do some of it', async () => {
    const gateway = await startGateway(kTrying + kRules);
    const connection = await kClients[0].connect(gateway.url);
    const attempts = await tried(connection);
    await connection.close();
    await gateway.stop();
    assert.equal(attempts.unshare, 'ok');
    assert.equal(attempts.personality, 'ok');
    assert.equal(attempts.ptrace, 'ESRCH');
    assert.notEqual(attempts.setns, 'EPERM');
  });
});
