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

# Two apps, one of them stopped, with devices, rules, settings and a hold that runs.
make_report() {
  pawl init >/dev/null
  pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462 --name Taxi >/dev/null
  printf '%s\n' version,released_at,build 6.9.0,2024-05-03T09:00:00Z,398 7.0.0,2024-06-03T09:00:00Z,401 \
    7.1.3,2024-08-03T09:00:00Z,410 7.2.0,2024-09-07T09:00:00Z,431 7.2.1,2024-09-21T09:00:00Z,440 \
    7.3.0,2024-10-26T09:00:00Z,498 >past.csv
  pawl import taxi past.csv --yes --past >/dev/null
  printf '%s\n' version,devices 6.9.0,287 7.0.0,1200 7.1.3,3400 7.2.0,9000 7.2.1,3400 7.3.0,120000 >usage.csv
  pawl ingest usage taxi usage.csv >/dev/null
  pawl publish taxi 7.4.0 --yes --build 512 --note en="Split fares" >/dev/null
  pawl force taxi 7.2.1 --reason "wrong fares" --yes >/dev/null
  pawl remind taxi 7.2.0 --until 30d --reason "drops receipts" --yes >/dev/null
  pawl setting taxi map-key paid-5678 --yes >/dev/null
  pawl setting taxi map-key free-1234 --during review --yes >/dev/null
  pawl mark taxi 7.4.0 in-review --actor release-bot >/dev/null
  pawl mark taxi 7.4.0 live --yes >/dev/null
  pawl app add van --bundle-id com.example.van --channel enterprise >/dev/null 2>&1
  pawl stop van --reason "certificate expires" >/dev/null 2>&1
  pawl report good.html >/dev/null
}

strict() {
  needs python3
  make_hostile_report
  python3 "$here/markup.py" report.html
  same "$(rights report.html)" 640
  # No moment has seconds, and no table a column that repeats the section's title.
  ! grep -E '[0-9]{2}:[0-9]{2}:[0-9]{2}' report.html || return
  same "$(grep -c '<th scope="col">APP</th>' report.html)" 1
  has report.html '&lt;script&gt;document.title=&quot;caught&quot;&lt;/script&gt;\u{202E}ixat'
}
it "the page is well formed, loads nothing, and shows hostile text as text" strict

in_chromium() {
  needs chromium python3
  make_hostile_report
  mkdir pictures
  (mkdir good && cd good && make_report && mv good.html ..)
  local status=0
  python3 "$here/pages.py" pictures report.html good.html >log 2>&1 || status=$?
  [ $status != 75 ] || skip "$(cat log)"
  cat log
  [ $status = 0 ]
  # For whoever wants to see what the test saw.
  [ -z "${PAWL_PICTURES:-}" ] || cp pictures/* "$PAWL_PICTURES"
  # The picture of README is this one, made anew by: UPDATE_GOLDEN=1 bash Tests/shell/report.sh
  local shown=$pawl_data/report.png
  [ "${UPDATE_GOLDEN:-}" != 1 ] || cp pictures/good-first.png "$shown"
  # A PNG of that height (PNG 11.2.2): the moments on it differ from run to run, and scroll bars from one Chromium to the next.
  same "$(head -c 24 "$shown" | tail -c 4 | od -An -tu1)" "$(head -c 24 pictures/good-first.png | tail -c 4 | od -An -tu1)"
  same "$(head -c 4 "$shown" | tail -c 3)" PNG
}
it "Chromium shows and prints the page, and has nothing to block" in_chromium

finish
