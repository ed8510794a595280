#!/usr/bin/env python3
"""Watches what every changing command writes, and whether it is flushed before the command says that it is done.

usage: order.py PAWL [--sample]

Reads a trace of the command's system calls. When it ends with 0, nothing that it wrote, renamed, made or removed in the
ledger's folder may be unflushed: a file's bytes by fsync or fdatasync of it, a name by fsync of its folder, either by
syncfs. A file is flushed before it takes another's name, and what a change says on standard output is true by then.
Aside: the lock's file and what stands in an export's staging folder, which say nothing that anybody relies on. To show
that the watcher sees something, it is also shown commands that do not flush. Exit 1 on a fault.
"""

import os
import re
import shutil
import subprocess
import sys
import time

from scene import Fault, Scene, clean_environment, finish

CALLS = ("open,openat,creat,write,pwrite64,writev,ftruncate,truncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,"
         "mkdirat,rmdir,link,linkat,symlink,symlinkat,fsync,fdatasync,syncfs,sync")
SAMPLE = ["init", "init with a directory", "publish", "import", "ingest mail", "--yes", "export again", "export a little"]
LINE = re.compile(r"(?:\d+ +)?(\w+)\((.*)\) += (-?\d+)(.*)$")
# A name, and before it the directory it is looked up in, where the call says one.
TEXT = re.compile(r'(?:(?:\d+|AT_FDCWD)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"(?:\.\.\.)?')
DESCRIPTOR = re.compile(r"^(\d+)<([^>]*)>")


class Watcher:
    """What was written and not flushed yet, below one folder."""

    def __init__(self, root):
        self.root = os.path.realpath(root)
        self.there = {os.path.join(place, name) for place, folders, names in os.walk(self.root)
                      for name in [*folders, *names]}
        # Files with bytes, and folders with names, that are not on the disk.
        self.bytes, self.names = {}, {}
        self.faults, self.events = [], 0

    def path(self, text):
        """Where a path is that a call named; None where that is no concern of ours."""
        path = os.path.normpath(os.path.join(self.root, text))
        # The folder's own folder matters as well, for the folder's name; what else is in it does not.
        is_inside = path == self.root or path.startswith(self.root + "/")
        if not is_inside or path.endswith("-lock") or path.endswith("/.pawl/lock") or "/staging/" in path:
            return None
        return path

    def name_changed(self, path, what):
        folder = os.path.dirname(path)
        if self.path(folder):
            self.names.setdefault(folder, []).append(f"{what} {os.path.relpath(path, self.root)}")
            self.events += 1

    def line(self, line):
        found = LINE.match(line)
        if not found:
            return
        call, arguments, result, rest = found.groups()
        if int(result) < 0:
            return
        # A call that strace answered itself was not made.
        if "(INJECTED)" in rest:
            return
        descriptor = DESCRIPTOR.match(arguments)
        texts = [os.path.join(place, bytes(text, "utf8").decode("unicode_escape"))
                 for place, text in TEXT.findall(arguments)]
        if call in ("fsync", "fdatasync", "syncfs", "sync"):
            return self.flushed(call, descriptor)
        if call in ("write", "pwrite64", "writev", "ftruncate"):
            if descriptor is None:
                return
            if descriptor[1] == "1":
                return self.announced()
            path = self.path(descriptor[2]) if descriptor[2].startswith("/") else None
            if path and path in self.there:
                self.bytes[path] = call
                self.events += 1
            elif "/staging/" in descriptor[2]:
                self.bytes[descriptor[2]] = call
            return
        if call in ("open", "openat", "creat"):
            if "O_CREAT" in arguments and (path := self.path(texts[0])) and path not in self.there:
                self.there.add(path)
                self.name_changed(path, "made")
        elif call.startswith("mkdir") or call.startswith("symlink"):
            if path := self.path(texts[-1]):
                self.there.add(path)
                self.name_changed(path, "made")
        elif call.startswith("unlink") or call == "rmdir":
            if path := self.path(texts[0]):
                self.there.discard(path)
                self.bytes.pop(path, None)
                # The lock of a temporary name may come back after a loss of power: the next run removes it.
                if not path.endswith(".new-held"):
                    self.name_changed(path, "removed")
        elif call.startswith("rename") or call.startswith("link"):
            self.renamed(call, os.path.normpath(os.path.join(self.root, texts[0])), self.path(texts[1]))

    def renamed(self, call, source, target):
        if source in self.bytes:
            self.faults.append(f"{os.path.relpath(source, self.root)} got another name before its bytes were flushed")
            self.bytes.pop(source)
        if self.path(source):
            self.there.discard(source)
            self.name_changed(source, call)
        if target:
            self.there.add(target)
            self.name_changed(target, call)

    def flushed(self, call, descriptor):
        if call in ("syncfs", "sync"):
            self.bytes, self.names = {}, {}
        elif descriptor:
            self.bytes.pop(descriptor[2], None)
            self.names.pop(descriptor[2], None)

    def unflushed(self):
        names = [f"{os.path.relpath(folder, self.root)}: {', '.join(what)}" for folder, what in self.names.items()]
        return [os.path.relpath(path, self.root) for path in self.bytes if "/staging/" not in path] + names

    def announced(self):
        """Something goes to standard output, by when the ledger itself is on the disk."""
        path = os.path.join(self.root, "pawl.db")
        if path in self.bytes or any("pawl.db" in what for what in self.names.get(self.root, [])):
            self.faults.append("the change was announced before it was flushed")

    def ended(self):
        left = self.unflushed()
        if left:
            self.faults.append("not flushed at the end: " + "; ".join(left))


def watch(words, folder, given=b"", environment=None, inject=()):
    """Runs a command below a watcher; the watcher and the status."""
    watcher = Watcher(folder)
    trace = folder.rstrip("/") + ".trace"
    injections = [word for one in inject for word in ("-e", f"inject={one}")]
    ran = subprocess.run(
        ["strace", "-f", "-y", "-s", "4096", "-qqq", "-o", trace, "-e", f"trace={CALLS}", *injections, *words], cwd=folder,
        input=given, capture_output=True, env=environment or clean_environment(), timeout=120)
    with open(trace, encoding="utf8", errors="replace") as file:
        for line in file:
            watcher.line(line)
    os.remove(trace)
    watcher.ended()
    return watcher, ran.returncode


def watch_case(scene, case, inject=()):
    folder = os.path.join(scene.folder, "watched")
    scene.fresh(folder, case)
    watcher, status = watch([scene.pawl, *case.words], folder, case.given, case.environment, inject)
    if status not in (0, 1 if case.tree else 0):
        raise Fault(f"{case.name} ended with {status}")
    if watcher.events == 0:
        raise Fault(f"{case.name} wrote nothing")
    return watcher


def controls(scene):
    """Commands that do not flush, each of which has to be noticed; those that were not."""
    missed, count = [], 0
    by_name = {case.name: case for case in scene.cases}
    lies = ["fdatasync:retval=0", "fsync:retval=0", "syncfs:retval=0"]
    for name, inject in [
        ("publish", lies), ("init", lies), ("export", lies), ("export again", lies),
        ("export a little", lies),
        # Only the last flush, that of the folder after the journal is gone.
        ("publish", ["fdatasync:retval=0:when=5+"]), ("publish", ["fdatasync:retval=0:when=4"]),
    ]:
        count += 1
        if not watch_case(scene, by_name[name], inject).faults:
            missed.append(f"{name} with {' '.join(inject)}")
    # SQLite's own default: the journal is gone, and its folder is not flushed.
    if shutil.which("sqlite3"):
        folder = os.path.join(scene.folder, "shell")
        os.mkdir(folder)
        statement = "PRAGMA journal_mode = DELETE; PRAGMA synchronous = {}; CREATE TABLE t (x); INSERT INTO t VALUES (1);"
        for level, wanted in [("FULL", True), ("NORMAL", True), ("EXTRA", False)]:
            count += 1
            database = os.path.join(folder, f"{level}.db")
            watcher, _ = watch(["sqlite3", database, statement.format(level)], folder)
            if bool(watcher.faults) != wanted:
                missed.append(f"sqlite3 with synchronous = {level}: {watcher.faults}")
    return count, missed


def main():
    words = [word for word in sys.argv[1:] if word != "--sample"]
    if len(words) != 1:
        sys.exit(__doc__)
    started = time.monotonic()
    scene = Scene(words[0], on_disk=True)
    faults, commands, events = [], 0, 0
    try:
        for case in scene.cases:
            if "--sample" in sys.argv and case.name not in SAMPLE:
                continue
            try:
                watcher = watch_case(scene, case)
                faults += [f"{case.name}: {fault}" for fault in watcher.faults]
                events += watcher.events
            except Fault as fault:
                faults.append(str(fault))
            commands += 1
        count, missed = controls(scene)
        faults += [f"not noticed: {one}" for one in missed]
    finally:
        scene.remove()
    print(f"flush order: {commands} commands, {events} writes and names, {count} controls of which {count - len(missed)} "
          f"went as they had to, {len(faults)} faults, {time.monotonic() - started:.0f} s")
    finish(faults)


main()
