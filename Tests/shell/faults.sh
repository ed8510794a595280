# A sample of Tests/faults.sh: what kills and failing system calls leave behind.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# PAWL_WHOLE names parts of which all is run, not a sample.
sample() {
  local words=(--part "$part")
  case " ${PAWL_WHOLE:-} " in *" $part "*) ;; *) words+=(--sample) ;; esac
  PAWL=$pawl_program "$tests_root/Tests/faults.sh" "${words[@]}" >out || {
    cat out
    return 1
  }
  ! grep -q '^skipped: ' out || skip "$(sed -n 's/^skipped: //p' out | head -n 1)"
  sed -n '/^==/d; s/^/measured: /p' out
}

part=kills
it "a command killed at a system call leaves the old or the new state, and a retry has one effect" sample
for part in errors-EIO errors-EIO-reading-1 errors-ENOSPC errors-EMFILE errors-EINTR-1; do
  it "where system calls fail with $(echo "${part#errors-}" | sed "s/-1$//"), the status and the message are true" sample
done
part=order
it "what is reported as done is on the disk, and the check notices if it is not" sample

part=exports
it "no reader sees an incomplete file while exporters run and are killed" sample
part=writers
it "sixteen writers at once all succeed, and the ledger has no gap" sample
part=deliveries
it "a delivery killed or failing at a system call loses no message and repeats the same one" sample

finish
