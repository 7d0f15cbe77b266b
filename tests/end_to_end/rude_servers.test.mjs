// Servers that misbehave, on every transport: a row is a fault of rude_faults.mjs, a column a transport of
// rude_wires.mjs. Each cell has a server of its own behind one gateway, and asserts what Stage.tell does:
// what the client sees, what the record and the metrics say, that a server of each transport answers
// others all the while, and that the next call works. At the end no memory, call or connection is left.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';

import { eventually } from './assertions.mjs';
import { Stage } from './misbehaving_stage.mjs';
import { apply } from './reloading.mjs';
import { kGroups, kPatience } from './rude_faults.mjs';
import { kNoSocat, kWires, RudeServer } from './rude_wires.mjs';

const kWell = { given: {}, text: 'well' };
const wires = Object.keys(kWires).filter((wire) => wire !== 'stdio' || !kNoSocat);
const nameOf = (what, wire) => `${what}-${wire}`.replace(' ', '-');

let rows = 0;
/** The cells of a row; one that its transport cannot express has `not`, which says why. */
function cellsOf(fault) {
  const row = (rows += 1);
  return wires.map((wire) => {
    const { kind } = kWires[wire];
    const own = fault.only && fault.only !== kind ? { not: fault.otherwise } : { ...fault.on?.[kind], ...fault.on?.[wire] };
    return { ...fault, ...own, wire, name: nameOf(`row-${row}`, wire) };
  });
}
const groups = kGroups.map(({ faults, ...group }) => ({ ...group, cells: faults.flatMap(cellsOf) }));
const cells = groups.flatMap((group) => group.cells).filter((cell) => !cell.not);

describe('a server that misbehaves', () => {
  const bystanders = wires.map((wire) => new RudeServer(wire, {}, nameOf('well', wire)));
  const rude = new Map(cells.map((cell) => [cell, new RudeServer(cell.wire, cell, cell.name)]));
  const tablesOf = (servers) => servers.map((server) => server.table(server.fault.keys)).join('');
  let stage;
  before(async () => {
    const servers = [...bystanders, ...rude.values()];
    await Promise.all(servers.map((server) => server.start()));
    const timed = cells.filter(({ sees, isFirst }) => !isFirst && sees.reasons?.includes('server_timeout'));
    const short = timed.map(({ name }) => `[tool."${name}/echo"]\ntimeout = "${kPatience}"\n`).join('');
    stage = await Stage.start('legacy', tablesOf(servers), short);
    for (const { name } of bystanders) await stage.addBystander(`${name}_echo`, {}, 'well', 200);
  });
  after(async () => {
    try {
      await stage?.stop();
    } finally {
      for (const server of [...bystanders, ...rude.values()]) server.stop();
    }
  });

  /** The record names what happened to the server. */
  const isSaid = ({ name, says }) =>
    stage.records().some(({ kind, server, detail }) => kind === 'server' && server === name && says.test(detail));

  async function tell(cell) {
    const { name, sees, dropped, decision, isFirst, says } = cell;
    const server = rude.get(cell);
    if (!isFirst) {
      // Started, and its list read, before anything has to happen in time.
      const client = await stage.client();
      await stage.assertNext(client, name, kWell);
      await client.close();
    }
    const mend = () => (server.isFaulty = false);
    const { answer } = await stage.tell({ server: name, tool: 'echo', given: { how: 'badly' }, sees, dropped, decision, next: { ...kWell, ...cell.next }, mend });
    assert.equal(server.met, isFirst ? 0 : 1, 'a call is sent once');
    if (says) await eventually(() => isSaid(cell), `${says} on record`, 20_000);
    await cell.then?.({ stage, server, name, answer });
  }

  describe('does no harm', { concurrency: groups.length }, () => {
    for (const { group, atOnce, cells: all } of groups) {
      describe(group, { concurrency: atOnce }, () => {
        for (const cell of all.filter(({ not }) => !not)) it(`${cell.what}: ${cell.wire}`, () => tell(cell));
      });
    }
  });

  it('is left when it is taken out, whatever it sends, and others are served', async () => {
    const left = [...rude.values()].filter(({ connections }) => connections.size > 0);
    assert.ok(left.length > cells.length / 2, 'the servers are connected');
    const text = readFileSync(stage.gateway.configFile, 'utf8');
    await apply(stage.gateway, text.replace(tablesOf([...rude.values()]), '').replace(/\[tool\."row-[^[]*/g, ''));
    const still = () => left.filter(({ connections }) => connections.size > 0).map(({ name }) => name);
    await eventually(() => still().length === 0, 'every connection ends', 30_000);
    assert.ok(left.some(({ sentAfter }) => sentAfter > 0), 'some were heard no more, and sent on');
    await stage.assertBystanders();
  });
});
