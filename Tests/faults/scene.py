"""A ledger in which every changing command has something to do, and what has to hold of it after a fault.

For the scripts beside it: the ledger, the commands, and the questions whether a ledger is in its old or its new state,
undamaged, and chained. The checks here know the ledger from docs/schema.md alone, so that no line of them is pawl's.
"""

import hashlib
import hmac
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from chain import chained

HERE = os.path.dirname(os.path.abspath(__file__))
MAILS = os.path.join(HERE, "..", "shell", "mails.py")
# What differs from one run to the next: moments, ages, hashes, and the ledger's own name.
# Who it was is part of it: where the list of users cannot be read, a number stands for the name.
VARYING = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|[0-9a-f]{64}|[0-9a-f]{32}|\b(?:\d+[smhd] )+ago\b|\b1\d{9}\b|\b[0-9a-f]{16}\b|"user":"[^"]*"')
REQUEST = ["--request-id", "one-request"]
FORMATS = [word for name in ("v1", "flags", "type", "lookup", "prince-of-versions", "upgrader")
           for word in ("--format", name)]


def finish(faults):
    for fault in faults[:60]:
        print(f"  {fault}")
    sys.exit(1 if faults else 0)


class Fault(Exception):
    """What must not be."""


def clean_environment(**more):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PAWL")}
    return {**kept, **more}


class Case:
    """One changing command: its words, what it reads, and whether a request id makes it safe to say again."""

    def __init__(self, name, words, given=b"", has_request=True, environment=(), on_nothing=False):
        self.name = name
        self.words = words + (REQUEST if has_request else [])
        self.given = given
        self.has_request = has_request
        self.environment = clean_environment(**dict(environment))
        # Whether it starts without a ledger.
        self.on_nothing = on_nothing
        # Where it writes documents.
        self.tree = "documents" if "documents" in words else "tree" if "export" in name else None
        # A mail server's pipe gets 75 for everything.
        self.is_pipe = name == "ingest mail"


class Scene:
    """The ledger as it is before the command, in a folder that is copied for each attempt."""

    def __init__(self, pawl, on_disk=False):
        self.pawl = os.path.abspath(pawl)
        # What a killed process wrote is there, flushed or not, so that a folder in memory does for most.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) and not on_disk else None
        self.folder = tempfile.mkdtemp(prefix="pawl-faults.", dir=memory)
        self.base = os.path.join(self.folder, "base")
        os.mkdir(self.base)
        self.fill()
        self.can_verify = self.has("verify")
        self.cases = self.all_cases()

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *words, given=b"", folder=None, environment=None):
        return subprocess.run(
            [self.pawl, *words], cwd=folder or self.base, input=given, capture_output=True,
            env=environment or clean_environment(),
        )

    def done(self, *words, given=b""):
        ran = self.run(*words, given=given)
        if ran.returncode != 0:
            raise Fault(f"{' '.join(words)}: {ran.returncode}: {ran.stderr.decode()}")

    def has(self, command):
        return f"pawl {command}".encode() in self.run(*command.split(), "--help").stdout

    def write(self, name, data):
        with open(os.path.join(self.base, name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())

    def mail(self, version, state, ago):
        """A signed mail of Apple's, so many seconds old."""
        now = int(subprocess.run(["date", "+%s"], capture_output=True, check=True).stdout)
        out = os.path.join(self.folder, "mails")
        subprocess.run(
            [sys.executable, MAILS, "dir", self.folder, out], check=True,
            input=f"1524608462 {version} {state} {now - ago}\n".encode())
        with open(os.path.join(out, "00000.eml"), "rb") as file:
            return file.read()

    def fill(self):
        subprocess.run([sys.executable, MAILS, "key", self.folder], check=True)
        done = self.done
        done("init")
        self.write("past.csv", "version,released_at\n" + "".join(f"1.{n},2024-0{n + 1}-01T00:00:00Z\n" for n in range(3)))
        long = "".join(f"{n // 10 + 1}.{n % 10},20{n // 12 + 10}-{n % 12 + 1:02}-01T00:00:00Z\n" for n in range(60))
        self.write("long.csv", "version,released_at\n" + long)
        self.write("secret", "a secret\n")
        for number, slug in enumerate(["taxi", "van", "bus", "tram"]):
            done("app", "add", slug, "--bundle-id", f"com.example.{slug}", "--apple-id", str(1524608462 + number))
        done("import", "taxi", "past.csv", "--yes")
        done("import", "bus", "past.csv", "--yes")
        done("publish", "van", "1.0", "--yes")
        done("mark", "van", "1.0", "live", "--visible-now", "--yes")
        done("publish", "van", "2.0", "--yes")
        done("mark", "van", "2.0", "live", "--yes")
        done("trust", "host", "downloads.example.com")
        done("trust", "recipient", "release@example.com")
        done("trust", "dkim", "email.apple.com", "test", "--key", os.path.join(self.folder, "key.txt"))
        # Evidence 1 waits for a release that comes later, 2 and 3 for somebody to look at them.
        done("ingest", "mail", "-", given=self.mail("2.1", "waiting", 900))
        for state in ("approved", "live"):
            done("ingest", "mail", "-", given=self.mail("2.1", state, 800).replace(b"Taxi", b"Tramway"))
        done("publish", "taxi", "2.1", "--yes", "--note", "en=Faster")
        done("setting", "taxi", "map-key", "first")
        done("setting", "taxi", "map-key", "second")
        done("force", "taxi", "1.0", "--reason", "old API", "--yes")
        done("redirect", "bus", "1.0", "--url", "https://downloads.example.com/bus", "--yes")
        done("stop", "bus")
        self.write("lookup.json", '{"resultCount":1,"results":[{"bundleId":"com.example.van","trackId":1524608463,'
                                  '"version":"2.0","wrapperType":"software","kind":"software"}]}')

    def all_cases(self):
        hook = (b'{"data":{"type":"appStoreVersionAppVersionStateUpdated","id":"n-1","version":1,"attributes":'
                b'{"oldValue":"PREPARE_FOR_SUBMISSION","newValue":"WAITING_FOR_REVIEW","timestamp":'
                b'"2026-11-20T11:11:21.000Z"},"relationships":{"instance":{"data":{"type":"appStoreVersions",'
                b'"id":"30dd1a94"}}}}}')
        signature = "hmacsha256=" + hmac.new(b"a secret", hook, hashlib.sha256).hexdigest()
        setting = self.seq("setting.set")
        cases = [
            Case("init", ["init"], on_nothing=True),
            Case("init with a directory", ["init", "--export", "documents"]),
            Case("app add", ["app", "add", "ship", "--bundle-id", "com.example.ship"]),
            Case("app set", ["app", "set", "taxi", "--hold", "48h", "--name", "Taxi"]),
            Case("publish", ["publish", "taxi", "3.0", "--yes", "--note", "en=What is new", "--build", "7"]),
            Case("amend", ["amend", "taxi", "2.1", "--build", "5", "--note", "en=Even faster"]),
            Case("mark", ["mark", "taxi", "2.1", "live", "--yes"]),
            Case("unmark", ["unmark", "van", "2.0", "--reason", "wrong version"]),
            Case("void", ["void", "taxi", "2.1", "--reason", "typo"]),
            Case("import", ["import", "tram", "long.csv", "--yes"]),
            Case("force", ["force", "taxi", "upto:1.1", "--reason", "old API", "--yes"]),
            Case("remind", ["remind", "taxi", "1.1", "--yes"]),
            Case("allow", ["allow", "taxi", "1.1"]),
            Case("lift", ["lift", "taxi", "1", "--yes"]),
            Case("redirect", ["redirect", "taxi", "1.0", "--url", "https://downloads.example.com/x", "--yes"]),
            Case("redirect to nothing", ["redirect", "bus", "1.0", "--clear", "--yes"]),
            Case("setting", ["setting", "taxi", "theme", "dark", "--yes"]),
            Case("stop", ["stop", "--all"]),
            Case("resume", ["resume", "bus", "--yes"]),
            Case("undo", ["undo", str(setting), "--yes"]),
            Case("trust host", ["trust", "host", "more.example.com"]),
            Case("trust remove", ["trust", "remove", "host", "downloads.example.com", "--yes"]),
            Case("ingest mail", ["ingest", "mail", "-"], given=self.mail("2.1", "in-review", 600), has_request=False),
            Case("ingest lookup", ["ingest", "lookup", "van", "lookup.json"]),
            Case("ingest webhook", ["ingest", "webhook", "taxi", "-", "--signature", signature, "--secret-file", "secret"],
                 given=hook),
            Case("inbox apply", ["inbox", "apply", "2", "--app", "taxi", "--version", "2.1", "--state", "approved",
                                 "--reason", "seen on the board", "--yes"]),
            Case("inbox dismiss", ["inbox", "dismiss", "2"]),
            Case("inbox retry", ["inbox", "retry"]),
            Case("stop and export", ["stop", "taxi"], environment={"PAWL_EXPORT": "tree"}.items()),
            Case("export", ["export", "tree", *FORMATS], has_request=False),
            Case("export again", ["export", "tree", *FORMATS], has_request=False),
            # So few files that each is flushed by itself.
            Case("export a little", ["export", "tree", "--app", "tram", "--format", "v1"], has_request=False),
        ]
        if self.has("backup"):
            cases.append(Case("backup", ["backup", "copy.db"], has_request=False))
        return cases

    def seq(self, kind):
        with sqlite3.connect(self.ledger(self.base)) as ledger:
            return ledger.execute("SELECT max(seq) FROM event WHERE kind = ?", (kind,)).fetchone()[0]

    def ledger(self, folder):
        return os.path.join(folder, "pawl.db")

    def fresh(self, folder, case):
        """Puts a folder into the state before the command."""
        shutil.rmtree(folder, ignore_errors=True)
        if not case.on_nothing:
            shutil.copytree(self.base, folder)
        else:
            os.mkdir(folder)
        if case.name == "export again":
            # Documents that are there, and most of which say something else now.
            self.export(folder, ["export", "tree", *FORMATS])
            if self.run("stop", "--all", folder=folder).returncode != 0:
                raise Fault("the scene cannot be set")

    def export(self, folder, words):
        ran = self.run(*words, folder=folder)
        # 1 says that a format cannot say what is decided; the others are written.
        if ran.returncode not in (0, 1):
            raise Fault(f"export: {ran.returncode}: {ran.stderr.decode()}")


def state(path):
    """What a ledger says, without what differs from one run to the next; nil where there is none yet."""
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return None
    ledger = sqlite3.connect(path)
    try:
        dump = "\n".join(ledger.iterdump())
    finally:
        ledger.close()
    return hashlib.sha256(VARYING.sub("#", dump).encode()).hexdigest()


def content(path):
    """The bytes of a ledger without a journal; nil where there is none, or it is still to be looked at."""
    if not os.path.exists(path) or os.path.exists(path + "-journal"):
        return None
    with open(path, "rb") as file:
        return file.read()


def sound(path):
    """Raises unless a ledger is undamaged, its tables belong together, and its events are chained."""
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return
    ledger = sqlite3.connect(path)
    try:
        found = ledger.execute("PRAGMA integrity_check").fetchone()[0]
        if found != "ok" or ledger.execute("PRAGMA foreign_key_check").fetchone():
            raise Fault(f"damaged: {found}")
        for _ in chained(ledger):
            pass
    except ValueError as error:
        raise Fault(str(error)) from error
    except sqlite3.DatabaseError as error:
        raise Fault(f"damaged: {error}") from error
    finally:
        ledger.close()


def documents(root):
    """The files of a tree that are served, by their path, without the line feeds that tell states of one second apart."""
    found = {}
    for place, folders, names in os.walk(root):
        if place == root:
            folders[:] = [name for name in folders if name != ".pawl"]
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, root)] = file.read()
    if "manifest.json" in found:
        # The digests cover the line feeds.
        apps = json.loads(found["manifest.json"])["apps"]
        listed = {path: digest for app in apps.values() for path, digest in app["files"].items()}
        for path, digest in listed.items():
            if path in found and hashlib.sha256(found[path]).hexdigest() != digest:
                found[path] += b"not what the manifest lists"
        found["manifest.json"] = "\n".join(sorted(listed)).encode()
    return {path: data.rstrip(b"\n") for path, data in found.items()}


class Expectation:
    """The old and the new state of a case, and what has to hold after a fault, whatever came of it."""

    def __init__(self, scene, case, folder):
        self.scene, self.case, self.folder = scene, case, folder
        scene.fresh(folder, case)
        self.old = state(scene.ledger(folder))
        self.old_bytes = content(scene.ledger(folder))
        ran = self.say()
        if ran.returncode not in (0, 1 if case.tree else 0):
            raise Fault(f"{case.name}: {ran.returncode}: {ran.stderr.decode()}")
        self.new = state(scene.ledger(folder))
        self.names = set(os.listdir(folder))
        # Where nothing can be removed, what was to be removed stays; where one file could not be, the next run removes it.
        self.may_leave = self.next_removes = False

    def fresh(self):
        self.scene.fresh(self.folder, self.case)

    def say(self):
        """Says the command, undisturbed."""
        case = self.case
        return self.scene.run(*case.words, given=case.given, folder=self.folder, environment=case.environment)

    def settle(self):
        """Lets another command find what the fault left, and tells whether the change is there."""
        path = self.scene.ledger(self.folder)
        ran = self.scene.run("history", "--limit", "1", folder=self.folder)
        is_absent = self.case.on_nothing and ran.returncode in (65, 66)
        if ran.returncode != 0 and not is_absent:
            raise Fault(f"the next command ended with {ran.returncode}: {ran.stderr.decode().strip()}")
        # The very same bytes need no look.
        if self.old_bytes is not None and content(path) == self.old_bytes:
            return self.old == self.new
        sound(path)
        found = state(path)
        # Tables without an event are what an 'init' leaves that got no further.
        is_new = found == self.new
        if not is_new and found != self.old and not (self.case.on_nothing and self.events() == 0):
            raise Fault("neither the old nor the new state")
        return is_new

    def events(self):
        with sqlite3.connect(self.scene.ledger(self.folder)) as ledger:
            return ledger.execute("SELECT count(*) FROM event").fetchone()[0]

    def converge(self):
        """Says the command again, and holds what comes of it against what came of it undisturbed."""
        if self.case.name == "backup" and os.path.exists(os.path.join(self.folder, "copy.db")):
            sound(os.path.join(self.folder, "copy.db"))
            if state(os.path.join(self.folder, "copy.db")) != self.new:
                raise Fault("the copy is another state")
            return
        ran = self.say()
        if ran.returncode not in (0, 1 if self.case.tree else 0):
            raise Fault(f"the retry ended with {ran.returncode}: {ran.stderr.decode().strip()}")
        sound(self.scene.ledger(self.folder))
        if state(self.scene.ledger(self.folder)) != self.new:
            raise Fault("the retry did not converge")
        if self.case.tree:
            self.compare_documents()
        if self.scene.can_verify:
            ran = self.scene.run("verify", folder=self.folder)
            if ran.returncode != 0:
                raise Fault(f"verify: {ran.stdout.decode()}{ran.stderr.decode()}")
        if self.may_leave:
            return
        left = self.left()
        if left and self.next_removes and self.case.has_request:
            self.scene.run(*self.case.words[:-len(REQUEST)], given=self.case.given, folder=self.folder)
            left = self.left()
        if left:
            raise Fault(f"left behind: {sorted(left)}")

    def left(self):
        there = {name for name in os.listdir(self.folder) if not name.endswith("-lock")}
        return there - self.names - {"fresh", "pawl.db-exports"}

    def compare_documents(self):
        fresh = os.path.join(self.folder, "fresh")
        shutil.rmtree(fresh, ignore_errors=True)
        words = self.case.words if self.case.words[0] == "export" else ["export", "tree"]
        self.scene.export(self.folder, ["fresh" if word == "tree" else word for word in words])
        wanted, found = documents(fresh), documents(os.path.join(self.folder, self.case.tree))
        if self.case.words[0] == "stop":
            # Those of other apps are left to the next export.
            wanted, found = ({path: file for path, file in files.items() if "taxi" in path} for files in (wanted, found))
        if not wanted or wanted != found:
            raise Fault("the documents are not those of the ledger")
