// The shipped dashboard on a Prometheus that scrapes a gateway: each query of it has data.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'node:test';

import { eventually } from './assertions.mjs';
import { makeCertificates } from './certificates.mjs';
import { Receiver } from './export_stage.mjs';
import { freePort, kTestsDirectory, startGateway, temporaryDirectory } from './harness.mjs';
import { kDual, stdioServer } from './servers.mjs';
import { sendModern } from './wire.mjs';

const skip = spawnSync('prometheus', ['--version']).error ? 'no prometheus (Debian: prometheus)' : false;
const kBoard = JSON.parse(readFileSync(join(kTestsDirectory, '..', 'deploy', 'grafana', 'bartizan.json'), 'utf8'));
const kKey = 'of-the-tester';

/** Every query of the dashboard, as Grafana would ask it about all gateways. */
const kQueries = kBoard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, query: expr.replaceAll('$__rate_interval', '10s').replaceAll('$instance', '.*') })),
);

/** Prometheus on loopback that scrapes that page each second; answers a function that asks it. */
async function startPrometheus(t, metricsUrl) {
  const folder = temporaryDirectory();
  const port = await freePort();
  const { host } = new URL(metricsUrl);
  const file = join(folder, 'prometheus.yml');
  writeFileSync(
    file,
    `global: {scrape_interval: 1s}\nscrape_configs:\n  - job_name: bartizan\n    static_configs: [{targets: ["${host}"]}]\n`,
  );
  const given = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=warn'];
  const server = spawn('prometheus', given, { stdio: 'ignore' });
  t.after(() => server.kill('SIGKILL'));
  return async (query) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`);
    const { status, error, data } = await answer.json();
    assert.equal(status, 'success', `${query}: ${error}`);
    return data.result;
  };
}

describe('the dashboard', { skip }, () => {
  it('has data in each of its panels', async (t) => {
    const receiver = await Receiver.start(t, () => ({}));
    const certificates = makeCertificates('IP:127.0.0.1');
    const headKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
    const consolePort = await freePort();
    const auth = `
[auth.api_key.tester]
principal = "tester"
sha256 = "${createHash('sha256').update(kKey).digest('hex')}"
expires = 2999-01-01
[principal.tester]
roles = ["tester"]
[role.tester]
`;
    const body = `${stdioServer('dual', [kDual])}
[rule.all]
effect = "permit"
roles = ["tester"]
tools = ["dual/echo"]
[console]
address = "127.0.0.1:${consolePort}"
roles = ["tester"]
tls = { cert = "${certificates.certFile}", key = "file:${certificates.keyFile}" }
[state]
file = "state.db"
[export.lines]
type = "json_lines"
url = "${receiver.url}"
`;
    const audit = '[audit.heads]\nkey = "file:heads.pem"\nevery = "1s"\nfile = "heads.jws"\n';
    const gateway = await startGateway(body, { auth, audit, files: { 'heads.pem': headKey } });
    t.after(() => gateway.process.kill('SIGKILL'));
    const ask = await startPrometheus(t, gateway.metricsUrl);

    let isOver = false;
    const headers = { authorization: `Bearer ${kKey}` };
    const call = (name, text, more = headers) => sendModern(gateway.url, 'tools/call', { name, arguments: { text } }, { headers: more });
    const traffic = (async () => {
      while (!isOver) {
        await call('dual_echo', 'a secret: AKIAIOSFODNN7EXAMPLB');
        await call('dual_echo', 'hid\u200bden\u202e');
        await call('dual_forbidden', 'no rule permits it');
        await call('dual_echo', 'no credential', {});
        await delay(200);
      }
    })();
    // Before the gateway ends: what is on its way then would fail.
    const quiet = async () => ((isOver = true), await traffic);

    assert.ok(kQueries.length >= 40, `${kQueries.length} queries`);
    await eventually(async () => (await ask('up').catch(() => [])).some(({ value }) => value[1] === '1'), 'Prometheus scrapes', 20_000).catch(quiet);
    const empty = async () => {
      const found = [];
      for (const { title, query } of kQueries) {
        const result = await ask(query);
        const hasData = result.some(({ value }) => Number.isFinite(Number(value[1])));
        if (!hasData) found.push(`${title}: ${query}`);
      }
      return found;
    };
    let rest = [];
    await eventually(async () => (rest = await empty()).length === 0, 'each query has data', 30_000).catch(() => undefined);
    await quiet();
    assert.deepEqual(rest, []);
    // What is told apart by Grafana's variable is there, too.
    assert.ok((await ask('bartizan_build_info'))[0].metric.instance.startsWith('127.0.0.1:'));
    // A query of a metric that does not exist would be found.
    assert.deepEqual(await ask('bartizan_no_such_metric'), []);
  });
});
