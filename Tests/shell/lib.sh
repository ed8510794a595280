# Sourced by every shell test: runs the built program as a process and keeps the score.
#
# A test is `it "a sentence" FUNCTION`. The function runs with `set -e` in an empty folder of its own, where ./pawl.db
# is the ledger; a command that fails, fails the test. The folder goes away, whatever happens, and so does another one,
# where programs that the test starts put their temporary files and some forget them.
set -euo pipefail

tests_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# The program: PAWL, else the release that Tests/run.sh built.
pawl_program=${PAWL:-$tests_root/.build/release/pawl}
pawl_data=$tests_root/docs/data
unset PAWL_LEDGER PAWL_ACTOR NO_COLOR COLUMNS

if [ ! -x "$pawl_program" ]; then
  echo "there is no '$pawl_program'; build it with 'Tests/run.sh --only release'" >&2
  exit 66
fi

pawl() { "$pawl_program" "$@"; }

tests_passed=0
tests_failed=0
tests_skipped=0
tests_folder=$(mktemp -d "${TMPDIR:-/tmp}/pawl-test.XXXXXX")
# A socket's path is short, so the folder's own name is the best there is to tell test runs apart.
tests_name=${tests_folder##*/}
trap 'chmod -R u+rwX "$tests_folder"; rm -rf "$tests_folder"' EXIT

# Lists the documents below a folder with their digests, but for the line feeds that tell two states of a second apart.
documents_of() {
  (cd "$1" && find . -type f ! -path './.pawl/*' ! -name manifest.json | LC_ALL=C sort | while IFS= read -r file; do
    printf '%s %s\n' "$file" "$(printf %s "$(cat "$file")" | sha256sum)"
  done)
}

same_documents() { diff <(documents_of "$1") <(documents_of "$2"); }

# Ends a test that cannot run here.
skip() {
  echo "$*" >"$tests_folder/why"
  exit 99
}

it() {
  local sentence=$1 body=$2 status=0 log=$tests_folder/log
  mkdir "$tests_folder/work" "$tests_folder/tmp"
  : >"$tests_folder/why"
  set +e
  (
    set -e
    cd "$tests_folder/work"
    export TMPDIR=$tests_folder/tmp XDG_RUNTIME_DIR=$tests_folder/tmp
    "$body"
  ) >"$log" 2>&1 </dev/null
  status=$?
  set -e
  chmod -R u+rwX "$tests_folder/work" "$tests_folder/tmp"
  rm -rf "$tests_folder/work" "$tests_folder/tmp"
  case $status in
    0)
      tests_passed=$((tests_passed + 1))
      echo "  ok       $sentence"
      sed -n 's/^measured: /           measured: /p' "$log"
      ;;
    99)
      tests_skipped=$((tests_skipped + 1))
      echo "  skipped  $sentence: $(cat "$tests_folder/why")"
      ;;
    *)
      tests_failed=$((tests_failed + 1))
      echo "  FAILED   $sentence (status $status)"
      tail -n 30 "$log" | sed 's/^/             /'
      ;;
  esac
}

# Ends a file of tests; Tests/run.sh adds up what is left in SCORE.
finish() {
  [ -z "${SCORE:-}" ] || echo "$tests_passed $tests_failed $tests_skipped" >>"$SCORE"
  [ -n "${SCORE:-}" ] || echo "$tests_passed passed, $tests_failed failed, $tests_skipped skipped"
  [ "$tests_failed" = 0 ]
}

# Runs a command with its output in ./out and ./err, and its status in $status.
run() {
  status=0
  "$@" >out 2>err || status=$?
}

# Runs a command that must end with a status.
ends_with() {
  local wanted=$1
  shift
  run "$@"
  if [ "$status" != "$wanted" ]; then
    echo "'$*' ended with $status, not $wanted"
    cat out err
    return 1
  fi
}

# Holds a file against a text that must be in it.
has() {
  grep -qF -- "$2" "$1" && return
  echo "'$2' is not in $1:"
  cat "$1"
  return 1
}

# Expects ./err to have the words of a row of docs/errors.md, with anything for their values.
says() {
  local words
  words=$(awk -F ' [|] ' -v key="| \`$1\`" '$1 == key { print $3 }' "$tests_root/docs/errors.md" \
    | sed 's/[][\.*^$]/\\&/g; s/{[A-Za-z]*}/.*/g')
  [ -n "$words" ] && tr '\n' ' ' <err | grep -q -- "$words" && return
  echo "$1 is not in err:"
  cat err
  return 1
}

is_empty() {
  [ ! -s "$1" ] && return
  echo "$1 is not empty:"
  cat "$1"
  return 1
}

same() {
  [ "$1" = "$2" ] && return
  printf 'not the same:\n%s\n%s\n' "$1" "$2"
  return 1
}

# Waits until a command succeeds, a minute at most.
soon() {
  local _
  for _ in $(seq 1200); do
    "$@" && return
    sleep 0.05
  done
  echo "never: $*"
  return 1
}

needs() {
  local program
  for program in "$@"; do
    command -v "$program" >/dev/null || skip "there is no '$program' here"
  done
}

# Where Tests/run.sh puts what it takes from PyPI.
tools=$tests_root/.build/tools/bin

# Prints a Python that has a module, if there is one: the system's own, which Debian's packages are for, may stand behind
# another one, and what comes from PyPI has an environment of its own.
python_with() {
  local python
  for python in /usr/bin/python3 python3 "$tools/python"; do
    if "$python" -c "import $1" 2>/dev/null; then
      echo "$python"
      return
    fi
  done
  return 1
}

# Ends the service that a test started, and waits until it is gone.
stop_service() {
  [ -n "${service:-}" ] || return 0
  kill "$service" 2>/dev/null || true
  wait "$service" 2>/dev/null || true
  service=""
}

# Starts a service of the test's own that prints its port on loopback; sets $place.
start_on_loopback() {
  needs python3 curl
  trap stop_service EXIT
  "$@" >port &
  service=$!
  soon [ -s port ]
  place=http://127.0.0.1:$(cat port)
}

# Makes a ledger with one app, 'taxi', whose releases 1.0 and 1.1 are live and visible.
make_ledger() {
  pawl init >/dev/null
  pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462 >/dev/null
  printf '%s\n' version,released_at 1.0,2024-01-01T00:00:00Z 1.1,2024-02-01T00:00:00Z >past.csv
  pawl import taxi past.csv --yes >/dev/null
}

# Makes the key that test mails are signed with, or such mails.
write_mails() { python3 "$tests_root/Tests/shell/mails.py" "$@"; }

# Makes ./key.txt and a ledger that trusts it, with one app whose release 1.2 is prepared.
make_trusting_ledger() {
  needs python3 openssl
  make_ledger
  pawl publish taxi 1.2 --yes >/dev/null
  write_mails key .
  pawl trust recipient release@example.com >/dev/null
  pawl trust dkim email.apple.com test --key key.txt >/dev/null
}

# Every format of documents.
every_format=()
for format in v1 flags type lookup prince-of-versions upgrader; do every_format+=(--format "$format"); done

# The number of the last event.
events() { pawl history --limit 1 --json | sed 's/.*"seq":\([0-9]*\)}}$/\1/'; }

# Alters a ledger as somebody does who knows its documents.
forge() { python3 "$tests_root/Tests/shell/forge.py" "$@"; }

# A port of loopback that nobody has.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# Prints the blocks of shell of a page, or of one of its sections, each with a NUL after it.
blocks() {
  awk -v wanted="${2:-}" '
    /^## / { section = substr($0, 4) }
    /^```$/ { if (inside) printf "%c", 0; inside = 0 }
    inside { print }
    /^```sh$/ { inside = wanted == "" || section == wanted }' "$1"
}

# Prints the block of a language with a number, counted from 1, of the page for backends or of another one.
block() {
  awk -v wanted="$2" -v language="$1" '
    $0 == "```" language { count++; inside = count == wanted; next }
    /^```/ { inside = 0 }
    inside' "$tests_root/docs/${3:-backends}.md"
}

# The rights of a file, as an octal number; GNU's stat and BSD's differ.
rights() { stat -c %a "$1" 2>/dev/null || stat -f %Lp "$1"; }
