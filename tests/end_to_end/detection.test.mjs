// The rules of docs/detection find what they are for in the samples there, and in none of the others; what a
// gateway of now exports in the same situations is as the samples are.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { before, describe, it } from 'node:test';

import { kSamples, makeSample } from './detection_samples.mjs';
import { kFixtures, kTestsDirectory, temporaryDirectory } from './harness.mjs';

const kFolder = join(kTestsDirectory, '..', 'docs', 'detection');
const kPrograms = join(kTestsDirectory, '..', 'build', 'python', 'bin');
const kSkip = existsSync(join(kPrograms, 'sigma')) ? false : 'no Python programs: tests/install_python.sh installs them';
const kSchema = JSON.parse(readFileSync(join(kFolder, '..', 'record.schema.json'), 'utf8'));
/** What an export puts in front of a record. */
const kDerived = ['instance', 'chain_id', 'class', 'severity', 'technique'];
/** As many gateways at once as start without keeping one another. */
const kAtOnce = 3;

/** The samples that each rule finds something in. */
const kMatches = {
  'credential-guessing': ['08-credential-guessing'],
  'destructive-command': ['12-destructive-command'],
  'path-traversal': ['04-path-traversal'],
  'private-url': ['14-private-url'],
  'record-damaged': ['18-record-damaged'],
  'refused-call-burst': ['03-refused-call-burst'],
  'secret-in-traffic': ['05-secret-masked', '06-result-withheld'],
  'tool-definition-quarantined': ['07-tool-definition-changed'],
};

function run(program, given, input = '') {
  return new Promise((done, fail) => {
    const child = execFile(join(kPrograms, program), given, { maxBuffer: 16 << 20 }, (error, stdout, stderr) =>
      error ? fail(new Error(`${program} ${given.join(' ')}: ${stdout}${stderr}`)) : done(stdout),
    );
    child.stdin.end(input);
  });
}

const runFixture = async (name, given) => JSON.parse(await run('python', [join(kFixtures, name)], JSON.stringify(given)));
const namesOf = (extension) => readdirSync(kFolder).filter((name) => name.endsWith(extension)).map((name) => basename(name, extension)).sort();
const fileOf = (name) => join(kFolder, `${name}.jsonl`);
const linesOf = (name) => readFileSync(fileOf(name), 'utf8').split('\n').slice(0, -1);

/** All samples as a gateway of now exports them. */
async function makeSamples() {
  const made = {};
  const names = Object.keys(kSamples);
  const work = async () => {
    for (let name = names.shift(); name; name = names.shift()) made[name] = await makeSample(name);
  };
  await Promise.all(Array.from({ length: kAtOnce }, work));
  return Object.fromEntries(Object.keys(kSamples).map((name) => [name, made[name]]));
}

/** What of a record tells the situation: all but times, numbers, digests and places. */
function gistOf({ kind, class: of, severity, technique, principal, decision, reason, target, outcome, approval, redacted, warnings }) {
  return JSON.stringify({ kind, class: of, severity, technique, principal, decision, reason, target, outcome, approval, redacted, warnings });
}

const kLine = /^\{"instance":"gw-1","chain_id":"([0-9a-f]{64})","class":"[a-z_]+","severity":"[a-z]+",(?:"technique":"AML\.T\d{4}",)?("v":1,.*),"seq":(\d+),"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}$/u;
const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

/** Holds a line to docs/record-format.md; answers its place in the chain. */
function verify(line) {
  const [, chain, body, digits, prev, hash] = kLine.exec(line) ?? assert.fail(`no exported record: ${line}`);
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(digits));
  assert.equal(sha256(Buffer.from(prev, 'hex'), number, sha256(body)).toString('hex'), hash, line);
  return { chain, seq: Number(digits), prev, hash };
}

/** Holds the lines of a sample to one another. */
function verifySample(lines) {
  const places = lines.map(verify);
  assert.deepEqual([places[0].seq, places[0].prev], [1, '0'.repeat(64)]);
  for (const [at, { chain, seq, prev }] of places.entries()) {
    assert.equal(chain, places[0].hash);
    const before = places[at - 1];
    if (before?.seq === seq - 1) assert.equal(prev, before.hash, `record ${seq}`);
  }
}

/** The queries of all rules, by the name of the rule. */
async function convertRules() {
  const made = {};
  // One at a time: to a folder, sigma writes conditions instead of queries.
  for (const name of namesOf('.yml')) made[name] = await run('sigma', ['convert', '-t', 'sqlite', '-O', 'table=record', '-O', 'timestamp_field=time', join(kFolder, `${name}.yml`)]);
  return made;
}

describe('rules for what gateways export', { skip: kSkip }, () => {
  let made;
  let queries;
  before(async () => {
    [made, queries] = await Promise.all([makeSamples(), convertRules()]);
    if (process.env.BARTIZAN_DETECTION === 'rewrite') {
      for (const [name, lines] of Object.entries(made)) writeFileSync(fileOf(name), `${lines.join('\n')}\n`);
    }
  });

  const matches = (samples) => {
    const records = Object.fromEntries(Object.entries(samples).map(([name, lines]) => [name, lines.map((line) => JSON.parse(line))]));
    return runFixture('match_sigma.py', { queries, samples: records, columns: [...kDerived, ...Object.keys(kSchema.properties)] });
  };
  const samplesOfFolder = () => Object.fromEntries(namesOf('.jsonl').map((name) => [name, linesOf(name)]));

  it('are valid Sigma', async () => {
    assert.deepEqual(namesOf('.yml'), Object.keys(kMatches));
    await run('sigma', ['check', '--fail-on-issues', kFolder]);
  });

  it('find what they are for in the samples, and nothing in others', async () => {
    assert.deepEqual(namesOf('.jsonl'), Object.keys(kSamples));
    assert.deepEqual(await matches(samplesOfFolder()), kMatches);
  });

  it('find it in what a gateway of now exports', async () => {
    assert.deepEqual(await matches(made), kMatches);
  });

  it('have samples that are as a gateway of now exports them', () => {
    const gistsOf = (lines) => lines.map((line) => gistOf(JSON.parse(line)));
    for (const [name, lines] of Object.entries(made)) {
      assert.deepEqual(gistsOf(linesOf(name)), gistsOf(lines), `${name}: BARTIZAN_DETECTION=rewrite writes the samples anew`);
    }
  });

  it('have a page that says what each of them finds', () => {
    const page = readFileSync(join(kFolder, 'README.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `([a-z-]+)\.yml` \|.*\| ([\d, ]+) \|$/gmu)];
    const told = Object.fromEntries(rows.map(([, name, numbers]) => [name, numbers.split(', ')]));
    assert.deepEqual(told, Object.fromEntries(Object.entries(kMatches).map(([name, samples]) => [name, samples.map((sample) => sample.slice(0, 2))])));
    const listed = [...page.matchAll(/^\| \[\d\d\]\((\d\d-[a-z-]+)\.jsonl\) \|/gmu)].map(([, name]) => name);
    assert.deepEqual(listed, Object.keys(kSamples));
  });

  it('have samples whose hashes agree, and that tell nothing of the machine', () => {
    for (const [name, lines] of [...Object.entries(samplesOfFolder()), ...Object.entries(made)]) {
      verifySample(lines);
      const text = lines.join('\n');
      assert.doesNotMatch(text, /\/(?:etc|home|opt|root|srv|tmp|usr|var|work)\//u, name);
      for (const place of [tmpdir(), kTestsDirectory]) assert.ok(!text.includes(place), `${name}: ${place}`);
      assert.ok(lines.length <= 20, `${name} has ${lines.length} lines`);
    }
    const changed = linesOf('02-refused-call').map((line) => line.replace('"decision":"deny"', '"decision":"permit"'));
    assert.throws(() => verifySample(changed), 'a refusal that somebody changed into a permit');
  });

  it('have samples that fit the schema of the record', async () => {
    const withoutDerived = (line) => Object.fromEntries(Object.entries(JSON.parse(line)).filter(([key]) => !kDerived.includes(key)));
    const records = Object.values(samplesOfFolder()).flat().map(withoutDerived);
    // Members that the schema does not know are told here alone: readers of the record leave them out.
    const schema = { ...kSchema, additionalProperties: false };
    assert.deepEqual(await runFixture('validate_records.py', { schema, records }), []);
    const { kind, ...incomplete } = records[0];
    assert.equal((await runFixture('validate_records.py', { schema, records: [incomplete] })).length, 1, `a record without ${kind}`);
  });
});
