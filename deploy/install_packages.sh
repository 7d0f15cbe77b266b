#!/usr/bin/env bash
# Installs the Debian packages that are missing, after printing them.
#
#   deploy/install_packages.sh                   those of deploy/packages.txt
#   deploy/install_packages.sh packages_bench    those of deploy/packages_bench.txt
set -euo pipefail

list="$(dirname "${BASH_SOURCE[0]}")/${1:-packages}.txt"

fail() {
  printf 'packages: FAILED: %s\n' "$1" >&2
  exit 1
}

is_installed() {
  [[ "$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null)" == "install ok installed" ]]
}

missing_packages() {
  local package command
  while read -r package command _; do
    [[ -z "$package" || "$package" == \#* ]] && continue
    [[ -n "$command" ]] && command -v "$command" >/dev/null && continue
    is_installed "$package" || printf '%s\n' "$package"
  done <"$list"
}

# As root directly; as somebody else through sudo, which may ask for a password.
install_as() {
  if [[ "$(id -u)" == 0 ]]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

# Debian starts the servers that it installs unless this file forbids it; an owner's own is kept.
policy=/usr/sbin/policy-rc.d
made_policy=no
forbid_starting() {
  [[ "$(id -u)" == 0 && ! -e "$policy" ]] || return 0
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
  made_policy=yes
}
restore_policy() { [[ $made_policy == no ]] || rm -f "$policy"; }
trap restore_policy EXIT

command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
  fail "this is no Debian: install what $list names by hand"

mapfile -t missing < <(missing_packages)
if [[ ${#missing[@]} -eq 0 ]]; then
  printf 'packages ok\n'
  exit 0
fi
printf 'missing packages, to be installed now:\n  %s\n' "${missing[*]}"
[[ "$(id -u)" == 0 ]] || command -v sudo >/dev/null ||
  fail "not root, and there is no sudo: have the packages above installed"
forbid_starting
install_as apt-get update -qq || fail "the package lists cannot be updated: is there a network?"
# Nothing of the machine's owner is removed to make room, such as libboost-dev 1.74.
install_as apt-get install -y -qq --no-install-recommends --no-remove "${missing[@]}" ||
  fail "apt-get could not install them; if it names a conflict, remove that package by hand"
printf 'packages ok\n'
