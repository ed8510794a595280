#!/usr/bin/env bash
# Makes the bottle of this macOS from the archive in a folder, and puts it there: make-bottle.sh DIR ADDRESS
set -euo pipefail

[ $# = 2 ] || { echo "usage: make-bottle.sh DIR ADDRESS" >&2; exit 64; }
contrib=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(cd "$1" && pwd)
brew tap-new --no-git pawl/release
"$contrib/make-formula.sh" "$folder" "file://$folder" >"$(brew --repository pawl/release)/Formula/pawl.rb"
# Homebrew 6 and later loads no formula of a tap that is not trusted; earlier ones lack the command.
brew trust pawl/release 2>/dev/null || true
brew install --build-bottle pawl/release/pawl
brew test pawl/release/pawl
(cd "$folder" && brew bottle --no-rebuild --root-url "$2" pawl/release/pawl)
# Homebrew writes 'pawl--' and fetches 'pawl-'.
for bottle in "$folder"/pawl--*.bottle.tar.gz; do mv "$bottle" "${bottle/pawl--/pawl-}"; done
