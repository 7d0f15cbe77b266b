// What is tried in a cell of the matrix. Each operation has a nonce: it comes back to the client, is
// found at the server where that keeps what it is sent, and is on the gateway's record, as the digest of
// the arguments or within the URI. Where a server lacks something, it is asked for it all the same where
// there is a way to ask, and must not have it.
import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { eventually } from './assertions.mjs';
import { digestOf } from './matrix_stage.mjs';

let number = randomInt(1_000_000, 1_500_000);

/** A text and a number that nothing else of this run has. */
export function freshNonce() {
  number += 1;
  return { text: `nonce-${randomBytes(6).toString('hex')}`, number };
}

/** The form of a URI that names its server. */
const named = ({ connection, server }, uri) => `${connection.around ?? ''}bartizan://${server.id}/${uri}`;
const toolOf = ({ server }, tool) => `${server.id}_${tool}`;

/** The client's name of a cell's connection, and what it must be on record. */
const recordOf = ({ client, server }, more) => ({ server: server.id, transport: client.transport, ...more });

function textOf(result) {
  assert.notEqual(result.isError, true, `the tool failed: ${JSON.stringify(result)}`);
  return JSON.stringify(result);
}

async function failureOf(promise) {
  const answer = await promise.catch((error) => ({ isError: true, text: `${error.message} ${JSON.stringify(error.data ?? {})}` }));
  assert.equal(answer.isError, true, `expected a failure, got ${JSON.stringify(answer)}`);
  return answer.text ?? JSON.stringify(answer);
}

/** Streams of 2026-07-28 are acknowledged whatever the server is, and tell nothing. */
function assertSent({ server }, what) {
  if (server.sent) assert.ok(server.sent().includes(what), `the server was sent ${what}`);
}

async function callAndRecord(cell, { tool, given, answers, prepare }, options) {
  prepare?.();
  const { connection, stage } = cell;
  assert.ok(textOf(await connection.call(toolOf(cell, tool), given, options)).includes(answers), 'the answer has the nonce');
  assertSent(cell, answers.replace('the file ', ''));
  const decision = await stage.decision(recordOf(cell, { target: tool, argument_digest: digestOf(given) }));
  assert.equal(decision.decision, 'permit');
  assert.equal(await stage.outcome(decision), 'success');
}

const kAttempts = {
  async list({ connection, server }) {
    const listed = await connection.list();
    const begins = `${server.id}_`;
    const nonce = freshNonce();
    const offered = Object.entries(server.offers).filter(([what]) => what !== 'refused').map(([, offer]) => offer(nonce).tool);
    const tools = new Set([...offered, server.offers.cancel?.(nonce).asks].filter(Boolean).map((tool) => begins + tool));
    assert.deepEqual(listed.tools.filter((name) => name.startsWith(begins)).toSorted(), [...tools].toSorted());
    const prompts = listed.prompts.filter((name) => name.startsWith(begins));
    assert.equal(prompts.includes(begins + server.offers.prompt(nonce).name), server.lacks.prompt === undefined, `prompts ${prompts}`);
  },

  call: (cell, nonce) => callAndRecord(cell, cell.server.offers.call(nonce)),

  async refused(cell, nonce) {
    const { connection, server, stage } = cell;
    const { tool, given } = server.offers.refused(nonce);
    const text = await failureOf(connection.call(toolOf(cell, tool), given));
    const decision = await stage.decision(recordOf(cell, { argument_digest: digestOf(given) }));
    assert.equal(decision.decision, 'deny');
    assert.ok(text.includes(decision.decision_id), `${text} has the id ${decision.decision_id}`);
    if (server.sent) assert.ok(!server.sent().includes(String(given.a ?? nonce.text)), 'it reached the server');
  },

  async progress(cell, nonce) {
    const steps = [];
    const offer = cell.server.offers.progress ?? cell.server.offers.call;
    await callAndRecord(cell, offer(nonce), { onprogress: ({ progress }) => steps.push(progress) });
    if (cell.server.lacks.progress) return assert.deepEqual(steps, []);
    // The last one can come together with the answer, and clients drop what comes after that.
    assert.ok(steps.length >= 2 && steps.every((step, index) => step === index + 1), `steps ${steps}`);
  },

  async cancel(cell, nonce) {
    const { connection, server, stage } = cell;
    const { tool, given, mark, asks } = server.offers.cancel(nonce);
    const stop = new AbortController();
    const notes = () => server.sent?.().split('notifications/cancelled').length;
    const before = notes();
    const call = connection.call(toolOf(cell, tool), given, { signal: stop.signal }).then(() => assert.fail('it was not cancelled'), () => {});
    const decision = await stage.decision(recordOf(cell, { target: tool, argument_digest: digestOf(given) }));
    const says = async (what) => textOf(await connection.call(toolOf(cell, asks), { mark })).includes(`"${what}"`);
    if (asks) await eventually(() => says('no'), 'the server has the call', 20_000);
    else if (server.sent) await eventually(() => server.sent().includes(mark), 'the server has the call', 20_000);
    stop.abort();
    await call;
    assert.equal(await stage.outcome(decision), 'cancelled');
    if (asks) await eventually(() => says('yes'), 'the server knows', 20_000);
    else if (server.sent) await eventually(() => notes() > before || server.sent().includes(`cancelled ${mark}`), 'the server knows', 20_000);
  },

  async subscribe(cell, nonce) {
    const { connection, client, server, stage } = cell;
    const { uri, tool, touches } = server.offers.subscribe(nonce);
    const listens = () => stage.records({ ...recordOf(cell), kind: 'decision', method: 'subscriptions/listen', decision: 'permit' }).length;
    const before = { listens: listens(), updates: connection.updates.length };
    const following = connection.follow(named(cell, uri));
    if (server.lacks.subscribe) return void (await failureOf(following));
    const end = await following;
    // The record of `subscriptions/listen` names no resource.
    await eventually(() => stage.records(recordOf(cell, { kind: 'decision', target: uri, decision: 'permit' }))[0]
      ?? listens() > before.listens, `a decision on ${uri}`, 20_000);
    if (server.sent) await eventually(() => server.sent().includes(uri), `the server was sent ${uri}`, 20_000);
    let times = 0;
    // `toggle-subscriber-updates` sends in intervals.
    await eventually(async () => {
      const touch = async () => textOf(await connection.call(toolOf(cell, tool), touches((times += 1))));
      if ((await touch()).includes('Stopped')) await touch();
      await delay(50);
      return connection.updates.slice(before.updates).includes(named(cell, uri));
    }, `the update of ${named(cell, uri)}`, 20_000);
    await end();
  },

  async elicit(cell, nonce) {
    const { connection, server, stage } = cell;
    const { tool, given } = server.offers.elicit(nonce);
    const asked = () => stage.records({ kind: 'decision', server: server.id, direction: 'server_to_client', method: 'elicitation/create', decision: 'permit' }).length;
    const before = asked();
    const answer = `answer-${nonce.text}`;
    connection.form = { name: answer };
    assert.ok(textOf(await connection.call(toolOf(cell, tool), given)).includes(answer), 'the result has the answer');
    assertSent(cell, answer);
    assert.ok(asked() > before, 'the question is on record');
    await stage.decision(recordOf(cell, { target: tool, argument_digest: digestOf(given), decision: 'permit' }));
  },

  async read(cell, nonce) {
    const { connection, server, stage } = cell;
    const { uri, answers, first, mark = uri } = server.offers.read(nonce);
    if (server.lacks.read) return void (await failureOf(connection.read(named(cell, uri))));
    if (first) textOf(await connection.call(toolOf(cell, first.tool), first.given));
    assert.ok(JSON.stringify(await connection.read(named(cell, uri))).includes(answers), 'the answer has the nonce');
    assertSent(cell, mark);
    const decision = await stage.decision(recordOf(cell, { method: 'resources/read', target: uri, decision: 'permit' }));
    assert.equal(await stage.outcome(decision), 'success');
  },

  async prompt(cell, nonce) {
    const { connection, server, stage } = cell;
    const { name, given, answers } = server.offers.prompt(nonce);
    if (server.lacks.prompt) return void (await failureOf(connection.prompt(toolOf(cell, name), given)));
    assert.ok(JSON.stringify(await connection.prompt(toolOf(cell, name), given)).includes(answers), 'the answer has the nonce');
    assertSent(cell, nonce.text);
    const decision = await stage.decision(recordOf(cell, { target: name, argument_digest: digestOf(given), decision: 'permit' }));
    assert.equal(await stage.outcome(decision), 'success');
  },
};

export const kOperations = Object.keys(kAttempts);

/** Who lacks what makes an operation impossible in a cell, and why; nothing where it is possible. */
export function lackOf(client, server, operation) {
  if (client.lacks[operation]) return { name: client.name, why: client.lacks[operation] };
  if (server.lacks[operation]) return { name: server.name, why: server.lacks[operation] };
  if (client.modern && server.lacksInModern?.[operation]) return { name: server.name, why: server.lacksInModern[operation] };
  return undefined;
}

/** Whether there is anything to try: a client that cannot ask, and a server with nothing to stop. */
export function canTry(client, server, operation) {
  const lack = lackOf(client, server, operation);
  return !lack || (lack.name === server.name && !['cancel', 'elicit'].includes(operation));
}

/** Tries one operation of a cell; fails where it is not as the matrix says. */
export async function attempt(cell, operation) {
  await kAttempts[operation](cell, freshNonce());
}
