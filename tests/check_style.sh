#!/usr/bin/env bash
# The format of every source, and clang-tidy on those that changed: against the merge base with the
# main branch, or the last commit where that is the same, and what is not committed.
#
#   tests/check_style.sh BUILD_DIRECTORY [FILE…]     with FILEs: clang-tidy on these
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
build="$1"
shift

sources() { git ls-files -co --exclude-standard '*.h' '*.cc' | while read -r file; do [[ -f $file ]] && printf '%s\n' "$file"; done; }

base() {
  local merge_base head
  head="$(git rev-parse HEAD)"
  merge_base="$(git merge-base HEAD origin/main 2>/dev/null || true)"
  if [[ -n $merge_base && $merge_base != "$head" ]]; then printf '%s\n' "$merge_base"; return; fi
  git rev-parse --verify --quiet HEAD~1 || printf '%s\n' "$head"
}

# What the build compiles; anything else has no flags to be read with.
changed() {
  { git diff --name-only --diff-filter=d "$(base)" -- '*.cc'; git ls-files -o --exclude-standard '*.cc'; } | sort -u |
    while read -r file; do
      grep -qF "\"file\": \"$PWD/$file\"" "$build/compile_commands.json" && printf '%s\n' "$file"
    done
}

code=0
if sources | xargs clang-format-19 --dry-run -Werror; then
  printf 'format: ok, %d files\n' "$(sources | wc -l)"
else
  printf 'format: FAILED (make format mends it)\n'
  code=1
fi

files=("$@")
[[ ${#files[@]} -gt 0 ]] || mapfile -t files < <(changed)
if [[ ${#files[@]} -eq 0 ]]; then
  printf 'tidy: ok, no source changed\n'
elif printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 1 clang-tidy-19 -p "$build" --quiet 2>/dev/null; then
  printf 'tidy: ok, %d files\n' "${#files[@]}"
else
  printf 'tidy: FAILED\n'
  code=1
fi
exit "$code"
