// Programs under an account without any right, for stories whose promise root stands outside of.
import { execFileSync } from 'node:child_process';

import { kNode, kTestsDirectory } from './harness.mjs';

const kAccount = '65534';
const kBecome = ['setpriv', `--reuid=${kAccount}`, `--regid=${kAccount}`, '--clear-groups'];

/** A wrapper for `startGateway`: its folder is given to an ordinary account, which then runs it. */
export const kAsOrdinary =
  process.getuid() === 0
    ? ['sh', '-c', `chown -R ${kAccount} . && exec ${kBecome.join(' ')} "$@"`, 'sh']
    : [];

function reads(path) {
  try {
    execFileSync(process.getuid() === 0 ? kBecome[0] : 'test', [
      ...(process.getuid() === 0 ? [...kBecome.slice(1), 'test'] : []),
      '-r',
      path,
    ]);
    return true;
  } catch {
    return false;
  }
}

/** Why such stories are skipped, or false. */
export const kNoOrdinary = reads(kNode) && reads(kTestsDirectory) ? false : 'no ordinary account can read this checkout';
