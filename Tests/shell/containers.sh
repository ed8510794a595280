# Containers, played by namespaces, and disks without room: what a stop reaches, and what is left behind.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Runs pawl as process 2 of a machine: with a host name, a machine id (- for none), a mark of a container (- for none, or a
# file, or a variable of process 1), in a root of its own.
inside() {
  local name=$1 id=$2 mark=$3 root=$tests_folder/root
  shift 3
  NAME=$name ID=$id MARK=$mark ROOT=$root FOLDER=$PWD unshare -muipf bash -c '
    set -e
    export -n NAME ID MARK ROOT FOLDER
    mkdir -p "$ROOT"
    mount -t tmpfs none "$ROOT"
    for entry in /*; do
      if [ -L "$entry" ]; then cp -d "$entry" "$ROOT$entry"; continue; fi
      case $entry in /.dockerenv | /etc | /run | /proc) continue ;; esac
      [ -d "$entry" ] || continue
      mkdir "$ROOT$entry" && mount --rbind "$entry" "$ROOT$entry"
    done
    mkdir "$ROOT"/{etc,run,proc}
    cp -d /etc/passwd /etc/group "$ROOT/etc/"
    [ "$ID" = - ] || echo "$ID" >"$ROOT/etc/machine-id"
    case $MARK in
      - ) ;;
      /*) : >"$ROOT$MARK" ;;
      *=*) export "${MARK?}" ;;
    esac
    # Debian keeps the machine id there, too.
    [ ! -d "$ROOT/var/lib/dbus" ] || mount -t tmpfs none "$ROOT/var/lib/dbus"
    hostname "$NAME"
    mount -t proc proc "$ROOT/proc"
    cd "$FOLDER"
    exec chroot "$ROOT" /bin/bash -c "cd \"\$0\"; \"\$@\"; exit \$?" "$FOLDER" "$@"' - "$@"
}

needs_namespaces() {
  [ "$(uname)" = Linux ] || skip "this needs namespaces"
  inside a - - /bin/true 2>/dev/null || skip "namespaces are not permitted here"
}

baked=0123456789abcdef0123456789abcdef
documents=documents/v1/taxi/1.0.json

make_served() {
  printf '%s\n' version,released_at 1.0,2024-01-01T00:00:00Z 1.1,2024-02-01T00:00:00Z >past.csv
  inside "$@" /bin/bash -ec '
    "$0" init --export "$PWD/documents"
    "$0" app add taxi --bundle-id com.example.taxi --apple-id 1524608462
    "$0" import taxi past.csv --yes
    "$0" force taxi below:1.1 --reason crash --yes' "$pawl_program" >made
  has "$documents" '"action":"force"'
}

marks() {
  needs_namespaces
  local mark id
  for mark in /.dockerenv /run/.containerenv container=podman KUBERNETES_SERVICE_HOST=10.0.0.1; do
    for id in - "$baked"; do
      mkdir volume && cd volume
      make_served one "$id" "$mark"
      # The next run has another name, and perhaps another mark or none that this account sees.
      inside two "$id" "$mark" "$pawl_program" stop taxi
      has "$documents" '"decidedBy":"stopped"'
      inside three "$baked" - "$pawl_program" resume taxi --yes
      has "$documents" '"action":"force"'
      # A copy at the same path, on a host with the same baked id, writes nothing.
      cp pawl.db copy && rm pawl.db && mv copy pawl.db
      for machine in "one $id $mark" "three $baked -"; do
        # shellcheck disable=SC2086 # three words
        ends_with 74 inside $machine "$pawl_program" stop taxi
        has err "stop --all --take-over"
      done
      has "$documents" '"action":"force"'
      ends_with 0 inside four "$id" "$mark" "$pawl_program" stop --all --take-over
      has "$documents" '"decidedBy":"stopped"'
      cd .. && rm -r volume
    done
  done
}
it "in a container the inode alone says which file the documents belong to, in every run" marks

hosts() {
  needs_namespaces
  make_served one "$baked" -
  # A restored file at the old path is the same on its host, whatever the host is called.
  cp pawl.db copy && rm pawl.db && mv copy pawl.db
  inside two "$baked" - "$pawl_program" stop taxi
  has "$documents" '"decidedBy":"stopped"'
  inside one "$baked" - "$pawl_program" resume taxi --yes
  cp pawl.db copy && rm pawl.db && mv copy pawl.db
  ends_with 74 inside one "${baked//0/f}" - "$pawl_program" stop taxi
  has err "on another host"
}
it "on a host a restored file is the same, and on another host it is not" hosts

nameless() {
  needs_namespaces
  mkdir volume
  mount -t ramfs ramfs volume 2>/dev/null || skip "mounting is not permitted here"
  trap 'cd "$tests_folder/work" && umount volume' EXIT
  cd volume
  make_served one "$baked" -
  ends_with 1 inside one - - "$pawl_program" init --export "$PWD/others"
  says export.no-identity/init
  ends_with 74 inside one - - "$pawl_program" stop taxi
  says export.no-identity
  ends_with 1 inside one - - "$pawl_program" doctor
  mv out err
  says export.no-identity/found
  has "$documents" '"action":"force"'
  ends_with 0 inside one - - "$pawl_program" stop --all --take-over
  has "$documents" '"decidedBy":"stopped"'
}
it "without machine id and birth time nothing is written, but for a stop that takes over" nameless

killed() {
  needs_namespaces
  make_ledger
  # A backup is process 1 each time, and is killed with its copy half made.
  local delay
  for delay in 0.002 0.004 0.008 0.016; do
    unshare -pf --kill-child timeout -s KILL "$delay" "$pawl_program" backup copy.db --replace >/dev/null 2>&1 || true
  done
  : >copy.db.0123456789abcdef.new && : >copy.db.0123456789abcdef.new-journal
  ends_with 0 unshare -pf --kill-child "$pawl_program" backup copy.db --replace
  if compgen -G 'copy.db.*' >left; then cat left && return 1; fi
  ends_with 0 "$pawl_program" verify --ledger copy.db
}
it "what a killed backup left goes with the next one, whatever its number was" killed

small() {
  mkdir "$1"
  mount -t tmpfs -o "size=$2" tmpfs "$1" 2>/dev/null || skip "mounting is not permitted here"
}

# Leaves so many kilobytes of a disk.
fill() {
  dd if=/dev/zero of="$1/ballast" bs=1k count="$(($(df -k --output=avail "$1" | tail -1) - $2))" 2>/dev/null
}

make_full() {
  export PAWL_LEDGER=$PWD/$1/pawl.db
  make_ledger
  pawl init --export "$PWD/$2/documents" >/dev/null
  for number in 1 2 3 4 5; do
    pawl app add "app$number" --bundle-id "com.example.app$number" --apple-id "$number" >/dev/null
    pawl import "app$number" past.csv --yes >/dev/null
    pawl force "app$number" below:1.1 --reason crash --yes >/dev/null
  done
  pawl force taxi below:1.1 --reason crash --yes >/dev/null
}

room() {
  [ "$(uname)" = Linux ] || skip "this mounts a tmpfs"
  trap 'cd "$tests_folder/work" && umount -q ledger documents both' EXIT
  small both 2m
  make_full both both
  fill both 120
  # What a killed export left goes before the change.
  head -c 100000 /dev/zero >both/documents/.pawl/staging/0
  ends_with 0 pawl stop --all
  if grep -l '"action":"force"' both/documents/v1/*/*.json; then return 1; fi

  small ledger 2m && small documents 2m
  make_full ledger documents
  # The files of prompted versions come first; there may be no room for the state.
  fill documents 8
  run pawl stop --all
  if grep -l '"action":"force"' documents/documents/v1/*/1.0.json documents/documents/v1/*/schedule.json; then return 1; fi
  rm documents/ballast
  ends_with 0 pawl resume --all --yes
  # No room for the record: nothing is said to have been done.
  fill ledger 0
  ends_with 74 pawl stop --all
  has err "the disk is full"
  rm ledger/ballast
  # No byte for documents: recorded, and what to do by hand is named.
  fill documents 0
  ends_with 74 pawl stop --all
  has err "the change is recorded"
  has err "stop-everything"
  is_empty <(ls documents/documents/.pawl/staging)
}
it "a stop reaches clients with 120 kB free, and leaves nothing in staging" room

links() {
  make_ledger
  local name
  for name in mirrors deliver exports; do
    mkdir -p elsewhere
    ln -s elsewhere "pawl.db-$name"
  done
  pawl export shown >/dev/null
  ends_with 0 pawl stop taxi
  has err "pawl.db-exports"
  has err "pawl.db-mirrors"
  ends_with 1 pawl doctor
  has out "pawl.db-deliver"
  run pawl deliver log -- true
  [ "$status" != 0 ] && has err "link"
  is_empty <(ls elsewhere)
}
it "a folder beside the ledger that is a link is named and not followed, and a stop goes on" links

finish
