#!/usr/bin/env python3
"""Runs a command when versions of an app become forced, with the push message of `pawl payload` on standard input.

    pawl deliver push -- docs/deliver/push.py taxi SERVICE -- COMMAND…

SERVICE is one that `pawl payload --for` knows. Only what becomes forced is pushed: what is more lenient, or was forced before,
wakes nobody. The ledger is PAWL_LEDGER, else ./pawl.db, and pawl is found on the path, or named by PAWL.
"""
import json
import os
import subprocess
import sys

app, service = sys.argv[1:3]
command = sys.argv[sys.argv.index("--") + 1:]
message = json.load(sys.stdin)
data = message["data"]
if message["type"] != "answers.changed" or data["app"] != app:
    sys.exit()
if not any(line["after"] == "force" != line["before"] for line in data["answers"]):
    sys.exit()
made = subprocess.run([os.environ.get("PAWL", "pawl"), "payload", app, "--for", service], stdout=subprocess.PIPE)
if made.returncode == 1:
    sys.exit()  # Nothing is forced any longer.
made.check_returncode()
sys.exit(subprocess.run(command, input=made.stdout).returncode)
