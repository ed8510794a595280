"""Asks docs/clients/PawlClient.swift through a web server of the test's own.

    clients.py agree ASK PAWL KEY SEED       random ledgers, versions, systems and moments, held against 'pawl check'
    clients.py others SCRIPT PAWL KEY SEED   the same for the clients of docs/clients/others.md
    clients.py reference - PAWL KEY SEED     the same for docs/clients/schedule.py
    clients.py ledger - PAWL - SEED          makes such a ledger, and exports it
    clients.py CASE ASK PAWL KEY OTHER-KEY   what a server, a network or a thief of keys may do; see CASES below
"""

import base64
import calendar
import hashlib
import http.server
import importlib.util
import json
import os
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
from random_ledger import moment, random_ledger  # noqa: E402

LIMIT = 16 << 20


class Site(http.server.ThreadingHTTPServer):
    """Serves ./documents with a clock of its own; a case may answer otherwise."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.seconds = time.time()
        self.answer = None
        self.asked = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def base(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_):
        pass  # A client that has seen enough hangs up.


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def date_time_string(self, timestamp=None):
        return super().date_time_string(self.server.seconds)

    def do_GET(self):
        assert self.headers["User-Agent"].startswith("PawlClient taxi/"), self.headers
        self.server.asked.append((self.path, self.headers.get("If-None-Match")))
        if self.server.answer and self.server.answer(self):
            return
        try:
            with open("documents" + self.path, "rb") as file:
                self.say(200, file.read())
        except OSError:
            self.say(404, b"")

    def say(self, status, body, headers=(), length=None):
        tag = '"' + str(hash(body)) + '"'
        if status == 200 and self.headers.get("If-None-Match") == tag:
            status, body = 304, b""
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Client:

    def __init__(self, program, site):
        self.site = site
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, version, **more):
        words = {"base": self.site.base, "app": "taxi", "version": version, "now": self.site.seconds, "patience": 5}
        self.process.stdin.write(json.dumps({**words, **more}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def pawl(*words, status=0):
    done = subprocess.run([PAWL, *words], capture_output=True, text=True)
    if status is not None and done.returncode != status:
        sys.exit(f"{words}: {done.returncode}\n{done.stderr}")
    return done.stdout


def export(key=None):
    pawl("export", "documents", "--format", "v1", "--format", "v1-signed", "--sign", key or KEY)


def keys(*files):
    """The keys as an app has them: kid and x."""
    found = {}
    for file in files:
        der = subprocess.run(["openssl", "pkey", "-in", file, "-pubout", "-outform", "DER"], capture_output=True, check=True).stdout
        x = encode(der[-32:])
        found[encode(hashlib.sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'.encode()).digest())] = x
    return found


def encode(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def sign(payload, file, header=None):
    """A compact JWS over a payload, which may say anything."""
    kid = next(iter(keys(file)))
    header = header or json.dumps({"alg": "EdDSA", "kid": kid, "typ": "pawl+jws"}, separators=(",", ":"))
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    text = encode(header.encode()) + "." + encode(body)
    with open("signed", "w") as opened:
        opened.write(text)
    done = subprocess.run(["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", file, "-in", "signed"], capture_output=True, check=True)
    return (text + "." + encode(done.stdout)).encode()


def payload():
    with open("documents/v1-signed/taxi/schedule.jws") as file:
        return json.loads(decode(file.read().split(".")[1]))


def served(body, status=200, headers=(), length=None):
    return lambda handler: handler.say(status, body, headers, length) or True


# MARK: Agreement with 'pawl check'


def agree(ask, seed):
    site = Site()
    client, asked, prompts, later, decided = Client(ask, site), 0, 0, 0, set()
    trusts = ({}, keys(KEY))
    for number in range(int(os.environ.get("PAWL_LEDGERS", "12"))):
        chance, _, names = random_ledger(pawl, f"{seed}-{number}")
        export()
        for days in sorted(chance.sample([0, 1, 1.5, 2, 3, 5], 3)):
            # One schedule answers for every moment.
            site.seconds = int(time.time() + days * 86_400) + 1
            languages = chance.choice([["en"], ["fr", "de-AT"], ["zh-Hant-TW"], ["fr"]])
            questions = [(name, os_) for name in dict.fromkeys(names) for os_ in ("14.8", "15.0", "16.4.1", "99")]
            lines = "".join(f"{name} {os_}\n" for name, os_ in questions)
            done = subprocess.run([PAWL, "check", "taxi", "--stdin", "--locale", languages[-1], "--at", moment(site.seconds)],
                                  input=lines, capture_output=True, text=True, check=True)
            for (name, os_), line in zip(questions, done.stdout.splitlines()):
                wanted = json.loads(line)
                decided.add(wanted["decidedBy"])
                if wanted["forcedFrom"]:
                    wanted["forcedFrom"] = calendar.timegm(time.strptime(wanted["forcedFrom"], "%Y-%m-%dT%H:%M:%SZ"))
                    later += 1
                for trusted in trusts:
                    got = client.ask(name, system=os_, languages=languages, keys=trusted)
                    for member in ("action", "review", "target", "url", "settings", "remindEvery", "notes", "forcedFrom"):
                        if member == "notes" and languages == ["fr"]:
                            continue  # The first that was recorded is in no schedule.
                        if got[member] != wanted[member]:
                            sys.exit(f"{seed}-{number} {name} on {os_} at {moment(site.seconds)}, {member}:\n  check  {wanted}\n  client {got}")
                    asked += 1
                    prompts += got["action"] != "none"
    print(f"measured: {asked} answers, {prompts} of them prompts, {later} forced later, decided by {', '.join(sorted(decided))}")
    if prompts < asked / 40 or not later:
        sys.exit("hardly anybody was prompted, or is forced later")
    missing = {"policy", "rule", "stopped", "unreleased"} - decided
    if missing:
        sys.exit(f"nothing was decided by {', '.join(sorted(missing))}")


def others(script, seed):
    """The clients of docs/clients/others.md: everybody is told what 'check' says."""
    answered = opened = 0
    for number in range(int(os.environ.get("PAWL_LEDGERS", "12"))):
        _, _, names = random_ledger(pawl, f"{seed}-{number}")
        export()
        questions = "".join(f"{name} {os_}\n" for name in dict.fromkeys(names) for os_ in ("14.8", "15.0", "16.4.1", "99"))
        told = subprocess.run(["node", script], input=questions, capture_output=True, text=True, check=True).stdout.splitlines()
        check = subprocess.run([PAWL, "check", "taxi", "--stdin"], input=questions, capture_output=True, text=True, check=True).stdout
        for line, got, wanted in zip(questions.splitlines(), map(json.loads, told), map(json.loads, check.splitlines()), strict=True):
            for member in ("action", "review", "target", "targetApp", "url", "settings", "remindEvery", "rule", "minOS"):
                assert got["answer"][member] == wanted[member], (line, member, got, wanted)
            assert got["opened"] in (None, wanted["url"]), (line, got, wanted)
            # The library compares three numbers.
            assert got["opened"] or wanted["action"] == "none" or wanted["targetApp"] != "taxi" or wanted["version"].count(".") > 2, (line, got, wanted)
            answered += 1
            opened += bool(got["opened"])
    malformed = subprocess.run(["node", script], input="1.0 16.4.0.1\n1.0 16.04\n1.0.0.0.0 16\n1.0 0\n", capture_output=True, text=True, check=True)
    assert [json.loads(line)["answer"] for line in malformed.stdout.splitlines()] == [None] * 4, malformed.stdout
    print(f"measured: {answered} answers, {opened} of them prompts")
    assert opened > answered / 40


def reference(_, seed):
    """docs/clients/schedule.py, without a new export, around every moment that the schedule names."""
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/clients/schedule.py")
    spec = importlib.util.spec_from_file_location("schedule", place)
    client = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(client)
    asked = prompts = 0
    for number in range(int(os.environ.get("PAWL_LEDGERS", "12"))):
        _, _, names = random_ledger(pawl, f"{seed}-{number}")
        export()
        with open("documents/v1/taxi/schedule.json", "rb") as file:
            schedule = json.load(file)
        now = int(time.time())
        named = {row[end] for row in schedule["rows"] for end in ("validFrom", "validUntil")} - {253_402_300_800}
        questions = [(name, os_) for name in dict.fromkeys(names) for os_ in (None, "9", "14.8", "15.0", "16.4.1", "99")]
        lines = "".join(f"{name} {os_ or ''}\n" for name, os_ in questions)
        for second in sorted({one + step for one in named for step in (-1, 0, 1) if one > now} | {now + 400 * 86_400}):
            done = subprocess.run([PAWL, "check", "taxi", "--stdin", "--at", moment(second)], input=lines, capture_output=True,
                                  text=True, check=True)
            for (name, os_), wanted in zip(questions, map(json.loads, done.stdout.splitlines()), strict=True):
                got = client.find(schedule, name, os_, second)
                for member in ("action", "minOS", "remindEvery", "review", "settings", "target", "targetApp", "url",
                               *(() if os_ else ("decidedBy", "rule"))):
                    assert got[member] == wanted[member], (name, os_, moment(second), member, got, wanted)
                notes = list((got["notes"] or {}).values())
                assert wanted["notes"] in (notes or [None]), (name, os_, got, wanted)
                asked += 1
                prompts += got["action"] != "none"
    print(f"measured: {asked} answers, {prompts} of them prompts")
    assert prompts > asked / 40


# MARK: Cases


def is_silent(answer, *why):
    """No prompt, what was known stays, and it is said why."""
    assert answer["action"] == "none" and not answer["url"] and not answer["target"], answer
    assert answer["settings"] == {"map": "paid"}, answer
    assert answer["why"] in why if why else answer["why"], (answer, why)


class Case:
    """A client of a forced version 1.0 that has had its answer once, over signed documents or plain ones."""

    def __init__(self, ask, key, other, signed):
        self.key, self.other = key, other
        self.site = Site()
        self.client = Client(ask, self.site)
        self.trusted = keys(key) if signed else {}
        self.name = "v1-signed/taxi/schedule.jws" if signed else "v1/taxi/schedule.json"
        export()
        self.forced()

    def ask(self, **more):
        return self.client.ask("1.0", **{"memory": "one", "keys": self.trusted, **more})

    def forced(self):
        self.site.answer = None
        answer = self.ask()
        assert answer["action"] == "force" and answer["settings"] == {"map": "paid"} and not answer["why"], answer

    def document(self):
        with open("documents/" + self.name, "rb") as file:
            return file.read().rstrip(b"\n")

    def is_silent_for(self, answer, *why):
        """No prompt while the server answers so, and one again as soon as it answers well."""
        self.site.answer = answer
        is_silent(self.ask(), *why)
        self.forced()


def endless(handler):
    handler.send_response(200)
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b" " * 4096)
    except OSError:
        return True


def slow(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    try:
        for _ in range(200):
            handler.wfile.write(b" ")
            time.sleep(0.1)
    except OSError:
        pass
    return True


def gone(handler):
    handler.close_connection = True
    handler.connection.close()
    return True


def network(case):
    body = case.document()
    for status in (204, 400, 401, 403, 404, 410, 418, 500, 503):
        case.is_silent_for(served(b"{}", status), f"status({status})")
    other = Site()
    for status in (301, 302, 307, 308):
        case.is_silent_for(served(b"", status, [("Location", other.base + "/" + case.name)]), f"status({status})", "offline")
    assert not other.asked, "a redirect to another host was followed"
    case.is_silent_for(served(b"", 302, [("Location", case.site.base + "/round")]))
    case.is_silent_for(endless, "tooLong")
    case.is_silent_for(served(b"x" * (LIMIT + 1)), "tooLong")
    case.is_silent_for(served(body + b" " * LIMIT), "tooLong")
    case.is_silent_for(served(body[: len(body) // 2], length=len(body)), "offline")
    for cut in (0, 1, len(body) // 2, len(body) - 1):
        case.is_silent_for(served(body[:cut]))
    case.is_silent_for(gone, "offline")
    for text in (b"<html>", b"[]", b"null", b"{}", b"\xff\xfe", body.replace(b"force", b"FORCE") if b"force" in body else b"1"):
        case.is_silent_for(served(text))
    case.site.answer = slow
    start = time.time()
    is_silent(case.ask(patience=1), "offline")
    assert time.time() - start < 12, "it waited for a server that only drips"
    # What was known is there at once, without asking anybody, and not for another version or another app's documents.
    del case.site.asked[:]
    is_silent({**case.ask(how="known"), "why": "offline"})
    assert case.client.ask("1.1", memory="one", keys=case.trusted, how="known")["settings"] == {}
    assert not case.site.asked
    case.forced()
    assert case.ask(how="known")["action"] == "force"
    # An unchanged document is not sent again.
    del case.site.asked[:]
    case.forced()
    assert case.site.asked == [("/" + case.name, case.site.asked[0][1])] and case.site.asked[0][1], case.site.asked


def cadence(case):
    # A force that is shown uses up no reminder of the same target; what another version of the client kept is read.
    assert case.ask(how="show", memory="once")["action"] == "force"
    assert case.ask(how="known", memory="once", alter=True)["settings"] == {"map": "paid"}
    pawl("lift", "taxi", "1", "--yes")
    # At noon: a day is one of the calendar.
    start = (int(time.time()) // 86_400 + 1) * 86_400 + 43_200

    def seen(every, *hours, **more):
        shown = []
        for hour in hours:
            case.site.seconds = start + hour * 3600
            shown.append(case.ask(**{"how": "show", "memory": every, **more})["shown"])
        return shown

    for every, shown in (("once", [True, False, False, False]), ("1d", [True, False, True, False]), ("always", [True] * 4)):
        pawl("app", "set", "taxi", "--remind-every", every, "--yes")
        export()
        # Until the user has seen it, it is returned again.
        assert seen(every, 0, 0, how="prompt") == [True, True]
        assert seen(every, 0, 11, 13, 30) == shown, every
        # Put off until the fifth hour, it comes then, and goes on as before.
        assert seen(every + " later", 0, later=start + 5 * 3600) == [True]
        assert seen(every + " later", 4, 5, 6) == [False, True, every == "always"], every
    # A newer target is another reminder.
    pawl("publish", "taxi", "1.2")
    pawl("mark", "taxi", "1.2", "live", "--visible-now", "--yes")
    pawl("setting", "taxi", "prompt.remind.title", "News", "--yes")
    pawl("setting", "taxi", "prompt.remind.title.de", "Neues", "--yes")
    export()
    assert seen("once", 31) == [True]
    for languages, title in ((["de-AT"], "Neues"), (["fr"], "News"), (["fr", "de"], "Neues")):
        assert case.ask(languages=languages)["title"] == title
    # To be up to date is an answer; no network is none.
    up_to_date = case.client.ask("1.2", how="answer", keys=case.trusted)
    assert up_to_date["shown"] and up_to_date["action"] == "none", up_to_date
    assert not case.ask(how="answer", base="http://127.0.0.1:9/")["shown"]
    # The same version of another app is another reminder.
    for words in ("app set taxi --remind-every once --yes", "app add pro --bundle-id com.example.pro --apple-id 2",
                  "publish pro 1.2 --yes", "mark pro 1.2 live --visible-now --yes", "redirect taxi all --to pro --yes"):
        pawl(*words.split())
    export()
    assert seen("once", 32, 33) == [True, False]


def rollback(case):
    """TUF: rollback attack; an older document of the same ledger."""
    old = case.document()
    pawl("setting", "taxi", "menu", "new", "--yes")
    pawl("setting", "taxi", "menu", "--clear", "--yes")
    export()
    case.forced()
    case.is_silent_for(served(old), "older")
    # Another ledger may have a lower generation: it was made anew.
    case.site.answer = served(sign({**payload(), "ledger": "f" * 32, "generation": 1}, case.key))
    assert case.ask()["action"] == "force"


def freeze(case):
    """TUF: freeze attack; a document past its time, with a server's clock that agrees with it, or from ahead of it."""
    document, now = payload(), int(time.time())
    case.is_silent_for(served(sign({**document, "exp": now - 1}, case.key)), "expired")
    # By the device's clock it is past its time; the server that serves it says otherwise. And the other way round.
    case.site.answer = None
    is_silent(case.ask(now=now + 8 * 86_400), "expired")
    is_silent(case.ask(date=time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(now + 8 * 86_400))), "expired")
    case.forced()
    # Five minutes ahead is a clock that is wrong; more is a doubt.
    for ahead in ("iat", "from"):
        rows = [{**row, "validFrom": max(row["validFrom"], now + 250)} for row in document["rows"]]
        case.site.answer = served(sign({**document, ahead: now + 250, **({"rows": rows} if ahead == "from" else {})}, case.key))
        assert case.ask()["action"] == "force", ahead
        case.is_silent_for(served(sign({**document, ahead: now + 330}, case.key)), "early")


def key_rotation(case):
    """TUF: key rotation; both keys for a while, then the new one only."""
    both, new = keys(case.key, case.other), keys(case.other)
    old = case.document()
    assert case.ask(keys=both)["action"] == "force"
    export(key=case.other)
    is_silent(case.ask(), "wrongKey")
    assert case.ask(keys=both)["action"] == "force"
    assert case.ask(keys=new)["action"] == "force"
    case.site.answer = served(old)
    assert case.ask(keys=new)["action"] == "none", "the old key still counts"


def fast_forward(case):
    """TUF: fast-forward attack; a thief of the key raised the generation, and the key is given up."""
    case.site.answer = served(sign({**payload(), "generation": 10**9}, case.key))
    assert case.ask()["action"] == "force"
    case.site.answer = None
    is_silent(case.ask(), "older")
    export(key=case.other)
    answer = case.ask(keys=keys(case.other))
    assert answer["action"] == "force", "what the stolen key said still counts"


def duplicate_keys(case):
    """TUF: duplicate keys; a header that says something twice, or more than it may."""
    document, kid = payload(), next(iter(case.trusted))
    for header in (
        f'{{"alg":"EdDSA","alg":"EdDSA","kid":"{kid}","typ":"pawl+jws"}}',
        f'{{"alg":"none","alg":"EdDSA","kid":"{kid}","typ":"pawl+jws"}}',
        f'{{"alg":"EdDSA","kid":"x","kid":"{kid}","typ":"pawl+jws"}}',
        f'{{"alg":"EdDSA","crit":["b64"],"b64":false,"kid":"{kid}","typ":"pawl+jws"}}',
        f'{{"alg":"EdDSA","jwk":{{}},"kid":"{kid}","typ":"pawl+jws"}}',
    ):
        case.is_silent_for(served(sign(document, case.key, header)), "wrongKey")


def wrong_signature(case):
    """TUF: arbitrary software attack; what no trusted key signed."""
    document, kid = payload(), next(iter(case.trusted))
    good = case.document()
    header, body, signature = good.split(b".")
    case.is_silent_for(served(sign(document, case.other)), "wrongKey")
    case.is_silent_for(served(sign(document, case.other, f'{{"alg":"EdDSA","kid":"{kid}","typ":"pawl+jws"}}')), "wrongKey")
    case.is_silent_for(served(b".".join([header, encode(json.dumps({**document, "generation": 1}).encode()).encode(), signature])), "wrongKey")
    none = encode(f'{{"alg":"none","kid":"{kid}","typ":"pawl+jws"}}'.encode()).encode()
    for text in (
        header + b"." + body + b".", none + b"." + body + b".", header + b"." + body, good + b".x", good + b"\n" + good, b"." + good,
        good + b"\n\n", header + b"." + body + b"." + encode(bytes(64)).encode(), header + b"." + body + b"." + signature[:-4],
        json.dumps(document).encode(),
    ):
        case.is_silent_for(served(text), "wrongKey")
    # One line feed tells two states of one second apart.
    case.site.answer = served(good + b"\n")
    assert case.ask()["action"] == "force"


def altered(document, **members):
    """The document with members of each row replaced."""
    return {**document, "rows": [{**row, **members} for row in document["rows"]]}


def mix_and_match(case):
    """TUF: mix-and-match attack; another app's document, or another kind of document."""
    document = payload()
    for change in ({"aud": "van"}, {"app": "van", "aud": "van"}, {"app": "van"}, {"rows": None}):
        case.is_silent_for(served(sign({**document, **change}, case.key)), "otherDocument")
    for name in ("1.1", "default"):
        with open(f"documents/v1-signed/taxi/{name}.jws", "rb") as file:
            case.is_silent_for(served(file.read()), "otherDocument")
    for missing in ("aud", "ledger", "iat", "exp", "generation", "app", "rows", "from"):
        case.is_silent_for(served(sign({name: value for name, value in document.items() if name != missing}, case.key)), "otherDocument")
    for change in ({"tiers": None}, {"action": 1}, {"lo": None}, {"hi": 7}, {"validFrom": "0"}, {"validUntil": None}):
        case.is_silent_for(served(sign(altered(document, **change), case.key)), "unreadable")


def no_page(case):
    """A page that no client should open, be it signed ever so well."""
    for page in ("http://example.com", "javascript:alert(1)", "file:///etc/passwd", "tel:1", "", None, 7):
        case.site.answer = served(sign(altered(payload(), url=page), case.key))
        answer = case.ask()
        assert answer["action"] == "none" and not answer["url"], answer


def sandbox(case):
    answer = case.ask(sandbox=True)
    assert answer["action"] == "none" and answer["settings"] == {"map": "paid"} and not answer["forcedFrom"], answer
    assert not case.ask(sandbox=True, how="prompt").get("url")
    case.forced()


def malformed(case):
    """What is no system is told nothing, as by every other reader of the schedule."""
    for system in ("16.4.0.1", "16.04", "016", "v16", "16.", "1234567890", ""):
        is_silent(case.ask(system=system), "unreadable")
    case.forced()


CASES = {
    "network": (network, (False, True)), "cadence": (cadence, (False,)), "rollback": (rollback, (True,)),
    "freeze": (freeze, (True,)), "key-rotation": (key_rotation, (True,)), "fast-forward": (fast_forward, (True,)),
    "duplicate-keys": (duplicate_keys, (True,)), "wrong-signature": (wrong_signature, (True,)),
    "mix-and-match": (mix_and_match, (True,)), "no-page": (no_page, (True,)), "sandbox": (sandbox, (False, True)),
    "malformed": (malformed, (False,)),
}

PAWL, KEY = sys.argv[3], sys.argv[4]
def ledger(_, seed):
    """A random ledger, for whoever looks at its documents."""
    random_ledger(pawl, seed)
    pawl("export", "documents", "--format", "v1")


AGREEING = {"agree": agree, "others": others, "reference": reference, "ledger": ledger}
if sys.argv[1] in AGREEING:
    AGREEING[sys.argv[1]](sys.argv[2], sys.argv[5])
else:
    case, kinds = CASES[sys.argv[1]]
    for signed in kinds:
        case(Case(sys.argv[2], KEY, sys.argv[5], signed))
