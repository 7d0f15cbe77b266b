// Clients and servers of all makers through one gateway: docs/matrix.md.
//
//   BARTIZAN_MATRIX=full      each operation of each pair of a client and a server
//   BARTIZAN_MATRIX=rewrite   the same, and the page is written from what was seen
//
// Without it, a part: each pair of a client and a server, of a client and an operation, and of a server
// and an operation is tried.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';

import { kClients } from './matrix_clients.mjs';
import { attempt, canTry, kOperations, lackOf } from './matrix_operations.mjs';
import { kPage, pageOf } from './matrix_page.mjs';
import { kPython, kServers } from './matrix_servers.mjs';
import { Stage } from './matrix_stage.mjs';

const kWanted = process.env.BARTIZAN_MATRIX;
const kSkip = existsSync(kPython) ? false : 'no Python programs: tests/install_python.sh installs them';
const kPatienceMs = 60_000;
// So many operations of each cell are tried in a part.
const kPart = 4;

/** The operations of a cell that are tried in this run. */
function chosen(row, column) {
  const [client, server] = [kClients[row], kServers[column]];
  const possible = kOperations.filter((operation) => canTry(client, server, operation));
  return possible.filter((_, index) => kWanted || (row + column + index) % possible.length < kPart);
}

function within(promise, what) {
  let timer;
  const late = new Promise((_, fail) => (timer = setTimeout(() => fail(new Error(`${what}: not within ${kPatienceMs} ms`)), kPatienceMs)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

describe('what is tried', () => {
  const cells = kClients.flatMap((client, row) => kServers.map((server, column) => ({ client, server, tried: chosen(row, column) })));
  const have = (cell, operation) => !lackOf(cell.client, cell.server, operation);
  const isTried = (within, operation) => within.some((cell) => have(cell, operation) && cell.tried.includes(operation));

  it('has each pair of a client and an operation', () => {
    for (const client of kClients) {
      const row = cells.filter((cell) => cell.client === client);
      for (const operation of kOperations) assert.ok(client.lacks[operation] || isTried(row, operation), `${client.name}: ${operation}`);
    }
  });

  it('has each pair of a server and an operation, and each cell', () => {
    for (const server of kServers) {
      const column = cells.filter((cell) => cell.server === server);
      for (const operation of kOperations) assert.ok(server.lacks[operation] || isTried(column, operation), `${server.name}: ${operation}`);
    }
    assert.deepEqual(cells.filter(({ tried }) => tried.length === 0).map(({ client, server }) => `${client.name}, ${server.name}`), []);
  });
});

describe('clients and servers of all makers', { skip: kSkip }, () => {
  let stage;
  const worked = new Set();
  const nameOf = (client, server, operation) => [client.name, server.name, operation].join(' / ');

  before(async () => {
    stage = await Stage.open();
  });
  after(() => stage?.close());

  for (const [row, client] of kClients.entries()) {
    it(client.name, async () => {
      const connection = await within(client.connect(stage.place), `${client.name} connects`);
      const failures = [];
      for (const [column, server] of stage.servers.entries()) {
        for (const operation of chosen(row, column)) {
          const name = nameOf(client, server, operation);
          const failure = await within(attempt({ client, server, connection, stage }, operation), name).then(() => undefined, (error) => error);
          if (failure) failures.push(`${name}: ${failure.message}`);
          else if (!lackOf(client, server, operation)) worked.add(name);
        }
      }
      await connection.close();
      assert.deepEqual(failures, []);
    });
  }

  it('is what docs/matrix.md says', () => {
    const seen = (...cell) => (kWanted ? worked.has(nameOf(...cell)) : !lackOf(...cell));
    const page = pageOf(kClients, kServers, seen);
    if (kWanted === 'rewrite') writeFileSync(kPage, page);
    assert.ok(!page.includes('?'), 'each cell has its reason');
    assert.equal(readFileSync(kPage, 'utf8'), page);
  });
});
