// Whether this machine lets a program have a network of its own.
import { execFileSync } from 'node:child_process';

function may(...flags) {
  try {
    execFileSync('unshare', [...flags, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Why stories of servers without a network are skipped, or false. */
export const kNoNamespaces =
  may('--net') || may('--user', '--map-current-user', '--net') ? false : 'this machine forbids network namespaces';
