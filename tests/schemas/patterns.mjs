// Patterns, texts, and what Node's RegExp says of them, one JSON line for each pattern:
//
//   node patterns.mjs [COUNT] [SEED] | build/dev/bin/compare_patterns
//
// `verdict` is `u` for a pattern with that flag, `annex_b` for one that only works without (and for
// those that mix what either way knows, with nothing to compare), `error` for others. Each pattern comes with texts that were made to match it, these with
// a few changes, and others; `matches` says which do.
import { pathToFileURL } from 'node:url';

/** Equal for equal seeds, on every machine (mulberry32). */
class Random {
  constructor(seed) {
    this.state = seed >>> 0;
  }
  below(count) {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % count;
  }
  chance(percent) {
    return this.below(100) < percent;
  }
  pick(list) {
    return list[this.below(list.length)];
  }
}

// Characters that some reader treats in its own way: line ends, spaces, digits and letters beyond
// ASCII, what folds to ASCII, marks, joiners, what is not assigned and never was. None that Unicode
// took in after version 14, and no property that it changed since (ID_Continue): Node, ICU and RE2 are
// of different years, and what they say of these is a question to the calendar.
const kOdd = [
  ...'\0\t\n\v\f\r\x1c\x1f\x7f\x85\u00a0\u00ad\u1680\u180e\u2000\u200a\u200b\u200d\u2028\u2029\u202f\u205f\u3000\ufeff',
  ...'éßſ\u212aİıÀ÷\u0301\u0378\ud7ff\ue000\ufffd\uffffαΩЯאا٣अ।ー・あア漢가ªǅⅣ½€√☃‐“”＿ａ',
  ...'😀🏰🇪👍\u{1f3fd}𝒜𝟗𐐀\u{10ffff}\u{10fffe}\u{e0100}',
];
const kSigns = [...'^$\\.*+?()[]{}|/-,:;<>=!&#~@%\'"`_ '];
const kPlain = [...'aabbccxyzAZ0019'];
const kProperties = [
  ...['L', 'Lu', 'Letter', 'Ll', 'Lt', 'Lm', 'Lo', 'LC', 'M', 'Mn', 'N', 'Nd', 'Nl', 'No', 'P', 'Pc', 'Pd', 'Ps', 'punct'],
  ...['S', 'Sm', 'Sc', 'Sk', 'So', 'Z', 'Zs', 'Zl', 'Zp', 'C', 'Cc', 'Cf', 'Cn', 'Co', 'Cs', 'Decimal_Number', 'digit', 'Other'],
  ...['Any', 'ASCII', 'Assigned', 'Alphabetic', 'Alpha', 'Lowercase', 'Upper', 'White_Space', 'space', 'Emoji', 'Emoji_Presentation'],
  ...['Extended_Pictographic', 'ID_Start', 'XIDS', 'Hex_Digit', 'AHex', 'Dash', 'Math', 'Ideographic', 'Regional_Indicator'],
  ...['Script=Greek', 'sc=Grek', 'Script=Latin', 'sc=Cyrl', 'Script=Han', 'sc=Common', 'sc=Zyyy', 'sc=Zinh', 'scx=Deva'],
  ...['Script_Extensions=Hira', 'scx=Han', 'gc=L', 'General_Category=Nd', 'gc=Cased_Letter', 'gc=Unassigned'],
  // None that there is.
  ...['l', 'letter', 'Greek', 'Script=greek', 'sc=Latn ', 'IsL', 'Block=Latin', 'gc=', '=L', 'Foo', 'sc', 'Lu|Ll', '^L', 'emoji'],
];

class Generator {
  constructor(seed) {
    this.random = new Random(seed);
    this.groups = 0;
  }

  character() {
    const list = this.random.pick([kPlain, kPlain, kPlain, kSigns, kOdd]);
    return this.random.pick(list);
  }

  /** A character as a pattern may spell it; a few spellings only annex B knows, or nobody. */
  spelled(c, special) {
    const code = c.codePointAt(0);
    const hex = (digits) => code.toString(16).padStart(digits, '0');
    const ways = [];
    if (code <= 0xff) ways.push(`\\x${hex(2)}`);
    if (code <= 0xffff) ways.push(`\\u${hex(4)}`);
    if (code > 0xffff) ways.push([...Array(2).keys()].map((i) => `\\u${c.charCodeAt(i).toString(16)}`).join(''));
    ways.push(`\\u{${hex(this.random.pick([1, 6, 8]))}}`);
    if (code > 0 && code < 27) ways.push(`\\c${String.fromCharCode(code + this.random.pick([64, 96]))}`);
    const named = { '\t': '\\t', '\n': '\\n', '\v': '\\v', '\f': '\\f', '\r': '\\r', '\0': '\\0' }[c];
    if (named !== undefined) ways.push(named, named);
    if (this.random.chance(15)) return this.random.pick(ways);
    const isLetter = /^[0-9A-Za-z]$/.test(c);
    if (special.includes(c) || (this.random.chance(4) && (!isLetter || this.random.chance(5)))) return `\\${c}`;
    return c;
  }

  /** Each part is its pattern and a function that makes a text for it. */
  literal() {
    const c = this.character();
    return { source: this.spelled(c, '^$\\.*+?()[]{}|'), text: () => c };
  }

  shorthand() {
    const letter = this.random.pick([...'dDwWsS']);
    const members = { d: '0059', D: 'a٣ \n', w: 'aZ_0', W: 'é-ſ\u212a ', s: ' \t\u00a0\ufeff\u2028\u3000', S: 'a\u200b\u180eé' };
    return { source: `\\${letter}`, text: () => this.random.pick([...members[letter]]) };
  }

  property() {
    const name = this.random.pick(kProperties);
    const sign = this.random.pick(['p', 'p', 'P']);
    return { source: `\\${sign}{${name}}`, text: () => this.random.pick([...kOdd, ...kPlain]) };
  }

  members() {
    const roll = this.random.below(10);
    if (roll < 2) return this.shorthand();
    if (roll === 2) return this.property();
    const first = this.character();
    if (roll < 7) {
      const source = this.random.chance(3) ? '\\b' : this.spelled(first, '\\]-^');
      return { source, text: () => first };
    }
    const near = first === '\ud7ff' ? '\ue000' : String.fromCodePoint(Math.min(first.codePointAt(0) + 5, 0x10ffff));
    const other = this.random.chance(50) ? this.character() : near;
    const isOrdered = first.codePointAt(0) <= other.codePointAt(0) || this.random.chance(2);
    const [low, high] = isOrdered ? [first, other] : [other, first];
    return { source: `${this.spelled(low, '\\]-^')}-${this.spelled(high, '\\]-^')}`, text: () => this.random.pick([low, high]) };
  }

  class() {
    const parts = Array.from({ length: this.random.below(4) }, () => this.members());
    if (this.random.chance(4)) parts.push({ source: '-', text: () => '-' });
    const isNegated = this.random.chance(30);
    const source = `[${isNegated ? '^' : ''}${parts.map((part) => part.source).join('')}]`;
    if (isNegated || parts.length === 0) return { source, text: () => this.character() };
    return { source, text: () => this.random.pick(parts).text() };
  }

  group(depth) {
    const inner = this.alternatives(depth - 1);
    const roll = this.random.below(100);
    if (roll < 50) return { ...inner, source: `(?:${inner.source})` };
    this.groups += 1;
    if (roll < 75) return { ...inner, source: `(${inner.source})` };
    // Names are not used twice: editions of ECMA 262 differ on whether they may be.
    if (roll < 90) return { ...inner, source: `(?<n${this.groups}>${inner.source})` };
    const kind = this.random.pick(['?=', '?!', '?<=', '?<!']);
    return { source: `(${kind}${inner.source})`, text: () => '' };
  }

  atom(depth) {
    const roll = this.random.below(100);
    if (roll < 45) return this.literal();
    if (roll < 53) return this.shorthand();
    if (roll < 58) return this.property();
    if (roll < 74) return this.class();
    if (roll < 80) return { source: '.', text: () => this.character() };
    if (roll < 81 && this.groups > 0) return { source: this.random.pick(['\\1', '\\2', '\\k<n1>']), text: () => '' };
    if (depth > 0) return this.group(depth);
    return this.literal();
  }

  repetition(depth) {
    const atom = this.atom(depth);
    const low = this.random.below(4);
    const high = low + this.random.below(3);
    const [sign, least, most] = this.random.pick([
      ['*', 0, 3],
      ['+', 1, 3],
      ['?', 0, 1],
      [`{${low}}`, low, low],
      [`{${low},}`, low, low + 2],
      [`{${low},${high}}`, low, high],
      [`{0${low},${high}}`, low, high],
    ]);
    const times = () => least + this.random.below(most - least + 1);
    const text = () => Array.from({ length: times() }, () => atom.text()).join('');
    return { source: `${atom.source}${sign}${this.random.chance(15) ? '?' : ''}`, text };
  }

  term(depth) {
    const roll = this.random.below(100);
    if (roll < 5) return { source: this.random.pick(['^', '$', '\\b', '\\b', '\\B']), text: () => '' };
    return roll < 30 ? this.repetition(depth) : this.atom(depth);
  }

  sequence(depth) {
    const terms = Array.from({ length: this.random.below(5) }, () => this.term(depth));
    return { source: terms.map((term) => term.source).join(''), text: () => terms.map((term) => term.text()).join('') };
  }

  alternatives(depth) {
    const branches = Array.from({ length: this.random.chance(20) ? 2 : 1 }, () => this.sequence(depth));
    return { source: branches.map((branch) => branch.source).join('|'), text: () => this.random.pick(branches).text() };
  }

  /** With one character more, less, or another. */
  changed(text) {
    const characters = [...text];
    const at = this.random.below(characters.length + 1);
    characters.splice(at, this.random.below(2), ...(this.random.chance(60) ? [this.character()] : []));
    return characters.join('');
  }

  /** Around 1000, to which RE2 counts. */
  manyTimes() {
    const atom = this.random.pick([this.literal(), this.class(), this.shorthand()]);
    const many = 995 + this.random.below(10);
    const bounds = this.random.pick([`{${many}}`, `{3,${many}}`, `{${many},}`, `{${many},${many + 900}}`]);
    const text = (times) => Array.from({ length: times }, () => atom.text()).join('');
    return { pattern: `^${atom.source}${bounds}$`, texts: [2, many - 1, many, many + 1, many + 901].map(text) };
  }

  row() {
    this.groups = 0;
    if (this.random.chance(1)) return this.manyTimes();
    const inner = this.alternatives(2);
    const isWhole = this.random.chance(50);
    let pattern = isWhole ? `^${inner.source}$` : inner.source;
    if (this.random.chance(12)) pattern = this.changed(pattern);
    const texts = ['', this.character()];
    for (let i = 0; i < 3; ++i) {
      const text = inner.text();
      texts.push(text, this.changed(text), this.character() + text);
    }
    // Repetitions of repetitions take Node's RegExp exponential time, so texts are short.
    const short = texts.map((text) => [...text].slice(0, 14).join(''));
    return { pattern, texts: [...new Set(short)] };
  }
}

function compiled(pattern, flags) {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
}

/** What means something else without `u`, and in it means what a schema's author had in mind. */
const kOnlyWithU = /\\[upP]\{|\\u[dD][89a-fA-F]|[\u{10000}-\u{10ffff}]/u;

function judged({ pattern, texts }) {
  const withU = compiled(pattern, 'u');
  if (withU) return { pattern, verdict: 'u', texts, matches: texts.map((text) => withU.test(text)) };
  if (kOnlyWithU.test(pattern)) return { pattern, verdict: 'annex_b', texts: [], matches: [] };
  const without = compiled(pattern, '');
  if (!without) return { pattern, verdict: 'error', texts: [], matches: [] };
  const comparable = texts.filter((text) => !/[\u{10000}-\u{10ffff}]/u.test(text));
  return { pattern, verdict: 'annex_b', texts: comparable, matches: comparable.map((text) => without.test(text)) };
}

/** The rows of a seed, as JSON lines. */
export function* patternLines(count, seed) {
  const generator = new Generator(seed);
  for (let i = 0; i < count; ++i) yield `${JSON.stringify(judged(generator.row()))}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const count = Number(process.argv[2] ?? 4000);
  const seed = Number(process.argv[3] ?? 1);
  for (const line of patternLines(count, seed)) process.stdout.write(line);
}
