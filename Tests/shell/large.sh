# More than any team has. Tests/bench.sh measures; here it only has to work.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

million() {
  pawl init >/dev/null
  pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462 >/dev/null
  awk 'BEGIN {
    print "version,released_at"
    for (i = 0; i < 300; i++)
      printf "%d.%d.%d,20%02d-%02d-01T00:00:00Z\n", i / 100 + 1, i / 10 % 10, i % 10, i / 12, i % 12 + 1
  }' >past.csv
  # Years up to 2024, so that nothing is still to come.
  ends_with 0 pawl import taxi past.csv --yes
  awk 'BEGIN {
    for (i = 0; i < 1000000; i++) printf "%d.%d.%d 1%d.%d\n", i % 4, i / 7 % 10, i / 3 % 10, i % 8, i % 5
  }' >lines
  pawl check taxi --stdin <lines >answers
  same "$(wc -l <answers | tr -d ' ')" 1000000
  if grep -q '"error"' answers; then return 1; fi
}
it "check --stdin answers a million lines" million

# 20 apps, 100,000 releases, as many events.
hundred_thousand() {
  pawl init >/dev/null
  awk 'BEGIN {
    print "version,released_at"
    for (i = 0; i < 5000; i++) {
      day = i % 28 + 1; month = int(i / 28) % 12 + 1; year = 2005 + int(i / 336)
      printf "%d.%d.%d,%d-%02d-%02dT00:00:00Z\n", i / 1000 + 1, i / 10 % 100, i % 10, year, month, day
    }
  }' >past.csv
  local app
  for app in $(seq 1 20); do
    pawl app add "app-$app" --bundle-id "com.example.app$app" --apple-id "15246084$app" >/dev/null
    pawl import "app-$app" past.csv --yes >/dev/null
  done
  ends_with 0 pawl verify
  has out "100021 events"
}
it "verify passes a hundred thousand events" hundred_thousand

finish
