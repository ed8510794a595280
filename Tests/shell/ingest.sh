# Mails taken in by real processes: from a mail server's pipe, a Maildir, many at once, and killed on the way.
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

pipe_stored() {
  needs sqlite3
  make_trusting_ledger
  say_states waiting live | write_mails dir . mails
  piped 0 mails/00000.eml
  has out applied
  same "$(state_of 1.2)" waiting
  piped 0 mails/00000.eml
  has out duplicate
  # A mail whose signature does not hold is kept for somebody to look at; that is stored as well.
  sed 's/Distribution/Sale/' mails/00001.eml >forged.eml
  piped 0 forged.eml
  has out mail.signature
  printf 'From: a@example.com\r\nSubject: lunch\r\n\r\nnoon?\r\n' >lunch.eml
  piped 0 lunch.eml
  has out mail.not-apple
  : >nothing.eml
  piped 0 nothing.eml
  same "$(state_of 1.2)" waiting
  piped 0 mails/00001.eml
  same "$(state_of 1.2)" live
  sound
}
it "a pipe ends with 0 for all that is stored or not for us" pipe_stored

pipe_endless() {
  make_trusting_ledger
  ends_with 65 pawl ingest mail - < <(yes 'X-Filler: filler')
}
it "a pipe that never ends is not read to its end" pipe_endless

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
it "a pipe ends with 75 for closed pipes and mistyped options" pipe_closed

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
  has err "someone else is writing it"
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
it "a pipe waits ten seconds for another process, then ends with 75" pipe_locked

pipe_disk_full() {
  [ "$(uname)" = Linux ] || skip "this mounts a tmpfs"
  make_trusting_ledger
  say_states waiting | write_mails dir . mails
  mkdir small
  mount -t tmpfs -o size=512k tmpfs small 2>/dev/null || skip "mounting is not permitted here"
  trap 'cd "$tests_folder/work" && umount small' EXIT
  cp pawl.db small/pawl.db
  dd if=/dev/zero of=small/filler bs=1k 2>/dev/null || true
  piped 75 mails/00000.eml --ledger small/pawl.db
  has err "nothing was recorded"
  rm small/filler
  piped 0 mails/00000.eml --ledger small/pawl.db
  has out applied
}
it "a pipe ends with 75 on a full disk, and the next attempt is stored" pipe_disk_full

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
it "a pipe ends with 75 where the ledger cannot be written" pipe_read_only

picture() { (cd "$1" && find . -type f -exec sh -c 'stat -c "%n %a %Y.%y %s" "$1" 2>/dev/null || stat -f "%N %Lp %Fm %z" "$1"; cksum <"$1"' - {} \; | sort); }

maildir_twice() {
  needs sqlite3
  make_trusting_ledger
  say_states waiting in-review approved live | write_mails maildir . md
  picture md >before
  ends_with 0 pawl ingest mail --maildir md --strict
  same "$(grep -c applied out)" 4
  same "$(state_of 1.2)" live
  local count
  count=$(events)
  ends_with 0 pawl ingest mail --maildir md --strict
  same "$(grep -c duplicate out)" 4
  same "$(events)" "$count"
  # A mail reader marks a mail as read: its name changes, and it is the same mail.
  local file
  for file in md/new/*; do mv "$file" "md/cur/${file##*/}:2,S"; done
  ends_with 0 pawl ingest mail --maildir md --strict
  same "$(grep -c duplicate out)" 4
  for file in md/cur/*:2,S; do
    file=${file##*/}
    [ -e "md/cur/${file%:2,S}" ] || grep -q "cur/$file " before || mv "md/cur/$file" "md/new/${file%:2,S}"
  done
  picture md >after
  cmp before after
}
it "a Maildir is read twice, the second time all are duplicates, and no file is altered" maildir_twice

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
it "a Maildir of 100 MB takes less than 64 MB" maildir_large

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

# What has to be the same however often and by whomever the mails were taken in: moments of receipt are not.
end_state() {
  sqlite3 pawl.db "SELECT outcome, reason, count(*), count(DISTINCT sha256) FROM evidence GROUP BY 1, 2 ORDER BY 1, 2;
    SELECT app.slug, version, state, live_at FROM release JOIN app ON app.id = app_id ORDER BY 1, key;
    SELECT kind, count(*) FROM event GROUP BY 1 ORDER BY 1"
}

milliseconds() { python3 -c 'import time; print(int(time.time() * 1000))'; }

# Every mail is there once, no number of an event is left out, and every app ends at its newest release.
check_many() {
  local count=$1
  same "$(sqlite3 pawl.db 'SELECT count(*), count(DISTINCT sha256), count(DISTINCT message_id) FROM evidence')" \
    "$count|$count|$count"
  same "$(sqlite3 pawl.db 'SELECT outcome, reason, count(*) FROM evidence GROUP BY 1, 2 ORDER BY 1')" \
    "$(printf 'applied||%d\nignored|mail.overtaken|%d' $((count / 5 * 4)) $((count / 5)))"
  same "$(sqlite3 pawl.db "SELECT count(*) FROM release WHERE state = 'live' AND version = '1.$((count / 50))'")" 10
  same "$(sqlite3 pawl.db "SELECT count(*) FROM release WHERE state <> 'superseded'")" 10
  sound
}

many_at_once() {
  local count=${PAWL_MAILS:-600} pids="" pid number status busy=0 start end last rounds=0
  make_many "$count"
  picture md >before
  cp pawl.db fresh.db
  start=$(milliseconds)
  ends_with 0 pawl ingest mail --maildir md --strict
  end=$(milliseconds)
  echo "measured: 1 process took in $count mails in $((end - start)) ms, $((count * 1000 / (end - start))) a second"
  check_many "$count"
  end_state >alone
  cp fresh.db pawl.db
  start=$(milliseconds)
  for ((number = 0; number < 16; number++)); do
    "$pawl_program" ingest mail --maildir md >"out.$number" 2>"err.$number" &
    pids+=" $!"
  done
  number=0
  for pid in $pids; do
    status=0
    wait "$pid" || status=$?
    # One that waited ten seconds for the fifteen others says so, and its mails are taken in the next time.
    case $status in
      0) ;;
      75) busy=$((busy + 1)) ;;
      *) cat "err.$number"; return 1 ;;
    esac
    number=$((number + 1))
  done
  end=$(milliseconds)
  echo "measured: 16 processes took in $count mails at once in $((end - start)) ms; $busy ended with 75"
  [ "$busy" -lt 16 ]
  check_many "$count"
  end_state >together
  cmp alone together
  last=$(events)
  ends_with 0 pawl ingest mail --maildir md --strict
  same "$(grep -c duplicate out)" "$count"
  same "$(events)" "$last"
  picture md >after
  cmp before after
}
it "16 processes at once take in each mail once" many_at_once

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
it "20 pipes at once, each mail twice and in no order: each is recorded once" pipes_at_once

killed() {
  local count=${PAWL_MAILS:-600} moment round start end died=0 most last=0 now steps=0
  make_many "$count"
  cp pawl.db fresh.db
  start=$(milliseconds)
  ends_with 0 pawl ingest mail --maildir md
  end=$(milliseconds)
  most=$((end - start))
  end_state >undisturbed
  cp fresh.db pawl.db
  # The first round from a fresh ledger, each further one from what the last one left.
  for ((round = 1; round <= 10; round++)); do
    "$pawl_program" ingest mail --maildir md >/dev/null 2>&1 &
    # At a random moment of what is left to do.
    moment=$((RANDOM * most / 32768 / 3 + 5))
    sleep "$((moment / 1000)).$(printf %03d $((moment % 1000)))"
    if kill -9 $! 2>/dev/null; then died=$((died + 1)); fi
    wait $! 2>/dev/null || true
    sound
    now=$(sqlite3 pawl.db 'SELECT count(*) FROM evidence')
    [ "$now" -ge "$last" ] || { echo "$last mails were there, and now $now"; return 1; }
    if [ "$now" -gt "$last" ]; then steps=$((steps + 1)); fi
    if [ "$now" = "$count" ]; then
      # All is taken in: once more from the start.
      cp fresh.db pawl.db
      rm -f pawl.db-journal
      now=0
    fi
    last=$now
  done
  [ "$died" -gt 0 ]
  ends_with 0 pawl ingest mail --maildir md
  check_many "$count"
  end_state >after
  cmp undisturbed after
  echo "measured: killed $died of 10 times while taking in $count mails; $steps of the runs had recorded some"
}
it "kill -9 at random moments, then once more, ends as if nobody had killed it" killed

finish
