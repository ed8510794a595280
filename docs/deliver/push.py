#!/usr/bin/env python3
"""Makes the silent push message that has running apps ask again, once versions of an app are forced.

    pawl deliver push -- docs/deliver/push.py taxi SERVICE [options] -- COMMAND…
    pawl check taxi --json | docs/deliver/push.py taxi SERVICE [options]

SERVICE is jpush, fcm or apns. The first line runs COMMAND, with the message on its standard input, when versions become forced
that were not before. The second prints the message for what is forced now, and ends with 1 if nothing is.
"""
import argparse
import json
import subprocess
import sys

words = sys.argv[1:]
end = words.index("--") if "--" in words else len(words)
parser = argparse.ArgumentParser()
parser.add_argument("app")
parser.add_argument("service", choices=["jpush", "fcm", "apns"])
parser.add_argument("--type", default="needUpgrade", help="the value of the member 'type'")
parser.add_argument("--in", dest="member", help="put all members into one of this name")
parser.add_argument("--data", action="append", default=[], metavar="NAME=VALUE", help="another member")
parser.add_argument("--topic", help="a Firebase topic (else the app), or a tag of JPush (else everyone)")
parser.add_argument("--test", action="store_true", help="for development builds (JPush)")
parser.add_argument("--validate", action="store_true", help="have Firebase check the message, and deliver nothing")
options = parser.parse_args(words[:end])

said = json.load(sys.stdin)
data = said.get("data", said)
if said.get("type", "answers.changed") != "answers.changed" or data["app"] != options.app:
    sys.exit()
lines = data.get("answers") or data.get("ranges") or []
# By hand, ranges that hold no recorded version do not count.
forced = [line for line in lines if line.get("after", line.get("action")) == "force" and line.get("count", 1)]
cut = data.get("truncated")  # What became forced may be among the answers that are left out.
if "answers" in data and not cut and all(line["before"] == "force" for line in forced):
    sys.exit()  # More lenient, or forced before: wake no one.
if not forced and not cut:
    sys.exit(f"no version of {options.app} is forced now")

versions, pages = "; ".join(line["versions"] for line in forced), {line["url"] for line in forced}
members = {"type": options.type, "app": options.app, "versions": versions[:1000]}
if "generation" in data:
    members["generation"] = str(data["generation"])
if len(pages) == 1 and not cut:
    members["downloadUrl"] = pages.pop()
members.update(pair.split("=", 1) for pair in options.data)
if options.member:
    members = {options.member: members}
if options.service == "jpush":
    # "content-available" without an alert wakes the app and shows nothing.
    message = {
        "platform": ["ios"], "audience": {"tag": [options.topic]} if options.topic else "all",
        "notification": {"ios": {"alert": "", "content-available": True, "extras": members}},
        "message": {"msg_content": options.type, "content_type": "text", "extras": members},
        "options": {"apns_production": not options.test},
    }
elif options.service == "fcm":
    # Firebase takes nothing but texts.
    texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in members.items()}
    apns = {"headers": {"apns-priority": "5", "apns-push-type": "background"}, "payload": {"aps": {"content-available": 1}}}
    message = {"message": {"topic": options.topic or options.app, "data": texts, "apns": apns}}
    if options.validate:
        message["validate_only"] = True
else:
    message = {"aps": {"content-available": 1}, **members}
body = json.dumps(message, sort_keys=True).encode() + b"\n"
if end == len(words):
    sys.stdout.buffer.write(body)
else:
    sys.exit(subprocess.run(words[end + 1:], input=body).returncode)
