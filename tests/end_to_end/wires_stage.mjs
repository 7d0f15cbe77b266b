// What the stories of wires share: a gateway with every one of them, before a server that a story can hold.
import { createHash } from 'node:crypto';
import { join } from 'node:path';

import { freePort, startGateway, temporaryDirectory } from './harness.mjs';
import { answerText, startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { EventPeer, LinePeer, WebSocketPeer } from './wire_peer.mjs';

const kKey = 'the-key-of-ann-for-tests';
const kSha = createHash('sha256').update(kKey).digest('hex');
export const kPeople = `
[auth.api_key.ann-key]
principal = "ann"
sha256 = "${kSha}"
[principal.ann]
roles = ["dev"]
[principal.eve]
roles = ["guest"]
[role.dev]
trust = "verified"
[role.guest]
`;
export const kRules = `
[rule.devs-echo]
effect = "permit"
roles = ["dev"]
tools = ["web/echo", "web/wait"]
`;
export const kTools = [{ name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }, { name: 'wait', inputSchema: { type: 'object' } }, { name: 'hidden', inputSchema: { type: 'object' } }];
export const bearer = { authorization: `Bearer ${kKey}` };
export const uid = process.getuid();

/** A gateway with every wire, before a server that a story can hold. */
export async function begin({ more = '', client = '', socket = '', people = kPeople, auth = '', listen = '', tools = kTools } = {}) {
  const held = [];
  const received = [];
  const server = await startScriptedServer({
    tools,
    onMessage: (message) => {
      if (message) received.push(message);
      return false;
    },
    onCall: (message, response) => {
      if (message.params.name === 'wait') held.push({ message, response });
      else answerText(response, message.id, message.params.arguments.text ?? '');
    },
  });
  const folder = temporaryDirectory();
  const [tcp, eve] = [await freePort(), await freePort()];
  const gateway = await startGateway(
    `${httpServer('web', server.url)}
[socket.tcp]
address = "127.0.0.1:${tcp}"
principal = "ann"
${socket}
[socket.eve]
address = "127.0.0.1:${eve}"
principal = "eve"
[socket.unix]
path = "${folder}/mcp.sock"
users = { ${uid} = "ann" }
${client}${kRules}${more}`,
    { auth: people + auth, listen: `web_socket = true\nsse = true\n${listen}` },
  );
  const peers = [];
  const keep = (peer) => (peers.push(peer), peer);
  return {
    gateway,
    server,
    held,
    received,
    folder,
    socketPath: join(folder, 'mcp.sock'),
    tcpPort: tcp,
    eve: () => keep(new LinePeer({ port: eve, host: '127.0.0.1' })),
    wires: {
      tcp: () => keep(new LinePeer({ port: tcp, host: '127.0.0.1' })),
      unix: () => keep(new LinePeer({ path: join(folder, 'mcp.sock') })),
      websocket: () => keep(new WebSocketPeer(gateway.url, bearer)),
      sse: () => keep(new EventPeer(gateway.url, bearer)),
    },
    stop: async () => {
      for (const peer of peers) peer.stop();
      for (const { message, response } of held) if (!response.writableEnded) answerText(response, message.id, 'late');
      await gateway.stop();
      await server.stop();
    },
  };
}

/** The calls that reached the server, or those with that text. */
export const calls = (stage, id) => stage.received.filter(({ method, params }) => method === 'tools/call' && (!id || params.arguments.text === id));
