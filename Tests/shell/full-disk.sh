# What a disk that fills leaves behind. Kills and flushes are in faults.sh.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

write_history() {
  awk -v count="$1" 'BEGIN {
    print "version,released_at,notes"
    for (i = 0; i < count; i++)
      printf "%d.%d,20%02d-%02d-%02dT00:00:00Z,What is new in this one\n",
        i / 100 + 1, i % 100, i / 336 + 5, i / 28 % 12 + 1, i % 28 + 1
  }'
}

disk_full() {
  [ "$(uname)" = Linux ] || skip "this mounts a tmpfs"
  mkdir small
  mount -t tmpfs -o size=512k,nr_inodes=16 tmpfs small 2>/dev/null || skip "mounting is not permitted here"
  trap 'cd "$tests_folder/work" && umount small' EXIT
  pawl init --ledger small/pawl.db >/dev/null
  pawl app add taxi --bundle-id com.example.taxi --ledger small/pawl.db >/dev/null
  write_history 3000 >past.csv
  cp small/pawl.db before.db
  ends_with 74 pawl import taxi past.csv --yes --ledger small/pawl.db
  says ledger.disk-full
  # What is half written is rolled back by whoever opens the ledger next, be it to read.
  ends_with 0 pawl history --ledger small/pawl.db
  cmp small/pawl.db before.db
  head -n 20 past.csv >few.csv
  ends_with 0 pawl import taxi few.csv --yes --ledger small/pawl.db
  # There is room, and no further file can be made.
  touch small/{1..20} 2>/dev/null || true
  ends_with 74 pawl stop taxi --ledger small/pawl.db
  says ledger.disk-full
  rm small/[0-9]*
  cp small/pawl.db ./pawl.db
  dd if=/dev/zero of=small/rest bs=1k 2>/dev/null || true
  ends_with 74 pawl init --export "$PWD/small/tree"
  PAWL_EXPORT=$PWD/small/tree ends_with 74 pawl stop taxi
  says export.failed/full
}
it "a full disk ends with 74, and nothing is recorded" disk_full

file_limit() {
  pawl init >/dev/null
  pawl app add taxi --bundle-id com.example.taxi >/dev/null
  write_history 3000 >past.csv
  cp pawl.db before.db
  # The limit is in blocks of 1,024 bytes in bash. It would end the process by a signal that nobody handled.
  ends_with 74 bash -c 'ulimit -f 200 && exec "$0" import taxi past.csv --yes' "$pawl_program"
  ends_with 0 pawl history
  cmp pawl.db before.db
}
it "a limit on the size of files ends with 74, and nothing is recorded" file_limit

temporary_full() {
  [ "$(uname)" = Linux ] || skip "this mounts a tmpfs"
  pawl init >/dev/null
  pawl app add taxi --bundle-id com.example.taxi >/dev/null
  # Notes, so that it is more than SQLite keeps in memory.
  write_history 3000 | sed "2,\$s/\$/$(printf '%02000d' 0)/" >past.csv
  pawl import taxi past.csv --yes >/dev/null
  mkdir full
  mount -t tmpfs -o size=64k tmpfs full 2>/dev/null || skip "mounting is not permitted here"
  trap 'cd "$tests_folder/work" && umount full' EXIT
  TMPDIR=$PWD/full SQLITE_TMPDIR=$PWD/full ends_with 74 pawl verify
  says ledger.disk-full/temporary
  SQLITE_TMPDIR=$PWD ends_with 0 pawl verify
}
it "'verify' says that the disk for temporary files is full" temporary_full

finish
