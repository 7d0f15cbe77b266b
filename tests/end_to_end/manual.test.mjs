// What the program prints about itself: manual pages, the list of keys, and completions that shells take.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { kProgram, kTestsDirectory, runProgram, temporaryDirectory } from './harness.mjs';

const kRoot = join(kTestsDirectory, '..');
const print = (...given) => execFileSync(kProgram, given, { encoding: 'utf8' });
const missing = (program) => (spawnSync(program, ['--version']).error ? `${program} is not installed` : false);

/** Every command that help lists, with the words that lead to it. */
function commands(...words) {
  const help = print(...words, '--help');
  const listed = help.split(/^Subcommands:\n/m)[1] ?? '';
  const names = [...listed.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name]) => name);
  return names.flatMap((name) => [[...words, name], ...commands(...words, name)]);
}

describe('the list of all keys', () => {
  it('is docs/reference.md', () => {
    const page = readFileSync(join(kRoot, 'docs', 'reference.md'), 'utf8');
    assert.equal(print('manual', 'reference'), page, 'write it anew: bartizan manual reference > docs/reference.md');
  });

  it('explains each key, with an example where the type does not show one', () => {
    const rows = print('manual', 'reference').split('\n').filter((line) => line.startsWith('| `'));
    assert.ok(rows.length > 350, `${rows.length} keys`);
    for (const row of rows) {
      const [, key, type, , example, meaning] = row.split(/(?<!\\)\|/).map((cell) => cell.trim());
      assert.ok(meaning.length > 10, `${key} has no meaning`);
      assert.ok(type.length > 0, `${key} has no type`);
      const isPlain = /^(?:boolean|table|number|whole number|".*|true|1)/.test(type);
      assert.ok(isPlain || example.length > 0, `${key}, ${type}, has no example`);
    }
  });
});

describe('manual pages', () => {
  for (const page of ['bartizan.1', 'bartizan.toml.5']) {
    it(`${page} is read without a warning`, { skip: missing('man') }, () => {
      const file = join(temporaryDirectory(), page);
      writeFileSync(file, print('manual', page));
      const read = spawnSync('man', ['--warnings', '-E', 'UTF-8', '-l', '-Tutf8', file], { encoding: 'utf8', env: { ...process.env, MANWIDTH: '100' } });
      assert.equal(read.status, 0, read.stderr);
      // A long word, such as a URL, cannot be broken, and need not be.
      const warnings = read.stderr.split('\n').filter((line) => line !== '' && !line.endsWith("can't break line"));
      assert.deepEqual(warnings, []);
      assert.match(read.stdout.replace(/.\x08/g, ''), /^NAME/m);
    });
  }

  it('bartizan.1 has each command and each of its options', () => {
    const page = print('manual', 'bartizan.1').replaceAll('\\-', '-');
    const all = commands().filter((words) => commands(...words).length === 0);
    assert.ok(all.length > 40, `${all.length} commands`);
    for (const words of all) {
      assert.ok(page.includes(`.SS bartizan ${words.join(' ')}\n`), words.join(' '));
      const section = page.split(`.SS bartizan ${words.join(' ')}\n`)[1].split('\n.S')[0];
      for (const [, option] of print(...words, '--help').matchAll(/^ {2}(?:-\w,)?(--[a-z-]+)/gm)) {
        assert.ok(option === '--help' || section.includes(`\\fB${option}\\fR`), `${words.join(' ')} ${option}`);
      }
    }
  });

  it('docs/commands.md has each command', () => {
    const page = readFileSync(join(kRoot, 'docs', 'commands.md'), 'utf8');
    for (const words of commands().filter((one) => commands(...one).length === 0)) {
      assert.ok(page.includes(`\`bartizan ${words.join(' ')}`), words.join(' '));
    }
  });

  it('bartizan.toml.5 has each table', () => {
    const page = print('manual', 'bartizan.toml.5').replaceAll('\\-', '-');
    for (const [, table] of print('manual', 'reference').matchAll(/^## (\[.*\])$/gm)) {
      assert.ok(page.includes(`.SS ${table}\n`), table);
    }
  });
});

describe('completion', () => {
  const rows = [
    ['bartizan ch', ['check']],
    ['bartizan audit ve', ['verify']],
    ['bartizan audit verify --he', ['--head', '--heads', '--head-key', '--help']],
    ['bartizan audit report --format m', ['markdown']],
    ['bartizan run --st', ['--stdio']],
    ['bartizan key n', ['new']],
    ['bartizan frob', []],
  ];
  const file = (shell) => {
    const path = join(temporaryDirectory(), `bartizan.${shell}`);
    writeFileSync(path, print('completion', shell));
    return path;
  };

  it('of bash offers what fits', () => {
    const script = file('bash');
    for (const [line, wanted] of rows) {
      const words = line.split(' ');
      const program = `source ${script}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _bartizan; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const offered = execFileSync('bash', ['-c', program], { encoding: 'utf8', cwd: temporaryDirectory() }).split('\n').filter(Boolean);
      assert.deepEqual(offered.sort(), [...wanted].sort(), line);
    }
  });

  it('of fish offers what fits', { skip: missing('fish') }, () => {
    const script = file('fish');
    for (const [line, wanted] of rows) {
      const program = `source ${script}; complete -C '${line}'`;
      const offered = execFileSync('fish', ['--no-config', '-c', program], { encoding: 'utf8', cwd: temporaryDirectory() });
      const names = offered.split('\n').map((entry) => entry.split('\t')[0]).filter(Boolean);
      assert.deepEqual(names.filter((name) => name !== '-h').sort(), wanted.filter((name) => name !== '--help').sort(), line);
    }
  });

  it('of zsh is a script of zsh', { skip: missing('zsh') }, () => {
    const read = spawnSync('zsh', ['-n', file('zsh')], { encoding: 'utf8' });
    assert.equal(read.status, 0, read.stderr);
    // What the shell's own system is handed for a few lines.
    const stub = "_describe() { local name=${@[-1]}; print -l -- ${${(P)name}%%:*} }; _files() { print FILES }";
    for (const [words, wanted] of [
      [['bartizan', 'audit', ''], 'verify'],
      [['bartizan', 'audit', 'verify', '--'], '--head-key'],
      [['bartizan', 'check', ''], 'FILES'],
    ]) {
      const program = `${stub}; words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}; PREFIX='${words.at(-1)}'; source ${file('zsh')}`;
      const offered = execFileSync('zsh', ['-f', '-c', program], { encoding: 'utf8' }).split('\n');
      assert.ok(offered.includes(wanted), `${words.join(' ')}: ${offered.join(' ')}`);
    }
  });

  it('is refused for a shell that is not known', async () => {
    assert.equal((await runProgram('completion', 'tcsh')).code, 2);
  });
});
