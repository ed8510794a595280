#!/bin/sh
# Keeps the head of each event on another host, where whoever writes the ledger cannot reach it:
#
#   pawl deliver heads -- docs/deliver/heads.sh keeper.example.com
#
# 'pawl verify --head SEQ:HASH' holds the ledger against any of them. The account on the other host may be one whose only
# command is 'cat >>heads' (sshd(8), command="…" in authorized_keys).
head=$(python3 -c 'import json, sys
message = json.load(sys.stdin)
if message["type"] == "event.recorded": print(message["data"]["seq"], message["data"]["hash"], sep=":")') || exit
[ -z "$head" ] || printf '%s\n' "$head" | ssh -o BatchMode=yes "$1" 'cat >>heads'
