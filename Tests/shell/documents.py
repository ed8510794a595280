"""Holds exported documents against what they are documented to be.

    documents.py schemas SCHEMAS DIR        validates every file of v1 and the manifest; says how many
    documents.py mutants SCHEMAS DIR        damages each file in every way it knows; each must be refused
"""

import copy
import glob
import json
import os
import sys

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
        if isinstance(value, str) and path[-1] not in ("notes", "value") and not {"notes", "notesByLocale", "settings", "withheld"} & set(path[:-1]):
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


sys.exit({"schemas": validate, "mutants": mutate}[sys.argv[1]](sys.argv[2], sys.argv[3]))
