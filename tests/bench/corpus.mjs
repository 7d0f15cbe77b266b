// How much of real files is masked that is no secret: thousands of files that nobody here wrote, of
// packages that the tests install anyway, each as the text of a result. What was masked is known by
// its digest: corpus_reviewed.txt says which of it somebody looked at, and what it was.
//
//   node tests/bench/corpus.mjs [FAMILY]    the spans themselves: DIGEST DETECTOR LINE:COLUMN FILE
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { isUtf8 } from 'node:buffer';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

import { benchProgram, say } from './processes.mjs';

const kFilesMin = 2000;
const kKindsMin = 30;
const kOfKindMax = 150;
const kFileBytesMax = 256 * 1024;
const kUnpacked = 'build/bench/corpus';
const kReviewed = 'tests/bench/corpus_reviewed.txt';

function run(command, words, input) {
  const { status, stdout, stderr } = spawnSync(command, words, { input, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${command}: ${stderr.trim()}`);
  return stdout;
}

/** The Debian packages that the lists in deploy/ name, with all that these depend on. */
function debianPackages() {
  const depends = new Map();
  for (const line of run('dpkg-query', ['-W', '-f', '${Package}\t${Depends}\n']).split('\n')) {
    const [name, list = ''] = line.split('\t');
    if (name) depends.set(name, list.split(/[,|]/).map((one) => one.trim().split(/[ :]/)[0]));
  }
  const lists = ['build', 'test'].map((list) => readFileSync(`deploy/packages_${list}.txt`, 'utf8'));
  const wanted = lists.join('\n').split('\n').map((line) => line.split(' ')[0]).filter((name) => /^[a-z]/.test(name));
  const packages = new Set();
  for (const name of wanted) {
    if (!depends.has(name) || packages.has(name)) continue;
    packages.add(name);
    wanted.push(...depends.get(name));
  }
  return [...packages];
}

function debianFiles() {
  const folders = /^\/(etc|usr\/(include|lib|share))\//;
  return run('dpkg', ['-L', ...debianPackages()]).split('\n').filter((name) => folders.test(name));
}

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

/** What a file is, by its name: its extension, or the name of those that have none. */
function kindOf(path) {
  const name = basename(path).replace(/\.gz$/, '').toLowerCase();
  if (/^(readme|license|licence|copying|changelog|changes|news|authors|notice|todo|makefile|copyright)/.test(name)) return /^[a-z]+/.exec(name)[0];
  if (/\/man\/[^/]*man\d\//.test(path) || /\/man\d\//.test(path)) return 'manual page';
  if (name.startsWith('.')) return name;
  const kind = extname(name).slice(1);
  return kind || (path.startsWith('/etc/') ? 'configuration' : 'no extension');
}

const digestOf = (text) => createHash('sha256').update(text).digest('hex');

/** The path of a text, unpacked where it was packed; nothing where it is none. */
function textAt(path) {
  if (!existsSync(path) || !lstatSync(path).isFile()) return undefined;
  if (lstatSync(path).size > kFileBytesMax) return undefined;
  const isPacked = path.endsWith('.gz');
  const bytes = isPacked ? gunzipSync(readFileSync(path)) : readFileSync(path);
  if (bytes.length === 0 || bytes.length > kFileBytesMax || bytes.includes(0) || !isUtf8(bytes)) return undefined;
  if (!isPacked) return path;
  const unpacked = join(kUnpacked, digestOf(path).slice(0, 16));
  writeFileSync(unpacked, bytes);
  return unpacked;
}

/** Files by their kinds. Of each kind the same ones whoever asks: the first by the digests of their names. */
function chooseFiles() {
  mkdirSync(kUnpacked, { recursive: true });
  const npm = 'tests/node_modules/';
  const paths = [...filesBelow(npm), ...debianFiles()].filter((path) => !path.includes('\n'));
  const order = new Map(paths.map((path) => [path, digestOf(path.slice(path.startsWith(npm) ? npm.length : 0))]));
  const kinds = new Map();
  for (const path of [...order.keys()].sort((a, b) => (order.get(a) < order.get(b) ? -1 : 1))) {
    const kind = kindOf(path);
    const chosen = kinds.get(kind) ?? new Map();
    if (chosen.size === kOfKindMax) continue;
    const text = textAt(path);
    if (text) kinds.set(kind, chosen.set(text, path));
  }
  return kinds;
}

/** What is masked in them. */
function maskedIn(kinds, family) {
  const kindOfFile = new Map([...kinds].flatMap(([kind, files]) => [...files.keys()].map((file) => [file, kind])));
  const lines = run(benchProgram('bench_corpus'), [family], [...kindOfFile.keys()].join('\n'));
  return lines.split('\n').filter(Boolean).map((line) => {
    const [, digest, detector, place, file] = /^(\S+) (\S+) (\S+) (.*)$/.exec(line);
    return { digest, detector, place, file, kind: kindOfFile.get(file) };
  });
}

/** By digest and detector, whether it is a secret. */
function readReviewed() {
  const reviewed = new Map();
  for (const line of readFileSync(kReviewed, 'utf8').split('\n')) {
    const [digest, detector, verdict] = line.split(' ');
    if (digest && !digest.startsWith('#')) reviewed.set(`${digest} ${detector}`, verdict === 'secret');
  }
  return reviewed;
}

/** What nobody has looked at counts as no secret. What was found to be one has to be masked still: else finding nothing would be best. */
export async function corpus(results) {
  const kinds = chooseFiles();
  const files = [...kinds.values()].reduce((sum, chosen) => sum + chosen.size, 0);
  if (files < kFilesMin || kinds.size < kKindsMin) throw new Error(`only ${files} files of ${kinds.size} kinds`);
  const masked = maskedIn(kinds, 'secrets');
  const reviewed = readReviewed();
  const nameOf = ({ digest, detector }) => `${digest} ${detector}`;
  const unknown = masked.filter((span) => !reviewed.has(nameOf(span)));
  for (const span of unknown) say(`corpus: nobody has looked at ${nameOf(span)} ${span.place} ${span.file}`);
  const others = masked.filter((span) => !reviewed.get(nameOf(span)));
  const found = new Set(masked.map(nameOf));
  const missed = [...reviewed].filter(([name, isSecret]) => isSecret && !found.has(name)).map(([name]) => name);
  for (const name of missed) say(`corpus: ${name} is a secret and no longer masked; take its line out where its file is gone`);
  results.add('corpus_files', files);
  results.add('corpus_kinds', kinds.size);
  results.add('corpus_masked', masked.length);
  results.add('corpus_unreviewed', unknown.length);
  results.add('corpus_secrets_missed', missed.length);
  results.add('corpus_no_secret_per_2k_files', (new Set(others.map(nameOf)).size * 2000) / files);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const masked = maskedIn(chooseFiles(), process.argv[2] ?? 'secrets');
  for (const { digest, detector, place, file } of masked) console.log(`${digest} ${detector} ${place} ${file}`);
}
