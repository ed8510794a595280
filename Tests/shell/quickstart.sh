# What a new user does first.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

goes_through() {
  mkdir tmp
  TMPDIR=$PWD/tmp ends_with 0 "$tests_root/docs/quickstart.sh"
  has out '"review":true'
  has out "remind → 2026.8.0"
  has out "struck out ha 20268.2"
  # Nothing was typed for a terminal, and nothing is left.
  if grep -q "$(printf '\033')" out; then return 1; fi
  # SwiftPM leaves its own there.
  same "$(find tmp -name 'pawl*')" ""
}
it "quickstart.sh goes through and leaves nothing" goes_through

keeps() {
  mkdir tmp
  TMPDIR=$PWD/tmp ends_with 0 "$tests_root/docs/quickstart.sh" --keep
  ledger=$(sed -n 's/^export PAWL_LEDGER=//p' out)
  [ -f "$ledger" ]
  ends_with 0 pawl status --ledger "$ledger"
  has out "2026.8.0"
}
it "quickstart.sh --keep leaves the ledger and says where" keeps

refuses_others() {
  ends_with 64 "$tests_root/docs/quickstart.sh" --wrong
  has err "usage:"
}
it "quickstart.sh refuses an option it does not know" refuses_others

finish
