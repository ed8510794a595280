"""Makes the ledgers and inputs that are measured."""

import datetime
import importlib.util
import json
import os
import sqlite3
import subprocess
import sys

sys.dont_write_bytecode = True
PLACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/verify-ledger.py")
SPEC = importlib.util.spec_from_file_location("theirs", PLACE)
THEIRS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(THEIRS)


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

    def timed_rules(self, path, slug, count, first="2030-01-01"):
        """Rules that start and end by themselves, an hour apart: recorded as the first of them was, by pawl."""
        start = datetime.datetime.fromisoformat(first)

        def window(number):
            return [(start + datetime.timedelta(hours=number + more)).strftime("%Y-%m-%dT%H:%M:%SZ") for more in (0, 3)]

        begin, end = window(0)
        self.run(path, "allow", slug, "1.0.0", "--from", begin, "--until", end, "--yes")
        database = sqlite3.connect(path)
        names = [name for _, name, *_ in database.execute("PRAGMA table_info(event)")]
        (event,) = database.execute("SELECT * FROM event ORDER BY seq DESC LIMIT 1")
        event = dict(zip(names, event))
        columns = [name for _, name, *_ in database.execute("PRAGMA table_info(rule)")]
        (rule,) = database.execute("SELECT * FROM rule ORDER BY number DESC LIMIT 1")
        rule = dict(zip(columns, rule))
        after, before = json.loads(event["after"]), event["hash"]
        add_event = f"INSERT INTO event VALUES ({', '.join('?' * len(names))})"
        add_rule = f"INSERT INTO rule VALUES ({', '.join('?' * len(columns))})"
        for number in range(1, count):
            begin, end = window(number)
            of = f"1.{number % 50}.{number % 100}"
            seq, rule["number"] = event["seq"] + 1, rule["number"] + 1
            rule |= {"range": of, "from_at": begin, "until_at": end, "made_by": seq, "event_seq": seq}
            after |= {"number": rule["number"], "range": of, "from": begin, "until": end}
            event |= {"seq": seq, "subject": f"rule/{rule['number']}", "impact": None,
                      "after": json.dumps(after, sort_keys=True, separators=(",", ":"))}
            event["hash"] = before = chained(before, list(event.values())[:-1])
            database.execute(add_event, list(event.values()))
            database.execute(add_rule, list(rule.values()))
        database.commit()
        database.close()

    def rules(self, path, slug, count):
        """Rules that all count, over ranges of all sizes."""
        for number in range(count):
            self.run(path, "allow", slug, f"1.{number % 3}.{number % 100}", "--yes")


def chained(before, fields):
    """The hash of an event after its predecessor's, as docs/verify-ledger.py has it."""
    parts = map(THEIRS.field, ["pawl event", before, *fields])
    return THEIRS.sha256(*parts).hex()


def lines(path, count):
    """Lines for `check --stdin`: versions and systems in no order."""
    with open(path, "w") as file:
        for index in range(count):
            file.write(f"{index % 4}.{index // 7 % 10}.{index // 3 % 100} 1{index % 8}.{index % 5}\n")
    return path
