# Readers that go away before the answer is written.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

closed_pipe() {
  make_ledger
  # The writer of a closed pipe ends by SIGPIPE, as everything in a shell does.
  set +o pipefail
  yes 1.0 | head -n 200000 >lines
  pawl check taxi --stdin <lines 2>err | head -n 1 >out
  has out '"action":"remind"'
  is_empty err
  pawl history 2>err | true
  is_empty err
}
it "a reader that closes the pipe early causes no error" closed_pipe

recorded_all_the_same() {
  make_ledger
  set +o pipefail
  # The reader is gone before the answer is written.
  (sleep 0.3; pawl publish taxi 2.0 --yes 2>err) | true
  soon [ -e err ]
  is_empty err
  ends_with 0 pawl history taxi --version 2.0
  has out "published taxi 2.0"
}
it "a change is recorded even if no one reads its answer" recorded_all_the_same

finish
