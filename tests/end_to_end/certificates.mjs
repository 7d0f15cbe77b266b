// Certificates of private authorities, for servers and gateways behind TLS.
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { temporaryDirectory } from './harness.mjs';

const kNewKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/**
 * A private authority and a certificate of its for `subject`, as files and as what Node wants; `renew` answers
 * another one of the same authority, with another key, for other names where they are given.
 */
export function makeCertificates(subject) {
  const directory = temporaryDirectory();
  const file = (name) => join(directory, name);
  const openssl = (...given) => execFileSync('openssl', given, { stdio: 'ignore' });
  openssl('req', '-x509', ...kNewKey, '-keyout', file('ca.key'), '-out', file('ca.pem'), '-days', '2', '-subj', '/CN=authority');
  const sign = (name, names = subject) => {
    writeFileSync(file('extensions'), `subjectAltName=${names}\n`);
    const [key, request, certificate] = [file(`${name}.key`), file(`${name}.request`), file(`${name}.pem`)];
    openssl('req', ...kNewKey, '-keyout', key, '-out', request, '-subj', '/CN=server');
    const signing = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '2'];
    openssl('x509', '-req', '-in', request, ...signing, '-extfile', file('extensions'), '-out', certificate);
    chmodSync(key, 0o600);
    return {
      caFile: file('ca.pem'),
      certFile: certificate,
      keyFile: key,
      forNode: { key: readFileSync(key), cert: readFileSync(certificate) },
      renew: (names) => sign(`${name}-again`, names),
    };
  };
  return sign('server');
}

/** As `openssl ca` wants it: UTC, to the second. */
const utc = (time) => new Date(time).toISOString().replace(/[-:T]|\.\d+/g, '');

/** A private authority whose certificates can have any names and times, and can be revoked. */
export class Authority {
  #directory = temporaryDirectory();
  #issued = 0;

  constructor(name = 'clients') {
    const settings = ['[ca]', 'default_ca = own', '[own]', 'database = index.txt', 'serial = serial', 'crlnumber = crlnumber'];
    const more = ['new_certs_dir = .', 'certificate = ca.pem', 'private_key = ca.key', 'default_md = sha256', 'policy = any'];
    const rest = ['unique_subject = no', 'default_crl_days = 2', '[any]', 'commonName = optional'];
    writeFileSync(this.#file('settings'), `${[...settings, ...more, ...rest].join('\n')}\n`);
    writeFileSync(this.#file('index.txt'), '');
    writeFileSync(this.#file('serial'), '1000\n');
    writeFileSync(this.#file('crlnumber'), '01\n');
    this.#openssl('req', '-x509', ...kNewKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', `/CN=${name}`);
    this.file = this.#file('ca.pem');
    this.pem = readFileSync(this.file, 'utf8');
  }

  #file(name) {
    return join(this.#directory, name);
  }

  #openssl(...given) {
    return execFileSync('openssl', given, { cwd: this.#directory, stdio: ['ignore', 'pipe', 'ignore'] });
  }

  /**
   * A certificate with these alternative names, as OpenSSL spells them: `{ cert, key }` as Node takes them, and its
   * `der`. `begins` and `ends` are times in milliseconds.
   */
  issue(names, { usage = 'clientAuth', begins = Date.now() - 60_000, ends = Date.now() + 86_400_000 } = {}) {
    this.#issued += 1;
    const name = `client-${this.#issued}`;
    const extensions = [`extendedKeyUsage = ${usage}`, ...(names ? [`subjectAltName = ${names}`] : [])];
    writeFileSync(this.#file(`${name}.extensions`), `${extensions.join('\n')}\n`);
    this.#openssl('req', ...kNewKey, '-keyout', `${name}.key`, '-out', `${name}.request`, '-subj', `/CN=${name}`);
    const times = ['-startdate', utc(begins), '-enddate', utc(ends)];
    this.#openssl('ca', '-config', 'settings', '-batch', '-notext', ...times, '-in', `${name}.request`, '-extfile', `${name}.extensions`, '-out', `${name}.pem`);
    const [cert, key] = [readFileSync(this.#file(`${name}.pem`), 'utf8'), readFileSync(this.#file(`${name}.key`), 'utf8')];
    return { cert, key, der: new X509Certificate(cert).raw, name };
  }

  /** Puts certificates on its list from now on. */
  revoke(...certificates) {
    for (const { name } of certificates) this.#openssl('ca', '-config', 'settings', '-revoke', `${name}.pem`);
  }

  /** Its list, PEM. */
  list() {
    this.#openssl('ca', '-config', 'settings', '-gencrl', '-out', 'list.pem');
    return readFileSync(this.#file('list.pem'), 'utf8');
  }
}
