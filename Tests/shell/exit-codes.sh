# Exit codes, through a real process.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

done_is_0() {
  ends_with 0 pawl init
  ends_with 0 pawl init
  has out "already exists"
  ends_with 0 pawl app add taxi --bundle-id com.example.taxi
  ends_with 0 pawl --help
  ends_with 0 pawl app
  ends_with 64 pawl
  ends_with 64 pawl plan
}
it "0: done, or done already" done_is_0

refused_is_1() {
  make_ledger
  ends_with 1 pawl publish taxi 1.0.5
  has err "error: cannot publish 1.0.5 for taxi: 1.1 is already recorded"
  has err "hint: "
  ends_with 1 pawl mark taxi 1.1 prepared
  ends_with 1 pawl app set taxi --policy force
  has err "add --yes"
  same "$(events)" 4
}
it "1: refused by a law, or not agreed to" refused_is_1

usage_is_64() {
  make_ledger
  for words in "--wrong" "wrong" "publish taxi" "publish taxi v1.2" "publish Taxi 1.2" "mark taxi 1.1 alive" \
    "void taxi 1.1" "check taxi 1.1 --at yesterday" "history --limit 0"; do
    # shellcheck disable=SC2086 # several words
    ends_with 64 pawl $words
    has err "error: "
    is_empty out
  done
  same "$(events)" 4
}
it "64: written wrong" usage_is_64

data_is_65() {
  make_ledger
  echo "version,released_at" >empty.csv
  printf '%s\n' version,released_at 1.0.1,2024-03-01T00:00:00Z >lesser.csv
  printf 'version,released_at\n"1.2,2024-03-01T00:00:00Z\n' >quote.csv
  echo '{"version":' >broken.json
  ends_with 65 pawl import taxi lesser.csv
  ends_with 65 pawl import taxi quote.csv
  ends_with 65 pawl import taxi broken.json
  echo "this is no ledger, and long enough to look at" >text.db
  ends_with 65 pawl status --ledger text.db
  echo "1.0 and more words" >lines
  status=0
  pawl check taxi --stdin <lines >out 2>err || status=$?
  same "$status" 65
  has out '"line":1'
  same "$(events)" 4
}
it "65: unusable content" data_is_65

missing_is_66() {
  ends_with 66 pawl status
  has err "pawl init"
  make_ledger
  ends_with 66 pawl check texi 1.0
  has err "did you mean 'taxi'?"
  ends_with 66 pawl mark taxi 2.0 live
  ends_with 66 pawl import taxi nowhere.csv
  ends_with 66 pawl show 99
}
it "66: no such ledger, app, release, file or event" missing_is_66

io_is_74() {
  [ -w /dev/full ] || skip "there is no /dev/full here"
  make_ledger
  status=0
  pawl status >/dev/full 2>err || status=$?
  same "$status" 74
  has err "error: cannot write 'standard output'"
}
it "74: output that cannot be written" io_is_74

unsaid_is_74() {
  [ -w /dev/full ] || skip "there is no /dev/full here"
  make_ledger
  status=0
  PAWL_EXPORT=tree pawl publish taxi 2.0 --request-id one >/dev/full 2>err || status=$?
  same "$status" 74
  has err "error: the change is recorded, but its answer could not be written: no space left on device"
  same "$(events)" 5
  # Whoever reads the documents does not wait until somebody reads the answer.
  [ -e tree/manifest.json ]
  ends_with 0 pawl publish taxi 2.0 --request-id one
  has out "This request was recorded earlier"
  same "$(events)" 5
}
it "74: a change whose answer cannot be written says that it is recorded" unsaid_is_74

crowded_is_75() {
  make_ledger
  local files reached=0
  # From where the first file finds no number to where all do.
  for files in 3 4 5 6 7 8 9 10 12; do
    status=0
    (ulimit -n "$files"; exec "$pawl_program" publish taxi "2.$files") >out 2>err || status=$?
    case $status in
      75) has err "too many open files" ;;
      0) reached=1 ;;
      # A program that is not static does not find its libraries.
      127) ;;
      *) echo "with $files files it ended with $status"; cat out err; return 1 ;;
    esac
  done
  same "$reached" 1
  pawl verify >/dev/null
}
it "75: too many files are open" crowded_is_75

busy_is_75() {
  needs sqlite3
  make_ledger
  # Waits for the lock, ten seconds at the most; this one is held for longer.
  mkfifo hold
  sqlite3 pawl.db <hold >/dev/null 2>&1 &
  holder=$!
  exec 3>hold
  trap 'exec 3>&-; wait "$holder" || true' EXIT
  echo "BEGIN IMMEDIATE; SELECT 1;" >&3
  sleep 0.5
  ends_with 75 pawl publish taxi 2.0
  has err "somebody else is writing it"
  # Whoever only asks is not kept waiting.
  ends_with 0 pawl check taxi 1.0
}
it "75: somebody else is writing" busy_is_75

unheard_is_75() {
  needs strace
  # The runtime reads that file to find the words; a program must not take their lack for being asked nothing.
  status=0
  strace -o trace -e trace=openat -e inject=openat:error=EMFILE:when=1 "$pawl_program" init >out 2>err || status=$?
  grep -q '/proc/self/maps.*INJECTED' trace || skip "strace is not permitted here, or the words come another way"
  same "$status" 75
  has err "error: cannot read the command line"
  [ ! -e pawl.db ]
}
it "75: the system does not say what was asked for" unheard_is_75

forbidden_is_77() {
  make_ledger
  chmod o+w pawl.db
  ends_with 77 pawl status
  chmod o-w pawl.db
  chmod a-w pawl.db
  ends_with 77 pawl publish taxi 2.0
  ends_with 0 pawl status
  ln -s pawl.db link.db
  ends_with 77 pawl status --ledger link.db
  rm link.db
  chmod u+w pawl.db
  ln pawl.db other.db
  ends_with 77 pawl status
}
it "77: rights, and a file that is not one file" forbidden_is_77

interrupted_is_130() {
  needs python3
  make_ledger
  # A script's background processes ignore SIGINT; Python starts one that does not. Ended by a signal is what a shell
  # reports as 128 and the signal's number.
  python3 - "$pawl_program" <<'PYTHON'
import signal, subprocess, sys, time
listen = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
process = subprocess.Popen([sys.argv[1], "check", "taxi", "--stdin"], stdin=subprocess.PIPE, preexec_fn=listen)
time.sleep(0.3)
process.send_signal(signal.SIGINT)
status = process.wait(10)
assert (128 - status if status < 0 else status) == 130, status
PYTHON
}
it "130: interrupted" interrupted_is_130

finish
