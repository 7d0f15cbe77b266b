#!/usr/bin/env bash
# Installs the Python clients and servers that the end-to-end tests drive, from the committed hashes and
# nothing else, into build/python. Does nothing when what is installed is what requirements.txt says.
#
#   tests/install_python.sh         installs when needed
#   BARTIZAN_OFFLINE=1 ...          installs nothing, says that these tests are skipped, exits 0
set -euo pipefail

tests_directory="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
requirements="$tests_directory/requirements.txt"
place="$tests_directory/../build/python"
stamp="$place/.bartizan-lock"
log="$(mktemp)"
trap 'rm -f "$log"' EXIT

fail() {
  printf 'Python programs: FAILED: %s\n' "$1" >&2
  exit 1
}

is_installed() {
  [[ -x "$place/bin/python" && -f "$stamp" && "$(cat "$stamp")" == "$wanted_digest" ]]
}

say_why_pip_failed() {
  cat "$log" >&2
  if grep -Eq 'NewConnectionError|ConnectTimeout|SSLError|Temporary failure|Network is unreachable' "$log"; then
    fail "pip reaches nothing, so the end-to-end tests have no Python clients and servers; \
BARTIZAN_OFFLINE=1 skips them visibly"
  fi
  fail "pip did not succeed; its output is above"
}

install() {
  rm -rf "$place"
  mkdir -p "$(dirname "$place")"
  printf 'Python programs: installing the locked versions (about 10 s) ...\n'
  "$python" -m venv "$place" >"$log" 2>&1 ||
    { cat "$log" >&2; fail "no virtual environment can be made (Debian package: python3-venv)"; }
  # The retries are few: without a network the reason is wanted soon, not after minutes.
  "$place/bin/python" -m pip install --quiet --no-input --disable-pip-version-check --retries 1 \
    --require-hashes --only-binary=:all: --no-deps -r "$requirements" >"$log" 2>&1 || say_why_pip_failed
  printf '%s\n' "$wanted_digest" >"$stamp"
  printf 'Python programs: ok, %s\n' "$("$place/bin/python" --version)"
}

if [[ "${BARTIZAN_OFFLINE:-}" == 1 ]]; then
  printf 'Python programs: BARTIZAN_OFFLINE=1, nothing is installed; end-to-end tests are SKIPPED\n'
  exit 0
fi
# Two runs at once would tear down each other's installation; the second finds it finished.
exec 9<"$requirements"
flock 9
wanted_digest="$(sha256sum "$requirements" | cut -d' ' -f1)"
if is_installed; then
  printf 'Python programs: ok, as locked\n'
  exit 0
fi
# The hashes are those of wheels for Debian's own Python.
python=/usr/bin/python3
[[ "$("$python" -c 'import platform, sys; print(*sys.version_info[:2], platform.machine())' 2>/dev/null)" == '3 11 x86_64' ]] ||
  fail "$python is not Python 3.11 for x86-64, for which requirements.txt has its hashes"
install
