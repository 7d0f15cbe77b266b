// Fabricore before the gateway, with the configuration that docs/other-protocols.md has for it: an agent
// as its document describes it, its orchestrator, and whoever approves.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { eventually } from './assertions.mjs';
import { freePort, startConfigured } from './harness.mjs';
import { digestOf } from './reloading.mjs';
import { configurationOf, replaced, writeConfiguration } from './seeds_stage.mjs';
import { WebSocketPeer } from './wire_peer.mjs';

export const kPage = configurationOf('Fabricore');
export const kAgent = 'uuid-550e8400-e29b';
export const kToken = 'auth-token-secret-123';
export const keyOf = (who) => `the-key-of-${who}`;

/** `agent.identify` as the document has it. */
export const identification = (more = {}) => ({
  agent_id: kAgent,
  token: kToken,
  os_info: { platform: 'linux', hostname: 'prod-db-01', arch: 'amd64', release: 'Ubuntu 22.04 LTS', uptime_seconds: 36005 },
  capabilities: { native_tools: ['list_files', 'read_file', 'exec_command', 'system_stats', 'download_file'], file_transfer: true, pty_support: true },
  mcp_servers: [
    { name: 'postgres-mcp', transport: 'stdio', command: ['docker', 'run', '-i', 'mcp/postgres'], status: 'available' },
    { name: 'brave-search', transport: 'sse', url: 'http://localhost:8080/sse', status: 'ready' },
  ],
  security_policy: { hitl_enabled: true, blocked_commands: ['rm -rf /', 'mkfs'], requires_approval_for: ['write_file'] },
  ...more,
});

/** An agent: it identifies itself, and answers what it is sent. `got` is every request that reached it. */
export class Agent {
  got = [];
  answers = [];
  isClosed = false;
  #id = 0;

  constructor(url, { identify = identification(), answer } = {}) {
    this.answer = answer ?? ((request) => this.#usual(request));
    this.socket = new WebSocket(url);
    this.socket.onmessage = ({ data }) => this.#take(JSON.parse(data));
    this.socket.onclose = ({ code }) => Object.assign(this, { isClosed: true, code });
    this.socket.onopen = () => identify && this.ask('agent.identify', identify);
  }

  ask(method, params) {
    this.#id += 1;
    this.send({ jsonrpc: '2.0', method, params, id: this.#id });
    return this.#id;
  }

  send(message) {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  #take(message) {
    if (!message.method) return this.answers.push(message);
    this.got.push(message);
    const said = this.answer(message);
    if (said) this.send({ jsonrpc: '2.0', id: message.id, ...said });
  }

  #usual({ method, params }) {
    if (method === 'mcp.proxy') {
      const { id } = params.inner_request;
      return { result: { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: '[{"count": 3}]' }] } } };
    }
    if (params.tool_name === 'restart_service' && !params.approved_by) {
      return { error: { code: -32003, message: 'Security Violation: Action requires HITL Approval.', data: { policy_rule: 'restart_service_requires_approval', remediation: 'Request admin approval via Dashboard.' } } };
    }
    if (params.arguments.command === 'df') return { result: { status: 'error', output: 'df: no such disk', exit_code: 1 } };
    if (params.arguments.command === 'ls') return { result: { status: 'success', output: 'AWS_SECRET_ACCESS_KEY=kX8dPq2Rt5Vw9Yb3Nf6Hj1Ls4Mz7Cg0Ea8Ui5Op2', exit_code: 0 } };
    return { result: { status: 'success', output: 'Service restarted successfully.', exit_code: 0, timestamp: '2024-02-05T12:00:00Z' } };
  }

  /** The answer to the message of that id. */
  answered(id) {
    return eventually(() => this.answers.find((one) => one.id === id), `an answer to ${id}`, 20_000);
  }

  closed() {
    return eventually(() => this.isClosed, 'the end of the connection', 20_000);
  }

  stop() {
    this.socket.close();
  }
}

export class Fabricore {
  peers = [];

  async start({ pieces = [], more = '' } = {}) {
    const [port, metricsPort, consolePort] = [await freePort(), await freePort(), await freePort()];
    Object.assign(this, { port, consolePort });
    const body = replaced(kPage, [
      ...pieces,
      ['127.0.0.1:8080', `127.0.0.1:${port}`],
      ['127.0.0.1:9301', `127.0.0.1:${consolePort}`],
      ['2f58bbe15c42fb7a2f0c87f5be13d67f4a23a4dc5c3ea6cd8c6c1f0a1f2b3c4d', digestOf(keyOf('backend'))],
      ['5f2b1a0c9d8e7f60514233241506978887a6b5c4d3e2f1001122334455667788', digestOf(keyOf('admin'))],
      ['6a5f0b1c2d3e4f5061728394a5b6c7d8e9f00112233445566778899aabbccdde', digestOf(kToken)],
    ]);
    this.written = writeConfiguration(`${body}\n[metrics]\naddress = "127.0.0.1:${metricsPort}"\n${more}`);
    execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', join(this.written.place.directory, 'approvals.pem')], { stdio: 'ignore' });
    this.gateway = await startConfigured(this.written.config, { port, metricsPort, record: 'audit.jsonl' });
    return this;
  }

  get base() {
    return `127.0.0.1:${this.port}/fabricore`;
  }

  agent(options) {
    const agent = new Agent(`ws://${this.base}`, options);
    this.peers.push(agent);
    return agent;
  }

  /** An agent that the gateway has taken, and to which calls can go. */
  async connected(options) {
    const agent = this.agent(options);
    const { result } = await agent.answered(1);
    if (!result) throw new Error('the agent was not taken');
    await eventually(async () => (await this.http('GET', `/agents/${kAgent}/details`)).body.status === 'online', 'the agent', 20_000);
    return agent;
  }

  orchestrator(who = 'backend', id = kAgent) {
    const peer = new WebSocketPeer(`ws://${this.base}/agents/${id}`, who ? { authorization: `Bearer ${keyOf(who)}` } : {}, []);
    this.peers.push(peer);
    return peer;
  }

  async #fetch(url, method, body, who) {
    const headers = { 'content-type': 'application/json', ...(who && { authorization: `Bearer ${keyOf(who)}` }) };
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  }

  http(method, path, body, who = 'backend') {
    return this.#fetch(`http://${this.base}${path}`, method, body, who);
  }

  console(method, path, body, who = 'admin') {
    return this.#fetch(`http://127.0.0.1:${this.consolePort}/orchestrator/${path}`, method, body, who);
  }

  command(tool_name, args, more = {}, who = 'backend') {
    return this.http('POST', `/agents/${kAgent}/command`, { tool_name, arguments: args, ...more }, who);
  }

  async stop() {
    for (const peer of this.peers) peer.stop();
    await this.gateway?.stop();
  }
}
