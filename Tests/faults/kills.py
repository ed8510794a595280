#!/usr/bin/env python3
"""Kills commands: at every system call that changes something, and at random moments.

usage: kills.py PAWL sweep [--sample]
       kills.py PAWL random COUNT

Whenever a command is killed, the next one has to work, the ledger is in the old or in the new state and undamaged, and
the same command said again has exactly one effect. Prints one line of figures; exit 1 on a fault.
"""

import multiprocessing
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

from scene import Case, Expectation, Fault, Scene, clean_environment, finish, sound

CALLS = ["pwrite64", "write", "fsync", "fdatasync", "unlink", "rename", "ftruncate", "openat", "flock", "mkdir",
         "fchmod", "chmod", "fchown", "syncfs", "close"]
SAMPLE = ["init", "publish", "mark", "import", "--yes", "ingest mail", "stop and export"]


def killed_at(expectation, call, number):
    """Runs the command and kills it at a call; tells whether it came so far."""
    case = expectation.case
    ran = subprocess.run(
        ["strace", "-f", "-qqq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
         f"inject={call}:signal=SIGKILL:when={number}", expectation.scene.pawl, *case.words],
        cwd=expectation.folder, input=case.given, capture_output=True, env=case.environment, timeout=60)
    if ran.returncode == -signal.SIGKILL:
        return True
    if ran.returncode not in (0, 1 if case.tree else 0):
        raise Fault(f"ended with {ran.returncode}: {ran.stderr.decode().strip()}")
    return False


def sweep_case(job):
    """Kills one command everywhere; the numbers of points and of those with the change, and the faults."""
    scene, index, step = job
    case = scene.cases[index]
    points, new, faults = 0, 0, []
    expectation = Expectation(scene, case, os.path.join(scene.folder, f"kill-{index}"))
    for index, call in enumerate(CALLS):
        number = 1 + index % step
        while True:
            expectation.fresh()
            try:
                if not killed_at(expectation, call, number):
                    break
                points += 1
                new += expectation.settle()
                expectation.converge()
            except (Fault, OSError, sqlite3.Error, subprocess.SubprocessError) as fault:
                faults.append(f"{case.name}, killed at {call} {number}: {fault}")
                if len(faults) > 5:
                    return points, new, faults
            number += step
    return points, new, faults


def sweep(pawl, is_sample):
    started = time.monotonic()
    scene = Scene(pawl)
    try:
        cases = [index for index, case in enumerate(scene.cases) if not is_sample or case.name in SAMPLE]
        with multiprocessing.Pool(2) as pool:
            jobs = [(scene, index, 9 if is_sample else 1) for index in cases]
            found = list(pool.imap_unordered(sweep_case, jobs))
    finally:
        scene.remove()
    points, new = sum(one[0] for one in found), sum(one[1] for one in found)
    faults = [fault for one in found for fault in one[2]]
    print(f"kill sweep: {len(cases)} commands, killed at {points} calls: the old state {points - new} times, the new "
          f"one {new} times, {len(faults)} faults, {time.monotonic() - started:.0f} s")
    if points < (25 if is_sample else 500):
        faults.append(f"only {points} points")
    return faults


class Series:
    """A mixed series of commands on one ledger, each of which may be killed."""

    def __init__(self, scene, folder, seed):
        self.scene, self.folder, self.random = scene, folder, random.Random(seed)
        scene.fresh(folder, Case("series", ["history"], has_request=False))
        self.path = scene.ledger(folder)
        self.number, self.version, self.killed, self.new = 0, 2, 0, 0
        # As long as a kill takes to be too late about as often as not.
        self.length = 0.03

    def words(self):
        self.number += 1
        chosen = self.random.randrange(8)
        if chosen == 0 or self.version == 2:
            self.version += 1
            return ["publish", "taxi", f"{self.version}.0", "--yes", "--note", "en=" + "new " * self.random.randrange(2000)]
        if chosen == 1:
            return ["mark", "taxi", f"{self.version}.0", "live", "--visible-now", "--yes"]
        return [
            ["setting", "taxi", f"key-{self.number % 7}", str(self.number), "--yes"],
            ["app", "set", "van", "--name", f"Van {self.number}"],
            ["remind", "taxi", f"upto:1.{self.number % 3}", "--yes"],
            ["redirect", "bus", "1.0", "--url", f"https://downloads.example.com/{self.number}", "--yes"],
            ["stop" if self.number % 2 else "resume", "bus", "--yes"],
            ["setting", "taxi", f"key-{self.number % 7}", "--clear", "--yes"],
        ][chosen - 2]

    def step(self):
        words = self.words() + ["--request-id", f"request-{self.number}"]
        before = self.head()
        process = subprocess.Popen([self.scene.pawl, *words], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=clean_environment())
        time.sleep(self.random.random() * self.length)
        process.send_signal(signal.SIGKILL)
        was_killed = process.wait() == -signal.SIGKILL
        self.length = min(max(self.length * (1.02 if was_killed else 0.98), 0.002), 0.2)
        ran = self.scene.run("history", "--limit", "1", folder=self.folder)
        if ran.returncode != 0:
            raise Fault(f"the next command ended with {ran.returncode}: {ran.stderr.decode().strip()}")
        after = self.head()
        if after not in (before, before + 1):
            raise Fault(f"{after - before} events")
        if was_killed:
            self.killed += 1
            self.new += after > before
        ran = self.scene.run(*words, folder=self.folder)
        # A law may refuse what the dice chose, or the setting was never there: it is refused again, and nothing is recorded.
        if ran.returncode not in (0, 1, 66):
            raise Fault(f"the retry ended with {ran.returncode}: {ran.stderr.decode().strip()}")
        if self.effects() != (ran.returncode == 0):
            raise Fault(f"the request is recorded {self.effects()} times after exit {ran.returncode}")
        sound(self.path)

    def head(self):
        with sqlite3.connect(self.path) as ledger:
            return ledger.execute("SELECT max(seq) FROM event").fetchone()[0]

    def effects(self):
        with sqlite3.connect(self.path) as ledger:
            return ledger.execute("SELECT count(*) FROM event WHERE request_id = ?",
                                  (f"request-{self.number}",)).fetchone()[0]


def series(job):
    scene, worker, count = job
    kills, new, faults = 0, 0, []
    # A fresh ledger now and then, so that the checks stay quick.
    while kills < count and not faults:
        one = Series(scene, os.path.join(scene.folder, f"series-{worker}"), f"{worker}.{kills}")
        while one.killed < min(100, count - kills) and not faults:
            try:
                one.step()
            except (Fault, sqlite3.Error) as fault:
                faults.append(f"kill {kills + one.killed} of worker {worker}, request {one.number}: {fault}")
        if scene.can_verify and scene.run("verify", folder=one.folder).returncode != 0:
            faults.append("verify found a fault")
        kills, new = kills + one.killed, new + one.new
    return kills, new, faults


def at_random(pawl, count):
    started = time.monotonic()
    # On a disk, so that the moments of flushing take their time.
    scene = Scene(pawl, on_disk=True)
    try:
        with multiprocessing.Pool(2) as pool:
            found = pool.map(series, [(scene, worker, (count + worker) // 2) for worker in range(2)])
    finally:
        scene.remove()
    kills, new = sum(one[0] for one in found), sum(one[1] for one in found)
    print(f"random kills: {kills}, of which {new} after the change was recorded, "
          f"{sum(len(one[2]) for one in found)} faults, {time.monotonic() - started:.0f} s")
    return [fault for one in found for fault in one[2]]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    pawl, mode, *rest = sys.argv[1:]
    faults = sweep(pawl, "--sample" in rest) if mode == "sweep" else at_random(pawl, int(rest[0]))
    finish(faults)


main()
