# More than any team has, in little memory. Tests/bench.sh has the times.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# 6 MB, as many releases as a file may hold; a key that may import has no more memory than others.
import_in_little_memory() {
  pawl init >/dev/null
  pawl app add taxi --bundle-id com.example.taxi >/dev/null
  awk 'BEGIN {
    print "version,released_at,notes"
    for (i = 0; i < 300; i++) note = note "x"
    for (i = 0; i < 20000; i++)
      printf "%d.%d.%d,2005-01-%02dT%02d:%02d:%02dZ,%s %d\n", i / 10000 + 1, i / 100 % 100, i % 100, i / 1440 + 1,
        i / 60 % 24, i % 60, 0, note, i
  }' >past.csv
  [ "$(wc -c <past.csv)" -gt 6000000 ]
  status=0
  (ulimit -v 500000; "$pawl_program" import taxi past.csv --yes) >out 2>err || status=$?
  [ "$status" = 0 ] || { tail -n 3 err; return 1; }
}
it "an import of 6 MB needs less than 500 MB of memory" import_in_little_memory

finish
