// Groundhog before the gateway, with the configuration that docs/other-protocols.md has for it.
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { freePort, runProgram, startConfigured, temporaryDirectory } from './harness.mjs';
import { digestOf } from './reloading.mjs';
import { configurationOf, kSeeds, noSandbox, replaced, userLine, writeConfiguration } from './seeds_stage.mjs';
import { WebSocketPeer } from './wire_peer.mjs';

export const kPage = configurationOf('Groundhog');
const kSandbox = /\[server\.tools\.sandbox\]\n(.+\n)+/.exec(kPage)[0];
export const kNoSandbox = await noSandbox();
const keyOf = (who) => `the-key-of-${who}`;

function makeProject() {
  const top = temporaryDirectory();
  chmodSync(top, 0o755);
  const root = join(top, 'project');
  mkdirSync(join(root, 'src'), { recursive: true });
  writeFileSync(join(root, 'src', 'main.rs'), 'fn main() {}\n');
  writeFileSync(join(root, 'secret.txt'), 'AWS_SECRET_ACCESS_KEY=kX8dPq2Rt5Vw9Yb3Nf6Hj1Ls4Mz7Cg0Ea8Ui5Op2\n');
  symlinkSync('/etc', join(root, 'etc'));
  return root;
}

/** Where the server writes down what it was asked for, whoever it runs as. */
function makeCalls() {
  const folder = temporaryDirectory();
  chmodSync(folder, 0o777);
  const file = join(folder, 'calls');
  writeFileSync(file, '');
  chmodSync(file, 0o666);
  return file;
}

/** A client of Groundhog: requests with ids of text, and answers by id. */
export class GroundhogClient {
  #id = 0;

  constructor(url, key) {
    this.peer = new WebSocketPeer(url, key ? { authorization: `Bearer ${key}` } : {}, []);
  }

  ask(method, params) {
    this.#id += 1;
    return this.peer.request(`req-${this.#id}`, method, params);
  }

  list(params) {
    return this.ask('tools/list', params);
  }

  invoke(tool, parameters, { version = '2.1.0', context = { user_id: 'user123', session_id: 'session456' }, ...more } = {}) {
    return this.ask('tools/invoke', { tool_id: tool, tool_version: version, parameters, security_context: context, ...more });
  }

  stop() {
    this.peer.stop();
  }
}

export class Groundhog {
  root = makeProject();
  calls = makeCalls();

  /** `pieces`: what of the page's configuration is replaced; `more`: what is added. */
  async start({ pieces = [], more = '' } = {}) {
    this.port = await freePort();
    const metricsPort = await freePort();
    const sandbox = kNoSandbox
      ? [[kSandbox, '']]
      : [
          ['level = "process"', `level = "process"\nwrite = [${JSON.stringify(dirname(this.calls))}]\n${userLine('nobody')}`],
          ['"/opt/groundhog"', JSON.stringify(kSeeds)],
          // Not every machine lets the gateway have a control group.
          [/total_memory = .*/.exec(kPage)[0], ''],
        ];
    const body = replaced(kPage, [
      ...pieces,
      ...sandbox,
      ['command = ["/opt/groundhog/tools_server.py"]', `command = ["/usr/bin/python3", ${JSON.stringify(join(kSeeds, 'groundhog', 'tools_server.py'))}]\nenv = { CALLS = ${JSON.stringify(this.calls)} }`],
      ['/srv/project', this.root],
      ['127.0.0.1:8080', `127.0.0.1:${this.port}`],
      ['2f58bbe15c42fb7a2f0c87f5be13d67f4a23a4dc5c3ea6cd8c6c1f0a1f2b3c4d', digestOf(keyOf('user123'))],
      ['5f2b1a0c9d8e7f60514233241506978887a6b5c4d3e2f1001122334455667788', digestOf(keyOf('dora'))],
    ]);
    this.written = writeConfiguration(`${body}\n[metrics]\naddress = "127.0.0.1:${metricsPort}"\n${more}`);
    this.gateway = await startConfigured(this.written.config, { port: this.port, metricsPort, record: 'audit.jsonl' });
    this.clients = [];
    return this;
  }

  client(who) {
    const client = new GroundhogClient(`ws://127.0.0.1:${this.port}/mcp`, who && keyOf(who));
    this.clients.push(client);
    return client;
  }

  /** What `bartizan registrations` says of that act. */
  async decide(...act) {
    const [name, ...rest] = act;
    const { code, stdout, stderr } = await runProgram('registrations', name, this.written.config, ...rest.map(String), '--json');
    return { code, stderr, ...(stdout ? JSON.parse(stdout) : {}) };
  }

  /** Names of the tools that the server was asked for. */
  called() {
    return existsSync(this.calls) ? readFileSync(this.calls, 'utf8').split('\n').filter(Boolean) : [];
  }

  async restart() {
    for (const client of this.clients.splice(0)) client.stop();
    await this.gateway.stop();
    this.gateway = await this.gateway.again();
  }

  async stop() {
    for (const client of this.clients ?? []) client.stop();
    await this.gateway?.stop();
  }
}
