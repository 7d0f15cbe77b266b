#!/usr/bin/env bash
# Tests what deploy/ hands out, with BARTIZAN_BIN or the program of the first-run preset. What this
# machine cannot do is skipped, and said: containers and the package need root, the alerts' second
# opinion needs promtool, an old processor its emulator.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
export BARTIZAN_BIN="${BARTIZAN_BIN:-$PWD/../../build/first-run/bin/bartizan}" PYTHONDONTWRITEBYTECODE=1
# Debian's own interpreter: its modules are the ones that deploy/packages_test.txt brings.
exec /usr/bin/python3 -m unittest -v containers_test manifests_test notes_test old_processor_test system_test
