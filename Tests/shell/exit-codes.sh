# Exit codes that only a real process has; the pages of the commands show the others.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

io_is_74() {
  [ -w /dev/full ] || skip "there is no /dev/full here"
  make_ledger
  status=0
  pawl status >/dev/full 2>err || status=$?
  same "$status" 74
  has err "error: cannot write 'standard output'"
}
it "output that cannot be written ends with 74" io_is_74

unsaid_is_74() {
  [ -w /dev/full ] || skip "there is no /dev/full here"
  make_ledger
  status=0
  PAWL_EXPORT=tree pawl publish taxi 2.0 --yes --request-id one >/dev/full 2>err || status=$?
  same "$status" 74
  says output.failed
  has err "no space left on device"
  same "$(events)" 5
  # Whoever reads the documents does not wait until somebody reads the answer.
  [ -e tree/manifest.json ]
  ends_with 0 pawl publish taxi 2.0 --yes --request-id one
  has out "This request was recorded earlier"
  same "$(events)" 5
  status=0
  pawl backup copy.db >/dev/full 2>err || status=$?
  same "$status" 74
  says output.failed
  [ -e copy.db ]
}
it "a change whose answer cannot be written ends with 74 and says that it is recorded" unsaid_is_74

crowded_is_75() {
  make_ledger
  local files command reached=0
  # From where the first file finds no number to where all do.
  for files in 3 4 5 6 7 8 9 10 12; do
    for command in "publish taxi 2.$files --yes" "backup copy.$files.db"; do
      status=0
      # shellcheck disable=SC2086
      (ulimit -n "$files"; exec "$pawl_program" $command) >out 2>err || status=$?
      case $status in
        # The runtime cannot even read the words where the first file finds no number.
        75) says file.too-many-open || says system.no-words ;;
        0) reached=1 ;;
        # A program that is not static does not find its libraries.
        127) ;;
        *) echo "with $files files '$command' ended with $status"; cat out err; return 1 ;;
      esac
    done
  done
  same "$reached" 1
  pawl verify >/dev/null
}
it "a command that can open too few files ends with 75" crowded_is_75

unheard_is_75() {
  needs strace
  # The runtime reads that file to find the words; a program must not take their lack for being asked nothing.
  status=0
  strace -o trace -e trace=openat -e inject=openat:error=EMFILE:when=1 "$pawl_program" init >out 2>err || status=$?
  grep -q '/proc/self/maps.*INJECTED' trace || skip "strace is not permitted here, or the words come another way"
  same "$status" 75
  says system.no-words
  [ ! -e pawl.db ]
}
it "a command line that cannot be read ends with 75" unheard_is_75

finish
