// Structured content of results is held against the output schema of its tool: what does not fit is
// withheld or, where the operator says so, only told; the text that came with it is never touched.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { failureOf } from './assertions.mjs';
import { kClients, kOlderClient } from './clients.mjs';
import { SchemaStage, answerResult, bearer, kServer, kTrusts, kVersions, toolText } from './schema_stage.mjs';
import { kModernVersion } from './wire.mjs';

const kInput = '{"type":"object"}';
const output = (schema) => `,"outputSchema":${schema}`;
const kWeather = '{"type":"object","required":["degrees"],"properties":{"degrees":{"type":"number","maximum":60},"unit":{"enum":["C","F"]},"at":{"type":"string","format":"date-time"}}}';
/** A tool of which anything may come, which clients of the legacy era would refuse as a whole. */
const kAnything = toolText('anything', kInput, output('{"type":["number","array","null","boolean","string","object"]}'));
const kTools = [
  toolText('weather', kInput, output(kWeather)),
  toolText('asserted', kInput, output(kWeather)),
  toolText('costly', kInput, output('{"type":"object","properties":{"list":{"type":"array","items":{"$ref":"#/$defs/a0"}}},"$defs":{'
    + Array.from({ length: 16 }, (_, i) => `"a${i}":{"allOf":[{"$ref":"#/$defs/a${i + 1}"},{"$ref":"#/$defs/a${i + 1}"}]}`).join(',') + ',"a16":{}}}')),
  toolText('unjudged', kInput, output('{"type":"object","properties":{"degrees":{"minimum":"three"}}}')),
  toolText('untyped', kInput),
  toolText('sealed', kInput, output('{"type":"object","properties":{"degrees":{"type":"number"}},"additionalProperties":false}')),
];
const kPolicy = `[tool."${kServer}/asserted"]\nformats = "assert"\n`;
const kSecret = 'ZQ-hidden-4471';
/** Spelled as nobody would, so that whoever writes it anew is found out. */
const kContent = '[ {"type":"text" , "text":"7\\u00b0 \\/ 45"},\t{"text":"b","type":"text","annotations":{"priority":1.0}} ]';

/** What the server answers, by the name that a call gives: members of a result, as text. */
const kResults = {
  fits: `"content":${kContent},"structuredContent":{"degrees":7.0,"more":[1e2]}`,
  misfits: `"content":${kContent},"structuredContent":{"degrees":"${kSecret}"},"x-more":{"a":1.50}`,
  several: '"content":[],"structuredContent":{"degrees":61,"unit":"K"}',
  with_meta: `"_meta":{"example.com/x":[1.0],"bartizan/withheld":{"reason":"none"},"bartizan/denial":{}},"content":${kContent},"structuredContent":{"degrees":null}`,
  says_fine: `"structuredContent":{"degrees":false},"isError":false,"content":${kContent}`,
  no_content: '"structuredContent":{"degrees":[]}',
  array: '"content":[],"structuredContent":[7]',
  number: '"content":[],"structuredContent":7',
  null: '"content":[],"structuredContent":null',
  none: `"content":${kContent}`,
  invented: `"content":[],"structuredContent":{"degrees":1,"${kSecret}":{"a":1}}`,
  failed: `"content":${kContent},"isError":true`,
  failed_misfits: `"content":${kContent},"isError":true,"structuredContent":{"degrees":"${kSecret}"}`,
  bad_date: '"content":[],"structuredContent":{"degrees":1,"at":"yesterday"}',
  costly: `"content":${kContent},"structuredContent":{"list":[${Array.from({ length: 64 }, () => 1).join(',')}]}`,
};

for (const era of ['legacy', 'modern']) {
  const isModern = era === 'modern';
  const complete = isModern ? '"resultType":"complete",' : '';
  const textOf = (name) => `{${complete}${kResults[name]}}`;
  const onCall = ({ id, params }, response) => answerResult(response, id, textOf(params.arguments.as));
  const versions = kVersions.filter((version) => (version === kModernVersion) === (era === 'modern'));

  describe(`structured content, ${era}`, () => {
    const stages = {};
    before(async () => {
      for (const action of ['withhold', 'warn']) {
        const serverKeys = action === 'warn' ? 'output_schema = "warn"' : '';
        stages[action] = await SchemaStage.start({ era, tools: isModern ? [...kTools, kAnything] : kTools, onCall, policy: kPolicy, serverKeys });
      }
    });
    after(() => Promise.all(Object.values(stages).map((stage) => stage.stop())));

    const answerTo = async (action, version, tool, as, who = 'untrusted') =>
      (await stages[action].caller(who, version)).call(tool, JSON.stringify({ as }));

    async function assertPasses(action, version, tool, as) {
      const { response, body } = await answerTo(action, version, tool, as);
      assert.ok(body.endsWith(`"result":${textOf(as)}}`), body);
      return response;
    }

    async function assertWithheld(version, tool, as, { pointers, reason = 'result_invalid', who = 'system' }) {
      const stage = stages.withhold;
      const { response, body } = await answerTo('withhold', version, tool, as, who);
      const { result } = response;
      assert.equal(result.isError, true, body);
      assert.equal('structuredContent' in result, false, body);
      assert.equal(result.resultType, isModern ? 'complete' : undefined);
      if (kResults[as].includes(kContent)) assert.ok(body.includes(`"content":${kContent}`), body);
      const note = result._meta['bartizan/withheld'];
      assert.equal(note.reason, reason, body);
      assert.deepEqual(note.violations?.map(({ pointer }) => pointer), pointers, body);
      const outcome = stage.outcome(note.decision_id);
      assert.deepEqual([outcome.outcome, outcome.reason], ['tool_error', reason], outcome.line);
      assert.equal(stage.decision(note.decision_id).decision, 'permit');
      const line = stage.gateway.log().split('\n').find((text) => text.includes('"result withheld"') && text.includes(note.decision_id));
      assert.ok(line?.includes(tool) && (!outcome.detail || line.includes(outcome.detail)), line);
      return { result, note, outcome, body };
    }

    for (const { name, connect } of [...kClients, kOlderClient].filter((client) => client.eras.includes(era) && client.name !== 'mcp-remote')) {
      it(`an official client sees a tool that failed, and no broken protocol: ${name}`, async () => {
        const connected = await connect(stages.withhold.gateway.url, bearer('untrusted'));
        const unjudged = (await connected.listTools()).find((tool) => tool.name === 'far_unjudged');
        assert.deepEqual([typeof unjudged?.inputSchema, unjudged?.outputSchema], ['object', undefined]);
        const fits = await connected.call('far_weather', { as: 'fits' });
        assert.deepEqual(fits.structuredContent, { degrees: 7, more: [100] });
        const result = await connected.call('far_weather', { as: 'misfits' });
        assert.equal(result.isError, true);
        assert.equal(result.content[0].text, '7° / 45');
        const bare = await connected.call('far_weather', { as: 'no_content' });
        assert.equal(bare.isError, true);
        await connected.close();
        // The same client, where the gateway only tells: its own check ends the call.
        const warned = await connect(stages.warn.gateway.url, bearer('untrusted'));
        await warned.listTools();
        await failureOf(warned.call('far_weather', { as: 'misfits' }));
        await warned.close();
      });
    }

    for (const version of versions) {
      describe(version, () => {
        it('passes what fits, byte for byte', async () => {
          for (const action of ['withhold', 'warn']) await assertPasses(action, version, 'weather', 'fits');
          assert.deepEqual(stages.warn.gateway.records().findLast(({ kind, method }) => kind === 'outcome' && method === 'tools/call').would ?? [], []);
        });

        it('passes anything from a tool without an output schema', async () => {
          await assertPasses('withhold', version, 'untyped', 'misfits');
        });

        it('leaves out what nobody can judge, which is no error for that', async () => {
          const { response, body } = await answerTo('withhold', version, 'unjudged', 'fits');
          const { result } = response;
          assert.ok(body.includes(`"content":${kContent}`), body);
          assert.deepEqual([result.isError, result.structuredContent], [undefined, undefined], body);
          assert.equal(result._meta['bartizan/withheld'].reason, 'result_unjudged');
          const outcome = stages.withhold.outcome(result._meta['bartizan/withheld'].decision_id);
          assert.deepEqual([outcome.outcome, outcome.reason], ['success', 'result_unjudged'], outcome.line);
          await assertPasses('withhold', version, 'unjudged', 'none');
          await assertPasses('warn', version, 'unjudged', 'fits');
          const failed = await answerTo('withhold', version, 'unjudged', 'failed_misfits');
          assert.equal(failed.response.result.isError, true);
        });

        it('withholds what does not fit, and leaves the rest', async () => {
          const before = await stages.withhold.metric('bartizan_results_invalid_total', `server="${kServer}",tool="weather",action="withheld"`);
          const { outcome, body } = await assertWithheld(version, 'weather', 'misfits', { pointers: ['/degrees'] });
          assert.ok(body.includes('"x-more":{"a":1.50}'), body);
          assert.equal(outcome.detail, 'result /degrees (type)');
          await assertWithheld(version, 'weather', 'several', { pointers: ['/degrees', '/unit'] });
          const { result } = await assertWithheld(version, 'weather', 'with_meta', { pointers: ['/degrees'] });
          assert.deepEqual(Object.keys(result._meta), ['example.com/x', 'bartizan/withheld']);
          const told = await assertWithheld(version, 'weather', 'says_fine', { pointers: ['/degrees'] });
          assert.equal(told.body.match(/"isError"/g).length, 1);
          const after = await stages.withhold.metric('bartizan_results_invalid_total', `server="${kServer}",tool="weather",action="withheld"`);
          assert.equal(after - before, 4);
        });

        it('answers a result even where the server sent nothing else', async () => {
          const { result } = await assertWithheld(version, 'weather', 'no_content', { pointers: ['/degrees'] });
          assert.match(result.content[0].text, /does not fit the tool's output schema/);
        });

        it('says where only to the trusted, and the value to nobody', async () => {
          const answers = [];
          for (const who of kTrusts) {
            const isTrusted = who === 'verified' || who === 'system';
            const { body } = await assertWithheld(version, 'weather', 'misfits', { pointers: isTrusted ? ['/degrees'] : undefined, who });
            answers.push(body);
          }
          await stages.withhold.assertNowhere(kSecret, answers);
        });

        it('puts no name into the record that the server made up', async () => {
          const { outcome } = await assertWithheld(version, 'sealed', 'invented', { pointers: [`/${kSecret}`] });
          assert.equal(outcome.detail, 'result /* (false)');
          await stages.withhold.assertNowhere(kSecret, []);
        });

        it('withholds from results that are errors too', async () => {
          await assertWithheld(version, 'weather', 'failed_misfits', { pointers: ['/degrees'] });
          await assertPasses('withhold', version, 'weather', 'failed');
        });

        it('makes an error of what lacks structured content', async () => {
          await assertWithheld(version, 'weather', 'none', { pointers: [''] });
        });

        it('asserts formats, where policy wants that', async () => {
          await assertPasses('withhold', version, 'weather', 'bad_date');
          await assertWithheld(version, 'asserted', 'bad_date', { pointers: ['/at'] });
        });

        it('withholds what would cost too much to judge', async () => {
          await assertWithheld(version, 'costly', 'costly', { pointers: undefined, reason: 'schema_too_costly' });
        });

        for (const as of ['array', 'number', 'null']) {
          it(`${isModern ? 'passes' : 'withholds'} what is no object: ${as}`, async () => {
            if (isModern) return assertPasses('withhold', version, 'anything', as);
            await assertWithheld(version, 'weather', as, { pointers: [''] });
          });
        }

        it('only tells, where the operator wants that', async () => {
          const stage = stages.warn;
          const labels = `server="${kServer}",tool="weather",action="passed"`;
          const before = await stage.metric('bartizan_results_invalid_total', labels);
          await assertPasses('warn', version, 'weather', 'misfits');
          const outcome = stage.gateway.records().findLast(({ kind, method }) => kind === 'outcome' && method === 'tools/call');
          assert.deepEqual([outcome.outcome, outcome.would, outcome.reason], ['success', ['result_invalid'], undefined], outcome.line);
          assert.equal((await stage.metric('bartizan_results_invalid_total', labels)) - before, 1);
          const line = stage.gateway.log().split('\n').find((text) => text.includes('"result does not fit"') && text.includes(outcome.decision_id));
          assert.ok(line?.includes('result /degrees (type)'), line);
          await stage.assertNowhere(kSecret, []);
        });
      });
    }
  });
}
