"""Runs commands in turn and says how long they took and how much memory they needed."""

import os
import statistics
import subprocess
import time


class Run:
    """One command: what to run, what it reads, and what to do before each time."""

    def __init__(self, words, stdin=None, before=None, cwd=None):
        self.words, self.stdin, self.before, self.cwd = words, stdin, before, cwd
        self.seconds, self.processor, self.kilobytes = [], [], 0

    def once(self):
        if self.before:
            self.before()
        source = open(self.stdin, "rb") if self.stdin else subprocess.DEVNULL
        try:
            start = time.perf_counter()
            process = subprocess.Popen(
                self.words, stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=self.cwd
            )
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
            raise SystemExit(f"{' '.join(map(str, self.words))} ended with {process.returncode}: {error.decode()}")
        self.kilobytes = max(self.kilobytes, usage.ru_maxrss)

    @property
    def median(self):
        return statistics.median(self.seconds)


def in_turn(runs, times):
    """Runs each so many times, one after the other, so that all meet the same machine."""
    for _ in range(times):
        for run in runs:
            run.once()
    return runs


def shown(seconds):
    if seconds < 0.01:
        return f"{seconds * 1000:.2f} ms"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s"
