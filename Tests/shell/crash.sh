# What a process that dies, a disk that fills and a flush leave behind.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Writes the history of an app: so many releases, a day apart.
write_history() {
  awk -v count="$1" 'BEGIN {
    print "version,released_at,notes"
    for (i = 0; i < count; i++)
      printf "%d.%d,20%02d-%02d-%02dT00:00:00Z,What is new in this one\n",
        i / 100 + 1, i % 100, i / 336 + 5, i / 28 % 12 + 1, i % 28 + 1
  }'
}

killed() {
  pawl init >/dev/null
  pawl app add taxi --bundle-id com.example.taxi >/dev/null
  write_history 3000 >past.csv
  cp pawl.db before.db
  local old=0 new=0 moment count
  for moment in 0.01 0.02 0.05 0.1 0.15 0.2 0.25 0.3 0.35 0.4 0.6 1.5; do
    cp before.db pawl.db
    rm -f pawl.db-journal
    "$pawl_program" import taxi past.csv --yes >/dev/null 2>&1 &
    sleep "$moment"
    kill -9 $! 2>/dev/null || true
    wait $! 2>/dev/null || true
    count=$(events)
    case $count in
      2) old=$((old + 1)) ;;
      3002) new=$((new + 1)) ;;
      *) echo "killed after $moment seconds: $count events"; return 1 ;;
    esac
    if command -v sqlite3 >/dev/null; then same "$(sqlite3 pawl.db 'PRAGMA integrity_check')" ok; fi
    ends_with 0 pawl publish taxi 99.0
  done
  echo "measured: killed 12 times while importing: $old times nothing was recorded, $new times all of it"
}
it "kill -9 during an import leaves all of it or nothing" killed

disk_full() {
  [ "$(uname)" = Linux ] || skip "this mounts a tmpfs"
  mkdir small
  mount -t tmpfs -o size=512k tmpfs small 2>/dev/null || skip "mounting is not permitted here"
  trap 'cd "$tests_folder/work" && umount small' EXIT
  pawl init --ledger small/pawl.db >/dev/null
  pawl app add taxi --bundle-id com.example.taxi --ledger small/pawl.db >/dev/null
  write_history 3000 >past.csv
  cp small/pawl.db before.db
  ends_with 74 pawl import taxi past.csv --yes --ledger small/pawl.db
  has err "nothing was recorded"
  # What is half written is rolled back by whoever opens the ledger next, be it to read.
  ends_with 0 pawl history --ledger small/pawl.db
  cmp small/pawl.db before.db
  head -n 20 past.csv >few.csv
  ends_with 0 pawl import taxi few.csv --yes --ledger small/pawl.db
}
it "a full disk ends with 74, and nothing is recorded" disk_full

file_limit() {
  pawl init >/dev/null
  pawl app add taxi --bundle-id com.example.taxi >/dev/null
  write_history 3000 >past.csv
  cp pawl.db before.db
  # The limit is in blocks of 1,024 bytes in bash. It would end the process by a signal that nobody handled.
  status=0
  (ulimit -f 200 && exec "$pawl_program" import taxi past.csv --yes) >out 2>err || status=$?
  same "$status" 74
  ends_with 0 pawl history
  cmp pawl.db before.db
}
it "a limit on the size of files ends with 74, and nothing is recorded" file_limit

flushed() {
  needs strace
  make_ledger
  strace -f -o trace -e trace=fsync,fdatasync,unlink,unlinkat,write "$pawl_program" publish taxi 2.0 >out 2>err ||
    skip "strace is not permitted here"
  # The journal's removal is the commit; the folder is flushed after it, and only then is the change announced.
  awk '
    /unlink.*journal/ { removed = NR; synced = 0 }
    /f(data)?sync\(/ && removed { synced = NR }
    / write\(1,/ && !told { told = NR; ok = removed && synced }
    END { exit !(told && ok) }
  ' trace || {
    cat trace
    return 1
  }
}
it "a change is on disk before it is announced" flushed

finish
