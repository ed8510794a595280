#!/usr/bin/env python3
"""Sends the message on standard input to devices by way of Apple, with a token (JWT, ES256) made from a .p8 key.

    pawl check taxi --json | docs/deliver/push.py taxi apns | docs/deliver/apns.py URL TOPIC KEY-FILE KEY-ID TEAM-ID DEVICES-FILE

URL is https://api.push.apple.com for apps of the store and TestFlight, https://api.sandbox.push.apple.com for apps of
development. TOPIC is the bundle id. DEVICES-FILE has a device token a line. Needs openssl, and a curl that speaks HTTP/2.
"""
import base64
import json
import re
import subprocess
import sys
import tempfile
import time

url, topic, key, key_id, team, devices = sys.argv[1:]


def part(value):
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def token():
    """ES256 wants the two numbers of the signature side by side (RFC 7518, 3.4); openssl gives them as DER."""
    text = part(json.dumps({"alg": "ES256", "kid": key_id}).encode()) + "." + part(json.dumps({"iss": team, "iat": int(time.time())}).encode())
    der = subprocess.run(["openssl", "dgst", "-sha256", "-sign", key], input=text.encode(), capture_output=True, check=True).stdout
    first = der[4:4 + der[3]]
    second = der[6 + der[3]:]
    return text + "." + part(b"".join(number.lstrip(b"\0").rjust(32, b"\0") for number in (first, second)))


with open(devices) as file:
    tokens = [line.strip() for line in file if line.strip()]
if not all(name.isalnum() for name in tokens):
    sys.exit(f"{devices} has a line that is no device token")
with tempfile.NamedTemporaryFile() as body:
    body.write(sys.stdin.buffer.read())
    body.flush()
    bearer = token()
    # By standard input, since the words of a process can be seen by everybody on the host.
    requests = "next\n".join(
        f'url = "{url}/3/device/{name}"\nheader = "authorization: bearer {bearer}"\nheader = "apns-topic: {topic}"\n'
        f'header = "apns-push-type: background"\nheader = "apns-priority: 5"\ndata-binary = "@{body.name}"\n'
        f'write-out = " %{{http_code}}\\n"\nmax-time = 30\nsilent\nhttp2\n'
        for name in tokens
    )
    done = subprocess.run(["curl", "-q", "--config", "-"], input=requests, capture_output=True, text=True, errors="replace")
answers = re.findall(r"(.*?) (\d{3})\n", done.stdout, re.S)
# Taken, or about one device: it has another token, or the app is gone. Anything else is worth another try.
fine = re.compile('200|410|400.*"(BadDeviceToken|DeviceTokenNotForTopic)"', re.S)
lost = {f"{code} {body}".strip() for body, code in answers if not fine.match(code + body)}
print(f"{[code for _, code in answers].count('200')} of {len(tokens)} devices", file=sys.stderr)
if lost or len(answers) < len(tokens):
    sys.exit(f"Apple answered {', '.join(sorted(lost)) or 'nothing'}")
