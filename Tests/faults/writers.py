"""Lets many processes change one ledger at once, and measures how long each waits.

    writers.py PAWL [--writers 16] [--changes 200] [--beside COMMAND]...

Every change is a process of its own, as in CI. A COMMAND runs once a second beside them, in the ledger's folder, with
PAWL_LEDGER set: 'pawl export out1', 'pawl verify'. Then: every change ended with 0, the record has no gap, holds every
change once, and its hashes chain. The figures are printed.
"""

import argparse
import os
import shlex
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from chain import chained


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("pawl")
    parser.add_argument("--writers", type=int, default=16)
    parser.add_argument("--changes", type=int, default=200, help="of each writer")
    parser.add_argument("--beside", action="append", default=[], metavar="COMMAND")
    return parser.parse_args()


def run(words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)


def writer(pawl, number, count, times, faults):
    """Publishes and marks nothing that another writer touches, so that nothing may be refused."""
    for step in range(count):
        words = [pawl, "app", "set", f"app-{number}", "--name", f"Name {step}"]
        start = time.perf_counter()
        done = run(words)
        times.append(time.perf_counter() - start)
        if done.returncode != 0:
            faults.append(f"writer {number}, change {step}: exit {done.returncode}: {done.stdout.decode()}")


def beside(command, until, counts, faults):
    words = shlex.split(command)
    while not until.is_set():
        start = time.perf_counter()
        done = run(words)
        counts[command] = counts.get(command, 0) + 1
        if done.returncode != 0:
            faults.append(f"'{command}': exit {done.returncode}: {done.stdout.decode()}")
        until.wait(max(0.0, 1 - (time.perf_counter() - start)))


def record(path):
    """The kinds of events in order, their sequence and chain looked at."""
    return [(fields[3], fields[4]) for fields in chained(sqlite3.connect(path))]


def main():
    options = arguments()
    pawl = os.path.abspath(options.pawl)
    with tempfile.TemporaryDirectory(prefix="pawl-writers.") as folder:
        os.chdir(folder)
        os.environ["PAWL_LEDGER"] = os.path.join(folder, "pawl.db")
        os.environ["PATH"] = os.path.dirname(pawl) + ":" + os.environ["PATH"]
        subprocess.run([pawl, "init"], stdout=subprocess.DEVNULL, check=True)
        for number in range(options.writers):
            words = [pawl, "app", "add", f"app-{number}", "--bundle-id", f"com.example.a{number}"]
            subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
        times = [[] for _ in range(options.writers)]
        faults, counts, until = [], {}, threading.Event()
        writers = [
            threading.Thread(target=writer, args=(pawl, number, options.changes, times[number], faults))
            for number in range(options.writers)]
        others = [
            threading.Thread(target=beside, args=(command, until, counts, faults)) for command in options.beside]
        start = time.perf_counter()
        for thread in writers + others:
            thread.start()
        for thread in writers:
            thread.join()
        seconds = time.perf_counter() - start
        until.set()
        for thread in others:
            thread.join()

        assert not faults, f"{len(faults)} faults, the first: {faults[0]}"
        kinds = record("pawl.db")
        wanted = options.writers * options.changes
        assert len(kinds) == 1 + options.writers + wanted, f"{len(kinds)} events"
        for number in range(options.writers):
            assert kinds.count(("app.set", f"app-{number}")) == options.changes, f"changes of writer {number}"

        all_times = sorted(1000 * one for some in times for one in some)
        slowest = all_times[int(len(all_times) * 0.99)]
        rate = wanted / seconds
        print(
            f"measured: {options.writers} writers x {options.changes} changes in {seconds:.1f} s: {rate:.0f} a second;"
            f" waited p50 {all_times[len(all_times) // 2]:.0f} ms, p99 {slowest:.0f} ms, max {all_times[-1]:.0f} ms")
        for command, count in counts.items():
            print(f"measured: beside them {count} times '{command}'")


main()
