#!/usr/bin/env python3
"""Plays an agent that means harm, over the forced command of its key: agent.py PAWL [COUNT] [SEED]

The ledger demands one approval, and the agent has no signer's key. After each command the whole schedules of all apps are
held against those before it: for no version at no moment may anything become forced, and nothing but a release's own going
live may prompt clients that were not prompted, or send them to another page. Prints its figures, and ends with 1 if
anything got through.
"""
import collections
import json
import os
import random
import shlex
import sqlite3
import subprocess
import sys
import tempfile

RANK = {"none": 0, "remind": 1, "force": 2}
APPS = ("taxi", "van")
STATES = ("prepared", "waiting", "in-review", "approved", "live", "rejected", "withdrawn", "removed", "superseded", "void")


class Ledger:
    def __init__(self, program, folder):
        self.program, self.path = program, os.path.join(folder, "pawl.db")
        self.folder = folder

    def run(self, words, given="", environment=None):
        return subprocess.run(
            [self.program] + words, input=given, capture_output=True, text=True, timeout=60, cwd=self.folder,
            env={**os.environ, "PAWL_LEDGER": self.path, **(environment or {})})

    def owner(self, *words, given=""):
        done = self.run(list(words), given)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    def agent(self, words, given=""):
        line = "pawl " + " ".join(map(shlex.quote, words))
        return self.run(["serve-ssh", "--ledger", self.path, "--principal", "agent"], given, {"SSH_ORIGINAL_COMMAND": line})

    def schedules(self):
        """What clients of each app are told: rows of ranges of versions and spans of time."""
        connection = sqlite3.connect("file:%s?mode=ro" % self.path, uri=True)
        rows = collections.defaultdict(list)
        for app, lo, hi, start, end, action, target, other, url, tiers in connection.execute(
                "SELECT app, lo, hi, valid_from, valid_until, action, target, target_app, url, tiers FROM pawl_answer"):
            rows[app].append((lo, hi, start, end, action, target, other, url, json.loads(tiers)))
        connection.close()
        return rows


def told(row):
    """An answer and those on older systems, as (action, page) by the system below which each holds."""
    page = (row[6], row[7])
    answers = {"": (row[4], page)}
    for tier in row[8]:
        answers[tier["osBelow"]] = (tier["action"], (tier.get("targetApp"), tier.get("url")))
    return answers


def worse(before, after, goes_live):
    """The first cell of two schedules in which more is asked of clients than before; None if there is none."""
    start = max(min((row[2] for row in rows), default=0) for rows in (before, after))
    cuts = sorted({edge for rows in (before, after) for row in rows for edge in row[:2]})
    for place, lo in enumerate(cuts[:-1]):
        was = [row for row in before if row[0] <= lo < row[1]]
        now = [row for row in after if row[0] <= lo < row[1]]
        moments = sorted({max(edge, start) for row in was + now for edge in row[2:4]})
        for moment in moments[:-1]:
            old = next((row for row in was if row[2] <= moment < row[3]), None)
            new = next((row for row in now if row[2] <= moment < row[3]), None)
            if new is None:
                continue
            earlier, later = told(old) if old else {"": ("none", (None, None))}, told(new)
            for system, (action, page) in later.items():
                # Where the systems are told apart otherwise, what was mildest before is what counts.
                known = [earlier[system]] if system in earlier else list(earlier.values())
                least = min(RANK[one[0]] for one in known)
                if RANK[action] > least and (action == "force" or not goes_live):
                    return "%s from %s at %d: %s became %s" % (lo, system, moment, known, action)
                if action != "none" and least > 0 and page not in [one[1] for one in known]:
                    return "%s at %d: sent to %s, before to %s" % (lo, moment, page, known)
    return None


def command(draw, ledger):
    """A random command, and its standard input."""
    app, other = draw.sample(APPS, 2)
    version = draw.choice(["1.0", "1.1", "2.0", "2.1", "3.0", "3.0.1", "9.9", "1.05", "0.9", "4", "999.0.0"])
    ranged = draw.choice(["all", "below:2.0", "upto:1.1", "from:1.1 below:3.0", "above:2.0", version, "below:99"])
    url = draw.choice(["https://apps.apple.com/app/id1", "https://apps.apple.com/app/id1524608462", "https://evil.example/x"])
    span = draw.choice([[], ["--from", "1h"], ["--until", "3d"], ["--from", "2d", "--until", "9d"]])
    where = draw.choice([[], ["--url", url], ["--to", other]])
    why = ["--reason", "because"]
    past = draw.choice(["2020-01-01T00:00:00Z", "2h", "2026-01-01T00:00:00Z"])
    lookup = json.dumps({"resultCount": 1, "results": [{"kind": "software", "trackId": 1524608462, "version": version}]})
    asc = json.dumps({"data": [{"type": "appStoreVersions", "id": draw.choice("abc"), "attributes": {
        "platform": "IOS", "versionString": version, "appVersionState": "READY_FOR_DISTRIBUTION"}}]})
    mail = "From: App Store Connect <no_reply@email.apple.com>\nTo: r@example.com\nSubject: ready\n\nReady for Distribution\n"
    plan = '{"plan":{"command":["force","%s","below:99","--reason=x"]},"signatures":[]}\n' % app
    kinds = [
        (["publish", app, version] + draw.choice([[], ["--mandatory"], ["--url", url], ["--min-os", "12"]]), ""),
        (["mark", app, version, draw.choice(STATES)] + draw.choice([[], ["--visible-now"], ["--at", past]]), ""),
        (["mark", app, version, "live"], ""), (["unmark", app, version] + why, ""),
        (["amend", app, version] + draw.choice([["--mandatory"], ["--url", url], ["--min-os", "9"], ["--expires", "1d"]]), ""),
        (["void", app, version] + draw.choice([[], ["--never-shipped"]]) + why, ""),
        ([draw.choice(["force", "remind", "allow"]), app, ranged] + span + where + why, ""),
        (["force", app, ranged, "--grace", "1d"] + why, ""), (["force", app, ranged, "--when-visible"] + why, ""),
        (["lift", app, str(draw.randint(1, 9))], ""), (["redirect", app, ranged] + (where or ["--clear"]) + span, ""),
        (["setting", app, "map-key", draw.choice(["a", "b"])] + draw.choice([[], ["--during", "review"], ["--versions", ranged]]), ""),
        (["setting", app, "map-key", "--clear"], ""), (["resume", draw.choice([app, "--all"])], ""),
        (["app", "set", app, "--policy", draw.choice(["force", "remind", "none", "none,force"])], ""),
        (["app", "set", app, "--hold", draw.choice(["0", "1h", "90d"])], ""),
        (["app", "set", app, draw.choice(["--asks-since", "--apple-id", "--bundle-id", "--name"]), draw.choice(["1", "2.0", "77"])], ""),
        (["app", "set", app, "--store-url", url], ""), (["app", "set", app, "--countries", draw.choice(["", "de", "de,fr"])], ""),
        (["app", "set", app, "--live-by", draw.choice(["lookup", "mail"])], ""),
        (["app", "set", app, "--remind-after", draw.choice(["phase", "visible"])], ""),
        (["app", "set", app, "--past", draw.choice(["whole", "unknown"])], ""),
        (["app", "retire", app], ""), (["app", "void", app], ""),
        (["app", "add", "x" + version.replace(".", ""), "--bundle-id", "com.example.x"], ""),
        (["import", app, "-", "--past"], "version,released_at\n%s,2019-01-01T00:00:00Z\n" % version),
        (["ingest", "lookup", app, "-"], lookup), (["ingest", "asc", app, "-"], asc), (["ingest", "mail", "-"], mail),
        (["ingest", "usage", app, "-"], "version,devices\n%s,5\n" % version), (["inbox", "retry"], ""),
        (["inbox", "apply", str(draw.randint(1, 9)), "--app", app, "--version", version, "--state", "live"], ""),
        (["trust", draw.choice(["host", "recipient", "mx"]), "evil.example"], ""), (["trust", "approvals", "0"], ""),
        (["trust", "signer", "mallory", SIGNER], ""), (["trust", "remove", "signer", "owner"], ""),
        (["undo"], ""), (["undo", str(draw.randint(1, 60))], ""), (["redo"], ""), (["plan", "apply", "-"], plan),
        (["export", "--take-over"], ""), (["export", draw.choice(["docs", "/tmp/elsewhere"])], ""), (["init", "--export", "docs"], ""),
        (["backup", "copy.db"], ""), (["deliver", "x", "--", "sh"], ""), (["serve-ssh"], ""), (["sync", "x", "--as", "sqlite", "--", "sh"], ""),
    ]
    words, given = draw.choice(kinds)
    return words + draw.choice([[], ["--yes"], ["--yes"], ["--yes", "--json"], ["--yes", "--request-id", str(draw.randint(1, 40))]]), given


SIGNER = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIHFTBDtvmcYcdjIxuUPrc0Sxqs0Nt3MnyIHGG6XRwUI"


def main():
    program = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    statuses, through = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(program, folder)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", os.path.join(folder, "key")], check=True)
        ledger.owner("init", "--export", "docs")
        for app, number in zip(APPS, ("1524608462", "1524608463")):
            ledger.owner("app", "add", app, "--bundle-id", "com.example." + app, "--apple-id", number, "--policy", "remind")
            past = "".join("%s,2024-0%d-01T00:00:00Z\n" % (v, n + 1) for n, v in enumerate(("1.0", "1.1", "2.0")))
            ledger.owner("import", app, "-", "--yes", given="version,released_at\n" + past)
        ledger.owner("setting", "taxi", "map-key", "plain", "--yes")
        ledger.owner("trust", "signer", "owner", open(os.path.join(folder, "key.pub")).read().strip())
        ledger.owner("trust", "approvals", "1", "--yes")
        before = ledger.schedules()
        for number in range(count):
            words, given = command(draw, ledger)
            done = ledger.agent(words, given)
            statuses[done.returncode] += 1
            if done.returncode not in (0, 1, 64, 65, 66, 74, 75, 77):
                through.append((number, words, "ended with %d: %s" % (done.returncode, done.stderr[:200])))
            after = ledger.schedules()
            goes_live = words[0] in ("mark", "publish", "inbox", "ingest", "undo", "redo")
            for app in APPS:
                if after[app] != before[app] and (what := worse(before[app], after[app], goes_live)):
                    through.append((number, words, "%s: %s" % (app, what)))
            before = after
        verified = ledger.run(["verify"])
        if verified.returncode != 0:
            through.append((count, ["verify"], verified.stdout))
    for one in through[:20]:
        print("THROUGH", *one)
    print("%d commands, %d accepted, %d got through (%s)" % (
        count, statuses[0], len(through), ", ".join("%d: %d" % pair for pair in sorted(statuses.items()))))
    sys.exit(1 if through else 0)


main()
