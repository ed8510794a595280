#!/usr/bin/env bash
# Documents as files: the same bytes whatever surrounds the process, whole under kills, in place on a full disk.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

make_documents() {
  make_ledger
  pawl force taxi 1.0 --reason "old API" --from 2026-01-01T00:00:00Z --until 2040-01-01T00:00:00Z --yes >/dev/null
}

# The tree without the folder that is not served.
listing() { (cd "$1" && find . -path ./.pawl -prune -o -type f -exec sha256sum {} + | LC_ALL=C sort -k 2); }

test_same_bytes() {
  make_documents
  local at=(--at 2026-11-21T00:00:00Z)
  run pawl export one "${at[@]}"
  (umask 077 && TZ=Asia/Tokyo LC_ALL=C LANG=tr_TR.UTF-8 "$pawl_program" export two "${at[@]}") || [ $? = 1 ]
  same "$(listing one)" "$(listing two)"
  same "$(rights two/v1/taxi/1.0.json)" 644
  same "$(rights two/v1/taxi)" 755
  same "$(rights two/manifest.json)" 644
}

test_manifest() {
  needs python3
  make_documents
  run pawl export tree
  python3 - <<'PYTHON'
import hashlib, json, os

apps = json.load(open("tree/manifest.json"))["apps"]
listed = {path: digest for app in apps.values() for path, digest in app["files"].items()}
for path, digest in listed.items():
    assert hashlib.sha256(open(f"tree/{path}", "rb").read()).hexdigest() == digest, path
found = {
    os.path.relpath(os.path.join(place, name), "tree")
    for place, _, names in os.walk("tree") if "/.pawl" not in place for name in names
}
assert found - {"manifest.json"} == set(listed), found ^ set(listed)
PYTHON
}

test_untouched() {
  make_documents
  pawl app add van --bundle-id com.example.van --apple-id 7 >/dev/null
  run pawl export tree
  find tree -type f -exec touch -d 2001-01-01T00:00:00Z {} +
  run pawl export tree
  same "$(find tree -type f -newermt 2002-01-01 ! -path 'tree/.pawl/*')" ""
  pawl stop van >/dev/null
  run pawl export tree
  same "$(find tree -type f -newermt 2002-01-01 ! -path 'tree/.pawl/*' ! -path '*van*')" tree/manifest.json
}

test_readers_and_kills() {
  needs python3
  python3 "$tests_root/Tests/faults/export.py" "$pawl_program" "${PAWL_EXPORTS:-20}" "${PAWL_KILLS:-10}" "${PAWL_READS:-2000}" |
    sed 's/^/measured: /'
}

test_one_after_the_other() {
  make_documents
  local number pids=()
  for number in 1 2 3 4 5 6; do
    "$pawl_program" export tree >"out$number" 2>&1 &
    pids+=($!)
  done
  for number in "${pids[@]}"; do wait "$number" || [ $? = 1 ]; done
  grep -q " written" out1
  rm -rf fresh
  run pawl export fresh
  same "$(listing tree)" "$(listing fresh)"
}

test_full_disk() {
  [ "$(id -u)" = 0 ] || skip "mounting a small disk takes root"
  make_documents
  mkdir small
  mount -t tmpfs -o size=200k,mode=755 tmpfs small 2>/dev/null || skip "no tmpfs can be mounted here"
  # shellcheck disable=SC2064 # the folder of now
  trap "umount '$PWD/small'" EXIT
  run pawl export small --format v1
  local before
  before=$(listing small)
  head -c 1000000 /dev/zero >small/filler 2>/dev/null || true
  rm -f before after
  printf '%s\n' "$before" >before
  pawl stop taxi >/dev/null
  ends_with 74 pawl export small --format v1
  has err "no space left on device"
  listing small | grep -v filler >after
  # What is served is whole: each file is the earlier one, or the new one.
  while read -r digest path; do
    grep -q "$digest" before || grep -q '"stopped"' "small/$path"
  done <after
  rm small/filler
  ends_with 0 pawl export small --format v1
  has small/v1/taxi/1.0.json '"decidedBy":"stopped"'
}

test_after_a_change() {
  make_documents
  export PAWL_EXPORT=$PWD/tree
  pawl stop taxi >/dev/null 2>&1
  has tree/v1/taxi/1.0.json '"decidedBy":"stopped"'
  rm -rf tree
  : >tree
  ends_with 74 pawl resume taxi --yes --request-id again
  has err "the change is recorded"
  has err "pawl export"
  rm tree
  ends_with 0 pawl resume taxi --yes --request-id again
  has tree/v1/taxi/1.0.json '"action":"force"'
}

test_new_directory() {
  needs strace
  make_documents
  strace -f -y -o trace -e trace=mkdir,fsync,syncfs "$pawl_program" export tree --app taxi --format v1 >out 2>err ||
    skip "strace is not permitted here"
  # Of a directory that was not there the name is flushed as well.
  grep -q "fsync([0-9]*<$(pwd -P)>) *= 0" trace
}

# What lies outside the directory, and must stay as it is.
make_outside() {
  mkdir outside
  echo theirs >outside/1.0.json
  echo theirs >outside/0
}

is_untouched() {
  same "$(cat outside/* && ls outside)" "$(printf 'theirs\ntheirs\n0\n1.0.json')"
}

test_led_away() {
  make_documents
  make_outside
  pawl report site >/dev/null
  local name
  for name in .pawl .pawl/staging v1 v1/taxi; do
    rm -rf tree
    mkdir -p "tree/$(dirname "$name")"
    ln -s "$PWD/outside" "tree/$name"
    ends_with 1 timeout 20 "$pawl_program" export tree --json
    has err '"id":"export.foreign"'
    has err "tree/$name"
    is_untouched
    same "$(find tree -type f)" ""
  done
  for name in .pawl-report .pawl-report/staging; do
    mv "site/$name" kept
    ln -s "$PWD/outside" "site/$name"
    pawl app set taxi --name "Taxi $RANDOM" >/dev/null
    ends_with 1 timeout 20 "$pawl_program" report site --json
    has err '"id":"report.foreign-file"'
    is_untouched
    rm "site/$name"
    mv kept "site/$name"
    ends_with 0 pawl report site
  done
}

test_pipes() {
  needs mkfifo
  make_documents
  run pawl export tree
  local name
  for name in manifest.json v1/taxi/1.0.json .pawl/state.json .pawl/lock .pawl/journal; do
    rm -f "tree/$name"
    mkfifo "tree/$name"
    ends_with 74 timeout 20 env PAWL_EXPORT=tree "$pawl_program" stop taxi --json
    has err '"cause":"export.foreign"'
    ends_with 0 timeout 20 env PAWL_EXPORT=tree "$pawl_program" status
    rm -rf tree
    pawl resume taxi --yes >/dev/null
    run pawl export tree
  done
}

test_foreign_files() {
  make_documents
  mkdir -p tree/v1/taxi/folder tree/updates site
  local name names=(README.txt .htaccess updates/taxi.xml v1/taxi/9.9.json v1/taxi/notes.txt)
  for name in "${names[@]}"; do echo theirs >"tree/$name"; done
  ends_with 0 pawl export tree --format v1 --format flags
  ends_with 0 pawl export tree --format v1
  ends_with 0 pawl export tree --format v1
  has out "0 written, 4 unchanged, 0 removed"
  for name in "${names[@]}"; do same "$(cat "tree/$name")" theirs; done
  [ ! -e tree/flags ]
  # Exactly where a file is to go: named, and nothing is written.
  for name in manifest.json v1/taxi/1.0.json; do
    rm -rf tree
    mkdir -p "tree/$(dirname "$name")"
    echo theirs >"tree/$name"
    ends_with 1 pawl export tree --json
    has err '"id":"export.foreign"'
    has err "tree/$name"
    same "$(find tree -type f -exec cat {} +)" theirs
  done
  # A copy of a page is nobody's page any more.
  pawl report site >/dev/null
  cp site/taxi.html site/kept.html
  ends_with 0 pawl report site
  [ -e site/kept.html ]
}

test_received() {
  make_documents
  pawl init --export documents >/dev/null
  mkdir host
  cp pawl.db host/pawl.db
  rm -rf documents
  cd host
  ends_with 74 pawl stop taxi --json
  has out '"changed":true'
  has err '"id":"export.unmarked"'
  has err "pawl export"
  [ ! -e ../documents ]
  mkdir ../documents
  ends_with 74 pawl resume taxi --yes
  same "$(ls -A ../documents)" ""
  pawl status --json >out
  has out '"marked":false'
  ends_with 74 pawl export
  # Somebody on this host agrees.
  ends_with 0 pawl export ../documents
  ends_with 0 pawl stop taxi --json
  has out '"documents":{"removed":0,"warnings":[],"written":4}'
  has ../documents/v1/taxi/1.0.json '"decidedBy":"stopped"'
}

test_copies() {
  make_documents
  pawl init --export tree >/dev/null
  pawl backup copy.db >/dev/null
  listing tree >before
  # A copy that was backed up names no directory, and writes into this one for nobody.
  ends_with 0 pawl stop taxi --ledger copy.db --reason trial
  ends_with 0 pawl resume taxi --yes --ledger copy.db
  ends_with 1 pawl export tree --ledger copy.db --json
  has err '"id":"export.other-copy"'
  cp pawl.db plain.db
  ends_with 74 pawl stop taxi --ledger plain.db
  listing tree | diff before -
  # Moved, it is the same file still.
  mkdir moved
  mv pawl.db moved/
  ends_with 0 pawl stop taxi --ledger moved/pawl.db
  has tree/v1/taxi/1.0.json '"decidedBy":"stopped"'
  pawl resume taxi --yes --ledger moved/pawl.db >/dev/null
  # Restored, it is refused, but for what stops.
  rm moved/pawl.db
  cp copy.db moved/pawl.db
  ends_with 74 pawl remind taxi 1.0 --yes --ledger moved/pawl.db
  ends_with 0 pawl stop taxi --ledger moved/pawl.db
  has err "--take-over"
  has tree/v1/taxi/1.0.json '"decidedBy":"stopped"'
  ends_with 1 pawl export tree --take-over --ledger moved/pawl.db
  ends_with 0 pawl export tree --take-over --yes --ledger moved/pawl.db
  ends_with 0 pawl verify --ledger moved/pawl.db
  python3 "$tests_root/docs/verify-ledger.py" moved/pawl.db >out
  ends_with 0 pawl resume taxi --yes --ledger moved/pawl.db
  same "$(stat -c %a tree/.pawl)" 700
  same "$(stat -c %a tree/.pawl/state.json)" 600
}

test_open_to_all() {
  make_documents
  mkdir -p open/tree
  chmod 777 open
  ends_with 77 pawl export open/tree --json
  has err '"id":"file.unsafe-directory"'
  ends_with 77 pawl report open/tree
  ends_with 77 pawl backup open/tree/copy.db
  ends_with 77 pawl init --export open/tree
  same "$(ls -A open/tree)" ""
  chmod 1777 open
  ends_with 0 pawl export open/tree
  chmod 777 open/tree
  ends_with 77 pawl export open/tree
  ends_with 64 pawl export -
  ends_with 64 pawl report -
  ends_with 64 pawl backup -
  [ ! -e ./- ]
}

test_formats() {
  make_documents
  ends_with 0 pawl init --export tree --format v1 --format flags --json
  has out '"formats":["v1","flags"]'
  ends_with 0 pawl stop taxi
  has tree/flags/taxi/1.0.json '"needUpgrade":"0"'
  # The hint that 'due' and 'doctor' give keeps to the choice, and so does naming the directory again.
  ends_with 0 pawl export tree
  has out "0 written, 7 unchanged, 0 removed"
  ends_with 0 pawl init --export tree
  [ -e tree/flags/taxi/1.0.json ]
  ends_with 0 pawl init --export tree --format v1
  [ ! -e tree/flags ]
  ends_with 64 pawl init --format v1
}

it "a new directory is there after a loss of power" test_new_directory
it "an export is the same bytes in another zone, locale and umask" test_same_bytes
it "the manifest lists every file with its digest" test_manifest
it "what says the same is not touched, nor another app's files" test_untouched
it "six exports at once are one after the other" test_one_after_the_other
it "a change writes its documents, and says what to do where it cannot" test_after_a_change
it "a full disk leaves whole files, and the next export mends the tree" test_full_disk
it "no reader sees a torn file while exporters run and are killed" test_readers_and_kills
it "a link in the directory leads nowhere" test_led_away
it "a pipe in the directory holds nobody up" test_pipes
it "other people's files stay, and are named where they are in the way" test_foreign_files
it "a received ledger writes nothing until this host agrees" test_received
it "a copy writes nothing, and a restored ledger nothing but a stop, until somebody says so" test_copies
it "a directory that every account may write is refused, and so is '-'" test_open_to_all
it "formats are chosen once, and hints keep to them" test_formats
finish
