#!/usr/bin/env bash
# Puts what a release has for this system into a folder: make-release.sh DIR [PROGRAM...]
#
# What is linked in, as an SPDX document, and an archive with the program, its manual page and completions, named by system
# and architecture; on Linux its symbols in a
# file of their own, and on Debian the package. The program is the one that Tests/run.sh built and tested. Of two programs
# for macOS, one for each architecture, one is made.
set -euo pipefail

[ $# -ge 1 ] || { echo "usage: make-release.sh DIR [PROGRAM...]" >&2; exit 64; }
packaging=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$packaging/../.." && pwd)
output=$1
shift
[ $# -gt 0 ] || set -- "$root/.build/release/pawl"
for program in "$@"; do
  if [ ! -x "$program" ]; then
    echo "there is no '$program'; build it with 'Tests/run.sh --only release'" >&2
    exit 66
  fi
done

system=$(uname -s | tr '[:upper:]' '[:lower:]') architecture=$(uname -m)
mkdir -p "$output"
output=$(cd "$output" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/pawl-release.XXXXXX")
trap 'rm -rf "$work"' EXIT
umask 022
mkdir "$work/pawl"
if [ $# -gt 1 ]; then
  architecture=universal
  lipo -create -output "$work/pawl/pawl" "$@"
else
  cp "$1" "$work/pawl/pawl"
fi
chmod 755 "$work/pawl/pawl"
version=$("$work/pawl/pawl" --version | cut -d' ' -f2)
name=pawl-$version-$system-$architecture

if [ "$system" = linux ]; then
  # A debugger finds the symbols beside the program, by name and by sum.
  objcopy --only-keep-debug --compress-debug-sections "$work/pawl/pawl" "$output/$name.debug"
  chmod 644 "$output/$name.debug"
  strip "$work/pawl/pawl"
  (cd "$output" && objcopy --add-gnu-debuglink="$name.debug" "$work/pawl/pawl")
else
  strip "$work/pawl/pawl"
fi

"$packaging/make-spdx.sh" "$work/pawl/pawl" >"$output/$name.spdx.json"
mkdir "$work/pawl/man" "$work/pawl/completions"
"$work/pawl/pawl" --manual >"$work/pawl/man/pawl.1"
for shell in bash zsh fish; do "$work/pawl/pawl" completions "$shell" >"$work/pawl/completions/$shell"; done

# All files bear the moment of the last commit, and stand in one order.
moment=${SOURCE_DATE_EPOCH:-$(git -C "$root" -c safe.directory='*' log -1 --format=%ct 2>/dev/null || echo 0)}
stamp=$(date -u -d "@$moment" +%Y%m%d%H%M.%S 2>/dev/null || date -u -r "$moment" +%Y%m%d%H%M.%S)
find "$work/pawl" -exec env TZ=UTC touch -t "$stamp" {} +
case $(tar --version) in
  *GNU*) root_owns=(--owner root:0 --group root:0) ;;
  *) root_owns=(--uid 0 --gid 0 --uname root --gname root) ;;
esac
(cd "$work" && find pawl -type f | LC_ALL=C sort | tar --format ustar "${root_owns[@]}" -cf - -T -) | gzip -9n >"$output/$name.tar.gz"
if [ "$system" = linux ] && command -v dpkg-deb >/dev/null; then "$packaging/make-deb.sh" --output "$output" "$1" >/dev/null; fi
