# The verifier in Python, which knows the ledger from the docs alone, against pawl's own.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

prepare() {
  needs python3 sqlite3
  make_ledger
  pawl key new key >key.pub 2>/dev/null
  pawl publish taxi 2.0 --yes --note en="Grüße, 你好" --reason "why" --request-id one --actor "somebody" >/dev/null
  pawl mark taxi 2.0 live --yes >/dev/null
  pawl trust host downloads.example.com >/dev/null
  pawl checkpoint --key key --out head.txt >/dev/null
  pawl publish taxi 2.0 --yes --request-id two >/dev/null
}

theirs() { python3 "$tests_root/docs/verify-ledger.py" "$@"; }

both() {
  local wanted=$1 ledger=$2
  ends_with "$wanted" theirs "$ledger" head.txt key.pub
  ends_with "$wanted" pawl verify --ledger "$ledger" --checkpoint head.txt --public-key key.pub
}

agrees() {
  prepare
  both 0 pawl.db
  theirs pawl.db >out
  hash=$(pawl history --json --limit 1 | sed 's/.*"head":{"hash":"\([0-9a-f]*\)".*/\1/')
  same "$(cat out)" "8 events, head $hash"
}
it "both verifiers find a clean ledger clean, with the same head" agrees

# Alters a copy of the ledger, with a chain that is right in itself unless it is to stay as it is.
alter() { cp pawl.db altered.db && forge altered.db "$@"; }

sees() {
  prepare
  local change
  for change in "UPDATE event_row SET reason = 'other' WHERE seq = 5" \
    "UPDATE event_row SET actor = replace(actor, 'root', 'toor') || ' ' WHERE seq = 2" \
    "UPDATE event_row SET at = '2020-01-01T00:00:00Z' WHERE seq = 1" \
    "UPDATE event_row SET request_id = NULL, request = NULL, answer = NULL WHERE seq = 5" \
    "UPDATE event_row SET evidence = 1 WHERE seq = 6" "DELETE FROM event_row WHERE seq = 3" \
    "UPDATE event_row SET hash = substr(hash, 2) || substr(hash, 1, 1) WHERE seq = 4" \
    "DELETE FROM event_row WHERE seq >= 7" "DELETE FROM event_row WHERE seq >= 4"; do
    alter "$change" as-it-is
    both 1 altered.db
  done
}
it "both verifiers find an event that was altered or removed, and an end cut off" sees

anew() {
  prepare
  alter "UPDATE event_row SET reason = 'since' WHERE seq = 5"
  ends_with 0 theirs altered.db
  ends_with 0 pawl verify --ledger altered.db
  both 1 altered.db
  has out checkpoint.differs
}
it "a chain written anew is consistent, and both verifiers find it by the checkpoint" anew

signers() {
  needs ssh-keygen
  prepare
  ssh-keygen -q -t ed25519 -N '' -f eve
  pawl trust signer eve eve.pub >/dev/null
  local key identity=AAAAC3NzaC1lZDI1NTE5AAAAIAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
  key=$(cut -d ' ' -f 2 eve.pub)
  set -- '"eve"' '"*"' "$key" "$identity"
  while [ $# -gt 0 ]; do
    alter "UPDATE event_row SET after = replace(after, '$1', '$2') WHERE kind = 'trust.add'"
    ends_with 1 theirs altered.db
    has err "is no signer"
    ends_with 1 pawl verify --ledger altered.db
    has out law.broken
    shift 2
  done
}
it "both verifiers refuse a signer whose name is a pattern, or for whom anyone can sign" signers

signatures() {
  prepare
  sed 's/^7$/6/' head.txt >other.txt
  ends_with 1 theirs pawl.db other.txt key.pub
  ends_with 1 pawl verify --checkpoint other.txt --public-key key.pub
  pawl key new another >another.pub 2>/dev/null
  ends_with 1 theirs pawl.db head.txt another.pub
  ends_with 1 pawl verify --checkpoint head.txt --public-key another.pub
  # A line of somebody else's changes nothing.
  echo "— witness.example.com/w $(printf '0123456789abcdef%.0s' 1 2 3 4 | base64 -w0)" >>head.txt
  both 0 pawl.db
}
it "both verifiers refuse a signature by another key or of another text, and ignore those of strangers" signatures

stock() {
  needs openssl
  prepare
  # The key, the signed text and the signature are OpenSSL's own forms.
  openssl pkey -in key -pubout -out key.pem
  awk 'BEGIN { RS = "" } NR == 1 { print }' head.txt >text
  tail -n 1 head.txt | cut -d ' ' -f 3 | base64 -d | tail -c 64 >signature
  ends_with 0 openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in text -sigfile signature
}
it "OpenSSL's own program verifies the checkpoint" stock

finish
