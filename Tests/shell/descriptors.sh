# Commands that are started without standard input, output or errors: what they open gets none of these numbers, so that
# no answer is written into a file.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Runs pawl without some of its standard descriptors: "0", "1", "2", "12", …; keeps what is left of them in ./out and ./err.
without() {
  local closed=$1
  shift
  status=0
  (
    exec >out 2>err
    case $closed in *0*) exec 0<&- ;; esac
    case $closed in *1*) exec 1>&- ;; esac
    case $closed in *2*) exec 2>&- ;; esac
    exec "$pawl_program" "$@"
  ) || status=$?
}

every_way="0 1 2 01 02 12 012"

# Each command that writes files, and what it writes held against a run that has all its descriptors.
files_are_whole() {
  needs ssh-keygen
  make_ledger
  pawl publish taxi 2.0 --yes >/dev/null
  pawl export good >/dev/null
  ssh-keygen -q -t ed25519 -N '' -f key
  pawl checkpoint --key key --out good-head >/dev/null 2>&1
  cp pawl.db before.db
  local closed page
  for closed in $every_way; do
    rm -rf documents report.html copy.db head new.db new.db-lock
    without "$closed" export documents
    same_documents good documents
    if grep -rql 'written' documents/.pawl; then return 1; fi
    without "$closed" report report.html
    for page in report.html; do
      same "$(head -c 9 "$page")" "<!DOCTYPE"
      same "$(tail -c 8 "$page")" "</html>"
    done
    without "$closed" backup copy.db
    pawl verify --ledger copy.db >/dev/null
    without "$closed" checkpoint --key key --out head
    cmp head good-head
    without "$closed" init --ledger new.db
    pawl verify --ledger new.db >/dev/null
    without "$closed" status
    cmp pawl.db before.db
    # A change, and its answer is nowhere but where it belongs.
    without "$closed" setting taxi key "$closed"
    same "$(pawl settings taxi --json | grep -c "\"value\":\"$closed\"")" 1
    if grep -q 'taxi' pawl.db-lock; then return 1; fi
    pawl verify >/dev/null
    cp pawl.db before.db
    pawl export good >/dev/null
    rm -f good-head
    pawl checkpoint --key key --out good-head >/dev/null 2>&1
  done
}
it "no answer is written into a file that a command opens" files_are_whole

said() {
  make_ledger
  # What cannot be said or read is an error as before, not a silence that looks like success.
  without 1 status
  same "$status" 74
  has err "standard output"
  without 2 status
  same "$status" 0
  has out taxi
  without 0 import taxi - --yes
  same "$status" 74
  without 0 ingest mail -
  same "$status" 75
  without 012 ingest mail -
  same "$status" 75
  without 012 mark taxi 9.9 live
  same "$status" 66
}
it "a closed stream is an error only where it is needed" said

finish
