# The rights of the ledger's file.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# A umask is a whole process's, so that tests beside one another cannot alter it.
umask_says_nothing() {
  (umask 000 && pawl init --ledger open.db >/dev/null)
  same "$(rights open.db) $(rights open.db-lock)" "640 600"
  (umask 077 && pawl init --ledger closed.db >/dev/null)
  same "$(rights closed.db) $(rights closed.db-lock)" "640 600"
}
it "a ledger has the rights 0640 and its lock 0600, whatever the umask" umask_says_nothing

rights_stay() {
  make_ledger
  chmod 600 pawl.db
  (umask 000 && pawl publish taxi 2.0 --yes >/dev/null)
  same "$(rights pawl.db)" 600
}
it "a change leaves the rights as they are" rights_stay

nothing_beside_it() {
  make_ledger
  pawl publish taxi 2.0 --yes >/dev/null
  pawl check taxi 1.0 >/dev/null
  same "$(ls)" "$(printf 'past.csv\npawl.db\npawl.db-lock')"
}
it "no other file than the lock stays beside the ledger" nothing_beside_it

finish
