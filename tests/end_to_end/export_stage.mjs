// Receivers of exports: PostgreSQL, rsyslog, and strict HTTP servers that keep what they are sent.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect } from 'node:net';
import { dirname, join, resolve } from 'node:path';

import { eventually } from './assertions.mjs';
import { freePort, kTestsDirectory, runProgram, startGateway, temporaryDirectory, testerAuth } from './harness.mjs';
import { kDual, stdioServer } from './servers.mjs';
import { sendModern } from './wire.mjs';

const kPostgresFolder = '/usr/lib/postgresql/15/bin';
export const kNoPostgres = existsSync(`${kPostgresFolder}/postgres`) ? false : 'PostgreSQL 15 is not installed';
export const kNoRsyslog = existsSync('/usr/sbin/rsyslogd') ? false : 'rsyslog is not installed';

export function accepts(port) {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => (socket.destroy(), done(true)));
    socket.on('error', () => done(false));
  });
}

function run(command, given, options = {}) {
  return new Promise((done, fail) => {
    execFile(command, given, { maxBuffer: 1 << 28, ...options }, (error, stdout, stderr) =>
      error ? fail(new Error(`${command}: ${stderr || error.message}`)) : done(stdout),
    );
  });
}

// --- PostgreSQL -----------------------------------------------------------------------------------

/** PostgreSQL refuses root; the account of the package is there where root has installed it. */
const kPostgresAccount =
  process.getuid() === 0
    ? ['uid', 'gid'].map((kind) => Number(execFileSync('id', [kind === 'uid' ? '-u' : '-g', 'postgres'])))
    : [process.getuid(), process.getgid()];

/** A PostgreSQL of its own, on loopback: `{ port, user, password, query, stop, kill, start }`. */
export class Postgres {
  static async start(t, { certificates } = {}) {
    const database = new Postgres();
    database.directory = temporaryDirectory();
    database.port = await freePort();
    database.password = 'of-the-exporter';
    const [uid, gid] = kPostgresAccount;
    // The account has to reach its folder.
    for (let folder = database.directory; folder !== '/' && process.getuid() === 0; folder = dirname(folder)) {
      try {
        execFileSync('setpriv', [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', 'test', '-x', folder]);
      } catch {
        chmodSync(folder, 0o711);
      }
    }
    const data = join(database.directory, 'data');
    mkdirSync(data);
    if (process.getuid() === 0) chownSync(data, uid, gid);
    database.data = data;
    const secret = join(data, '..', 'password');
    writeFileSync(secret, `${database.password}\n`, { mode: 0o644 });
    const as = process.getuid() === 0 ? { uid, gid } : {};
    await run(`${kPostgresFolder}/initdb`, ['-D', data, '-U', 'bartizan', '--auth=scram-sha-256', `--pwfile=${secret}`, '-E', 'UTF8', '--no-sync'], as);
    const settings = [`port = ${database.port}`, `listen_addresses = '127.0.0.1'`, `unix_socket_directories = ''`, 'fsync = off'];
    if (certificates) {
      for (const [name, file] of [['server.crt', certificates.certFile], ['server.key', certificates.keyFile]]) {
        writeFileSync(join(data, name), readFileSync(file), { mode: 0o600 });
        if (process.getuid() === 0) chownSync(join(data, name), uid, gid);
      }
      settings.push('ssl = on');
      writeFileSync(join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 scram-sha-256\n');
    }
    appendFileSync(join(data, 'postgresql.conf'), `${settings.join('\n')}\n`);
    database.account = as;
    await database.start();
    t.after(() => database.kill());
    return database;
  }

  async start() {
    this.process = spawn(`${kPostgresFolder}/postgres`, ['-D', this.data], { stdio: ['ignore', 'ignore', 'pipe'], ...this.account });
    this.said = '';
    this.process.stderr.on('data', (text) => (this.said += text));
    this.exited = new Promise((done) => this.process.on('exit', done));
    process.on('exit', () => this.process.kill('SIGQUIT'));
    await eventually(() => accepts(this.port), 'PostgreSQL listens', 30_000).catch((error) => {
      throw new Error(`${error.message}: ${this.said}`);
    });
    await eventually(() => this.query('SELECT 1').catch(() => undefined), 'PostgreSQL answers', 30_000);
  }

  /** The rows of a query, each as a list of texts. */
  async query(sql) {
    const url = `postgresql://bartizan@127.0.0.1:${this.port}/postgres`;
    const text = await run('psql', ['-X', '-A', '-t', '-F', '\t', '-v', 'ON_ERROR_STOP=1', url, '-c', sql], {
      env: { PATH: process.env.PATH, PGPASSWORD: this.password },
    });
    return text.split('\n').filter(Boolean).map((line) => line.split('\t'));
  }

  async kill(signal = 'SIGQUIT') {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill(signal);
    await this.exited;
  }

  /** `[export.NAME]` for it; `more` are further keys. */
  table(name, more = '', url = `postgresql://127.0.0.1:${this.port}/postgres`) {
    return `[export.${name}]\ntype = "postgresql"\nurl = "${url}"\nuser = "bartizan"\npassword = "env:PG_SECRET"\n${more}\n`;
  }

  get environment() {
    return { PG_SECRET: this.password };
  }
}

// --- rsyslog --------------------------------------------------------------------------------------

/** rsyslog with inputs of all kinds: `{ tcp, tls, udp, socket, messages, stop, start }`. */
export class Rsyslog {
  static async start(t, certificates) {
    const receiver = new Rsyslog();
    receiver.directory = temporaryDirectory();
    [receiver.tcp, receiver.tls, receiver.udp] = [await freePort(), await freePort(), await freePort()];
    receiver.socket = join(receiver.directory, 'log');
    receiver.file = join(receiver.directory, 'received');
    const tls = certificates
      ? `global(defaultNetstreamDriverCAFile="${certificates.caFile}" defaultNetstreamDriverCertFile="${certificates.certFile}"
       defaultNetstreamDriverKeyFile="${certificates.keyFile}" defaultNetstreamDriver="ossl")
module(load="imptcp")
module(load="imtcp" StreamDriver.Name="ossl" StreamDriver.Mode="1" StreamDriver.AuthMode="anon")
input(type="imtcp" port="${receiver.tls}" address="127.0.0.1" ruleset="keep")`
      : 'module(load="imptcp")';
    writeFileSync(
      join(receiver.directory, 'rsyslog.conf'),
      `global(workDirectory="${receiver.directory}" maxMessageSize="256k")
${tls}
module(load="imudp")
module(load="imuxsock" SysSock.Use="off")
template(name="whole" type="string" string="%structured-data%\\t%pri%\\t%timestamp:::date-rfc3339%\\t%msgid%\\t%msg%\\n")
ruleset(name="keep") { action(type="omfile" file="${receiver.file}" template="whole" asyncWriting="off" flushOnTXEnd="on") }
input(type="imptcp" port="${receiver.tcp}" address="127.0.0.1" ruleset="keep")
input(type="imudp" port="${receiver.udp}" address="127.0.0.1" ruleset="keep")
input(type="imuxsock" Socket="${receiver.socket}" ruleset="keep" UseSpecialParser="off" ParseHostname="on" RateLimit.Interval="0")
`,
    );
    await receiver.start();
    t.after(() => receiver.stop());
    return receiver;
  }

  async start() {
    this.process = spawn('/usr/sbin/rsyslogd', ['-n', '-f', join(this.directory, 'rsyslog.conf'), '-i', join(this.directory, 'pid')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await this.wait('rsyslog');
  }

  /** Until it listens. */
  async wait(name) {
    this.said = '';
    this.process.stderr.on('data', (text) => (this.said += text));
    this.exited = new Promise((done) => this.process.on('exit', done));
    process.on('exit', () => this.process.kill('SIGKILL'));
    await eventually(() => accepts(this.tcp), `${name} listens`, 20_000).catch((error) => {
      throw new Error(`${error.message}: ${this.said}`);
    });
  }

  async stop(signal = 'SIGKILL') {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill(signal);
    await this.exited;
  }

  /** What was received: `{ seq, hash, chain, instance, priority, kind, text }`. */
  messages() {
    if (!existsSync(this.file)) return [];
    const lines = readFileSync(this.file, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => {
      const [data, priority, time, kind, ...text] = line.split('\t');
      const value = (name) => new RegExp(`${name}="([^"]*)"`, 'u').exec(data)?.[1];
      return { seq: Number(value('seq')), hash: value('hash'), chain: value('chain'), instance: value('instance'), priority, time, kind, text: text.join('\t').trimStart() };
    });
  }
}

// --- syslog-ng ------------------------------------------------------------------------------------

const kSyslogNg = resolve(kTestsDirectory, '..', 'build', 'syslog-ng', 'root', 'usr');
export const kNoSyslogNg = existsSync(`${kSyslogNg}/sbin/syslog-ng`) ? false : 'syslog-ng is not unpacked (tests/install_syslog_ng.sh)';

/** syslog-ng with an input for TCP and one for TLS: `{ tcp, tls, messages, stop }`. */
export class SyslogNg extends Rsyslog {
  static async start(t, certificates) {
    const receiver = new SyslogNg();
    receiver.directory = temporaryDirectory();
    [receiver.tcp, receiver.tls] = [await freePort(), await freePort()];
    receiver.file = join(receiver.directory, 'received');
    const input = (transport, port, more = '') => `syslog(transport("${transport}") ip("127.0.0.1") port(${port}) log-msg-size(262144) ${more});`;
    const tls = `tls(key-file("${certificates.keyFile}") cert-file("${certificates.certFile}") peer-verify(optional-untrusted))`;
    writeFileSync(
      join(receiver.directory, 'syslog-ng.conf'),
      `@version: 3.38
options { log-msg-size(262144); flush-lines(1); };
source in { ${input('tcp', receiver.tcp)} ${input('tls', receiver.tls, tls)} };
destination kept { file("${receiver.file}" template("\${SDATA}\\t\${PRI}\\t\${ISODATE}\\t\${MSGID}\\t\${MSGONLY}\\n")); };
log { source(in); destination(kept); };
`,
    );
    await receiver.start();
    t.after(() => receiver.stop());
    return receiver;
  }

  async start() {
    const place = (name) => join(this.directory, name);
    const libraries = `${kSyslogNg}/lib/syslog-ng`;
    this.process = spawn(
      `${kSyslogNg}/sbin/syslog-ng`,
      ['--foreground', '--stderr', '--no-caps', `--module-path=${libraries}/3.38`, `--cfgfile=${place('syslog-ng.conf')}`, `--persist-file=${place('persist')}`, `--control=${place('control')}`, `--pidfile=${place('pid')}`],
      { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, LD_LIBRARY_PATH: libraries } },
    );
    await this.wait('syslog-ng');
  }
}

// --- HTTP -----------------------------------------------------------------------------------------

/** A receiver that keeps the body of each request, and answers as it is told: `{ url, requests, stop }`. */
export class Receiver {
  requests = [];

  static async start(t, answer, { certificates } = {}) {
    const receiver = new Receiver();
    receiver.answer = answer;
    const handle = (incoming, outgoing) => {
      const chunks = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('end', () => {
        const request = { method: incoming.method, target: incoming.url, headers: incoming.headers, body: Buffer.concat(chunks).toString() };
        const { status = 200, body = '', keep = status < 300 } = receiver.answer(request) ?? {};
        if (keep) receiver.requests.push(request);
        outgoing.writeHead(status, { 'content-type': 'application/json' });
        outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
      });
    };
    receiver.listener = certificates ? createSecureServer(certificates.forNode, handle) : createServer(handle);
    receiver.scheme = certificates ? 'https' : 'http';
    await receiver.listen(0);
    t.after(() => receiver.stop());
    return receiver;
  }

  async listen(port = this.port) {
    await new Promise((done) => this.listener.listen(port, '127.0.0.1', done));
    this.port = this.listener.address().port;
    this.url = `${this.scheme}://127.0.0.1:${this.port}`;
  }

  async stop() {
    this.listener.closeAllConnections();
    await new Promise((done) => this.listener.close(done));
  }

  /** The records of all bodies of JSON lines. */
  records() {
    return this.requests.flatMap(({ body }) => body.split('\n').filter(Boolean).map((line) => JSON.parse(line)));
  }
}

// --- The gateway ----------------------------------------------------------------------------------

const kPolicy = `[rule.all]
effect = "permit"
roles = ["tester"]
tools = ["dual/echo"]
`;

/** A gateway whose record is exported by `tables`; `audit`: more keys of [audit]. */
export async function startExporting(t, tables, { audit = '', environment = {}, ...more } = {}) {
  const body = `${stdioServer('dual', [kDual])}${kPolicy}${tables}`;
  const gateway = await startGateway(body, { auth: testerAuth(), audit: `instance = "gw-1"\n${audit}`, environment, ...more });
  t.after(() => gateway.process.kill('SIGKILL'));
  return gateway;
}

/** `count` calls, every third of which is refused. */
export async function makeCalls(gateway, count) {
  for (let at = 0; at < count; at += 1) {
    const name = at % 3 === 2 ? 'dual_forbidden' : 'dual_echo';
    await sendModern(gateway.url, 'tools/call', { name, arguments: { text: `call ${at}` } });
  }
}

/** The files of the gateway's record, oldest first. */
export function recordFiles(gateway) {
  const folder = dirname(gateway.auditFile);
  const closed = readdirSync(folder).filter((name) => /^audit-\d.*\.jsonl$/u.test(name)).sort();
  return [...closed.map((name) => join(folder, name)), gateway.auditFile];
}

/** All records of the chain, oldest first, once it was verified. */
export async function verifiedRecords(gateway) {
  const { code, stdout, stderr } = await runProgram('audit', 'verify', gateway.auditFile);
  if (code !== 0) throw new Error(stdout + stderr);
  return recordFiles(gateway).flatMap((file) => readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)));
}
