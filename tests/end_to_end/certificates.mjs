// Certificates of private authorities, for servers and gateways behind TLS.
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { temporaryDirectory } from './harness.mjs';

const kNewKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/**
 * A private authority and a certificate of its for `subject`, as files and as what Node wants; `renew` answers
 * another one of the same authority, with another key.
 */
export function makeCertificates(subject) {
  const directory = temporaryDirectory();
  const file = (name) => join(directory, name);
  const openssl = (...given) => execFileSync('openssl', given, { stdio: 'ignore' });
  openssl('req', '-x509', ...kNewKey, '-keyout', file('ca.key'), '-out', file('ca.pem'), '-days', '2', '-subj', '/CN=authority');
  writeFileSync(file('extensions'), `subjectAltName=${subject}\n`);
  const sign = (name) => {
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
      renew: () => sign(`${name}-again`),
    };
  };
  return sign('server');
}
