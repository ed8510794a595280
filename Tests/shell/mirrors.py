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
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
SCHEMA = None
try:
    import jsonschema

    with open(f"{ROOT}/docs/schemas/ask.schema.json", encoding="utf-8") as file:
        SCHEMA = jsonschema.Draft202012Validator(json.load(file))
except ImportError:
    pass
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
    """A database, the command of its writer, and how it is asked by its reader and spoilt by its owner."""

    prefix = "pawl_"

    def by(self, account):
        """The command of an account."""
        return [account if word == "OWNER" else word for word in self.words]

    @property
    def command(self):
        return self.by("pawl_writer")

    def do(self, script, account="pawl"):
        return subprocess.run(self.by(account), input=script.encode(), capture_output=True).stdout.decode()

    def schema(self):
        return run("sync", "test", "--as", KIND, "--schema").stdout.decode()

    def make(self):
        self.clear()
        self.do(self.schema())
        # The test's servers ask for no passwords.
        grants = re.findall("^-- ((?:CREATE|GRANT) .*);$", self.schema(), re.M)
        self.do("".join(f"{self.filled(grant)};\n" for grant in grants))

    def filled(self, grant):
        return grant.replace("<HOST>", "'%'").replace("<WRITER_PASSWORD>", "''").replace("<READER_PASSWORD>", "''")

    def fence(self, app):
        return int(self.do(f"SELECT fence FROM {self.prefix}app WHERE app = '{app}';"))

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
    words = ["psql", "-h", f"{FOLDER}/pg", "-p", os.environ.get("MIRROR_PORT", "5432"), "-U", "OWNER", "-qXAt", "pawl"]

    def clear(self):
        self.do("SET client_min_messages = error; DROP SCHEMA IF EXISTS pawl CASCADE;")

    def back_up(self):
        subprocess.run(["pg_dump", *self.by("pawl")[1:7], "-Fc", "-n", "pawl", "-f", "backup", "pawl"], check=True)

    def restore(self):
        subprocess.run(["pg_restore", *self.by("pawl")[1:7], "--clean", "-d", "pawl", "backup"], check=True)

    def ask(self, questions):
        def literal(text):
            return "NULL" if text is None else str(text) if isinstance(text, int) else "'" + text.replace("'", "''") + "'"

        script = "".join(
            f"SELECT coalesce((SELECT row_to_json(x)::text FROM pawl.ask({', '.join(map(literal, question))}) x), 'null');\n"
            for question in questions)
        return [json.loads(line) for line in self.do(script, "pawl_reader").split("\n") if line]


class MySQL(Mirror):
    words = ["mysql", "--no-defaults", "-u", "OWNER", "-S", f"{FOLDER}/my/socket", "-N", "-B", "pawl"]

    def by(self, account):
        return super().by("root" if account == "pawl" else account)

    def clear(self):
        self.do("DROP DATABASE pawl; CREATE DATABASE pawl;")

    def back_up(self):
        subprocess.run(["mysqldump", *self.by("pawl")[1:6], "--routines", "-r", "backup", "pawl"], check=True)

    def restore(self):
        self.clear()
        with open("backup", encoding="utf-8") as file:
            self.do(file.read())

    def ask(self, questions):
        def literal(text):
            return "NULL" if text is None else str(text) if isinstance(text, int) else f"X'{text.encode().hex()}'"

        script = "SET NAMES utf8mb4;\n" + "".join(
            f"SELECT '#'; CALL pawl_ask({', '.join(map(literal, (*question, None, None, None, None)[:6]))});\n" for question in questions)
        answers = []
        for block in self.do(script, "pawl_reader").split("#\n")[1:]:
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
    words = ["sqlite3", f"{FOLDER}/{os.getpid()}.db"]
    query = None

    def clear(self):
        if os.path.exists(self.words[1]):
            os.remove(self.words[1])

    back_up = lambda self: shutil.copy(self.words[1], "backup")
    restore = lambda self: shutil.copy("backup", self.words[1])

    def ask(self, questions, file=None):
        self.query = self.query or "\n".join(re.findall("^-- ask: (.*)$", self.schema(), re.M))
        base = sqlite3.connect(f"file:{file or self.words[1]}?mode=ro", uri=True, timeout=10)
        base.row_factory = sqlite3.Row
        answers = []
        for question in questions:
            words = dict(zip(("app", "version", "at", "os", "locale", "tag"), (*question, None, None, None, None)))
            rows = base.execute(self.query, words).fetchall()
            expect(len(rows) <= 1, f"{len(rows)} rows for {question}")
            answers.append(dict(rows[0]) if rows else None)
        base.close()
        return answers


class Redis(Mirror):
    def by(self, account):
        login = [] if account == "pawl" else ["--user", account, "--pass", "PASSWORD", "--no-auth-warning"]
        return ["redis-cli", "-s", f"{FOLDER}/redis/socket", *login]

    def clear(self):
        self.do("FLUSHALL\nFUNCTION FLUSH\n")

    def make(self):
        super().make()
        self.do("".join(line + "\n" for line in re.findall("-- (ACL .*?)\\\\n", self.schema())
            ).replace("<WRITER_PASSWORD>", ">PASSWORD").replace("<READER_PASSWORD>", ">PASSWORD"))

    def fence(self, app):
        return int(self.do(f"HGET pawl:{{{app}}}:head fence\n"))

    # As a start reads the file that it finds.
    back_up = lambda self: self.do("SAVE\n")
    restore = lambda self: self.do("DEBUG RELOAD NOSAVE\n")

    def ask(self, questions):
        def word(text):
            return '"' + "".join(f"\\x{byte:02x}" for byte in str("" if text is None else text).encode()) + '"'

        script = "".join(
            f"FCALL_RO pawl_ask 3 {' '.join(word(f'pawl:{{{app}}}:{part}') for part in ('head', 'answers', 'notes'))} "
            f"{' '.join(map(word, rest))}\n" for app, *rest in questions)
        done = subprocess.run([*self.by("pawl_reader"), "-3", "--json"], input=script.encode(), capture_output=True)
        answers = []
        for line in done.stdout.splitlines():
            words = json.loads(line)
            row = dict(zip(words[::2], words[1::2]))
            answers.append({**row, **{name: int(row[name]) for name in ("review", "generation", "valid_until")}} if row else None)
        return answers

    def set_head(self, app, column, value):
        self.do(f"HSET pawl:{{{app}}}:head {column} {value}\n")

    def alter(self, app):
        row = self.do(f"ZRANGE pawl:{{{app}}}:answers 0 -1\n").splitlines()[0]
        words = [line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t") for line in (row, row[:-2] + "zz")]
        self.do(f'ZREM pawl:{{{app}}}:answers "{words[0]}"\nZADD pawl:{{{app}}}:answers 0 "{words[1]}"\n')

    lose = lambda self, app: self.do(f"ZREMRANGEBYRANK pawl:{{{app}}}:answers 0 0\n")

    def set_format(self, version):
        self.do(self.schema().replace("pawl-mirror 3 ", f"pawl-mirror {version} "))

    def add_orphan(self, app):
        self.do(f"HSET pawl:{{{app}}}:notes x 00\n")

    def has_orphan(self, app):
        return "x" in self.do(f"HKEYS pawl:{{{app}}}:notes\n").splitlines()


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


def asked_of_pawl(app, moment, questions, locale=None):
    lines = "".join(f"{version} {system or ''}\n" for version, system in questions)
    words = ["--locale", locale] if locale else []
    return [json.loads(line) for line in run("check", app, "--stdin", *words, "--at", iso(moment), given=lines.encode()).stdout.splitlines()]


def hold(app, version, system, moment, row, wanted, locale=None):
    expect(row is not None, f"{app} {version} at {moment}: no row, not {wanted}")
    for name in TOLD[:9]:
        have, want = row[name], wanted[NAMES.get(name, name)]
        if name == "review":
            have = have == 1
        if name == "settings":
            have = json.loads(have)
        if name == "notes" and have is not None and locale is None:
            # Of all languages the first is whose notes those get who speak none of them.
            have = next(iter(json.loads(have).values()))
        expect(have == want, f"{app} {version} on {system} in {locale} at {moment}: {name} is {have!r}, not {want!r}\n{row}\n{wanted}")


def questions(count):
    numbers = random.Random(int(os.environ.get("MIRROR_SEED", "7")))
    _, versions, _ = random_ledger(run, numbers.random())
    # The texts of others, where a text may stand.
    languages = ["zh-TW", "pt-BR", "zh-CN", "de_CH", "en", "de", "zh-Hant-HK", "es-419", "fr-CA", "fr"]
    numbers.shuffle(languages)
    texts = [f"{language}={language} {numbers.choice(HOSTILE)}" for language in languages[:numbers.randint(3, 9)]]
    run("publish", "taxi", "100.0", "--yes", *(word for text in texts for word in ("--note", text)))
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
    locales = [None, "en", "EN_us", "de-AT", "de-CH-1996", "zh", "zh-HK", "zh_Hans_SG", "zh-Hant", "pt", "fr-BE", "es-MX", "ja"]
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
        around += [re.sub(r"(\d+)", r"00\1", version) for version in known]
        batches += [(app, moment, around) for moment in moments]
    each = max(10, -(-count // len(batches)))
    numbers.shuffle(batches)
    for app, moment, around in batches[:-(-count // each)]:
        asked, locale = [(numbers.choice(around), numbers.choice(systems)) for _ in range(each)], numbers.choice(locales)
        rows = mirror.ask([(app, version, moment, system, locale) for version, system in asked])
        if SCHEMA:
            for row in filter(None, rows):
                SCHEMA.validate(row)
        expect(len(rows) == len(asked), f"{len(rows)} answers to {len(asked)} questions")
        for (version, system), row, wanted in zip(asked, rows, asked_of_pawl(app, moment, asked, locale)):
            hold(app, version, system, moment, row, wanted, locale)
            compared += 1
            prompts += wanted["action"] != "none"
        if numbers.random() < 0.1:
            known = mirror.ask([(app, version, moment, system, locale, row["tag"]) for (version, system), row in zip(asked, rows)])
            expect(known == [{**row, "notes": None} for row in rows], "a tag that the client knows")
        if KIND == "sqlite" and numbers.random() < 0.1:
            words = [(app, version, moment, system, locale) for version, system in asked]
            expect(mirror.ask(words, "pawl.db") == rows, "the ledger's own file answers otherwise")
    now = mirror.ask([("taxi", "1.0", None), ("nobody", "1.0", None)])
    expect(now[0] and now[1] is None, "now")
    bad = garbage()
    for first in range(0, len(bad), 500):
        some = bad[first:first + 500]
        expect(mirror.ask([("taxi", text, None) for text in some]) == [None] * len(some), "what is no version is told something")
        some = [text for text in some if text]
        expect(mirror.ask([("taxi", "1.0", None, text) for text in some]) == [None] * len(some), "what is no system is told something")
        expect(mirror.ask([(text, "1.0", None) for text in some]) == [None] * len(some), "what is no app is told something")
        expect(None not in mirror.ask([("taxi", "1.0", None, None, text, text) for text in some]), "no locale, or no tag, costs the answer")
    lines = [text for text in bad if text.isascii() and text.isprintable() and text.strip() and " " not in text]
    told = run("check", "taxi", "--stdin", given="\n".join(lines).encode() + b"\n", status=65).stdout.splitlines()
    expect(len(told) == len(lines) and all(b'"error"' in line for line in told), "pawl itself takes garbage for a version")
    with open("documents/v1/taxi/schedule.json", encoding="utf-8") as file:
        schedule = json.load(file)
    sys.path.append(f"{ROOT}/docs/clients")
    import schedule as client  # pylint: disable=import-error
    expect(all(client.find(schedule, text, None, time.time()) is None for text in bad), "the client takes garbage for a version")
    expect(all(client.find(schedule, "1.0", text, time.time()) is None for text in bad), "the client takes garbage for a system")
    print(f"measured: {compared} answers, {prompts} of them prompts, {len(bad)} strings that are no version")


def garbage():
    """4,000 strings that are no version, many of them nearly one."""
    numbers, bad = random.Random(39), ["", ".", "1.2;--", "1.2\n", "1.2.3.4.5", "1234567890", "1.1000000000", "１.２", "1.٢", "1,2", "0x1"]
    signs = [*"0123456789....", *"0.1", *" \t\n-+vb;'\"\\%_*[]{}$", "é", "１", "٣", "🚕", "\u0301", "\ufeff"]
    while len(bad) < 4000:
        text = ".".join(str(numbers.randrange(10 ** numbers.randint(1, 10))) for _ in range(numbers.randint(0, 5)))
        for _ in range(numbers.randint(0, 3)):
            place = numbers.randint(0, len(text))
            text = text[:place] + numbers.choice(signs) + text[place + numbers.randint(0, 1):]
        text *= 1 if numbers.random() < 0.99 else 400
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9}){0,3}", text):
            bad.append(text)
    return bad


def hold_views():
    """Compares the views of the ledger's own file with the mirror."""
    own, copy = sqlite3.connect("pawl.db"), sqlite3.connect(mirror.words[1])
    for table, but in [("app", ["file", "fence"]), ("answer", []), ("note", [])]:
        columns = [row[1] for row in copy.execute(f"PRAGMA table_info(pawl_{table})")]
        expect(columns == [row[1] for row in own.execute(f"PRAGMA table_info(pawl_{table})")], f"the columns of {table}")
        query = f"SELECT {', '.join(column for column in columns if column not in but)} FROM pawl_{table} ORDER BY 1, 2, 3, 4, 5"
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
    mirror.do(mirror.schema())
    expect(sync()[0] == {"taxi": "same", "rider": "same"} and told() and mirror.fence("taxi") == 1, "repeated")
    mirror.back_up()
    say(2)
    expect(sync()[0] == {"taxi": "sent", "rider": "same"} and value() == 2, "one changed")
    # Late: the statements of the first run come again.
    with open("first") as file:
        mirror.do(file.read(), "pawl_writer")
    expect(value() == 2 and mirror.fence("taxi") == 2, "a late run counts")
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
    # Two at once: whoever is later says nothing.
    for step in range(21, 25):
        say(step)
        words = [PAWL, "sync", "test", "--as", KIND, "--json", "--", *mirror.command]
        both = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
        said = [one.communicate()[1] for one in both]
        expect(said == [b"", b""] and value() == step, f"two at once, {step}: {said}")
        expect(sync("--verify")[0]["taxi"] == "same", f"two at once, {step}, is not whole")
    # Altered by hand.
    for spoil in (mirror.alter, mirror.lose):
        spoil("taxi")
        expect(sync()[0]["taxi"] == "same", "an altered row is seen by its head")
        expect(sync("--verify", status=1)[:2] == ({"taxi": "refused", "rider": "same"}, "mirror.altered"), "altered")
        expect(sync("--verify", "--repair")[0] == {"taxi": "sent", "rider": "same"}, "repaired")
        expect(sync("--verify")[0]["taxi"] == "same", "repaired for good")
    failing = ["sh", "-c", '[ ! -e asked ] || exit 3; : >asked; exec "$@"', "sh", *mirror.command]
    expect(sync("--verify", status=74, command=failing)[1] == "mirror.failed", "a command that fails later")
    own = sqlite3.connect("pawl.db", isolation_level=None)
    own.execute("UPDATE answer_row SET url = url || 'x'")
    expect(sync("--verify", status=1)[1] == "answers.altered", "an altered ledger")
    own.execute("UPDATE answer_row SET url = substr(url, 1, length(url) - 1)")
    own.close()
    # Another version of pawl made other rows of the same event.
    mirror.set_head("taxi", "digest", "0" * 64)
    expect(sync()[0]["taxi"] == "sent" and sync("--verify")[0]["taxi"] == "same", "another digest")
    if KIND == "sqlite":
        mirror.set_head("taxi", "digest", "")
        expect(sync()[0]["taxi"] == "sent" and sync("--verify")[0]["taxi"] == "same", "no digest")
    mirror.set_head("taxi", "ledger", "f" * 32)
    expect(sync(status=1)[:2] == ({"taxi": "refused", "rider": "same"}, "mirror.altered"), "an altered head")
    expect(sync("--take-over", "--yes")[0]["taxi"] == "sent" and sync("--verify")[0]["taxi"] == "same", "a head put right")
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
    mirror.set_format(4)
    say(26)
    expect(sync(status=65)[1] == "mirror.format" and value() == 25, "another format")
    mirror.set_format(3)
    # Rows that nothing points to.
    mirror.add_orphan("taxi")
    expect(mirror.has_orphan("taxi"), "no orphan")
    sync()
    expect(not mirror.has_orphan("taxi"), "an orphan stays")
    says_what_the_server_says()
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
    # A stop gets out, and nothing from outside gets in: the next event has the next number.
    run("stop", "taxi", "--reason", "x")
    before = events()
    expect(sync()[0]["taxi"] == "sent" and told()["action"] == "none" and events() == before, "a stop of a fork")
    run("resume", "taxi", "--yes", "--reason", "x")
    sync()
    expect(told()["action"] != "none", "resumed")
    # After a restore, somebody takes over; a stop needs nobody.
    with open("older.db", "rb") as file, open("pawl.db", "wb") as ledger:
        ledger.write(file.read())
    before, fence = (events(), told()), mirror.fence("taxi")
    expect(sync("--take-over", status=1)[1] == "confirm.required" and (events(), told()) == before, "unasked")
    expect(sync("--take-over", "--yes")[0] == {"taxi": "sent", "rider": "same"} and events() == before[0], "taken over")
    expect(value() == 26 and mirror.fence("taxi") == fence + 1 and sync()[0]["taxi"] == "same", "after a take-over")
    # A late run from before the take-over finds another count, although the head may be one that it knows.
    say(27)
    sync(command=recorder("late"))
    sync("--take-over", "--yes", ledger="copy/pawl.db")
    with open("late") as file:
        mirror.do(file.read(), "pawl_writer")
    expect(value() == 99, "a late run after a take-over counts")
    sync("--take-over", "--yes")
    with open("older.db", "rb") as file, open("pawl.db", "wb") as ledger:
        ledger.write(file.read())
    run("stop", "--all", "--reason", "x")
    expect(set(sync()[0].values()) <= {"sent", "same"} and told()["action"] == "none", "a stop of a backup")
    # The copy takes over, too, where somebody says so.
    expect(sync("--take-over", "--yes", ledger="copy/pawl.db")[0]["taxi"] == "sent" and value() == 99, "the copy takes over")
    expect(sync(status=1)[1] == "mirror.other-copy", "and is the one")
    run("verify")
    run("verify", "--ledger", "copy/pawl.db")


def events():
    return json.loads(run("verify", "--json").stdout)["head"]["seq"]


def says_what_the_server_says():
    """What goes wrong at a server is said in its own words, and with the exit code of its kind."""
    def fault(command, status):
        done = run("sync", "test", "--as", KIND, "--json", "--", *command, status=status)
        error = json.loads(done.stderr.splitlines()[-1])["error"]
        return error["id"], error["message"]

    def expects(what, found, name, *words):
        expect(found[0] == name and any(word in found[1] for word in words), f"{what}: {found}")

    run("setting", "taxi", "m", "1", "--yes")
    # No rights: of the reader, who may not look, and of a writer, who may look and not write.
    denied = {"postgresql": ["permission denied"], "mysql": ["ERROR 1142"], "redis": ["NOPERM"], "sqlite": ["readonly"]}[KIND]
    if KIND != "sqlite":
        expects("the reader", fault(mirror.by("pawl_reader"), 77), "mirror.denied", *denied)
    if KIND == "redis":
        mirror.do("ACL SETUSER pawl_half on >PASSWORD ~pawl:* +fcall_ro +echo +time +hget +hmget +exists +smembers\n")
        expects("half a writer", fault(mirror.by("pawl_half"), 77), "mirror.denied", *denied)
    elif KIND == "sqlite":
        expects("half a writer", fault([*mirror.command, "-readonly"], 77), "mirror.denied", *denied)
    else:
        table = mirror.prefix + "answer"
        mirror.do(f"REVOKE INSERT, DELETE ON {table} FROM pawl_writer;")
        expects("half a writer", fault(mirror.command, 77), "mirror.denied", *denied)
        mirror.do(f"GRANT INSERT, DELETE ON {table} TO pawl_writer;")
    if KIND == "redis":
        mirror.do("CONFIG SET maxmemory 1\n")
        expects("no memory", fault(mirror.command, 75), "mirror.lost", "OOM")
        mirror.do("CONFIG SET maxmemory 0\n")
    # A wrong password, by the program's own way to hand one over, and a file that is none.
    if KIND == "sqlite":
        with open("text", "w", encoding="utf-8") as file:
            file.write("This is not a database, but a text.\n" * 99)
        expects("a text", fault(["sqlite3", "text"], 74), "mirror.failed", "cannot be opened as a database: ")
    else:
        mirror.do({"postgresql": "DROP ROLE IF EXISTS locked; CREATE ROLE locked LOGIN PASSWORD 'x';",
                   "mysql": "CREATE OR REPLACE USER locked IDENTIFIED BY 'x';", "redis": "CONFIG SET requirepass x\n"}[KIND])
        wrong = {"postgresql": "PGPASSWORD=wrong", "mysql": "MYSQL_PWD=wrong", "redis": "REDISCLI_AUTH=wrong"}[KIND]
        account = mirror.by("pawl" if KIND == "redis" else "locked")
        expects("a wrong password", fault(["env", wrong, *account], 77), "mirror.denied", "refuses the account's name or password: ")
        if KIND == "redis":
            expects("no password", fault(account, 77), "mirror.denied", "refuses the account's name or password: ")
            subprocess.run([*account, "-a", "x", "CONFIG", "SET", "requirepass", ""], check=True, capture_output=True)
    # A server that is not there, and one that hangs.
    nowhere = [word.replace(FOLDER, "/nowhere") for word in mirror.command]
    expects("no server", fault(nowhere, 75 if KIND == "redis" else 74), "mirror.lost" if KIND == "redis" else "mirror.failed",
            "/nowhere", "cannot be opened as a database: ")
    cut = ["sh", "-c", '"$@" | head -n 1; echo "the line is cut" >&2; exit 124', "sh", *mirror.command]
    expects("a timeout", fault(cut, 74), "mirror.failed", "124: the line is cut")
    # The functions that backends ask.
    if KIND != "sqlite":
        mirror.do({"redis": "FUNCTION FLUSH\n", "mysql": "DROP PROCEDURE pawl_ask;"}.get(
            KIND, "DROP FUNCTION pawl.ask(text, text, bigint, text, text, text);"))
        if KIND == "redis":
            expects("no library", fault(mirror.command, 65), "mirror.format", "no tables")
        else:
            expect([one["id"] for one in sync()[2]["warnings"]] == ["mirror.functions"], "no function")
        mirror.do(mirror.schema())
        for grant in re.findall("^-- (GRANT EXECUTE .*;)$", mirror.schema(), re.M):
            mirror.do(mirror.filled(grant))
        expect(sync()[2]["warnings"] == [] and told(), "the schema does not replace functions")


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
    run("publish", "taxi", "2.0", "--yes", *(word for place, text in enumerate(HOSTILE) for word in ("--note", f"en-x-{place}={text}")))
    run("mark", "taxi", "2.0", "live", "--visible-now", "--yes")
    for place, text in enumerate(HOSTILE):
        run("setting", "taxi", f"k{place}", text, "--yes")
    wanted = None
    for setting in SETTINGS[KIND][:count]:
        mirror.make()
        command, environment = list(mirror.command), dict(os.environ)
        if isinstance(setting, dict):
            environment.update(setting)
        else:
            command[2:2] = setting
        expect(sync(env=environment, command=command)[0] == {"taxi": "sent"}, f"{setting}: not sent")
        expect(sync("--verify", env=environment, command=command)[0] == {"taxi": "same"}, f"{setting}: altered")
        row = told()
        for place, text in enumerate(HOSTILE):
            have = mirror.ask([("taxi", "1.0", None, None, f"en-x-{place}")])[0]["notes"]
            expect((have or "NULL").strip("\n") == text.strip("\n") or not text.strip(), f"{setting}: {have!r}, not {text!r}")
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
    run("publish", "taxi", "1.5", "--yes", "--expires", iso(start + seconds * 2 // 3))
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
