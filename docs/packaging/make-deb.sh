#!/usr/bin/env bash
# Makes a Debian package of the release that is built: make-deb.sh [--output DIR] [PROGRAM]
#
# Needs dpkg-deb and nothing else. The same program and the same commit give the same package, byte for byte.
set -euo pipefail

output=. program=
while [ $# -gt 0 ]; do
  case "$1" in
    --output)
      [ $# -ge 2 ] || { echo "usage: make-deb.sh [--output DIR] [PROGRAM]" >&2; exit 64; }
      output=$2
      shift
      ;;
    -*) echo "usage: make-deb.sh [--output DIR] [PROGRAM]" >&2; exit 64 ;;
    *) program=$1 ;;
  esac
  shift
done

packaging=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$packaging/../.." && pwd)
program=${program:-$root/.build/release/pawl}
if [ ! -x "$program" ]; then
  echo "there is no '$program'; build it with 'Tests/run.sh --only release'" >&2
  exit 66
fi
if ! command -v dpkg-deb >/dev/null; then
  echo "there is no 'dpkg-deb' here; this needs Debian, Ubuntu or their kin" >&2
  exit 69
fi

version=$("$program" --version | cut -d' ' -f2)
architecture=$(dpkg --print-architecture)
# All files bear the moment of the last commit, so that the hour of the build is not part of the package.
moment=${SOURCE_DATE_EPOCH:-$(git -C "$root" -c safe.directory='*' log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH=$moment

tree=$(mktemp -d "${TMPDIR:-/tmp}/pawl-deb.XXXXXX")
trap 'rm -rf "$tree"' EXIT
umask 022
chmod 755 "$tree"
doc=$tree/usr/share/doc/pawl
mkdir -p "$tree/DEBIAN" "$tree/usr/bin" "$doc"

install -m 755 "$program" "$tree/usr/bin/pawl"
if command -v strip >/dev/null; then
  strip --remove-section=.comment --remove-section=.note "$tree/usr/bin/pawl"
fi

# The manual page and completions, as the program prints them, and the units; none is enabled.
mkdir -p "$tree/usr/share/man/man1"
"$program" --manual | gzip -9n >"$tree/usr/share/man/man1/pawl.1.gz"
completion() {
  local script
  script=$("$program" completions "$1" 2>/dev/null) || return 0
  mkdir -p "$(dirname "$tree/$2")"
  printf '%s\n' "$script" >"$tree/$2"
}
completion bash usr/share/bash-completion/completions/pawl
completion zsh usr/share/zsh/vendor-completions/_pawl
completion fish usr/share/fish/vendor_completions.d/pawl.fish
mkdir -p "$tree/usr/lib/systemd/system"
install -m 644 "$root"/docs/units/*.service "$root"/docs/units/*.timer "$root"/docs/units/*.path \
  "$tree/usr/lib/systemd/system/"

# The pages with everything that they name.
install -m 644 "$root/README.md" "$doc/"
cp -R "$root/docs" "$root/db" "$doc/"
find "$doc" -name __pycache__ -prune -exec rm -r {} +
chmod -R u+w,go-w,a+rX "$doc"
install -m 644 "$packaging/copyright" "$doc/copyright"
# The package's changelog is that of the pages: the newest version's points.
{
  printf 'pawl (%s) unstable; urgency=medium\n\n' "$version"
  awk -v version="$version" '/^## / { in_it = $2 == version } in_it && /^- / { sub(/^- /, "  * "); print } in_it && /^  [^ ]/ { print "  " $0 }' \
    "$root/docs/changelog.md"
  printf '\n -- pawl maintainers <pawl@example.com>  %s\n' "$(LC_ALL=C date -u -R -d "@$moment")"
} >"$doc/changelog"
grep -q '^  \* ' "$doc/changelog" || { echo "docs/changelog.md says nothing of version $version" >&2; exit 65; }
gzip -9n "$doc/changelog"
mkdir -p "$tree/usr/share/lintian/overrides"
printf '%s\n' '# One file that runs on every release of every system, on purpose; see docs/install.md.' \
  'pawl: statically-linked-binary *' >"$tree/usr/share/lintian/overrides/pawl"

size=$(du -k --apparent-size -s "$tree" | cut -f1)
cat >"$tree/DEBIAN/control" <<CONTROL
Package: pawl
Version: $version
Architecture: $architecture
Maintainer: pawl maintainers <pawl@example.com>
Installed-Size: $size
Recommends: curl, openssh-client, tzdata
Suggests: bind9-dnsutils
Section: devel
Priority: optional
Description: release ledger of a mobile-app team
 Records every version of an app, its review state and who changed what, in
 one SQLite file, and decides from that record what each client version is
 told: nothing, a reminder to update, or an update it must take.
 .
 A version can only grow, nobody is pointed at a version the store does not
 serve yet, and an app in review sees no prompt at all.
CONTROL
(cd "$tree" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$tree/DEBIAN/md5sums"
find "$tree" -exec touch -h -d "@$moment" {} +

mkdir -p "$output"
package=$output/pawl_${version}_$architecture.deb
# xz is what every dpkg of the last ten years reads; Debian's and Ubuntu's own defaults differ.
dpkg-deb --root-owner-group -Zxz --build "$tree" "$package" >/dev/null
echo "$package"
