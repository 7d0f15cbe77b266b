// Generated 2020-12 schemas and values near them, judged by ajv. One line of JSON each:
//
//   {"schema":…,"values":[{"value":…,"valid":true},…]}    a schema and its values
//   {"refused":"…","schema":…}     a schema that ajv does not take
//
// A value that ajv fails to judge has `refused` in the place of `valid`.
//
//   node tests/schemas/schema_pairs.mjs [SCHEMAS [SEED]] | build/dev/bin/judge_schema_pairs
//
// What is left out is what ajv judges otherwise than the specification has it; the rows of
// json_schema_rows_test.cc say which verdict is right:
// - members named as what every JavaScript object has (`__proto__`, `toString`);
// - numbers that doubles hold inexactly: integers beyond 2^53, divisors that are no eighths;
// - an empty `enum`, which ajv refuses;
// - `required` of the empty name, which ajv never misses;
// - `unevaluatedItems` around `contains`, which ajv does not count as evaluation;
// - `if`, `dependentSchemas`, `items`, `additionalProperties`, `unevaluatedItems` and
//   `unevaluatedProperties` in a branch that fails, which it counts: a document has either the
//   unevaluated ones, in no branch, or these;
// - `contains` and an empty array, for which it takes the verdict of what came before;
// - keywords beside `$dynamicRef`, which it forgets;
// - `$dynamicRef` to what is not a `$dynamicAnchor` around it, which ajv takes for the root.
import { pathToFileURL } from 'node:url';

import Ajv2020 from 'ajv/dist/2020.js';

const kTypes = ['string', 'integer', 'number', 'object', 'array', 'boolean', 'null'];
const kNames = ['a', 'b', 'c', 'name', 'é', '日本', '', 'a/b', '~'];
const kTexts = ['', 'x', 'ab', 'é', '日本', '𝒳𝒳', 'e\u0301', '\n"\\', '\u2028', '12', 'a'.repeat(700)];
const kNumbers = [0, 1, 2, 3, 4, 5, 6, 12, -1, -2, -6, 0.5, 1.5, 0.125, 2.25, -0.5, 0.1, 0.3, 1e-7, 2 ** 31, 2 ** 42 + 1];
const kDivisors = [1, 2, 3, 5, 0.5, 0.25, 0.125, 1.5];
const kDefinitions = ['one', 'two', 'three'];
const kValuesOfSchema = 20;

/** Mulberry32: the same numbers in every run. */
export function choicesFrom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return (word ^ (word >>> 14)) >>> 0;
  };
  const below = (end) => next() % end;
  return {
    below,
    oneIn: (count) => below(count) === 0,
    pick: (values) => values[below(values.length)],
    some: (most, make) => Array.from({ length: 1 + below(most) }, make),
  };
}

/** JSON as people write it: `1.0` and `1e0` are integers too. */
export function spell(value, choices) {
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e6) {
    return `${value}${choices.oneIn(6) ? choices.pick(['.0', 'e0', '.00', 'E+0']) : ''}`;
  }
  if (Array.isArray(value)) return `[${value.map((item) => spell(item, choices)).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${spell(item, choices)}`);
  return `{${members.join(',')}}`;
}

class Schemas {
  constructor(choices) {
    this.choices = choices;
    this.isUnevaluated = choices.oneIn(2);
    this.branches = 0;
  }

  value(depth = 2) {
    const { choices } = this;
    switch (choices.below(depth === 0 ? 5 : 7)) {
      case 0:
        return null;
      case 1:
        return choices.oneIn(2);
      case 2:
      case 3:
        return choices.pick(kNumbers);
      case 4:
        return choices.pick(choices.oneIn(2) ? kTexts : kNames);
      case 5:
        return choices.some(3, () => this.value(depth - 1)).slice(choices.below(2));
      default:
        return Object.fromEntries(choices.some(3, () => [choices.pick(kNames), this.value(depth - 1)]));
    }
  }

  /** A reference leads to a definition that comes later, or goes into the value first: no cycles. */
  root() {
    const { choices } = this;
    const schema = this.keywords(3, 0);
    if (choices.oneIn(6)) schema.$schema = 'https://json-schema.org/draft/2020-12/schema';
    schema.$dynamicAnchor = 'node';
    schema.$defs = Object.fromEntries(
      kDefinitions.map((name, index) => {
        const definition = this.schema(2, index + 1);
        return [name, { ...(typeof definition === 'object' ? definition : {}), $anchor: `anchor-${name}` }];
      }),
    );
    if (choices.oneIn(4)) this.extend(schema);
    return schema;
  }

  /** A document of its own inside the schema, whose `$dynamicRef` leads to whoever refers to it. */
  extend(schema) {
    const inner = this.keywords(2, kDefinitions.length, 'inner');
    schema.$id = 'https://example.com/outer';
    schema.$defs.inner = { ...inner, $id: 'inner', $dynamicAnchor: 'node' };
    schema.$ref = 'inner';
  }

  /**
   * A reference among other keywords. `where`: 'beside' the value of its document, 'below'
   * it, or the same in the 'inner' document, which knows no definitions.
   */
  reference(from, where) {
    const { choices } = this;
    if (where === 'below' && choices.oneIn(6)) return { $ref: '#' };
    const later = where === 'below' ? kDefinitions : kDefinitions.slice(from);
    if (later.length === 0 || where.startsWith('inner')) return { type: choices.pick(kTypes) };
    const name = choices.pick(later);
    return { $ref: choices.oneIn(3) ? `#anchor-${name}` : `#/$defs/${name}` };
  }

  referenceAlone(from, where) {
    const isDynamic = where === 'inner below' || (where === 'below' && this.choices.oneIn(6));
    return isDynamic ? { $dynamicRef: '#node' } : this.reference(from, where);
  }

  schema(depth, from, where = 'beside') {
    const { choices } = this;
    if (choices.oneIn(5)) return this.referenceAlone(from, where);
    if (depth === 0 || choices.oneIn(4)) return choices.oneIn(6) ? {} : { type: choices.pick(kTypes) };
    if (choices.oneIn(14)) return choices.oneIn(2);
    return this.keywords(depth, from, where);
  }

  keywords(depth, from, where = 'beside') {
    const made = Object.assign({}, ...this.choices.some(4, () => this.keyword(depth - 1, from, where)));
    if ('contains' in made) made.minItems = 1 + this.choices.below(2);
    return made;
  }

  /** What `make` gives, inside of so many schemas that apply to the same value and may fail. */
  among(branches, make) {
    const around = this.branches;
    this.branches = branches;
    const made = make();
    this.branches = around;
    return made;
  }

  keyword(depth, from, where) {
    const { choices } = this;
    const below = () => this.among(0, () => this.schema(depth, from, where.startsWith('inner') ? 'inner below' : 'below'));
    const beside = () => this.schema(depth, from, where);
    const branch = () => this.among(this.branches + 1, beside);
    switch (choices.below(14)) {
      case 0:
        return { type: choices.oneIn(4) ? [...new Set(choices.some(3, () => choices.pick(kTypes)))] : choices.pick(kTypes) };
      case 1:
        return choices.oneIn(3) ? { const: this.value() } : { enum: choices.some(4, () => this.value()) };
      case 2:
        return choices.oneIn(4)
          ? { multipleOf: choices.pick(kDivisors) }
          : { [choices.pick(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'])]: choices.pick(kNumbers) };
      case 3:
        return { [choices.pick(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'])]: choices.below(4) };
      case 4:
      case 5:
        return this.arrayKeyword(below);
      case 6:
      case 7:
        return this.objectKeyword(below, beside);
      case 8:
      case 9:
        return this.isUnevaluated && this.branches === 0 ? this.unevaluatedKeyword(below, beside) : this.objectKeyword(below, beside);
      case 10:
        return this.reference(from, where);
      case 11:
        return { not: branch() };
      case 12:
        if (this.isUnevaluated) return { allOf: choices.some(2, beside) };
        return { if: branch(), ...(choices.oneIn(4) ? {} : { then: branch() }), ...(choices.oneIn(4) ? {} : { else: branch() }) };
      default:
        return { [choices.pick(['allOf', 'anyOf', 'oneOf'])]: choices.some(3, branch) };
    }
  }

  arrayKeyword(below) {
    const { choices } = this;
    switch (choices.below(this.isUnevaluated ? 3 : 5)) {
      case 0:
        return { uniqueItems: !choices.oneIn(5) };
      case 1:
      case 2:
        return { prefixItems: choices.some(3, below) };
      case 3:
        return { items: below() };
      default:
        return {
          contains: below(),
          ...(choices.oneIn(2) ? { minContains: choices.below(3) } : {}),
          ...(choices.oneIn(3) ? { maxContains: choices.below(4) } : {}),
        };
    }
  }

  objectKeyword(below, beside) {
    const { choices } = this;
    const names = () => [...new Set(choices.some(3, () => choices.pick(kNames)))];
    const namesNotEmpty = () => names().filter((name) => name !== '');
    switch (choices.below(8)) {
      case 0:
        return { required: namesNotEmpty() };
      case 1:
        return this.isUnevaluated ? { minProperties: choices.below(3) } : { additionalProperties: below() };
      case 2:
        return { propertyNames: choices.oneIn(2) ? { maxLength: choices.below(4) } : { enum: names() } };
      case 3:
        return { dependentRequired: { [choices.pick(kNames)]: namesNotEmpty() } };
      case 4:
        return this.isUnevaluated ? { required: namesNotEmpty() } : { dependentSchemas: { [choices.pick(kNames)]: beside() } };
      default:
        return { properties: Object.fromEntries(names().map((name) => [name, below()])) };
    }
  }

  /** Rarely alone: beside something that evaluates. */
  unevaluatedKeyword(below, beside) {
    const { choices } = this;
    const schema = choices.oneIn(2) ? false : below();
    if (choices.oneIn(2)) return { unevaluatedItems: schema, ...(choices.oneIn(2) ? this.arrayKeyword(below) : {}) };
    return { unevaluatedProperties: schema, ...(choices.oneIn(2) ? this.objectKeyword(below, beside) : {}) };
  }
}

/** Values that fit a schema as far as is known, and then changes of them. */
class Values {
  constructor(schemas, root) {
    this.schemas = schemas;
    this.choices = schemas.choices;
    this.root = root;
  }

  near() {
    let value = this.fitting(this.root, 5);
    for (let left = this.choices.below(3); left > 0; --left) value = this.changed(value);
    return value;
  }

  resolved(reference) {
    if (reference === '#' || reference === '#node') return this.root;
    if (reference === 'inner') return this.root.$defs.inner;
    return this.root.$defs[reference.split(/[/-]/).at(-1)];
  }

  fitting(schema, depth) {
    const { choices } = this;
    if (typeof schema !== 'object' || depth <= 0) return this.schemas.value(1);
    if ('const' in schema) return schema.const;
    if (schema.enum) return choices.pick(schema.enum);
    let value = this.fittingType(schema, depth);
    const reference = schema.$ref ?? schema.$dynamicRef;
    const branches = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
    if (reference) branches.push(this.resolved(reference));
    for (const keyword of ['if', 'then', 'else', 'not']) if (keyword in schema) branches.push(schema[keyword]);
    branches.push(...Object.values(schema.dependentSchemas ?? {}));
    for (const branch of branches) {
      if (choices.oneIn(3)) continue;
      const fitted = this.fitting(branch, depth - 1);
      const isMerged = [value, fitted].every((side) => side !== null && typeof side === 'object' && !Array.isArray(side));
      if (isMerged) value = { ...fitted, ...value };
      else if (!choices.oneIn(3)) value = fitted;
    }
    return value;
  }

  fittingType(schema, depth) {
    const { choices } = this;
    const has = (...keywords) => keywords.some((keyword) => keyword in schema);
    const type = Array.isArray(schema.type) ? choices.pick(schema.type) : schema.type;
    const bounds = [schema.minimum, schema.maximum, schema.exclusiveMinimum, schema.exclusiveMaximum].filter(Number.isFinite);
    if (type === 'boolean') return choices.oneIn(2);
    if (type === 'null') return null;
    if (type === 'string' || (!type && has('minLength', 'maxLength'))) {
      const text = choices.oneIn(2) ? choices.pick(kTexts) : 'é𝒳z'.repeat(3);
      return has('minLength', 'maxLength') ? [...text].slice(0, (schema.minLength ?? schema.maxLength) + choices.below(3)).join('') : text;
    }
    if (type === 'object' || (!type && has('properties', 'required', 'additionalProperties', 'unevaluatedProperties', 'dependentRequired', 'dependentSchemas', 'propertyNames', 'minProperties'))) {
      return this.fittingObject(schema, depth);
    }
    if (type === 'array' || (!type && has('items', 'prefixItems', 'contains', 'unevaluatedItems', 'uniqueItems', 'minItems', 'maxItems'))) {
      return this.fittingArray(schema, depth);
    }
    if (type || bounds.length > 0 || schema.multipleOf) {
      if (schema.multipleOf && choices.oneIn(2)) return schema.multipleOf * (choices.below(9) - 2);
      return bounds.length > 0 && Math.abs(bounds[0]) < 100 ? choices.pick(bounds) + choices.pick([-1, 0, 0.125, 1]) : choices.pick(kNumbers);
    }
    return this.schemas.value(2);
  }

  fittingObject(schema, depth) {
    const { choices } = this;
    const known = Object.keys(schema.properties ?? {}).filter(() => !choices.oneIn(3));
    const others = choices.oneIn(2) ? choices.some(2, () => choices.pick(kNames)) : [];
    const names = [...(schema.required ?? []), ...known, ...Object.keys(schema.dependentSchemas ?? {}), ...others];
    const member = (name) => schema.properties?.[name] ?? schema.additionalProperties ?? schema.unevaluatedProperties ?? true;
    return Object.fromEntries([...new Set(names)].map((name) => [name, this.fitting(member(name), depth - 1)]));
  }

  fittingArray(schema, depth) {
    const { choices } = this;
    const count = (schema.minItems ?? schema.prefixItems?.length ?? 0) + choices.below(4);
    return Array.from({ length: count }, (_, index) => {
      if ('contains' in schema && choices.oneIn(2)) return this.fitting(schema.contains, depth - 1);
      return this.fitting(schema.prefixItems?.[index] ?? schema.items ?? schema.unevaluatedItems ?? true, depth - 1);
    });
  }

  changed(value) {
    const { choices } = this;
    if (choices.oneIn(3) || value === null || typeof value === 'boolean') return this.schemas.value(1);
    if (typeof value === 'string') return choices.oneIn(2) ? `${value}é` : [...value].slice(1).join('');
    if (typeof value === 'number') return choices.pick(kNumbers);
    if (Array.isArray(value)) {
      if (value.length === 0 || choices.oneIn(3)) return [...value, value.length > 0 ? choices.pick(value) : this.schemas.value(1)];
      const index = choices.below(value.length);
      return choices.oneIn(3) ? value.toSpliced(index, 1) : value.with(index, this.changed(value[index]));
    }
    const names = Object.keys(value);
    if (names.length === 0 || choices.oneIn(3)) return { ...value, [choices.pick(kNames)]: this.schemas.value(1) };
    const name = choices.pick(names);
    if (!choices.oneIn(3)) return { ...value, [name]: this.changed(value[name]) };
    return Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
  }
}

/** Some of the programs that ajv writes use variables that they do not declare. */
function judgedValue(validate, value) {
  try {
    return `{"value":${value},"valid":${validate(JSON.parse(value))}}`;
  } catch (thrown) {
    return `{"refused":${JSON.stringify(thrown.message)},"value":${value}}`;
  }
}

function lineOf(ajv, seed) {
  const choices = choicesFrom(seed);
  const schemas = new Schemas(choices);
  const root = schemas.root();
  const text = spell(root, choices);
  let validate;
  try {
    validate = ajv.compile(JSON.parse(text));
    ajv.removeSchema(validate.schema);
  } catch (thrown) {
    return `{"refused":${JSON.stringify(thrown.message)},"schema":${text}}`;
  }
  const values = new Values(schemas, root);
  const judged = Array.from({ length: kValuesOfSchema }, () => judgedValue(validate, spell(values.near(), choices)));
  return `{"schema":${text},"values":[${judged.join(',')}]}`;
}

/** Lines for `count` schemas, from a seed on. */
export function* schemaPairs(count, seed = 1) {
  const options = { strict: false, validateFormats: false, logger: false };
  const ajv = new Ajv2020.default(options);
  for (let index = 0; index < count; ++index) yield lineOf(ajv, seed + index);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [count, seed] = [Number(process.argv[2] ?? 1000), Number(process.argv[3] ?? 1)];
  for (const line of schemaPairs(count, seed)) process.stdout.write(`${line}\n`);
}
