#!/usr/bin/env python3
"""Starts a pipeline when a release reaches a state: a repository dispatch at GitHub, else a triggered pipeline at GitLab.

    pawl deliver ci -- docs/deliver/dispatch.py https://api.github.com/repos/OWNER/REPO/dispatches TOKEN-FILE approved,live
    pawl deliver ci -- docs/deliver/dispatch.py https://gitlab.com/api/v4/projects/ID/trigger/pipeline TOKEN-FILE approved

The pipeline gets the app, the version and the state. It may get them late, or twice: it asks the ledger before it acts.
"""
import json
import sys
import urllib.parse
import urllib.request

url, token, states = sys.argv[1:]
message = json.load(sys.stdin)
data = message["data"]
if message["type"] != "event.recorded" or data["kind"] != "release.mark":
    sys.exit()
before, after = data["before"] or {}, data["after"] or {}
if after.get("state") not in states.split(",") or before.get("state") == after.get("state"):
    sys.exit()
with open(token) as file:
    secret = file.read().strip()
facts = {"app": data["app"], "version": data["version"], "state": after["state"]}
if url.endswith("/dispatches"):
    body = json.dumps({"event_type": "release-" + facts["state"], "client_payload": facts}).encode()
    headers = {"Authorization": "Bearer " + secret, "Accept": "application/vnd.github+json"}
else:
    fields = {f"variables[RELEASE_{name.upper()}]": value for name, value in facts.items()}
    body = urllib.parse.urlencode({"token": secret, "ref": "main", **fields}).encode()
    headers = {}
# An answer that leads elsewhere has taken nothing, and nobody there gets the token.
opener = urllib.request.build_opener(type("Stays", (urllib.request.HTTPRedirectHandler,), {"redirect_request": lambda *_: None}))
opener.open(urllib.request.Request(url, body, headers), timeout=30).close()
