// What the stories of revocation share: a gateway with state file, admin socket and console before two
// servers, and what orders something of it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { textOf } from './assertions.mjs';
import { freePort, kProgram, runProgram, startGateway, temporaryDirectory } from './harness.mjs';
import { digestOf } from './reloading.mjs';
import { httpServer, startDualServer } from './servers.mjs';
import { responseOf, sendModern } from './wire.mjs';

export const kKeys = { ann: 'the-key-of-ann', second: 'the-second-key-of-ann', bob: 'the-key-of-bob', olga: 'the-key-of-olga' };
const keyTable = (name, principal) => `[auth.api_key.${name}]\nprincipal = "${principal}"\nsha256 = "${digestOf(kKeys[name])}"\n`;
export const kAuth = `${keyTable('ann', 'ann')}${keyTable('second', 'ann')}${keyTable('bob', 'bob')}${keyTable('olga', 'olga')}
[principal.ann]
roles = ["caller"]
[principal.bob]
roles = ["caller"]
[principal.olga]
roles = ["operator"]
[role.caller]
trust = "verified"
[role.operator]
[rule.callers]
effect = "permit"
roles = ["caller"]
tools = ["dual/echo", "dual/slow", "dual/was_cancelled", "other/echo"]
[rule.listeners]
effect = "permit"
roles = ["caller"]
methods = ["subscriptions/listen"]
`;
export const bearer = (secret) => ({ authorization: `Bearer ${secret}` });

/** A gateway with state file, admin socket and console, and what orders something of it. */
export async function begin(t, { auth = kAuth, state = true, more = '', ...options } = {}) {
  const folder = temporaryDirectory();
  const stateFile = join(folder, 'state.db');
  const port = await freePort();
  const [dual, other] = [await startDualServer(), await startDualServer()];
  const tables = `${state ? `[state]\nfile = ${JSON.stringify(stateFile)}\n` : ''}[admin]\nsocket = "${join(folder, 'admin.sock')}"
[console]\naddress = "127.0.0.1:${port}"\nroles = ["operator"]\n${httpServer('dual', dual.url)}${httpServer('other', other.url)}${more}`;
  const gateway = await startGateway(tables, { auth, ...options });
  const place = { folder, stateFile, gateway, console: `http://127.0.0.1:${port}` };
  place.stop = async () => {
    await place.gateway.stop();
    dual.stop();
    other.stop();
  };
  t?.after(place.stop);
  /** `bartizan VERB… FILE REST… --json`: what it answers. */
  place.order = async (verb, ...rest) => {
    const { code, stdout, stderr } = await runProgram(...verb.split(' '), gateway.configFile, ...rest, '--json');
    return { code, ...JSON.parse(code === 0 ? stdout : stderr) };
  };
  place.done = async (verb, ...rest) => {
    const answer = await place.order(verb, ...rest);
    assert.equal(answer.code, 0, JSON.stringify(answer));
    return answer.revocation;
  };
  place.lift = (revocation) => place.done('lift', String(revocation.number));
  place.call = (secret, tool = 'dual_echo', given = { text: 'x' }) =>
    sendModern(place.gateway.url, 'tools/call', { name: tool, arguments: given }, { headers: bearer(secret) });
  place.passes = async (secret, tool) => assert.equal(textOf(responseOf(await place.call(secret, tool)).result), 'x');
  return place;
}

/** `bartizan revoke token FILE`, with what stands on standard input. */
export function revokeToken(place, token) {
  return new Promise((done) => {
    const child = spawn(kProgram, ['revoke', 'token', place.gateway.configFile, '--why', 'leaked', '--json']);
    let text = '';
    child.stdout.on('data', (chunk) => (text += chunk));
    child.stderr.on('data', (chunk) => (text += chunk));
    child.on('close', (code) => done({ code, ...JSON.parse(text) }));
    child.stdin.end(`${token}\n`);
  });
}
