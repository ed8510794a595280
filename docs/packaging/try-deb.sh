#!/usr/bin/env bash
# Tries a Debian package on another release: try-deb.sh PACKAGE SUITE [MIRROR]
#
# Makes a minimal system in a folder of its own with debootstrap, installs the package there, takes an app through a
# release, and removes it all again. Needs root, debootstrap and a mirror of the system.
set -euo pipefail

[ $# -ge 2 ] || { echo "usage: try-deb.sh PACKAGE SUITE [MIRROR]" >&2; exit 64; }
package=$1 suite=$2 mirror=${3:-http://deb.debian.org/debian}
root=$(mktemp -d "${TMPDIR:-/tmp}/pawl-root.XXXXXX")
trap 'rm -rf "$root"' EXIT

debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" || { tail -n 5 "$root.log"; exit 1; }
rm -f "$root.log"
cp "$package" "$root/tmp/pawl.deb"
cat >"$root/tmp/try.sh" <<'TRY'
set -eu
dpkg -i /tmp/pawl.deb >/dev/null
cd "$(mktemp -d)"
pawl --version
pawl init >/dev/null
pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462 >/dev/null
printf '%s\n' version,released_at 7.3.1,2026-05-04T08:00:00Z 7.3.2,2026-06-01T08:00:00Z >past.csv
pawl import taxi past.csv --yes >/dev/null
pawl publish taxi 7.4.0 --build 512 --note en="Faster start" >/dev/null
pawl mark taxi 7.4.0 live >/dev/null
pawl check taxi 7.3.2 --at 2099-01-01T12:00:00Z
pawl export documents >/dev/null
[ -n "$(ls documents)" ]
if pawl help verify >/dev/null 2>&1; then pawl verify; fi
status=0
pawl publish taxi 7.0 >/dev/null 2>&1 || status=$?
[ "$status" = 1 ]
dpkg -r pawl >/dev/null
! command -v pawl
[ ! -e /usr/share/doc/pawl ]
[ -f pawl.db ]
TRY
# In a mount space of its own, so that nothing stays mounted.
unshare --mount --propagation private sh -c "
  mount -t proc proc '$root/proc'
  chroot '$root' env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root sh /tmp/try.sh"
echo "$suite: Debian $(cat "$root/etc/debian_version"), $(chroot "$root" dpkg-query -W -f='libc6 ${Version}' libc6): ok"
