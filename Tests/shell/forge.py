"""Alters a ledger as somebody does who knows its documents: the schema is as it was afterwards, and the hashes are right.

    forge.py LEDGER ATTACK                 see ATTACKS below
    forge.py LEDGER SQL [as-it-is]         does what a script says; with a word behind it, the hashes stay as they are
    forge.py LEDGER rules COUNT MINUTES    makes so many rules like the last one, each so many minutes after the one before
"""

import datetime
import importlib.util
import json
import os
import sqlite3
import sys

sys.dont_write_bytecode = True
PLACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/verify-ledger.py")
SPEC = importlib.util.spec_from_file_location("theirs", PLACE)
THEIRS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(THEIRS)


def rehash(ledger):
    """Gives every event the hash that its fields ask for."""
    before = b"0" * 64
    for fields in ledger.execute(f"SELECT {THEIRS.COLUMNS} FROM event ORDER BY seq").fetchall():
        parts = map(THEIRS.field, fields)
        before = THEIRS.sha256(THEIRS.field(b"pawl event"), THEIRS.field(before), *parts).hex().encode()
        ledger.execute("UPDATE event_row SET hash = ? WHERE seq = ?", (before.decode(), fields[0]))


def rename(ledger, slug):
    for column in ["app", "subject", "before", "after", "impact"]:
        ledger.execute(f"UPDATE event_row SET {column} = replace({column}, 'taxi', ?) WHERE app = 'taxi'", (slug,))
    ledger.execute("UPDATE app_row SET slug = ? WHERE slug = 'taxi'", (slug,))


def attack_slug(ledger):
    rename(ledger, "../../home/docs")


def attack_absolute(ledger):
    rename(ledger, os.getcwd() + "/world/home/docs")


def attack_rules(ledger):
    """No attack: more rules like the last event's, each for one version, as pawl would have recorded them."""
    count, minutes = int(sys.argv[3]), int(sys.argv[4])
    events = [row[1] for row in ledger.execute("PRAGMA table_info(event_row)")]
    rules = [row[1] for row in ledger.execute("PRAGMA table_info(rule_row)")]
    last = dict(zip(events, ledger.execute("SELECT * FROM event ORDER BY seq DESC LIMIT 1").fetchone()))
    after = json.loads(last["after"])
    rule = dict(zip(rules, ledger.execute("SELECT * FROM rule WHERE number = ?", (after["number"],)).fetchone()))
    versions = [row[0] for row in ledger.execute("SELECT version FROM release WHERE app_id = ?", (rule["app_id"],))]
    window = [datetime.datetime.strptime(after[end], "%Y-%m-%dT%H:%M:%SZ") for end in ("from", "until")]
    last.update(impact=None, request_id=None, request=None, answer=None, hash="")
    made = []
    for place in range(count):
        last["seq"] += 1
        after["number"] += 1
        window = [end + datetime.timedelta(minutes=minutes) for end in window]
        after["from"], after["until"] = [end.strftime("%Y-%m-%dT%H:%M:%SZ") for end in window]
        after["range"] = versions[place % len(versions)]
        last["subject"] = f"rule/{after['number']}"
        last["after"] = json.dumps(after, separators=(",", ":"), sort_keys=True)
        last["also"] = json.dumps(
            [{"after": {"active": True, "made_by": last["seq"]}, "before": None, "row": last["subject"]}],
            separators=(",", ":"), sort_keys=True)
        rule.update(number=after["number"], from_at=after["from"], until_at=after["until"], range=after["range"],
                    event_seq=last["seq"], made_by=last["seq"])
        made.append((list(last.values()), list(rule.values())))
    for table, columns, rows in [("event", events, [row for row, _ in made]), ("rule", rules, [row for _, row in made])]:
        ledger.executemany(f"INSERT INTO {table}_row ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", rows)


ATTACKS = {name[7:]: value for name, value in globals().items() if name.startswith("attack_")}


def main():
    ledger = sqlite3.connect(sys.argv[1])
    triggers = ledger.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    ledger.execute("PRAGMA ignore_check_constraints = ON")
    ledger.execute("PRAGMA foreign_keys = OFF")
    for name, _ in triggers:
        ledger.execute(f"DROP TRIGGER {name}")
    if sys.argv[2] in ATTACKS:
        ATTACKS[sys.argv[2]](ledger)
    else:
        ledger.executescript(sys.argv[2])
    if "as-it-is" not in sys.argv:
        rehash(ledger)
    for _, sql in triggers:
        ledger.execute(sql)
    ledger.commit()


main()
