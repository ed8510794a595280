# The Debian package: what is in it, that it says what it is, and that it is the same each time.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

make_deb() { "$tests_root/docs/packaging/make-deb.sh" --output "$1" "$pawl_program"; }

# The package, made once for all tests: to compress it takes seconds.
the_deb() {
  needs dpkg-deb
  [ -e "$tests_folder/deb" ] || make_deb "$tests_folder/deb" >/dev/null
  echo "$tests_folder"/deb/*.deb
}

contents() {
  local deb
  deb=$(the_deb)
  same "${deb##*/}" "pawl_$(pawl --version | cut -d' ' -f2)_$(dpkg --print-architecture).deb"
  dpkg-deb --fsys-tarfile "$deb" | tar -t | grep -v '/$' | sed 's|^\./||' | LC_ALL=C sort >found
  {
    printf '%s\n' usr/bin/pawl usr/share/doc/pawl/README.md usr/share/doc/pawl/changelog.gz usr/share/doc/pawl/copyright \
      usr/share/lintian/overrides/pawl
    (cd "$tests_root" && find docs db -type f ! -path '*/__pycache__/*' | sed 's|^|usr/share/doc/pawl/|')
    (cd "$tests_root/docs/units" && ls *.service *.timer *.path | sed 's|^|usr/lib/systemd/system/|')
    echo usr/share/man/man1/pawl.1.gz
    if pawl completions bash >/dev/null 2>&1; then
      printf 'usr/share/%s\n' bash-completion/completions/pawl zsh/vendor-completions/_pawl \
        fish/vendor_completions.d/pawl.fish
    fi
  } | LC_ALL=C sort >wanted
  diff wanted found
  # Owned by root whoever makes it, and nothing that others may write.
  dpkg-deb --fsys-tarfile "$deb" | tar -tv | awk '$2 != "root/root" || $1 ~ /^.....w|^........w/' >odd
  is_empty odd
}
it "the package holds the program, its units, its pages and nothing else" contents

links() {
  local deb page target
  deb=$(the_deb)
  dpkg-deb --extract "$deb" tree
  cd tree/usr/share/doc/pawl
  # What a page links to, and what it names in code, is there.
  find . -name '*.md' | while IFS= read -r page; do
    grep -oE '\]\([^)#: ]+' "$page" | sed "s|^](|${page%/*}/|" || true
    grep -oE '(^|[ `/])docs/[a-zA-Z0-9._/-]+' "$page" | sed 's|^[ `/]||' || true
  done | sed 's|[./]*$||' | grep -vE '/https?&?$' | sort -u >named
  while IFS= read -r target; do [ -e "$target" ] || echo "$target"; done <named >missing
  is_empty missing
  [ "$(wc -l <named)" -gt 60 ]
}
it "everything that the pages name is in the package" links

control() {
  local deb
  deb=$(the_deb)
  same "$(dpkg-deb --field "$deb" Package)" pawl
  same "pawl $(dpkg-deb --field "$deb" Version)" "$(pawl --version)"
  same "$(dpkg-deb --field "$deb" Maintainer)" "pawl maintainers <pawl@example.com>"
  # One static file needs no library.
  same "$(dpkg-deb --field "$deb" Depends)" ""
  dpkg-deb --extract "$deb" tree
  same "$(tree/usr/bin/pawl --version)" "$(pawl --version)"
  (cd tree && ./usr/bin/pawl init) >out
  has out "Created ledger"
  dpkg-deb --control "$deb" control.d
  (cd tree && md5sum --quiet --check ../control.d/md5sums)
}
it "the fields of the package are right, and the program in it runs" control

repeatable() {
  local first second
  first=$(the_deb)
  sleep 1.1
  second=$(make_deb second)
  cmp "$first" "$second"
}
it "made twice, the package is the same byte for byte" repeatable

lint() {
  needs lintian
  local deb
  deb=$(the_deb)
  lintian "$deb" 2>/dev/null >found || true
  is_empty found
}
it "lintian finds nothing wrong with the package" lint

no_program() {
  ends_with 66 "$tests_root/docs/packaging/make-deb.sh" ./none
  has err "there is no './none'"
  ends_with 64 "$tests_root/docs/packaging/make-deb.sh" --outptu .
}
it "without a program nothing is made" no_program

finish
