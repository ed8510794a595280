#!/usr/bin/env bash
# Documents as files: the same bytes whatever surrounds the process, whole under kills, in place on a full disk.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

make_documents() {
  make_ledger
  pawl force taxi 1.0 --reason "old API" --from 2026-01-01T00:00:00Z --until 2040-01-01T00:00:00Z --yes >/dev/null
}

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

it "a new directory is there after a loss of power" test_new_directory
it "an export is the same bytes in another zone, locale and umask" test_same_bytes
it "what says the same is not touched, nor another app's files" test_untouched
it "six exports at once are one after the other" test_one_after_the_other
it "a change writes its documents, and says what to do where it cannot" test_after_a_change
it "a full disk leaves whole files, and the next export mends the tree" test_full_disk
it "no reader sees a torn file while exporters run and are killed" test_readers_and_kills
it "a received ledger writes nothing until this host agrees" test_received
it "a directory that every account may write is refused, and so is '-'" test_open_to_all
finish
