# The page of 'report', read by a strict reader and looked at in Chromium.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

make_hostile_report() {
  make_ledger
  pawl app set taxi --name '<script>document.title="caught"</script>'$'\u202e''ixat' >/dev/null
  pawl publish taxi 1.2 --yes --build 7 --note 'en=</div><img src=x onerror=alert(1)>' --reason "it's <b>" >/dev/null
  pawl mark taxi 1.2 in-review >/dev/null
  pawl force taxi 1.0 --reason '"><script>alert(1)</script>' --yes >/dev/null
  pawl setting taxi map '<svg onload=alert(1)>' --yes >/dev/null
  pawl setting taxi long "$(printf 'x%.0s' {1..300})" --yes >/dev/null
  pawl report report.html >/dev/null
}

strict() {
  needs python3
  make_hostile_report
  python3 "$here/markup.py" report.html
  same "$(rights report.html)" 640
  has report.html '&lt;script&gt;document.title=&quot;caught&quot;&lt;/script&gt;[U+202E]ixat'
}
it "the page is well formed, loads nothing, and shows hostile text as text" strict

in_chromium() {
  needs chromium python3
  make_hostile_report
  mkdir pictures
  local status=0
  python3 "$here/pages.py" pictures report.html >log 2>&1 || status=$?
  [ $status != 75 ] || skip "$(cat log)"
  cat log
  [ $status = 0 ]
  # For whoever wants to see what the test saw.
  [ -z "${PAWL_PICTURES:-}" ] || cp pictures/* "$PAWL_PICTURES"
}
it "Chromium shows and prints the page, and has nothing to block" in_chromium

finish
