#!/usr/bin/env python3
"""Lets system calls of every changing command fail, once and from then on, and holds what it says against what is there.

usage: errors.py PAWL ERROR... [--sample]      ERROR is EIO, EIO-reading, ENOSPC, EMFILE or EINTR; -1 and -2 halve one

Exit 0 means the change is there. Any other means that it is not, or the message says how to find out. A command never
crashes, and said again without the error it converges. Prints one line of figures for each error; exit 1 on a fault.
"""

import multiprocessing
import os
import re
import sqlite3
import subprocess
import sys
import time

from scene import Expectation, Fault, Scene, finish

CHANGING = ["pwrite64", "write", "fsync", "fdatasync", "unlink", "rename", "renameat", "ftruncate", "openat", "flock", "mkdir",
            "fchmod", "chmod", "fchown", "syncfs"]
READING = ["pread64", "read", "newfstatat", "fcntl", "close"]
CALLS = {
    "EIO": CHANGING,
    "EIO-reading": READING,
    "ENOSPC": CHANGING,
    "EMFILE": CHANGING,
    # SQLite says such a call again without an end, so that it comes ten times in a row instead of for ever.
    "EINTR": CHANGING + ["read", "fcntl", "close"],
}
SAMPLE = ["init", "publish", "ingest mail", "stop and export"]
# What a message may say where the change is there although the command failed.
UNSURE = re.compile(r"whether|is recorded|was recorded:|may or may not")
DENIED = re.compile(r"nothing was recorded|nothing is recorded")
CLAIMED = re.compile(r"change is recorded")
# What may follow from a failing call; 70 would call it a defect of pawl's own.
EXITS = {0, 65, 66, 74, 75, 77}


def failing(expectation, call, error, when, trace):
    """Runs the command with a call that fails; the process, or None where it never came so far."""
    case = expectation.case
    ran = subprocess.run(
        ["strace", "-f", "--seccomp-bpf", "-qqq", "-o", trace, "-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={when}",
         expectation.scene.pawl, *case.words],
        cwd=expectation.folder, input=case.given, capture_output=True, env=case.environment, timeout=60)
    with open(trace, "rb") as file:
        return ran if b"(INJECTED)" in file.read() else None


def judge(expectation, ran):
    case = expectation.case
    message = ran.stderr.decode(errors="replace")
    said = f"exit {ran.returncode}: {message.strip()}"
    allowed = {0, 75} if case.is_pipe else EXITS | ({1} if case.tree else set())
    # SQLite calls a page that the disk does not give damage (SQLITE_IOERR_CORRUPTFS becomes SQLITE_CORRUPT), and so does
    # who verifies a copy: a page that is gone is not what was recorded.
    is_damage = ran.returncode == 1 and "file.damaged" in message
    if ran.returncode not in allowed and not is_damage:
        raise Fault(said)
    is_new = expectation.settle()
    # Commands that only write files leave the ledger as it was.
    if expectation.old != expectation.new:
        if ran.returncode == 0 and not is_new:
            raise Fault(f"exit 0, and nothing is there: {said}")
        # Where nothing can be written, nothing can be said.
        if ran.returncode != 0 and is_new and message and (DENIED.search(message) or not UNSURE.search(message)):
            raise Fault(f"the change is there, and nothing says so: {said}")
        if ran.returncode != 0 and not is_new and CLAIMED.search(message):
            raise Fault(f"the change is not there: {said}")
    if case.tree and ran.returncode == 0:
        expectation.compare_documents()
    expectation.converge()
    return is_new


def sweep_case(job):
    scene, number_of_case, kind, step = job
    case = scene.cases[number_of_case]
    points, codes, faults = 0, {}, []
    expectation = Expectation(scene, case, os.path.join(scene.folder, f"error-{number_of_case}"))
    trace = os.path.join(scene.folder, f"trace-{number_of_case}")
    for index, call in enumerate(CALLS[kind]):
        for lasts in (False, True):
            number = 1 + (index + lasts) % step
            while True:
                expectation.fresh()
                expectation.may_leave = call == "unlink" and lasts
                expectation.next_removes = call == "unlink"
                error = kind.split("-")[0]
                when = f"{number}" if not lasts else f"{number}..{number + 9}" if error == "EINTR" else f"{number}+"
                try:
                    ran = failing(expectation, call, error, when, trace)
                    if ran is None:
                        break
                    points += 1
                    codes[ran.returncode] = codes.get(ran.returncode, 0) + 1
                    judge(expectation, ran)
                except (Fault, OSError, sqlite3.Error, subprocess.SubprocessError) as fault:
                    faults.append(f"{case.name}, {error} at {call} {when}: {fault}")
                number += step
    return points, codes, faults


def kind_and_half(part):
    """A kind that takes long comes in two halves, every other command of which is the first; 0 is all."""
    return (part[:-2], int(part[-1])) if part[-2:] in ("-1", "-2") else (part, 0)


def sweep(scene, part, is_sample):
    started = time.monotonic()
    kind, half = kind_and_half(part)
    cases = [number for number, case in enumerate(scene.cases)
             if (case.name in SAMPLE if is_sample else not half or number % 2 == half - 1)]
    with multiprocessing.Pool(2) as pool:
        jobs = [(scene, number, kind, 20 if is_sample else 1) for number in cases]
        found = list(pool.imap_unordered(sweep_case, jobs))
    codes = {}
    for one in found:
        for code, count in one[1].items():
            codes[code] = codes.get(code, 0) + count
    faults = [fault for one in found for fault in one[2]]
    ends = ", ".join(f"{count} times {code}" for code, count in sorted(codes.items()))
    print(f"error sweep: {part} at {sum(one[0] for one in found)} calls of {len(cases)} commands ended with {ends}; "
          f"{len(faults)} faults, {time.monotonic() - started:.0f} s", flush=True)
    return faults


def main():
    words = [word for word in sys.argv[1:] if word != "--sample"]
    if len(words) < 2 or any(kind_and_half(word)[0] not in CALLS for word in words[1:]):
        sys.exit(__doc__)
    scene = Scene(words[0])
    try:
        faults = [fault for kind in words[1:] for fault in sweep(scene, kind, "--sample" in sys.argv)]
    finally:
        scene.remove()
    finish(faults)


main()
