# A ledger that several accounts write.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Two accounts that need not exist, of a group that need not either.
group=54321
as() {
  local uid=$1
  shift
  setpriv --reuid "$uid" --regid "$uid" --groups "$group" "$@"
}

prepare() {
  [ "$(id -u)" = 0 ] || skip "this needs root, to become two others"
  needs setpriv
  # Somewhere that others can reach.
  chmod 755 "$tests_folder" .
  cp "$pawl_program" ./pawl-program
  chmod 755 ./pawl-program
  export PAWL_LEDGER=$PWD/shared/pawl.db
}

two_accounts() {
  prepare
  pawl init --group "$group" >/dev/null
  same "$(stat -c '%a %g' shared) $(stat -c '%a %g' shared/pawl.db)" "2770 $group 660 $group"
  (umask 077 && as 50001 ./pawl-program app add taxi --bundle-id com.example.taxi >/dev/null)
  same "$(stat -c '%a %g' shared/pawl.db-lock)" "660 $group"
  (umask 077 && as 50002 ./pawl-program publish taxi 1.0 --yes >/dev/null)
  as 50001 ./pawl-program publish taxi 1.1 --yes >/dev/null
  same "$(pawl history --json | grep -o '"uid":[0-9]*' | tr '\n' ' ')" '"uid":50001 "uid":50002 "uid":50001 "uid":0 '
  # Nobody else.
  ends_with 77 setpriv --reuid 50003 --regid 50003 --clear-groups ./pawl-program status
}
it "two accounts of a group write one ledger, whatever their umask" two_accounts

left_behind() {
  prepare
  needs sqlite3
  pawl init --group "$group" >/dev/null
  as 50001 ./pawl-program app add taxi --bundle-id com.example.taxi >/dev/null
  printf 'version,released_at\n' >past.csv
  seq 3000 | awk '{ printf "1.%d,20%02d-%02d-01T00:00:00Z\n", $1, 1 + $1 / 300, 1 + $1 % 300 / 28 }' >>past.csv
  chmod 644 past.csv
  # Killed while it writes: its journal is there for the other account to undo.
  (umask 077 && exec setpriv --reuid 50001 --regid 50001 --groups "$group" ./pawl-program import taxi past.csv --yes) \
    >/dev/null 2>&1 &
  local writer=$!
  until [ -s shared/pawl.db-journal ] || ! kill -0 "$writer" 2>/dev/null; do :; done
  kill -9 "$writer" 2>/dev/null || true
  wait "$writer" 2>/dev/null || true
  if [ -e shared/pawl.db-journal ]; then same "$(stat -c '%a %g' shared/pawl.db-journal)" "660 $group"; fi
  as 50002 ./pawl-program publish taxi 99.0 --yes >/dev/null
}
it "what one account left half done, the other undoes" left_behind

refused() {
  prepare
  mkdir -m 755 shared
  touch shared/other
  ends_with 77 pawl init --group "$group"
  has err "contains other files"
  same "$(stat -c %a shared)" 755
  rm shared/other
  ends_with 66 pawl init --group no-such-group
  ends_with 0 pawl init --group "$group"
  same "$(stat -c %a shared)" 2770
  ends_with 0 pawl init --group "$group"
  ends_with 1 pawl init --group 54322
  # Who is not of the group cannot give it a file.
  mkdir -m 777 theirs
  chmod +t theirs
  PAWL_LEDGER=$PWD/theirs/new/pawl.db ends_with 77 as 50001 ./pawl-program init --group 54322
  has err "cannot give to the group"
  [ ! -e theirs/new ]
  # A group that is there, by its name.
  ends_with 0 pawl init --ledger named/pawl.db --group "$(sed -n '1s/:.*//p' /etc/group)"
}
it "a group that cannot be set is refused, and nothing is left behind" refused

no_lock() {
  prepare
  mkdir -m 755 closed
  pawl init --ledger closed/pawl.db >/dev/null
  rm closed/pawl.db-lock
  chown 50001 closed/pawl.db
  ends_with 77 as 50001 ./pawl-program trust host example.com --ledger closed/pawl.db
  says ledger.no-lock
  has err "closed/pawl.db-lock"
}
it "a lock file that cannot be made ends with 77 and is named" no_lock

finish
