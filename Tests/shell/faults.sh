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
it "killed at a system call, a command leaves the old or the new state, and the retry one effect" sample
for part in errors-EIO errors-EIO-reading-1 errors-ENOSPC errors-EMFILE errors-EINTR-1; do
  it "where system calls fail with $(echo "${part#errors-}" | sed "s/-1$//"), the status and the message are true" sample
done
part=order
it "what is said to be done is on the disk, and a watcher sees where it is not" sample

part=exports
it "no reader sees a torn file while exporters run and are killed" sample
part=writers
it "of sixteen at once nobody fails, and the record has no gap" sample
part=deliveries
it "a delivery killed at a system call, or failing at one, loses nothing and repeats the same" sample

finish
