#!/usr/bin/env python3
"""Kills 'pawl deliver' at every system call it makes, and lets calls of its fail.

usage: deliver.py PAWL [--sample]

Whatever was killed or failed, in a first call, with a command that takes what it gets, and with one that takes it and says
that it did not: the next run hands over what is left. Then nothing is lost, every message that came twice is the same byte
for byte, they come in order, and no file is left. Prints one line of figures; exit 1 on a fault.
"""

import collections
import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from scene import Fault, clean_environment, content, finish

TAKE = 'read -r line; printf "%s\\n" "$line" >>taken'
WAYS = {
    # What deliver is told before the run that is killed, and what the command of that run does.
    "takes": (["true"], TAKE),
    "takes and fails": (["true"], TAKE + "; exit 7"),
    "first call": (None, TAKE),
}
ERRORS = [("write", "ENOSPC"), ("openat", "EMFILE"), ("fsync", "EIO"), ("renameat", "ENOSPC"), ("unlinkat", "EIO"),
          ("fchmod", "EPERM")]


class Run:
    """A ledger with news of which nobody was told, and what comes of a delivery that nothing disturbs."""

    def __init__(self, pawl, folder, way):
        self.pawl, self.folder, self.way = os.path.abspath(pawl), folder, way
        self.base = os.path.join(folder, "base")
        os.makedirs(self.base)
        begin, self.command = WAYS[way]
        self.work = self.base
        self.done("init")
        self.done("app", "add", "taxi", "--bundle-id", "com.example.taxi", "--apple-id", "1524608462")
        self.done("app", "add", "bus", "--bundle-id", "com.example.bus", "--apple-id", "7")
        for version in ("1.0", "1.1"):
            self.done("publish", "taxi", version, "--yes")
            self.done("mark", "taxi", version, "live", "--visible-now", "--yes")
        if begin:
            self.done("deliver", "test", "--", *begin)
        self.done("publish", "taxi", "1.2", "--yes")
        self.done("mark", "taxi", "1.2", "live", "--visible-now", "--yes")
        self.done("force", "taxi", "1.0", "--reason", "old", "--yes")
        self.words = ["deliver", "test", *([] if begin else ["--since-event", "1"]), "--", "sh", "-c"]
        self.work = os.path.join(folder, "work")
        self.fresh()
        self.done(*self.words, TAKE)
        self.wanted, self.files = self.taken(), sorted(os.listdir(self.path("pawl.db-deliver")))
        if not self.wanted or "test.json" not in self.files:
            raise Fault("nothing is delivered")

    def path(self, name):
        return os.path.join(self.work, name)

    def run(self, *words, before=()):
        # Until the last of its children has ended, who has the other end of the pipe.
        return subprocess.run([*before, self.pawl, *words], cwd=self.work, capture_output=True, timeout=60,
                              env=clean_environment())

    def done(self, *words):
        ran = self.run(*words)
        if ran.returncode != 0:
            raise Fault(f"{' '.join(words[:2])} ended with {ran.returncode}: {ran.stderr.decode().strip()}")

    def fresh(self):
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.base, self.work)

    def calls(self):
        """How often an undisturbed run makes each system call."""
        self.fresh()
        trace = self.path("trace")
        self.run(*self.words, self.command, before=["strace", "-qqq", "-o", trace])
        with open(trace, encoding="utf-8", errors="replace") as file:
            names = [re.match(r"(\w+)\(", line) for line in file]
        return collections.Counter(name[1] for name in names if name)

    def disturbed(self, injection):
        self.fresh()
        return self.run(*self.words, self.command, before=["strace", "-qqq", "-o", "/dev/null", "-e", injection])

    def taken(self):
        """The messages that were taken, by id in the order in which they first came; those of one id are the same."""
        bodies = {}
        if not os.path.exists(self.path("taken")):
            return {}
        with open(self.path("taken"), "rb") as file:
            lines = file.read().splitlines()
        place = -1
        for line in lines:
            data = json.loads(line)["data"]
            name = data["seq"] if "seq" in data else f"{data['app']} {data['generation']}"
            if bodies.setdefault(name, line) != line:
                raise Fault(f"{name} comes again otherwise")
            found = list(bodies).index(name)
            # What comes again comes at once, before anything that follows it.
            if found not in (place, place + 1):
                raise Fault(f"{name} comes out of order")
            place = found
        return bodies

    def settle(self):
        """Lets another run hand over the rest, and holds what came against what comes undisturbed."""
        ledger = content(self.path("pawl.db"))
        self.done(*self.words, TAKE)
        found = self.taken()
        if list(found) != list(self.wanted):
            raise Fault(f"{list(found)} came, not {list(self.wanted)}")
        for name, body in found.items():
            one, other = json.loads(body), json.loads(self.wanted[name])
            # The moment of a message about answers is that of the run that made it.
            if one["data"] != other["data"] or one["type"] != other["type"]:
                raise Fault(f"{name} says something else")
        if sorted(os.listdir(self.path("pawl.db-deliver"))) != self.files:
            raise Fault(f"left behind: {os.listdir(self.path('pawl.db-deliver'))}")
        if content(self.path("pawl.db")) != ledger:
            raise Fault("the ledger is another")
        ran = self.run("deliver", "test", "--json", "--", "false")
        if ran.returncode != 0 or json.loads(ran.stdout)["waiting"] != 0:
            raise Fault(f"something is left: {ran.stdout.decode()}")


def sweep(job):
    """Disturbs a delivery everywhere, in one way; the numbers of kills and of errors, and the faults."""
    pawl, folder, way, step = job
    kills, errors, faults = 0, 0, []
    run = Run(pawl, folder, way)
    counts = run.calls()
    points = [(name, number) for name in sorted(counts) for number in range(1, counts[name] + 1)]
    jobs = [("kill", name, number, "signal=SIGKILL") for name, number in points[::step]]
    jobs += [("error", name, number, f"error={code}") for name, code in ERRORS
             for number in range(1, counts[name] + 1, step)]
    for kind, name, number, what in jobs:
        try:
            ran = run.disturbed(f"inject={name}:{what}:when={number}")
            if kind == "kill" and ran.returncode == -signal.SIGKILL:
                kills += 1
            elif kind == "error":
                errors += 1
                # The loader of a program that is not static finds its libraries by the same calls.
                is_loader = ran.returncode == 127 and b"shared libraries" in ran.stderr
                if ran.returncode not in (0, 65, 74, 75, 77) and not is_loader:
                    raise Fault(f"ended with {ran.returncode}: {ran.stderr.decode().strip()}")
            run.settle()
        except (Fault, OSError, ValueError, subprocess.SubprocessError) as fault:
            faults.append(f"{way}: {kind} at {name} {number}: {fault}")
            if len(faults) > 5:
                break
    return kills, errors, faults


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    pawl, is_sample = sys.argv[1], "--sample" in sys.argv
    started = time.monotonic()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(prefix="pawl-faults.", dir=memory)
    try:
        with multiprocessing.Pool(2) as pool:
            found = pool.map(sweep, [(pawl, os.path.join(folder, way), way, 29 if is_sample else 1) for way in WAYS], 1)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    kills, errors = sum(one[0] for one in found), sum(one[1] for one in found)
    faults = [fault for one in found for fault in one[2]]
    print(f"deliveries: killed at {kills} calls, {errors} calls failed, {len(faults)} faults, "
          f"{time.monotonic() - started:.0f} s")
    if kills < (20 if is_sample else 500):
        faults.append(f"only {kills} points")
    finish(faults)


main()
