#!/usr/bin/env bash
# Waits until a release is in a state: wait.sh APP VERSION STATE [MINUTES]
#
# Ends with 0 once it is there or further, 1 if it was rejected, withdrawn, removed or struck out, and 75 when the time is
# over (default: 60 minutes). It only asks; what moves the release is Apple's mail, 'ingest asc', or somebody's 'mark'.
set -euo pipefail

[ $# -ge 3 ] || { echo "usage: wait.sh APP VERSION STATE [MINUTES]" >&2; exit 64; }
app=$1 version=$2 wanted=$3 minutes=${4:-60}

# How far a state is on its way; nothing for one that leads nowhere.
step() {
  case "$1" in
    prepared) echo 1 ;;
    waiting) echo 2 ;;
    in-review) echo 3 ;;
    approved) echo 4 ;;
    live | superseded) echo 5 ;;
  esac
}

goal=$(step "$wanted")
[ -n "$goal" ] || { echo "wait.sh: '$wanted' is no state to wait for" >&2; exit 64; }
end=$(($(date +%s) + minutes * 60))
while :; do
  # A ledger that is busy or away for a moment is asked again.
  status=0
  state=$(pawl show "$app" "$version" --json | jq -er .release.state) || status=$?
  case $status in
    0) ;;
    64 | 66 | 77) exit "$status" ;;
    *) state=unknown ;;
  esac
  case "$state" in
    rejected | withdrawn | removed | void)
      echo "$app $version is $state" >&2
      exit 1
      ;;
  esac
  now=$(step "$state")
  if [ "${now:-0}" -ge "$goal" ]; then
    echo "$app $version is $state"
    exit 0
  fi
  if [ "$(date +%s)" -ge "$end" ]; then
    echo "$app $version is still $state after $minutes minutes" >&2
    exit 75
  fi
  sleep "${PAWL_POLL:-60}"
done
