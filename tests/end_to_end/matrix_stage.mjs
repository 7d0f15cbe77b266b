// One gateway with all servers of the matrix behind it and every way in, and what it has on record.
import { createHmac } from 'node:crypto';
import { join } from 'node:path';

import { eventually } from './assertions.mjs';
import { freePort, startGateway, temporaryDirectory, testerAuth } from './harness.mjs';
import { kServers, rulesOf } from './matrix_servers.mjs';

const kDigestKey = 'the-key-of-digests-in-the-matrix';

/** What the record has of such arguments. */
export function digestOf(given) {
  return createHmac('sha256', kDigestKey).update(JSON.stringify(given)).digest('hex');
}

/** The running matrix: `place` for clients, `servers` as started. */
export class Stage {
  static async open() {
    const stage = new Stage();
    stage.servers = await Promise.all(kServers.map(async (server) => ({ ...server, ...(await server.start(server.id)) })));
    const [tcp, unix] = [await freePort(), join(temporaryDirectory(), 'mcp.sock')];
    const sockets = `
[socket.tcp]
address = "127.0.0.1:${tcp}"
principal = "tester"
[socket.unix]
path = "${unix}"
users = { ${process.getuid()} = "tester" }
`;
    const tables = stage.servers.map(({ table }) => table).join('');
    stage.gateway = await startGateway(tables + sockets + rulesOf(stage.servers), {
      auth: testerAuth({ trust: 'verified' }),
      listen: 'web_socket = true\nsse = true',
      audit: 'digest_key = "file:digest.key"',
      files: { 'digest.key': kDigestKey },
    });
    stage.place = { url: stage.gateway.url, tcp, unix };
    return stage;
  }

  /** Records with these members. */
  records(wanted) {
    const members = Object.entries(wanted);
    return this.gateway.records().filter((record) => members.every(([name, value]) => record[name] === value));
  }

  /** The decision with these members, as soon as it is on record. */
  decision(wanted) {
    return eventually(() => this.records({ kind: 'decision', ...wanted })[0], `a decision with ${JSON.stringify(wanted)}`, 20_000);
  }

  /** How a call with that decision ended. */
  async outcome({ decision_id: id }) {
    const found = await eventually(() => this.records({ kind: 'outcome', decision_id: id })[0], `the outcome of ${id}`, 20_000);
    return found.outcome;
  }

  async close() {
    await this.gateway?.stop();
    for (const server of this.servers) server.stop();
  }
}
