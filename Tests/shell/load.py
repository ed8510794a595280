"""Asks a web server for documents while they change, as clients do that keep what they got, and looks at every answer.

    load.py PORT DIR SLUG SECONDS PAWL    DIR is the exported directory that the server serves; ./pawl.db is the ledger

Changes take the app's answers back and forth as fast as they come, so that documents say again what they said before, in as
many bytes, and those of one format are removed and written again. Ends with 1 where an answer is torn, where a document is
missing that was there, or where a client is told, by 200 or 304, of bytes that were not there when it asked.
"""

import gzip
import hashlib
import http.client
import json
import os
import random
import subprocess
import sys
import threading
import time

PORT, FOLDER, SLUG, SECONDS, PAWL = int(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4]), sys.argv[5]
ABSENT = "absent"


class Asker(threading.Thread):
    """Clients that ask for documents again and again, each time with a tag that one of them was given at some time."""

    def __init__(self, paths, encoding):
        super().__init__()
        self.paths, self.encoding = paths, encoding
        self.asked = self.unchanged = 0
        self.faults = []
        # By path: tags, each with the digest of the bytes that came with it, the newest last.
        self.kept = {}
        self.source = random.Random(len(paths))
        # What was told: path, digest, and the times around the question.
        self.told = []

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=10)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and not self.faults:
            for path in self.paths:
                self.ask(connection, path)

    def ask(self, connection, path):
        headers = {"Accept-Encoding": self.encoding}
        tag, digest = self.source.choice(self.kept.get(path, [(None, None)])[-self.source.choice([1, 20]):])
        if tag:
            headers["If-None-Match"] = tag
        before = time.monotonic()
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        self.asked += 1
        if answer.status == 304:
            self.unchanged += 1
        elif answer.status == 404:
            digest = ABSENT
        elif answer.status == 200:
            try:
                if answer.getheader("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                json.loads(body)
            except (ValueError, OSError, EOFError):
                self.faults.append(f"{path}: torn: {body[:60]!r}")
            digest = hashlib.sha256(body).hexdigest()
            self.kept.setdefault(path, []).append((answer.getheader("ETag"), digest))
        else:
            self.faults.append(f"{path}: {answer.status}")
        self.told.append((path, digest, before, time.monotonic()))


class Changer(threading.Thread):
    """Changes what clients are told, and keeps what each document said from when until when."""

    ROUND = [
        ("setting", SLUG, "key", "aaaa"), ("export", FOLDER, "--format", "v1"), ("setting", SLUG, "key", "bbbb"),
        ("export", FOLDER, "--format", "v1", "--format", "flags"), ("stop", SLUG), ("resume", SLUG, "--yes"),
    ]

    def __init__(self, paths):
        super().__init__()
        self.count = 0
        self.faults = []
        # By path: digests, each with the times before and after the change that brought it.
        self.states = {path: [] for path in paths}
        self.look(0, 0)

    def look(self, before, after):
        for path, states in self.states.items():
            try:
                with open(FOLDER + path, "rb") as file:
                    digest = hashlib.sha256(file.read()).hexdigest()
            except FileNotFoundError:
                digest = ABSENT
            if not states or states[-1][0] != digest:
                states.append((digest, before, after))

    def run(self):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and not self.faults:
            words = self.ROUND[self.count % len(self.ROUND)]
            before = time.monotonic()
            done = subprocess.run([PAWL, *words], capture_output=True, env={**os.environ, "PAWL_EXPORT": FOLDER})
            self.count += 1
            if done.returncode != 0:
                self.faults.append(f"pawl {' '.join(words)}: {done.returncode} {done.stderr.decode()[:300]}")
            self.look(before, time.monotonic())

    def said(self, path, digest, since, until):
        """Whether an answer may have been these bytes at a moment between two; without a document it is default.json."""
        default = path[:path.rindex("/")] + "/default.json"
        return self.was(path, digest, since, until) or (
            self.was(path, ABSENT, since, until) and self.was(default, digest, since, until))

    def was(self, path, digest, since, until):
        states = self.states[path]
        for index, (known, start, _) in enumerate(states):
            end = states[index + 1][2] if index + 1 < len(states) else until
            if known == digest and start <= until and since <= end:
                return True
        return False


def main():
    paths = [f"/{folder}/{SLUG}/{name}" for folder in ["v1", "flags"]
             for name in sorted(os.listdir(f"{FOLDER}/{folder}/{SLUG}"))]
    changer = Changer(paths)
    askers = [Asker(paths[index:] + paths[:index], encoding) for index, encoding in enumerate(["identity", "gzip"] * 2)]
    for thread in [changer, *askers]:
        thread.start()
    for thread in [changer, *askers]:
        thread.join()
    faults = changer.faults + [fault for asker in askers for fault in asker.faults]
    for asker in askers:
        for path, digest, since, until in asker.told:
            if not changer.said(path, digest, since, until):
                faults.append(f"{path}: what was told was not there then: {digest[:12]}")
    for fault in faults[:20]:
        print(fault)
    asked, unchanged = sum(asker.asked for asker in askers), sum(asker.unchanged for asker in askers)
    states = sum(len(found) for found in changer.states.values())
    print(f"measured: {asked:,} answers, {unchanged:,} of them 304, beside {changer.count} changes; "
          f"{len(paths)} documents in {states} states")
    # A load that never met a change, or never a 304, shows nothing.
    return 1 if faults or unchanged == 0 or changer.count < 6 or states < 3 * len(paths) else 0


sys.exit(main())
