# A machine made for this, with nothing on it but Debian, nginx and sudo, booted with systemd: an account that may use sudo
# follows docs/install.md and docs/operations.md to the letter. Part of 'Tests/run.sh --full';
# PAWL_MACHINE names the release of Debian.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

pages=$tests_root/docs

# Makes ./root, from what an earlier run left in the build folder if it can.
make_root() {
  local kept=$tests_root/.build/machine-$PAWL_MACHINE.tar
  if [ ! -s "$kept" ]; then
    debootstrap --variant=minbase \
      --include=sudo,systemd,nginx,curl,sqlite3,isync,openssh-client,openssh-server,openssl,tzdata,python3-minimal \
      "$PAWL_MACHINE" made http://deb.debian.org/debian >made.log 2>&1 || skip "debootstrap cannot make a system: $(tail -n 1 made.log)"
    rm -rf made/var/cache/apt/archives made/var/lib/apt/lists
    tar -C made -cf "$kept.new" . && mv "$kept.new" "$kept"
    rm -rf made
  fi
  mkdir -p root
  tar -C root -xpf "$kept"
  mkdir -p root/var/cache/apt/archives/partial root/var/lib/apt/lists/partial
  echo pawl-test >root/etc/hostname
  echo '127.0.0.1 localhost pawl-test' >root/etc/hosts
  # Whoever follows a page says yes.
  echo 'APT::Get::Assume-Yes "true";' >root/etc/apt/apt.conf.d/yes
  chroot root useradd --create-home --shell /bin/bash alice
  echo 'alice ALL=(ALL) NOPASSWD: ALL' >root/etc/sudoers.d/alice
}

# Boots ./root, with processes, mounts and a network of its own; sets $machine to the process of its systemd.
boot() {
  unshare --mount --pid --net --uts --ipc --cgroup --fork --kill-child --propagation private bash -c '
    mount --bind root root && cd root && mount -t proc proc proc && mount -t sysfs -o ro sysfs sys && mount -t tmpfs tmpfs run &&
      mount -t tmpfs -o mode=1777 tmpfs tmp && mount -t cgroup2 cgroup2 sys/fs/cgroup && mkdir -p outside &&
      pivot_root . outside && umount -l outside && rmdir outside &&
      exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system' \
    >boot.log 2>&1 </dev/null &
  service=$!
  trap stop_machine EXIT
  local tries=0
  until machine=$(pgrep -P "$service") && inside systemctl is-system-running >state 2>/dev/null || grep -q degraded state; do
    tries=$((tries + 1))
    [ "$tries" -lt 300 ] || { cat boot.log state; return 1; }
    sleep 0.1
  done
}

stop_machine() {
  kill -KILL "${machine:-}" 2>/dev/null || true
  wait "$service" 2>/dev/null || true
}

inside() { nsenter --target "$machine" --all --root --wd=/ env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }

as_alice() {
  echo "-- $1"
  inside su - alice -c "set -e; $1"
}

follow() {
  local block
  while IFS= read -r -d '' block; do as_alice "$block"; done < <(blocks "$pages/$1" "${2:-}")
}

soon() {
  local tries=0
  until inside sh -c "$1" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt "${2:-100}" ] || { echo "never: $1"; inside journalctl --no-pager -n 30; return 1; }
    sleep 0.2
  done
}

# Puts the next version of the package where alice finds it, in place of this one.
next_deb() {
  dpkg-deb -R root/home/alice/pawl_*.deb next
  rm root/home/alice/pawl_*.deb
  sed -i 's/^Version: .*/&.1/' next/DEBIAN/control
  dpkg-deb --root-owner-group -Zgzip -z1 --build next root/home/alice >/dev/null
}

followed() {
  needs debootstrap unshare nsenter dpkg-deb python3 openssl
  [ "$(id -u)" = 0 ] || skip "it takes root to boot a machine"
  make_root
  boot
  "$tests_root/docs/packaging/make-deb.sh" --output root/home/alice "$pawl_program" >/dev/null

  # Installing, and an app as in 'getting started'.
  follow install.md "A host for a team"
  as_alice 'sudo -iu pawl pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462
    printf "%s\n" version,released_at 7.3.1,2026-05-04T08:00:00Z 7.3.2,2026-06-01T08:00:00Z |
      sudo -iu pawl pawl import taxi - --yes
    sudo -iu pawl pawl publish taxi 7.4.0 --yes --build 512
    sudo -iu pawl pawl mark taxi 7.4.0 in-review'
  as_alice 'curl -fsS http://127.0.0.1:8080/v1/taxi/7.3.1.json' >document
  has document '"version":"7.3.1"'

  # A timer that runs: what is missing is back within a minute.
  inside rm /srv/documents/v1/taxi/7.3.1.json
  soon 'test -e /srv/documents/v1/taxi/7.3.1.json' 400

  # The other jobs, each of which has to end well.
  follow operations.md Backups
  follow verify.md "A checkpoint every hour"
  local unit
  for unit in backup verify checkpoint report doctor; do inside systemctl start "pawl-$unit.service"; done
  inside test -s /var/backups/pawl/pawl.db -a -s /srv/report/report.html -a -s /var/lib/pawl-keeper/head.txt

  # What else the pages have for this host; no chat and no App Store Connect can be reached from it.
  follow deliver/README.md
  touch root/home/alice/AuthKey_2X9R4HXF34.p8
  follow app-store-connect.md
  inside systemctl disable --now pawl-deliver@chat.timer pawl-deliver@chat.path pawl-asc@taxi.timer

  # A message after each change, at once.
  printf 'COMMAND=tee -a /var/lib/pawl/messages\n' >root/etc/pawl/deliver-log.env
  inside systemctl start pawl-deliver@log.service
  # A path unit sees nothing in the moment a run ends; the timer does.
  inside systemctl enable --now pawl-deliver@log.path pawl-deliver@log.timer
  as_alice 'for turn in 1 2 3 4 5 6 7 8; do sudo -iu pawl pawl setting taxi key "$turn"; done'
  local start
  start=$(date +%s%N)
  soon 'grep -q "\"value\":\"8\"" /var/lib/pawl/messages' 400
  echo "measured: a message $((($(date +%s%N) - start) / 1000000)) ms after the change"
  same "$(inside systemctl is-failed pawl-deliver@log.path pawl-deliver@log.service pawl-export.service | sort -u | tr '\n' ' ')" \
    "active inactive "

  # A mirror, whose path unit has a stop in it at once.
  inside su - pawl -c 'pawl sync app --as sqlite --schema | sqlite3 app.db'
  printf 'KIND=sqlite\nCOMMAND=sqlite3 /var/lib/pawl/app.db\n' >root/etc/pawl/sync-app.env
  inside systemctl start pawl-sync@app.service pawl-sync@app.path
  prompts() { echo "sqlite3 /var/lib/pawl/app.db \"SELECT max(action <> 'none') FROM pawl_ask WHERE app = 'taxi'\" | grep -qx $1"; }
  soon "$(prompts 1)"
  as_alice 'sudo -iu pawl pawl stop taxi --reason test'
  start=$(date +%s%N)
  soon "$(prompts 0)"
  echo "measured: a stop in a mirror $((($(date +%s%N) - start) / 1000000)) ms after it"
  inside systemctl stop pawl-sync@app.path
  as_alice 'sudo -iu pawl pawl resume taxi --yes'

  # A mail moves the release; the mailbox that mbsync reads is a folder here.
  write_mails key .
  cp key.txt root/var/lib/pawl/
  inside su - pawl -c 'pawl trust recipient release@example.com && pawl trust dkim email.apple.com test --key key.txt --yes'
  inside su - pawl -c 'mkdir -p far/INBOX/cur far/INBOX/new far/INBOX/tmp mail'
  cat >root/var/lib/pawl/.mbsyncrc <<'RC'
MaildirStore remote
Path ~/far/
Inbox ~/far/INBOX

MaildirStore local
Path ~/mail/
Inbox ~/mail/INBOX

Channel release
Far :remote:
Near :local:
Patterns INBOX
Sync Pull
Create Near
SyncState *
RC
  echo "1524608462 7.4.0 approved $(date +%s)" |
    write_mails dir . root/var/lib/pawl/far/INBOX/new
  inside chown -R pawl: /var/lib/pawl
  inside systemctl start pawl-mail.service
  inside journalctl --no-pager -o cat -u pawl-mail.service
  as_alice 'sudo -iu pawl pawl show taxi 7.4.0 --json' >shown
  has shown '"state":"approved"'

  inside systemctl start pawl-backup.service
  follow tasks/restore-a-backup.md
  same "$(inside systemctl is-active pawl-export.timer pawl-checkpoint.timer pawl-deliver@log.path | sort -u)" active

  # The next version of the package, then none.
  next_deb
  follow install.md Upgrading
  same "$(inside dpkg-query -W -f '${Version}' pawl)" "$(pawl --version | cut -d' ' -f2).1"
  follow install.md Uninstalling
  inside test -s /var/lib/pawl/pawl.db -a ! -e /usr/bin/pawl -a ! -e /usr/share/doc/pawl
  same "$(cd root/etc/systemd/system && find . -name 'pawl-*')" ""
}
[ -z "${PAWL_MACHINE:-}" ] ||
  it "a clean machine works as the pages say: documents behind nginx, jobs, a mail, a restore, an upgrade" followed

# The container of docs/packaging, on that Debian; the stage that builds is given the program that is built already.
contained() {
  needs debootstrap buildah
  [ "$(id -u)" = 0 ] || skip "it takes root to make a system"
  make_root
  cp /etc/resolv.conf root/etc/
  local container
  store() { buildah --root "$PWD/store" --runroot "$PWD/run" --storage-driver vfs "$@"; }
  container=$(store from scratch) || skip "buildah cannot run here"
  store copy -q "$container" root / >/dev/null
  store commit -q "$container" localhost/base >/dev/null
  mkdir -p source/docs/packaging source/.build/release
  cp "$pages/packaging/Containerfile" source/docs/packaging/
  cp "$pawl_program" source/.build/release/pawl
  printf '%s\n' 'build_packages=binutils' 'build_release() { :; }' \
    'install_packages() { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@" >/dev/null; }' >source/docs/setup.sh
  store build --isolation chroot --build-arg BUILDER=localhost/base --build-arg BASE=localhost/base \
    -f source/docs/packaging/Containerfile -t localhost/pawl source >made.log 2>&1 || { tail made.log; return 1; }
  container=$(store from localhost/pawl)
  inside() { store run --isolation chroot "$container" -- "$@"; }
  same "$(inside pawl --version)" "$(pawl --version)"
  inside pawl init >/dev/null
  inside pawl app add taxi --bundle-id com.example.taxi >/dev/null
  inside pawl verify >/dev/null
  inside test -s /var/lib/pawl/pawl.db -a -e /usr/share/zoneinfo/Europe/Berlin -a -s /etc/ssl/certs/ca-certificates.crt
  inside curl --version >/dev/null
  inside sh -c 'ssh -V' 2>/dev/null
  same "$(inside id -un)" pawl
}
[ -z "${PAWL_MACHINE:-}" ] || it "the container has the program, what it calls, and no more rights than it needs" contained

finish
