# The pages about restoring a backup and moving to another host, run as they stand in folders that play the hosts, and the
# crash gate.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

pages=$tests_root/docs

# A host with a ledger, documents, a delivery and what else lies beside it.
make_host() {
  mkdir -p "$1"/{var/lib/pawl,var/backups/pawl,srv,etc/pawl} bin
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$pawl_program" >bin/pawl
  # Everybody is root and pawl here, and no job runs by itself.
  printf '#!/bin/sh\n[ "$1" != -iu ] || { cd "$HOME" && shift 2; }\nexec "$@"\n' >bin/sudo
  printf '#!/bin/sh\necho "$@" >>"$HOSTS/systemctl"\n' >bin/systemctl
  chmod +x bin/*
}

on() {
  local host=$PWD/$1 script=$2
  # In a container a restored file is another one, so that a take-over asks.
  [ ! -e /.dockerenv ] && [ ! -e /run/.containerenv ] || script=${script//export --take-over/export --take-over --yes}
  script=$(sed -E "s#(^|[ ='\">])/(var|srv|etc)/#\\1$host/\\2/#g; s#-C / #-C $host #g" <<<"$script")
  echo "-- $script"
  HOSTS=$PWD HOME=$host/var/lib/pawl PAWL_LEDGER=$host/var/lib/pawl/pawl.db PATH=$PWD/bin:$PATH bash -euo pipefail -c "$script"
}

read_blocks() { mapfile -d '' -t block < <(blocks "$pages/tasks/$1"); }

set_up() {
  make_host old
  on old 'pawl init --export /srv/documents
    pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462
    printf "%s\n" version,released_at 1.0,2024-01-01T00:00:00Z 1.1,2024-02-01T00:00:00Z | pawl import taxi - --yes
    pawl deliver log -- true
    pawl export
    pawl backup /var/backups/pawl/pawl.db'
}

restored() {
  set_up
  # The copies of each day: an old one is deleted after a backup, and never after a backup that failed.
  mapfile -d '' -t block < <(blocks "$pages/operations.md" Backups)
  ln -s /bin/true bin/rsync
  touch -d 2020-01-01 old/var/backups/pawl/pawl-2020-01-01.db
  ends_with 66 on old "set +e; PAWL_LEDGER=none.db; ${block[1]}"
  [ -e old/var/backups/pawl/pawl-2020-01-01.db ]
  on old "${block[1]}"
  [ ! -e old/var/backups/pawl/pawl-2020-01-01.db ]
  read_blocks restore-a-backup.md
  same "${#block[@]}" 4
  # The drill touches nothing that clients see.
  cp -a old/srv served
  on old "${block[2]}"
  diff -r served old/srv
  same_documents old/var/lib/pawl/drill/documents old/srv/documents
  # A crash left a ledger that cannot be read, and a journal.
  local head
  head=$(on old 'pawl history --ledger /var/backups/pawl/pawl.db --limit 1 --json' | grep -o '"head":.*')
  head -c 5000 /dev/urandom >old/var/lib/pawl/pawl.db
  head -c 600 /dev/urandom >old/var/lib/pawl/pawl.db-journal
  on old "${block[0]}"
  [ ! -e old/var/lib/pawl/pawl.db-journal ] && [ -s old/var/lib/pawl/lost/pawl.db-journal ]
  on old "${block[1]}"
  # A take-over, which a container needs, is one event more.
  [ -e /.dockerenv ] || [ -e /run/.containerenv ] || same "$(on old 'pawl history --limit 1 --json' | grep -o '"head":.*')" "$head"
  same "$(rights old/var/lib/pawl/pawl.db)" 640
  # Changes and messages go on.
  on old 'pawl publish taxi 1.2 --yes; pawl deliver log -- sh -c "cat >>messages"'
  has messages release.publish
  # On a new host, with the old documents, the stop that was said again is above them.
  make_host new && cp -a old/var/backups new/var/ && cp -a old/srv new/
  on new "$(block text 1 tasks/restore-a-backup)"
  ends_with 1 grep -rq '"action":"\(force\|remind\)"' new/srv/documents
  # A dump becomes a ledger again.
  command -v sqlite3 >/dev/null || return 0
  (cd old/var/lib/pawl && PATH=$OLDPWD/bin:$PATH bash -euo pipefail -c "${block[3]}")
  same "$(pawl history --ledger old/var/lib/pawl/pawl.db --limit 1 --json)" "$(pawl history --ledger old/var/lib/pawl/again.db --limit 1 --json)"
}
it "a backup is restored as the page says, after a drill that clients do not notice" restored

moved() {
  set_up
  on old 'pawl publish taxi 1.2 --yes; pawl deliver log -- true; echo key >/etc/pawl/key'
  touch old/var/lib/pawl/pawl.db-told old/var/lib/pawl/pawl.db-heard
  read_blocks move-to-another-host.md
  same "${#block[@]}" 2
  on old "${block[0]}"
  make_host new
  on new "${block[1]}"
  [ -s new/etc/pawl/key ]
  # Each companion there is named, and is where the page says.
  local suffix
  for suffix in $(sed -n 's/^  case .* = "\(-.*\)"/\1/p' "$tests_root/Sources/Ledger/File/Companion.swift"); do
    case $suffix in -wal | -shm) ;; *) grep -q -- "pawl.db$suffix\|, \`$suffix\`" "$pages/tasks/move-to-another-host.md" ;; esac
  done
  [ -e new/var/lib/pawl/pawl.db-told ] && [ -e new/var/lib/pawl/pawl.db-heard ]
  # Clients are told the same, and a delivery goes on where it was.
  same_documents old/srv/documents new/srv/documents
  on new 'pawl mark taxi 1.2 waiting; pawl deliver log -- sh -c "cat >>messages"'
  has messages '"kind":"release.mark"'
  ! grep -q release.publish messages
}
it "a ledger moves to another host as the page says, and its deliveries go on" moved

gate() {
  make_ledger
  mkdir bin
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$pawl_program" >bin/pawl
  chmod +x bin/pawl
  export PATH=$PWD/bin:$PATH
  decides() { ends_with "$1" "$pages/tasks/crash-gate.sh" "${app:-taxi}" 1.1 "${percent:-2}" 1000 <<<"$2"; }
  local line app percent
  for line in "" "many few" "1000" "1000 20 3" "-1 5" "1000 9999999999"; do decides 65 "$line"; done
  for line in 2.5 -1 2% x; do percent=$line decides 64 "1000 999"; done
  percent=010 decides 0 "1000 099"
  app=tax decides 66 "1000 0"
  decides 75 "999 900"
  decides 0 "1000 19"
  if grep -q '"stopped":true' <(pawl app show taxi --json); then return 1; fi
  decides 1 "1000 20"
  has <(pawl history taxi --limit 1 --json) "crash gate: 20 of 1000 sessions of 1.1 crashed"
  # Better numbers do not make it green; a person does.
  decides 1 "1000 0"
  pawl resume taxi --yes >/dev/null
  decides 0 "1000 0"
  # Where it cannot ask, nothing is known to be well; where it stopped, it need not ask.
  printf '#!/bin/sh\n[ "$1" = stop ] || exit 77\n' >bin/pawl
  decides 77 "1000 0"
  percent=010 decides 1 "01000 0100"
}
it "the crash gate stops an app above its limit, until a person resumes it" gate

finish
