# Backups while others write. The way back is in drills.sh, kills and failing disks are in faults.sh.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

while_writing() {
  make_ledger
  local writers=() number
  for number in 1 2; do
    (for turn in $(seq 1 25); do
      pawl setting taxi "key$number" "$turn" --yes >/dev/null || echo "writer $number failed" >>failed
    done) &
    writers+=($!)
  done
  for number in 1 2 3 4 5; do
    ends_with 0 pawl backup "copy$number.db"
    ends_with 0 pawl verify --ledger "copy$number.db"
  done
  ends_with 0 pawl verify
  wait "${writers[@]}"
  [ ! -e failed ]
  ends_with 0 pawl verify
  has out "54 events"
  same "$(find . -name '*.new*' -o -name '*-journal' | wc -l | tr -d ' ')" 0
}
it "backups and verifications succeed beside two writers, and no writer fails" while_writing

finish
