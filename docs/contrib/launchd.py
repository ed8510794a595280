#!/usr/bin/env python3
"""Prints the launchd job of a unit of docs/units, with the accounts and folders of a Mac.

    launchd.py pawl-export
    launchd.py pawl-deliver@chat deliver-chat.env     with what systemd would read from /etc/pawl

Programs are looked for where Homebrew puts them on Apple silicon.
"""
import pathlib
import plistlib
import re
import sys

UNITS = pathlib.Path(__file__).resolve().parent.parent / "units"
FOLDERS = {
    "/var/lib/": "/usr/local/var/", "/var/backups/pawl/": "/usr/local/var/pawl-backup/",
    "/srv/report/": "/usr/local/var/pawl-report/", "/etc/": "/usr/local/etc/",
}
SECONDS = {"minutely": 60, "*:0/5": 300, "*:0/10": 600, "hourly": 3600}


def assignments(text):
    for old, new in FOLDERS.items():
        text = text.replace(old, new)
    lines = [line for line in text.splitlines() if "=" in line and not line.startswith("#")]
    return [tuple(line.split("=", 1)) for line in lines]


def job(unit, file=None):
    name, at, instance = unit.partition("@")
    settings = {}
    for part in ["service", "timer", "path"]:
        path = UNITS / f"{name}{at}.{part}"
        for key, value in assignments(path.read_text().replace("%i", instance)) if path.exists() else []:
            settings.setdefault(key, []).append(value)
    variables = {"PATH": "/opt/homebrew/bin:/usr/bin:/bin"}
    variables.update(value.split("=", 1) for value in settings["Environment"])
    variables.update(assignments(pathlib.Path(file).read_text()) if file else [])
    # Clients can read what a delivery announces.
    before = "pawl export; " if "Wants" in settings else ""
    [time] = settings["OnCalendar"]
    job = {
        "Label": unit, "UserName": "_" + settings["User"][0], "EnvironmentVariables": variables,
        "ProgramArguments": ["/bin/sh", "-c", before + " && ".join(settings["ExecStart"])],
    }
    if "Group" in settings:
        job["GroupName"] = "_" + settings["Group"][0]
    if "PathChanged" in settings:
        job["WatchPaths"] = settings["PathChanged"]
    if time in SECONDS:
        return job | {"StartInterval": SECONDS[time]}
    hour, minute = re.search(r"(\d+):(\d+)", time).groups()
    return job | {"StartCalendarInterval": {"Hour": int(hour), "Minute": int(minute)}}


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.stdout.write(plistlib.dumps(job(*sys.argv[1:])).decode())
