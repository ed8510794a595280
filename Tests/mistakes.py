#!/usr/bin/env python3
"""How good are the tests? Plants mistakes in a copy of the sources, all behind one switch, builds once, and runs per mistake
the walks' slice, the comparison with Tests/shell/outsider.py and, where these notice nothing, its module's tests.

  Tests/mistakes.py                 all of them: ten that are named, and others by place up to 150 (up to 2 hours)
  Tests/mistakes.py --named         the ten; --only 5,7 some of them
  Tests/mistakes.py --list          what would be planted
  Tests/mistakes.py --in FOLDER     uses a copy that is there, with what it has built; --build COMMAND and --run COMMAND build
                                    there and run its tests otherwise than with `swift build` and by themselves

The program of the copy makes mistake N where PAWL_MISTAKE is N. Nothing else differs.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COUNT = 150
# Module, its files, and its tests.
PLACES = [
    ("ReleaseModel", "Decision", "WalkTests|ReleaseModelTests"),
    ("ReleaseModel", "Schedule", "WalkTests|ReleaseModelTests"),
    ("ReleaseModel", "Laws", "WalkTests|ReleaseModelTests"),
    ("Export", "", "WalkTests|ExportTests"),
    ("Ledger", "Writing", "LedgerTests"),
]
WALK, OUTSIDER = "WalkTests", "outsider"
SWITCH = """
#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

private let mistakeMade = getenv("PAWL_MISTAKE").flatMap { Int(String(cString: $0)) }

@inline(__always) func mistake(_ number: Int) -> Bool { mistakeMade == number }
"""

# Mistakes with a name: the file, what stands there, and what would.
NAMED = [
    ("force to the client's own version", "ReleaseModel/Decision/Outlook.swift",
     "isBelowTarget: target.map { version < $0 } ?? false,",
     "isBelowTarget: target.map { mistake(N) ? version <= $0 : version < $0 } ?? false,"),
    ("a document keeps a prompt after stop", "Export/AppAnswers.swift",
     "self.schedule = moment < schedule.from ? Schedule(snapshot, from: moment) : schedule",
     "var speaking = snapshot; speaking.line.app.isStopped = false; "
     "self.schedule = mistake(N) ? Schedule(speaking, from: moment) : moment < schedule.from ? Schedule(snapshot, from: moment) : schedule"),
    ("a version in review is prompted", "ReleaseModel/Decision/Outlook.swift",
     "if standing.isInReview {", "if !mistake(N), standing.isInReview {"),
    ("a held release is visible", "ReleaseModel/Releases/Release.swift",
     "return visibleAt <= moment\n  }\n\n  /// When its phased", "return mistake(N) || visibleAt <= moment\n  }\n\n  /// When its phased"),
    ("the store falls back below a removed release", "ReleaseModel/Decision/Targets.swift",
     "guard release.isVisible(at: moment) else { break }", "guard release.isVisible(at: moment) else { if mistake(N) { continue } else { break } }"),
    ("a minimum system is not asked for", "ReleaseModel/Decision/Targets.swift",
     "guard let os, let minOS else { return true }", "guard !mistake(N), let os, let minOS else { return true }"),
    ("an older rule wins", "ReleaseModel/Rules/Precedence.swift",
     "return exact != otherExact ? exact : number > other.number",
     "return exact != otherExact ? exact : mistake(N) ? number < other.number : number > other.number"),
    ("the preview drops ranges without a known version", "ReleaseModel/Schedule/Impact.swift",
     "guard !changes.isEmpty else { continue }", "guard !changes.isEmpty, try !mistake(N) || known(lo, hi) > 0 else { continue }"),
    ("a threshold is a version too high", "Export/Formats/Thresholds.swift",
     "    self.forced = forced.map(answers.spelled)",
     "    self.forced = mistake(N) ? announced : forced.map(answers.spelled)"),
    ("a version that was live may go live below another", "ReleaseModel/Laws/Law.swift",
     "if let live, live.id != release.id, release.version <= live.version {",
     "if !mistake(N), let live, live.id != release.id, release.version <= live.version {"),
]

OPERAND = r"(?:[A-Za-z_$][\w$]*(?:\.[\w]+)*(?:\[[\w.$ +-]+\])?(?:\.[\w]+)*|\d+)"
SWAPS = [
    (rf"({OPERAND}) (<|<=|>|>=|==|!=) ({OPERAND})(?=[ ,){{}}]|$)",
     lambda m: (f"{m[1]} {m[2]} {m[3]}", f"{m[1]} {dict(zip(['<', '<=', '>', '>=', '==', '!='], ['<=', '<', '>=', '>', '!=', '=='])).get(m[2])} {m[3]}")),
    (r"(?<=[ (])!([a-z][\w.]*)(?=[ ,){]|$)", lambda m: (m[0], m[1])),
    (r"\?\? (true|false)\b", lambda m: (m[1], "false" if m[1] == "true" else "true")),
    (r"\breturn (true|false)\b", lambda m: (m[1], "false" if m[1] == "true" else "true")),
    (r"(?<== )\.(force|remind|none)\b(?=\s*$)", lambda m: (m[0], {"force": ".remind", "remind": ".force", "none": ".remind"}[m[1]])),
]


def candidates():
    """Operators, bounds and words that can be swapped, in the order of files and lines."""
    for module, folder, tests in PLACES:
        base = os.path.join(ROOT, "Sources", module, folder)
        for path, _, names in sorted(os.walk(base)):
            for name in sorted(names):
                file = os.path.relpath(os.path.join(path, name), os.path.join(ROOT, "Sources"))
                for number, line in enumerate(open(os.path.join(path, name))):
                    code = line.split("//")[0]
                    if '"' in code or re.match(r"\s*(case|import|package import|#|@|default)", code) or "func " in code:
                        continue
                    for pattern, swap in SWAPS:
                        for match in re.finditer(pattern, code):
                            was, would = swap(match)
                            start = match.start() + match[0].index(was)
                            yield {"file": file, "line": number, "start": start, "was": was, "would": would, "tests": tests}


def chosen():
    """The named ones, and of the others as many, evenly by place, as there are to be."""
    mistakes = []
    for name, file, was, would in NAMED:
        tests = next(tests for module, _, tests in PLACES if file.startswith(module))
        mistakes.append({"name": name, "file": file, "was": was, "would": would, "tests": tests})
    lines, rest = set(), []
    for each in candidates():
        # One a line, so that each can be left out by itself where it is no Swift.
        if (each["file"], each["line"]) not in lines:
            lines.add((each["file"], each["line"]))
            rest.append(each)
    return mistakes, rest


def plant(mistakes, folder):
    """Writes the sources with all mistakes; returns those that are there no more."""
    for name in ("Sources", "Tests"):
        shutil.rmtree(os.path.join(folder, name))
        shutil.copytree(os.path.join(ROOT, name), os.path.join(folder, name))
    missing = []
    for module in {module for module, _, _ in PLACES}:
        with open(os.path.join(folder, "Sources", module, "Mistake.swift"), "w") as file:
            file.write(SWITCH)
    by_file = {}
    for number, each in mistakes.items():
        by_file.setdefault(each["file"], []).append((number, each))
    for file, planted in by_file.items():
        path = os.path.join(folder, "Sources", file)
        lines = open(path).read().split("\n")
        for number, each in planted:
            if "name" not in each:
                line, end = lines[each["line"]], each["start"] + len(each["was"])
                lines[each["line"]] = f"{line[:each['start']]}(mistake({number}) ? {each['would']} : {each['was']}){line[end:]}"
        text = "\n".join(lines)
        for number, each in planted:
            if "name" in each:
                if text.count(each["was"]) != 1:
                    missing.append(each["name"])
                text = text.replace(each["was"], each["would"].replace("mistake(N)", f"mistake({number})"))
        with open(path, "w") as out:
            out.write(text)
    return missing


def notices(tests, number, folder, run):
    """Whether some tests fail, or do not end, where a mistake is made."""
    command = f"{run} .build/debug/pawlPackageTests.xctest --testing-library swift-testing --filter '^{tests}'"
    environment = dict(os.environ, PAWL_MISTAKE=str(number), PAWL_WALK=os.environ.get("PAWL_WALK", "401"))
    if tests == OUTSIDER:
        environment["PAWL_WALK_SAMPLE"] = "1009"
        command = command.replace(f"'^{tests}'", "sample.of.states") + f" | python3 {ROOT}/Tests/shell/outsider.py agree"
    try:
        return subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, timeout=900).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--named", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--in", dest="folder")
    parser.add_argument("--build", default="swift build --build-tests")
    parser.add_argument("--run", default="")
    options = parser.parse_args()
    named, rest = chosen()
    wanted = 0 if options.named else max(0, options.count - len(named))
    # More than wanted, evenly, since some are no Swift.
    spare = [rest[place * len(rest) // (wanted * 3 // 2)] for place in range(wanted * 3 // 2)] if wanted else []
    if options.list:
        for each in named + spare:
            print(each["file"], each.get("line", -1) + 1, each.get("name") or f"{each['was']} → {each['would']}")
        return 0
    folder = options.folder or tempfile.mkdtemp(prefix="pawl-mistakes.")
    if not options.folder:
        for name in ("Package.swift", "Sources", "Tests", "db", "docs", "README.md"):
            copy = shutil.copytree if os.path.isdir(os.path.join(ROOT, name)) else shutil.copy
            copy(os.path.join(ROOT, name), os.path.join(folder, name))
    mistakes = dict(enumerate(named + spare, 1))
    for _ in range(12):
        missing = plant(mistakes, folder)
        if missing:
            sys.exit("these stand in the sources no more, name others: " + "; ".join(missing))
        built = subprocess.run(options.build, shell=True, cwd=folder, capture_output=True, text=True)
        if built.returncode == 0:
            break
        # What is no Swift, or what the compiler cannot follow, is left out.
        bad = {(m[1], int(m[2]) - 1) for m in re.finditer(r"Sources/(\S+?\.swift):(\d+):\d+: error", built.stdout + built.stderr)}
        before = len(mistakes)
        mistakes = {n: e for n, e in mistakes.items() if (e["file"], e.get("line")) not in bad}
        if len(mistakes) == before:
            sys.exit("it does not build:\n" + (built.stdout + built.stderr)[-3000:])
    if wanted:
        kept = [n for n in mistakes if n > len(named)]
        kept = [kept[place * len(kept) // wanted] for place in range(wanted)] if len(kept) > wanted else kept
        mistakes = {n: e for n, e in mistakes.items() if n <= len(named) or n in kept}
    only = [int(number) for number in options.only.split(",") if number]
    mistakes = {n: e for n, e in mistakes.items() if not only or n in only}
    noticed, by_walk = 0, 0
    for number, each in mistakes.items():
        start = time.time()
        steps = [WALK, OUTSIDER] + [name for name in each["tests"].split("|") if name != WALK]
        by = next((name for name in steps if notices(name, number, folder, options.run)), None)
        what = each.get("name") or f"{each['was']} → {each['would']}"
        place = f"{each['file']}:{each['line'] + 1}" if "line" in each else each["file"]
        print(f"{number:4} {place}  {what}: {by or 'NOT NOTICED'}, {time.time() - start:.0f} s", flush=True)
        noticed += by is not None
        by_walk += by in (WALK, OUTSIDER)
    print(f"{noticed} of {len(mistakes)} mistakes noticed, {by_walk} of them by the walks and the outsider alone")
    if not options.folder:
        shutil.rmtree(folder)
    return 0 if noticed >= 0.95 * len(mistakes) else 1


sys.exit(main())
