#!/usr/bin/env python3
"""What a client is told, found in v1/APP/schedule.json; docs/documents.md has the steps in words.

    schedule.py FILE-OR-URL VERSION [--os VERSION] [--at SECONDS]

A reference to port from: a row is found, and nothing is decided. 'pawl check' says the same.
"""

import argparse
import email.utils
import json
import re
import sys
import time
import urllib.request


def key(version, pattern=r"[0-9]{1,9}(\.[0-9]{1,9}){0,3}"):
    """36 digits that sort as versions do: four numbers of nine digits, missing ones 0; None for a malformed version."""
    if re.fullmatch(pattern, version):
        return "".join(number.zfill(9) for number in (version.split(".") + ["0"] * 3)[:4])


def find(schedule, version, os, now):
    """The answer to a version on a system, which may be None for unknown, at a moment in seconds since 1970."""
    wanted, system = key(version), None if os is None else key(os, r"(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8})){0,2}")
    if wanted is None or (os is not None and system is None):
        return None  # A malformed version is told nothing.
    for row in schedule["rows"]:
        if row["lo"] <= wanted < row["hi"] and row["validFrom"] <= now < row["validUntil"]:
            tiers = (tier for tier in row["tiers"] if system and system < key(tier["osBelow"]))
            answer = {**row, **next(tiers, {})}
            return {**answer, "notes": schedule["notes"].get(answer["targetApp"], {}).get(answer["target"])}


def fetch(place):
    """The schedule, and what time it is: the server's clock where there is one, since a device's may be set to anything."""
    if "://" not in place:
        with open(place, "rb") as file:
            return json.load(file), time.time()
    with urllib.request.urlopen(place, timeout=10) as reply:
        date = reply.headers["Date"]
        age = int(reply.headers["Age"] or 0)  # A cache passes on the Date of when it got the file.
        return json.load(reply), email.utils.parsedate_to_datetime(date).timestamp() + age if date else time.time()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("place", metavar="FILE-OR-URL")
    parser.add_argument("version")
    parser.add_argument("--os")
    parser.add_argument("--at", type=int, metavar="SECONDS")
    words = parser.parse_args()
    try:
        schedule, now = fetch(words.place)
        answer = find(schedule, words.version, words.os, now if words.at is None else words.at)
    except Exception as error:
        print(f"no answer: {error!r}", file=sys.stderr)
        answer = None
    # No document, or none that can be read: no prompt.
    print(json.dumps(answer or {"action": "none"}, sort_keys=True, ensure_ascii=False))


if __name__ == "__main__":
    main()
