#!/usr/bin/env bash
# Fuzzes the targets one after the other. What is found beside the seeds goes to build/fuzz/found and
# is used again by the next run; an input that breaks a target is left there too, and belongs into
# fuzz/corpus with the fix.
#
#   tests/run_fuzz.sh [SECONDS] [NAME…]    processor seconds for each (default 60), all targets
#   BARTIZAN_FUZZ_BIN=DIR                  programs that are built already
#   BARTIZAN_FUZZ_FOUND=DIR                where to keep what is found
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
budget="${1:-60}"
[[ $# -eq 0 ]] || shift
found="${BARTIZAN_FUZZ_FOUND:-build/fuzz/found}"
bin="${BARTIZAN_FUZZ_BIN:-build/fuzz/bin}"
ticks="$(getconf CLK_TCK)"

# Processor time of a process, of all its threads; nothing once it has gone.
processor_seconds() {
  local stat fields
  stat="$(cat "/proc/$1/stat" 2>/dev/null)" || return 1
  read -ra fields <<<"${stat##*) }"
  [[ "${fields[0]}" != Z ]] || return 1
  printf '%d\n' $(((fields[11] + fields[12]) / ticks))
}

# libFuzzer counts seconds of the clock, which say little where a machine is busy. SIGUSR1 ends it
# with its statistics.
stop_in_time() {
  local spent
  while spent="$(processor_seconds "$1")"; do
    if ((spent >= budget)); then
      kill -USR1 "$1" 2>/dev/null || return 0
    fi
    sleep 1
  done
}

fuzz() {
  local name="$1" code=0 arguments=() process
  mkdir -p "$found/$name"
  [[ ! -f "fuzz/dictionary/$name.dict" ]] || arguments=(-dict="fuzz/dictionary/$name.dict")
  printf '== %s, %d processor seconds\n' "$name" "$budget"
  "$bin/fuzz_$name" "${arguments[@]}" -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$found/$name-" "$found/$name" "fuzz/corpus/$name" >"$found/$name.log" 2>&1 &
  process=$!
  stop_in_time "$process"
  wait "$process" || code=$?
  if ((code != 0)); then
    tail -n 40 "$found/$name.log"
    return "$code"
  fi
  grep -E '^(stat::(number_of_executed_units|new_units_added|peak_rss_mb)|#.*DONE)' "$found/$name.log" || true
}

if [[ -z "${BARTIZAN_FUZZ_BIN:-}" ]]; then
  deploy/install_packages.sh build test
  cmake --workflow --preset fuzz
fi
names=("$@")
if [[ ${#names[@]} -eq 0 ]]; then
  for program in "$bin"/fuzz_*; do names+=("${program##*/fuzz_}"); done
fi
code=0
for name in "${names[@]}"; do
  [[ -x "$bin/fuzz_$name" ]] || { printf 'no such target: %s\n' "$name" >&2; exit 2; }
  fuzz "$name" || { code=1; printf '== %s: FAILED, see %s\n' "$name" "$found/$name.log" >&2; }
done
exit "$code"
