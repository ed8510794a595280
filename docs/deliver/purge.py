#!/usr/bin/env python3
"""Has a CDN forget an app's documents once its answers changed: `{"prefixes": […]}`, as Cloudflare's purge_cache takes it.

    pawl deliver purge -- docs/deliver/purge.py URL TOKEN-FILE updates.example.com

Run it after `pawl export`, in the same timer, so that the CDN gets the new documents.
"""
import json
import sys
import urllib.request

url, token, host = sys.argv[1:]
message = json.load(sys.stdin)
if message["type"] != "answers.changed":
    sys.exit()
app = message["data"]["app"]
prefixes = [f"{host}/{folder}/{app}" for folder in ("v1", "v1-signed")]
with open(token) as file:
    headers = {"Authorization": "Bearer " + file.read().strip(), "Content-Type": "application/json"}
urllib.request.urlopen(urllib.request.Request(url, json.dumps({"prefixes": prefixes}).encode(), headers), timeout=30).close()
