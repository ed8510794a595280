#!/usr/bin/env python3
"""Holds what a present backend answers against what pawl would: run_in_parallel.py APP TABLE.csv [--if PLAN] [PAWL...]

TABLE.csv has the columns version, action (none, remind, force), and if there are any os and requests: one row for each kind
of client, with what it is told today. Prints a row for each that pawl would tell something else, the most frequent first.
Ends with 0 if it prints none, else with 1. PAWL is the program with its options; default: pawl.
"""
import csv
import json
import subprocess
import sys

words = sys.argv[1:]
plan = []
if "--if" in words:
    place = words.index("--if")
    plan, words = ["--if", words[place + 1]], words[:place] + words[place + 2:]
if len(words) < 2:
    sys.exit(__doc__)
app, table, program = words[0], words[1], words[2:] or ["pawl"]

with open(table, newline="", encoding="utf-8-sig") as file:
    rows = list(csv.DictReader(file))
# A row without a version stays a row, and its system no version.
clients = "".join("%s %s\n" % ("_".join(row["version"].split()) or "-", row.get("os") or "") for row in rows)
asked = subprocess.run(program + ["check", app, "--stdin"] + plan, input=clients, capture_output=True, text=True)
# 65: some lines are no versions; the others are answered.
if asked.returncode not in (0, 65):
    sys.stderr.write(asked.stderr)
    sys.exit(asked.returncode)

differs, same = {}, 0
for row, line in zip(rows, asked.stdout.splitlines(), strict=True):
    answer, count = json.loads(line), int(row.get("requests") or 1)
    if "error" in answer:
        now, why = "refused", answer["error"]["message"]
    else:
        now = answer["action"]
        why = answer["decidedBy"] + (" %d" % answer["rule"] if answer["rule"] else "")
    if now == row["action"]:
        same += count
        continue
    key = (row["version"], row.get("os") or "", row["action"], now, why)
    differs[key] = differs.get(key, 0) + count

print("%d answers are the same, %d differ" % (same, sum(differs.values())))
if differs:
    print("\t".join(("requests", "version", "os", "today", "pawl", "because")))
for key, count in sorted(differs.items(), key=lambda one: (-one[1], one[0])):
    print("\t".join((str(count),) + key))
sys.exit(1 if differs else 0)
