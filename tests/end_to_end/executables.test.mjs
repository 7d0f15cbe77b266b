// `executables`: a server starts only while its files hold what a person approved in the lock file.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { assertRefused, eventually, textOf } from './assertions.mjs';
import { kNode, runProgram, startGateway, temporaryDirectory } from './harness.mjs';
import { kPlain, stdioServer } from './servers.mjs';
import { LegacySession } from './wire.mjs';

const kRule = '[rule.testers-may]\neffect = "permit"\nroles = ["tester"]\ntools = ["*/*"]\n';
const kHead = `version = 1
audit.file = "audit.jsonl"
auth.mode = "none"
auth.principal = "tester"
[role.tester]
[principal.tester]
roles = ["tester"]
`;
const digestOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Servers that are a script each, with `node` itself approved of the first. */
class Place {
  constructor() {
    this.directory = temporaryDirectory();
    for (const name of ['plain', 'other', 'unknown']) copyFileSync(kPlain, this.script(name));
    this.approve({ plain: [kNode, this.script('plain')], other: [this.script('other')] });
  }

  script(name) {
    return join(this.directory, `${name}.mjs`);
  }

  get lock() {
    return join(this.directory, 'bartizan.lock');
  }

  approve(files) {
    const servers = {};
    for (const [name, paths] of Object.entries(files)) {
      servers[name] = { executables: Object.fromEntries(paths.map((path) => [path, digestOf(path)])) };
    }
    writeFileSync(this.lock, JSON.stringify({ version: 1, servers }));
  }

  configuration() {
    const server = (name, ...files) => stdioServer(name, [this.script(name)], `executables = ${JSON.stringify(files)}`);
    const servers = [
      server('plain', kNode, this.script('plain')),
      server('other', this.script('other')),
      server('unknown', this.script('unknown')),
    ];
    return `${servers.join('')}[pins]\nfile = ${JSON.stringify(this.lock)}\nmode = "trust_on_first_use"\n${kRule}`;
  }
}

describe('servers whose files a person approved', () => {
  const place = new Place();
  let gateway;
  let session;
  before(async () => {
    gateway = await startGateway(place.configuration());
    session = await LegacySession.open(gateway.url);
  });
  after(() => gateway?.stop());
  const echo = (server) => session.call(1, `${server}_big_echo`, { text: server });
  const failures = (server) =>
    gateway.records().filter(({ kind, server: of, detail }) => kind === 'server' && of === server && detail.startsWith('failed'));

  it('start while these are the same', async () => {
    assert.equal(textOf((await echo('plain')).result), 'plain');
    assert.equal(textOf((await echo('other')).result), 'other');
  });
  it('do not start without an approval, and the file is named on record and in the log', async () => {
    const { error } = await echo('unknown');
    assertRefused(error, 'server_unavailable');
    assert.doesNotMatch(JSON.stringify(error), /unknown\.mjs/, 'whoever calls is not told of files');
    const { detail } = await eventually(() => failures('unknown').at(-1), 'it is on record');
    assert.match(detail, /unknown\.mjs" is not in the lock file/);
    assert.match(gateway.log(), /unknown\.mjs\\?" is not in the lock file/);
  });
  it('run on when a file changes, and are not started again', async () => {
    writeFileSync(place.script('other'), `${readFileSync(kPlain, 'utf8')}// canary-of-another-content\n`);
    assert.equal(textOf((await echo('other')).result), 'other');
    await session.call(2, 'other_stop', {});
    const { error } = await eventually(async () => {
      const answer = await echo('other');
      return answer.error?.data?.reason === 'server_unavailable' && answer;
    }, 'the server that is not started again');
    assertRefused(error, 'server_unavailable');
    const { detail } = await eventually(() => failures('other').at(-1), 'it is on record');
    assert.match(detail, /other\.mjs" is not what was approved/);
    assert.ok(detail.includes(digestOf(place.script('other'))));
    assert.doesNotMatch(gateway.log() + gateway.records().map(({ line }) => line).join(''), /canary-of-another-content/);
    assert.equal(textOf((await echo('plain')).result), 'plain', 'others do not notice');
  });
  it('start again once it is what it was', async () => {
    copyFileSync(kPlain, place.script('other'));
    await eventually(async () => (await echo('other')).result, 'the server with its own file');
  });
  it('start with another file once that is approved', async () => {
    place.approve({ plain: [kNode, place.script('plain')], other: [place.script('other')], unknown: [place.script('unknown')] });
    gateway.process.kill('SIGHUP');
    await eventually(async () => (await echo('unknown')).result, 'the server that was approved');
  });
});

describe('check', () => {
  const place = new Place();
  let configFile;
  const check = async () => {
    const { stderr } = await runProgram('check', configFile);
    return stderr.split('\n').filter((line) => /executable|lock/.test(line));
  };
  before(() => {
    configFile = join(place.directory, 'check.toml');
    writeFileSync(configFile, `${kHead}${place.configuration()}`);
  });

  it('says what to write into the lock file, and is content with it', async () => {
    const [warning, ...rest] = await check();
    assert.deepEqual(rest, []);
    const said = /server "unknown" will not start: .* write "executables": (\{.*?\}) into "unknown" of "servers" of (\S+)/.exec(warning);
    assert.ok(said, warning);
    assert.equal(said[2], place.lock);
    const lock = JSON.parse(readFileSync(place.lock, 'utf8'));
    lock.servers.unknown = { executables: JSON.parse(said[1]) };
    writeFileSync(place.lock, JSON.stringify(lock));
    assert.deepEqual(await check(), []);
  });
  it('tells of a file that is another, of one that cannot be read, and of one that nobody asks for', async () => {
    writeFileSync(place.script('other'), 'another');
    const lock = JSON.parse(readFileSync(place.lock, 'utf8'));
    lock.servers.plain.executables['/srv/unasked'] = lock.servers.plain.executables[kNode];
    lock.servers.unknown.executables = {};
    writeFileSync(place.lock, JSON.stringify(lock));
    writeFileSync(configFile, readFileSync(configFile, 'utf8').replace(place.script('unknown'), '/no/such/script').replaceAll('/unknown.mjs', '/gone.mjs'));
    const lines = (await check()).join('\n');
    assert.match(lines, /executable ".*other\.mjs" of server "other" is not what was approved/);
    assert.match(lines, /the lock file has \/srv\/unasked of server "plain", and nothing holds the file against it/);
    assert.match(lines, /executable ".*gone\.mjs" cannot be read: No such file/);
  });
  it('tells of a command that leads past what was approved', async () => {
    const approved = join(place.directory, 'node');
    copyFileSync('/bin/true', approved);
    place.approve({ plain: [approved], other: [place.script('other')], unknown: [place.script('unknown')] });
    const text = place
      .configuration()
      .replace(JSON.stringify([kNode, place.script('plain')]), JSON.stringify([approved]))
      .replace(`command = [${JSON.stringify(kNode)}`, `env = { PATH = ${JSON.stringify(dirname(kNode))} }\ncommand = ["node"`);
    writeFileSync(configFile, `${kHead}${text}`);
    assert.match((await check()).join('\n'), /server "plain" will not start: executable ".*\/node" was approved, but the command resolves to ".*\/node"/);
  });
});
