#!/usr/bin/env bash
# Unpacks Debian's syslog-ng below build/syslog-ng, for the stories of exports. It cannot be installed
# beside rsyslog, which they need as well: each package says that it conflicts with the other.
#
# Nothing of the machine is changed. Exit code: 0 where it is there, or where it cannot be had, which
# is said; the story is then skipped visibly.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
place=build/syslog-ng
program="$place/root/usr/sbin/syslog-ng"

if [[ -x $program ]]; then
  printf 'syslog-ng: ok, unpacked\n'
  exit 0
fi
rm -rf "$place"
mkdir -p "$place"
# As root apt would fetch under another account, which may not write here.
if ! (cd "$place" && apt-get -q -o APT::Sandbox::User=root download syslog-ng-core >download.log 2>&1); then
  printf 'syslog-ng: SKIPPED, the package cannot be fetched\n'
  exit 0
fi
dpkg -x "$place"/syslog-ng-core_*.deb "$place/root"
printf 'syslog-ng: ok, %s\n' "$(basename "$place"/syslog-ng-core_*.deb)"
