// What the stories of resumption share: a server behind HTTP whose tool `slow` answers when the story
// says so, a gateway before it, and clients that leave and come back.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

import { eventually } from './assertions.mjs';
import { EventStream } from './event_stream.mjs';
import { startGateway } from './harness.mjs';
import { kEchoTool, startScriptedServer } from './scripted_http.mjs';
import { httpServer } from './servers.mjs';
import { LegacySession, jsonRpc } from './wire.mjs';

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const bearer = (key) => ({ authorization: `Bearer ${key}` });
export const kAnn = bearer('the-key-of-ann');
export const kBob = bearer('the-key-of-bob');
const kAuth = ['ann', 'bob']
  .map((name) => `
[auth.api_key.${name}-laptop]
principal = "${name}"
sha256 = "${sha256(`the-key-of-${name}`)}"
[principal.${name}]
roles = ["tester"]
`)
  .join('') + '[role.tester]\npermissions = []\n';
export const kRule = '[rule.testers-may]\neffect = "permit"\nroles = ["tester"]\ntools = ["far/*"]\n';
export const kTools = ['echo', 'slow', 'other'].map((name) => ({ ...kEchoTool, name }));
// A client that names streams first is answered with one at once.
export const kStreamFirst = { accept: 'text/event-stream, application/json' };

export const isResume = ({ kind }) => kind === 'resume';
export const progress = (token, step) => ({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress: step } });
export const stepsOf = (stream) => stream.messages().filter(({ method }) => method).map(({ params }) => params.progress);

export class ResumeStage {
  /** Calls of `slow` that the server has not answered: `{ id, tell, write, answer, isGone }`. */
  open = [];

  static async start({ more = 'max_in_flight = 256', onMessage } = {}) {
    const stage = new ResumeStage();
    const onCall = (message, response) => stage.#onCall(message, response);
    stage.scripted = await startScriptedServer({ tools: kTools, onCall, onMessage });
    stage.gateway = await startGateway(httpServer('far', stage.scripted.url, more) + kRule, { auth: kAuth });
    return stage;
  }

  async stop() {
    await this.gateway?.stop();
    await this.scripted?.stop();
  }

  #onCall({ id, params }, response) {
    const write = (message) => response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    const result = (text) => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
    if (params.name !== 'slow') {
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify(result(params.arguments?.text ?? '')));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    const token = params._meta?.progressToken;
    return this.open.push({
      write,
      tell: (step) => write(progress(token, step)),
      answer: (text) => {
        write(result(text));
        response.end();
      },
      isGone: new Promise((done) => response.on('close', done)),
    });
  }

  nextCall() {
    return eventually(() => this.open.shift(), 'the call reaches its server');
  }

  openSession(headers = kAnn) {
    return LegacySession.open(this.gateway.url, headers);
  }

  /** Comes back for what followed the event of that id. */
  resume(session, id, headers = {}) {
    return EventStream.open(this.gateway.url, { headers: { ...session.headers(), accept: 'text/event-stream', 'last-event-id': id, ...headers } });
  }

  openGet(session) {
    return EventStream.open(this.gateway.url, { headers: { ...session.headers(), accept: 'text/event-stream' } });
  }

  /** Begins a call whose answer is a stream; answers the client's end and the server's. */
  async beginCall(session, id = 1, name = 'far_slow') {
    const body = jsonRpc(id, 'tools/call', { name, arguments: {}, _meta: { progressToken: 'mine' } });
    const stream = await EventStream.open(this.gateway.url, { method: 'POST', headers: { ...session.headers(), ...kStreamFirst }, body });
    assert.equal(stream.status, 200);
    const call = await this.nextCall();
    await eventually(() => stream.lastId(), 'the stream says where it begins');
    return { stream, call };
  }

  /** The same, over and delivered: who comes back gets it again. */
  async finishedCall(session, id = 1) {
    const { stream, call } = await this.beginCall(session, id);
    call.answer('end');
    await stream.ended;
    return stream;
  }

  recordsOf(id) {
    return this.gateway.records().filter((one) => one.decision_id === id);
  }
}
