// SentinelMcpServer behind the gateway, with the configuration that docs/other-protocols.md has for it:
// every row of the tables of its document, by section.
import assert from 'node:assert/strict';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually, textOf } from './assertions.mjs';
import { freePort, temporaryDirectory } from './harness.mjs';
import { configurationOf, kSeeds, netcat, noSandbox, replaced, shell, startWritten, userLine, writeConfiguration } from './seeds_stage.mjs';
import { LinePeer } from './wire_peer.mjs';

const kPage = configurationOf('Sentinel');
const kCommand = /^command = \[[^\]]+\]/m.exec(kPage)[0];
const kSandbox = /\[server\.sentinel\.sandbox\].*\n(.+\n)+/.exec(kPage)[0];
const kServer = join(kSeeds, 'sentinel', 'sentinel_mcp_server.py');
const kNoSandbox = await noSandbox();
const kNobody = 65534;

/** A project of a Java developer, with what must not be read beside and below it. */
function makeProject() {
  const top = temporaryDirectory();
  chmodSync(top, 0o755);
  const root = join(top, 'project');
  for (const folder of ['src/main/java', '.git', 'target', 'many', 'most']) mkdirSync(join(root, folder), { recursive: true });
  const files = {
    'pom.xml': '<project/>\n',
    'README.md': 'léeme\n',
    'application.properties': 'a=b\n',
    'application.yml': 'a: b\n',
    'application.yaml': 'a: b\n',
    'src/main/java/Main.java': 'class Main {}\n',
    'src/main/java/SlowOne.java': 'class SlowOne {}\n',
    'notes.txt': 'no code\n',
    'file.exe': 'MZ\n',
    '.git/config': '[core]\n',
    '.gitignore': 'target/\n',
    '.github.md': 'hidden\n',
    'target/Main.class': 'x\n',
    'target/app.jar': 'x\n',
    'target/app.war': 'x\n',
    // Behind a name that is allowed: the bytes of an archive, all of them UTF-8, and those of a class, which are not.
    'Archive.java': Buffer.from([0x50, 0x4b, 3, 4, 0x14, 0, 0, 0, 8, 0, 1, 2, 5, 6]),
    'Compiled.java': Buffer.from([0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 0x41]),
    'Latin.java': Buffer.from('// ni\u00f1o\n', 'latin1'),
    // What is no UTF-8 stands behind what is looked at.
    'Late.java': Buffer.concat([Buffer.alloc(9000, 'x'), Buffer.from([0xff])]),
    'Large.java': `//${'x'.repeat(10 * 1024 * 1024 - 1027)}\n`,
    'TooLarge.java': `//${'x'.repeat(10 * 1024 * 1024 - 2)}\n`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  for (let index = 0; index < 1000; index += 1) writeFileSync(join(root, 'many', `F${index}.java`), '');
  for (let index = 0; index < 1001; index += 1) writeFileSync(join(root, 'most', `F${index}.java`), '');
  writeFileSync(join(top, 'Outside.java'), 'not of this project\n');
  symlinkSync('/etc', join(root, 'etc'));
  symlinkSync('/etc/passwd', join(root, 'Passwd.java'));
  symlinkSync(join(top, 'Outside.java'), join(root, 'Linked.java'));
  symlinkSync('Archive.java', join(root, 'Linked.md'));
  symlinkSync('Main.java', join(root, 'src/main/java/Alias.java'));
  if (process.getuid() === 0) chownSync(root, kNobody, kNobody);
  return root;
}

class Sentinel {
  root = makeProject();

  async start({ environment = '', more = [] } = {}) {
    this.port = await freePort();
    const sandbox = kNoSandbox
      ? [[kSandbox, '']]
      : [['user = "sentinel"', userLine('nobody')], ['"/opt/sentinel"', JSON.stringify(kSeeds)], ['"/proc", ', '']];
    const written = writeConfiguration(
      replaced(kPage, [
        ...more,
        ...sandbox,
        [kCommand, `command = ["/usr/bin/python3", ${JSON.stringify(kServer)}]\n${environment}`],
        ['/srv/project', this.root],
        ['127.0.0.1:3000', `127.0.0.1:${this.port}`],
        ['/var/lib/bartizan/audit.jsonl', 'audit.jsonl'],
      ]),
    );
    this.gateway = await startWritten(written);
    this.peer = new LinePeer({ host: '127.0.0.1', port: this.port });
    return this;
  }

  /** Calls a tool; ids are numbers, as in the document. */
  call(name, given) {
    this.id = (this.id ?? 0) + 1;
    this.asked = `${name} ${JSON.stringify(given)}`;
    return this.peer.request(this.id, 'tools/call', { name, arguments: given });
  }

  read(path) {
    return this.call('readJavaFile', { path });
  }

  /** What the server logged, level and text. */
  logged() {
    const lines = this.gateway.log().split('\n').filter(Boolean).map((line) => JSON.parse(line));
    return lines.flatMap((line) => {
      const found = /^[0-9:.]+ \[\w+\] (\w+) +[\w.]+ - (.*)$/.exec(line.line ?? '');
      return found ? [{ ...line, severity: found[1], text: found[2] }] : [];
    });
  }

  async stop() {
    this.peer?.stop();
    await this.gateway?.stop();
  }
}

describe('Sentinel', () => {
  const sentinel = new Sentinel();
  before(() => sentinel.start());
  after(() => sentinel.stop());

  const kept = [];
  /** Refused by the gateway with that code. The last story shows that the server heard of none. */
  const refused = async (ask, code, reason) => {
    const { error } = await ask();
    kept.push(sentinel.asked);
    assertRefused(error, reason);
    assert.equal(error.code, code);
  };

  describe('§1.2, the answers', () => {
    it('a success has content, under the same id', async () => {
      const answer = await sentinel.call('readProjectStructure', { path: '.' });
      assert.equal(answer.id, sentinel.id);
      assert.ok(textOf(answer.result).split('\n').includes('pom.xml'));
    });
    it('§7.1, one line through nc', async () => {
      const line = `echo '{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "readProjectStructure", "arguments": {"path": "."}}, "id": 1}'`;
      const { answers, log } = await shell(`${line} | ${netcat(sentinel.port)}`);
      assert.equal(answers.length, 1, log);
      assert.equal(answers[0].id, 1);
      assert.match(textOf(answers[0].result), /pom\.xml/);
    });
  });

  describe('§2, codes', () => {
    const kUnregistered = 'MCP has −32602 for an unknown tool (tool_unknown); the document has −32601';
    for (const [what, line, code, todo] of [
      ['JSON that is malformed', '{"jsonrpc": "2.0", "method"', -32700],
      ['another encoding', Buffer.from('{"jsonrpc":"2.0","id":7,"method":"ñ"}', 'latin1'), -32700],
      ['no member jsonrpc', '{"method":"tools/list","id":7}', -32600],
      ['no member method', '{"jsonrpc":"2.0","id":7}', -32600],
      ['a tool that is not in toolRegistry', '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"deleteProject","arguments":{}}}', -32601, kUnregistered],
      ['a method that is not there', '{"jsonrpc":"2.0","id":7,"method":"tools/delete"}', -32601],
      ['params of another type', '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":["readJavaFile"]}}', -32602],
      ['an argument of another type', '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"readJavaFile","arguments":{"path":7}}}', -32602],
    ]) {
      it(`${code}: ${what}`, { todo: todo ?? false }, async () => {
        const peer = new LinePeer({ host: '127.0.0.1', port: sentinel.port });
        await peer.request(1, 'tools/list', {});
        peer.socket.write(line);
        peer.socket.write('\n');
        const { error } = await peer.next((message) => message.error);
        peer.stop();
        assert.equal(error.code, code, JSON.stringify(error));
      });
    }
    it('−32603: an exception of the tool', async () => {
      const { error } = await sentinel.read('Late.java');
      assert.equal(error.code, -32603);
    });
  });

  describe('§3.1, read only', () => {
    it('lists folders within rootPath', async () => {
      assert.equal(textOf((await sentinel.call('readProjectStructure', { path: 'src/main' })).result), 'java/');
    });
    it('runs no command: a tool that somebody registered is neither listed nor called', async () => {
      const { result } = await sentinel.peer.request('list', 'tools/list', {});
      assert.deepEqual(result.tools.map(({ name }) => name).sort(), ['readJavaFile', 'readProjectStructure', 'writeReport']);
      await refused(() => sentinel.call('executeCommand', { command: 'id' }), -32000, 'no_matching_rule');
    });
  });

  describe('§3.2, path traversal', () => {
    for (const [path, reason] of [
      ['../../etc/passwd', 'path_outside_root'],
      ['src/../../Outside.java', 'path_outside_root'],
      ['..%2f..%2fetc/passwd.xml', 'path_outside_root'],
      ['..%2f..%2fetc/passwd', 'path_outside_root'],
      ['/etc/passwd', 'path_outside_root'],
      ['~/.ssh/id_rsa', 'path_malformed'],
      ['etc/passwd.xml', 'path_outside_root'],
      ['Passwd.java', 'path_outside_root'],
      ['Linked.java', 'path_outside_root'],
    ]) {
      it(`−32000: ${path}`, () => refused(() => sentinel.read(path), -32000, reason));
    }
    it('−32000: a link to /etc as a folder', () => refused(() => sentinel.call('readProjectStructure', { path: 'etc' }), -32000, 'path_outside_root'));
    it('a link that stays within rootPath passes', async () => {
      assert.equal(textOf((await sentinel.read('src/main/java/Alias.java')).result), 'class Main {}\n');
    });
    it('an absolute path within rootPath passes', async () => {
      assert.equal(textOf((await sentinel.read(join(sentinel.root, 'pom.xml'))).result), '<project/>\n');
    });
  });

  describe('§3.3, extensions', () => {
    for (const path of ['src/main/java/Main.java', 'pom.xml', 'README.md', 'application.properties', 'application.yml', 'application.yaml']) {
      it(`passes: ${path}`, async () => assert.ok(textOf((await sentinel.read(path)).result).length > 0));
    }
    for (const [path, code, reason] of [
      ['file.exe', -32602, 'path_extension_not_allowed'],
      ['notes.txt', -32602, 'path_extension_not_allowed'],
      ['target/Main.class', -32602, 'path_extension_not_allowed'],
      ['target/app.jar', -32602, 'path_extension_not_allowed'],
      ['target/app.war', -32602, 'path_extension_not_allowed'],
      ['.gitignore', -32602, 'path_extension_not_allowed'],
      ['.git/config', -32602, 'path_extension_not_allowed'],
      ['.github.md', -32000, 'path_not_allowed'],
    ]) {
      it(`${code}: ${path}`, () => refused(() => sentinel.read(path), code, reason));
    }
    it('.git is not listed either', () => refused(() => sentinel.call('readProjectStructure', { path: '.git' }), -32000, 'path_not_allowed'));
    for (const path of ['Archive.java', 'Compiled.java', 'Linked.md']) {
      it(`−32602: a binary behind an allowed name, ${path}`, () => refused(() => sentinel.read(path), -32602, 'path_not_text'));
    }
    it('text in another encoding than UTF-8 is none', () => refused(() => sentinel.read('Latin.java'), -32602, 'path_not_text'));
    it('an empty file is text', async () => assert.equal(textOf((await sentinel.read('many/F0.java')).result), ''));
  });

  describe('§3.4, volume', () => {
    it('10 MB pass, less what the answer needs beside the text', async () => assert.equal(textOf((await sentinel.read('Large.java')).result).length, 10 * 1024 * 1024 - 1024));
    it('more do not', async () => {
      const { result } = await sentinel.read('TooLarge.java');
      assert.equal(result.isError, true);
      assert.equal(result._meta['bartizan/withheld'].reason, 'result_too_large', JSON.stringify(result).slice(0, 500));
    });
    it('1000 entries pass', async () => assert.equal(textOf((await sentinel.call('readProjectStructure', { path: 'many' })).result).split('\n').length, 1000));
    it('1001 do not', async () => {
      const { result } = await sentinel.call('readProjectStructure', { path: 'most' });
      assert.equal(result.isError, true);
      assert.equal(result._meta['bartizan/withheld'].reason, 'result_too_large', JSON.stringify(result).slice(0, 500));
    });
    it('5 seconds', async () => {
      const began = process.hrtime.bigint();
      const { error } = await sentinel.read('src/main/java/SlowOne.java');
      assertRefused(error, 'server_timeout');
      assert.equal(error.code, -32001, 'a server error of −32000 to −32099');
      assert.ok(process.hrtime.bigint() - began >= 5_000_000_000n);
    });
  });

  describe('§5.3, levels', () => {
    for (const [severity, text] of [
      ['INFO', 'Iniciando SentinelMcpServer'],
      ['DEBUG', 'Registrando herramienta: readJavaFile'],
      ['DEBUG', 'Invocando herramienta: readJavaFile'],
      ['ERROR', 'Error ejecutando herramienta'],
    ]) {
      it(`${severity} ${text}: in the gateway's log`, async () => {
        await eventually(() => sentinel.logged().find((line) => line.severity === severity && line.text.startsWith(text)), 'the line');
      });
      it(`${severity} ${text}: with its level`, () => {
        const found = sentinel.logged().find((line) => line.severity === severity && line.text.startsWith(text));
        assert.equal(found.level, severity.toLowerCase());
      });
    }
    it('WARN, a blocked traversal: on record, with its category', async () => {
      await sentinel.read('../../etc/passwd');
      const record = await eventually(() => sentinel.gateway.records().findLast(({ kind, reason }) => kind === 'decision' && reason === 'path_outside_root'), 'the record');
      assert.deepEqual([record.decision, record.category, record.target], ['deny', 'validation', 'readJavaFile']);
    });
    it('WARN, a blocked traversal: in the log, without the path', () => {
      const lines = sentinel.gateway.log().split('\n').filter((line) => line.includes('"path refused"')).map((line) => JSON.parse(line));
      const { time, decision_id: id, ...told } = lines.at(-1);
      assert.deepEqual(told, { level: 'warning', msg: 'path refused', server: 'sentinel', tool: 'readJavaFile', reason: 'path_outside_root', principal: 'developer' });
      assert.ok(time && sentinel.gateway.records().some((record) => record.decision_id === id));
      assert.ok(lines.every((line) => !JSON.stringify(line).includes('passwd')));
    });
  });

  describe('§6.3, reports', () => {
    for (const path of ['SENTINEL_REPORT_20260204.md', 'SENTINEL_REPORT_20260204_01.md']) {
      it(`writes ${path}`, async () => {
        assert.match(textOf((await sentinel.call('writeReport', { path, content: '# Informe\n' })).result), /Reporte/);
        assert.equal(readFileSync(join(sentinel.root, path), 'utf8'), '# Informe\n');
      });
    }
    for (const [path, reason, code] of [
      ['SENTINEL_REPORT_20260231.md', 'path_not_allowed', -32000],
      ['SENTINEL_REPORT_2026-02-04.md', 'path_not_allowed', -32000],
      ['SENTINEL_REPORT_20260204_1.md', 'path_not_allowed', -32000],
      ['SENTINEL_REPORT_latest.md', 'path_not_allowed', -32000],
      ['docs/SENTINEL_REPORT_20260204.md', 'path_not_allowed', -32000],
      ['README.md', 'path_not_allowed', -32000],
      ['pom.xml', 'path_extension_not_allowed', -32602],
      ['SENTINEL_REPORT_20260204.java', 'path_extension_not_allowed', -32602],
      ['../SENTINEL_REPORT_20260204.md', 'path_outside_root', -32000],
    ]) {
      it(`does not write ${path}`, async () => {
        await refused(() => sentinel.call('writeReport', { path, content: 'x' }), code, reason);
        assert.ok(!existsSync(join(sentinel.root, 'docs')));
      });
    }
    it('may be read again', async () => assert.equal(textOf((await sentinel.read('SENTINEL_REPORT_20260204.md')).result), '# Informe\n'));
  });

  describe('§7.2, the security tests', () => {
    it('a path traversal: error −32000', () => refused(() => sentinel.read('../../etc/passwd'), -32000, 'path_outside_root'));
    it('a blocked extension: error −32602', () => refused(() => sentinel.read('file.exe'), -32602, 'path_extension_not_allowed'));
    it('a valid path: success and content', async () => {
      assert.match(textOf((await sentinel.call('readProjectStructure', { path: 'src/main/java' })).result), /Main\.java/);
    });
    it('no parameters, {} for params: error −32602', async () => {
      assert.equal((await sentinel.peer.request('p', 'tools/call', {})).error.code, -32602);
    });
    for (const tool of ['readJavaFile', 'readProjectStructure']) {
      it(`no parameters, {} for arguments of ${tool}: error −32602`, () => refused(() => sentinel.call(tool, {}), -32602, 'argument_missing'));
    }
  });

  it('heard of nothing that was refused', async () => {
    await sentinel.call('readProjectStructure', { path: 'target' });
    const last = sentinel.asked;
    const heard = () => sentinel.logged().filter(({ text }) => text.startsWith('Invocando')).map(({ text }) => text.slice('Invocando herramienta: '.length));
    await eventually(() => heard().includes(last), 'the last call, which passed');
    assert.ok(kept.length > 30, 'so many were refused');
    assert.deepEqual(heard().filter((asked) => kept.includes(asked)), []);
  });
});

describe('Sentinel whose libraries write to System.out', () => {
  const sentinel = new Sentinel();
  before(() => sentinel.start({ environment: 'env = { STAND_IN_NOISE = "1", STAND_IN_REQUIRES = "1" }' }));

  it('§1.1, corrupts no message', async () => {
    assert.match(textOf((await sentinel.call('readProjectStructure', { path: '.' })).result), /pom\.xml/);
    assert.ok(sentinel.peer.received.every(({ jsonrpc }) => jsonrpc === '2.0'));
    assert.match(await sentinel.gateway.metrics(), /bartizan_server_messages_dropped_total\{server="sentinel",reason="not_a_message"\} [1-9]/);
  });

  it('§7.2, no parameters: error −32602, where its schema says what it needs', async () => {
    const { error } = await sentinel.call('readJavaFile', {});
    assert.equal(error.code, -32602);
    assertRefused(error, 'arguments_invalid');
  });

  it('§4, SIGTERM closes it in order: its shutdown hook runs, and the gateway ends with 0', async () => {
    await sentinel.stop();
    await eventually(() => sentinel.logged().find(({ severity, text }) => severity === 'INFO' && text.startsWith('Shutdown signal received')), 'the hook');
  });
});
