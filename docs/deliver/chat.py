#!/usr/bin/env python3
"""Says in a chat what was recorded and what clients are told since: `{"text": …}` to an incoming webhook's address.

    pawl deliver chat -- docs/deliver/chat.py FILE-WITH-THE-ADDRESS

The address is a secret, so it comes from a file.
"""
import json
import sys
import urllib.request

message = json.load(sys.stdin)
data = message["data"]
if message["type"] == "event.recorded":
    who = data["actor"].get("claimed") or data["actor"]["user"]
    what = " ".join(filter(None, [data["kind"], data["app"], data["version"]]))
    text = f"{what}, by {who}" + (f": {data['reason']}" if data["reason"] else "")
elif message["type"] == "answers.changed":
    changes = [line for line in data["answers"] if line["before"] != line["after"]]
    if not changes:
        sys.exit()
    lines = [f"{line['versions']}: {line['before']} → {line['after']}" for line in changes]
    text = f"{data['app']}: clients are told something else\n" + "\n".join(lines)
else:
    sys.exit()  # A kind of message that came later.
with open(sys.argv[1]) as file:
    request = urllib.request.Request(
        file.read().strip(), json.dumps({"text": text}).encode(), {"Content-Type": "application/json"})
urllib.request.urlopen(request, timeout=30).close()
