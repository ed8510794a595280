"""Runs commands in turn and says how long they took and how much memory they needed."""

import concurrent.futures
import os
import statistics
import subprocess
import time


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
        try:
            start = time.perf_counter()
            process = subprocess.Popen(words, stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            error = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            self.seconds.append(time.perf_counter() - start)
        finally:
            if self.stdin:
                source.close()
        self.processor.append(usage.ru_utime + usage.ru_stime)
        process.returncode = os.waitstatus_to_exitcode(status)
        # A format that cannot say what is decided is refused with 1, after the others were written.
        if process.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(map(str, words))} ended with {process.returncode}: {error.decode()}")
        self.kilobytes = max(self.kilobytes, usage.ru_maxrss)

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
