"""Makes the ledgers and inputs that are measured."""

import datetime
import os
import subprocess
import sys

FORGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../shell/forge.py")


class Maker:
    def __init__(self, pawl):
        self.pawl = pawl

    def run(self, ledger, *words):
        done = subprocess.run([self.pawl, *words, "--ledger", ledger], capture_output=True)
        if done.returncode != 0:
            raise SystemExit(f"pawl {' '.join(words)}: {done.stderr.decode()}")

    def past(self, path, count, notes=True, first=0):
        """A history of so many releases, an hour apart."""
        start = datetime.datetime(2005, 1, 1)
        with open(path, "w") as file:
            file.write("version,released_at,notes\n")
            for index in range(first, first + count):
                at = (start + datetime.timedelta(hours=index)).strftime("%Y-%m-%dT%H:%M:%SZ")
                text = f"Fixes and improvements {index}" if notes else ""
                file.write(f"{index // 10000 + 1}.{index // 100 % 100}.{index % 100},{at},{text}\n")
        return path

    def ledger(self, path, apps, folder):
        """A ledger with apps of so many releases each, by name."""
        self.run(path, "init")
        for number, (slug, count) in enumerate(apps.items()):
            self.run(path, "app", "add", slug, "--bundle-id", f"com.example.{slug}", "--apple-id", str(1000 + number))
            # No file may hold more.
            for first in range(0, count, 20_000):
                part = min(20_000, count - first)
                name = f"{folder}/past-{count}.csv" if part == count else f"{folder}/past-{count}-{first}.csv"
                self.run(path, "import", slug, self.past(name, part, first=first), "--yes")
        return path

    def plan(self, path, file, *words):
        """The plan of a command, in a file."""
        self.run(path, *words, "--plan", file)

    def timed_rules(self, path, slug, count):
        """Rules that start and end by themselves, an hour apart: recorded as the first of them was, by pawl."""
        self.run(path, "allow", slug, "1.0.0", "--from", "2030-01-01T00:00:00Z", "--until", "2030-01-01T03:00:00Z", "--yes")
        subprocess.run([sys.executable, FORGE, path, "rules", str(count - 1), "60"], check=True)

    def rules(self, path, slug, count):
        """Rules that all count, over ranges of all sizes."""
        for number in range(count):
            self.run(path, "allow", slug, f"1.{number % 3}.{number % 100}", "--yes")


def lines(path, count):
    """Lines for `check --stdin`: versions and systems in no order."""
    with open(path, "w") as file:
        for index in range(count):
            file.write(f"{index % 4}.{index // 7 % 10}.{index // 3 % 100} 1{index % 8}.{index % 5}\n")
    return path
