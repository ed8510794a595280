# Postfix hands mails to pawl by its pipe, keeps those that pawl asks to be tried again, and delivers them later.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Starts a Postfix of this test's own: its settings, queue and log are in ./postfix.
start_server() {
  local service
  mkdir -p postfix/queue postfix/data
  chmod 755 "$tests_folder" "$tests_folder/work"
  chown postfix postfix/data
  # The lines that docs/mail.md has, with other paths.
  cat >postfix/main.cf <<CONF
compatibility_level = 3.6
queue_directory = $PWD/postfix/queue
data_directory = $PWD/postfix/data
maillog_file = $PWD/postfix/log
maillog_file_prefixes = $PWD
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.example.com
mydestination = example.com
mynetworks = 127.0.0.0/8
alias_maps =
local_recipient_maps =
transport_maps = inline:{ { release@example.com = pawl: } }
pawl_destination_recipient_limit = 1
CONF
  {
    echo "127.0.0.1:$port inet n - n - - smtpd"
    echo "pickup unix n - n 60 1 pickup"
    echo "qmgr unix n - n 300 1 qmgr"
    echo "cleanup unix n - n - 0 cleanup"
    echo "postlog unix-dgram n - n - 1 postlogd"
    for service in bounce defer:bounce trace:bounce; do echo "${service%:*} unix - - n - 0 ${service#*:}"; done
    for service in rewrite:trivial-rewrite verify flush proxymap error retry:error local anvil scache; do
      echo "${service%:*} unix - - n - - ${service#*:}"
    done
    echo "pawl unix - n n - 1 pipe"
    echo "  user=nobody argv=$PWD/pawl --ledger $PWD/ledger/pawl.db ingest mail -"
  } >postfix/master.cf
  # shellcheck disable=SC2064 # the folder is another one when the trap runs
  trap "cat '$PWD/postfix/log'; postfix -c '$PWD/postfix' stop" EXIT
  postfix -c "$PWD/postfix" start || skip "Postfix cannot be started here"
}

send() {
  python3 - "$port" "$@" <<'PYTHON'
import smtplib, sys, time
for attempt in range(50):
    try:
        server = smtplib.SMTP("127.0.0.1", int(sys.argv[1]))
        break
    except OSError:
        time.sleep(0.2)
for path in sys.argv[2:]:
    server.sendmail("no_reply@email.apple.com", ["release@example.com"], open(path, "rb").read())
server.quit()
PYTHON
}

logged() { soon is_logged "$@"; }
is_logged() { [ "$(grep -c -- "$2" postfix/log)" -ge "$1" ]; }

delivered() {
  local port now
  PATH=$PATH:/usr/sbin
  [ "$(uname)" = Linux ] && [ "$(id -u)" = 0 ] || skip "this needs root on Linux"
  needs python3 openssl sqlite3 postfix postqueue
  port=$(free_port)
  mkdir ledger
  make_trusting_ledger
  mv pawl.db ledger/
  cp "$pawl_program" pawl
  chown -R nobody ledger
  start_server
  now=$(date +%s)
  printf '1524608462 1.2 %s\n' "waiting $((now - 400))" "in-review $((now - 300))" "live $((now - 200))" |
    write_mails dir . mails
  send mails/00000.eml
  logged 1 'relay=pawl.*status=sent'
  same "$(sqlite3 ledger/pawl.db "SELECT state FROM release WHERE version = '1.2'")" waiting
  # What cannot be recorded is kept in the queue, and delivered when it can be.
  mv ledger/pawl.db away.db
  send mails/00001.eml mails/00002.eml
  logged 2 'relay=pawl.*status=deferred'
  mv away.db ledger/pawl.db
  postqueue -c "$PWD/postfix" -f
  logged 3 'relay=pawl.*status=sent'
  same "$(sqlite3 ledger/pawl.db "SELECT state FROM release WHERE version = '1.2'")" live
  if grep -q status=bounced postfix/log; then return 1; fi
}
it "Postfix delivers through the pipe, and tries again what ended with 75" delivered

finish
