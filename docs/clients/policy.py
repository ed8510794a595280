#!/usr/bin/env python3
"""What a client does, decided by itself from v1/APP/policy.json; docs/documents.md has the steps in words.

    policy.py FILE-OR-URL VERSION [--os VERSION] [--at TIME]

A reference to port from: nothing but the standard library, and no cleverness. 'pawl check' says the same.
"""

import argparse
import email.utils
import json
import sys
import time
import urllib.request

NOTHING = {"action": "none", "review": False, "target": None, "targetApp": None, "url": None, "notes": None}


def version(text):
    """Numbers to compare; a missing one counts as 0, so 1.2 equals 1.2.0."""
    numbers = [int(part) for part in text.split(".")]
    return tuple(numbers + [0] * (4 - len(numbers)))


def holds(bounds, client):
    """Whether a range holds a version; a range without bounds holds every one."""
    return (
        ("from" not in bounds or client >= version(bounds["from"]))
        and ("above" not in bounds or client > version(bounds["above"]))
        and ("upto" not in bounds or client <= version(bounds["upto"]))
        and ("below" not in bounds or client < version(bounds["below"]))
    )


def in_review(policy, client):
    """Step 2: whether nobody but a reviewer or a tester can run this version."""
    for release in policy["releases"]:
        if version(release["version"]) == client:
            return release["state"] not in ("live", "superseded", "removed")
    newest = policy["newestEverLive"]
    if newest is None or client > version(newest):
        return True
    return any(holds(gap, client) for gap in policy["withheld"])


def is_visible(release, now):
    return release["state"] in ("live", "superseded") and release["visibleAt"] is not None and release["visibleAt"] <= now


def target_of(app, os, now, to_remind=False):
    """Step 5: the newest release to point at, or to remind of; None where there is none."""
    if app is None or app["stopped"]:
        return None
    seen = False
    for release in sorted(app["releases"], key=lambda release: version(release["version"]), reverse=True):
        if is_visible(release, now):
            expired = release["expires"] is not None and release["expires"] <= now
            if expired and not seen:
                # Its page serves what does not open.
                return None
            seen = True
            if to_remind and release["remindAt"] is not None and now < release["remindAt"]:
                # Its phased release is not over.
                continue
            if os is None or release["minOS"] is None or os >= version(release["minOS"]):
                return None if expired else release
        elif not seen and (release["state"] == "removed" or release["returned"]):
            # The newest was taken off the store, or came back and is held: no older one stands in for it.
            return None
    return None


def by_policy(actions, client, target):
    """The action for the first number in which two versions differ; the last action repeats."""
    for index in range(4):
        if client[index] != target[index]:
            return actions[min(index, len(actions) - 1)]
    return "none"


def counts(window, now):
    """Whether a rule, redirect or setting counts now; a missing bound is none."""
    return (window.get("from") is None or window["from"] <= now) and (window.get("until") is None or now < window["until"])


def settings(policy, client, now):
    """The settings of a version: the first of each key that fits."""
    phase, values = ("review" if in_review(policy, client) else "released"), {}
    for setting in policy["settings"]:
        if holds(setting["range"], client) and counts(setting, now) and setting["during"] in (None, phase):
            values.setdefault(setting["key"], setting["value"])
    return values


def decide(policy, client, os, now):
    """What a client is told: its version and its system as numbers (os may be None), now as a moment in UTC."""
    if policy["stopped"]:
        return dict(NOTHING, review=in_review(policy, client))
    if in_review(policy, client):
        return dict(NOTHING, review=True)

    rule = next((rule for rule in policy["rules"] if holds(rule["range"], client) and counts(rule, now)), None)
    if rule is not None and rule["hasDestination"]:
        destination = rule["destination"]
    else:
        redirects = (
            redirect for redirect in policy["redirects"] if holds(redirect["range"], client) and counts(redirect, now)
        )
        destination = next(redirects, {"destination": None})["destination"]
    destination = destination or {}
    other = destination.get("app")

    target = target_of(policy["others"].get(other) if other else policy, os, now)
    mandatory = [version(release["version"]) for release in policy["releases"] if release["mandatory"] and is_visible(release, now)]

    if rule is not None:
        action = rule["action"]
    elif mandatory and client < max(mandatory):
        action = "force"
    elif target is None:
        action = "none"
    elif other:
        action = "remind"
    else:
        action = by_policy(policy["policy"], client, version(target["version"]))

    if rule is None and action == "remind":
        older = target_of(policy["others"].get(other) if other else policy, os, now, to_remind=True)
        if older is not target and older and not other and by_policy(policy["policy"], client, version(older["version"])) == "none":
            return dict(NOTHING)
        target = older

    if action == "none" or target is None or (not other and client >= version(target["version"])):
        return dict(NOTHING)
    url = destination["url"] if "url" in destination else target["url"]
    if url is None:
        return dict(NOTHING)
    return {
        "action": action, "review": False, "target": target["version"], "targetApp": other or policy["app"],
        "url": url, "notes": target["notes"],
    }


def fetch(place):
    """The policy, and what time it is: the server's clock where there is one, since a device's may be set to anything."""
    if "://" not in place:
        with open(place, "rb") as file:
            return json.load(file), time.time()
    with urllib.request.urlopen(place, timeout=10) as answer:
        date = answer.headers["Date"]
        age = int(answer.headers["Age"] or 0)  # A cache passes on the Date of when it got the file.
        now = email.utils.parsedate_to_datetime(date).timestamp() + age if date else time.time()
        return json.load(answer), now


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("place", metavar="FILE-OR-URL")
    parser.add_argument("version")
    parser.add_argument("--os")
    parser.add_argument("--at")
    words = parser.parse_args()
    try:
        policy, seconds = fetch(words.place)
        now = words.at or time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
        client = version(words.version)
        answer = decide(policy, client, version(words.os) if words.os else None, now)
        answer["settings"] = settings(policy, client, now)
    except Exception as error:
        # No document, or none that can be read: no prompt.
        print(f"no answer: {error}", file=sys.stderr)
        answer = dict(NOTHING, settings={})
    print(json.dumps(answer, sort_keys=True, ensure_ascii=False))


if __name__ == "__main__":
    main()
