#!/usr/bin/env python3
"""Checks a pawl ledger without pawl: the hash chain, gaps, signatures of plans, and a signed checkpoint.

usage: verify-ledger.py LEDGER [CHECKPOINT SIGNER]

Knows docs/schema.md, docs/verify.md, docs/plans.md; needs Python 3, and for signatures ssh-keygen.
SIGNER is an SSH public key, or a file that holds it. Ends with 0 where all is well, else with 1.
"""
import base64
import hashlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

COLUMNS = """seq, at, format, kind, app, version, subject, before, after, impact, actor, reason, evidence,
             request_id, request, answer, schedules, command, also"""


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def field(value):
    if value is None:
        return b"\0"
    data = value if isinstance(value, bytes) else str(value).encode()
    return b"\1" + len(data).to_bytes(8, "big") + data


def leaves(path):
    """The 32-byte hashes of the events, held against their fields."""
    ledger = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    ledger.text_factory = bytes
    before, last, moment, found = b"0" * 64, 0, b"", []
    for *fields, stored in ledger.execute(f"SELECT {COLUMNS}, hash FROM event_row ORDER BY seq"):
        wanted = sha256(field(b"pawl event"), field(before), *map(field, fields)).hex().encode()
        if fields[3] == b"ledger.take-over":
            left = json.loads(fields[8])
            if left["from"] is not None and left["from"] == last + 1 and fields[0] - last <= 1_000_001:
                last = left["to"]
        if fields[0] != last + 1 or wanted != stored or fields[1] < moment:
            sys.exit(f"event {fields[0]} is not what was recorded")
        before, last, moment = stored, fields[0], fields[1]
        found.append(bytes.fromhex(stored.decode()))
    print(f"{len(found)} events, head {before.decode()}")
    return found


def check_signer(name, key):
    """Refuses a name that ssh-keygen takes for a pattern, and a key that anybody can sign with or write otherwise."""
    kind, text = key.split(" ")
    blob, parts = base64.b64decode(text, validate=True), []
    rest = blob
    while rest:
        count = int.from_bytes(rest[:4], "big")
        parts.append(rest[4:4 + count])
        rest = rest[4 + count:]
    canonical = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    is_sound = canonical == blob and base64.b64encode(blob).decode() == text and parts[0] == kind.encode()
    if "ed25519" in kind:
        place = point(parts[1])
        is_sound &= len(parts[1]) == 32 and place is not None and not is_identity(times(8, place))
    elif "ecdsa" in kind:
        is_sound &= parts[2][0] == 4
    else:
        numbers = [int.from_bytes(part, "big", signed=True) for part in parts[1:]]
        is_sound &= all(part == n.to_bytes(n.bit_length() // 8 + 1, "big") for part, n in zip(parts[1:], numbers))
        is_sound &= numbers[0] > 1 and numbers[0] % 2 == 1 and numbers[1].bit_length() >= 2048
    if not is_sound or not re.fullmatch("[A-Za-z0-9._@-]{1,64}", name):
        sys.exit(f"{name!r} is no signer: a name or key of that form is never trusted")


def signed_by(message, signature, signers, purpose):
    """The names of the signers whose signature it is, as ssh-keygen finds them; None where it is not good at all."""
    with tempfile.TemporaryDirectory() as folder:
        allowed, file = os.path.join(folder, "allowed"), os.path.join(folder, "sig")
        with open(allowed, "w", encoding="utf-8") as lines:
            lines.writelines(f'{name} namespaces="{purpose}" {key}\n' for name, key in signers.items())
        with open(file, "w", encoding="utf-8") as text:
            text.write(signature)

        def keygen(*words):
            return subprocess.run(["ssh-keygen", "-Y", *words, "-s", file], input=message, capture_output=True)

        if keygen("check-novalidate", "-n", purpose).returncode:
            return None
        return {name for name in signers
                if not keygen("verify", "-f", allowed, "-I", name, "-n", purpose).returncode}


def plans(path):
    """Holds every plan that was applied against the signers of its time, and against the number of approvals."""
    ledger = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    trust, count = {}, 0
    sql = "SELECT seq, at, kind, subject, before, after FROM event_row WHERE kind IN ('trust.add', 'trust.remove', 'plan.apply')"
    for seq, at, kind, subject, before, after in ledger.execute(sql + " ORDER BY seq"):
        said = json.loads(before if kind == "trust.remove" else after)
        if kind != "plan.apply":
            place = said["kind"], "" if said["kind"] == "approvals" else said["value"]
            if kind == "trust.add":
                if place[0] == "signer":
                    check_signer(said["value"], said["key"])
                trust[place] = said
            elif place in trust:
                del trust[place]
            continue
        text = after[after.index('"plan":') + 7:after.rindex(',"signatures":')]
        if subject != "plan/" + sha256(text.encode()).hex():
            sys.exit(f"event {seq} names another plan than it holds")
        signers = {name: one["key"] for (kind, name), one in trust.items()
                   if kind == "signer" and (one.get("until") is None or at < one["until"])}
        names = set()
        for one in said["signatures"]:
            found = signed_by(text.encode(), one["signature"], signers, "pawl-plan@v1")
            if found is None:
                sys.exit(f"event {seq} holds a signature that is not good")
            if len(found) > 1:
                sys.exit(f"event {seq} holds a signature that several signers share: {sorted(found)}")
            names |= found
        needed = int(trust.get(("approvals", ""), {"value": "0"})["value"])
        if len(names) < needed:
            # Nobody has to agree to what makes answers more lenient; 'pawl verify' knows what a change did.
            print(f"event {seq}: {len(names)} signed, and what needs approval needs {needed}")
        count += 1
    if count:
        print(f"{count} plans, each signed by those that it names")


P = 2**255 - 19
D = -121665 * pow(121666, P - 2, P) % P


def recover(y, sign):
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - x2) % P or (x == 0 and sign):
        return None
    return P - x if x % 2 != sign else x


def add(a, b):
    left, right = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    c, d = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = right - left, d - c, d + c, right + left
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(number, point):
    result = (0, 1, 1, 0)
    while number:
        if number & 1:
            result = add(result, point)
        point, number = add(point, point), number >> 1
    return result


def point(data):
    y = int.from_bytes(data, "little")
    x = recover(y & ((1 << 255) - 1), y >> 255)
    return None if x is None else (x, y & ((1 << 255) - 1), 1, x * (y & ((1 << 255) - 1)) % P)


def is_identity(place):
    return place[0] % P == 0 and (place[1] - place[2]) % P == 0


def main(path, checkpoint=None, signer=None):
    hashes = leaves(path)
    plans(path)
    if checkpoint is None:
        return
    if signer is None:
        sys.exit("a checkpoint whose signature is not looked at proves nothing: name its public key")
    if os.path.exists(signer):
        with open(signer, encoding="utf-8") as file:
            signer = file.read()
    signer = " ".join(signer.split()[:2])
    check_signer("signer", signer)
    with open(checkpoint, encoding="utf-8") as file:
        kept = json.load(file)
    said = kept["checkpoint"]
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    found = [signed_by(text, one["signature"], {"signer": signer}, "pawl-checkpoint@v1") for one in kept["signatures"]]
    if None in found or {"signer"} not in found:
        sys.exit("the checkpoint is not signed with that key")
    size, wanted = said["events"], bytes.fromhex(said["hash"])
    if size > len(hashes):
        sys.exit(f"the ledger is shorter than its checkpoint: {len(hashes)} events, not {size}")
    if (hashes[size - 1] if size else bytes(32)) != wanted:
        sys.exit(f"the first {size} events are not those of the checkpoint")
    print(f"checkpoint of {size} events: good")


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (sqlite3.Error, OSError, ValueError, TypeError, IndexError, KeyError) as error:
        sys.exit(f"cannot go on: {error}")
