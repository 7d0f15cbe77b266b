#!/usr/bin/env bash
# Fuzzes every target, one after the other. What is found beside the seeds goes to build/fuzz; an
# input that breaks a target is left there too, and belongs into fuzz/corpus with the fix.
#
#   tests/run_fuzz.sh [SECONDS]    for each target (default 60)
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds="${1:-60}"
deploy/install_packages.sh
cmake --workflow --preset fuzz
code=0
for program in build/fuzz/bin/fuzz_*; do
  name="$(basename "$program")"
  found="build/fuzz/found/$name"
  mkdir -p "$found"
  printf '== %s, %d s\n' "$name" "$seconds"
  "$program" -max_total_time="$seconds" -timeout=10 -print_final_stats=0 -verbosity=0 \
    -artifact_prefix="$found/" "$found" "fuzz/corpus/${name#fuzz_}" || code=1
done
exit "$code"
