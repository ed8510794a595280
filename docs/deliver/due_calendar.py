#!/usr/bin/env python3
"""Prints what will change by itself as a calendar (RFC 5545): pawl due --json | due_calendar.py >/srv/report/pawl.ics

Calendar programs that subscribe to the file show when holds end, rules start and builds expire: an event for each moment.
"""
import hashlib
import json
import re
import sys


def text(words):
    """A value of type TEXT (§3.3.11)."""
    return re.sub(r"([\\;,])", r"\\\1", words).replace("\n", "\\n")


def folded(line):
    """A line in pieces of at most 75 octets, of which all but the first begin with a blank (§3.1)."""
    pieces = [""]
    for letter in line:
        if len((pieces[-1] + letter).encode()) > 75:
            pieces.append(" ")
        pieces[-1] += letter
    return "\r\n".join(pieces) + "\r\n"


def moment(time):
    return re.sub("[-:]", "", time)


answer = json.load(sys.stdin)
lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//pawl//due//EN"]
for due in answer["due"]:
    what = due["what"] if due["what"].startswith(due["app"] + " ") else "%(app)s: %(what)s" % due
    uid = hashlib.sha256((due["at"] + what).encode()).hexdigest()[:32]
    lines += ["BEGIN:VEVENT", "UID:%s@pawl" % uid, "DTSTAMP:" + moment(answer["at"]), "DTSTART:" + moment(due["at"]),
              "SUMMARY:" + text(what), "TRANSP:TRANSPARENT", "END:VEVENT"]
sys.stdout.buffer.write("".join(map(folded, lines + ["END:VCALENDAR"])).encode())
