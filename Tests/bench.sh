#!/usr/bin/env bash
# Measures pawl beside named programs, in turn on the same machine, and writes docs/design/performance.md.
set -euo pipefail

usage() {
  echo "usage: Tests/bench.sh [--quick] [--only ROW] [--no-write]"
  echo "--quick measures less often and on less, and writes nothing; ROW is a part of what is measured (MEASURES)."
}

words=()
while [ $# -gt 0 ]; do
  case "$1" in
    --quick | --no-write) words+=("$1") ;;
    --only)
      [ $# -ge 2 ] || { usage >&2; exit 64; }
      words+=(--only "$2")
      shift
      ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 64 ;;
  esac
  shift
done

cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=${PAWL:-.build/release/pawl}
if [ ! -x "$program" ]; then
  echo "there is no '$program'; build it with 'Tests/run.sh --only release'" >&2
  exit 66
fi
for tool in python3 sqlite3 awk openssl cc; do
  command -v "$tool" >/dev/null || { echo "'$tool' is needed; 'Tests/run.sh --only packages' installs it" >&2; exit 66; }
done
# The system's own Python has what Debian packages for it, dkimpy among it.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
exec "$python" Tests/bench/bench.py "$program" ${words[@]+"${words[@]}"}
