#!/usr/bin/env bash
# Puts together what a container needs to run one program: it, the libraries that the loader finds
# for it, certificate authorities, and one account without a password.
#
#   collect_root.sh PROGRAM FOLDER
set -euo pipefail

program="$1" root="$2"

put() { install -D -m "$1" "$2" "$root$3"; }

put 0755 "$program" /usr/bin/bartizan
# Lines such as `libssl.so.3 => /lib/x86_64-linux-gnu/libssl.so.3 (0x…)`, and the loader by its path.
while read -r library; do
  put 0755 "$library" "$library"
done < <(ldd "$program" | grep -o '/[^ ]*')
put 0644 /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
# Where the library looks when nothing else is said.
mkdir -p "$root/usr/lib/ssl"
ln -sfn /etc/ssl/certs/ca-certificates.crt "$root/usr/lib/ssl/cert.pem"
printf 'bartizan:x:65532:65532::/var/lib/bartizan:/sbin/nologin\n' >"$root/etc/passwd"
printf 'bartizan:x:65532:\n' >"$root/etc/group"
# Names as the C library resolves them without further files: /etc/hosts, then DNS.
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
mkdir -p "$root/etc/bartizan"
install -d -o 65532 -g 65532 -m 0750 "$root/var/lib/bartizan"
install -d -m 1777 "$root/tmp"
