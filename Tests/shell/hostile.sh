# Ledgers that come from somebody who means harm: the schema looks right, the hashes are right, what they say is not.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Makes ./pawl.db as somebody keeps it elsewhere, and in ./world what a host has that receives it.
prepare() {
  needs python3 sqlite3 timeout
  make_ledger
  pawl publish taxi 7.3.0 --yes >/dev/null
  pawl mark taxi 7.3.0 live --visible-now --yes >/dev/null
  pawl publish taxi 7.4.0 --yes >/dev/null
  mkdir -p world/home world/home/docs theirs
  echo "mine" >world/home/docs/index.html
  echo "mine" >world/home/docs.html
  echo "mine" >world/home/manifest.json
  pawl init --export theirs/documents >/dev/null
  rm -rf theirs
}

# Every file of the host but those that commands were told to make.
world() {
  find world -type f ! -path 'world/documents/*' ! -name report.html ! -name copy.db -exec sha256sum {} + | sort
}

# Runs a command on the forged ledger: it ends, in little memory, and not by a defect or a signal.
survives() {
  status=0
  (ulimit -v 2000000; timeout 20 "$pawl_program" "$@" --ledger host/pawl.db) >out 2>err || status=$?
  case $status in
    0 | 1 | 65 | 66 | 74 | 77) ;;
    *) echo "'$*' ended with $status"; tail -c 2000 out err; return 1 ;;
  esac
}

# Receives the ledger forged by an attack, does with it what people do, and holds the host against what it was.
receives() {
  local attack=$1
  rm -rf host world/documents world/report.html world/copy.db
  mkdir host
  cp pawl.db host/pawl.db
  forge host/pawl.db "$attack"
  world >before
  survives verify --json
  echo "$attack: verify $status" >&2
  local verdict=$status
  cp out verdict
  survives status --json
  survives doctor --json
  survives check taxi 7.3.0 --json
  survives history --json
  survives report world/report.html
  survives export world/documents
  survives backup world/copy.db
  survives stop --all --reason "looked wrong"
  survives publish taxi 9.0 --yes
  survives force taxi below:2.0 --reason "old" --yes
  world | diff before -
  if find world -name docs -newer before -type d | grep -q .; then return 1; fi
  [ ! -e world/docs ] && [ ! -e docs ]
  status=$verdict
}

control() {
  prepare
  mkdir host
  cp pawl.db host/pawl.db
  survives verify
  same "$status" 0
}
it "the ledger verifies before it is forged" control

slugs() {
  prepare
  local attack
  for attack in slug absolute; do
    receives "$attack"
    same "$status" 1
    has verdict '"ok":false'
  done
}
it "an app whose name is a path writes no file of the host, and verify reports it" slugs

finish
