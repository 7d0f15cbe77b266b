// Arguments are held against the schemas of their tools before a call leaves: what fits reaches the
// server as it was written, what does not reaches nobody, and who asked is told where and what was
// expected, and never what stood there.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { failureOf, textOf } from './assertions.mjs';
import { kClients, kOlderClient } from './clients.mjs';
import { kCorpora, runProgram } from './harness.mjs';
import { SchemaStage, assertMisfit, bearer, kServer, kTrusts, kVersions, refusalOf, toolText } from './schema_stage.mjs';
import { kModernVersion } from './wire.mjs';

const kSearch = `{"type":"object","required":["path"],"properties":{
  "path":{"type":"string","minLength":1,"maxLength":24,"pattern":"^[a-z/]*$"},
  "limit":{"type":"integer","minimum":1,"maximum":10},
  "unit":{"enum":["kg","lb"]},"exact":{"const":7},
  "tags":{"type":"array","uniqueItems":true,"maxItems":3,"items":{"type":"object","properties":{"kind":{"type":"string","maxLength":3}},"additionalProperties":false}},
  "mail":{"type":"string","format":"email"},
  "either":{"oneOf":[{"type":"integer"},{"type":"boolean"}]},
  "not":{"not":{"type":"string"}}}}`;
const kReserving = '{"type":"object","properties":{"__proto__":{"type":"object"},"constructor":{"type":"object","properties":{"prototype":{"type":"object"}}}}}';

const kTools = [
  toolText('search', kSearch),
  toolText('guarded', kSearch),
  toolText('closed', kSearch),
  toolText('asserted', kSearch),
  toolText('free', '{"type":"object"}'),
  toolText('reserving', kReserving),
  toolText('looks', '{"type":"object","properties":{"word":{"type":"string","pattern":"(?=a)a+$"},"count":{"type":"integer"}}}'),
  toolText('accepted', '{"type":"object","properties":{"word":{"type":"string","pattern":"(?=a)a+$"},"count":{"type":"integer"}}}'),
  toolText('remote', '{"type":"object","properties":{"a/b":{"$ref":"https://schemas.example.com/x.json"}}}'),
  toolText('draft_04', '{"$schema":"https://json-schema.org/draft-04/schema","type":"object","properties":{"n":{"type":"number","minimum":1,"exclusiveMinimum":true}}}'),
  toolText('tuple', '{"type":"object","properties":{"pair":{"type":"array","items":[{"type":"string"},{"type":"integer"}]}}}'),
  toolText('email', String.raw`{"type":"object","properties":{"to":{"type":"string","pattern":"^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$"}}}`),
  '{"name":"fs/read: all","title":null,"description":null,"annotations":{"readOnlyHint":null},"inputSchema":{"type":"object","properties":{"path":{"type":"string"}}},"outputSchema":null,"_meta":null}',
  toolText('bad_output', '{"type":"object"}', ',"outputSchema":{"type":"object","properties":{"n":{"minimum":"three"}}}'),
];
const kUnusable = [
  ['looks', 'untranslatable_pattern', 'inputSchema: untranslatable_pattern at /properties/word/pattern'],
  ['remote', 'external_reference', 'inputSchema: external_reference at /properties/a~1b/$ref'],
];
/** As servers and their libraries write them; judged as their authors meant. */
const kTaken = [
  ['bad_output', '{}'],
  ['fs/read: all', '{"path":"a"}', '{"path":1}', '/path'],
  ['draft_04', '{"n":2}', '{"n":1}', '/n'],
  ['tuple', '{"pair":["a",1]}', '{"pair":[1,1]}', '/pair/0'],
  ['email', '{"to":"a.b@example.com"}', '{"to":"a..b@example.com"}', '/to'],
];
const kPolicy = `
[tool."${kServer}/guarded"]
schema = { properties = { limit = { maximum = 5 } }, required = ["unit"] }
[tool."${kServer}/closed"]
additional_properties = "refuse"
[tool."${kServer}/asserted"]
formats = "assert"
[tool."${kServer}/accepted"]
untranslatable_patterns = "accept"
`;
const kSecret = 'ZQ-hidden-8731';

/** The server was sent the arguments as they were written. */
function assertSent({ body }, given) {
  assert.ok(body.includes(`"arguments":${given}}`) || body.includes(`"arguments":${given},"_meta":`), body);
}

/** A name that policy cannot say is another one for all but its server. */
const aliasOf = (own) => (/^[\w.-]+$/.test(own) ? own : `${own.replace(/[^\w.-]/g, '_')}_${createHash('sha256').update(own).digest('hex').slice(0, 8)}`);

const decisionIdIn = (body) => /"decision_id":"([0-9a-f-]+)"/.exec(body)[1];

for (const era of ['legacy', 'modern']) {
  describe(`arguments and their schemas, ${era}`, () => {
    const versions = kVersions.filter((version) => (version === kModernVersion) === (era === 'modern'));
    let stage;
    before(async () => {
      stage = await SchemaStage.start({ era, tools: kTools, policy: kPolicy });
    });
    after(() => stage?.stop());

    /** Calls, and asserts that nothing reached the server; answers what the refusal says. */
    async function refuse(caller, tool, given, expected) {
      const before = stage.reached().length;
      const { response, body } = await caller.call(tool, given);
      const told = assertMisfit(caller, response, expected);
      assert.equal(stage.reached().length, before, 'it never left');
      return { told, body };
    }

    async function pass(caller, tool, given) {
      const before = stage.reached().length;
      const { response, body } = await caller.call(tool, given);
      assert.ok(response.result && !response.result.isError, body);
      assert.equal(stage.reached().length, before + 1);
      return stage.reached().at(-1);
    }

    for (const { name, connect } of [...kClients, kOlderClient].filter((client) => client.eras.includes(era) && client.name !== 'mcp-remote')) {
      it(`an official client is told: ${name}`, async () => {
        const connected = await connect(stage.gateway.url, bearer('untrusted'));
        const given = { path: 'a/b', limit: 3 };
        assert.equal(textOf(await connected.call('far_search', { ...given, text: 'ü' })), 'ü');
        assert.deepEqual(stage.reached().at(-1).message.params.arguments, { ...given, text: 'ü' });
        const before = stage.reached().length;
        const call = connected.call('far_search', { path: 'a', limit: kSecret });
        if (name === kOlderClient.name) {
          const error = await failureOf(call);
          assert.equal(error.code, -32602);
          assert.match(error.message, /\/limit: expected .*integer/);
        } else {
          const result = await call;
          assert.equal(result.isError, true);
          assert.match(result.content[0].text, /\/limit: expected .*integer/);
          assert.equal(result._meta['bartizan/denial'].reason, 'arguments_invalid');
        }
        assert.equal(stage.reached().length, before);
        const listed = (await connected.listTools()).map((tool) => tool.name);
        for (const [tool] of kUnusable) assert.ok(!listed.includes(`far_${tool}`), `${tool} is listed to nobody`);
        assert.ok(listed.includes('far_accepted') && listed.includes('far_search'));
        for (const [own] of kTaken) assert.ok(listed.includes(`far_${aliasOf(own)}`), own);
        await connected.close();
      });
    }

    for (const version of versions) {
      describe(version, () => {
        let caller;
        before(async () => {
          caller = await stage.caller('untrusted', version);
        });

        it('passes what fits, byte for byte', async () => {
          const given = '{ "path" : "\\u0061/b",\t"limit":1.0e1, "more":[1.50, "\\/", 12345678901234567890] }';
          assertSent(await pass(caller, 'search', given), given);
        });

        const kMisfits = [
          ['a missing member', '{}', '', 'required'],
          ['another type', `{"path":{"x":"${kSecret}"}}`, '/path', 'type'],
          ['a text that is too long', `{"path":"${kSecret.toLowerCase().replace(/[^a-z]/g, '/').padEnd(40, '/')}"}`, '/path', 'maxLength'],
          ['a text of another pattern', `{"path":"${kSecret}"}`, '/path', 'pattern'],
          ['a number that is too large', '{"path":"a","limit":987654321987}', '/limit', 'maximum'],
          ['a number by one', '{"path":"a","limit":11}', '/limit', 'maximum'],
          ['a number that is not an integer', '{"path":"a","limit":2.5}', '/limit', 'type'],
          ['none of the values', `{"path":"a","unit":"${kSecret}"}`, '/unit', 'enum'],
          ['not the value', `{"path":"a","exact":"${kSecret}"}`, '/exact', 'const'],
          ['an item of another type', `{"path":"a","tags":[{},"${kSecret}"]}`, '/tags/1', 'type'],
          ['a member of an item', `{"path":"a","tags":[{"kind":"${kSecret}"}]}`, '/tags/0/kind', 'maxLength'],
          ['items that are equal', `{"path":"a","tags":[{"kind":"x"},{"kind":"x"}]}`, '/tags', 'uniqueItems'],
          ['none of several schemas', `{"path":"a","either":"${kSecret}"}`, '/either', 'oneOf'],
          ['what must not be', `{"path":"a","not":"${kSecret}"}`, '/not', 'not'],
        ];
        for (const [what, given, pointer, keyword] of kMisfits) {
          it(`refuses ${what}`, async () => {
            const { told } = await refuse(caller, 'search', given, { reason: 'arguments_invalid', pointers: [pointer] });
            assert.equal(told.violations[0].keyword, keyword);
          });
        }

        it('says the same at every trust, and the value to nobody', async () => {
          const given = `{"path":"${kSecret}","limit":"${kSecret}","unit":"${kSecret}","tags":["${kSecret}"]}`;
          const answers = [];
          const told = [];
          for (const who of kTrusts) {
            const refused = await refuse(await stage.caller(who, version), 'search', given, {
              reason: 'arguments_invalid', pointers: ['/path', '/limit', '/unit', '/tags/0'],
            });
            answers.push(refused.body);
            told.push(refused.told.violations);
            const { reason, check, detail, category } = stage.decision(refused.told.decision_id);
            assert.deepEqual([reason, check, category], ['arguments_invalid', 'schema', 'validation']);
            assert.match(detail, /^argument \/path \(pattern\), \/limit \(type\)/);
          }
          for (const other of told) assert.deepEqual(other, told[0]);
          const shown = await runProgram('audit', 'show', decisionIdIn(answers[0]), stage.gateway.auditFile);
          assert.match(shown.stdout, /arguments_invalid/);
          assert.match(shown.stdout, /\/path \(pattern\)/);
          await stage.assertNowhere(kSecret, [...answers, shown.stdout]);
        });

        it('names eight places at most', async () => {
          const given = `{"path":"a","tags":[${Array.from({ length: 50 }, () => '1').join(',')}]}`;
          const { response } = await caller.call('search', given);
          assert.equal(refusalOf(response).violations.length, 8);
        });

        it('takes absent arguments for none', async () => {
          await refuse(caller, 'search', undefined, { reason: 'arguments_invalid', pointers: [''] });
          assert.equal((await pass(caller, 'free', undefined)).message.params.arguments, undefined);
        });

        it('refuses arguments that are no object', async () => {
          for (const given of ['[1]', '"x"', '1']) {
            const before = stage.reached().length;
            const { response } = await caller.call('free', given);
            assert.equal(response.error.code, -32602, given);
            assert.equal(stage.reached().length, before);
          }
        });

        it('refuses names that lead JavaScript elsewhere, unless the schema has them', async () => {
          const kReserved = [
            ['{"__proto__":{"admin":true}}', '/__proto__'],
            ['{"\\u005f_proto__":1}', '/__proto__'],
            ['{"a":[{"b":{"constructor":{"c":1}}}]}', '/a/0/b/constructor'],
            ['{"a":{"prototype":null}}', '/a/prototype'],
          ];
          for (const [given, pointer] of kReserved) {
            await refuse(caller, 'free', given, { reason: 'reserved_member', pointers: [pointer] });
          }
          const named = '{"__proto__":{"admin":true},"constructor":{"prototype":{}}}';
          assertSent(await pass(caller, 'reserving', named), named);
          // One that the schema names elsewhere is not named here.
          await refuse(caller, 'reserving', '{"constructor":{"__proto__":1}}', { reason: 'reserved_member', pointers: ['/constructor/__proto__'] });
          await pass(caller, 'free', '{"a":"__proto__","proto":1,"Constructor":2,"prototypes":3}');
        });

        it('refuses the row of the corpus', (context) => {
          const file = join(kCorpora, 'jsonrpc-mcp', 'messages.jsonl');
          if (!existsSync(file)) return context.skip(`no corpus at ${file}; set BARTIZAN_CORPORA`);
          const rows = readFileSync(file, 'utf8').split('\n').filter((line) => line.startsWith('{"id": "proto"'));
          const given = /"arguments":(.*)\}\}$/.exec(JSON.parse(rows[0]).raw)[1];
          return refuse(caller, 'free', given, { reason: 'reserved_member', pointers: ['/__proto__'] });
        });

        it('holds arguments against an overlay too, of which only the trusted are told', async () => {
          await pass(caller, 'guarded', '{"path":"a","limit":5,"unit":"kg"}');
          await refuse(caller, 'guarded', '{"path":"a","limit":11,"unit":"kg"}', { reason: 'arguments_invalid', pointers: ['/limit'] });
          for (const who of kTrusts) {
            const before = stage.reached().length;
            const { response, body } = await (await stage.caller(who, version)).call('guarded', '{"path":"a","limit":6,"unit":"kg"}');
            const told = response.error.data;
            assert.equal(response.error.code, era === 'modern' ? 40300 : -32000);
            assert.equal(told.reason, 'argument_refused');
            const isTrusted = who === 'verified' || who === 'system';
            assert.deepEqual(told.violations?.map(({ pointer }) => pointer), isTrusted ? ['/limit'] : undefined, who);
            if (!isTrusted) assert.ok(!body.includes('limit') && !body.includes('5 '), body);
            assert.equal(stage.reached().length, before);
            const { check, detail } = stage.decision(told.decision_id);
            assert.deepEqual([check, detail], ['schema', 'argument /limit (maximum)']);
          }
        });

        it('refuses members that the schema does not name, where policy wants that', async () => {
          await pass(caller, 'search', '{"path":"a","other":1}');
          await pass(caller, 'closed', '{"path":"a"}');
          await refuse(caller, 'closed', `{"path":"a","other":"${kSecret}"}`, { reason: 'arguments_invalid', pointers: ['/other'] });
          // Whoever made up a name may have put a value into it.
          const { told } = await refuse(caller, 'closed', `{"path":"a","${kSecret}":1}`, { reason: 'arguments_invalid', pointers: [`/${kSecret}`] });
          assert.match(stage.decision(told.decision_id).detail, /^argument \/\* \(/);
          await stage.assertNowhere(kSecret, []);
        });

        it('asserts formats, where policy wants that', async () => {
          await pass(caller, 'search', '{"path":"a","mail":"nobody"}');
          await pass(caller, 'asserted', '{"path":"a","mail":"ann@example.com"}');
          const { told } = await refuse(caller, 'asserted', '{"path":"a","mail":"nobody"}', { reason: 'arguments_invalid', pointers: ['/mail'] });
          assert.equal(told.violations[0].keyword, 'format');
        });

        it('goes without a pattern, where policy accepts that, and says so on record', async () => {
          await pass(caller, 'accepted', '{"word":"b","count":1}');
          const { decision, detail } = stage.lastDecision();
          assert.deepEqual([decision, detail], ['permit', 'not enforced: inputSchema: untranslatable_pattern at /properties/word/pattern']);
          await refuse(caller, 'accepted', '{"word":"b","count":"1"}', { reason: 'arguments_invalid', pointers: ['/count'] });
          await pass(caller, 'search', '{"path":"a"}');
          assert.equal(stage.lastDecision().detail ?? '', '');
        });

        for (const [own, given, misfit, pointer] of kTaken) {
          it(`has the tool ${own}`, async () => {
            const tool = aliasOf(own);
            const sent = await pass(caller, tool, given);
            assert.equal(sent.message.params.name, own);
            if (misfit !== undefined) await refuse(caller, tool, misfit, { reason: 'arguments_invalid', pointers: [pointer] });
          });
        }

        for (const [tool, flaw, detail] of kUnusable) {
          it(`has no tool whose schema cannot be used: ${tool}`, async () => {
            const before = stage.reached().length;
            const { response, body } = await caller.call(tool, '{}');
            assert.equal(response.error.code, era === 'modern' ? 40302 : -32000);
            assert.equal(response.error.data.reason, 'tool_quarantined');
            assert.ok(!body.includes(flaw), 'the untrusted are not told why');
            assert.equal(stage.reached().length, before);
            const decision = stage.decision(response.error.data.decision_id);
            assert.deepEqual([decision.reason, decision.detail], ['tool_quarantined', detail]);
            assert.ok((await stage.metric('bartizan_tools_unusable_total', `server="${kServer}",reason="${flaw}"`)) > 0);
            const { body: told } = await (await stage.caller('system', version)).call(tool, '{}');
            assert.ok(told.includes(flaw), told);
          });
        }
      });
    }
  });
}

describe('arguments in a policy that only observes', () => {
  let stage;
  before(async () => {
    stage = await SchemaStage.start({ era: 'modern', tools: kTools, policy: `${kPolicy}\n[policy]\nmode = "observe"\nuntil = 2099-12-31\n` });
  });
  after(() => stage?.stop());

  it('fit all the same, or go nowhere', async () => {
    const caller = await stage.caller('untrusted', kModernVersion);
    const kRefused = [
      ['search', '{}', 'arguments_invalid'],
      ['closed', '{"path":"a","other":1}', 'arguments_invalid'],
      ['free', '{"__proto__":1}', 'reserved_member'],
      ['guarded', '{"path":"a"}', 'argument_refused'],
      ['looks', '{}', 'tool_quarantined'],
    ];
    for (const [tool, given, reason] of kRefused) {
      assert.equal(refusalOf((await caller.call(tool, given)).response)?.reason, reason, tool);
    }
    assert.equal(stage.reached().length, 0);
    assert.ok((await caller.call('search', '{"path":"a"}')).response.result);
  });
});
