// Tools of a server that means harm, each one schema and what becomes of it: unusable, with the flaw
// that is told, or usable, with calls that are judged as anybody's. All of them stand in one list beside
// an honest tool.
import { toolText } from './schema_stage.mjs';

const kDraft = 'https://json-schema.org/draft/2020-12/';
const repeat = (count, text) => Array.from({ length: count }, (_, i) => (typeof text === 'function' ? text(i) : text)).join(',');
const object = (members) => `{"type":"object",${members}}`;

export const kHonest = toolText('honest', object('"required":["text"],"properties":{"text":{"type":"string"}}'));

/** `$defs` in which each schema applies the next one twice: as many steps as there are paths. */
const doubling = (depth) =>
  `"$defs":{${repeat(depth, (i) => `"a${i}":{"allOf":[{"$ref":"#/$defs/a${i + 1}"},{"$ref":"#/$defs/a${i + 1}"}]}`)},"a${depth}":{}}`;

/** One schema inside another, `depth` times. */
export function nested(depth) {
  return `{"type":"object","properties":{"a":${'{"not":'.repeat(depth)}{}${'}'.repeat(depth)}}}`;
}

/** Schemas that nobody can use, by the flaw that is told. `url` is where somebody would listen. */
export function unusableTools(url) {
  const reference = (to) => object(`"properties":{"a":{"$ref":${JSON.stringify(to)}}}`);
  const rows = {
    too_large: {
      pattern_of_patterns: object('"properties":{"a":{"pattern":"((((((a{100}){100}){100}){100}){100}){100}){100}"}}'),
      pattern_times_pattern: object('"properties":{"a":{"pattern":"(a{1000}){1000}"}}'),
      members_100000: object(`"properties":{${repeat(100_000, (i) => `"p${i}":{}`)}}`),
      one_of_100000: object(`"oneOf":[${repeat(100_000, 'true')}]`),
      one_of_20000: object(`"oneOf":[${repeat(20_000, '{}')}]`),
      enum_of_everything: object(`"properties":{"a":{"enum":[${repeat(60_000, (i) => `${i}`)}]}}`),
      many_patterns: object(`"properties":{${repeat(2000, (i) => `"p${i}":{"pattern":"^[a-z]{0,${900 + (i % 100)}}$"}`)}}`),
    },
    endless: {
      loop: object('"$ref":"#"'),
      mutual: object('"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}'),
      loop_below: object('"properties":{"a":{"anyOf":[{"$ref":"#/properties/a"}]}}'),
      loop_if: object('"if":{"$ref":"#"},"then":false'),
      loop_not: object('"not":{"$ref":"#"}'),
      loop_dependent: object('"dependentSchemas":{"a":{"$ref":"#"}}'),
      loop_dynamic: object('"$dynamicAnchor":"x","$dynamicRef":"#x"'),
      loop_anchor: object('"$anchor":"x","allOf":[{"$ref":"#x"}]'),
    },
    too_deep: {
      chain: object(`"$ref":"#/$defs/a0","$defs":{${repeat(500, (i) => `"a${i}":{"$ref":"#/$defs/a${i + 1}"}`)},"a500":{}}`),
    },
    external_reference: {
      http: reference(`${url}/schema.json`),
      https_with_user: reference(`${url.replace('http:', 'https:').replace('//', '//user:secret@')}/schema.json`),
      authority_only: object(`"$id":"http://schemas.example.com/","properties":{"a":{"$ref":${JSON.stringify(`${url.slice(5)}/x.json`)}}}`),
      file: reference('file:///etc/hostname'),
      relative: reference('other.json'),
      relative_to_id: object(`"$id":"${url}/base/schema.json","properties":{"a":{"$ref":"other.json"}}`),
      dynamic: object(`"properties":{"a":{"$dynamicRef":"${url}/dynamic.json"}}`),
      urn: reference('urn:example:schema'),
      unknown_of_ours: reference(`${kDraft}meta/no-such`),
    },
    unresolved_reference: {
      pointer_to_nothing: reference('#/$defs/none'),
      anchor_to_nothing: reference('#none'),
      pointer_into_no_schema: reference('#/properties/b/c/d/e'),
    },
    unknown_dialect: {
      remote_dialect: object(`"$schema":"${url}/dialect.json"`),
      vocabulary_alone: object('"$schema":"https://json-schema.org/draft/2020-12/meta/core","required":["a"]'),
      draft_03: object('"$schema":"http://json-schema.org/draft-03/schema#"'),
      dialect_of_nothing: object('"$schema":"nonsense"'),
    },
    invalid_keyword: {
      unknown_type: object('"properties":{"a":{"type":"objekt"}}'),
      list_of_properties: object('"properties":[1]'),
      number_as_text: object('"properties":{"a":{"minimum":"3"}}'),
      required_numbers: object('"required":[1]'),
      negative_length: object('"properties":{"a":{"maxLength":-1}}'),
      multiple_of_zero: object('"properties":{"a":{"multipleOf":0}}'),
      schema_is_text: object('"properties":{"a":"yes"}'),
      null_reference: object('"properties":{"a":{"$ref":null}}'),
    },
    untranslatable_pattern: {
      looks_ahead: object('"properties":{"a":{"pattern":"^a*(?=.*b)a"}}'),
      looks_behind: object('"properties":{"a":{"pattern":"(?<!b)a"}}'),
      no_pattern: object('"properties":{"a":{"pattern":"("}}'),
      refers_back: object('"patternProperties":{"(a)\\\\1":{}}'),
    },
  };
  return Object.entries(rows).flatMap(([flaw, schemas]) => Object.entries(schemas).map(([name, schema]) => ({ name, flaw, text: toolText(name, schema) })));
}

const kDots = 'a'.repeat(10_000);
const text = (value) => JSON.stringify(value);
const kExponential = ['^(a+)+$', '^(a|aa)+$', '^(a|a?)+$', '(a+a+)+b$', '^(([a-z])+.)+[A-Z]([a-z])+$', '^(?:a?){50}a{50}$', '(.*a){30}$'];

/**
 * Schemas that look dangerous and are not: `fits` are arguments that reach the server, `misfits` those that
 * do not, `costly` those that are not judged to the end.
 */
export function usableTools(url) {
  const rows = {
    ...Object.fromEntries(kExponential.map((pattern, i) => [
      `exponential_${i}`, { schema: object(`"properties":{"a":{"pattern":${text(pattern)}}}`), misfits: [`{"a":"${kDots}!"}`, `{"a":"${'!a'.repeat(5_000)}!"}`] },
    ])),
    doubling: { schema: object(`"properties":{"a":{"$ref":"#/$defs/a0"}},${doubling(30)}`), fits: ['{}'], costly: ['{"a":1}'] },
    doubling_of_all: { schema: object(`"$ref":"#/$defs/a0",${doubling(30)}`), costly: ['{}'] },
    many_patterns_of_one: {
      schema: object(`"properties":{"a":{"allOf":[${repeat(60, (i) => `{"pattern":"^[ab]{${i}}"}`)}]}}`),
      fits: [`{"a":"${'a'.repeat(2_000)}"}`], costly: [`{"a":"${'a'.repeat(100_000)}"}`],
    },
    unique_objects: {
      schema: object('"properties":{"a":{"uniqueItems":true}}'),
      fits: [`{"a":[${repeat(20_000, (i) => `{"n":${i}}`)}]}`], misfits: [`{"a":[${repeat(20_000, (i) => `[${i % 19_999}]`)}]}`],
    },
    recursive: {
      schema: object('"properties":{"a":{"$ref":"#"}},"additionalProperties":false'),
      fits: ['{"a":'.repeat(50) + '{}' + '}'.repeat(50)], misfits: ['{"a":'.repeat(50) + '{"b":1}' + '}'.repeat(50)],
    },
    nested_40: { schema: nested(40), fits: ['{"a":1}'] },
    nested_41: { schema: nested(41), misfits: ['{"a":1}'] },
    large_enum: { schema: object(`"properties":{"a":{"enum":[${repeat(9000, (i) => `"v${i}"`)}]}}`), fits: ['{"a":"v8999"}'], misfits: ['{"a":"v9000"}'] },
    many_names: {
      schema: object(`"properties":{${repeat(9000, (i) => `"p${i}":{"type":"integer"}`)}},"additionalProperties":false`),
      fits: [`{${repeat(9000, (i) => `"p${i}":${i}`)}}`], misfits: [`{${repeat(9001, (i) => `"p${i}":${i}`)}}`],
    },
    garbage: {
      schema: object(`"":[],"\\u0000":{"$ref":"${url}/x"},"💥":{"type":"objekt"},"properties ":7,"x-$ref":"file:///etc","const ":1,"$comment":"${'x'.repeat(9000)}","properties":{"$ref":{"type":"integer"}}`),
      fits: ['{"$ref":1}'], misfits: ['{"$ref":"1"}'],
    },
    names_of_javascript: {
      schema: '{"type":"object","properties":{"__proto__":{"type":"object"},"hasOwnProperty":{"type":"integer"},"toString":{"type":"integer"}}}',
      fits: ['{"toString":1,"__proto__":{}}'], misfits: ['{"toString":"1"}', '{"hasOwnProperty":{}}'],
    },
    id_alone: { schema: object(`"$id":"${url}/id.json","properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}`), fits: ['{"a":1}'], misfits: ['{"a":"1"}'] },
    metaschema_of_all: {
      schema: object(`"properties":{"schema":{"$ref":"${kDraft}schema"}}`),
      fits: ['{"schema":{"type":"string"}}', '{"schema":true}'], misfits: ['{"schema":{"type":"objekt"}}', '{"schema":7}', '{"schema":{"items":{"minimum":"x"}}}'],
    },
  };
  return Object.entries(rows).map(([name, { schema, ...calls }]) => ({ name, ...calls, text: toolText(name, schema) }));
}

/**
 * Schemas that say to be what others are held against. To its own references a schema is what it says, and
 * to nobody else's; a dialect of its own it cannot bring, which is the `flaw`. `fits` and `misfits` as above.
 */
export const kPosers = [
  ['poses_as_metaschema', `"$id":"${kDraft}schema","$dynamicAnchor":"meta","properties":{"type":true}`, { fits: ['{"type":"objekt"}'] }],
  ['poses_as_vocabulary', `"$id":"${kDraft}meta/validation","$dynamicAnchor":"meta","additionalProperties":true`, { fits: ['{"minimum":"x"}'] }],
  ['poses_as_draft_07', '"$id":"http://json-schema.org/draft-07/schema#"', { fits: ['{"type":"objekt"}'] }],
  ['poses_below', `"$defs":{"x":{"$id":"${kDraft}schema","type":"integer"}},"properties":{"a":{"$ref":"${kDraft}schema"}}`, { fits: ['{"a":7}'], misfits: ['{"a":{}}'] }],
  ['poses_as_dialect', '"$id":"https://schemas.example.com/d","$schema":"https://schemas.example.com/d"', { flaw: 'unknown_dialect' }],
  ['poses_as_dialect_below', '"$defs":{"x":{"$id":"https://schemas.example.com/d","$schema":"https://schemas.example.com/d"}}', { flaw: 'unknown_dialect' }],
].map(([name, members, verdict]) => ({ name, text: toolText(name, object(members)), fits: [], misfits: [], ...verdict }));

/** Entries that are no tools, by name, with what the record, the log and `check --servers` say of each. */
export const kMisshapen = [
  ['schemaless', '{"name":"schemaless"}', 'inputSchema is not of type object'],
  ['schema_of_text', toolText('schema_of_text', '{"type":"string"}'), 'inputSchema is not of type object'],
  ['numbered', '{"name":"numbered","description":7,"inputSchema":{"type":"object"}}', "a member of another type than the protocol's"],
  ['header', toolText('header', object('"properties":{"a":{"type":"string","x-mcp-header":"a b"}}')), 'invalid x-mcp-header annotation'],
].map(([name, text, flaw]) => ({ name, text, flaw }));
