#!/usr/bin/env bash
# Prints the formula of a release: make-formula.sh DIR ADDRESS
#
# DIR has the archive for macOS, and the bottles that 'brew bottle' made, if any; ADDRESS is where they will be fetched from,
# such as https://github.com/OWNER/pawl/releases/download/v0.1.0.
set -euo pipefail

[ $# = 2 ] || { echo "usage: make-formula.sh DIR ADDRESS" >&2; exit 64; }
contrib=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$1"
sum() { (sha256sum "$1" 2>/dev/null || shasum -a 256 "$1") | cut -d' ' -f1; }

archive=$(echo pawl-*-darwin-universal.tar.gz)
[ -f "$archive" ] || { echo "'$1' has no archive for macOS" >&2; exit 66; }
version=${archive#pawl-} version=${version%-darwin-universal.tar.gz}
bottles=
for bottle in pawl-*.bottle.tar.gz; do
  [ -f "$bottle" ] || continue
  tag=${bottle%.bottle.tar.gz} tag=${tag##*.}
  bottles+="    sha256 cellar: :any_skip_relocation, $tag: \"$(sum "$bottle")\"\\
"
done
[ -z "$bottles" ] || bottles="  bottle do\\
    root_url \"$2\"\\
$bottles  end\\
"
sed -e "s|^  url .*|  url \"$2/$archive\"|" -e "s|^  sha256 .*|  sha256 \"$(sum "$archive")\"|" \
  -e "s|^  version .*|  version \"$version\"|" -e "s|^  homepage .*|  homepage \"${2%/releases/*}\"|" \
  -e "s|^  # The bottles.*|${bottles%\\
}|" "$contrib/pawl.rb"
