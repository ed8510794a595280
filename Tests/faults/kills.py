#!/usr/bin/env python3
"""Kills commands at every system call that changes something.

usage: kills.py PAWL [--sample]

Whenever a command is killed, the next one has to work, the ledger is in the old or in the new state and undamaged, and
the same command said again has exactly one effect. Prints one line of figures; exit 1 on a fault.
"""

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time

from scene import Expectation, Fault, Scene, finish

CALLS = ["pwrite64", "write", "fsync", "fdatasync", "unlink", "rename", "ftruncate", "openat", "flock", "mkdir",
         "fchmod", "chmod", "fchown", "syncfs", "close"]
SAMPLE = ["init", "publish", "mark", "import", "--yes", "ingest mail", "stop and export", "backup"]


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


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    finish(sweep(sys.argv[1], "--sample" in sys.argv))


main()
