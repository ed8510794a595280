#!/usr/bin/env python3
"""How good are the tests? Plants mistakes in a copy of the sources, all behind one switch, builds once, and runs per mistake
the walks' slice, the comparison with Tests/shell/outsider.py and, where these notice nothing, its module's tests. A run ends
at its first failure.

  Tests/mistakes.py                 all of them: ten that are named, and others by rule up to 150
  Tests/mistakes.py --named         the ten; --only 5,7 some of them; --list says what would be planted
  Tests/mistakes.py --seed TEXT     150 others by rule: a new text draws mistakes that no test was written for
  Tests/mistakes.py --in FOLDER     uses a copy that is there, with what it has built; --build COMMAND and --run COMMAND build
                                    there and run its tests otherwise than with `swift build` and by themselves

The program of the copy makes mistake N where PAWL_MISTAKE is N. Nothing else differs. Which mistakes the rules make depends
on the text of lines alone, not on where they stand, so that they are the same ones as long as the lines are.
"""
import argparse
import collections
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COUNT = 150
WALK, OUTSIDER, STORIES = "WalkTests", "outsider", "AdminCommandsTests.StoryTests"
# Where mistakes are made, and the tests that are run, the cheapest first.
AREAS = [
    ("ReleaseModel/Decision", [WALK, OUTSIDER, "ReleaseModelTests", STORIES]),
    ("ReleaseModel/Schedule", [WALK, OUTSIDER, "ReleaseModelTests", "ExportTests", STORIES]),
    ("ReleaseModel/Laws", [WALK, OUTSIDER, "ReleaseModelTests", STORIES]),
    ("Export", [WALK, "ExportTests", "AdminCommandsTests.(SignedDocument|Export)Tests", STORIES]),
    ("Ledger/Writing", ["LedgerTests", "AdminCommandsTests"]),
]
SWITCH = """
#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

private let mistakeMade = getenv("PAWL_MISTAKE").flatMap { Int(String(cString: $0)) } ?? 0

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
     "return visibleAt <= moment\n  }\n\n  /// The release in the state", "return mistake(N) || visibleAt <= moment\n  }\n\n  /// The release in the state"),
    ("the store falls back below a removed release", "ReleaseModel/Decision/Targets.swift",
     "guard release.isVisible(at: moment) else { break }", "guard release.isVisible(at: moment) else { if mistake(N) { continue } else { break } }"),
    ("a minimum system is not asked for", "ReleaseModel/Decision/Targets.swift",
     "guard let os, let minOS else { return true }",
     "guard !mistake(N), let os, let minOS else { return true }"),
    ("an older rule wins", "ReleaseModel/Rules/Precedence.swift",
     "return exact != otherExact ? exact : number > other.number",
     "return exact != otherExact ? exact : mistake(N) ? number < other.number : number > other.number"),
    ("the preview drops ranges without a known version", "ReleaseModel/Schedule/Impact.swift",
     "if let index = last[said], lines[index].hi == part.lowerBound {",
     "if try mistake(N) && known(part.lowerBound, part.upperBound) == 0 { continue }\n"
     "          if let index = last[said], lines[index].hi == part.lowerBound {"),
    ("a threshold is a version too high", "Export/Formats/Thresholds.swift",
     "    self.forced = forced.map(answers.spelled)",
     "    self.forced = mistake(N) ? announced : forced.map(answers.spelled)"),
    ("a version that was live may go live below another", "ReleaseModel/Laws/LawChecks.swift",
     "if let live, live.id != release.id, release.version <= live.version {",
     "if !mistake(N), let live, live.id != release.id, release.version <= live.version {"),
]

# What the rules make of a line without making any difference, and why: no test can notice these.
SAME = [
    ("Outlook.swift", "mandatory.map { version < $0.version } ?? true", "it is asked of a mandatory release only"),
    ("Outlook.swift", "snapshot.others.sorted { $0.key > $1.key }", "each is found by its name"),
    ("Prevailing.swift", "guard true else { continue }", "what has ended is taken out again some lines below"),
    ("Prevailing.swift", "moments >= 0", "there is always a first moment"),
    ("Impact.swift", "last.map { lines.last?.hi == .after($0) } ?? true", "before the first version there is no line"),
    ("AppAnswers.swift", "(told.last ?? [:])", "what all have the last one has"),
    ("Thresholds.swift", "$0 <= bound && !underWay", "the bound itself is under way"),
    ("ChangeSet.swift", "waivesHold = true", "the command that marks says it itself"),
    ("Law.swift", "latest.map({ releasedAt <= $0 })", "what went live at that very moment is in nobody's way"),
    ("TrustRecord.swift", "guard true else { return nil }", "where none are needed none are missing"),
    ("Outlook.swift", "greatestEverLive.map { $0 <= version } ?? true", "what was live itself is found by its number"),
    ("Outlook.swift", "target: $0) } ?? .remind", "it is asked of what lies below a target only"),
    ("ComparedCase.swift", "guard true else { return nil }", "no schedule has an answer that ended before it begins"),
    ("ComparedCase.swift", "asksPerson = true", "what forces now asks for itself"),
    ("AgreementLaw.swift", "isPresent = stages.isEmpty && isPhased", "the present is compared twice, or not in phases"),
    ("AgreementLaw.swift", "guard true else { return [] }", "rules that prompt no one need nobody's agreement"),
    ("ChangeSet.swift", "isUrgent: Bool = true", "whoever writes says it, and who only reads has no schedules"),
    ("AgreementLaw.swift", "line.rules.sort { $0.number > $1.number }", "what is not seen at once to be milder is compared in full"),
]

WORD = r"[A-Za-z_$][\w$]*"
OPERAND = rf"(?:{WORD}(?:\.\w+)*(?:\[[\w.$ +-]+\])?(?:\.\w+)*|\d[\d_]*)"
END = r"(?=[ ,){}\]]|$)"
OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "true": "false", "false": "true", "min": "max",
         "max": "min", ".force": ".remind", ".remind": ".force", ".none": ".remind", "first": "last", "last": "first",
         "before": "after", "after": "before", "lower": "upper", "upper": "lower", "lowerBound": "upperBound",
         "upperBound": "lowerBound", "isSubset": "isSuperset", "isSuperset": "isSubset", "allSatisfy": "contains"}


def compared(match):
    """A bound that is off by one; where two of a kind are put in order, the other way round."""
    left, sign, right = match[1], match[2], match[3]
    is_order = "$0" in left and right == left.replace("$0", "$1")
    return f"{left} {sign.translate(str.maketrans('<>', '><')) if is_order else OTHER[sign]} {right}"


# What is looked for in a line, which part of it changes, and what it becomes: operators, bounds, missing cases, swapped words.
RULES = [
    (rf"(?<![\w.$\])?!])(?<![-+*/%?] )({OPERAND}) (<|<=|>|>=|==|!=) ({OPERAND}){END}", 0, compared),
    (rf"(?<=[ (])!([a-z$][\w.]*){END}", 0, lambda m: m[1]),
    (r"\?\? (true|false)\b", 1, lambda m: OTHER[m[1]]),
    (r"(?:\breturn|\bin|=|(?<!keepingCapacity):) (true|false)\b", 1, lambda m: OTHER[m[1]]),
    (r"(?<=[=?:] )(\.force|\.remind|\.none)\b(?![(\w])", 1, lambda m: OTHER[m[1]]),
    (r"(?<![\w.])(min|max)(?=\()", 1, lambda m: OTHER[m[1]]),
    (rf"(?<![\w.$\])?!])({WORD}(?:\.\w+)*)\.(first|last|before|after|lower|upper|lowerBound|upperBound)\b(?![({{\w?]| \{{)", 0,
     lambda m: f"{m[1]}.{OTHER[m[2]]}"),
    (rf"(?<![\w.$\])?!])(?<![-+*/%] )({OPERAND}) \+ 1\b", 0, lambda m: m[1]),
    (rf"(?:\(|\{{ |return |if |, |&& |\|\| )({OPERAND}) && ", 1, lambda m: "true"),
    (rf" \|\| ({OPERAND})(?=,|\)| \{{|$)", 1, lambda m: "false"),
    (r"^\s*(?:\} else )?if (.*) \{$", None, "!mistake(N), "),
    (r"^\s*guard ((?!.*(?:\blet |\bcase |\bvar |, |\btry |\bawait )).*) else \{", 1, lambda m: "true"),
    (r"^\s*for .* where ((?!.*(?:\btry |\bawait )).*) \{$", 1, lambda m: "true"),
    (r"\.filter \{ ([^{}]*) \}", 1, lambda m: "true"),
]


def changes(line):
    """What the rules make of a line: where, what stands there, what would, and how it is written behind the switch."""
    code = line.split("//")[0].rstrip()
    if re.match(r"\s*(case |import|package import|#|@|default)", code) or "func " in code or '"' in code.split(" ? ")[0]:
        return
    for pattern, part, change in RULES:
        for match in re.finditer(pattern, code):
            if part is None:
                yield match.start(1), "", change, change
            else:
                was, would = match[part], change(match)
                yield match.start(part), was, would, f"(mistake(N) ? {would} : {was})"


def by_rule(seed):
    """The mistakes of each area in an order that has nothing to do with their places and follows from the seed, one a line."""
    for area, _ in AREAS:
        found = []
        for path, _, names in os.walk(os.path.join(ROOT, "Sources", area)):
            for name in sorted(names):
                file, seen = os.path.relpath(os.path.join(path, name), os.path.join(ROOT, "Sources")), set()
                taken = [was for _, other, was, _ in NAMED if other == file]
                for number, line in enumerate(open(os.path.join(path, name)).read().split("\n")):
                    if line.strip() and any(line.strip() in was or was in line for was in taken):
                        continue
                    for start, was, would, written in changes(line):
                        text = f"{line.strip()}  →  {(line[:start] + (would if was else 'false, ') + line[start + len(was):]).strip()}"
                        if (file, text) in seen:
                            continue
                        seen.add((file, text))
                        found.append({"area": area, "file": file, "line": number, "start": start, "was": was, "written": written,
                                      "text": text, "rank": hashlib.sha256((seed + file + text).encode()).hexdigest()})
        lines = set()
        for each in sorted(found, key=lambda each: each["rank"]):
            if (each["file"], each["line"]) not in lines:
                lines.add((each["file"], each["line"]))
                yield each


def named():
    for name, file, was, would in NAMED:
        area = next((area for area, _ in AREAS if file.startswith(area)), "ReleaseModel/Decision")
        yield {"area": area, "file": file, "was": was, "written": would, "text": name}


def keep(path, text):
    """Writes a file, unless it says that already: what is not written is not built once more."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path) or open(path, "rb").read() != text:
        with open(path, "wb") as out:
            out.write(text)


def plant(mistakes, folder):
    """Makes the copy's sources and tests what they are here, with the mistakes."""
    files = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True).stdout.decode().split("\0")
    texts = {name: open(os.path.join(ROOT, name), "rb").read() for name in files if name and os.path.isfile(os.path.join(ROOT, name))}
    by_file = collections.defaultdict(list)
    for number, each in mistakes.items():
        by_file["Sources/" + each["file"]].append((number, each))
        texts[f"Sources/{each['file'].split('/')[0]}/Mistake.swift"] = SWITCH.encode()
    for name, planted in by_file.items():
        lines = texts[name].decode().split("\n")
        for number, each in planted:
            if "line" in each:
                line, start = lines[each["line"]], each["start"]
                lines[each["line"]] = line[:start] + each["written"].replace("N)", f"{number})") + line[start + len(each["was"]):]
        text = "\n".join(lines)
        for number, each in planted:
            if "line" not in each:
                if text.count(each["was"]) != 1:
                    sys.exit(f"{each['file']} says this no more, name another: {each['text']}")
                text = text.replace(each["was"], each["written"].replace("mistake(N)", f"mistake({number})"))
        texts[name] = text.encode()
    for base in ("Sources", "Tests"):
        for path, _, names in os.walk(os.path.join(folder, base)):
            for name in (os.path.relpath(os.path.join(path, name), folder) for name in names):
                if name not in texts and not name.endswith(".pyc"):
                    os.remove(os.path.join(folder, name))
    for name, text in texts.items():
        keep(os.path.join(folder, name), text)
        shutil.copymode(os.path.join(ROOT, name), os.path.join(folder, name)) if os.path.exists(os.path.join(ROOT, name)) else None


def build(mistakes, folder, command):
    """Builds the copy; returns the mistakes without those that are no Swift, or that the compiler cannot follow."""
    while True:
        plant(mistakes, folder)
        built = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
        if built.returncode == 0:
            return mistakes
        output, bad = built.stdout + built.stderr, set()
        for file, line in set(re.findall(r"Sources/(\S+?\.swift):(\d+):\d+: error", output)):
            near = [(abs(each["line"] + 1 - int(line)), number) for number, each in mistakes.items() if each["file"] == file and "line" in each]
            bad |= {number for distance, number in near if distance == min(near)[0] and distance < 12}
        if not bad:
            sys.exit("it does not build:\n" + output[-3000:])
        mistakes = {number: each for number, each in mistakes.items() if number not in bad}


def notices(tests, number, folder, options):
    """What first fails where a mistake is made; None if nothing does. What takes ten times the work it should has failed, too."""
    names = {WALK: r"^WalkTests\.", OUTSIDER: "sample.of.states"}.get(tests, rf"^{tests}[./]")
    # Seconds of a processor, since others may be at work beside it.
    limit = 60 if tests in (WALK, OUTSIDER) else 600
    command = f"ulimit -t {limit}; exec nice {options.run} .build/debug/pawlPackageTests.xctest --testing-library swift-testing --filter '{names}'"
    environment = dict(os.environ, PAWL_MISTAKE=str(number))
    if tests == OUTSIDER:
        environment["PAWL_WALK_SAMPLE"] = "1009"
        command = f"{command} | {sys.executable} {ROOT}/Tests/shell/outsider.py agree"
    with tempfile.TemporaryDirectory(prefix="pawl-mistake.") as own:
        environment["TMPDIR"] = own
        run = subprocess.Popen(command, shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               stdin=subprocess.DEVNULL, start_new_session=True)
        idle = threading.Timer(1800, os.killpg, (run.pid, signal.SIGKILL))
        idle.start()
        found = None
        for line in run.stdout:
            line = re.sub(r"\x1b\[[\d;]*m", "", line.decode(errors="replace"))
            if line.startswith("✘"):
                found = re.sub(r"^✘ Test |(?<=\") with .*| recorded an issue.*| failed after.*", "", line.strip())
                break
        if found:
            os.killpg(run.pid, signal.SIGKILL)
        status = run.wait()
        idle.cancel()
    return found or ("differs" if tests == OUTSIDER else "ends early, or not at all") if found or status else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--named", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seed", default="")
    parser.add_argument("--in", dest="folder")
    parser.add_argument("--build", default="swift build --build-tests")
    parser.add_argument("--run", default="")
    options = parser.parse_args()
    mistakes = [] if options.seed else list(named())
    # Of each area as many; some more, since some are no Swift. What is drawn by a seed is none of those drawn without one.
    share, ranked = 0 if options.named else (COUNT - len(mistakes)) // len(AREAS), list(by_rule(options.seed))
    if options.seed:
        usual, drawn = list(by_rule("")), share + share // 2
        known = {(each["file"], each["text"]) for area, _ in AREAS for each in [e for e in usual if e["area"] == area][:drawn]}
        ranked = [each for each in ranked if (each["file"], each["text"]) not in known]
    for area, _ in AREAS:
        mistakes += [each for each in ranked if each["area"] == area][:share + share // 2]
    mistakes = dict(enumerate(mistakes, 1))
    if options.list:
        texts = {each["file"]: open(os.path.join(ROOT, "Sources", each["file"])).read() for each in mistakes.values()}
        for each in mistakes.values():
            if "line" not in each and texts[each["file"]].count(each["was"]) != 1:
                sys.exit(f"{each['file']} says this no more, name another: {each['text']}")
        for number, each in mistakes.items():
            print(f"{number:4} {each['file']}: {each['text']}")
        return 0
    folder = options.folder or tempfile.mkdtemp(prefix="pawl-mistakes.")
    mistakes = build(mistakes, folder, options.build)
    left = collections.Counter()
    for number, each in list(mistakes.items()):
        is_same = any(each["file"].endswith(file) and part in each["text"].split("  →  ")[-1] for file, part, _ in SAME)
        left[each["area"]] += "line" in each and not is_same
        if is_same or left[each["area"]] > share:
            del mistakes[number]
    only = [int(number) for number in options.only.split(",") if number]
    mistakes = {number: each for number, each in mistakes.items() if not only or number in only}
    steps = dict(AREAS)
    for tests in dict.fromkeys(name for each in mistakes.values() for name in steps[each["area"]]):
        failed = notices(tests, 0, folder, options)
        if failed:
            sys.exit(f"{tests} fails where no mistake is made: {failed}")
    by = collections.Counter()
    for number, each in mistakes.items():
        start = time.time()
        found = next(((name, what) for name in steps[each["area"]] if (what := notices(name, number, folder, options))), None)
        by[found and found[0]] += 1
        print(f"{number:4} {each['file']}: {each['text']}\n       {f'{found[0]}: {found[1]}' if found else 'NOT NOTICED'}, "
              f"{time.time() - start:.0f} s", flush=True)
    print(f"{len(mistakes) - by[None]} of {len(mistakes)} mistakes noticed: "
          + ", ".join(f"{count} by {name}" for name, count in by.items() if name))
    if not options.folder:
        shutil.rmtree(folder)
    return 0 if by[None] <= (0.15 if options.seed else 0.05) * len(mistakes) else 1


sys.exit(main())
