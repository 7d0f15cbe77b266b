// docs/matrix.md: what clients and servers can do together through the gateway, from what was seen.
import { join } from 'node:path';

import { kTestsDirectory } from './harness.mjs';
import { kOperations, lackOf } from './matrix_operations.mjs';

export const kPage = join(kTestsDirectory, '..', 'docs', 'matrix.md');

const kColumnsOfTable = 6;

const kBegin = `# Clients and servers that were tried

Each client below was connected once to one gateway with all servers behind it. In each cell,
${kOperations.length} things were tried:

- list: tools, prompts, resources and templates.
- call: a tool that is permitted.
- refused: a tool that no rule permits. The client gets the id of the decision, the server gets
  nothing.
- progress: a call that reports its steps.
- cancel: a call that the client ends. The server is told.
- subscribe: a resource is followed, and one update of it arrives.
- elicit: a tool asks its user, and the answer reaches it.
- read, prompt: a resource and a prompt.

Each had a value of its own. It was in the client's result, in what the server had received where
that could be looked at, and in the gateway's record: in a URI, or as the keyed digest of the
arguments.

The story \`tests/end_to_end/matrix.test.mjs\` tries this and compares it with this page.
\`BARTIZAN_MATRIX=rewrite\` writes the page anew.

A number is how many of the ${kOperations.length} worked. The letters after it say why the others cannot; they are
explained below. Where a server lacks something, most clients asked all the same and got an error.
`;

/** Notes by who lacks something and why, each with its operations. */
class Notes {
  #notes = new Map();

  letterOf(name, why, operation) {
    const key = `${name}: ${why}`;
    if (!this.#notes.has(key)) this.#notes.set(key, new Set());
    this.#notes.get(key).add(operation);
    return String.fromCharCode(97 + [...this.#notes.keys()].indexOf(key));
  }

  text() {
    const lines = [...this.#notes].map(([key, operations], index) => `- ${String.fromCharCode(97 + index)}: ${[...operations].join(', ')}. ${key}.`);
    return lines.map((line) => line.replace(/(.{1,98})(?:\s|$)/g, '$1\n  ').trimEnd()).join('\n');
  }
}

function cellOf(seen, notes, client, server) {
  const worked = kOperations.filter((operation) => seen(client, server, operation));
  const letters = kOperations.filter((operation) => !worked.includes(operation)).map((operation) => {
    const lack = lackOf(client, server, operation);
    return lack ? notes.letterOf(lack.name, lack.why, operation) : '?';
  });
  return [worked.length, [...new Set(letters)].sort().join('')].join(' ').trim();
}

/** The page. `seen(client, server, operation)`: whether that worked. */
export function pageOf(clients, servers, seen) {
  const notes = new Notes();
  const rows = clients.map((client) => servers.map((server) => cellOf(seen, notes, client, server)));
  const parts = [];
  for (let from = 0; from < servers.length; from += kColumnsOfTable) {
    const part = servers.slice(from, from + kColumnsOfTable);
    const line = (cells) => `| ${cells.join(' | ')} |\n`;
    parts.push([
      part.map(({ id, name }) => `- \`${id}\`: ${name}\n`).join(''),
      line(['client', ...part.map(({ id }) => `\`${id}\``)]) + `|${'---|'.repeat(part.length + 1)}\n`
        + clients.map(({ name }, row) => line([name, ...rows[row].slice(from, from + kColumnsOfTable)])).join(''),
    ].join('\n'));
  }
  return [kBegin, ...parts, `${notes.text()}\n`].join('\n');
}
