"""Holds exported documents against what they are documented to be.

    documents.py schemas SCHEMAS DIR        validates every file of v1 and the manifest; says how many
    documents.py mutants SCHEMAS DIR        damages each file in every way it knows; each must be refused
    documents.py clients FILE SECONDS PAWL VERSION...
        compares docs/clients/schedule.py with 'pawl check', moment by moment; the versions are those never live
    documents.py phases PAWL        compares both with what the phases and the expiry of a release come to, day by day
"""

import copy
import glob
import importlib.util
import json
import os
import subprocess
import sys
import time

KINDS = {"default.json": "default", "schedule.json": "schedule", "manifest.json": "manifest"}


def documents(folder):
    """Every file of v1 and the manifest, with the name of its schema."""
    for path in sorted(glob.glob(f"{folder}/v1/*/*.json")) + [f"{folder}/manifest.json"]:
        with open(path, "rb") as file:
            yield path, KINDS.get(os.path.basename(path), "version"), json.load(file)


def validators(folder):
    import jsonschema

    made = {}
    for kind in ["version", "default", "schedule", "manifest"]:
        with open(f"{folder}/{kind}.schema.json", "rb") as file:
            schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schema)
        made[kind] = jsonschema.Draft202012Validator(schema)
    return made


def validate(schemas, folder):
    valid = validators(schemas)
    counts = dict.fromkeys(valid, 0)
    for path, kind, document in documents(folder):
        for error in valid[kind].iter_errors(document):
            sys.exit(f"{path}: {error.json_path}: {error.message}")
        counts[kind] += 1
    print("measured:", ", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return 0 if all(counts.values()) else 1


def places(value, path=()):
    """Every place of a document."""
    yield path, value
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    for key, member in members:
        yield from places(member, path + (key,))


def changed(document, path, change):
    """A copy with the container of one place changed."""
    other = copy.deepcopy(document)
    holder = other
    for key in path[:-1]:
        holder = holder[key]
    change(holder, path[-1])
    return other


# Objects whose members have names of somebody's choice: one less, or one more of the kind, is no damage.
FREE = {"settings", "notes", "notesByLocale", "apps", "files"}


def is_free(path):
    return bool(path) and (path[-1] in FREE or path[0] == "notes")


def mutants(document):
    """The document damaged in one place each time, and what was done."""
    for path, value in places(document):
        if isinstance(value, dict) and not is_free(path):
            for key in value:
                yield f"without {path + (key,)}", changed(document, path + (key,), lambda at, k: at.pop(k))
            yield f"more in {path}", changed(document, path + ("surprise",), lambda at, k: at.update({k: 1}))
        if not path:
            continue
        for wrong in [1.5, [[]], {"surprise": 1}, -1]:
            yield f"{path} as {wrong}", changed(document, path, lambda at, k: at.__setitem__(k, wrong))
        if isinstance(value, str) and path[-1] not in ("notes", "value") and not {"notes", "notesByLocale", "settings"} & set(path[:-1]):
            # No line end after it: Python's '$' lets one through, and that of JSON Schema does not.
            for wrong in ["", "\u0000", value + " ", None if path[-1] == "app" else "v" + value.upper()]:
                yield f"{path} as {wrong!r}", changed(document, path, lambda at, k: at.__setitem__(k, wrong))


def mutate(schemas, folder):
    valid = validators(schemas)
    tried = missed = 0
    seen = set()
    for path, kind, document in documents(folder):
        # One of each shape is enough.
        shape = (kind, document.get("action"), bool(document.get("tiers")), document.get("decidedBy"))
        if shape in seen:
            continue
        seen.add(shape)
        for what, mutant in mutants(document):
            tried += 1
            if valid[kind].is_valid(mutant):
                missed += 1
                if missed < 20:
                    print(f"{path}: {what} is accepted")
    print(f"measured: {tried} damaged documents, {missed} of them accepted")
    return 1 if missed or tried < 500 else 0


def reference_client():
    place = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "clients", "schedule.py")
    spec = importlib.util.spec_from_file_location("schedule", place)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module


def clients(file, seconds, pawl, hidden):
    """Compares the two for many versions, systems and moments, without a new export."""
    client = reference_client()
    with open(file, "rb") as opened:
        schedule = json.load(opened)
    names = [os.path.basename(path)[: -len(".json")] for path in glob.glob(f"{os.path.dirname(file)}/[0-9]*.json")]
    known = sorted(names) + hidden
    numbers = known + ["0", "0.1", "999", "1000.0.1", "999999999.999999999.999999999.999999999"]
    for name in known:
        # The same version written otherwise, and unknown ones around it.
        parts = (name.split(".") + ["0"] * 3)[:3]
        numbers += [".".join(parts), ".".join(parts[:2] + [str(int(parts[2]) + 1)]), ".".join(parts) + ".1"]
    asked = list(dict.fromkeys(numbers))
    systems = [None, "9", "12.4", "15.0", "15.0.1", "16", "17.2", "99"]
    lines = "".join(f"{name} {system}\n" if system else f"{name}\n" for name in asked for system in systems)
    compared = prompts = 0
    for second in moments(schedule, seconds):
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(second))
        done = subprocess.run(
            [pawl, "check", schedule["app"], "--stdin", "--at", moment], input=lines.encode(), capture_output=True, check=True)
        told = iter(map(json.loads, done.stdout.splitlines()))
        for name in asked:
            for system in systems:
                wanted = next(told)
                got = client.find(schedule, name, system, second)
                notes = got["notes"] or {}
                same = ["action", "minOS", "remindEvery", "review", "settings", "target", "targetApp", "url"]
                same += ["decidedBy", "rule"] if system is None else []
                if [wanted[key] for key in same] != [got[key] for key in same] or (wanted["notes"] is not None) != bool(notes):
                    sys.exit(f"{name} on {system} at {moment}:\n  check  {wanted}\n  client {got}")
                if wanted["notes"] is not None and wanted["notes"] not in notes.values():
                    sys.exit(f"{name}: {wanted['notes']} is not among {notes}")
                compared += 1
                prompts += got["action"] != "none"
    print(f"measured: {compared} answers, {prompts} of them prompts")
    return 0


DAY = 86_400
# What decides about the clients of 2.x, by app: a command, or what the release itself says.
SPEAKERS = {
    "policy": [], "force": ["force", "below:2.2", "--reason", "x"], "remind": ["remind", "from:2.0 below:2.2"],
    "allow": ["allow", "from:2.0"], "mandatory": ["amend", "2.2", "--mandatory"], "silent": ["set", "--policy", "force,none"],
    "visible": ["set", "--remind-after", "visible"],
}


def phases(pawl):
    """Phased releases of every state and pause, then builds that expire, under each command: 41 days of each.

    PhaseTests has 'check' for all of that; here it is asked now and then.
    """
    client, start = reference_client(), int(time.time()) - 60

    def run(*words, given=None):
        done = subprocess.run([pawl, *words], input=given, capture_output=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}: {done.stderr.decode()}")
        return done.stdout

    def moment(day):
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(start + day * DAY))

    run("init")
    for number, (app, words) in enumerate(SPEAKERS.items()):
        run("app", "add", app, "--bundle-id", f"com.example.{app}", "--apple-id", str(number + 1), "--remind-after", "phase")
        past = "".join(f"{version},{moment(day)}\n" for version, day in [("1.0", -30), ("2.0", -20), ("2.1", -10), ("2.2", 0)])
        run("import", app, "-", "--yes", given=b"version,released_at\n" + past.encode())
        if words[:1] == ["set"]:
            run("app", "set", app, *words[1:], "--yes")
        elif words:
            run(words[0], app, *words[1:], "--yes")

    def say(state, paused):
        answer = {
            "data": [{"type": "appStoreVersions", "id": "v", "attributes": {
                "platform": "IOS", "versionString": "2.2", "appVersionState": "READY_FOR_DISTRIBUTION"},
                "relationships": {"appStoreVersionPhasedRelease": {"data": {"type": "appStoreVersionPhasedReleases", "id": "p"}}}}],
            "included": [{"type": "appStoreVersionPhasedReleases", "id": "p", "attributes": {
                "phasedReleaseState": state, "startDate": None if state == "INACTIVE" else moment(0),
                "totalPauseDuration": paused}}]}
        for app in SPEAKERS:
            run("ingest", "asc", app, "-", "--yes", given=json.dumps(answer).encode())

    def expected(app, day, reminds_on, expires_on):
        """What 1.0, 2.0, 2.1 and 2.2 are told, by the page on phased releases alone."""
        if expires_on <= day:
            return ["none"] * 4
        is_over = reminds_on <= day
        middle = {
            "policy": ["remind 2.2"] * 2 if is_over else ["remind 2.1", "none"], "visible": ["remind 2.2"] * 2,
            "force": ["force 2.2"] * 2, "remind": ["remind 2.2"] * 2, "mandatory": ["force 2.2"] * 2,
            "allow": ["none"] * 2, "silent": ["none"] * 2}[app]
        return ["force 2.2", *middle, "none"]

    rows = asked = 0

    def hold(what, reminds_on, expires_on=1_000, paused=0):
        nonlocal rows, asked
        run("export", "documents")
        for app in SPEAKERS:
            with open(f"documents/v1/{app}/schedule.json", "rb") as file:
                schedule = json.load(file)
            for day in range(41):
                # A moment after the day began, so that a second's difference decides nothing.
                second = start + day * DAY + 300
                at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(second))
                versions = ["1.0", "2.0", "2.1", "2.2"]
                said = {"schedule.py": [client.find(schedule, version, None, second) for version in versions]}
                if (day + paused) % 15 == 7:
                    lines = run("check", app, "--stdin", "--at", at, given="\n".join(versions).encode()).splitlines()
                    said["check"] = [json.loads(line) for line in lines]
                    asked += len(lines)
                wanted = expected(app, day, reminds_on, expires_on)
                for name, answers in said.items():
                    found = [f"{one['action']} {one['target']}" if one["target"] else one["action"] for one in answers]
                    if found != wanted:
                        sys.exit(f"{what}, {app}, day {day}: {name} says {found}, not {wanted}")
                rows += len(wanted)

    say("INACTIVE", 0)
    hold("inactive", 7)
    for paused in [*range(31), 45]:
        say("ACTIVE", paused)
        hold(f"active, paused {paused}", 7 + min(paused, 30), paused=paused)
        say("PAUSED", paused)
        hold(f"paused {paused}", 37, paused=paused)
    say("COMPLETE", 30)
    hold("complete", 0)
    for day in (20, 1):
        for app in SPEAKERS:
            run("amend", app, "2.2", "--expires", moment(day), "--yes")
        hold(f"expires on day {day}", 0, day)
    print(f"measured: {rows} answers of schedule.py and {asked} of 'check', day by day")
    return 0 if rows == (1 + 2 * 32 + 1 + 2) * len(SPEAKERS) * 41 * 4 and asked > 4_000 else 1


def moments(schedule, seconds):
    """Every moment the schedule names, a second before and after it, and some more."""
    named = {row[end] for row in schedule["rows"] for end in ("validFrom", "validUntil")} - {253_402_300_800}
    all_of_them = {second + step for second in named for step in (-1, 0, 1)} | {seconds, seconds + 400 * 86_400}
    return sorted(second for second in all_of_them if second >= seconds)


if sys.argv[1] == "schemas":
    sys.exit(validate(sys.argv[2], sys.argv[3]))
elif sys.argv[1] == "mutants":
    sys.exit(mutate(sys.argv[2], sys.argv[3]))
elif sys.argv[1] == "phases":
    sys.exit(phases(sys.argv[2]))
else:
    sys.exit(clients(sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5:]))
