"""Runs commands in turn and says how long they took and how much memory they needed."""

import concurrent.futures
import functools
import os
import statistics
import subprocess
import tempfile
import time


@functools.cache
def launcher():
    """What starts each command: what this process holds would count as its memory."""
    folder = tempfile.TemporaryDirectory()
    source = os.path.join(os.path.dirname(__file__), "launch.c")
    subprocess.run(["cc", "-O1", "-Wall", "-Werror", "-o", f"{folder.name}/launch", source], check=True)
    return folder


class Run:
    """One command: what to run (or what says so each time), what it reads, and what to do before each time."""

    def __init__(self, words, stdin=None, before=None):
        self.words, self.stdin, self.before = words, stdin, before
        self.seconds, self.processor, self.kilobytes = [], [], 0

    def once(self):
        if self.before:
            self.before()
        words = self.words() if callable(self.words) else self.words
        source = open(self.stdin, "rb") if self.stdin else subprocess.DEVNULL
        folder = launcher().name
        with tempfile.NamedTemporaryFile(dir=folder) as figures:
            try:
                ran = subprocess.run(
                    [f"{folder}/launch", figures.name, *words], stdin=source, stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE)
            finally:
                if self.stdin:
                    source.close()
            # A format that cannot say what is decided is refused with 1, after the others were written.
            if ran.returncode not in (0, 1):
                raise SystemExit(f"{' '.join(map(str, words))} ended with {ran.returncode}: {ran.stderr.decode()}")
            seconds, processor, kilobytes = figures.read().split()
        self.seconds.append(float(seconds))
        self.processor.append(float(processor))
        self.kilobytes = max(self.kilobytes, int(kilobytes))

    @property
    def median(self):
        return statistics.median(self.seconds)

    @property
    def shown(self):
        """The wall's time and the processor's, in two columns."""
        return f"{shown(self.median)} | {shown(statistics.median(self.processor))}"


def in_turn(runs, times):
    """Runs each so many times, one after the other, so that all meet the same machine."""
    for _ in range(times):
        for run in runs:
            run.once()
    return runs


def at_once(runs, times):
    """Runs each so many times, all at once; how long that takes together, in seconds."""
    launcher()
    start = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(len(runs)) as pool:
        list(pool.map(lambda run: in_turn([run], times), runs))
    return time.perf_counter() - start


def shown(seconds):
    if seconds < 0.01:
        return f"{seconds * 1000:.2f} ms"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s"
