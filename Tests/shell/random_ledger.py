"""Random ledgers of two apps, for what is held against 'pawl check'."""

import json
import os
import random
import shutil
import time


def moment(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def after_phases(chance):
    return ["--remind-after", "phase"] if chance.random() < 0.8 else []


def ingest_phases(pawl, chance, app, versions):
    """What App Store Connect says of phased releases that began some days ago."""
    data, included = [], []
    for name in versions:
        phase = {"phasedReleaseState": chance.choice(["ACTIVE", "ACTIVE", "PAUSED", "PAUSED", "COMPLETE"]), "totalPauseDuration": chance.randint(0, 2),
                 "startDate": moment(time.time() - chance.choice([1, 3, 5, 6]) * 86_400)}
        data.append({"type": "appStoreVersions", "id": "v" + name, "attributes": {
            "platform": "IOS", "versionString": name, "appVersionState": "READY_FOR_DISTRIBUTION"},
            "relationships": {"appStoreVersionPhasedRelease": {"data": {"type": "appStoreVersionPhasedReleases", "id": "p" + name}}}})
        included.append({"type": "appStoreVersionPhasedReleases", "id": "p" + name, "attributes": phase})
    with open("asc.json", "w") as file:
        json.dump({"data": data, "included": included}, file)
    pawl("ingest", "asc", app, "asc.json", "--yes")


def random_ledger(pawl, seed):
    """A ledger with something of everything, the versions that 'taxi' has, and those to ask about.

    pawl runs the program; with status=None it may refuse.
    """
    chance = random.Random(seed)
    for name in ("pawl.db", "pawl.db-lock"):
        if os.path.exists(name):
            os.remove(name)
    shutil.rmtree("documents", ignore_errors=True)
    pawl("init")
    pawl("trust", "host", "example.com")
    policy = chance.choice(["force,remind,none", "remind", "none,force", "remind,force,none"])
    pawl("app", "add", "taxi", "--bundle-id", "com.example.taxi", "--apple-id", "1524608462", "--policy", policy,
         "--remind-every", chance.choice(["once", "1d", "always"]), *after_phases(chance))
    pawl("app", "add", "van", "--bundle-id", "com.example.van", "--apple-id", "1524608464", *after_phases(chance))
    now, lines, versions, version = time.time(), ["version,released_at,min_os"], [], [1, 0, 0]
    for index in range(chance.randint(2, 7)):
        versions.append(".".join(map(str, version[: chance.choice([2, 3]) if version[2] == 0 else 3])))
        lines.append(f"{versions[-1]},{moment(now - (20 - index) * 86_400)},{chance.choice(['', '', '15.0', '16.4'])}")
        place = chance.randrange(3)
        version[place] += chance.randint(1, 9)
        version[place + 1:] = [0] * (2 - place)
    with open("past.csv", "w") as file:
        file.write("\n".join(lines) + "\n")
    pawl("import", "taxi", "past.csv", "--yes")
    with open("past.csv", "w") as file:
        file.write(f"version,released_at\n9.1,{moment(now - 86_400)}\n")
    pawl("import", "van", "past.csv", "--yes")
    if chance.random() < 0.5:
        pawl("publish", "van", "9.2", "--yes", *(["--expires", chance.choice(["2d", "9d"])] if chance.random() < 0.5 else []))
        pawl("mark", "van", "9.2", "live", "--visible-now", "--yes")
        ingest_phases(pawl, chance, "van", ["9.2"])
    for state in chance.sample(["live", "live", "in-review", "removed"], 2):
        place = chance.choice([1, 2])
        version[place] += 1
        version[place + 1:] = [0] * (2 - place)
        name = ".".join(map(str, version))
        versions.append(name)
        pawl("publish", "taxi", name, "--yes", "--note", "en=New", "--note", "de=Neu", "--note", "zh-Hant=新",
             *(["--mandatory"] if chance.random() < 0.3 else []), *(["--min-os", "16.0"] if chance.random() < 0.4 else []),
             *(["--expires", chance.choice(["1d", "4d", "9d"])] if chance.random() < 0.3 else []))
        if state == "removed":
            pawl("mark", "taxi", name, "live", "--visible-now", "--yes")
        pawl("mark", "taxi", name, state, "--yes", "--reason", "test")
        if state == "live":
            ingest_phases(pawl, chance, "taxi", [name])
    changes = []
    for _ in range(chance.randint(0, 5)):
        known = chance.choice(versions[:-2])
        bounds = chance.choice([known, "all", "below:" + known, "from:" + known, "upto:" + known])
        when = chance.choice([[], ["--from", "2d"], ["--until", "3d"], ["--from", "1d", "--until", "4d"]])
        kind = chance.randrange(6)
        if kind < 3:
            page = chance.choice([[], [], ["--url", "https://example.com/why"], ["--to", "van"]])
            words = [["force", "remind", "allow"][kind], "taxi", bounds, "--reason", "test", *(page if kind < 2 else [])]
        elif kind == 3:
            words = ["redirect", "taxi", bounds, *chance.choice([["--to", "van"], ["--url", "https://example.com/x"]])]
        else:
            during = chance.choice([[], ["--during", "review"], ["--during", "released"]])
            words = ["setting", "taxi", chance.choice(["map", "menu"]), chance.choice("abc"), "--versions", bounds, *during]
        changes.append([*words, *when])
    if chance.random() < 0.6:
        changes.append(["force", "taxi", "below:" + versions[-3], "--from", "60h", "--reason", "test"])
    for words in changes:
        # What nobody could follow is refused.
        pawl(*words, "--yes", status=None)
    end = chance.random()
    if end < 0.12:
        pawl("stop", "taxi", "--reason", "test")
    elif end < 0.24:
        pawl("app", "retire", "taxi", "--reason", "test", "--yes")
    near = [".".join([*name.split(".")[:-1], str(int(name.split(".")[-1]) + step)]) for name in versions for step in (1, 2)]
    # Zeros before a number mean nothing.
    padded = [".".join("0" * chance.randrange(3) + number for number in name.split(".")) for name in versions]
    return chance, versions, versions + near + padded + ["0.1", "99.0", versions[0] + ".0" if versions[0].count(".") < 2 else "1.0.0.1"]
