// A running gateway takes another configuration: whole or not at all, without losing a request, and
// everything that the old one granted and the new one does not is over.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

import { assertRefused, eventually } from './assertions.mjs';
import { runProgram, startGateway, temporaryDirectory } from './harness.mjs';
import { apply, configOf, digestOf, refuse, write } from './reloading.mjs';
import { kPlain, stdioServer } from './servers.mjs';
import { LegacySession, responseOf, send } from './wire.mjs';

// BARTIZAN_RELOADS makes it longer or shorter.
const kReloads = Number(process.env.BARTIZAN_RELOADS ?? 1000);
const kRule = '[rule.all]\neffect = "permit"\nroles = ["tester"]\ntools = ["plain/*"]\n';
const kForbidBig = '[rule.no-big]\neffect = "forbid"\nroles = ["*"]\ntools = ["plain/big_echo"]\n';
const kServer = stdioServer('plain', [kPlain], 'timeout = "60s"');

const textOf = (response) => response.result?.content[0].text ?? JSON.stringify(response);

/** Opens the session's GET stream; `ended` is settled when it has ended. */
async function openStream(session) {
  const headers = { ...session.headers(), accept: 'text/event-stream' };
  const answer = await fetch(session.url, { headers });
  assert.equal(answer.status, 200);
  const read = async () => {
    for await (const chunk of answer.body) void chunk;
  };
  return { ended: read() };
}

describe('[process] reload = "signal"', () => {
  it('reads the configuration at SIGHUP alone', async (t) => {
    const gateway = await startGateway(`${kServer}${kRule}[process]\nreload = "signal"\n`);
    t.after(() => gateway.stop());
    const one = readFileSync(gateway.configFile, 'utf8');
    const runs = async (text) => (await configOf(gateway)).digest === digestOf(text);
    write(gateway, one + kForbidBig);
    await delay(1500);
    assert.ok(await runs(one), 'a file that was written changes nothing');
    gateway.process.kill('SIGHUP');
    await eventually(() => runs(one + kForbidBig), 'SIGHUP applies it');
    // The other way round: from then on a file is enough, and no longer after the next change.
    const watching = one.replace('"signal"', '"watch"');
    await apply(gateway, watching);
    write(gateway, watching + kForbidBig);
    await eventually(() => runs(watching + kForbidBig), 'the file is enough');
    write(gateway, one);
    await eventually(() => runs(one), 'the file is enough for the last time');
    write(gateway, watching);
    await delay(1500);
    assert.ok(await runs(one), 'a file that was written changes nothing again');
  });
});

describe('a thousand reloads under load', () => {
  it('lose no request, and every call was judged under one of the configurations', async (t) => {
    const gateway = await startGateway(kServer + kRule);
    t.after(() => gateway.stop());
    const one = readFileSync(gateway.configFile, 'utf8');
    const other = one + kForbidBig + '[limit.more]\nper = ["principal"]\nrate = ["90000/s"]\n';
    const bad = one + '[rule.all]\n';
    let isOver = false;
    let answered = 0;
    const client = async (number) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const session = await LegacySession.open(gateway.url);
      for (let id = 1; !isOver; ++id) {
        const token = `${number}/${id}`;
        const response = await session.call(id, 'plain_slow_echo', { token, milliseconds: 0 }, agent);
        assert.equal(textOf(response), token);
        answered += 1;
      }
      agent.destroy();
    };
    const clients = Promise.all([1, 2, 3, 4].map(client));
    clients.catch(() => (isOver = true));
    const started = Date.now();
    for (let i = 0; i < kReloads && !isOver; ++i) {
      if (i % 10 === 9) {
        await refuse(gateway, bad);
      } else {
        await apply(gateway, i % 2 === 0 ? other : one);
      }
    }
    isOver = true;
    await clients;
    t.diagnostic(`${kReloads} reloads in ${Date.now() - started} ms, ${answered} calls`);
    assert.ok(answered >= 100, `only ${answered} calls`);
    const records = gateway.records();
    const judged = records.filter(({ kind, method }) => kind === 'decision' && method === 'tools/call');
    assert.equal(judged.length, answered);
    const digests = new Set([digestOf(one), digestOf(other)]);
    assert.deepEqual(new Set(judged.map(({ policy }) => policy)), digests);
    const reloads = records.filter(({ kind }) => kind === 'reload');
    assert.ok(reloads.length >= kReloads * 0.8, `${reloads.length} reloads on record`);
    assert.ok(reloads.every(({ policy, detail }) => digests.has(policy) && digests.has(detail.split(' ').at(-1))));
    const { code, stdout } = await runProgram('audit', 'verify', gateway.auditFile);
    assert.equal(code, 0, stdout);
    // One child served them all: its definition never changed.
    assert.equal(records.filter(({ kind, detail }) => kind === 'server' && detail.startsWith('started')).length, 1);
  });
});

describe('a reload', () => {
  let gateway;
  let first;
  before(async () => {
    gateway = await startGateway(kServer + kRule);
    first = readFileSync(gateway.configFile, 'utf8');
  });
  after(() => gateway?.stop());

  it('forbids from the moment on that it is applied, and grants again', async () => {
    const session = await LegacySession.open(gateway.url);
    assert.equal(textOf(await session.call(1, 'plain_big_echo', { text: 'before' })), 'before');
    await apply(gateway, first + kForbidBig);
    assertRefused((await session.call(2, 'plain_big_echo', { text: 'after' })).error, 'forbidden');
    await apply(gateway, first);
    assert.equal(textOf(await session.call(3, 'plain_big_echo', { text: 'again' })), 'again');
  });

  it('needs no signal where the file has changed', async () => {
    write(gateway, first + kForbidBig);
    await eventually(async () => (await configOf(gateway)).digest === digestOf(first + kForbidBig), 'it is seen', 20_000);
    await apply(gateway, first);
  });

  it('keeps the old configuration when the new one is wrong, and says where', async () => {
    const session = await LegacySession.open(gateway.url);
    const { digest, reloads } = await refuse(gateway, first.replace('[rule.all]', '[rule.all]\nefect = "permit"'));
    assert.equal(digest, digestOf(first));
    assert.match(reloads.error, /^\d+ errors?, the first at \S+:\d+:\d+; the log has all$/);
    assert.match(gateway.log(), /did you mean/);
    assert.match(await gateway.metrics(), /bartizan_config_last_reload_successful 0/);
    assert.equal(textOf(await session.call(1, 'plain_big_echo', { text: 'still' })), 'still');
    await refuse(gateway, '');
    await apply(gateway, `${first}\n`);
    assert.match(await gateway.metrics(), /bartizan_config_last_reload_successful 1/);
    assert.match(await gateway.metrics(), /bartizan_config_reloads_total\{result="refused"\} [1-9]/);
  });

  it('waits for who is still writing', async () => {
    const session = await LegacySession.open(gateway.url);
    await apply(gateway, first);
    const { reloads } = await configOf(gateway);
    const file = openSync(gateway.configFile, 'w');
    writeSync(file, `${first}# The rest is on its way.\n`);
    gateway.process.kill('SIGHUP');
    assert.equal(textOf(await session.call(1, 'plain_big_echo', { text: 'still' })), 'still');
    writeSync(file, kForbidBig);
    closeSync(file);
    const isApplied = async () => (await configOf(gateway)).reloads.applied > reloads.applied;
    await eventually(isApplied, 'the whole file is applied');
    assert.equal((await configOf(gateway)).reloads.applied, reloads.applied + 1, 'and no part of it before');
    assertRefused((await session.call(2, 'plain_big_echo', { text: 'no' })).error, 'forbidden');
    await apply(gateway, first);
  });

  it('counts what did not change as unchanged', async () => {
    await apply(gateway, first);
    const { reloads } = await configOf(gateway);
    gateway.process.kill('SIGHUP');
    await eventually(async () => (await configOf(gateway)).reloads.unchanged > reloads.unchanged, 'it is counted');
    assert.equal((await configOf(gateway)).reloads.applied, reloads.applied);
  });

  for (const [key, from, to] of [
    ['listen.address', /(\[listen\]\naddress = "127.0.0.1):\d+/, '$1:1'],
    ['metrics.address', /(\[metrics\]\naddress = "127.0.0.1):\d+/, '$1:1'],
    ['audit.file', /(file = ".*)audit.jsonl"/, '$1other.jsonl"'],
    ['process.workers', /$/, '\n[process]\nworkers = 7\n'],
  ]) {
    it(`refuses another ${key} and names it`, async () => {
      const { digest, reloads } = await refuse(gateway, first.replace(from, to));
      assert.equal(digest, digestOf(first));
      assert.ok(reloads.error.includes(`"${key}"`), reloads.error);
    });
  }

  it('adds a server and removes it', async () => {
    await apply(gateway, first);
    const session = await LegacySession.open(gateway.url);
    assert.equal((await session.call(1, 'more_big_echo', { text: 'x' })).error.data.reason, 'no_matching_rule');
    const more = first + stdioServer('more', [kPlain]) + kRule.replace('all', 'more').replace('plain/*', 'more/*');
    await apply(gateway, more);
    assert.equal(textOf(await session.call(2, 'more_big_echo', { text: 'new' })), 'new');
    const names = async (id) => responseOf(await session.request(id, 'tools/list')).result.tools.map(({ name }) => name);
    await eventually(async () => (await names(3)).includes('more_big_echo'), 'it is listed');
    await apply(gateway, first);
    assert.equal((await session.call(4, 'more_big_echo', { text: 'x' })).error.data.reason, 'no_matching_rule');
    assert.ok(!(await names(5)).includes('more_big_echo'));
    assert.ok(!Object.keys((await gateway.readiness()).body.servers).includes('more'));
  });

  it('lets a long call of a removed server end, and its process after it', async () => {
    const more = first + stdioServer('leaving', [kPlain], 'timeout = "60s"') + kRule.replace('all', 'leaving').replace('plain/*', 'leaving/*');
    await apply(gateway, more);
    const session = await LegacySession.open(gateway.url);
    await session.call(1, 'leaving_slow_echo', { token: 'warm', milliseconds: 0 });
    const call = session.call(2, 'leaving_slow_echo', { token: 'long', milliseconds: 1500 });
    const isLong = ({ kind, server, target }) => kind === 'decision' && server === 'leaving' && target === 'slow_echo';
    await eventually(() => gateway.records().filter(isLong).length === 2, 'the call is on its way');
    await apply(gateway, first);
    assert.ok((await session.call(3, 'leaving_slow_echo', { token: 'x' })).error);
    assert.equal(textOf(await call), 'long');
    const isStop = ({ kind, server, detail }) => kind === 'server' && server === 'leaving' && detail === 'stopped';
    await eventually(() => gateway.records().some(isStop), 'its process ends');
  });

  it('gives a changed server another process, and the call before it the old one', async () => {
    await apply(gateway, first);
    const session = await LegacySession.open(gateway.url);
    const starts = () => gateway.records().filter(({ kind, detail }) => kind === 'server' && detail === 'started').length;
    await session.call(1, 'plain_slow_echo', { token: 'warm', milliseconds: 0 });
    const before = starts();
    const decisions = () => gateway.records().filter(({ kind, target }) => kind === 'decision' && target === 'slow_echo').length;
    const judged = decisions();
    const call = session.call(2, 'plain_slow_echo', { token: 'old', milliseconds: 1500 });
    await eventually(() => decisions() > judged, 'the call is on its way');
    await apply(gateway, first.replace('timeout = "60s"', 'timeout = "60s"\nenv = { A = "1" }'));
    assert.equal(textOf(await session.call(3, 'plain_slow_echo', { token: 'new', milliseconds: 0 })), 'new');
    assert.equal(starts(), before + 1);
    assert.equal(textOf(await call), 'old');
    await apply(gateway, first);
  });

  it('tells an official client that its tools have changed', async () => {
    await apply(gateway, first);
    const client = new Client({ name: 'bartizan-tests', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    assert.ok((await names()).includes('plain_big_echo'));
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (changes += 1));
    // The client's stream is not open yet when `connect` returns.
    await eventually(async () => {
      await apply(gateway, first + kForbidBig);
      const isTold = changes > 0;
      if (!isTold) await apply(gateway, first);
      return isTold || changes > 0;
    }, 'the client is told', 20_000);
    await apply(gateway, first + kForbidBig);
    assert.ok(!(await names()).includes('plain_big_echo'));
    const before = changes;
    // A limit changes no list.
    await apply(gateway, first + kForbidBig + '[limit.more]\nper = ["principal"]\nrate = ["90000/s"]\n');
    await apply(gateway, first);
    await eventually(() => changes > before, 'the client is told again');
    assert.equal(changes, before + 1);
    await client.close();
  });
});

describe('keys and principals', () => {
  const key = (name, principal) => `[auth.api_key.${name}]\nprincipal = "${principal}"\nsha256 = "${digestOf(name)}"\n`;
  const kBase = '[principal.ann]\nroles = ["tester"]\n[principal.bob]\nroles = ["tester"]\n[role.tester]\npermissions = []\n';

  it('that are gone end their sessions and streams, and others stay', async (t) => {
    const keys = key('ann-old', 'ann') + key('ann-new', 'ann') + key('bob', 'bob');
    const gateway = await startGateway(kServer + kRule, { auth: keys + kBase });
    t.after(() => gateway.stop());
    const first = readFileSync(gateway.configFile, 'utf8');
    const open = (name) => LegacySession.open(gateway.url, { authorization: `Bearer ${name}` });
    const [old, fresh, bob] = [await open('ann-old'), await open('ann-new'), await open('bob')];
    const stream = await openStream(old);
    await apply(gateway, first.replace(key('ann-old', 'ann'), ''));
    await stream.ended;
    assert.equal((await old.request(1, 'ping')).status, 401);
    assert.equal((await fresh.request(1, 'ping')).status, 200);
    const gone = await openStream(bob);
    await apply(gateway, first.replace(key('bob', 'bob'), '').replace('[principal.bob]\nroles = ["tester"]\n', ''));
    await gone.ended;
    assert.equal((await bob.request(1, 'ping')).status, 401);
    // Under the old key that is back, the session is not.
    await apply(gateway, first);
    assert.equal((await bob.request(2, 'ping')).status, 404);
    assert.equal((await send(gateway.url, { method: 'GET' })).status, 405);
  });
});

describe('files', () => {
  it('of a mounted map are swapped by one link', async (t) => {
    const gateway = await startGateway(`${kServer}${kRule}`);
    t.after(() => gateway.stop());
    const text = readFileSync(gateway.configFile, 'utf8');
    const map = join(gateway.directory, 'map');
    for (const [name, rule] of [['..first', ''], ['..second', kForbidBig]]) {
      mkdirSync(join(map, name), { recursive: true });
      writeFileSync(join(map, name, 'rules.toml'), `version = 1\n${rule}`);
    }
    symlinkSync('..first', join(map, '..data'));
    symlinkSync('..data/rules.toml', join(map, 'rules.toml'));
    write(gateway, text.replace('version = 1', 'version = 1\ninclude = ["map/*.toml"]'));
    gateway.process.kill('SIGHUP');
    await eventually(async () => (await configOf(gateway)).digest !== digestOf(text), 'the map is included', 20_000);
    const session = await LegacySession.open(gateway.url);
    assert.equal(textOf(await session.call(1, 'plain_big_echo', { text: 'x' })), 'x');
    symlinkSync('..second', join(map, '..data_tmp'));
    renameSync(join(map, '..data_tmp'), join(map, '..data'));
    const isForbidden = async () => (await session.call(2, 'plain_big_echo', { text: 'x' })).error;
    assertRefused(await eventually(isForbidden, 'the swap is seen', 20_000), 'forbidden');
    // A file that comes to match is part of the configuration.
    writeFileSync(join(map, 'more.toml'), kForbidBig.replace('no-big', 'no-slow').replace('big_echo', 'slow_echo'));
    const isSlowForbidden = async () => (await session.call(3, 'plain_slow_echo', { token: 'x' })).error;
    assertRefused(await eventually(isSlowForbidden, 'the new file is seen', 20_000), 'forbidden');
  });

  it('that a profile names as its schema are part of the configuration', async (t) => {
    const gateway = await startGateway(`${kServer}${kRule}`);
    t.after(() => gateway.stop());
    const text = `${readFileSync(gateway.configFile, 'utf8')}[tool."plain/big_echo"]\nschema = "file:big.json"\n`;
    const replace = (schema) => {
      writeFileSync(join(gateway.directory, 'big.next'), schema);
      renameSync(join(gateway.directory, 'big.next'), join(gateway.directory, 'big.json'));
    };
    const isNamed = (what) => eventually(async () => (await configOf(gateway)).digest === digestOf(what), 'it is taken', 20_000);
    write(gateway, text);
    const isRefused = async () => (await configOf(gateway)).reloads.error;
    await eventually(isRefused, 'a schema that is not there is refused', 20_000);
    replace('{"type": "object"}');
    await isNamed(`${text}{"type": "object"}`);
    replace('{"type": "objekt"}');
    const error = await eventually(isRefused, 'a schema that is none is refused', 20_000);
    assert.match(error, /^1 error, the first at \S+:\d+:10; the log has all$/);
    replace('true');
    await isNamed(`${text}true`);
    const { code, stdout } = await runProgram('check', gateway.configFile);
    assert.equal(code, 0, stdout);
  });
});

describe('a reload that names what does not answer', () => {
  it('holds up neither calls, nor pages, nor the end', async (t) => {
    const gateway = await startGateway(kServer + kRule);
    const session = await LegacySession.open(gateway.url);
    const pipe = join(temporaryDirectory(), 'cert.pem');
    execFileSync('mkfifo', [pipe]);
    const first = readFileSync(gateway.configFile, 'utf8');
    write(gateway, first.replace('[listen]\n', `[listen]\ntls = { cert = "${pipe}", key = "file:${pipe}" }\n`));
    gateway.process.kill('SIGHUP');
    // Opened when somebody reads it, who then waits for what never comes.
    const writer = await open(pipe, 'w');
    t.after(() => writer.close());
    assert.equal((await configOf(gateway)).digest, digestOf(first));
    assert.match(await gateway.metrics(), /bartizan_config_reloads_total\{result="applied"\} 0/);
    assert.equal(textOf(await session.call(1, 'plain_big_echo', { text: 'still' })), 'still');
    await gateway.stop();
    assert.equal(gateway.records().at(-1).kind, 'stop');
  });
});
