# Measurements, printed and not judged: a busy machine is no defect.
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
  local start end
  start=$(date +%s%N)
  pawl check taxi --stdin <lines >answers
  end=$(date +%s%N)
  same "$(wc -l <answers | tr -d ' ')" 1000000
  if grep -q '"error"' answers; then return 1; fi
  case $start in
    *N) ;; # BSD's date knows no nanoseconds.
    *) echo "measured: 1,000,000 answers for 300 releases in $(((end - start) / 1000000)) ms (wanted: under 3,000)" ;;
  esac
}
it "check --stdin answers a million lines" million

# One process each, in turn, so that both meet the same machine.
beside_the_shell() {
  needs sqlite3 python3
  pawl init >/dev/null
  pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462 >/dev/null
  printf 'version,released_at\n7.3.1,2026-05-04T08:00:00Z\n7.3.2,2026-06-01T08:00:00Z\n' >past.csv
  pawl import taxi past.csv --yes >/dev/null
  python3 - "$pawl_program" <<'PYTHON'
import statistics, subprocess, sys, time

ours = [sys.argv[1], "check", "taxi", "7.3.1"]
theirs = ["sqlite3", "pawl.db", "SELECT * FROM release LIMIT 1"]
times = {0: [], 1: []}
for _ in range(25):
    for which, words in enumerate([ours, theirs]):
        start = time.perf_counter()
        subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
        times[which].append(time.perf_counter() - start)
check, shell = (statistics.median(times[which][5:]) * 1000 for which in (0, 1))
print(f"measured: one check {check:.1f} ms, one row by the sqlite3 shell {shell:.1f} ms,"
      f" {check / shell:.2f} times (medians of 20; wanted: at most 2)")
PYTHON
}
it "one check beside the sqlite3 shell" beside_the_shell

# A ledger larger than any team's: 20 apps, 100,000 releases, as many events.
verify_speed() {
  needs python3
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
  python3 - "$pawl_program" <<'PYTHON'
import resource, subprocess, sys, time

start = time.perf_counter()
subprocess.run([sys.argv[1], "verify"], stdout=subprocess.DEVNULL, check=True)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
size = usage.ru_maxrss // (1024 * 1024 if sys.platform == "darwin" else 1024)
print(f"measured: 100,021 events verified in {time.perf_counter() - start:.2f} s, {usage.ru_utime:.2f} s of them"
      f" computing, {size} MiB of memory (wanted: under 1 s, 100 MB)")
PYTHON
}
it "verify of a hundred thousand events" verify_speed

finish
