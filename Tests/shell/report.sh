# The pages of 'report', read by a strict reader and looked at in Chromium.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

make_hostile_ledger() {
  make_ledger
  pawl app set taxi --name '<script>document.title="caught"</script>'$'\u202e''ixat' >/dev/null
  pawl app add index --bundle-id com.example.index --name 'Index & "co"' >/dev/null
  pawl publish taxi 1.2 --build 7 --note 'en=</div><img src=x onerror=alert(1)>' --reason "it's <b>" >/dev/null
  pawl mark taxi 1.2 in-review >/dev/null
  pawl force taxi 1.0 --reason '"><script>alert(1)</script>' --yes >/dev/null
  pawl setting taxi map '<svg onload=alert(1)>' --yes >/dev/null
  pawl setting taxi long "$(printf 'x%.0s' {1..300})" --yes >/dev/null
  pawl redirect taxi 0.9 --to index --when-visible --yes >/dev/null
}

strict() {
  needs python3
  make_hostile_ledger
  pawl report out
  python3 "$here/markup.py" out/*.html
  same "$(ls out)" "$(printf '%s\n' index.html index_.html taxi.html)"
  same "$(rights out/taxi.html)" 644
  has out/taxi.html '&lt;script&gt;document.title=&quot;caught&quot;&lt;/script&gt;[U+202E]ixat'
}
it "pages are well formed, load nothing, and show what they must not obey" strict

steady() {
  make_ledger
  local head
  head=$(events)
  pawl report out --as-of "$head" >said
  has said "2 written, 0 unchanged, 0 removed"
  cp -r out before
  pawl report out --as-of "$head" >said
  has said "0 written, 2 unchanged, 0 removed"
  (umask 077 && pawl report other --as-of "$head" >said)
  # The state says when its files were written, and each time is another.
  diff -r --exclude=state.json before other
  same "$(rights other/index.html) $(rights other)" "644 755"
  diff -r before out
  pawl publish taxi 1.2 >said
  pawl report out >said
  has said "2 written, 0 unchanged, 0 removed"
  same "$(ls out)" "$(printf '%s\n' index.html taxi.html)"
  same "$(ls -A out/.pawl-report/staging)" ""
}
it "the same ledger and moment give the same bytes, and untouched files" steady

in_chromium() {
  needs chromium python3
  make_hostile_ledger
  pawl report out >said
  mkdir pictures
  local status=0
  python3 "$here/pages.py" pictures out/taxi.html out/index.html out/index_.html >log 2>&1 || status=$?
  [ $status != 75 ] || skip "$(cat log)"
  cat log
  [ $status = 0 ]
  # For whoever wants to see what the test saw.
  [ -z "${PAWL_PICTURES:-}" ] || cp pictures/* "$PAWL_PICTURES"
}
it "Chromium shows, prints, reads out and searches the pages, and has nothing to refuse" in_chromium

finish
