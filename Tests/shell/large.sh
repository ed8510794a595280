# More than any team has. Tests/bench.sh measures; here it only has to work.
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
  pawl check taxi --stdin <lines >answers
  same "$(wc -l <answers | tr -d ' ')" 1000000
  if grep -q '"error"' answers; then return 1; fi
}
it "check --stdin answers a million lines" million

hundred_thousand() {
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
}
it "verify passes a hundred thousand events" hundred_thousand

# The processor's time that a command takes, in milliseconds: a machine that is busy with other things makes it no longer.
processor_time() {
  local TIMEFORMAT='%3U %3S'
  { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print int(($1 + $2) * 1000) }'
}

# Two apps of 1,000 releases, one with 100,000 rules that each start and end by themselves, the other leading there. The
# switch waits for no preview of all that, and the other app's not even for its being read.
stop_at_once() {
  needs python3
  pawl init >/dev/null
  awk 'BEGIN {
    print "version,released_at"
    for (i = 0; i < 1000; i++)
      printf "%d.%d.%d,20%02d-%02d-%02dT00:00:00Z\n", i / 100 + 1, i / 10 % 10, i % 10, i / 84, i / 7 % 12 + 1, i % 7 + 1
  }' >past.csv
  local app took least number=1
  for app in taxi van; do
    pawl app add "$app" --bundle-id "com.example.$app" --apple-id "152460846$number" >/dev/null
    pawl import "$app" past.csv --yes >/dev/null
    number=$((number + 1))
  done
  pawl redirect van below:2.0 --to taxi --yes >/dev/null
  pawl remind taxi 1.0.0 --from 1h --until 2h --yes >/dev/null
  forge pawl.db rules 100000 1
  local setting
  setting=$(processor_time pawl setting taxi key value)
  echo "measured: a setting of taxi, beside 100,000 timed rules: $setting ms of processor time"
  pawl check taxi 1.0.0 | grep -q 'key = value'
  ends_with 0 pawl verify
  pawl export documents >/dev/null
  for app in van taxi; do
    # What taxi's clients would have been told has to be taken away; of van's, a handful. Both look at the directory, too,
    # which they do not write, to say that it is behind.
    least=$([ "$app" = taxi ] && echo 3 || echo 15)
    took=$(processor_time pawl stop "$app")
    echo "measured: stop $app, beside 100,000 timed rules: $took ms of processor time"
    [ "$((took * least))" -lt "$setting" ]
    pawl check "$app" 1.0.0 | grep -q none
  done
  PAWL_EXPORT=$PWD/documents pawl stop taxi >/dev/null
  ends_with 0 pawl export documents
  has documents/v1/taxi/1.0.0.json '"decidedBy":"stopped"'
}
it "an app is stopped at once, whatever rules there are" stop_at_once

# Rules by which nobody is prompted need no approval, whoever makes them; here each is for versions and times of its own.
# What every change asks of versions and moments to come must not grow with their cube: the ledger is held meanwhile.
approvals_beside_rules() {
  needs ssh-keygen
  ssh-keygen -q -t ed25519 -N '' -f key
  local count number version change few many
  for count in 15 120; do
    export PAWL_LEDGER=$PWD/$count.db
    pawl init >/dev/null
    pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462 >/dev/null
    for version in 7.1.0 7.2.0; do
      pawl publish taxi "$version" --yes >/dev/null
      pawl mark taxi "$version" live --visible-now --yes >/dev/null
    done
    pawl trust signer ada "$(cat key.pub)" >/dev/null
    for number in $(seq "$count"); do
      pawl allow taxi "from:$((8 + number)).$number.1" --from "$((number * 61))m" --until "$((number * 61 + 9999))m" >/dev/null
    done
    pawl trust approvals 1 --yes >/dev/null
  done
  for change in "allow taxi 7.1.0" "allow taxi all" "lift taxi 5" "app set taxi --policy remind,none" "stop taxi"; do
    # shellcheck disable=SC2086 # several words
    few=$(processor_time "$pawl_program" $change --dry-run --ledger 15.db)
    # shellcheck disable=SC2086 # several words
    many=$(processor_time "$pawl_program" $change --dry-run --ledger 120.db)
    echo "measured: $change beside 15 and 120 rules: $few and $many ms of processor time"
    # Eight times as many rules: 64 times the time by their square, 512 times by their cube.
    [ "$many" -lt $((64 * (few > 10 ? few : 10))) ]
  done
}
it "a change under approvals takes no longer than the square of the rules" approvals_beside_rules

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
it "an import of megabytes takes little memory" import_in_little_memory

finish
