#!/usr/bin/env python3
"""Has a cache forget an app's documents once they changed.

    pawl deliver purge -- docs/deliver/purge.py http://127.0.0.1:80/                         Varnish, with docs/contrib/varnish.vcl
    pawl deliver purge -- docs/deliver/purge.py URL TOKEN-FILE updates.example.com           Cloudflare's purge_cache

Run it after `pawl export`, so that the cache gets the new documents.
"""
import json
import sys
import urllib.request

url, token, host = (sys.argv[1:] + [None, None])[:3]
message = json.load(sys.stdin)
data = message["data"]
# An event names the apps too: of a force that was stopped before this run, nothing else speaks.
apps = [data["app"]] if message["type"] == "answers.changed" else data.get("schedules") or []
# An answer that leads elsewhere has taken nothing, and nobody there gets the token.
opener = urllib.request.build_opener(type("Stays", (urllib.request.HTTPRedirectHandler,), {"redirect_request": lambda *_: None}))
for app in apps:
    request = urllib.request.Request(url, headers={"X-App": app}, method="BAN")
    if host:
        folders = ("v1", "v1-signed", "lookup", "prince-of-versions", "upgrader")
        # A prefix has no query, so what can be asked with ?app= is forgotten of all apps.
        prefixes = [f"{host}/{folder}/{app}" for folder in folders] + [f"{host}/{path}" for path in ("check", "flags", "type")]
        with open(token) as file:
            headers = {"Authorization": "Bearer " + file.read().strip(), "Content-Type": "application/json"}
        request = urllib.request.Request(url, json.dumps({"prefixes": prefixes}).encode(), headers)
    opener.open(request, timeout=30).close()
