# A mailbox on an IMAP server, fetched by mbsync into a Maildir that pawl reads: the way of a team without a mail server.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Starts a Dovecot of this test's own: its settings, users, mailboxes and sockets are in ./imap.
start_server() {
  local dovecot=$1 user
  user=$(id -un)
  mkdir -p imap/run imap/state imap/mail/release/Maildir
  port=$(free_port)
  # Dovecot's helpers want users that are not root; where root runs it, these are the ones its package makes.
  local login=$user internal=$user owner=$user
  if [ "$(id -u)" = 0 ]; then
    id dovenull >/dev/null 2>&1 && id dovecot >/dev/null 2>&1 || skip "there are no users 'dovenull' and 'dovecot' here"
    login=dovenull internal=dovecot owner=nobody
    chmod 755 "$tests_folder" "$tests_folder/work"
    chown -R nobody imap/mail
  fi
  echo "release:{PLAIN}secret:$(id -u "$owner"):$(id -g "$owner")::$PWD/imap/mail/release::" >imap/users
  cat >imap/dovecot.conf <<CONF
base_dir = $PWD/imap/run
state_dir = $PWD/imap/state
log_path = $PWD/imap/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
default_login_user = $login
default_internal_user = $internal
default_internal_group = $(id -gn "$internal")
first_valid_uid = 0
first_valid_gid = 0
mail_location = maildir:~/Maildir
service imap-login {
  chroot =
  inet_listener imap {
    port = $port
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
passdb {
  driver = passwd-file
  args = $PWD/imap/users
}
userdb {
  driver = passwd-file
  args = $PWD/imap/users
}
CONF
  "$dovecot" -F -c imap/dovecot.conf >imap/start 2>&1 &
  server=$!
  # shellcheck disable=SC2064 # the name is gone when the trap runs
  trap "cat imap/log; kill $server 2>/dev/null; wait $server 2>/dev/null || true" EXIT
  answers() { (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }
  soon answers || { cat imap/start imap/log; return 1; }
}

# Puts mails into the mailbox as a mail server delivers them, by APPEND.
deliver() {
  python3 - "$port" "$@" <<'PYTHON'
import imaplib, sys
box = imaplib.IMAP4("127.0.0.1", int(sys.argv[1]))
box.login("release", "secret")
for path in sys.argv[2:]:
    answer, _ = box.append("INBOX", None, None, open(path, "rb").read())
    assert answer == "OK", answer
box.logout()
PYTHON
}

fetched() {
  local dovecot port server
  PATH=$PATH:/usr/sbin
  needs python3 openssl sqlite3 mbsync dovecot
  dovecot=$(command -v dovecot)
  case $(dovecot --version) in 2.3.*) ;; *) skip "this needs the settings of Dovecot 2.3" ;; esac
  start_server "$dovecot"

  make_trusting_ledger
  local now
  now=$(date +%s)
  # In the order in which they are delivered, which is not that of their dates.
  printf '1524608462 1.2 %s\n' "live $((now - 100))" "waiting $((now - 400))" "approved $((now - 200))" \
    "in-review $((now - 300))" | write_mails dir . mails
  printf 'From: a@example.com\r\nTo: release@example.com\r\nSubject: lunch\r\n\r\nnoon?\r\n' >lunch.eml

  # The same settings as in docs/mail.md, but for the address and the missing TLS.
  cat >mbsyncrc <<RC
IMAPAccount release
Host 127.0.0.1
Port $port
User release
PassCmd "echo secret"
SSLType None
AuthMechs PLAIN

IMAPStore remote
Account release

MaildirStore local
Path $PWD/md/
Inbox $PWD/md/INBOX

Channel release
Far :remote:
Near :local:
Patterns INBOX
Sync Pull
Create Near
SyncState *
RC
  mkdir md
  deliver mails/*.eml lunch.eml
  ends_with 0 mbsync -c mbsyncrc release
  same "$(find md/INBOX/new md/INBOX/cur -type f ! -name '.*' | wc -l | tr -d ' ')" 5
  ends_with 0 pawl ingest mail --maildir md/INBOX
  same "$(grep -c applied out)" 4
  has out mail.not-apple
  same "$(sqlite3 pawl.db "SELECT state FROM release WHERE version = '1.2'")" live
  # Nothing new: mbsync brings nothing, and pawl takes in nothing.
  local count
  count=$(events)
  ends_with 0 mbsync -c mbsyncrc release
  ends_with 0 pawl ingest mail --maildir md/INBOX
  same "$(grep -c duplicate out)" 5
  same "$(events)" "$count"
  # One more, on top of what is there.
  pawl publish taxi 1.3 --yes >/dev/null
  echo "1524608462 1.3 waiting $(date +%s)" | write_mails dir . more
  deliver more/*.eml
  ends_with 0 mbsync -c mbsyncrc release
  ends_with 0 pawl ingest mail --maildir md/INBOX
  same "$(grep -c applied out)" 1
  same "$(sqlite3 pawl.db "SELECT state FROM release WHERE version = '1.3'")" waiting
}
it "mbsync fetches mails from an IMAP server, and pawl takes them in" fetched

finish
