# Long work: what Ctrl-C leaves.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=Tests/shell/tmux.sh
. "$(dirname "${BASH_SOURCE[0]}")/tmux.sh"

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
  has out "OK: ledger intact."
}

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
  soon [ -e held ]
  python3 "$tests_root/Tests/shell/interrupt.py" SIGINT "$pawl_program" ingest mail --maildir box --wait 60s
  kill %1
  wait || true
  is_clean
}
it "a second Ctrl-C ends a command at once" twice

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
  soon [ -e held ]
  status=0
  # Else it would signal its whole group after the program, which were a second Ctrl-C.
  timeout --foreground --preserve-status -s INT 4 "$pawl_program" ingest mail --maildir box --wait 60s >out 2>err || status=$?
  kill %1
  wait || true
  same "$status" 130
  has err "error: interrupted; nothing was recorded"
  is_clean
}
it "Ctrl-C ends the wait for the lock" turn

on_a_terminal() {
  make_past 20000
  open_terminal
  on_fresh_screen "pawl import taxi past.csv --yes; echo status \$?"
  until [ -e pawl.db-journal ]; do sleep 0.01; done
  tmux -L "$tests_name" send-keys C-c
  wait_for "status 130"
  wait_for "interrupted; none of the 20,000 lines"
  same "$(events)" 2
  is_clean
}
it "Ctrl-C on a terminal leaves the ledger intact" on_a_terminal

finish
