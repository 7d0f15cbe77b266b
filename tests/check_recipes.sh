#!/usr/bin/env bash
# Follows the recipes of CONTRIBUTING.md again: applies each patch of tests/recipes/ to a copy of what is
# committed, builds it, and runs the unit tests. A recipe that has rotted no longer applies, compiles
# or passes.
#
#   tests/check_recipes.sh [NAME…]    all patches, or check, credential, detector, metric, transport
#
# Exit code: 0 when all pass; 1 otherwise.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
here="$PWD"
copy="$here/build/recipes"
names=("$@")
if [[ ${#names[@]} -eq 0 ]]; then
  for patch in tests/recipes/*.patch; do names+=("$(basename "$patch" .patch)"); done
fi

# The build folder stays from one recipe to the next, so that only what a patch touches is compiled.
mkdir -p "$copy"
if [[ ! -d "$copy/.git" ]]; then git clone --quiet --no-hardlinks "$here" "$copy"; fi
git -C "$copy" fetch --quiet "$here" HEAD

programs=(test_policy test_audit test_config test_gateway test_house)

follow() {
  cd "$copy"
  cmake --preset dev >/dev/null || return 1
  cmake --build --preset dev --parallel "$(nproc)" --target bartizan "${programs[@]}" || return 1
  for program in "${programs[@]}"; do "build/dev/bin/$program" --gtest_brief=1 || return 1; done
}

export BARTIZAN_CORPORA="${BARTIZAN_CORPORA:-$here/../shared/data}"
failed=0
for name in "${names[@]}"; do
  git -C "$copy" reset --quiet --hard FETCH_HEAD
  git -C "$copy" clean --quiet -fd -e build
  # Patches name the versions that they were made of. Where lines have moved since, they are merged;
  # what is in conflict then does not apply.
  if ! git -C "$copy" apply --3way --index "$here/tests/recipes/$name.patch"; then
    printf 'recipe %s: the patch does not apply any more: follow the recipe anew\n' "$name"
    failed=1
  elif (follow); then
    printf 'recipe %s: ok\n' "$name"
  else
    printf 'recipe %s: FAILED\n' "$name"
    failed=1
  fi
done
exit "$failed"
