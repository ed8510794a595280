# What docs/backends.md tells a backend to ask, as it stands there.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Prints the block of a language with a number, counted from 1.
block() {
  awk -v wanted="$2" -v language="$1" '
    $0 == "```" language { count++; inside = count == wanted; next }
    /^```/ { inside = 0 }
    inside' "$tests_root/docs/backends.md"
}

# Asks the ledger as a block does, with app, version, generation and valid_from.
asked() {
  sqlite3 -readonly -json -cmd ".parameter init" -cmd ".parameter set :app \"'taxi'\"" \
    -cmd ".parameter set :version \"'$2'\"" -cmd ".parameter set :generation ${3:-0}" \
    -cmd ".parameter set :valid_from \"'${4:-}'\"" "$far" "$(block sql "$1")" 2>/dev/null
}

# A parameter is a table of its own, which a connection that only reads keeps in memory.
login_and_heartbeat() {
  needs sqlite3 python3
  make_ledger
  far=pawl.db
  pawl app set taxi --policy remind --yes >/dev/null
  asked 1 1.0 >login
  has login '"action":"remind"'
  has login '"target":"1.1"'
  asked 1 1.1 >newest
  has newest '"action":"none"'
  asked 1 9.9 >unknown
  is_empty unknown
  local generation from
  generation=$(python3 -c 'import json; print(json.load(open("login"))[0]["generation"])')
  from=$(python3 -c 'import json; print(json.load(open("login"))[0]["valid_from"] or "")')
  asked 2 1.0 "$generation" "$from" >same
  is_empty same
  asked 2 1.0 "$((generation - 1))" "$from" >older
  cmp older login
  asked 2 1.0 "$generation" 2001-01-01T00:00:00Z >moved
  cmp moved login
  pawl stop taxi --reason test >/dev/null
  asked 2 1.0 "$generation" "$from" >stopped
  has stopped '"action":"none"'
}
it "the queries at login and at a heartbeat say what check says, and only what is new" login_and_heartbeat

snippets() {
  needs sqlite3 python3
  make_ledger
  printf '%s\n' version,released_at 7.3.2,2024-05-01T00:00:00Z 7.4.0,2024-06-01T00:00:00Z | pawl import taxi - --yes >/dev/null
  block python 1 >ask.py
  echo 'print(answer["action"], answer["review"], answer["target"])' >>ask.py
  same "$(python3 ask.py)" "remind 0 7.4.0"
  sed 's/7\.3\.2/9.9/' ask.py >unknown.py
  same "$(python3 unknown.py)" "none 1 None"
  block sh 1 >ask.sh
  same "$(bash ask.sh)" "remind|https://apps.apple.com/app/id1524608462"
}
it "the lines for Python and the shell run as they stand" snippets

finish
