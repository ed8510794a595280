#!/bin/sh
# Stops an app's prompts when too many sessions of a version crash: crash-gate.sh APP VERSION PERCENT SESSIONS
#
#   your-crash-service --version 7.4.0 | docs/tasks/crash-gate.sh taxi 7.4.0 2 1000
#
# Standard input is one line, the sessions and how many of them crashed. The limits are arguments, so that they lie with
# whoever runs the gate; all four are whole numbers. It ends with 0 while the share is below PERCENT, 1 if it stopped the app
# or finds it stopped: only a person resumes. With fewer than SESSIONS it ends with 75, without numbers with 65, and does
# nothing; where pawl fails, it ends as pawl does.
set -eu

# A decimal number, whatever zeros stand before it.
number() { printf '%s\n' "$1" | sed -n 's/^0*\([0-9]\{1,9\}\)$/\1/p' | grep .; }
stopped() { echo "$app is stopped; 'pawl resume $app' is for a person" >&2; exit 1; }

if [ $# != 4 ] || ! percent=$(number "$3") || ! least=$(number "$4"); then
  echo "usage: crash-gate.sh APP VERSION PERCENT SESSIONS, of which the last two are whole numbers" >&2; exit 64
fi
app=$1 version=$2
read -r sessions crashes rest || true
if ! sessions=$(number "${sessions:-}") || ! crashes=$(number "${crashes:-}") || [ -n "${rest:-}" ]; then
  echo "there are no numbers for $app $version, so nothing is known" >&2; exit 65
fi
if [ "$sessions" -ge "$least" ] && [ $((crashes * 100)) -ge $((percent * sessions)) ]; then
  pawl stop "$app" --reason "crash gate: $crashes of $sessions sessions of $version crashed"
  stopped
fi
shown=$(pawl app show "$app" --json)
case $shown in *'"stopped":true'*) stopped ;; esac
[ "$sessions" -ge "$least" ] || { echo "$sessions sessions are too few to say" >&2; exit 75; }
