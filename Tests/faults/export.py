#!/usr/bin/env python3
"""Reads the documents in a loop while they are exported, and while exporters are killed.

usage: export.py PAWL EXPORTS KILLS READS

Every file that a reader opens must be whole: JSON (or XML) that parses, of the version its name says. After each kill one
more export must bring the tree to what a fresh one is, byte for byte. Prints one line of figures; exit 1 on a fault.
"""

import json
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.dom.minidom

from scene import FORMATS, documents

pawl, exports, kills, reads = sys.argv[1], *map(int, sys.argv[2:5])
folder = tempfile.mkdtemp(prefix="pawl-export.")
ledger, tree = f"{folder}/pawl.db", f"{folder}/tree"


def run(*words):
    subprocess.run([pawl, *words, "--ledger", ledger], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def export(root=tree):
    done = subprocess.run([pawl, "export", root, *FORMATS, "--ledger", ledger], capture_output=True)
    if done.returncode not in (0, 1):
        sys.exit(f"export ended with {done.returncode}: {done.stderr.decode()}")


def read(paths, stop, results):
    """Reads until told to stop; says how often, and what was torn."""
    count, torn = 0, []
    chosen = random.Random(os.getpid())
    while not stop.is_set():
        path = chosen.choice(paths)
        try:
            with open(os.path.join(tree, path), "rb") as file:
                data = file.read()
        except FileNotFoundError:
            torn.append(f"{path} is gone")
            continue
        count += 1
        try:
            if path.endswith(".xml"):
                xml.dom.minidom.parseString(data)
                continue
            found = json.loads(data)
            name = os.path.basename(path)[: -len(".json")]
            if path.startswith("v1/") and name not in ("default", "schedule") and found["version"] != name:
                torn.append(f"{path} is of {found['version']}")
        except Exception as error:
            torn.append(f"{path}: {error}")
    results.put((count, torn[:5]))


def change(number):
    # All documents say something else after it.
    run("stop" if number % 2 == 0 else "resume", "--all", *([] if number % 2 == 0 else ["--yes"]))


def main():
    run("init")
    with open(f"{folder}/past.csv", "w") as file:
        file.write("version,released_at\n")
        file.writelines(f"{n // 10 + 1}.{n % 10},20{10 + n // 12:02}-{n % 12 + 1:02}-01T00:00:00Z\n" for n in range(60))
    for app in ("taxi", "van"):
        run("app", "add", app, "--bundle-id", f"com.example.{app}", "--apple-id", str(len(app)))
        run("import", app, f"{folder}/past.csv", "--yes")
    export()
    paths = sorted(documents(tree))
    stop, results = multiprocessing.Event(), multiprocessing.Queue()
    reader = multiprocessing.Process(target=read, args=(paths, stop, results))
    reader.start()
    started = time.monotonic()
    number, killed, late = 0, 0, random.Random(1)
    length = 0.02
    while number < exports or killed < kills:
        change(number)
        number += 1
        if killed < kills:
            process = subprocess.Popen(
                [pawl, "export", tree, *FORMATS, "--ledger", ledger], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            time.sleep(late.random() * length)
            process.send_signal(signal.SIGKILL)
            if process.wait() == -signal.SIGKILL:
                killed += 1
            else:
                length *= 0.9
            length = max(length, 0.001) * 1.02
            export()
            fresh = f"{folder}/fresh"
            export(fresh)
            if documents(fresh) != documents(tree):
                reader.kill()
                sys.exit(f"after kill {killed} the export did not repair the tree")
            shutil.rmtree(fresh)
        else:
            export()
    while time.monotonic() - started < 1 or reads_short(results, reads, started):
        change(number)
        number += 1
        export()
    stop.set()
    count, torn = results.get()
    reader.join()
    seconds = time.monotonic() - started
    print(f"{count} reads, {number} exports, {killed} kills, {len(torn)} torn, {seconds:.0f} s")
    if torn:
        sys.exit("\n".join(torn))
    if count < reads:
        sys.exit(f"only {count} of {reads} reads")


def reads_short(results, wanted, started):
    """Whether the reader needs more time, at a rate any machine reaches."""
    return (time.monotonic() - started) * 2000 < wanted


try:
    main()
finally:
    shutil.rmtree(folder, ignore_errors=True)
