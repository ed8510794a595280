# Processes that wait for one another. Sixteen that change one ledger at once are in faults.sh.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Holds the lock as a command does that takes long, until ./free is there.
hold() {
  python3 - <<'PYTHON' &
import fcntl, os, time
lock = open("pawl.db-lock", "r+")
fcntl.flock(lock, fcntl.LOCK_EX)
lock.write('{"command":"pawl import","host":"ci.example.com","pid":%d,"since":"2026-01-01T00:00:00Z","user":"bot"}\n'
           % os.getpid())
lock.truncate()
lock.flush()
open("held", "w").close()
until = time.time() + 30
while not os.path.exists("free") and time.time() < until:
    time.sleep(0.01)
PYTHON
  holder=$!
  soon [ -e held ]
}

named() {
  needs python3
  make_ledger
  hold
  ends_with 75 pawl publish taxi 2.0 --yes --wait 0
  says ledger.busy/held
  has err "(bot, 'pawl import') for "
  ends_with 75 pawl publish taxi 2.0 --yes --wait 0 --json
  has err '"id":"ledger.busy"'
  has err '"command":"pawl import"'
  # Whoever only asks is not kept waiting.
  ends_with 0 pawl check taxi 1.0
  same "$(events)" 4
  touch free
  ends_with 0 pawl publish taxi 2.0 --yes
  wait "$holder"
}
it "a change that ends with 75 says who holds the lock" named

killed_holder() {
  needs python3
  make_ledger
  hold
  kill -9 "$holder"
  wait "$holder" 2>/dev/null || true
  ends_with 0 pawl publish taxi 2.0 --yes --wait 1s
}
it "killing the holder frees the lock at once" killed_holder

finish
