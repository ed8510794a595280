#!/usr/bin/env bash
# Builds pawl and takes it through a release, on the real history of an app.
# Needs Swift; installs the two C libraries where they are missing. --keep leaves the ledger to play with.
set -euo pipefail

keep=no
for word in "$@"; do
  case "$word" in
    --keep) keep=yes ;;
    -h | --help)
      echo "usage: docs/quickstart.sh [--keep]"
      echo "Builds pawl and takes it through a release. --keep leaves the ledger and says where."
      exit 0
      ;;
    *)
      echo "usage: docs/quickstart.sh [--keep]" >&2
      exit 64
      ;;
  esac
done

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=docs/setup.sh
. docs/setup.sh

bold="" plain=""
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\e[1m' plain=$'\e[0m'; fi

# Says why the next command is run.
say() { printf '\n%s# %s%s\n' "$bold" "$1" "$plain"; }

# Prints a command as it would be typed, then runs it.
run() {
  local word line=""
  for word in "$@"; do
    case "$word" in
      *[!A-Za-z0-9._/=,:+-]* | "") line+=" \"$word\"" ;;
      *) line+=" $word" ;;
    esac
  done
  printf '$%s\n' "$line"
  "$@"
}

# Runs a command that must be refused, and shows the status it ends with.
refused() {
  local wanted=$1 status=0
  shift
  run "$@" 2>&1 || status=$?
  printf '[exit code %s]\n' "$status"
  if [ "$status" != "$wanted" ]; then
    echo "quickstart: expected exit code $wanted" >&2
    exit 1
  fi
}

# Moves a moment by so many seconds; BSD's date and GNU's differ.
shifted() {
  if date -u -d "@0" >/dev/null 2>&1; then
    date -u -d "@$(($(date -u -d "$1" +%s) + $2))" +%Y-%m-%dT%H:%M:%SZ
  else
    date -u -r "$(($(date -j -u -f %Y-%m-%dT%H:%M:%SZ "$1" +%s) + $2))" +%Y-%m-%dT%H:%M:%SZ
  fi
}

say "Install what is missing, and build a release (about a minute the first time)."
require_swift
# shellcheck disable=SC2086 # one word a package
install_packages $build_packages
build_release

program=$PWD/$(swift build -c release --show-bin-path | sed "s|^$PWD/||")/pawl
history=$PWD/docs/data/home-assistant-ios.csv
folder=$(mktemp -d "${TMPDIR:-/tmp}/pawl-quickstart.XXXXXX")
if [ "$keep" = no ]; then trap 'rm -rf "$folder"' EXIT; fi
cd "$folder"
# The commands below read as they would be typed: the program is called by its name, and its ledger is ./pawl.db.
unset PAWL_LEDGER PAWL_ACTOR
pawl() { "$program" "$@"; }
cp "$history" history.csv

say "A ledger is one SQLite file. Without --ledger it is ./pawl.db."
run pawl init

say "An app is one bundle on one platform. This is Home Assistant for iOS; its past is public."
run pawl app add ha --bundle-id io.robbie.HomeAssistant --apple-id 1099568401 --name "Home Assistant"

say "Import its past. Four lines go back to a lower version, so nothing is recorded: it is all or nothing."
refused 65 pawl import ha history.csv

say "Import the other lines, and keep the reason with them."
run pawl import ha history.csv --yes --skip-refused --reason "taken over from the store page"

say "The board: the newest release in each state, and where clients are sent."
run pawl status

say "Publish the next version. It is 'prepared': no client is told about it."
run pawl publish ha 2026.8.0 --build 2026.2700 --note en="Faster start" --note de="Startet schneller"

say "It was submitted to Apple."
run pawl mark ha 2026.8.0 in-review --actor release-bot

say "Apple's reviewer runs 2026.8.0. Whatever the rules say, that version is told nothing but that it is in review."
run pawl check ha 2026.8.0 --json

say "It is in the store. Store pages lag behind, so clients are told after the app's hold (default: 24 hours)."
run pawl mark ha 2026.8.0 live

visible=$(pawl status ha --json | sed -n 's/.*"holds":\[{[^]]*"visibleAt":"\([^"]*\)".*/\1/p')
say "One second before that, a client on 2026.7.3 is told nothing."
run pawl check ha 2026.7.3 --at "$(shifted "$visible" -1)"

say "From then on it is reminded, in its own language."
run pawl check ha 2026.7.3 --locale de --at "$visible"

say "--explain shows every step, with the event behind it."
run pawl check ha 2025.1 --explain

say "Somebody marks the wrong version live. While the hold runs no client has been told, so it can be undone."
run pawl publish ha 2026.8.1
run pawl mark ha 2026.8.1 live
run pawl unmark ha 2026.8.1 --reason "meant 2026.8.0, which is live already"

say "Somebody forgets a point. The number is greater than everything that will follow, so it must not count: strike it out."
run pawl publish ha 20268.2 --yes
refused 1 pawl publish ha 2026.8.2
run pawl void ha 20268.2 --reason "typo, meant 2026.8.2"
run pawl publish ha 2026.8.2

say "Versions only grow. A refusal says why and what to do. Exit code 1 is a law, 64 a usage error; see docs/errors.md."
refused 1 pawl publish ha 2026.7.4
refused 64 pawl publish ha v2026.8.3
refused 1 pawl void ha 2026.8.0 --reason "no longer wanted"

say "2026.7.1 has a bad bug: its users must update. Nobody is forced to something they cannot install, and pawl asks before answers get stricter."
refused 1 pawl force ha below:2027 --reason "bad bug"
refused 1 pawl force ha 2026.7.1 --reason "bad bug"
run pawl force ha 2026.7.1 --reason "bad bug" --grace 2d --yes

say "Who is told what, by whom, until when; and when answers will change by themselves."
run pawl rules ha
run pawl due

say "Something is wrong? Stopping never asks. Then undo it, and see what a client was told in the meantime."
run pawl stop ha --reason "checking"
stopped=$(pawl history --limit 1 --json | sed -n 's/.*"head":{"hash":"[^"]*","seq":\([0-9]*\)}.*/\1/p')
run pawl undo "$stopped" --yes
run pawl check ha 2026.7.1 --as-of "$stopped"

say "Everything is on record, newest first: who, when, what, why."
run pawl history ha --limit 10

say "One event in full, with what was there before and after. Its hash covers the previous event."
run pawl show 59

if [ "$keep" = yes ]; then
  say "The ledger stays. Go on with it:"
  printf '%s\n' "export PAWL_LEDGER=$folder/pawl.db" "alias pawl=$program" \
    "pawl status" "pawl check ha 2024.1 --os 16.4 --explain" "pawl app set ha --policy remind --dry-run" \
    "pawl help"
else
  say "Done; the temporary folder is removed. Run docs/quickstart.sh --keep for a ledger to play with."
fi
