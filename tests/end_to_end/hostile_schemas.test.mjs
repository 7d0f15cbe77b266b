// Servers whose schemas are made to harm: to exhaust, to reach out, to loop, to pose as something else, to
// change behind one's back. One gateway with one worker meets all of them; their honest tools go on, and so
// do other servers.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { eventually } from './assertions.mjs';
import { kFixtures, startGateway, temporaryDirectory } from './harness.mjs';
import { kHonest, kMisshapen, kPosers, nested, unusableTools, usableTools } from './hostile_tools.mjs';
import { SchemaStage, kAuth, listing, openCaller, refusalOf, toolText } from './schema_stage.mjs';
import { startScriptedServer } from './scripted_http.mjs';
import { httpServer, kPlain, stdioServer } from './servers.mjs';
import { kModernVersion } from './wire.mjs';

const kVersion = '2025-11-25';
const kRule = '[rule.all]\neffect = "permit"\nroles = ["*"]\ntools = ["*/*"]\n';
/** What is kept of all lists: of unusable tools, which have most of their 40 MiB, nothing. */
const kKeptMax = 32 << 20;
/** Loosely: the sanitizers of the development build hold freed memory back. */
const kPeakMax = 2 ** 30;
const kBig = 10 << 20;
const kListing = join(kFixtures, 'listing_server.mjs');

/** A port on loopback, as long as nobody connects to it. */
async function startTrap() {
  const trap = { connections: 0 };
  const listener = createServer((socket) => {
    trap.connections += 1;
    socket.destroy();
  });
  await new Promise((done) => listener.listen(0, '127.0.0.1', done));
  trap.url = `http://127.0.0.1:${listener.address().port}`;
  trap.spring = () => new Promise((done) => connect(listener.address().port, '127.0.0.1').on('close', done));
  trap.stop = () => new Promise((done) => listener.close(done));
  return trap;
}

/** A server whose list is what `says` says, each time. */
const startListing = (says, options) => startScriptedServer({ onMessage: listing(says), ...options });

describe('hostile schemas', () => {
  const servers = {};
  let trap;
  let gateway;
  let unusable;
  let usable;
  let caller;
  let tableSays;
  let onList = () => {};

  before(async () => {
    trap = await startTrap();
    unusable = unusableTools(trap.url);
    usable = usableTools(trap.url);
    const table = [...kPosers, ...unusable, ...usable].map(({ text }) => text);
    tableSays = [...table, kHonest];
    const bigText = toolText('big', `{"type":"object","description":"${'x'.repeat(kBig)}"}`);
    const bigMembers = toolText('big', `{"type":"object","properties":{${Array.from({ length: kBig / 27 }, (_, i) => `"p${`${i}`.padStart(7, '0')}":{"type":"null"}`).join(',')}}}`);
    Object.assign(servers, {
      table: await startListing(() => (onList(), tableSays)),
      bigtext: await startListing(() => [bigText, kHonest]),
      bigmembers: await startListing(() => [kHonest, bigMembers]),
      // No tools, of which nothing is kept but their names: 18 MiB of them.
      names: await startListing(() => [...['a', 'b', 'c'].map((letter) => `{"name":"${letter.repeat(6 << 20)}"}`), kHonest]),
      deep: await startListing(() => [kHonest, toolText('deep', nested(10_000))]),
      misshapen: await startListing(() => [...kMisshapen.map(({ text }) => text), kHonest]),
      halves: await startListing(() => [kHonest, toolText('half', '{"type":"object","title":"\\ud800"}')]),
      twice: await startListing(() => [kHonest, toolText('twice', '{"type":"object","properties":{"a":{},"a":{}}}')]),
    });
    const directory = temporaryDirectory();
    const file = (name, tools) => {
      writeFileSync(join(directory, name), `[${tools.join(',')}]`);
      return join(directory, name);
    };
    // Over stdio a list is one line.
    const onOneLine = [...table, bigText, kHonest].map((text) => text.replaceAll('\n', ' '));
    const change = toolText('change', '{"type":"object"}');
    const moving = (type) => toolText('moving', `{"type":"object","properties":{"a":{"type":"${type}"}}}`);
    const body = Object.entries(servers).map(([name, { url }]) => httpServer(name, url)).join('')
      + stdioServer('line', [kListing, '--tools', file('line.json', onOneLine)])
      + stdioServer('change', [kListing, '--tools', file('old.json', [change, moving('string')]), '--next', file('new.json', [change, moving('integer')])])
      + stdioServer('deepline', [kListing, '--tools', file('deep.json', [kHonest, toolText('deep', nested(10_000))])])
      + stdioServer('plain', [kPlain]);
    gateway = await startGateway(`[process]\nworkers = 1\nmemory_max = "256 MiB"\n[pins]\nmode = "off"\n${body}${kRule}`, { auth: kAuth });
    caller = await openCaller(gateway.url, 'system', kVersion);
  });
  after(async () => {
    await gateway?.stop();
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    await trap?.stop();
  });

  const call = async (server, tool, given, who = caller) => (await who.call(tool, given, server)).response;
  const decision = (error) => gateway.records().find(({ kind, decision_id: id }) => kind === 'decision' && id === error.data.decision_id);
  const honest = async (server, who) => {
    const response = await call(server, 'honest', '{"text":"still here"}', who);
    assert.equal(response.result?.content[0].text, 'still here', JSON.stringify(response));
    assert.equal(refusalOf(await call(server, 'honest', '{"text":7}', who)).reason, 'arguments_invalid');
  };
  const reserved = async () => Number(/^bartizan_memory_reserved_bytes (\d+)/m.exec(await gateway.metrics())[1]);

  it('leave the honest tool and the bystander alone, at once', async () => {
    const bystander = await openCaller(gateway.url, 'community', kVersion);
    const mine = () => call('plain', 'slow_echo', '{"token":"mine","milliseconds":0}', bystander);
    await mine();
    const answers = [];
    const note = (name) => (response) => answers.push([name, response.result?.content[0].text]);
    let other;
    onList = () => (other ??= mine().then(note('plain')));
    await call('table', 'honest', '{"text":"hostile"}').then(note('table'));
    await other;
    // There is one worker: others have their turn while it reads a hundred schemas.
    assert.deepEqual(answers, [['plain', 'mine'], ['table', 'hostile']]);
  });

  for (const server of ['table', 'line']) {
    it(`are unusable, each for its reason: ${server}`, async () => {
      const who = await openCaller(gateway.url, server === 'table' ? 'verified' : 'system', kVersion);
      for (const { name, flaw } of unusable) {
        const response = await call(server, name, '{}', who);
        assert.equal(response.error?.data.reason, 'tool_quarantined', `${name}: ${JSON.stringify(response).slice(0, 300)}`);
        const { detail } = decision(response.error);
        assert.match(detail, new RegExp(`^inputSchema: ${flaw}\\b`), name);
        assert.ok(detail.length < 200, detail);
        assert.ok(!detail.includes('secret'), detail);
      }
      const counted = Object.groupBy([...unusable, ...kPosers.filter(({ flaw }) => flaw)], ({ flaw }) => flaw);
      const metrics = await gateway.metrics();
      for (const flaw of Object.keys(counted)) {
        const line = `bartizan_tools_unusable_total{server="${server}",reason="${flaw}"} ${counted[flaw].length + (server === 'line' && flaw === 'too_large' ? 1 : 0)}\n`;
        assert.ok(metrics.includes(line), line);
      }
      await honest(server, who);
    });

    it(`are held against nothing but themselves, whatever they are called: ${server}`, async () => {
      for (const given of ['{"schema":{"type":"objekt"}}', '{"schema":{"items":{"minimum":"x"}}}']) {
        assert.equal(refusalOf(await call(server, 'metaschema_of_all', given)).reason, 'arguments_invalid');
      }
      for (const { name, flaw, fits, misfits } of kPosers) {
        for (const given of fits) {
          const response = await call(server, name, given);
          assert.ok(response.result && !response.result.isError, `${name}: ${JSON.stringify(response)}`);
        }
        for (const given of misfits) assert.equal(refusalOf(await call(server, name, given))?.reason, 'arguments_invalid', name);
        if (!flaw) continue;
        const { error } = await call(server, name, '{}');
        assert.equal(error?.data.reason, 'tool_quarantined', name);
        assert.match(decision(error).detail, new RegExp(`^inputSchema: ${flaw}\\b`), name);
      }
    });
  }

  it('are told apart from what is no tool at all, of which record and log have the reason', async () => {
    for (const { name, flaw } of kMisshapen) {
      const { error } = await call('misshapen', name, '{}');
      assert.equal(error?.data.reason, 'tool_quarantined', name);
      assert.equal(decision(error).detail, flaw, name);
      const line = gateway.log().split('\n').find((text) => text.includes('"quarantined"') && text.includes(`"misshapen"`) && text.includes(`"${name}"`));
      assert.ok(line?.includes(flaw), line);
    }
    await honest('misshapen');
    const metrics = await gateway.metrics();
    assert.match(metrics, /^bartizan_tools_unusable_total\{server="misshapen",reason="not_a_tool"\} 4$/m);
  });

  it('stand at /readyz with their reasons, of many tools the first ones', async () => {
    const { servers: states } = (await gateway.readiness()).body;
    assert.deepEqual(states.misshapen.quarantined, {
      count: kMisshapen.length,
      tools: kMisshapen.map(({ name, flaw }) => ({ name, reason: flaw })).sort((a, b) => (a.name < b.name ? -1 : 1)),
    });
    const { count, tools } = states.table.quarantined;
    assert.equal(count, unusable.length + kPosers.filter(({ flaw }) => flaw).length);
    assert.equal(tools.length, 16);
    const flaws = Object.fromEntries(unusable.map(({ name, flaw }) => [name, flaw]));
    for (const { name, reason } of tools.filter((tool) => flaws[tool.name])) assert.ok(reason.startsWith(`inputSchema: ${flaws[name]}`), reason);
    assert.equal(states.plain.quarantined, undefined);
    const metrics = await gateway.metrics();
    assert.ok(metrics.includes(`bartizan_tools_quarantined{server="table"} ${count}\n`), 'the metric has their number');
    assert.ok(metrics.includes('bartizan_tools_quarantined{server="plain"} 0\n'));
  });

  it('are judged within bounds where they can be used', async () => {
    const who = await openCaller(gateway.url, 'untrusted', kVersion);
    for (const { name, fits = [], misfits = [], costly = [] } of usable) {
      for (const given of fits) {
        const response = await call('table', name, given, who);
        assert.ok(response.result && !response.result.isError, `${name}: ${JSON.stringify(response).slice(0, 300)}`);
      }
      for (const given of misfits) {
        assert.equal(refusalOf(await call('table', name, given, who))?.reason, 'arguments_invalid', name);
      }
      for (const given of costly) {
        assert.equal(refusalOf(await call('table', name, given, who))?.reason, 'schema_too_costly', name);
      }
    }
    await honest('table', who);
  });

  it('may be 10 MiB, beside a tool that works', async () => {
    for (const server of ['bigtext', 'bigmembers', 'line']) {
      await honest(server);
      assert.equal((await call(server, 'big', '{}')).error.data.reason, 'tool_quarantined');
    }
  });

  it('make a list that is no strict JSON, or too large, fail as a whole, and nothing else', async () => {
    for (const server of ['deep', 'twice']) {
      const { error } = await call(server, 'honest', '{"text":"x"}');
      assert.equal(error?.data.reason, 'server_failed', server);
      assert.equal(servers[server].received('tools/call').length, 0);
    }
    // Over stdio, too, whoever asked is told at once, not when its patience is over.
    assert.equal((await call('deepline', 'honest', '{"text":"x"}')).error?.data.reason, 'server_failed');
    const listed = JSON.parse((await caller.session.request(500, 'tools/list')).body).result.tools.map(({ name }) => name);
    assert.deepEqual(listed.filter((name) => name.endsWith('_honest')).sort(), ['bigmembers_honest', 'bigtext_honest', 'halves_honest', 'line_honest', 'misshapen_honest', 'names_honest', 'table_honest']);
    for (const { name } of unusable) assert.ok(!listed.includes(`table_${name}`), name);
    // Two names of one are the same once what nobody sees is taken out: it is not shown.
    for (const { name } of usable) assert.equal(listed.includes(`table_${name}`), name !== 'garbage', name);
    assert.match(gateway.log(), /list failed.*deep/);
  });

  it('take no more memory than they are worth', async () => {
    assert.ok((await reserved()) < kKeptMax, `${await reserved()} bytes are reserved`);
    const peak = Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${gateway.process.pid}/status`, 'utf8'))[1]) * 1024;
    assert.ok(peak < kPeakMax, `${peak} bytes at its highest`);
  });

  it('are judged as they are once the server has said that they changed', async () => {
    assert.ok((await call('change', 'moving', '{"a":"x"}')).result.content);
    assert.equal(refusalOf(await call('change', 'moving', '{"a":1}')).reason, 'arguments_invalid');
    // The server says so on the same pipe, ahead of its answer.
    await call('change', 'change', '{}');
    assert.equal(refusalOf(await call('change', 'moving', '{"a":"x"}')).reason, 'arguments_invalid');
    assert.ok((await call('change', 'moving', '{"a":1}')).result.content);
  });

  it('are judged as they are once a server behind a URL has said that they changed', async () => {
    const { table } = servers;
    const asks = table.received('tools/list').length;
    const later = toolText('honest', '{"type":"object","properties":{"text":{"type":"integer"}}}');
    tableSays = [later];
    await eventually(() => table.streams.size > 0, 'the gateway listens to its server');
    table.publish({ method: 'notifications/tools/list_changed' });
    await eventually(async () => !refusalOf(await call('table', 'honest', '{"text":7}')), 'the change is followed');
    assert.equal(table.received('tools/list').length, asks + 1);
    assert.equal(refusalOf(await call('table', 'honest', '{"text":"x"}')).reason, 'arguments_invalid');
    const gone = await call('table', 'loop', '{}');
    assert.equal(gone.error.data.reason, 'tool_unknown');
    // Nothing is kept of the list that was.
    assert.ok((await reserved()) < kKeptMax);
  });

  it('reach out to nobody', async () => {
    assert.equal(trap.connections, 0);
    await trap.spring();
    assert.equal(trap.connections, 1, 'it would have been seen');
  });
});

describe('schemas that change, or come late', () => {
  const schema = (type) => `{"type":"object","properties":{"a":{"type":"${type}"}}}`;
  const methodsOf = ({ requests }) => requests.map(({ message }) => message?.method).filter((method) => method?.startsWith('tools/'));
  let says;
  let stage;
  before(async () => {
    // A list that is fresh for as short a time as there is.
    stage = await SchemaStage.start({ era: 'modern', tools: () => says(), members: '"ttlMs":0,"cacheScope":"private",', policy: '[pins]\nmode = "off"\n' });
  });
  after(() => stage?.stop());
  const caller = () => stage.caller('system', kModernVersion);

  it('are fetched before the first call, and never called blind', async () => {
    const { far } = stage;
    const { call } = await caller();
    says = () => [toolText('early', schema('string')), ...(far.received('tools/list').length > 1 ? [toolText('late', schema('string'))] : [])];
    assert.ok((await call('early', '{"a":"x"}')).response.result);
    assert.deepEqual(methodsOf(far), ['tools/list', 'tools/call']);
    let response;
    const answered = async () => (({ response } = await call('late', '{"a":1}')), response.error?.data.reason !== 'tool_unknown');
    await eventually(answered, 'the list is asked for again');
    assert.equal(refusalOf(response).reason, 'arguments_invalid');
    assert.ok((await call('late', '{"a":"x"}')).response.result);
    assert.deepEqual(methodsOf(far).filter((method, i, all) => method === 'tools/call' || all[i + 1] === 'tools/call'), ['tools/list', 'tools/call', 'tools/list', 'tools/call']);
  });

  it('are judged as they were listed, for as long as that is fresh', async () => {
    const { call } = await caller();
    says = () => [toolText('moving', schema('string'))];
    const reasonOf = async (given) => refusalOf((await call('moving', given)).response)?.reason;
    await eventually(async () => (await reasonOf('{"a":"x"}')) === undefined, 'the tool is there');
    says = () => [toolText('moving', schema('integer'))];
    const asks = stage.far.received('tools/list').length;
    await eventually(async () => {
      const reached = stage.reached().length;
      const reason = await reasonOf('{"a":1}');
      const isAsked = stage.far.received('tools/list').length > asks;
      // What the server was asked decides, and nothing else: not before it is asked, and at once when it was.
      assert.equal(reason, isAsked ? undefined : 'arguments_invalid');
      assert.equal(stage.reached().length, reached + (isAsked ? 1 : 0));
      return isAsked;
    }, 'the list is asked for again');
    assert.equal(await reasonOf('{"a":"x"}'), 'arguments_invalid');
  });

  it('are told of once where entries are no tools, however often they are listed', async () => {
    const { far } = stage;
    const { call } = await caller();
    const counted = () => stage.metric('bartizan_tools_unusable_total', 'server="far",reason="not_a_tool"');
    const lines = () => stage.gateway.log().split('\n').filter((line) => line.includes('"schemaless"')).length;
    says = () => [kMisshapen[0].text, toolText('standing', schema('string'))];
    await eventually(async () => (await call('standing', '{}')).response.result, 'the list is asked for again');
    assert.deepEqual([await counted(), lines()], [1, 1]);
    const asks = far.received('tools/list').length;
    await eventually(async () => (await call('standing', '{}'), far.received('tools/list').length > asks), 'and again');
    assert.deepEqual([await counted(), lines()], [1, 1]);
  });

  it('are judged as they are, in what else the list says', async () => {
    const { call } = await caller();
    says = () => [toolText('moving', schema('objekt')), toolText('other', schema('string'))];
    await eventually(async () => (await call('other', '{}')).response.result, 'the list is asked for again');
    assert.equal((await call('moving', '{"a":1}')).response.error.data.reason, 'tool_quarantined');
  });
});
