// Clients of the matrix that are no library of the runtime: the programs of Python, a command for each
// question (the Inspector), and clients by hand on wires.
import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { eventually } from './assertions.mjs';
import { kFixtures, kNode, kTestsDirectory } from './harness.mjs';
import { Peer } from './peer.mjs';

const kPython = join(kTestsDirectory, '..', 'build', 'python', 'bin', 'python');
const kInspector = join(kTestsDirectory, 'node_modules', '@modelcontextprotocol', 'inspector', 'clients', 'launcher', 'build', 'index.js');

/** A program of Python with lines in both directions; it ends with its standard input. */
function startPython(name, programArguments, onLine) {
  const child = spawn(kPython, [join(kFixtures, name), ...programArguments], { stdio: ['pipe', 'pipe', 'pipe'] });
  process.on('exit', () => child.kill('SIGKILL'));
  child.stdin.on('error', () => {});
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-4000)));
  createInterface({ input: child.stdout }).on('line', (line) => onLine(JSON.parse(line)));
  return { child, write: (text) => child.stdin.write(`${text}\n`), said: () => said };
}

/** A client of Python behind the commands of python_client.py. */
class PythonConnection {
  #id = 0;
  #waiting = new Map();
  #progress = new Map();
  updates = [];
  form = {};

  static async open(kind, url) {
    const connection = new PythonConnection();
    connection.program = startPython('python_client.py', [kind, url], (line) => connection.#take(line));
    await eventually(() => connection.version ?? (connection.program.child.exitCode !== null && Promise.reject(new Error(connection.program.said()))), `the client ${kind}`, 30_000);
    return connection;
  }

  #take({ id, result, error, connected, progress, of, updated }) {
    if (connected) this.version = connected;
    else if (updated) this.updates.push(updated);
    else if (progress !== undefined) this.#progress.get(of)?.({ progress });
    else if (error !== undefined) this.#waiting.get(id)?.reject(new Error(error));
    else this.#waiting.get(id)?.resolve(result);
  }

  #ask(command, onprogress) {
    const id = (this.#id += 1);
    if (onprogress) this.#progress.set(id, onprogress);
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.program.write(JSON.stringify({ ...command, id }));
    return { id, answer };
  }

  list() {
    return this.#ask({ do: 'list' }).answer;
  }

  call(tool, given, { onprogress, signal } = {}) {
    const { id, answer } = this.#ask({ do: 'call', tool, given, progress: Boolean(onprogress), name: this.form.name }, onprogress);
    signal?.addEventListener('abort', () => this.program.write(JSON.stringify({ do: 'cancel', task: id })));
    return answer;
  }

  read(uri) {
    return this.#ask({ do: 'read', uri }).answer;
  }

  prompt(name, given) {
    return this.#ask({ do: 'prompt', prompt: name, given }).answer;
  }

  async follow(uri) {
    const { id, answer } = this.#ask({ do: 'follow', uri });
    const { honored } = await answer;
    if (!honored?.includes(uri)) throw new Error(`the subscription is not honoured: ${JSON.stringify(honored)}`);
    return () => this.program.write(JSON.stringify({ do: 'cancel', task: id }));
  }

  async close() {
    this.program.child.stdin.end();
  }
}

/** The Inspector: each question is a process and a connection of its own. */
class InspectorConnection {
  updates = [];
  form = {};

  constructor(url) {
    this.url = url;
  }

  #run(method, options) {
    const words = [kInspector, '--cli', this.url, '--transport', 'http', '--method', method, ...options];
    return new Promise((done, fail) => {
      execFile(kNode, words, { maxBuffer: 16 << 20 }, (error, stdout, stderr) => (error ? fail(new Error(stderr)) : done(JSON.parse(stdout))));
    });
  }

  async list() {
    const ask = async (what, name = what) => (await this.#run(`${what}/list`, []))[name];
    const [tools, prompts, resources, templates] = await Promise.all([ask('tools'), ask('prompts'), ask('resources'), ask('resources/templates', 'resourceTemplates')]);
    return {
      tools: tools.map(({ name }) => name), prompts: prompts.map(({ name }) => name),
      resources: resources.map(({ uri }) => uri), templates: templates.map(({ uriTemplate }) => uriTemplate),
    };
  }

  call(tool, given) {
    const pairs = Object.entries(given).map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
    return this.#run('tools/call', ['--tool-name', tool, ...(pairs.length > 0 ? ['--tool-arg', ...pairs] : [])]);
  }

  read(uri) {
    return this.#run('resources/read', ['--uri', uri]);
  }

  prompt(name, given) {
    return this.#run('prompts/get', ['--prompt-name', name, '--prompt-args', ...Object.entries(given).map((pair) => pair.join('='))]);
  }

  async close() {}
}

/** A client by hand: a peer, and the questions that it answers while it waits. */
class RawConnection {
  #id = 0;
  #asked = new Set();
  form = {};

  static async open(peer) {
    const connection = new RawConnection();
    connection.peer = peer;
    await peer.initialize({ capabilities: { elicitation: {} } });
    return connection;
  }

  get updates() {
    return this.peer.received.filter(({ method }) => method === 'notifications/resources/updated').map(({ params }) => params.uri);
  }

  #answerForms() {
    for (const { id, method } of this.peer.received) {
      if (method !== 'elicitation/create' || this.#asked.has(id)) continue;
      this.#asked.add(id);
      this.peer.send({ id, result: { action: 'accept', content: { ...this.form } } });
    }
  }

  async #ask(method, params, id = (this.#id += 1)) {
    this.peer.send({ id, method, params });
    const answer = await eventually(() => {
      this.#answerForms();
      return this.peer.received.find((message) => message.id === id && !message.method);
    }, `the answer to ${method}`, 30_000);
    if (answer.error) throw Object.assign(new Error(answer.error.message), answer.error);
    return answer.result;
  }

  async list() {
    const { tools } = await this.#ask('tools/list', {});
    const { prompts } = await this.#ask('prompts/list', {});
    const { resources } = await this.#ask('resources/list', {});
    const { resourceTemplates } = await this.#ask('resources/templates/list', {});
    return {
      tools: tools.map(({ name }) => name), prompts: prompts.map(({ name }) => name),
      resources: resources.map(({ uri }) => uri), templates: resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    };
  }

  async call(name, given, { onprogress, signal } = {}) {
    const id = (this.#id += 1);
    const cancel = () => this.peer.send({ method: 'notifications/cancelled', params: { requestId: id } });
    const cancelled = new Promise((_, fail) => signal?.addEventListener('abort', () => (cancel(), fail(new Error('cancelled')))));
    const answer = this.#ask('tools/call', { name, arguments: given, ...(onprogress && { _meta: { progressToken: id } }) }, id);
    if (signal) answer.catch(() => {});
    const result = await (signal ? Promise.race([answer, cancelled]) : answer);
    for (const { method, params } of this.peer.received) {
      if (onprogress && method === 'notifications/progress' && params.progressToken === id) onprogress(params);
    }
    return result;
  }

  read(uri) {
    return this.#ask('resources/read', { uri });
  }

  prompt(name, given) {
    return this.#ask('prompts/get', { name, arguments: given });
  }

  async follow(uri) {
    await this.#ask('resources/subscribe', { uri });
    return () => this.#ask('resources/unsubscribe', { uri });
  }

  async close() {
    this.peer.stop();
  }
}

/** The WebSocket of Python's `websockets`, each message a line of a program. */
class PythonWebSocketPeer extends Peer {
  constructor(url) {
    super();
    this.program = startPython('websocket_lines.py', [url.replace(/^http/, 'ws')], (message) => this.received.push(message));
  }

  write(text) {
    this.program.write(text);
  }

  stop() {
    this.program.child.stdin.end();
  }
}

export const connectPython = (kind) => ({ url }) => PythonConnection.open(kind, url);
export const connectInspector = async ({ url }) => new InspectorConnection(url);
export const connectRaw = (makePeer) => (place) => RawConnection.open(makePeer(place));
export const connectPythonWebSocket = connectRaw(({ url }) => new PythonWebSocketPeer(url));
