# The manual page, shown by man and held against mandoc's checks.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

shown() {
  needs man
  pawl --manual >pawl.1
  # A container's image may hold a man that only says it was left out.
  LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l pawl.1 >out 2>err || skip "man does not work here: $(head -n 1 err)"
  is_empty err
  sed 's/.\x08//g' out | tr -s ' ' >flat
  has flat "pawl publish APP VERSION [options]"
  has flat "PAWL_LEDGER"
}
it "man shows the page without a warning" shown

linted() {
  needs mandoc
  pawl --manual >pawl.1
  mandoc -T lint pawl.1 >out 2>&1 || true
  is_empty out
}
it "mandoc finds nothing wrong with the page" linted

finish
