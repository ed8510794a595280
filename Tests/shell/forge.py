"""Alters a ledger as somebody does who knows its documents: the schema is as it was afterwards, and the hashes are right.

    forge.py LEDGER ATTACK    see ATTACKS below; VERIFIER names docs/verify-ledger.py
"""

import datetime
import importlib.util
import json
import os
import sqlite3
import sys

sys.dont_write_bytecode = True
SPEC = importlib.util.spec_from_file_location("theirs", os.environ["VERIFIER"])
THEIRS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(THEIRS)


def rehash(ledger):
    """Gives every event the hash that its fields ask for."""
    before = b"0" * 64
    for fields in ledger.execute(f"SELECT {THEIRS.COLUMNS} FROM event ORDER BY seq").fetchall():
        parts = map(THEIRS.field, fields)
        before = THEIRS.sha256(THEIRS.field(b"pawl event"), THEIRS.field(before), *parts).hex().encode()
        ledger.execute("UPDATE event SET hash = ? WHERE seq = ?", (before.decode(), fields[0]))


def append(ledger, kind, alter):
    """Appends an event like the last one of a kind, with what comes after altered; returns its number and what it says."""
    columns = [row[1] for row in ledger.execute("PRAGMA table_info(event)")]
    row = dict(zip(columns, ledger.execute("SELECT * FROM event WHERE kind = ? ORDER BY seq DESC", (kind,)).fetchone()))
    row["seq"], row["at"] = ledger.execute("SELECT seq + 1, at FROM event ORDER BY seq DESC").fetchone()
    before, after = json.loads(row["before"] or "null"), json.loads(row["after"])
    alter(row, before, after)
    row["before"] = json.dumps(before, separators=(",", ":"), sort_keys=True) if before else None
    row["after"] = json.dumps(after, separators=(",", ":"), sort_keys=True)
    row["impact"] = row["request_id"] = row["request"] = row["answer"] = None
    row["hash"] = "0" * 64
    marks = ", ".join("?" * len(row))
    ledger.execute(f"INSERT INTO event ({', '.join(row)}) VALUES ({marks})", list(row.values()))
    return row["seq"], after


def rename(ledger, slug):
    for column in ["app", "subject", "before", "after", "impact"]:
        ledger.execute(f"UPDATE event SET {column} = replace({column}, 'taxi', ?) WHERE app = 'taxi'", (slug,))
    ledger.execute("UPDATE app SET slug = ? WHERE slug = 'taxi'", (slug,))


def attack_slug(ledger):
    rename(ledger, "../../home/docs")


def attack_absolute(ledger):
    rename(ledger, os.getcwd() + "/world/home/docs")


def attack_lower(ledger):
    """5.0.0 after 7.3.0."""
    new = ledger.execute("SELECT max(id) + 1 FROM release").fetchone()[0]

    def alter(row, _, after):
        row["subject"], row["version"] = f"release/{new}", "5.0.0"
        after["version"] = "5.0.0"

    seq, _ = append(ledger, "release.publish", alter)
    columns = [row[1] for row in ledger.execute("PRAGMA table_info(release)")]
    said = {"id": str(new), "version": "'5.0.0'", "event_seq": str(seq), "state": "'prepared'", "live_at": "NULL",
            "visible_at": "NULL", "live_event": "NULL"}
    known = [row[1] for row in ledger.execute("PRAGMA table_info(release)") if row[1] in said]
    values = ", ".join(said[name] if name in known else name for name in columns)
    ledger.execute(
        f"INSERT INTO release ({', '.join(columns)}) SELECT {values} FROM release WHERE state = 'prepared' LIMIT 1")


def attack_back(ledger):
    """live → waiting."""
    def alter(row, before, after):
        before.clear()
        before.update(after)
        after["state"] = "waiting"

    seq, _ = append(ledger, "release.mark", alter)
    ledger.execute("UPDATE release SET state = 'waiting', event_seq = ? WHERE state = 'live'", (seq,))


def attack_publication(ledger):
    """A directory for documents that nobody on this host named."""
    target = os.getcwd() + "/world/home/docs"
    ledger.execute("UPDATE publication SET directory = ?", (target,))
    for seq, after in ledger.execute("SELECT seq, after FROM event WHERE kind = 'export.set'").fetchall():
        said = json.loads(after)
        said["directory"] = target
        ledger.execute("UPDATE event SET after = ? WHERE seq = ?",
                       (json.dumps(said, separators=(",", ":"), sort_keys=True), seq))


def attack_answer(ledger):
    """A version's clients go to a foreign page, with no event."""
    ledger.execute(
        "INSERT OR REPLACE INTO answer SELECT app_id, lo, hi, valid_from, valid_until, 'force', 0,"
        " (SELECT version FROM release WHERE state = 'live'), (SELECT slug FROM app), min_os, 'https://evil.example.com/',"
        " remind_every, settings, tiers, tag, 'rule', rule, forced_from FROM answer")


def attack_head(ledger):
    ledger.execute("UPDATE event SET reason = 'another' WHERE seq = (SELECT max(seq) FROM event)")


def attack_view(ledger):
    """A table that never ends."""
    ledger.execute("PRAGMA legacy_alter_table = ON")
    ledger.execute("ALTER TABLE event RENAME TO was")
    columns = [row[1] for row in ledger.execute("PRAGMA table_info(was)")]
    values = ", ".join("n" if name == "seq" else "zeroblob(1000000)" if name == "answer" else name for name in columns)
    ledger.execute(
        f"CREATE VIEW event AS WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) "
        f"SELECT {values} FROM c, (SELECT {', '.join(name for name in columns if name != 'seq')} FROM was LIMIT 1)")


def attack_trigger(ledger):
    """Writes of its own with each change."""
    ledger.execute(
        "CREATE TRIGGER helpful AFTER INSERT ON event BEGIN "
        "UPDATE app SET store_url = 'https://evil.example.com/'; END")


def attack_rules(ledger):
    """No attack: 100,000 more rules like the last one, each for an hour and one version, as pawl would have recorded them."""
    events = [row[1] for row in ledger.execute("PRAGMA table_info(event)")]
    rules = [row[1] for row in ledger.execute("PRAGMA table_info(rule)")]
    last = dict(zip(events, ledger.execute("SELECT * FROM event ORDER BY seq DESC LIMIT 1").fetchone()))
    after = json.loads(last["after"])
    rule = dict(zip(rules, ledger.execute("SELECT * FROM rule WHERE number = ?", (after["number"],)).fetchone()))
    versions = [row[0] for row in ledger.execute("SELECT version FROM release WHERE app_id = ?", (rule["app_id"],))]
    start = datetime.datetime.strptime(last["at"], "%Y-%m-%dT%H:%M:%SZ") + datetime.timedelta(hours=1)
    last.update(impact=None, request_id=None, request=None, answer=None, hash="")
    made = []
    for place in range(100_000):
        last["seq"] += 1
        after["number"] += 1
        bounds = [start + datetime.timedelta(minutes=place), start + datetime.timedelta(minutes=place + 60)]
        after["from"], after["until"] = [bound.strftime("%Y-%m-%dT%H:%M:%SZ") for bound in bounds]
        after["range"] = versions[place % len(versions)]
        last["subject"] = f"rule/{after['number']}"
        last["after"] = json.dumps(after, separators=(",", ":"), sort_keys=True)
        rule.update(number=after["number"], from_at=after["from"], until_at=after["until"], range=after["range"],
                    event_seq=last["seq"])
        if "made_by" in rule:
            rule["made_by"] = last["seq"]
        made.append((list(last.values()), list(rule.values())))
    for table, columns, rows in [("event", events, [row for row, _ in made]), ("rule", rules, [row for _, row in made])]:
        ledger.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", rows)


ATTACKS = {name[7:]: value for name, value in globals().items() if name.startswith("attack_")}


def main():
    ledger = sqlite3.connect(sys.argv[1])
    triggers = ledger.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    ledger.execute("PRAGMA ignore_check_constraints = ON")
    ledger.execute("PRAGMA foreign_keys = OFF")
    for name, _ in triggers:
        ledger.execute(f"DROP TRIGGER {name}")
    ATTACKS[sys.argv[2]](ledger)
    if sys.argv[2] not in ["head", "answer", "view"]:
        rehash(ledger)
    if sys.argv[2] != "view":
        for _, sql in triggers:
            ledger.execute(sql)
    ledger.commit()


main()
