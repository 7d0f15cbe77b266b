#!/usr/bin/env bash
# What `make test` runs: every stage in order, each with its seconds, and one line at the end.
#
#   tests/run_tests.sh             all stages
#   tests/run_tests.sh STAGE…      packages build unit npm python end_to_end conformance
#                                  style tsan deploy
#   BARTIZAN_OFFLINE=1             skips the stages that need npm or Python programs, visibly
#
# A stage that fails does not stop the next one where that still makes sense. The last lines name what
# failed, and which stages took longer than their budget; that fails nothing. Exit code: 0 when nothing
# failed.
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs="$(nproc)"
logs=build/logs
passed=0 failed=0 skipped=0
# Seconds with an empty compiler cache on two processors.
declare -A budget=([packages]=90 [build]=900 [unit]=120 [npm]=45 [python]=30 [end_to_end]=530 [conformance]=60
  [style]=180 [tsan]=330 [deploy]=360)
over_budget=() failed_stages=()
mkdir -p "$logs"
# Half of the time of programs with AddressSanitizer went into the stack of each allocation. A report has
# three frames of that; ASAN_OPTIONS= brings the others back.
export ASAN_OPTIONS="${ASAN_OPTIONS-malloc_context_size=3}"

count() {  # PASSED FAILED SKIPPED
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

# Runs a stage, shows and keeps its output, and adds what it counted.
run_stage() {
  local stage="$1" began=$SECONDS state=ok code=0 counts seconds
  printf '\n== %s\n' "$stage"
  "stage_$stage" 2>&1 | tee "$logs/$stage.log"
  code=${PIPESTATUS[0]}
  counts="$(python3 tests/count_results.py "$stage" "$logs/$stage.log" "$code")"
  # shellcheck disable=SC2086  # three numbers
  count $counts
  [[ $code -eq 0 ]] || { state=FAILED; failed_stages+=("$stage"); }
  seconds=$((SECONDS - began))
  printf '== %s: %s, %d s\n' "$stage" "$state" "$seconds"
  ((seconds <= budget[$stage])) || over_budget+=("$stage $seconds s of ${budget[$stage]}")
  return "$code"
}

# Names what failed in a stage, from its log: tests, sources, or its last lines.
print_failures() {  # STAGE
  local names
  names="$(grep -E '^\[  FAILED  \] [A-Za-z]|^test at |✖ [^f]|^(FAIL|ERROR): |: (error|warning): |^FAILED: |WARNING: ThreadSanitizer|: FAILED|UNSTEADY' \
    "$logs/$1.log" | sort -u | head -n 20)"
  [[ -n $names ]] || names="$(tail -n 10 "$logs/$1.log")"
  printf '%s\n' "$names" | sed "s/^ */failed in $1: /"
}

stage_packages() { deploy/install_packages.sh build test && tests/install_syslog_ng.sh; }

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
stage_python() { tests/install_python.sh; }
stage_end_to_end() { BARTIZAN_BIN="$PWD/build/dev/bin/bartizan" tests/end_to_end/run.sh; }
stage_conformance() { BARTIZAN_BIN="$PWD/build/dev/bin/bartizan" tests/conformance/run.sh; }

# Sources are read as they stand, without precompiled headers.
stage_style() {
  cmake --preset tidy >"$logs/configure-tidy.log" 2>&1 || { cat "$logs/configure-tidy.log"; return 1; }
  tests/check_style.sh build/tidy
}

stage_tsan() {
  cmake --preset tsan >"$logs/configure-tsan.log" 2>&1 || { cat "$logs/configure-tsan.log"; return 1; }
  cmake --build --preset tsan --parallel "$jobs" || return 1
  build/tsan/bin/test_threads --gtest_brief=1
}

# What `make run` builds, and what is made of it: package, image, units, manifests. `make package`
# and `make soak` do the same with the release build.
stage_deploy() {
  { cmake --preset first-run && cmake --build --preset first-run --parallel "$jobs"; } \
    >"$logs/first-run.log" 2>&1 || { tail -n 40 "$logs/first-run.log"; return 1; }
  BARTIZAN_BIN="$PWD/build/first-run/bin/bartizan" tests/deploy/run.sh
}

stages=("$@")
[[ ${#stages[@]} -gt 0 ]] || stages=(packages build unit npm python end_to_end conformance style tsan deploy)
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

printf '\n'
for stage in "${failed_stages[@]}"; do print_failures "$stage"; done
for stage in "${over_budget[@]}"; do printf 'over its budget: %s\n' "$stage"; done
printf 'all stages: %d s\n' "$SECONDS"
printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[[ $failed -eq 0 ]]
