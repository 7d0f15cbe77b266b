// Names that differ by letter case: a server that ignores it reads other arguments, and another target, than
// policy did. What could be read in two ways reaches no server; what its server tells apart does, as it was
// written.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { SchemaStage, kServer, kVersions, refusalOf, toolText } from './schema_stage.mjs';
import { kModernVersion } from './wire.mjs';

const kTools = [
  toolText('move', '{"type":"object","properties":{"owner":{"type":"string"},"force":{"type":"boolean"}}}'),
  toolText('both', '{"type":"object","properties":{"owner":{},"Owner":{}}}'),
  toolText('free', '{"type":"object"}'),
  toolText('map', '{"type":"object","additionalProperties":{"type":"boolean"}}'),
];
const kPolicy = `
[rule.no-force]
effect = "forbid"
roles = ["*"]
tools = ["${kServer}/m*"]
when = { "/force" = { one_of = [true], optional = true } }
[rule.completions]
effect = "permit"
roles = ["*"]
prompts = ["${kServer}/*"]
[rule.resources]
effect = "permit"
roles = ["*"]
resources = ["${kServer}:**"]
`;
/** What a server in Go does with a message: it keeps the last of the names that are alike to it. */
const readIgnoringCase = (given) =>
  Object.fromEntries(Object.entries(JSON.parse(given)).map(([name, value]) => [name.toLowerCase(), value]));

const kRefused = [
  ['move', '{"owner":"acme","Owner":"evil"}', 'ambiguous_member'],
  ['move', '{"OWNER":"evil"}', 'ambiguous_member'],
  ['move', '{"\\u004fwner":"evil"}', 'ambiguous_member'],
  ['move', '{"Force":true}', 'forbidden'],
  ['map', '{"FORCE":true}', 'forbidden'],
  ['both', '{"owner":1,"OWNER":2}', 'ambiguous_member'],
  ['free', '{"headers":{"Host":"a","host":"b"}}', 'ambiguous_member'],
];
const kPassed = [
  ['move', '{"owner":"acme","force":false}'],
  ['both', '{"owner":1,"Owner":2}'],
  ['free', '{"Owner":1,"headers":{"Host":"a","Accept":"b"}}'],
  ['map', '{"Forces":true}'],
];

const start = (version, serverKeys) =>
  SchemaStage.start({ era: version === kModernVersion ? 'modern' : 'legacy', tools: kTools, policy: kPolicy, serverKeys });

describe('names that differ by letter case', () => {
  for (const version of kVersions) {
    describe(version, () => {
      let stage;
      let caller;
      before(async () => {
        stage = await start(version);
        caller = await stage.caller('verified', version);
      });
      after(() => stage?.stop());

      for (const [tool, given, reason] of kRefused) {
        it(`refuses ${tool} ${given}`, async () => {
          const before = stage.reached().length;
          const { response } = await caller.call(tool, given);
          assert.equal(refusalOf(response)?.reason, reason, JSON.stringify(response));
          assert.equal(stage.reached().length, before, 'nothing reached the server');
        });
      }

      it('passes what has one meaning, as it was written', async () => {
        for (const [tool, given] of kPassed) {
          const { response } = await caller.call(tool, given);
          assert.ok(response.result && !response.result.isError, JSON.stringify(response));
          assert.ok(stage.reached().at(-1).body.includes(`"arguments":${given}`), given);
        }
      });
    });
  }

  it('forwards pairs of free data where that is asked for, which a server may read as one', async () => {
    const stage = await start('2025-11-25', 'folded_names = "forward"\n');
    try {
      const caller = await stage.caller('verified', '2025-11-25');
      const given = '{"owner":"acme","Owner":"evil"}';
      const { response } = await caller.call('free', given);
      assert.ok(response.result, JSON.stringify(response));
      assert.ok(stage.reached().at(-1).body.includes(given));
      assert.deepEqual(readIgnoringCase(given), { owner: 'evil' });
      // What the schema knows stays refused.
      assert.equal(refusalOf((await caller.call('move', given)).response)?.reason, 'ambiguous_member');
    } finally {
      await stage.stop();
    }
  });
});

describe('what is completed', () => {
  it('has one target, whoever reads it', async () => {
    const stage = await start('2025-11-25');
    try {
      const { session } = await stage.caller('verified', '2025-11-25');
      const argument = { name: 'a', value: '' };
      const name = `${kServer}_p`;
      let id = 100;
      const complete = async (ref) => {
        const answer = await session.request((id += 1), 'completion/complete', { ref, argument });
        return refusalOf(JSON.parse(answer.body.slice(answer.body.indexOf('{'))))?.reason;
      };
      for (const [ref, reason] of [
        [{ type: 'ref/tool', name, uri: 'u' }, 'invalid_params'],
        [{ name, uri: 'u' }, 'invalid_params'],
        [{ type: ['ref/prompt'], name }, 'invalid_params'],
        [{ type: 'ref/resource', uri: 'u', name }, 'invalid_params'],
        [{ type: 'ref/prompt', name, Name: 'other' }, 'ambiguous_member'],
        [{ type: 'ref/prompt', name, URI: 'u' }, 'ambiguous_member'],
        [{ type: 'ref/prompt', name, Type: 'ref/resource' }, 'ambiguous_member'],
      ]) {
        assert.equal(await complete(ref), reason, JSON.stringify(ref));
      }
      assert.equal(stage.far.received('completion/complete').length, 0);
      // One that is as published gets there.
      assert.equal(await complete({ type: 'ref/prompt', name }), undefined);
      assert.equal(stage.far.received('completion/complete').length, 1);
    } finally {
      await stage.stop();
    }
  });
});
