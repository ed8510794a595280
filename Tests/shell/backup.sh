# Backups while others write, the way back, and what a checkpoint says of an old one put back.
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
it "backups and verifications beside two writers are whole, and no writer fails" while_writing

drill() {
  make_ledger
  pawl key new key >key.pub 2>/dev/null
  pawl publish taxi 1.2 --yes >/dev/null
  ends_with 0 pawl backup copy.db
  pawl mark taxi 1.2 live --yes >/dev/null
  ends_with 0 pawl checkpoint --key key --out head.txt
  # The disk was lost; the backup comes back.
  mv pawl.db lost.db
  cp copy.db pawl.db
  ends_with 0 pawl verify
  ends_with 1 pawl verify --checkpoint head.txt --public-key key.pub
  has out checkpoint.shorter
  # As many events as before, and not the same ones, being of another second.
  sleep 1
  ends_with 0 pawl mark taxi 1.2 live --yes
  ends_with 0 pawl verify
  ends_with 1 pawl verify --checkpoint head.txt --public-key key.pub
  ends_with 1 pawl checkpoint --key key --out head.txt
  has err "contradicts an earlier checkpoint"
  # The key signed another head of this size, and never signs two; whoever goes on from the backup makes a new one.
  ends_with 1 pawl checkpoint --key key --out anew.txt
  pawl key new newer >newer.pub 2>/dev/null
  ends_with 0 pawl checkpoint --key newer --out anew.txt
  ends_with 0 pawl verify --checkpoint anew.txt --public-key newer.pub
}
it "a backup is restored, goes on, and is noticed against the checkpoint" drill

interrupted() {
  needs strace
  make_ledger
  ends_with 0 pawl backup copy.db
  cp copy.db before.db
  local call
  for call in pwrite64:5 fsync:1 rename:1; do
    run strace -f -o /dev/null -e trace="${call%:*}" -e inject="${call%:*}:signal=KILL:when=${call#*:}" \
      "$pawl_program" backup copy.db --replace
    [ "$status" != 0 ]
    # rename is done when the signal comes.
    [ "${call%:*}" = rename ] || cmp copy.db before.db
    ends_with 0 pawl verify --ledger copy.db
  done
  ends_with 74 strace -f -o /dev/null -e trace=fsync -e inject=fsync:error=EIO "$pawl_program" backup copy.db --replace
  ends_with 0 pawl verify --ledger copy.db
}
it "a backup that is killed or meets a bad disk leaves the one before" interrupted

finish
