#!/usr/bin/env bash
# What `make package` runs: builds the release preset, tests what deploy/ makes of it, and leaves the
# Debian package in build/release.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
deploy/install_packages.sh build test
cmake --preset release
cmake --build --preset release --parallel "$(nproc)"
BARTIZAN_BIN="$PWD/build/release/bin/bartizan" tests/deploy/run.sh
cd build/release
cpack -G DEB
