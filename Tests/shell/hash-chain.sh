# The verifier in Python, which knows the ledger from the docs alone, against pawl's own.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

prepare() {
  needs python3 sqlite3 ssh-keygen
  make_ledger
  ssh-keygen -q -t ed25519 -N '' -f key
  pawl publish taxi 2.0 --yes --note en="Grüße, 你好" --reason "why" --request-id one --actor "somebody" >/dev/null
  pawl mark taxi 2.0 live --yes >/dev/null
  pawl trust host downloads.example.com >/dev/null
  pawl checkpoint --key key --out head.txt >/dev/null 2>&1
  pawl publish taxi 2.0 --yes --request-id two >/dev/null
}

theirs() { python3 "$tests_root/docs/verify-ledger.py" "$@"; }

both() {
  local wanted=$1 ledger=$2
  ends_with "$wanted" theirs "$ledger" head.txt key.pub
  ends_with "$wanted" pawl verify --ledger "$ledger" --checkpoint head.txt --signer key.pub
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
  sed 's/"events":7/"events":6/' head.txt >other.txt
  ends_with 1 theirs pawl.db other.txt key.pub
  ends_with 1 pawl verify --checkpoint other.txt --signer key.pub
  ssh-keygen -q -t ed25519 -N '' -f another
  ends_with 1 theirs pawl.db head.txt another.pub
  ends_with 1 pawl verify --checkpoint head.txt --signer another.pub
}
it "both verifiers refuse a signature by another key or of another text" signatures

# Takes a checkpoint's file apart: what is signed, and the signature.
stock() {
  prepare
  python3 -c 'import json
kept = json.load(open("head.txt"))
open("text", "w").write(json.dumps(kept["checkpoint"], sort_keys=True, separators=(",", ":")))
open("signature", "w").write(kept["signatures"][0]["signature"])'
  echo "keeper $(cut -d ' ' -f 1,2 key.pub)" >allowed
  ends_with 0 ssh-keygen -Y verify -f allowed -I keeper -n pawl-checkpoint@v1 -s signature <text
  ends_with 255 ssh-keygen -Y verify -f allowed -I keeper -n pawl-plan@v1 -s signature <text
}
it "ssh-keygen verifies the checkpoint, and for no other purpose" stock

# What the unit does, with a key in an agent and one in a file.
follows() {
  prepare
  pawl checkpoint --key key --after head.txt --out head.txt >/dev/null 2>warned
  same "$(cat warned)" ""
  both 0 pawl.db
  eval "$(ssh-agent -s)" >/dev/null
  ssh-add -q key
  mv key away
  pawl checkpoint --key key.pub --after head.txt --out head.txt >/dev/null
  ssh-agent -k >/dev/null
  both 0 pawl.db
  cp pawl.db copy.db
  forge copy.db "UPDATE event_row SET reason = 'since' WHERE seq = 5"
  cp head.txt kept.txt
  ends_with 1 pawl checkpoint --ledger copy.db --key away --after head.txt --out head.txt
  has err "contradicts an earlier checkpoint"
  cmp head.txt kept.txt
}
it "a checkpoint goes on from the one before it, or is not signed" follows

finish
