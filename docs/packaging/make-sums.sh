#!/usr/bin/env bash
# Writes SHA256SUMS of all files of a folder: make-sums.sh DIR [TAG]
#
# With a tag ('v1.2.3') it refuses files of another version, before anybody can publish them under it.
set -euo pipefail

case $# in 1 | 2) ;; *) echo "usage: make-sums.sh DIR [TAG]" >&2; exit 64 ;; esac
cd "$1"
version=${2:-} version=${version#v}
for file in *; do
  [ "$file" != SHA256SUMS ] || continue
  [ -f "$file" ] || { echo "'$1' is empty, or holds something other than files" >&2; exit 66; }
  case "$file" in
    pawl.rb | "pawl-$version"[-.]* | "pawl_${version}_"*) ;;
    *) [ -z "$version" ] || { echo "'$file' is not of version $version" >&2; exit 1; } ;;
  esac
done
rm -f SHA256SUMS
sums=$(sha256sum -- * 2>/dev/null || shasum -a 256 -- *)
printf '%s\n' "$sums" >SHA256SUMS
