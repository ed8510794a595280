# Mails taken in by real processes: from a mail server's pipe, a Maildir, and many at once. Kills are in faults.sh.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# What Apple says of 1.2 over the last minutes, as lines for mails.py.
say_states() {
  local state ago=1000
  for state in "$@"; do
    echo "1524608462 1.2 $state $(($(date +%s) - ago))"
    ago=$((ago - 100))
  done
}

state_of() { sqlite3 pawl.db "SELECT state FROM release WHERE version = '$1'"; }

sound() {
  # The first reader rolls back what a process that died left half written.
  ends_with 0 pawl history --limit 1
  same "$(sqlite3 pawl.db 'PRAGMA integrity_check; PRAGMA foreign_key_check')" ok
  same "$(sqlite3 pawl.db 'SELECT min(seq), max(seq) - count(*) FROM event')" "1|0"
}

# Runs what reads a mail from a pipe, and holds its status against what a mail server is to be told.
piped() {
  local wanted=$1 mail=$2
  shift 2
  ends_with "$wanted" pawl ingest mail - "$@" < <(cat "$mail")
}

pipe_endless() {
  make_trusting_ledger
  ends_with 65 pawl ingest mail - < <(yes 'X-Filler: filler')
}
it "a mail from a pipe is read only up to its limit" pipe_endless

pipe_closed() {
  needs sqlite3
  make_trusting_ledger
  say_states waiting live | write_mails dir . mails
  # Standard input is closed, or its reader and that of errors are gone: never stored with another status.
  ends_with 75 pawl ingest mail - <&-
  for words in "ingest mail -" "ingest mail - --no-such-option"; do
    # shellcheck disable=SC2086 # words
    { sleep 0.2; status=0; "$pawl_program" $words <mails/00000.eml 2>&1 || status=$?; echo "$status" >closed; } | true
    same "$(cat closed)" 75
  done
  same "$(state_of 1.2)" waiting
  piped 0 mails/00000.eml
  has out duplicate
  piped 75 mails/00001.eml --no-such-option
  piped 0 mails/00001.eml
  sound
}
it "a mail from a pipe ends with 75 for closed streams and mistyped options" pipe_closed

pipe_locked() {
  needs sqlite3
  make_trusting_ledger
  say_states waiting live | write_mails dir . mails
  mkfifo hold
  sqlite3 pawl.db <hold >locked &
  local holder=$! start end
  exec 9>hold
  printf 'BEGIN EXCLUSIVE;\n.print locked\n' >&9
  soon [ -s locked ]
  start=$(date +%s)
  piped 75 mails/00000.eml
  end=$(date +%s)
  [ $((end - start)) -ge 9 ] && [ $((end - start)) -le 60 ]
  has err "someone else is writing to it"
  echo "measured: a locked ledger was waited for $((end - start)) s"
  # The mail that comes while it is locked for a moment only is taken in.
  (sleep 2 && echo 'ROLLBACK;' >&9) &
  local release=$!
  piped 0 mails/00000.eml
  wait "$release"
  exec 9>&-
  wait "$holder"
  same "$(state_of 1.2)" waiting
}
it "a mail from a pipe waits ten seconds for another process, then ends with 75" pipe_locked

pipe_read_only() {
  [ "$(uname)" = Linux ] || skip "this mounts a tmpfs"
  make_trusting_ledger
  say_states waiting | write_mails dir . mails
  mkdir frozen
  mount -t tmpfs -o size=2m tmpfs frozen 2>/dev/null || skip "mounting is not permitted here"
  trap 'cd "$tests_folder/work" && umount frozen' EXIT
  cp pawl.db frozen/pawl.db
  mount -o remount,ro frozen 2>/dev/null || skip "mounting is not permitted here"
  piped 75 mails/00000.eml --ledger frozen/pawl.db
  cmp pawl.db frozen/pawl.db
}
it "a mail from a pipe ends with 75 if the ledger cannot be written" pipe_read_only

rehearsal() {
  needs python3 openssl
  mkdir home bin
  cp -r "$tests_root/docs" .
  ln -s "$pawl_program" bin/pawl
  block sh 1 tasks/rehearse-with-a-mail >page.sh
  HOME=$PWD/home PATH=$PWD/bin:$PATH bash -e page.sh >said
  same "$(grep -c applied said)" 2
  export PAWL_LEDGER=$PWD/home/rehearsal/pawl.db
  has said "in-review → live"
  # What the page says of slips.
  ends_with 0 pawl ingest mail home/rehearsal/in-review.eml
  has out duplicate
  sed 's/ready for distribution/ready for Distribution/' home/rehearsal/ready.eml >altered.eml
  ends_with 0 pawl ingest mail altered.eml
  has out mail.signature.body-hash-mismatch
  ends_with 0 pawl unmark taxi 7.4.0 --reason rehearsal
  ends_with 0 pawl verify
}
it "the rehearsal goes as its page says" rehearsal

maildir_large() {
  needs python3
  make_trusting_ledger
  # 100 MB in mails of many sizes, each a stranger's.
  python3 - <<'PYTHON'
import os
os.makedirs("Maildir/new")
for number in range(1_000):
    with open(f"Maildir/new/{number}", "wb") as mail:
        mail.write(b"From: a@example.net\nSubject: %d\n\n" % number)
        mail.write((b"x" * 99 + b"\n") * (number % 200 * 10))
PYTHON
  python3 - "$pawl_program" <<'PYTHON'
import resource, subprocess, sys
for words in [], ["--json"]:
    subprocess.run([sys.argv[1], "ingest", "mail", "--maildir", "Maildir", *words], stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print(f"measured: {used} MB for a Maildir of 100 MB")
sys.exit(used > 64)
PYTHON
}
it "a Maildir of 100 MB is read with at most 64 MB of memory" maildir_large

# Makes a ledger of ten apps with prepared releases, and a Maildir that brings each of them live in five mails.
make_many() {
  needs sqlite3 python3 openssl
  local count=$1 app version start
  start=$(($(date +%s) - 10 * 86400))
  pawl init >/dev/null
  write_mails key .
  pawl trust recipient release@example.com >/dev/null
  pawl trust dkim email.apple.com test --key key.txt >/dev/null
  for app in 0 1 2 3 4 5 6 7 8 9; do
    pawl app add "app-$app" --bundle-id "com.example.app$app" --apple-id "100000000$app" >/dev/null
    for ((version = 1; version <= count / 50; version++)); do pawl publish "app-$app" "1.$version" --yes >/dev/null; done
  done
  awk -v versions=$((count / 50)) -v at="$start" 'BEGIN {
    count = split("waiting in-review approved approved live", states, " ")
    for (version = 1; version <= versions; version++)
      for (s = 1; s <= count; s++)
        for (app = 0; app < 10; app++) print 1000000000 + app, "1." version, states[s], at += 60
  }' >mails.txt
  write_mails maildir . md <mails.txt
  same "$(find md -type f | wc -l | tr -d ' ')" "$count"
}

milliseconds() { python3 -c 'import time; print(int(time.time() * 1000))'; }

pipes_at_once() {
  local start end
  make_many 200
  start=$(milliseconds)
  # Twenty at a time, as Postfix does unless told otherwise, and each mail delivered twice.
  find md -type f >files
  # shellcheck disable=SC2016 # for the inner shell
  cat files files | PAWL=$pawl_program xargs -P 20 -I FILE sh -c \
    '"$PAWL" ingest mail - <"$1" 2>&1 >/dev/null || echo "$?"; echo end' - FILE >statuses
  end=$(milliseconds)
  same "$(sort statuses | uniq -c | sed 's/^ *//')" "400 end"
  echo "measured: 400 deliveries by 20 pipes at once in $((end - start)) ms"
  same "$(sqlite3 pawl.db 'SELECT count(*), count(DISTINCT sha256) FROM evidence')" "200|200"
  # They came in any order, and no later fact was undone.
  same "$(sqlite3 pawl.db "SELECT DISTINCT state FROM release WHERE version = '1.4'")" live
  same "$(sqlite3 pawl.db "SELECT count(*) FROM evidence WHERE outcome = 'parked' AND state <> 'live'")" 0
  sound
}
it "20 pipes at once record each mail once, even if it comes twice and in no order" pipes_at_once

key_from_dns() {
  make_ledger
  mkdir bin
  printf '#!/bin/sh\ncat answer\n' | tee bin/dig >bin/host
  chmod +x bin/*
  PATH=$PWD/bin:$PATH
  : >answer
  ends_with 66 pawl trust dkim email.apple.com s9
  says trust.no-record
  sed -n 's/.*\(p=[A-Za-z0-9+/=]*\).*/"v=DKIM1; k=rsa; \1"/p' "$tests_root/Tests/stories/approvals.txt" >answer
  ends_with 1 pawl trust dkim email.apple.com s9
  says confirm.required/dkim
  ends_with 0 pawl trust dkim email.apple.com s9 --yes
}
it "a key from DNS is asked about, and one that DNS does not have is named" key_from_dns

finish
