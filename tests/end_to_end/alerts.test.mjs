// Who is told at once: of what, how often, and what becomes of it where the receiver is away.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { eventually } from './assertions.mjs';
import { makeCalls, Receiver, startExporting } from './export_stage.mjs';
import { temporaryDirectory } from './harness.mjs';
import { sendModern } from './wire.mjs';

const kSecret = 'of-the-hook';
const hookTable = (url, more = '') => `[alert.hook]\nurl = "${url}/in"\nsecret = "env:HOOK"\n${more}\n`;
const kEnvironment = { HOOK: kSecret };
const bodies = (receiver) => receiver.requests.map(({ body }) => JSON.parse(body));
const refuse = (gateway) => sendModern(gateway.url, 'tools/call', { name: 'dual_forbidden', arguments: {} });

/** A program that appends what it gets to a file, and ends as it is told. */
function makeProgram(ending = 'exit 0') {
  const directory = temporaryDirectory();
  const program = join(directory, 'page');
  const file = join(directory, 'told');
  writeFileSync(program, `#!/bin/sh\nprintf 'arguments %s, variables %s\\n' "$*" "$(env | cut -d= -f1 | sort | tr '\\n' ' ')" >> ${file}\ncat >> ${file}\n${ending}\n`);
  chmodSync(program, 0o755);
  return { program, told: () => (existsSync(file) ? readFileSync(file, 'utf8') : '') };
}

describe('alerts', () => {
  it('reach a webhook within a second, signed, and hold no argument', async (t) => {
    const receiver = await Receiver.start(t, () => ({}));
    const profile = '[tool."dual/*"]\nrecord = ["/text"]\n';
    const gateway = await startExporting(t, profile + hookTable(receiver.url, 'at_least = "medium"'), { environment: kEnvironment });
    await makeCalls(gateway, 2);
    await delay(300);
    assert.equal(receiver.requests.length, 0, 'permitted calls are told to nobody');
    const began = performance.now();
    await sendModern(gateway.url, 'tools/call', { name: 'dual_forbidden', arguments: { text: 'a-value' } });
    await eventually(() => receiver.requests.length > 0, 'an alert', 5000);
    assert.ok(performance.now() - began < 1000, `${performance.now() - began} ms`);
    const [{ headers, body, target }] = receiver.requests;
    assert.equal(target, '/in');
    const signature = createHmac('sha256', kSecret).update(`${headers['bartizan-timestamp']}.${body}`).digest('hex');
    assert.equal(headers['bartizan-signature'], `v1=${signature}`);
    const alert = JSON.parse(body);
    const record = gateway.records().find(({ reason }) => reason === 'no_matching_rule');
    assert.equal(headers['bartizan-event'], alert.record);
    assert.deepEqual(
      [alert.alert, alert.instance, alert.severity, alert.reason, alert.principal, alert.server, alert.target, alert.hash, alert.count, alert.repeat],
      ['hook', 'gw-1', 'medium', 'no_matching_rule', 'tester', 'dual', 'forbidden', record.hash, 1, false],
    );
    assert.deepEqual(record.arguments, ['/text "a-value"']);
    assert.doesNotMatch(body, /a-value/);
    await gateway.stop();
    assert.doesNotMatch(gateway.log(), new RegExp(kSecret, 'u'));
  });

  it('of many alike, the first is told at once and the others together', async (t) => {
    const receiver = await Receiver.start(t, () => ({}));
    const gateway = await startExporting(t, hookTable(receiver.url, 'at_least = "medium"\ngroup = "2s"'), { environment: kEnvironment });
    await refuse(gateway);
    await eventually(() => receiver.requests.length === 1, 'the first');
    for (let at = 0; at < 20; at += 1) await refuse(gateway);
    await eventually(() => receiver.requests.length === 2, 'the others', 8000);
    const [first, others] = bodies(receiver);
    assert.deepEqual([first.count, first.repeat, others.count, others.repeat], [1, false, 20, true]);
    assert.ok(others.last_time > others.time);
    await gateway.stop();
    assert.equal(receiver.requests.length, 2);
    assert.match(await Promise.resolve(gateway.log()), /bartizan/i);
  });

  it('below their severity are told to nobody', async (t) => {
    const receiver = await Receiver.start(t, () => ({}));
    const gateway = await startExporting(t, hookTable(receiver.url), { environment: kEnvironment });
    await makeCalls(gateway, 6);
    await gateway.stop();
    assert.equal(receiver.requests.length, 0);
  });

  it('begin at the end of a record, and go on where a process ended', async (t) => {
    const receiver = await Receiver.start(t, () => ({}));
    const gateway = await startExporting(t, '');
    await refuse(gateway);
    await gateway.stop();
    writeFileSync(gateway.configFile, `${readFileSync(gateway.configFile, 'utf8')}${hookTable(receiver.url, 'at_least = "medium"')}`);
    gateway.environment = kEnvironment;
    const second = await gateway.again();
    await refuse(second);
    await eventually(() => receiver.requests.length === 1, 'the new one');
    assert.notEqual(bodies(receiver)[0].record.split('-').at(-1), '3');
    await receiver.stop();
    await refuse(second);
    await second.crash();
    await receiver.listen();
    const third = await second.again();
    await eventually(() => receiver.requests.length === 2, 'what was not told', 10_000);
    await third.stop();
  });

  it('run a program without a shell, with its input and nothing else', async (t) => {
    const { program, told } = makeProgram();
    const table = `[alert.page]\ncommand = ["${program}", "$(id)", "a b"]\nat_least = "medium"\n`;
    const gateway = await startExporting(t, table, { environment: { SECRET_OF_GATEWAY: 'x' } });
    await refuse(gateway);
    await eventually(() => told().endsWith('}\n'), 'the program was run', 8000);
    const [head, json] = told().split('\n');
    assert.equal(head, 'arguments $(id) a b, variables PATH PWD ');
    assert.equal(JSON.parse(json).reason, 'no_matching_rule');
    await eventually(async () => /bartizan_alerts_total\{alert="page",result="sent"\} 1/.test(await gateway.metrics()), 'it is counted');
    await gateway.stop();
  });

  it('of a program that fails are tried again', async (t) => {
    const directory = temporaryDirectory();
    const { program, told } = makeProgram(`[ -e ${directory}/second ] && exit 0\ntouch ${directory}/second\nexit 3`);
    const gateway = await startExporting(t, `[alert.page]\ncommand = ["${program}"]\nat_least = "medium"\n`);
    await refuse(gateway);
    await eventually(() => told().split('no_matching_rule').length === 3, 'it is tried twice', 8000);
    assert.match(gateway.log(), /ended with exit 3/);
    await gateway.stop();
  });
});
