#!/usr/bin/env bash
# Documents as files: the same bytes whatever surrounds the process. Kills, readers and full disks are in faults.sh.
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
  echo mine >../documents/index.html
  ends_with 74 pawl resume taxi --yes
  same "$(ls -A ../documents)" index.html
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
  says file.unsafe-directory
  if [ "$(uname) $(id -u)" = "Linux 0" ]; then
    pawl export tree >/dev/null
    ends_with 75 flock tree/.pawl/lock "$pawl_program" export tree --wait 0
    says export.busy
    mkdir theirs && ln -s theirs link && chown -h 50001 link
    ends_with 77 pawl export link/tree
    says file.unsafe-directory/link
    mkdir -m 775 shared && chgrp 54321 shared
    ends_with 77 pawl export shared
    says file.unsafe-directory/group
  fi
  for word in export report backup; do ends_with 64 pawl "$word" -; done
  [ ! -e ./- ]
}

test_one_stays() {
  [ "$(uname)" = Linux ] || skip "this mounts a file"
  make_documents
  pawl app add bus --bundle-id com.example.bus --apple-id 8 >/dev/null
  pawl import bus past.csv --yes >/dev/null
  pawl init --export tree >/dev/null
  mount --bind tree/v1/bus/1.0.json tree/v1/bus/1.0.json 2>/dev/null || skip "mounting is not permitted here"
  trap 'cd "$tests_folder/work" && umount tree/v1/bus/1.0.json' EXIT
  ends_with 74 pawl stop --all
  has err "cannot put in place '$PWD/tree/v1/bus/1.0.json'"
  same "$(grep -lrE '"action":"(force|remind)"' tree/v1)" tree/v1/bus/1.0.json
  umount tree/v1/bus/1.0.json
  trap - EXIT
  # It is not forgotten.
  ends_with 0 pawl export
  has tree/v1/bus/1.0.json '"decidedBy":"stopped"'
}

it "an export is the same bytes in another zone, locale and umask" test_same_bytes
it "unchanged documents and those of other apps are not touched" test_untouched
it "six exports at once run one after the other" test_one_after_the_other
it "a received ledger writes nothing until this host agrees" test_received
it "a world-writable directory is refused, and so is '-'" test_open_to_all
it "a stop silences all but the file that nothing can replace" test_one_stays
finish
