#!/usr/bin/env python3
"""Makes the ledger of a schema version with the pawl of that version, and writes down what that pawl says of it.

usage: make.py PAWL SCHEMA [OTHER]

Run by whoever adds a migration, with the release before it: writes vN.db and vN.json beside this file, for good. With
OTHER, an earlier schema's number, the ledger is made by PAWL without what that schema lacks, and its rows and events
are put as they are into a file of that schema. See README.md.
"""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..")
MOMENTS = ["2026-12-31T00:00:00Z", "2030-01-01T00:00:00Z"]
MAILS = os.path.join(ROOT, "Tests", "shell", "mails.py")


def fill(run, schema, folder):
    """Something of everything that a schema can hold."""
    run("init")
    run("app add taxi --bundle-id com.example.taxi --apple-id 1524608462 --name Taxi --hold 12h")
    run("app add van --bundle-id com.example.van --channel enterprise --store-url https://apps.apple.com/app/id7")
    run("app set taxi --asks-since 1.1 --policy remind,remind,none", reason="gently")
    run("trust host downloads.example.com")
    run("trust host gone.example.com")
    run("trust remove host gone.example.com")
    if schema < 2:
        run("app set van --name Van --request-id set-1")
        return
    with open(f"{folder}/past.csv", "w") as file:
        file.write("version,released_at,build,min_os,notes\n1.0,2024-01-01T00:00:00Z,1,12.0,First\n"
                   "1.1,2024-02-01T00:00:00Z,2,,\n1.2,2024-03-01T00:00:00Z,3,13.0,\"Line one\nGr\u00fc\u00dfe, \u4f60\u597d\"\n"
                   "1.3,2024-04-01T00:00:00Z,4,13.0,\n")
    run("import taxi past.csv --yes")
    run("mark taxi 1.3 removed")
    run("mark taxi 1.3 live --visible-now --yes")
    run("publish taxi 2.0 --build 5 --note en=Faster --note de=Schneller --mandatory --request-id publish-1")
    run("publish taxi 2.0 --build 5 --note en=Faster --note de=Schneller --mandatory --request-id publish-2")
    run("mark taxi 2.0 in-review")
    run("mark taxi 2.0 approved")
    run("mark taxi 2.0 live --yes")
    run("unmark taxi 2.0", reason="the wrong one")
    run("mark taxi 2.0 live --yes", actor="release manager")
    run("publish taxi 2.1 --min-os 15.0")
    run("mark taxi 2.1 rejected")
    run("publish taxi 999.0")
    run("void taxi 999.0", reason="typing error")
    run("publish taxi 2.2")
    run("amend taxi 2.2 --build 9 --url https://downloads.example.com/taxi")
    run("publish taxi 2.3")
    run("mark taxi 2.3 withdrawn")
    run("publish van 1.0.0.1")
    run("mark van 1.0.0.1 live --yes")
    run("publish van 1.0.0.2")
    run("mark van 1.0.0.2 live --yes")
    if schema < 3:
        return
    run("force taxi upto:1.1 --from 2026-12-01T00:00:00Z --until 2029-01-01T00:00:00Z --yes", reason="old API")
    run("remind taxi 1.2 --yes")
    run("allow taxi 1.0 --until 2029-06-01T00:00:00Z")
    run("remind taxi 1.3 --url https://downloads.example.com/x --yes")
    run("lift taxi 4 --yes")
    run("redirect taxi 1.1 --to van --yes")
    run("redirect van all --url https://downloads.example.com/van --yes")
    run("redirect van all --clear --yes")
    run("setting taxi map-key one")
    run("setting taxi map-key two --during review")
    run("setting taxi theme dark --versions from:1.2")
    run("setting taxi theme light --versions from:1.2")
    run("stop van")
    run("resume van --yes")
    run("stop van")
    if schema < 4:
        return
    subprocess.run([sys.executable, MAILS, "key", folder], check=True)
    run("trust recipient release@example.com")
    run("trust mx mx.example.com")
    run("trust dkim email.apple.com test --key key.txt")
    now = int(subprocess.run(["date", "+%s"], capture_output=True, check=True).stdout)
    lines = [f"1524608462 2.2 {state} {now - ago}" for state, ago in [("waiting", 900), ("approved", 800)]]
    lines.append(f"1524608462 8.0 waiting {now - 700}")
    subprocess.run([sys.executable, MAILS, "mbox", folder, f"{folder}/box"], input="\n".join(lines).encode(), check=True)
    run("ingest mail --mbox box")
    with open(f"{folder}/box", "rb") as file:
        forged = file.read().replace(b"Waiting", b"Ready")
    with open(f"{folder}/forged", "wb") as file:
        file.write(forged)
    run("ingest mail --mbox forged")
    run("inbox dismiss 4 --request-id dismiss-1")
    run("app set taxi --countries US,CN")
    with open(f"{folder}/lookup.json", "w") as file:
        file.write('{"resultCount":1,"results":[{"bundleId":"com.example.taxi","kind":"software","trackId":1524608462,'
                   '"version":"2.0","wrapperType":"software"}]}')
    run("ingest lookup taxi lookup.json --country US")
    if schema < 5:
        return
    run("init --export /srv/documents")
    run("setting van theme dark --yes")
    if schema < 6:
        return
    with open(f"{folder}/late.csv", "w") as file:
        file.write("version,released_at\n1.0.5,2024-01-15T00:00:00Z\n1.1.0.1,2024-02-15T00:00:00Z\n")
    run("import taxi late.csv --past --yes")
    run("redirect taxi 1.0 --url https://downloads.example.com/old --from 2028-01-01T00:00:00Z --yes")
    run("setting taxi theme green --until 2029-01-01T00:00:00Z --yes")
    run("void van 1.0.0.2 --never-shipped --yes", reason="never built")


def golden(answer, path):
    """What this pawl says of a ledger: every known version and some that are not, and the whole past."""
    with sqlite3.connect(path) as ledger:
        known = []
        if ledger.execute("SELECT 1 FROM sqlite_schema WHERE name = 'release'").fetchone():
            known = ledger.execute("SELECT DISTINCT slug, version FROM release JOIN app ON app.id = app_id").fetchall()
        apps = [slug for slug, in ledger.execute("SELECT slug FROM app")]
    asked = sorted(known) + [(app, version) for app in apps for version in ("0.9", "1.2.5", "50.0")]
    checks = [
        {"app": app, "version": version, "at": at, "answer": answer("check", app, version, "--at", at)}
        for app, version in asked for at in MOMENTS]
    for check in checks:
        # The last event's number says nothing that the past does not say.
        check["answer"].pop("asOf", None)
    return {"checks": checks, "history": answer("history", "--limit", "10000")}


def put_into(schema, source, target):
    """Puts rows and events, as they are, into a file of an earlier schema made by its migrations."""
    folder = os.path.join(ROOT, "db", "migrations")
    with sqlite3.connect(source) as ledger:
        header = ledger.execute("PRAGMA application_id").fetchone()[0]
    ledger = sqlite3.connect(target, isolation_level=None)
    ledger.execute("PRAGMA journal_mode = DELETE")
    ledger.execute("ATTACH ? AS made", (source,))
    # To the letter as the program makes it, since the text of a schema is compared.
    ledger.execute("CREATE TABLE migration (\n  version INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, "
                   "at TEXT NOT NULL\n) STRICT")
    for name in sorted(os.listdir(folder))[:schema]:
        with open(os.path.join(folder, name)) as file:
            ledger.executescript(file.read())
    ledger.execute("INSERT INTO migration SELECT * FROM made.migration WHERE version <= ?", (schema,))
    # The triggers would want each row when its event is the last one; they are put back as they were.
    triggers = ledger.execute("SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        ledger.execute(f"DROP TRIGGER {name}")
    tables = [name for name, in ledger.execute("SELECT name FROM main.sqlite_schema WHERE type = 'table'")]
    for table in tables:
        if table != "migration":
            columns = ", ".join(row[1] for row in ledger.execute(f"PRAGMA main.table_info({table})"))
            ledger.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM made.{table}")
    for _, sql in triggers:
        ledger.execute(sql)
    ledger.execute("DETACH made")
    ledger.execute(f"PRAGMA application_id = {header}")
    ledger.execute(f"PRAGMA user_version = {schema}")
    ledger.close()


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    pawl, schema = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    wanted = int(sys.argv[3]) if len(sys.argv) == 4 else schema
    with tempfile.TemporaryDirectory(prefix="pawl-ledgers.") as folder:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PAWL")}
        # The directory that the ledger names is not made.
        environment["PAWL_EXPORT"] = os.path.join(folder, "tree")

        def run(line, reason=None, actor=None):
            words = line.split() + (["--reason", reason] if reason else []) + (["--actor", actor] if actor else [])
            ran = subprocess.run([pawl, *words], cwd=folder, capture_output=True, env=environment)
            if ran.returncode != 0:
                sys.exit(f"{line}: {ran.returncode}: {ran.stderr.decode()}")
            return ran.stdout

        def answer(*words):
            return json.loads(run(" ".join([*words, "--json"])))

        fill(run, wanted, folder)
        path = os.path.join(folder, "pawl.db")
        with sqlite3.connect(path) as ledger:
            found = ledger.execute("PRAGMA user_version").fetchone()[0]
        if found != schema:
            sys.exit(f"this pawl makes ledgers of schema {found}, not {schema}")
        said = golden(answer, path)
        target = os.path.join(HERE, f"v{wanted}.db")
        if os.path.exists(target):
            os.remove(target)
        if wanted == schema:
            with open(path, "rb") as file, open(target, "wb") as copy:
                copy.write(file.read())
        else:
            put_into(wanted, path, target)
        with open(os.path.join(HERE, f"v{wanted}.json"), "w", encoding="utf8") as file:
            parts = [("checks", said["checks"]), ("history", said["history"]["events"])]
            file.write("{" + ",".join(
                f'"{name}":[\n' + ",\n".join(json.dumps(one, ensure_ascii=False, sort_keys=True) for one in ones) + "\n]"
                for name, ones in parts) + "}\n")
        print(f"v{wanted}.db: {len(said['history']['events'])} events, {len(said['checks'])} answers, "
              f"{os.path.getsize(target)} bytes")


main()
