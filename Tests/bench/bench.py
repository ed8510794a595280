"""Measures pawl beside named programs; see Tests/bench.sh."""

import argparse
import glob
import math
import os
import platform
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ledgers import Maker, lines  # noqa: E402
from measure import Run, at_once, in_turn, shown  # noqa: E402

options = argparse.ArgumentParser()
options.add_argument("pawl")
options.add_argument("--quick", action="store_true")
options.add_argument("--only", default="")
options.add_argument("--no-write", action="store_true")
options = options.parse_args()

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
PAWL = os.path.abspath(options.pawl)
FOLDER = tempfile.mkdtemp(prefix="pawl-bench.")
MAKE = Maker(PAWL)
TIMES, MANY = (3, 11) if options.quick else (11, 51)
SCALE = 20 if options.quick else 1
THREE = "medians of 3: each takes seconds"
SIZES = [100, 500, 1000] if options.quick else [100, 2000, 20000]

rows, growth = [], []


def row(name, ours, reference, theirs, target, is_met=False, most=64, comment=""):
    """A row beside what was measured in turn with it; a target that is a number is a ratio to that."""
    ratio = ours.median / theirs.median
    if not isinstance(target, str):
        target, is_met = f"≤ {target} ×", ratio <= target
    add(name, ours.shown, reference, theirs.shown, f"{ratio:.2f} ×", target, is_met, ours.kilobytes, most, comment)


def alone(name, ours, seconds=None, comment=""):
    """A row that is beside nothing; its target is the wall's time, or its memory."""
    target, is_met = (f"≤ {seconds} s", ours.median <= seconds) if seconds else ("≤ 64 MB", True)
    add(name, ours.shown, "–", "– | –", "–", target, is_met, ours.kilobytes, comment=comment)


def add(name, ours, reference, theirs, ratio, target, is_met, kilobytes=0, most=64, comment=""):
    """A row; its figures are the wall's time and the processor's, its memory may be so many MB."""
    if most != 64:
        target += f", ≤ {most} MB"
    verdict = "–" if target == "–" else "met" if is_met and kilobytes <= most * 1024 else "missed"
    memory = f"{kilobytes / 1024:.0f} MB" if kilobytes else "–"
    rows.append((name, ours, reference, theirs, ratio, target, verdict, memory, comment))
    print(f"{name:52} {ours:>18}  {reference:40} {theirs:>18}  {ratio:>9}  target {target}: {verdict}; {memory}", flush=True)


def copy(source, target):
    def body():
        for name in (target, target + "-journal"):
            if os.path.exists(name):
                os.remove(name)
        shutil.copyfile(source, target)
        os.chmod(target, 0o640)
    return body


def start_up():
    ledger = MAKE.ledger(f"{FOLDER}/start.db", {"taxi": 300, "van": 30}, FOLDER)
    ours, theirs, our_help, their_help = in_turn([
        Run([PAWL, "check", "taxi", "1.1.5", "--json", "--ledger", ledger]),
        Run(["sqlite3", ledger, "SELECT * FROM release WHERE app_id = 1 AND version = '1.1.5'"]),
        Run([PAWL, "--help"]), Run(["sqlite3", "--version"]),
    ], MANY)
    row("`check`, one process, 300 releases", ours, "`sqlite3` reading one row of the same file", theirs, 1.05)
    row("`--help`", our_help, "`sqlite3 --version`", their_help, 1.2)


PRAGMAS = "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA; PRAGMA foreign_keys = ON;"


def insertion():
    """The words that insert one row, durably, into a table of their own."""
    plain = f"{FOLDER}/plain.db"
    subprocess.run(["sqlite3", plain, f"{PRAGMAS} CREATE TABLE IF NOT EXISTS release (id INTEGER PRIMARY KEY, version TEXT"
                    " NOT NULL, state TEXT NOT NULL) STRICT;"], check=True, stdout=subprocess.DEVNULL)
    return ["sqlite3", plain, ".timeout 60000", f"{PRAGMAS} INSERT INTO release (version, state) VALUES ('2.0', 'live');"]


def publish():
    ledger, numbers = MAKE.ledger(f"{FOLDER}/publish.db", {"taxi": 300}, FOLDER), iter(range(100000))
    ours, theirs = in_turn([Run(lambda: [PAWL, "publish", "taxi", f"2.0.{next(numbers)}", "--yes", "--ledger", ledger]),
                            Run(insertion())], MANY)
    row("`publish`, durable, 300 releases", ours, "`sqlite3` inserting one row, same pragmas", theirs, 1.6)


def take_over():
    count = 10000 // SCALE
    fresh = MAKE.ledger(f"{FOLDER}/fresh.db", {"taxi": 0}, FOLDER)
    full = MAKE.ledger(f"{FOLDER}/full.db", {"taxi": count}, FOLDER)
    # The same rows into the same tables with the same constraints and indexes; the triggers are left out there.
    database = sqlite3.connect(full)
    tables = ["event_row", "release_row", "note_row"]
    schema = [sql for (sql,) in database.execute(
        "SELECT sql FROM sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL AND tbl_name IN"
        " ('event_row', 'app_row', 'release_row', 'note_row') ORDER BY type DESC, name")]
    apps = list(database.execute("SELECT * FROM app_row"))
    for table in tables:
        subprocess.run(["sqlite3", full, ".mode csv", f".output {FOLDER}/{table}.csv", f"SELECT * FROM {table}"],
                       check=True)
    database.close()
    empty = f"{FOLDER}/empty.db"
    target = sqlite3.connect(empty)
    for sql in schema:
        target.execute(sql)
    # NULL cannot be said in CSV: what is missing comes in as an empty text, which the checks of these columns refuse.
    target.executemany(f"INSERT INTO app_row VALUES ({','.join('?' * len(apps[0]))})", apps)
    target.commit()
    target.close()
    statements = f"{FOLDER}/import.sql"
    with open(statements, "w") as file:
        file.write(f"{PRAGMAS}\nBEGIN;\n")
        for table in tables:
            names = [name for (_, name, *_) in sqlite3.connect(full).execute(f"PRAGMA table_info({table})")]
            file.write(f"CREATE TEMP TABLE raw_{table} ({', '.join(names)});\n")
            file.write(f".import --csv --schema temp {FOLDER}/{table}.csv raw_{table}\n")
            file.write(f"INSERT INTO {table} SELECT {', '.join(f'nullif({name}, char())' for name in names)}"
                       f" FROM raw_{table};\n")
        file.write("COMMIT;\n")
    ledger, copied = f"{FOLDER}/take.db", f"{FOLDER}/taken.db"
    past = f"{FOLDER}/past-{count}.csv"
    ours, theirs = in_turn([
        Run([PAWL, "import", "taxi", past, "--yes", "--ledger", ledger], before=copy(fresh, ledger)),
        Run(["sqlite3", copied], stdin=statements, before=copy(empty, copied)),
    ], TIMES)
    found = sqlite3.connect(copied).execute("SELECT count(*) FROM release_row").fetchone()[0]
    if found != count:
        raise SystemExit(f"the reference took over {found} of {count} releases")
    row(f"`import` of {count:,} releases", ours, "`sqlite3` `.import` into the same tables", theirs, 2)


def check_stdin():
    ledger = MAKE.ledger(f"{FOLDER}/stdin.db", {"taxi": 300}, FOLDER)
    MAKE.rules(ledger, "taxi", 300)
    count = 1000000 // SCALE
    asked = lines(f"{FOLDER}/lines", count)
    # Into a file: what this process holds would count as its children's memory (getrusage(2) goes on over execve(2)).
    answers = f"{FOLDER}/answers"
    with open(asked, "rb") as source, open(answers, "wb") as target:
        subprocess.run([PAWL, "check", "taxi", "--stdin", "--ledger", ledger], stdin=source, stdout=target, check=True)
    length = max(1, os.path.getsize(answers) // count - 1)
    os.remove(answers)
    ours, theirs = in_turn([
        Run([PAWL, "check", "taxi", "--stdin", "--ledger", ledger], stdin=asked),
        Run(["awk", f'BEGIN {{ line = sprintf("%{length}s", "") }} {{ print line }}'], stdin=asked),
    ], TIMES)
    row(f"`check --stdin`, {count:,} lines, 300 rules", ours, "awk printing lines as long", theirs, 2.5)


def export():
    apps = 1000 // SCALE
    ledger = MAKE.ledger(f"{FOLDER}/export.db", {f"app{number}": 98 for number in range(apps)}, FOLDER)
    tree, other = f"{FOLDER}/tree", f"{FOLDER}/copy"

    def clear(path):
        def body():
            shutil.rmtree(path, ignore_errors=True)
            os.sync()
        return body

    first = Run([PAWL, "export", tree, "--format", "v1", "--ledger", ledger], before=clear(tree))
    copied = Run(["cp", "-r", tree, other], before=clear(other))
    in_turn([first, copied], 3)
    files = apps * 100
    row(f"first `export`, {files:,} files", first, "`cp -r` of the finished tree", copied, 3, comment=THREE)
    again, = in_turn([Run(first.words)], TIMES)
    row(f"`export`, nothing to do, {files:,} files", again, "the first export", first, 0.02)
    shutil.rmtree(tree)
    shutil.rmtree(other, ignore_errors=True)


DKIMPY = """
import sys
import dkim
key = open(sys.argv[1], "rb").read().strip()
mail = open(sys.argv[2], "rb").read().split(b"\\0")
good = sum(dkim.verify(one, dnsfunc=lambda name, timeout=5: key) for one in mail if one)
sys.exit(0 if good == int(sys.argv[3]) else 3)
"""


def mails():
    try:
        import dkim  # noqa: F401
    except ImportError:
        print("ingest mail: skipped, python3-dkim is not here ('apt-get install python3-dkim')")
        return
    count = 10000 // SCALE
    keys, folder = f"{FOLDER}/keys", f"{FOLDER}/mails"
    os.mkdir(keys)
    os.mkdir(folder)
    writer = [sys.executable, f"{ROOT}/Tests/shell/mails.py"]
    subprocess.run([*writer, "key", keys], check=True)
    fresh = MAKE.ledger(f"{FOLDER}/mail.db", {"taxi": 0}, FOLDER)
    MAKE.run(fresh, "trust", "dkim", "email.apple.com", "test", "--key", f"{keys}/key.txt")
    MAKE.run(fresh, "trust", "recipient", "release@example.com")
    for number in range(50):
        MAKE.run(fresh, "publish", "taxi", f"9.0.{number}", "--yes")
    now, states = int(time.time()), ("waiting", "in-review", "rejected")
    asked = "".join(f"1000 9.0.{n % 50} {states[n // 50 % 3]} {now - 2 * count + n}\n" for n in range(count))
    subprocess.run([*writer, "maildir", keys, folder], input=asked.encode(), check=True, stdout=subprocess.DEVNULL)
    files = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]
    joined = f"{FOLDER}/all-mails"
    with open(joined, "wb") as out:
        for name in files:
            with open(name, "rb") as file:
                out.write(file.read().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") + b"\0")
    ledger = f"{FOLDER}/ingest.db"
    ours, theirs = in_turn([
        Run([PAWL, "ingest", "mail", "--maildir", folder, "--ledger", ledger], before=copy(fresh, ledger)),
        Run([sys.executable, "-c", DKIMPY, f"{keys}/key.txt", joined, str(len(files))]),
    ], 3)
    applied = sqlite3.connect(ledger).execute("SELECT count(*) FROM event WHERE kind = 'release.mark'").fetchone()[0]
    if applied != count:
        raise SystemExit(f"{applied} of {count} mails moved a release")
    row(f"`ingest mail`, {len(files):,} signed mails", ours, "python3-dkim verifying the same", theirs, 0.15,
        comment=THREE)


def plans():
    """Applying one plan among many: that it was not applied before is a look at an index, however many there are."""
    many = max(100, 1000 // SCALE)
    runs = []
    for count in (10, many):
        path, file = MAKE.ledger(f"{FOLDER}/plans-{count}.db", {"taxi": 10}, FOLDER), f"{FOLDER}/{count}.plan"
        for number in range(count):
            MAKE.plan(path, file, "setting", "taxi", "map", str(number))
            MAKE.run(path, "plan", "apply", file, "--yes")

        def before(path=path, file=file, numbers=iter(range(100000, 200000))):
            MAKE.plan(path, file, "setting", "taxi", "map", str(next(numbers)))

        runs.append(Run([PAWL, "plan", "apply", file, "--yes", "--ledger", path], before=before))
    theirs, ours = in_turn(runs, MANY)
    row(f"`plan apply`, {many:,} plans applied before", ours, "the same, 10 plans applied before", theirs, 1.2)


def previews():
    """A preview among many versions and many moments."""
    versions, rules = 1000 // SCALE, 1000 // SCALE
    ledger = MAKE.ledger(f"{FOLDER}/preview.db", {"taxi": versions}, FOLDER)
    MAKE.timed_rules(ledger, "taxi", rules)
    ours, = in_turn([Run([PAWL, "remind", "taxi", "below:1.0.9", "--dry-run", "--yes", "--ledger", ledger])], TIMES)
    alone(f"preview, {versions:,} versions × {rules:,} timed rules", ours, 0.5)


def stopping():
    """The emergency switch, of the app that has as many timed rules as may be and of another."""
    # An app may have 20,000 tiles; a rule for one version and an hour makes two.
    count = 9_700 // SCALE
    runs = []
    for rules in (1, count):
        path = MAKE.ledger(f"{FOLDER}/stop-{rules}.db", {"taxi": 300, "van": 10}, FOLDER)
        MAKE.timed_rules(path, "taxi", rules)
        for slug in ("taxi", "van"):
            def before(path=path, slug=slug):
                MAKE.run(path, "resume", slug, "--yes")
            runs.append(Run([PAWL, "stop", slug, "--ledger", path], before=before))
    small, small_other, own, other = in_turn(runs, TIMES)
    row(f"`stop` of another app, {count:,} timed rules", other, "the same, one rule", small_other, 2)
    row(f"`stop` of the app with {count:,} timed rules", own, "the same, one rule", small, 4)


def agreement():
    """A change among releases under way and rules to come, where every change is judged by what may come."""
    free = MAKE.ledger(f"{FOLDER}/free.db", {"taxi": 300}, FOLDER)
    MAKE.timed_rules(free, "taxi", 100)
    for number in range(50):
        MAKE.run(free, "publish", "taxi", f"2.0.{number}", "--yes")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{FOLDER}/key"], check=True)
    with open(f"{FOLDER}/key.pub") as key:
        MAKE.run(free, "trust", "signer", "ada", key.read().strip())
    bound = f"{FOLDER}/bound.db"
    copy(free, bound)()
    MAKE.run(bound, "trust", "approvals", "1", "--yes")
    for name, words in (("a change", ["lift", "taxi", "50", "--dry-run"]), ("`verify`", ["verify"]),
                        ("`stop`", ["stop", "taxi", "--dry-run"])):
        theirs, ours = in_turn([Run([PAWL, *words, "--ledger", path]) for path in (free, bound)], TIMES)
        row(f"{name} under approvals, 50 releases under way, 100 timed rules", ours, "the same without approvals", theirs,
            "≤ 5 × or 150 ms", ours.median <= max(0.15, 5 * theirs.median),
            comment="an app may have 50 releases under way" if name == "a change" else "")


def crowded():
    """What looks at all apps, and stops them."""
    apps = 1000 // SCALE
    size = f"{apps:,} apps × 300 releases"
    ledger = MAKE.ledger(f"{FOLDER}/apps.db", {f"app{number}": 300 for number in range(apps)}, FOLDER)
    words = ["status", "due", "doctor"]
    theirs, *ours = in_turn([Run(["cat", ledger]), *(Run([PAWL, one, "--ledger", ledger]) for one in words)], TIMES)
    for one, run in zip(words, ours):
        row(f"`{one}`, {size}", run, "`cat` of the ledger", theirs, 5)
    ours, = in_turn([Run([PAWL, "report", f"{FOLDER}/site", "--ledger", ledger])], 3)
    alone(f"`report`, {size}", ours, 8, f"the first of three, which makes every page, takes {shown(ours.seconds[0])}")
    tree = f"{FOLDER}/documents"
    MAKE.run(ledger, "init", "--export", tree)
    ours, theirs = in_turn([Run([PAWL, "stop", "--all", "--ledger", ledger]), Run(["cp", "-r", tree, f"{tree}-copy"])], 1)
    row(f"`stop --all`, {size}, with documents", ours, "`cp -r` of the documents, which all change", theirs, 1.5,
        comment="measured once")
    shutil.rmtree(tree)
    shutil.rmtree(f"{tree}-copy")


def crowd():
    """Sixteen programs that change the ledger at once, and sixteen that insert; each change is a process of its own."""
    changes, rounds, numbers = 5 if options.quick else 40, 3, iter(range(100000))
    ledger, words = MAKE.ledger(f"{FOLDER}/crowd.db", {f"app{one}": 0 for one in range(16)}, FOLDER), insertion()
    sides = [[Run(lambda one=one: [PAWL, "app", "set", f"app{one}", "--name", str(next(numbers)), "--ledger", ledger])
              for one in range(16)], [Run(words) for _ in range(16)]]
    seconds = [[at_once(side, changes) for side in sides] for _ in range(rounds)]
    figures = []
    for taken, side in zip(zip(*seconds), sides):
        waited = sorted(one for run in side for one in run.seconds)
        spent = statistics.median(one for run in side for one in run.processor)
        figures.append((16 * changes / statistics.median(taken), waited[int(len(waited) * 0.99)], spent))
    (rate, slow, _), (their_rate, their_slow, _) = figures
    ratio, slower = their_rate / rate, slow / their_slow
    ours, theirs = [f"{rate:.0f}/s, p99 {shown(slow)} | {shown(spent)}" for rate, slow, spent in figures]
    add("sixteen writers, durable", ours, "sixteen `sqlite3` inserting one row, same pragmas", theirs,
        f"{ratio:.2f} ×, p99 {slower:.2f} ×", "≤ 1.5 ×, p99 too", max(ratio, slower) <= 1.5,
        max(run.kilobytes for run in sides[0]))


def million():
    """What reads a million events, what looks for the newest of them, and what stops their apps."""
    apps, fresh, ledger = 1000 // SCALE, f"{FOLDER}/fresh-million.db", f"{FOLDER}/million.db"
    MAKE.ledger(fresh, {f"app{number}": 1000 for number in range(apps)}, FOLDER)
    copy(fresh, ledger)()
    events = sqlite3.connect(ledger).execute("SELECT count(*) FROM event").fetchone()[0]
    ours, theirs = in_turn([Run([PAWL, "verify", "--ledger", ledger]),
                            Run(["sqlite3", ledger, "PRAGMA integrity_check"])], 3)
    row(f"`verify`, {events:,} events", ours, "`sqlite3` `PRAGMA integrity_check` of the same file", theirs, 0.67, most=100,
        comment=f"{THREE}; 0.67 × the time is 1.5 × the rate")
    ours, theirs = in_turn([
        Run([PAWL, "deliver", "late", "--since-event", str(events - 10), "--ledger", ledger, "--", "true"],
            before=lambda: shutil.rmtree(f"{ledger}-deliver", ignore_errors=True)),
        Run([PAWL, "history", "--limit", "1", "--ledger", ledger])], 3)
    row(f"`deliver --since-event`, 10 before {events:,}", ours, "`history --limit 1`", theirs, "≤ 1 s", ours.median <= 1)
    ours, = in_turn([Run([PAWL, "stop", "--all", "--ledger", ledger], before=copy(fresh, ledger))], 3)
    alone(f"`stop --all`, {apps:,} apps, {events:,} events, no documents", ours, 2)
    os.remove(fresh)
    os.remove(ledger)


PLACE = "127.0.0.1:15498"


def mirrors():
    """A backend's own database: what its answers cost, and its upkeep, and how soon a stop is there."""
    if missing := [tool for tool in ("psql", "mysqlslap", "redis-benchmark", "nginx", "ab") if not shutil.which(tool)]:
        print(f"mirrors: skipped, {missing[0]} is not here ('Tests/run.sh --only packages')")
        return
    start = '. Tests/shell/lib.sh; . Tests/shell/databases.sh; echo "$databases"; read -r; stop_databases'
    server = subprocess.Popen(["bash", "-c", f"PAWL='{PAWL}'; {start}"], cwd=ROOT, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    place = server.stdout.readline().strip()
    clients = {
        "postgresql": ["psql", "-h", f"{place}/pg", "-p", "15499", "-U", "pawl", "-qXAt"],
        "mysql": ["mysql", "--no-defaults", "-u", "root", "-S", f"{place}/my/socket", "-N", "-B", "pawl"],
        "redis": ["redis-cli", "-s", f"{place}/redis/socket"], "sqlite": ["sqlite3", f"{FOLDER}/mirror.db"]}
    try:
        logins(clients)
        upkeep(clients)
    finally:
        server.communicate("\n")


def tables(kind, client):
    """Makes the tables of a mirror that is empty."""
    schema = subprocess.run([PAWL, "sync", "app", "--as", kind, "--schema"], capture_output=True, check=True).stdout
    clear = {"postgresql": b"DROP SCHEMA IF EXISTS pawl CASCADE;\n", "redis": b"FLUSHALL\nFUNCTION FLUSH\n",
             "mysql": b"DROP DATABASE pawl; CREATE DATABASE pawl; USE pawl;\n"}.get(kind, b"")
    subprocess.run(client, input=clear + schema, capture_output=True, check=True)
    return schema.decode()


def logins(clients):
    """Answers a second at a login, by four clients at once where nothing else is said."""
    ledger = MAKE.ledger(f"{FOLDER}/login.db", {"taxi": 300}, FOLDER)
    for number in range(8):
        MAKE.run(ledger, "remind", "taxi", f"1.2.{number}", "--from", f"{number + 1}d", "--until", f"{number + 9}d", "--yes")
    schemas = {}
    for kind, client in clients.items():
        schemas[kind] = tables(kind, client)
        words = [PAWL, "sync", kind, "--as", kind, "--ledger", ledger, "--", *client]
        subprocess.run(words, capture_output=True, check=True)
    # What the function finds its row by, for a client that makes the key.
    clock = "floor(extract(epoch FROM clock_timestamp()))::bigint"
    plain = f"""SELECT a.* FROM pawl.answer a WHERE a.app = 'taxi' AND a.lo <= :key AND :key < a.hi
      AND a.generation = (SELECT p.generation FROM pawl.app p WHERE p.app = 'taxi')
      AND a.valid_from <= {clock} AND {clock} < a.valid_until ORDER BY a.lo DESC LIMIT 1;"""
    ask, words = query_of(schemas["sqlite"]), asked_of("taxi")
    key = "000000001000000002000000003000000000"
    bench = [glob.glob("/usr/lib/postgresql/*/bin/pgbench")[-1], *clients["postgresql"][1:-1], "-n", "-M", "prepared", "-c", "4",
             "-j", "2", "-T", "1", "-D", "version=1.2.3", "-D", f"key={key}", "pawl", "-f"]
    asked = {}
    for name, query in {"PostgreSQL's `SELECT 1`": "SELECT 1;", "the query of a mirror in PostgreSQL": plain,
                        "`pawl.ask` of a mirror in PostgreSQL": "SELECT * FROM pawl.ask('taxi', :version, os => '16.1', locale => 'en');"}.items():
        file = script(f"{len(asked)}.sql", " ".join(query.split()) + "\n")
        asked[name] = lambda file=file: found(r"tps = ([0-9.]+)", [*bench, file])
    asked["`pawl_ask` of a mirror in MariaDB"] = lambda: 20000 / found(r"run all queries: ([0-9.]+)", [
        "mysqlslap", *clients["mysql"][1:6], "--create-schema=pawl", "--concurrency=4", "--number-of-queries=20000",
        "--query=CALL pawl_ask('taxi', '1.2.3', NULL, '16.1', 'en', NULL)"])
    asked["`pawl_ask` of a mirror in Redis"] = lambda: found(r"([0-9.]+) requests per second", [
        "redis-benchmark", *clients["redis"][1:], "-q", "-c", "4", "-n", "50000", "FCALL_RO", "pawl_ask", "3",
        *(f"pawl:{{taxi}}:{part}" for part in ("head", "answers", "notes")), "1.2.3", "", "16.1", "en"])
    for name, base, query in (
        ("the query of a mirror in SQLite, one reader", clients["sqlite"][1], ask),
        ("the same query, the ledger's own file, no mirror", ledger, ask),
        ("`client_decision`, one reader, no mirror", ledger,
         "SELECT * FROM client_decision WHERE app = :app AND version = :version")):
        asked[name] = lambda base=base, query=query: read(base, query, words)
    MAKE.run(ledger, "export", f"{FOLDER}/logins", "--format", "v1")
    with open(f"{ROOT}/docs/nginx.conf") as page:
        served = page.read().replace("listen 8080", f"listen {PLACE}").replace("/srv/documents", f"{FOLDER}/logins")
    server = script("nginx.conf", f"user root root;\npid {FOLDER}/pid;\nevents {{}}\nhttp {{\naccess_log off;\n{served}}}\n")
    web = subprocess.Popen(["nginx", "-e", f"{FOLDER}/nginx.log", "-c", server, "-g", "daemon off;"])
    asked["a file by nginx, no mirror"] = lambda: found(r"Requests per second: +([0-9.]+)", [
        "ab", "-q", "-k", "-c", "4", "-t", "1", "-n", "1000000", f"http://{PLACE}/v1/taxi/1.2.3.json"])
    rates = {name: [] for name in asked}
    try:
        for _ in range(3 if options.quick else 21):
            for name, rate in asked.items():
                rates[name].append(rate())
    finally:
        web.terminate()
        web.wait()
    one, *others = ((name, statistics.median(found)) for name, found in rates.items())
    for (name, rate), target in zip(others, (0.45, 0.38, 0, 0, 0, 0, 0, 0)):
        ratio = rate / one[1]
        add(f"answers: {name}", f"{rate:,.0f}/s | –", one[0], f"{one[1]:,.0f}/s | –", f"{ratio:.2f} ×",
            f"≥ {target} ×" if target else "–", ratio >= target)


def query_of(schema):
    """What a client asks a file in SQLite, from the comments of its schema."""
    return "\n".join(line[8:] for line in schema.splitlines() if line.startswith("-- ask: "))


def asked_of(app):
    return {"app": app, "version": "1.2.3", "at": None, "os": "16.1", "locale": "en", "tag": None}


def among_many():
    """A question to the ledger's own file takes no longer because of other apps."""
    words = [PAWL, "sync", "x", "--as", "sqlite", "--schema"]
    query = query_of(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    sizes = (5, max(50, 500 // SCALE))
    ledgers = [MAKE.ledger(f"{FOLDER}/among{apps}.db", {f"app{one}": 20 for one in range(apps)}, FOLDER) for apps in sizes]
    rates = [[read(ledger, query, asked_of("app3")) for ledger in ledgers] for _ in range(3 if options.quick else 11)]
    few, many = map(statistics.median, zip(*rates))
    add(f"answers: the query in the ledger's own file, {sizes[1]} apps", f"{many:,.0f}/s | –", "the same, 5 apps",
        f"{few:,.0f}/s | –", f"{many / few:.2f} ×", "≥ 0.7 ×", many / few >= 0.7)


def read(base, query, words):
    """How often a second one reader of a file gets a row."""
    count, database, end = 0, sqlite3.connect(f"file:{base}?mode=ro", uri=True), time.perf_counter() + 1
    while time.perf_counter() < end:
        database.execute(query, words).fetchone()
        count += 1
    database.close()
    return count


def script(name, text):
    """A file with a text; its path."""
    with open(f"{FOLDER}/{name}", "w") as file:
        file.write(text)
    return file.name


def found(pattern, words):
    """The number in what a program prints."""
    return float(re.search(pattern, subprocess.run(words, capture_output=True, text=True, check=True).stdout)[1])


def upkeep(clients):
    """What 'sync' takes, and a stop: the time from its return, by the command line of the units."""
    apps = 1000 // SCALE
    ledger = MAKE.ledger(f"{FOLDER}/upkeep.db", {f"app{number}": 10 for number in range(apps)}, FOLDER)
    tree = f"{FOLDER}/upkeep"
    numbers = iter(range(1, 1000))

    def change():
        MAKE.run(ledger, "setting", "app7", "map", str(next(numbers)))

    def stop(words):
        def before():
            MAKE.run(ledger, "resume", "app7", "--yes")
            subprocess.run(words, capture_output=True, check=True)
            MAKE.run(ledger, "stop", "app7")
        return Run(words, before=before)

    export = [PAWL, "export", tree, "--format", "v1", "--ledger", ledger]
    subprocess.run(export, capture_output=True, check=True)
    stops = {"the file that is served": stop(export)}
    for kind, name in (("postgresql", "PostgreSQL"), ("redis", "Redis")):
        words = [PAWL, "sync", kind, "--as", kind, "--ledger", ledger, "--", *clients[kind]]
        first = Run(words, before=lambda: tables(kind, clients[kind]))
        in_turn([first], 3)
        one, nothing = in_turn([Run(words, before=change), Run(words)], TIMES)
        alone(f"mirror in {name}, first load of {apps:,} apps", first)
        alone(f"mirror in {name}, one app of them changed", one)
        alone(f"mirror in {name}, nothing to do", nothing, 0.3)
        stops[name] = stop(words)
    in_turn(list(stops.values()), TIMES)
    for name, run in stops.items():
        alone(f"`stop` to its row in {name} (mirror)", run, 0.5)


def binary():
    stripped = f"{FOLDER}/stripped"
    subprocess.run(["strip", "-o", stripped, PAWL], check=True)
    size = os.path.getsize(stripped) / 1024 / 1024
    add("binary, stripped", f"{size:.1f} MB | –", "–", "– | –", "–", "≤ 16 MB", size <= 16)


def past():
    """Past and struck-out releases, which no client is sent to: what they cost grows with their number, and no faster."""
    imports, verifies = [], []
    for count in (2000 // SCALE, 20000 // SCALE):
        fresh, path = f"{FOLDER}/line-{count}.db", f"{FOLDER}/past-{count}.db"
        MAKE.ledger(fresh, {"taxi": 0}, FOLDER)
        MAKE.run(fresh, "publish", "taxi", "900.0.0", "--yes")
        MAKE.run(fresh, "mark", "taxi", "900.0.0", "live", "--yes")
        file = MAKE.past(f"{FOLDER}/before-{count}.csv", count)
        imports.append(Run([PAWL, "import", "taxi", file, "--past", "--yes", "--ledger", path], before=copy(fresh, path)))
        verifies.append(Run([PAWL, "verify", "--ledger", path]))
    in_turn(imports, 3)
    in_turn(verifies, 3)
    many = f"{20000 // SCALE:,}"
    row(f"`import --past` of {many} releases", imports[1], "the same of a tenth", imports[0], 12, most=100, comment=THREE)
    row(f"`verify`, {many} past releases", verifies[1], "the same, a tenth", verifies[0], 12, most=100, comment=THREE)
    publishes, verifies = [], []
    for count in (1000 // SCALE, 2000 // SCALE):
        path = MAKE.ledger(f"{FOLDER}/void-{count}.db", {"taxi": 100}, FOLDER)
        for number in range(count):
            MAKE.run(path, "publish", "taxi", f"800.0.{number}", "--yes")
            MAKE.run(path, "void", "taxi", f"800.0.{number}", "--reason", "a typo")
        publishes.append(Run(lambda path=path, number=iter(range(1000)): [
            PAWL, "publish", "taxi", f"900.0.{next(number)}", "--yes", "--ledger", path]))
        verifies.append(Run([PAWL, "verify", "--ledger", path]))
    # At most 50 releases may be under way.
    in_turn(publishes, min(TIMES, 11))
    in_turn(verifies, 3)
    many = f"{2000 // SCALE:,}"
    row(f"`publish`, {many} struck-out releases", publishes[1], "the same, half as many", publishes[0], 2)
    row(f"`verify`, {many} struck-out releases", verifies[1], "the same, half as many", verifies[0], 2.3, comment=THREE)


def grown():
    commands = {
        "check": lambda n: ["check", "taxi", "1.0.5"],
        "publish": lambda n: ["publish", "taxi", f"900.0.{n}", "--yes"],
        # To and fro, so that each is a change.
        "mark": lambda n: ["mark", "taxi", "800.0.0", ["waiting", "rejected"][n % 2]],
        "verify": lambda n: ["verify"],
    }
    # What is verified grows with the events, and no faster; a change reads its app whole.
    targets = {"check": 1.3, "publish": "–", "mark": "–", "verify": SIZES[-1] // SIZES[0]}
    # Own: releases of the app that is asked. Others: releases, and so events, of other apps.
    for axis in ("own releases", "events of other apps"):
        # Of each size a ledger, so that all are measured in turn.
        runs = {name: [] for name in commands}
        for size in SIZES:
            own = size if axis == "own releases" else 100
            apps = {"taxi": own}
            if axis != "own releases":
                apps |= {f"other{number}": min(size, 10000) for number in range(max(1, size // 10000))}
            path = MAKE.ledger(f"{FOLDER}/grown-{size}.db", apps, FOLDER)
            MAKE.run(path, "publish", "taxi", "800.0.0", "--yes")
            for name, words in commands.items():
                runs[name].append(Run(lambda words=words, path=path, number=iter(range(1, 1000)): [
                    PAWL, *words(next(number)), "--ledger", path]))
        # 'mark' goes to and fro from 'rejected' only as long as nothing newer was live: what is published stays prepared.
        for name in ("check", "mark", "publish", "verify"):
            in_turn(runs[name], 3 if name == "verify" else TIMES)
        for size in SIZES:
            os.remove(f"{FOLDER}/grown-{size}.db")
        for name, found in runs.items():
            exponent = math.log(found[-1].median / found[0].median) / math.log(SIZES[-1] / SIZES[0])
            growth.append((name, axis, *[shown(one.median) for one in found], f"{exponent:.2f}"))
            print(f"growth of {name:8} in {axis:21}: {'  '.join(growth[-1][2:-1])}  exponent {exponent:.2f}", flush=True)
            if axis == "own releases":
                if name in ("publish", "mark"):
                    row(f"`{name}`, {SIZES[1]:,} own releases", found[1], f"itself at {SIZES[0]}", found[0], 1.6)
                row(f"`{name}`, {SIZES[-1]:,} own releases", found[-1], f"itself at {SIZES[0]}", found[0], targets[name])


def machine():
    cpu = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as file:
            cpu = next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    version = subprocess.run(["sqlite3", "--version"], capture_output=True).stdout.decode().split()[0]
    return f"{cpu}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, sqlite3 {version}"


# Rows whose target is known to be missed; that another one is, is a fault.
MISSED = ("`check`, one process", "`--help`", "first `export`", "`status`", "`doctor`", "`import --past`",
          "`publish`, durable", "`publish`, 2,000 own", "`mark`, 2,000 own", "`check --stdin`", "`ingest mail`",
          "`import`", "`export`, nothing", "`stop` of the app", "`stop --all`, 1,000 apps ×",
          "`stop --all`, 1,000 apps, ", "`report`", "`deliver", "a change under approvals", "sixteen writers",
          "answers: ", "`verify`")


def took(start):
    return next(row[1].split(" |")[0] for row in rows if row[0].startswith(start))


def write(missed):
    judged = sum(row[6] != "–" for row in rows)
    page = ["# Performance", "",
            f"A check takes {took('`check`, one')}, a change {took('`publish`, durable')} and stopping an app "
            f"{took('`stop` of another')}; with 20,000 releases,",
            f"a check takes {took('`check`, 20')} and a change, which reads its app whole, {took('`publish`, 20')}. A million checks by one program take "
            f"{took('`check --stdin`')},", f"stopping 1,000 apps {took('`stop --all`, 1,000 apps, ')}. Of {judged} targets, "
            f"{judged - len(missed)} are met.", "",
            "Measured by `Tests/bench.sh`, which writes this page: medians of 11 runs and more, in turn with the reference",
            "in the same minutes, so that both meet the same machine. A ratio says more than a time: machines differ, and",
            "so do their hours.", "", f"Machine: {machine()}.", "",
            "| what | pawl | processor | reference | takes | processor | ratio | target | | memory |",
            "|---|---|---|---|---|---|---|---|---|---|"]
    page += [f"| {' | '.join(row[:-1])} |" for row in rows]
    comments = sorted({f"{row[0]}: {row[-1]}." for row in rows if row[-1]})
    page += ["", "Memory is the most that was resident at once; the target is 64 MB where nothing else is said."] + comments
    page += ["", "## Growth", "",
             "The exponent is that of the power law through the first and the last column: 0 is flat, 1 is linear.", "",
             "| command | grows | " + " | ".join(f"{size:,}" for size in SIZES) + " | exponent |",
             "|---|---|" + "---|" * (len(SIZES) + 1)]
    page += ["| " + " | ".join([f"`{line[0]}`", *line[1:]]) + " |" for line in growth]
    return "\n".join(page) + "\n"


MEASURES = {"check, help": start_up, "publish": publish, "import": take_over, "check --stdin": check_stdin, "export": export,
            "ingest mail": mails, "plan apply": plans, "preview": previews, "stop of an app": stopping,
            "approvals": agreement, "status, due, doctor, report, stop --all with documents": crowded, "writers": crowd,
            "verify, deliver, stop --all of a million events": million, "answers of mirrors": mirrors,
            "answers among many apps": among_many, "binary": binary, "past and struck-out releases": past,
            "growth": grown}

try:
    for names, measure in MEASURES.items():
        if options.only in names:
            start = time.perf_counter()
            measure()
            print(f"  ({names}: {time.perf_counter() - start:.0f} s in all)")
    missed = [row[0] for row in rows if row[6] == "missed"]
    if not (options.quick or options.only) and (idle := [start for start in MISSED if not any(name.startswith(start) for name in missed)]):
        print(f"not missed, so MISSED could do without: {'; '.join(idle)}")
    if not (options.quick or options.no_write or options.only):
        with open(f"{ROOT}/docs/design/performance.md", "w") as file:
            file.write(write(missed))
    if not options.quick and (new := [name for name in missed if not name.startswith(MISSED)]):
        raise SystemExit(f"missed, and not known to be (MISSED): {'; '.join(new)}")
finally:
    shutil.rmtree(FOLDER, ignore_errors=True)
