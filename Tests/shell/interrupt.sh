# Long work: what Ctrl-C leaves, and progress on a terminal.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=Tests/shell/tmux.sh
. "$(dirname "${BASH_SOURCE[0]}")/tmux.sh"

# Stops a command half way, by tests_root's interrupt.py.
stop() { python3 "$tests_root/Tests/shell/interrupt.py" "$@"; }

# Makes a ledger with the app 'taxi' and a file of so many past releases.
make_past() {
  pawl init >/dev/null
  pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462 >/dev/null
  awk -v n="$1" 'BEGIN {
    print "version,released_at"
    for (i = 0; i < n; i++)
      printf "%d.%d,20%02d-%02d-%02dT%02d:00:00Z\n", 1 + i / 1000, i % 1000, i / 8064 % 50, 1 + i / 672 % 12, 1 + i / 24 % 28, i % 24
  }' >past.csv
}

is_clean() {
  ends_with 0 pawl verify
  has out "Everything is as it was recorded."
}

import() {
  needs python3
  make_past 20000
  cp pawl.db empty.db
  stop SIGINT "cp empty.db pawl.db" "$pawl_program" import taxi past.csv --yes
  has err "error: interrupted; none of the 20,000 lines of 'past.csv' was recorded"
  has err "hint: run the same command again"
  is_empty out
  [ ! -e pawl.db-journal ]
  same "$(events)" 2
  is_clean
  ends_with 0 pawl import taxi past.csv --yes
  has out "Imported 20000 releases"
  same "$(events)" 20002
  is_clean
}
it "an import that is interrupted records nothing, and goes through the next time" import

mails() {
  needs python3
  make_past 10
  cp pawl.db empty.db
  mkdir -p box/new box/cur box/tmp
  python3 -c 'for i in range(4000):
    open(f"box/new/{i}", "w").write(f"From: a@example.com\r\nTo: b@example.com\r\nSubject: {i}\r\nMessage-ID: <{i}@example.com>\r\n\r\nhello {i}\r\n")'
  stop SIGINT "cp empty.db pawl.db" "$pawl_program" ingest mail --maildir box
  has err "of 4,000 mails were taken in and are kept"
  taken=$(sed -n 's/^error: interrupted; \([0-9,]*\) of 4,000.*/\1/p' err | tr -d ,)
  same "$(($(events) - 2))" "$taken"
  is_clean
  ends_with 0 pawl ingest mail --maildir box --json
  same "$(grep -o '"outcome":"duplicate"' out | wc -l | tr -d ' ')" "$taken"
  same "$(events)" 4002
  is_clean
}
it "mails taken in before Ctrl-C stay, and the same command takes in the others" mails

terminated() {
  needs python3
  make_past 20000
  cp pawl.db empty.db
  stop SIGTERM "cp empty.db pawl.db" "$pawl_program" import taxi past.csv --yes --json
  has err '"id":"interrupted"'
  is_empty out
  is_clean
}
it "SIGTERM does as Ctrl-C, with 143" terminated

export_tree() {
  needs python3
  make_past 3000
  ends_with 0 pawl import taxi past.csv --yes
  stop SIGINT "rm -rf tree" "$pawl_program" export tree
  has err "error: interrupted; "
  has err "hint: run 'pawl export tree'"
  ends_with 0 pawl export tree
  ends_with 0 pawl export whole
  rm -rf tree/.pawl whole/.pawl
  diff -r tree whole
  is_clean
}
it "an export that is interrupted is finished by the next, to the same tree" export_tree

verify_and_backup() {
  needs python3
  make_past 20000
  ends_with 0 pawl import taxi past.csv --yes
  stop SIGINT true "$pawl_program" verify
  has err "events and rows were checked, and nothing is known about the rest"
  is_empty out
  mkdir copies
  stop SIGINT "rm -f copies/*" "$pawl_program" backup copies/copy.db
  has err "error: interrupted; no copy was made"
  same "$(ls -A copies)" ""
  is_clean
  ends_with 0 pawl backup copies/copy.db
}
it "verify and backup are interrupted, and a backup leaves no file" verify_and_backup

twice() {
  needs python3
  make_past 10
  mkdir -p box/new box/cur
  printf 'From: a@example.com\r\n\r\nhello\r\n' >box/new/1
  # Somebody who does not know of the lock in front has the file: it is waited for, and the wait hears nothing.
  python3 -c 'import sqlite3, time
ledger = sqlite3.connect("pawl.db", isolation_level=None)
ledger.execute("BEGIN EXCLUSIVE")
open("held", "w").close()
time.sleep(60)' &
  until [ -e held ]; do sleep 0.05; done
  stop SIGINT --twice "$pawl_program" ingest mail --maildir box --wait 60s
  kill %1
  wait || true
  is_clean
}
it "a second Ctrl-C ends at once" twice

turn() {
  needs python3
  make_past 10
  mkdir -p box/new box/cur
  printf 'From: a@example.com\r\n\r\nhello\r\n' >box/new/1
  python3 -c 'import fcntl, time
lock = open("pawl.db-lock", "r+")
fcntl.flock(lock, fcntl.LOCK_EX)
open("held", "w").close()
time.sleep(60)' &
  until [ -e held ]; do sleep 0.05; done
  status=0
  # Else it would signal its whole group after the program, which were a second Ctrl-C.
  timeout --foreground --preserve-status -s INT 4 "$pawl_program" ingest mail --maildir box --wait 60s >out 2>err || status=$?
  kill %1
  wait || true
  same "$status" 130
  has err "error: interrupted; nothing was recorded"
  is_clean
}
it "Ctrl-C ends the wait for a turn" turn

nothing_in_a_pipe() {
  make_past 20000
  ends_with 0 pawl import taxi past.csv --yes
  is_empty err
  ends_with 0 pawl verify
  is_empty err
  ends_with 0 pawl export tree
  is_empty err
  ends_with 0 pawl backup copy.db
  is_empty err
}
it "without a terminal there is not one byte of progress" nothing_in_a_pipe

on_a_terminal() {
  make_past 20000
  cp pawl.db empty.db
  open_terminal
  on_fresh_screen "pawl import taxi past.csv --yes >out; echo status \$?"
  wait_for "of 20,000"
  wait_for "status 0"
  # Between the line that was typed and what comes after it nothing of it is left.
  same "$(screen | grep '[^ ]' | sed -n 2p)" "status 0"
  cp empty.db pawl.db
  on_fresh_screen "TERM=dumb pawl import taxi past.csv --yes; echo status \$?"
  wait_for "status 0"
  if screen | grep -q 'recording'; then return 1; fi
  cp empty.db pawl.db
  on_fresh_screen "pawl import taxi past.csv --yes; echo status \$?"
  wait_for "of 20,000"
  tmux -L "$tests_name" send-keys C-c
  wait_for "status 130"
  wait_for "interrupted; none of the 20,000 lines"
  if screen | grep -q '\[#'; then return 1; fi
  same "$(events)" 2
  is_clean
}
it "on a terminal progress is a line that goes away, and Ctrl-C leaves the ledger whole" on_a_terminal

asked() {
  make_ledger
  open_terminal
  on_fresh_screen "pawl app set taxi --policy force; echo status \$?"
  wait_for "Continue? [y/N]"
  tmux -L "$tests_name" send-keys C-c
  wait_for "status 130"
  wait_for "interrupted; nothing was recorded"
  same "$(events)" 4
}
it "Ctrl-C at a question is no" asked

finish
