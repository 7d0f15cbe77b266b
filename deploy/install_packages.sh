#!/usr/bin/env bash
# Installs the Debian packages that are missing, after saying how many they are and how large.
#
#   deploy/install_packages.sh [LIST…]     LIST: build, test or bench, for deploy/packages_LIST.txt
#                                          (default: build test)
#
# What apt-get prints is kept in build/logs/packages.log, and shown where it fails.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
log="$here/../build/logs/packages.log"
lists=("$@")
[[ ${#lists[@]} -gt 0 ]] || lists=(build test)

fail() {
  printf 'packages: FAILED: %s\n' "$1" >&2
  exit 1
}

is_installed() {
  [[ "$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null)" == "install ok installed" ]]
}

missing_packages() {
  local list package command
  for list in "${lists[@]}"; do
    while read -r package command _; do
      [[ -z "$package" || "$package" == \#* ]] && continue
      [[ -n "$command" ]] && command -v "$command" >/dev/null && continue
      is_installed "$package" || printf '%s\n' "$package"
    done <"$here/packages_$list.txt"
  done
}

# As root directly; as somebody else through sudo, which may ask for a password.
as_root() {
  if [[ "$(id -u)" == 0 ]]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

apt() {
  as_root apt-get "$@" >>"$log" 2>&1 && return
  cat "$log" >&2
  return 1
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

# How many packages come with those that are missing, and what is downloaded: `148 packages, 391 MB`.
amount() {
  apt-get install --print-uris -qq --no-install-recommends --no-remove "$@" |
    awk '{ bytes += $3 } END { printf "%d packages, %d MB\n", NR, (bytes + 999999) / 1000000 }'
}

for list in "${lists[@]}"; do
  [[ -f "$here/packages_$list.txt" ]] || { printf 'no such list: %s\n' "$list" >&2; exit 2; }
done
command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
  fail "this is not Debian: install by hand what deploy/packages_*.txt name"
mapfile -t missing < <(missing_packages)
if [[ ${#missing[@]} -eq 0 ]]; then
  printf 'packages ok\n'
  exit 0
fi
[[ "$(id -u)" == 0 ]] || command -v sudo >/dev/null ||
  fail "not root, and there is no sudo: have these installed: ${missing[*]}"
mkdir -p "$(dirname "$log")"
: >"$log"
forbid_starting
apt update -qq || fail "the package lists cannot be updated: is there a network?"
printf 'packages: %s are installed now (asked for: %s)\n' "$(amount "${missing[@]}")" "${missing[*]}"
# Nothing of the machine's owner is removed to make room, such as libboost-dev 1.74.
apt install -y -qq --no-install-recommends --no-remove "${missing[@]}" ||
  fail "apt-get could not install them; if it names a conflict, remove that package by hand"
printf 'packages ok\n'
