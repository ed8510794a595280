"""Holds mirrors against 'pawl check', and against everything that goes wrong with them.

    mirrors.py questions KIND PAWL COUNT    asks a mirror of a random ledger so many questions
    mirrors.py fences KIND PAWL             repeats, loses, delays, forks and alters; then asks what is told
    mirrors.py texts KIND PAWL COUNT        sends hostile texts through so many settings of server and client
    mirrors.py readers KIND PAWL SECONDS    reads beside changes, while runs are killed
    mirrors.py clock KIND PAWL SECONDS      asks by the database's own clock, while nothing of pawl runs

The databases are those of the environment: MIRROR_FOLDER, and the programs that reach them.
"""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
from random_ledger import random_ledger  # noqa: E402

FOLDER, KIND, PAWL = os.environ["MIRROR_FOLDER"], sys.argv[2], sys.argv[3]
TOLD = ["action", "review", "target", "target_app", "min_os", "url", "notes", "remind_every", "settings", "tiers"]
NAMES = {"target_app": "targetApp", "min_os": "minOS", "remind_every": "remindEvery"}
HOSTILE = [
    "it's", "\\'); DROP TABLE pawl_app; --", '"; DROP TABLE pawl.app; --', "$$ $body$ %s %% ?", "表示ソ能 ¥ \\", "🚕 été", "a\tb\nc\n",
    "\\x41 \\u0041 \\101", "' OR ''='", "; --", "/* */ #", "NULL", "-", "\u2028 \ufeff", "'" * 9, "\\" * 9, "{\"a\":[1,'2']}",
]


def expect(is_so, what):
    if not is_so:
        raise SystemExit(f"{KIND}: {what}")


def run(*words, given=None, status=0, env=None):
    done = subprocess.run([PAWL, *words], input=given, capture_output=True, env=env)
    expect(done.returncode == status if status is not None else done.returncode >= 0, f"{' '.join(words)}: {done.returncode}\n{done.stderr.decode()}")
    return done


class Mirror:
    """A database, its command, and how it is asked and spoilt."""

    prefix, environment = "pawl_", {}

    def do(self, script):
        return subprocess.run(
            self.command, input=script.encode(), capture_output=True, env={**os.environ, **self.environment}).stdout.decode()

    def make(self):
        self.clear()
        self.do(run("sync", "test", "--as", KIND, "--schema").stdout.decode())

    def set_head(self, app, column, value):
        self.do(f"UPDATE {self.prefix}app SET {column} = {value!r} WHERE app = '{app}';")

    def alter(self, app):
        self.do(f"UPDATE {self.prefix}answer SET tag = '0123456789abcdef' WHERE app = '{app}' AND valid_from > 0;")

    def set_format(self, version):
        self.do(f"UPDATE {self.prefix}format SET version = {version};")

    def add_orphan(self, app):
        self.do(f"INSERT INTO {self.prefix}note (app, generation, target_app, version, notes) VALUES ('{app}', 999999, 'x', '1', '');")

    def has_orphan(self, app):
        return "999999" in self.do(f"SELECT generation FROM {self.prefix}note WHERE app = '{app}';")

    def lose(self, app):
        self.do(f"DELETE FROM {self.prefix}answer WHERE app = '{app}';")


class PostgreSQL(Mirror):
    prefix = "pawl."
    command = ["psql", "-h", f"{FOLDER}/pg", "-p", os.environ.get("MIRROR_PORT", "5432"), "-U", "pawl", "-qXAt", "pawl"]

    def clear(self):
        self.do("SET client_min_messages = error; DROP SCHEMA IF EXISTS pawl CASCADE;")

    def back_up(self):
        subprocess.run(["pg_dump", *self.command[1:7], "-Fc", "-n", "pawl", "-f", "backup", "pawl"], check=True)

    def restore(self):
        subprocess.run(["pg_restore", *self.command[1:7], "--clean", "-d", "pawl", "backup"], check=True)

    def ask(self, questions):
        script = "".join(
            f"SELECT coalesce((SELECT row_to_json(x)::text FROM pawl.ask('{app}', '{version}'{'' if at is None else f', {at}'}) x), 'null');\n"
            for app, version, at in questions)
        return [json.loads(line) for line in self.do(script).split("\n") if line]


class MySQL(Mirror):
    command = ["mysql", "--no-defaults", "-u", "root", "-S", f"{FOLDER}/my/socket", "-N", "-B", "pawl"]

    def clear(self):
        self.do("DROP DATABASE pawl; CREATE DATABASE pawl;")

    def back_up(self):
        subprocess.run(["mysqldump", *self.command[1:6], "--routines", "-r", "backup", "pawl"], check=True)

    def restore(self):
        self.clear()
        with open("backup", encoding="utf-8") as file:
            self.do(file.read())

    def ask(self, questions):
        script = "SET NAMES utf8mb4;\n" + "".join(
            f"SELECT '#'; CALL pawl_ask('{app}', '{version}', {'NULL' if at is None else at});\n" for app, version, at in questions)
        answers = []
        for block in self.do(script).split("#\n")[1:]:
            cells = [self.cell(cell) for cell in block[:-1].split("\t")] if block else None
            names = [*TOLD, "tag", "generation", "valid_until"]
            expect(cells is None or len(cells) == len(names), f"{block!r} is no row")
            answers.append(cells and {name: int(cell) if name in ("review", "generation", "valid_until") else cell for name, cell in zip(names, cells)})
        return answers

    def cell(self, text):
        if text == "NULL":
            return None
        signs = {"n": "\n", "t": "\t", "0": "\0", "\\": "\\"}
        cell, rest = "", iter(text)
        for sign in rest:
            cell += signs[next(rest)] if sign == "\\" else sign
        return cell


class SQLite(Mirror):
    command = ["sqlite3", f"{FOLDER}/{os.getpid()}.db"]

    def clear(self):
        if os.path.exists(self.command[1]):
            os.remove(self.command[1])

    back_up = lambda self: shutil.copy(self.command[1], "backup")
    restore = lambda self: shutil.copy("backup", self.command[1])

    def ask(self, questions):
        base = sqlite3.connect(self.command[1], timeout=10)
        base.row_factory = sqlite3.Row
        answers = []
        for app, version, at in questions:
            key = self.key(version)
            rows = base.execute(
                "SELECT * FROM pawl_ask, (SELECT coalesce(?, strftime('%s', 'now') + 0) AS moment) "
                "WHERE app = ? AND lo <= ? AND ? < hi AND valid_from <= moment AND moment < valid_until", (at, app, key, key)).fetchall()
            expect(len(rows) <= 1, f"{len(rows)} rows for {version}")
            answers.append(dict(rows[0]) if rows else None)
        base.close()
        return answers

    def key(self, version):
        return "".join(f"{int(part):09d}" for part in (version.split(".") + ["0"] * 3)[:4])


class Redis(Mirror):
    command = ["redis-cli", "-s", f"{FOLDER}/redis/socket"]

    def clear(self):
        self.do("FLUSHALL\nFUNCTION FLUSH\n")

    # As a start reads the file that it finds.
    back_up = lambda self: self.do("SAVE\n")
    restore = lambda self: self.do("DEBUG RELOAD NOSAVE\n")

    def keys(self, app):
        return " ".join(f"pawl:{{{app}}}:{part}" for part in ["head", "answers", "notes"])

    def ask(self, questions):
        script = "".join(f"FCALL_RO pawl_ask 3 {self.keys(app)} {version} {'' if at is None else at}\n" for app, version, at in questions)
        done = subprocess.run([*self.command, "-3", "--json"], input=script.encode(), capture_output=True)
        answers = []
        for line in done.stdout.splitlines():
            words = json.loads(line)
            row = dict(zip(words[::2], words[1::2]))
            answers.append({**row, **{name: int(row[name]) for name in ("review", "generation", "valid_until")}} if row else None)
        return answers

    def set_head(self, app, column, value):
        self.do(f"HSET pawl:{{{app}}}:head {column} {value}\n")

    def alter(self, app):
        rows = self.do(f"ZRANGE pawl:{{{app}}}:answers 0 -1\n").splitlines()
        self.do(f'ZREM pawl:{{{app}}}:answers "{rows[0]}"\n' + f'ZADD pawl:{{{app}}}:answers 0 "{rows[0][:-4]}3030"\n')

    lose = lambda self, app: self.do(f"ZREMRANGEBYRANK pawl:{{{app}}}:answers 0 0\n")

    def set_format(self, version):
        library = run("sync", "test", "--as", KIND, "--schema").stdout.decode()
        self.do(library.replace("pawl-mirror 1 ", f"pawl-mirror {version} "))

    def add_orphan(self, app):
        self.do(f"HSET pawl:{{{app}}}:notes 78 00\n")

    def has_orphan(self, app):
        return "78" in self.do(f"HKEYS pawl:{{{app}}}:notes\n").splitlines()


mirror = {"postgresql": PostgreSQL, "mysql": MySQL, "sqlite": SQLite, "redis": Redis}[KIND]()


def sync(*options, status=0, command=None, ledger="pawl.db", env=None):
    """What a run of sync says of each app, and the id of its error."""
    done = run(
        "sync", "test", "--as", KIND, "--json", "--ledger", ledger, *options, "--", *(command or mirror.command), status=status, env=env)
    apps = {app["app"]: app["outcome"] for app in json.loads(done.stdout)["apps"]} if done.stdout else {}
    return apps, json.loads(done.stderr.splitlines()[-1])["error"]["id"] if done.returncode else None, json.loads(done.stdout or "null")


# MARK: - Ledgers

def iso(moment):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


def day(days):
    return iso(time.time() + days * 86_400)


def add(app, number, *versions, **options):
    run("app", "add", app, "--bundle-id", f"com.example.{app}", "--apple-id", str(number), *options.get("words", []))
    past = "".join(f"{version},{day(-40 + place)}\n" for place, version in enumerate(versions))
    run("import", app, "-", "--yes", given=("version,released_at\n" + past).encode())


def asked_of_pawl(app, moment, questions):
    lines = "".join(f"{version} {system or ''}\n" for version, system in questions)
    return [json.loads(line) for line in run("check", app, "--stdin", "--locale", "en", "--at", iso(moment), given=lines.encode()).stdout.splitlines()]


def number(version):
    return [int(part) for part in (version.split(".") + ["0"] * 3)[:4]]


def on(row, system):
    """A row's answer on a system, as a client chooses among its tiers."""
    for tier in json.loads(row["tiers"]):
        if system and number(system) < number(tier["osBelow"]):
            other = {"action": tier["action"], "target": tier["target"], "target_app": tier["targetApp"], "min_os": tier["minOS"], "url": tier["url"]}
            return {**row, **other, "notes": None}
    return row


def hold(app, version, system, moment, row, wanted):
    expect(row is not None, f"{app} {version} at {moment}: no row, not {wanted}")
    told = on(row, system)
    for name in TOLD[:9]:
        have, want = told[name], wanted[NAMES.get(name, name)]
        if name == "review":
            have = have == 1
        if name == "settings":
            have = json.loads(have)
        if name == "notes":
            if told is not row:
                continue
            texts = json.loads(have) if have else {}
            have, want = texts.get("en"), want if texts or want is None else None if want == "" else want
        expect(have == want, f"{app} {version} on {system} at {moment}: {name} is {have!r}, not {want!r}\n{row}\n{wanted}")


def questions(count):
    numbers = random.Random(int(os.environ.get("MIRROR_SEED", "7")))
    _, versions, _ = random_ledger(run, numbers.random())
    # The texts of others, where a text may stand.
    run("publish", "taxi", "100.0", "--note", "en=" + numbers.choice(HOSTILE), "--note", "de=" + numbers.choice(HOSTILE))
    run("mark", "taxi", "100.0", "live", "--yes", status=None)
    for place, text in enumerate(HOSTILE[:6]):
        run("setting", "taxi", f"key{place}", text, "--yes")
    apps = {"taxi": versions, "van": ["9.1", "9.2"]}
    mirror.make()
    outcomes, _, _ = sync()
    expect(set(outcomes.values()) == {"sent"}, f"{outcomes} at first")
    if KIND == "sqlite":
        hold_views()
    run("export", "documents")
    systems = [None, "12", "14.1", "15", "16.0.1", "99"]
    compared = prompts = 0
    batches = []
    for app, known in apps.items():
        with open(f"documents/v1/{app}/schedule.json", "rb") as file:
            schedule = json.load(file)
        named = {row[end] for row in schedule["rows"] for end in ("validFrom", "validUntil")} - {253_402_300_800, schedule["from"]}
        start = max(schedule["from"], int(time.time())) + 1
        moments = [moment + step for moment in sorted(named) for step in (-1, 0, 1) if moment + step >= start] + [start, start + 10**8]
        around = known + ["0", "0.0.0.1", "5.0.1", "7.3.1", "11", "999999999.999999999.999999999.999999999"]
        around += [f"{'.'.join((version.split('.') + ['0', '0'])[:3])}.{last}" for version in known for last in (1, 999999999)]
        batches += [(app, moment, around) for moment in moments]
    each = -(-count // len(batches))
    for app, moment, around in batches:
        asked = [(numbers.choice(around), numbers.choice(systems)) for _ in range(each)]
        rows = mirror.ask([(app, version, moment) for version, _ in asked])
        expect(len(rows) == len(asked), f"{len(rows)} answers to {len(asked)} questions")
        for (version, system), row, wanted in zip(asked, rows, asked_of_pawl(app, moment, asked)):
            hold(app, version, system, moment, row, wanted)
            compared += 1
            prompts += wanted["action"] != "none"
    now = mirror.ask([("taxi", "1.0", None), ("nobody", "1.0", None)])
    expect(now[0] and now[1] is None, "now")
    if KIND != "sqlite":
        bad = ["v1", "1.", "1..2", "01.2", "1.2.3.4.5", "1234567890", "1.2b1"]
        expect(mirror.ask([("taxi", version, None) for version in bad]) == [None] * len(bad), "malformed versions")
    print(f"measured: {compared} answers, {prompts} of them prompts")


def hold_views():
    """Compares the views of the ledger's own file with the mirror."""
    own, copy = sqlite3.connect("pawl.db"), sqlite3.connect(mirror.command[1])
    for table, but in [("app", "file"), ("answer", ""), ("note", "")]:
        columns = [row[1] for row in copy.execute(f"PRAGMA table_info(pawl_{table})")]
        expect(columns == [row[1] for row in own.execute(f"PRAGMA table_info(pawl_{table})")], f"the columns of {table}")
        query = f"SELECT {', '.join(column for column in columns if column != but)} FROM pawl_{table} ORDER BY 1, 2, 3, 4, 5"
        rows = own.execute(query).fetchall()
        expect(rows and rows == copy.execute(query).fetchall(), f"pawl_{table} of the ledger differs")
    own.close()
    copy.close()


# MARK: - Fences

def told(app="taxi", version="1.0"):
    return mirror.ask([(app, version, None)])[0]


def say(value):
    run("setting", "taxi", "n", str(value), "--yes")


def value():
    row = told()
    return row and int(json.loads(row["settings"]).get("n", 0))


def recorder(path):
    """A command that keeps what it was given, too."""
    return ["sh", "-c", 'tee -a "$0" | "$@"', path, *mirror.command]


def fences():
    run("init")
    add("taxi", 1, "1.0", "1.1", "2.0")
    add("rider", 2, "1.0", "1.1")
    say(1)
    mirror.clear()
    expect(sync(status=65)[1] == "mirror.format", "no tables")
    mirror.make()
    expect(sync(command=recorder("first"))[0] == {"taxi": "sent", "rider": "sent"}, "at first")
    mirror.do(run("sync", "test", "--as", KIND, "--schema").stdout.decode())
    expect(sync()[0] == {"taxi": "same", "rider": "same"}, "repeated")
    mirror.back_up()
    say(2)
    expect(sync()[0] == {"taxi": "sent", "rider": "same"} and value() == 2, "one changed")
    # Late: the statements of the first run come again.
    with open("first") as file:
        mirror.do(file.read())
    expect(value() == 2, "a late run counts")
    # The mirror is restored from its own backup.
    mirror.restore()
    expect(value() == 1, "the mirror is not restored")
    expect(sync()[0]["taxi"] == "sent" and value() == 2, "a restored mirror")
    # Half, with a line that is lost, and with one that is an error, which the client passes over.
    numbers = random.Random(3)
    careless = mirror.command + ["--force"] * (KIND == "mysql")
    sends = 'cat >all; grep -q -i -e "INSERT INTO" -e pawl_send all || exec "$@" <all'
    for step in range(3, 15):
        say(step)
        spoiled = [
            f"head -c $(($(wc -c <all) * {numbers.randint(1, 99)} / 100)) all", f"sed {numbers.randint(1, 14)}d all",
            f"sed '{numbers.randint(1, 14)}inonsense;' all"][step % 3]
        part = ["sh", "-c", f'if [ -e once ]; then exec "$@"; fi; {sends}; >once; {spoiled} | "$@"', "sh", *careless]
        if os.path.exists("once"):
            os.remove("once")
        _, error, _ = sync(status=None, command=part)
        found = value()
        expect(found in (step - 1, step), f"half of {step} is told as {found}")
        expect((found == step) == (error is None), f"half of {step} is {found}, and sync says {error}")
        expect(sync("--verify")[0]["taxi"] in ("sent", "same") and value() == step, f"half of {step} is not healed")
    # Lost altogether, and a command that fails.
    say(20)
    lost = ["sh", "-c", sends, "sh", *mirror.command]
    expect(sync(status=75, command=lost)[1] == "mirror.lost" and value() == 14, "lost")
    expect(sync(status=75, command=["true"])[1] == "mirror.lost", "silent")
    expect(sync(status=74, command=["false"])[1] == "mirror.failed", "failing")
    expect(sync(status=74, command=["./nothing"])[1] == "mirror.failed", "missing")
    # Two at once.
    for step in range(21, 25):
        say(step)
        words = [PAWL, "sync", "test", "--as", KIND, "--json", "--", *mirror.command]
        both = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
        for one in both:
            one.communicate()
        sync(status=None)
        expect(value() == step and sync("--verify")[0]["taxi"] == "same", f"two at once, {step}")
    # Altered by hand.
    for spoil in (mirror.alter, mirror.lose):
        spoil("taxi")
        expect(sync()[0]["taxi"] == "same", "an altered row is seen by its head")
        expect(sync("--verify", status=1)[:2] == ({"taxi": "refused", "rider": "same"}, "mirror.altered"), "altered")
        expect(sync("--verify", "--repair")[0] == {"taxi": "sent", "rider": "same"}, "repaired")
        expect(sync("--verify")[0]["taxi"] == "same", "repaired for good")
    # Another version of pawl made other rows of the same event.
    mirror.set_head("taxi", "digest", "0" * 64)
    expect(sync()[0]["taxi"] == "sent" and sync("--verify")[0]["taxi"] == "same", "another digest")
    # The backend's own switch.
    tag = told()["tag"]
    mirror.set_head("taxi", "stopped", 1)
    row = told()
    expect((row["action"], row["target"], row["url"]) == ("none", None, None) and row["tag"] != tag, "switched off")
    expect(sync()[2]["stopped"] == ["taxi"] and told()["action"] == "none", "sync leaves the switch")
    say(25)
    expect(sync()[0]["taxi"] == "sent" and told()["action"] == "none", "sync leaves the switch when it sends")
    mirror.set_head("taxi", "stopped", 0)
    expect(told()["action"] != "none", "switched on")
    # The clock.
    fast = ["sh", "-c", '"$@" | awk \'/^pawl-mirror/ { $3 += 60 } { print }\'', "sh", *mirror.command]
    expect([one["id"] for one in sync(command=fast)[2]["warnings"]] == ["mirror.clock"], "a fast clock")
    expect(sync()[2]["warnings"] == [], "a right clock")
    # Another format.
    mirror.set_format(2)
    say(26)
    expect(sync(status=65)[1] == "mirror.format" and value() == 25, "another format")
    mirror.set_format(1)
    # Rows that nothing points to.
    mirror.add_orphan("taxi")
    expect(mirror.has_orphan("taxi"), "no orphan")
    sync()
    expect(not mirror.has_orphan("taxi"), "an orphan stays")
    # An app that is struck out, and a second ledger.
    run("app", "add", "gone", "--bundle-id", "com.example.gone")
    expect(sync()[0]["gone"] == "sent" and told("gone", "1"), "a new app")
    run("app", "void", "gone", "--reason", "typo")
    expect(sync()[0]["gone"] == "removed" and told("gone", "1") is None, "struck out")
    expect("gone" not in sync()[0], "struck out for good")
    os.mkdir("other")
    run("init", "--ledger", "other/pawl.db")
    run("app", "add", "taxi", "--bundle-id", "com.example.x", "--ledger", "other/pawl.db")
    run("app", "add", "ferry", "--bundle-id", "com.example.y", "--ledger", "other/pawl.db")
    expect(sync(status=1, ledger="other/pawl.db")[:2] == ({"ferry": "sent", "taxi": "refused"}, "mirror.foreign"), "another ledger")
    expect(sync("--take-over", "--yes", status=1, ledger="other/pawl.db")[1] == "mirror.foreign", "another ledger takes over")
    expect(sync()[0] == {"taxi": "same", "rider": "same"} and told("ferry", "1"), "two ledgers")
    # A copy that is ahead, a copy that is older, a fork.
    os.mkdir("copy")
    shutil.copy("pawl.db", "copy/pawl.db")
    run("setting", "taxi", "n", "99", "--yes", "--ledger", "copy/pawl.db")
    expect(sync(status=1, ledger="copy/pawl.db")[1] == "mirror.other-copy" and value() == 26, "a copy")
    shutil.copy("pawl.db", "older.db")
    say(27)
    sync()
    with open("older.db", "rb") as file, open("pawl.db", "wb") as ledger:
        ledger.write(file.read())
    expect(sync(status=1)[:2] == ({"taxi": "refused", "rider": "same"}, "mirror.newer") and value() == 27, "an older backup")
    say(28)
    expect(sync(status=1)[1] == "mirror.forked" and value() == 27, "a fork with the same number")
    say(29)
    expect(sync(status=1)[1] == "mirror.forked" and value() == 27, "a fork one further")
    before = told()["generation"]
    run("stop", "taxi", "--reason", "x")
    expect(sync()[0]["taxi"] == "sent" and told()["action"] == "none" and told()["generation"] > before, "a stop of a fork")
    run("resume", "taxi", "--yes", "--reason", "x")
    sync()
    expect(told()["action"] != "none", "resumed")
    # After a restore, somebody takes over; a stop needs nobody.
    with open("older.db", "rb") as file, open("pawl.db", "wb") as ledger:
        ledger.write(file.read())
    before = told()["generation"]
    expect(sync("--take-over", status=1)[1] == "confirm.required" and told()["generation"] == before, "unasked")
    expect(sync("--take-over", "--yes")[0] == {"taxi": "sent", "rider": "sent"}, "taken over")
    expect(value() == 26 and told()["generation"] > before and sync()[0]["taxi"] == "same", "after a take-over")
    with open("older.db", "rb") as file, open("pawl.db", "wb") as ledger:
        ledger.write(file.read())
    before = told()["generation"]
    run("stop", "--all", "--reason", "x")
    expect(set(sync()[0].values()) <= {"sent", "same"} and told()["action"] == "none" and told()["generation"] > before, "a stop of a backup")
    # The copy takes over, too, where somebody says so.
    expect(sync("--take-over", "--yes", ledger="copy/pawl.db")[0]["taxi"] == "sent" and value() == 99, "the copy takes over")
    expect(sync(status=1)[1] == "mirror.other-copy", "and is the one")
    run("verify")
    run("verify", "--ledger", "copy/pawl.db")


# MARK: - Texts

SETTINGS = {
    "postgresql": [
        {"PGOPTIONS": "-c standard_conforming_strings=off -c backslash_quote=on"}, {"PGCLIENTENCODING": "SJIS"},
        {"PGCLIENTENCODING": "LATIN1"}, {"PGOPTIONS": "-c escape_string_warning=off -c bytea_output=escape"},
        {"PGOPTIONS": "-c DateStyle=German -c TimeZone=Asia/Kathmandu -c search_path=nowhere"},
    ],
    "mysql": [["--default-character-set=sjis"], ["--default-character-set=latin1"], ["--default-character-set=gbk"]]
    + [[f"--init-command=SET sql_mode='{mode}'"] for mode in (
        "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "ORACLE", "", "ANSI", "PIPES_AS_CONCAT,IGNORE_SPACE", "TRADITIONAL", "EMPTY_STRING_IS_NULL")]
    + [["--init-command=SET time_zone='+05:45', group_concat_max_len=4"]],
}


def texts(count):
    run("init")
    add("taxi", 1, "1.0")
    run("publish", "taxi", "2.0", *(word for place, text in enumerate(HOSTILE) for word in ("--note", f"en-x-{place}={text}")))
    run("mark", "taxi", "2.0", "live", "--visible-now", "--yes")
    for place, text in enumerate(HOSTILE):
        run("setting", "taxi", f"k{place}", text, "--yes")
    plain = list(mirror.command)
    wanted = None
    for setting in SETTINGS[KIND][:count]:
        mirror.command, mirror.environment = list(plain), {}
        mirror.make()
        if isinstance(setting, dict):
            mirror.environment = setting
        else:
            mirror.command[2:2] = setting
        expect(sync(env={**os.environ, **mirror.environment})[0] == {"taxi": "sent"}, f"{setting}: not sent")
        expect(sync("--verify", env={**os.environ, **mirror.environment})[0] == {"taxi": "same"}, f"{setting}: altered")
        mirror.command, mirror.environment = list(plain), {}
        row = told()
        expect(sorted(json.loads(row["settings"]).values()) == sorted(HOSTILE), f"{setting}: {row['settings']}")
        expect({text.strip("\n") for text in json.loads(row["notes"]).values()} >= {text.strip("\n") for text in HOSTILE if text.strip()}, f"{setting}: {row['notes']}")
        wanted = wanted or row
        expect(row == wanted, f"{setting}: {row}")
    print(f"measured: {len(SETTINGS[KIND][:count])} settings, {len(HOSTILE)} texts")


# MARK: - Readers

def readers(seconds):
    run("init")
    add("taxi", 1, "1.0", "1.1", "2.0")
    mirror.make()
    say(0)
    sync()
    numbers, faults, reads, end = random.Random(5), [], [0], time.time() + seconds

    def read():
        last = (0, 0)
        while time.time() < end and not faults:
            for row in mirror.ask([("taxi", version, None) for version in ("1.0", "1.1", "2.0", "9")]):
                found = row and (row["generation"], int(json.loads(row["settings"]).get("n", -1)))
                if not found or found < last or (found[0] == last[0]) != (found[1] == last[1]) and last[0]:
                    faults.append(f"{found} after {last}")
                last = found or last
                reads[0] += 1

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    step = kills = 0
    while time.time() < end:
        step += 1
        say(step)
        words = [PAWL, "sync", "test", "--as", KIND, "--", *mirror.command]
        one = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        if numbers.random() < 0.5:
            time.sleep(numbers.random() * 0.08)
            os.killpg(one.pid, signal.SIGKILL)
            kills += 1
        one.wait()
    for thread in threads:
        thread.join()
    expect(not faults, f"torn or older: {faults[:3]}")
    sync(status=None)
    expect(value() == step and sync("--verify")[0]["taxi"] == "same", "it is not healed")
    print(f"measured: {reads[0]} answers beside {step} changes and {kills} kills")


# MARK: - Clock

def clock(seconds):
    start = int(time.time()) + 5 + seconds // 20
    run("init")
    add("taxi", 1, "1.0", "1.1", words=["--hold", "5m", "--policy", "remind"])
    run("publish", "taxi", "1.5", "--expires", iso(start + seconds * 2 // 3))
    run("mark", "taxi", "1.5", "live", "--at", iso(start - 400), "--yes")
    run("publish", "taxi", "2.0")
    run("mark", "taxi", "2.0", "live", "--at", iso(start + seconds // 3 - 300), "--yes")
    for moment in range(start, start + seconds, 4):
        run("force", "taxi", "1.0", "--from", iso(moment), "--until", iso(moment + 2), "--reason", "x", "--yes")
    mirror.make()
    sync()
    seen, versions = [], ["1.0", "1.1", "1.5", "2.0", "9"]
    while time.time() < start + seconds:
        before = int(time.time())
        rows = mirror.ask([("taxi", version, None) for version in versions])
        # Of an answer that took longer nobody knows which second it is of.
        if before == int(time.time()) and before >= start:
            seen.append((before, rows))
        time.sleep(0.02)
    asked = [(version, None) for version in versions]
    told = {moment: asked_of_pawl("taxi", moment, asked) for moment in {moment for moment, _ in seen}}
    for moment, rows in seen:
        for version, row, wanted in zip(versions, rows, told[moment]):
            hold("taxi", version, None, moment, row, wanted)
    prompts = {moment: [(answer["action"], answer["target"]) for answer in answers] for moment, answers in told.items()}
    changes = sum(prompts[moment] != prompts.get(moment + 1, prompts[moment]) for moment in prompts)
    expect(len(told) > seconds // 2 and changes > seconds // 4, f"{changes} changes in {len(told)} seconds")
    print(f"measured: {len(seen) * len(versions)} answers in {len(told)} seconds with {changes} changes")


{"questions": lambda: questions(int(sys.argv[4])), "fences": fences, "texts": lambda: texts(int(sys.argv[4])),
 "readers": lambda: readers(float(sys.argv[4])), "clock": lambda: clock(int(sys.argv[4]))}[sys.argv[1]]()
