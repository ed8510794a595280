#!/usr/bin/env bash
# Puts what a release has for this machine's architecture into a folder: make-release.sh DIR [PROGRAM]
#
# The program without symbols, its symbols beside it, and on Debian the package. The program is the one that Tests/run.sh
# built and tested.
set -euo pipefail

case $# in 1 | 2) ;; *) echo "usage: make-release.sh DIR [PROGRAM]" >&2; exit 64 ;; esac
packaging=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$packaging/../.." && pwd)
output=$1 program=${2:-$root/.build/release/pawl}
if [ ! -x "$program" ]; then
  echo "there is no '$program'; build it with 'Tests/run.sh --only release'" >&2
  exit 66
fi

version=$("$program" --version | cut -d' ' -f2)
name=pawl-$version-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
mkdir -p "$output"
install -m 755 "$program" "$output/$name"
if [ "$(uname)" = Linux ]; then
  # A debugger finds the symbols beside the program, by name and by sum.
  objcopy --only-keep-debug --compress-debug-sections "$program" "$output/$name.debug"
  chmod 644 "$output/$name.debug"
  strip "$output/$name"
  (cd "$output" && objcopy --add-gnu-debuglink="$name.debug" "$name")
else
  strip "$output/$name"
fi
"$output/$name" --version >/dev/null
if command -v dpkg-deb >/dev/null; then "$packaging/make-deb.sh" --output "$output" "$program" >/dev/null; fi
