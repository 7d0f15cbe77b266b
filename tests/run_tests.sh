#!/usr/bin/env bash
# What `make test` runs: every stage in order, each with its time, and one line at the end.
#
#   tests/run_tests.sh             all stages
#   tests/run_tests.sh STAGE…      packages build unit npm end_to_end conformance style
#                                  tsan deploy
#   BARTIZAN_OFFLINE=1             skips the stages that need the npm programs, visibly
#
# A stage that fails does not stop the next one where that still makes sense. Exit code: 0 when
# nothing failed.
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs="$(nproc)"
logs=build/logs
passed=0 failed=0 skipped=0
mkdir -p "$logs"

count() {  # PASSED FAILED SKIPPED
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

# Runs a stage, shows and keeps its output, and adds what it counted.
run_stage() {
  local stage="$1" began=$SECONDS state=ok code=0 counts
  printf '\n== %s\n' "$stage"
  "stage_$stage" 2>&1 | tee "$logs/$stage.log"
  code=${PIPESTATUS[0]}
  counts="$(python3 tests/count_results.py "$stage" "$logs/$stage.log" "$code")"
  # shellcheck disable=SC2086  # three numbers
  count $counts
  [[ $code -eq 0 ]] || state=FAILED
  printf '== %s: %s, %d s\n' "$stage" "$state" $((SECONDS - began))
  return "$code"
}

stage_packages() { deploy/install_packages.sh; }

stage_build() {
  cmake --preset dev >"$logs/configure.log" 2>&1 || { cat "$logs/configure.log"; return 1; }
  cmake --build --preset dev --parallel "$jobs"
}

# Unit tests, corpora, the house rules and the replay of the fuzz corpora.
stage_unit() {
  ctest --test-dir build/dev --output-on-failure --parallel "$jobs" \
    --test-output-size-passed 16777216 --test-output-size-failed 16777216 \
    --output-junit "$PWD/$logs/unit.xml"
}

stage_npm() { tests/install_npm.sh; }
stage_end_to_end() { BARTIZAN_BIN="$PWD/build/dev/bin/bartizan" tests/end_to_end/run.sh; }
stage_conformance() { BARTIZAN_BIN="$PWD/build/dev/bin/bartizan" tests/conformance/run.sh; }
stage_style() { tests/check_style.sh build/dev; }

stage_tsan() {
  cmake --preset tsan >"$logs/configure-tsan.log" 2>&1 || { cat "$logs/configure-tsan.log"; return 1; }
  cmake --build --preset tsan --parallel "$jobs" --target test_gateway || return 1
  build/tsan/bin/test_gateway --gtest_brief=1
}

# The release build, and what is made of it: package, image, units, manifests.
stage_deploy() {
  { cmake --preset release && cmake --build --preset release --parallel "$jobs"; } \
    >"$logs/release.log" 2>&1 || { tail -n 40 "$logs/release.log"; return 1; }
  tests/deploy/run.sh
}

stages=("$@")
[[ ${#stages[@]} -gt 0 ]] || stages=(packages build unit npm end_to_end conformance style tsan deploy)
built=yes
for stage in "${stages[@]}"; do
  declare -F "stage_$stage" >/dev/null || { printf 'no such stage: %s\n' "$stage" >&2; exit 2; }
  case "$stage" in
    unit | end_to_end | conformance | style)
      if [[ $built == no ]]; then
        printf '\n== %s: not run, the build failed\n' "$stage"
        continue
      fi
      ;;
  esac
  if ! run_stage "$stage"; then
    case "$stage" in
      packages) break ;;  # Nothing can be built.
      build) built=no ;;
    esac
  fi
done

printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[[ $failed -eq 0 ]]
