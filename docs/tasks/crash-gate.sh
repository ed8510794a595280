#!/bin/sh
# Stops an app's prompts when too many sessions of a version crash: crash-gate.sh APP VERSION PERCENT SESSIONS
#
#   your-crash-service --version 7.4.0 | docs/tasks/crash-gate.sh taxi 7.4.0 2 1000
#
# Standard input is one line, the sessions and how many of them crashed. The limits are arguments, so that they lie with
# whoever runs the gate. It ends with 0 while the share is below PERCENT, 1 if it stopped the app or finds it stopped: only
# a person resumes. With fewer than SESSIONS it ends with 75, without numbers with 65, and does nothing.
set -eu

[ $# = 4 ] || { echo "usage: crash-gate.sh APP VERSION PERCENT SESSIONS" >&2; exit 64; }
app=$1 version=$2 percent=$3 least=$4
read -r sessions crashes rest || true
case "${sessions:-x}${crashes:-x}${rest:-}" in
  *[!0-9]*) echo "there are no numbers for $app $version, so nothing is known" >&2; exit 65 ;;
esac
if [ "$sessions" -ge "$least" ] && [ $((crashes * 100)) -ge $((percent * sessions)) ]; then
  pawl stop "$app" --reason "crash gate: $crashes of $sessions sessions of $version crashed"
fi
case $(pawl app show "$app" --json) in
  *'"stopped":true'*) echo "$app is stopped; 'pawl resume $app' is for a person" >&2; exit 1 ;;
esac
[ "$sessions" -ge "$least" ] || { echo "$sessions sessions are too few to say" >&2; exit 75; }
