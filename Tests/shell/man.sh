# The manual pages, shown by man and held against mandoc's checks.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The pages as the program prints them, in a folder named in $pages.
make_pages() {
  pages=$PWD/pages
  mkdir "$pages"
  local page
  for page in $(pawl --manual); do pawl --manual "$page" >"$pages/$page"; done
}

every_command() {
  pawl --manual >names
  [ "$(wc -l <names)" -gt 40 ]
  has names "pawl.1"
  has names "pawl-app-add.1"
  ends_with 64 pawl --manual pawl-nothing.1
  has err "there is no manual page"
}
it "the program prints a page for every command" every_command

shown() {
  needs man
  make_pages
  local page
  for page in "$pages"/*.1; do
    # A container's image may hold a man that only says it was left out.
    LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page" >out 2>err || skip "man does not work here: $(head -n 1 err)"
    is_empty err
    # Lines are filled with blanks to the margin.
    tr -s ' ' <out >flat
    has flat "SYNOPSIS"
    has flat "$(basename "$page" .1) - "
  done
  MANWIDTH=80 man -l "$pages/pawl-publish.1" | sed 's/.\x08//g' >out
  has out "pawl publish APP VERSION [options]"
  has out "--min-os V"
}
it "man shows every page without a warning" shown

linted() {
  needs mandoc
  make_pages
  mandoc -T lint "$pages"/*.1 >out 2>&1 || true
  is_empty out
}
it "mandoc finds nothing to say of any page" linted

installed() {
  needs man
  make_pages
  mkdir -p share/man/man1
  cp "$pages"/*.1 share/man/man1
  MANPATH=$PWD/share/man man -w pawl-app-add >out 2>err || skip "man does not work here: $(head -n 1 err)"
  has out "share/man/man1/pawl-app-add.1"
}
it "man finds an installed page by the command's name" installed

finish
