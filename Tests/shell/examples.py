"""Runs the pawl commands of the documents' code blocks, each block in a small world of its own.

    examples.py PAWL ROOT PAGE...

A block may begin in a state that its page has described: `GIVEN` says what is done before it, by the first command it
fits. Absolute paths of the pages lie in the world; programs that would reach out are played by small scripts. A
command that is not in `ENDS` must end with 0. In the text, `pawl WORD` in backticks must name a command.
"""

import base64
import grp
import hmac
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

PAST = "version,released_at,notes\n" + "".join(
    f"{version},2024-0{month}-01T09:00:00Z,Fixes\n"
    for version, month in (("5.0", 1), ("6.9.2", 2), ("7.0.0", 3), ("7.1.3", 4), ("7.2.1", 5), ("7.3.2", 6)))

SECRET = "0123456789abcdef0123456789abcdef"
BODY = '{"data":{"type":"appStoreVersionAppVersionStateUpdated","id":"1"}}'
# The public half of a key that was made for this and thrown away.
KEY = (
    "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC6m8KwMDiHMllFZUovr4jMYrP7ha4cLs/iWv1pJlNCypxe854c6M1q3TBS"
    "igq06K2AGOmWvHCRZ31TtAaAXzgcskyg+WCLsEFz/6owkQjaEeKG/tgcQXv3NNUCPUdK4oFtX3OgH2rjH5y5dq5C/WAn24Uy"
    "hNq4S7y7i/Qp6YU8jQIDAQAB")

# What lies in every world.
FILES = {
    "past.csv": PAST, "history.csv": PAST, "devices.csv": "version,devices\n7.3.2,120\n6.9.2,7\n",
    "etc/pawl/devices": "ab" * 32 + "\n", "versions.json": '{"data":[],"links":{}}', "versions.txt": "7.3.2\n7.2.1 17.0\n", "clients.txt": "7.3.2\n7.2.1 17.0\n",
    "waited.json": '{"resultCount":1,"results":[{"kind":"software","trackId":1524608462,"version":"7.4.0"}]}',
    "body.json": BODY, "etc/pawl/webhook": SECRET + "\n",
    "etc/pawl/webhook.secret": "whsec_" + base64.b64encode(SECRET.encode()).decode() + "\n",
    "key.txt": "v=DKIM1; k=rsa; p=" + KEY + "\n",
}

# What a command takes for granted, by a pattern of the command.
GIVEN = [
    (r"^pawl init|^pawl app add|^pawl import", ["rm -f pawl.db*"]),
    (r"^pawl import", ["pawl init", "pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462"]),
    (r"^pawl app add", ["pawl init"]),
    (r"^pawl (mark|amend) taxi 7.4.0|^pawl inbox|ingest mail|ingest webhook|ledger.example.com",
     ["pawl publish taxi 7.4.0 --yes"]),
    (r"^pawl inbox", ["pawl mark taxi 7.4.0 in-review", "pawl trust recipient release@example.com"]
     + [f"pawl ingest mail parked-{number}.eml" for number in range(1, 5)]),
    (r"ingest mail", ["pawl trust recipient release@example.com"]),
    (r"^pawl unmark taxi 7.4.1", ["pawl publish taxi 7.4.1 --yes", "pawl mark taxi 7.4.1 live --yes"]),
    (r"^pawl void taxi 999.0.0", ["pawl publish taxi 999.0.0 --yes"]),
    (r"^pawl void taxi 70.4.0", ["pawl publish taxi 70.4.0 --yes", "pawl mark taxi 70.4.0 live --visible-now --yes"]),
    (r"^pawl lift taxi 3", [
        f"pawl force taxi {versions} --reason old --yes" for versions in ("below:6.0", "upto:5.0", "5.0")]),
    (r"below:9.0", ["pawl publish taxi 8.2 --yes", "pawl mark taxi 8.2 live --visible-now --yes"]),
    (r"^pawl check taxi-enterprise", [
        "pawl publish taxi 8.1 --yes", "pawl mark taxi 8.1 live --visible-now --yes"]),
    (r"^pawl resume", ["pawl stop taxi --reason wrong"]),
    (r"^pawl (redirect|force|check) taxi-enterprise", [
        "pawl publish taxi-enterprise 3.2 --yes", "pawl mark taxi-enterprise 3.2 live --visible-now --yes"]),
    (r"taxi-enterprise all --clear|^pawl check taxi-enterprise", [
        "pawl redirect taxi-enterprise all --to taxi --yes"]),
    (r"^pawl check taxi-enterprise", ["pawl force taxi-enterprise all --reason moved --yes"]),
    (r"--during review --clear", ["pawl setting taxi map-key free --during review"]),
    (r"change\.plan|^pawl trust (signer|approvals)", [
        "mkdir -p ~/.ssh", "[ -e ~/.ssh/id_ed25519 ] || ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id_ed25519",
        "ssh-keygen -q -t ed25519 -N '' -f contractor"]),
    (r"^pawl trust signer \S+ new", [f"ssh-keygen -q -t ed25519 -N '' -f {name}" for name in ("spare", "new")]),
    (r"^pawl plan (show|sign|apply)", ["pawl force taxi 7.2.1 --reason crash --plan change.plan"]),
    (r"hooks\.secret", ["printf 'whsec_%s' \"$(printf '%032d' 0 | base64)\" > hooks.secret", "chmod 600 hooks.secret"]),
    (r"^pawl app void tax", ["pawl app add tax --bundle-id com.example.tax"]),
    (r"apns\.py", [
        "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out /etc/pawl/AuthKey.p8",
        "chmod 600 /etc/pawl/AuthKey.p8"]),
    (r"^pawl trust host downloads", [
        "rm -f pawl.db*", "pawl init", "cp docs/../Tests/Fixtures/profiles/embedded.mobileprovision ."]),
    (r"^pawl trust remove host", ["pawl trust host downloads.example.com"]),
    (r"checkpoint --key|--checkpoint", [
        "[ -e checkpoint.key ] || ssh-keygen -q -t ed25519 -N '' -f checkpoint.key"]),
    (r"^pawl (verify --checkpoint|checkpoint .*--after)", [
        "[ -e head.txt ] || pawl checkpoint --key checkpoint.key --out head.txt"]),
    (r"/var/lib/pawl/pawl.db", ["[ ! -e pawl.db ] || cp pawl.db /var/lib/pawl/pawl.db"]),
    (r"mbsync|--maildir", ["mkdir -p ~/mail/INBOX/cur /var/lib/pawl/mail/INBOX/cur"]),
]

# Commands that are shown because they are refused.
ENDS = [
    (r"^pawl plan apply ", 1),  # asks on a terminal, and here is none
    (r"apns\.py", 1),  # Apple is not asked here
    (r"^pawl trust signer (ada|ben)@\S+ (?!new)", 66),  # there are no such accounts here
    (r"^pawl trust approvals 2( --yes)?$", 1),  # and so too few signers
    (r'^pawl publish taxi "\$VERSION" --build "\$BUILD"', 64),  # the lines before it need a built app
    (r"^pawl verify --ledger again\.db", 66),  # a program that is not pawl makes it; the drills do
    (r"^pawl probe .*curl", 1),  # nothing is served here
    (r"^pawl (ingest asc|app add|import) .*--fetch|^pawl (next|wait) --asc", 64),  # nobody has a key here
    (r"^export PAWL_LEDGER=\S+; pawl trust approvals 2", 1),  # nobody is trusted to sign here
    (r"^pawl void taxi 70.4.0", 1),  # always asks on a terminal, and here is none
    (r"below:9\.0 --reason", 1),  # nothing that is visible could be gone to
    (r"^pawl verify --head 31:0123", 1),  # the head of another ledger
    (r"^pawl verify --head 31:HASH", 64),  # a word in place of a hash
    (r"^export PAWL_ASC_KEY=", 66),
    (r"^pawl force taxi below:7.2 --reason \"crash at start\"$", 1),  # asks on a terminal, and here is none
]

PLAYED = {
    "curl": 'case "$*" in *id=1524608462*) cat "$WORLD/waited.json" ;; *itunes*) cat "$WORLD/lookup.json" ;; *) cat >/dev/null ;; esac',
    "mbsync": "true",
    # The host that has the ledger is this one.
    "ssh": 'for word; do last=$word; done; PAWL_LEDGER= exec sh -c "$(echo "$last" | sed "s|/var/|$WORLD/var/|g")"',
}


def ends(command):
    return next((status for pattern, status in ENDS if re.search(pattern, command)), 0)


def commands(block):
    """The commands of a block that run pawl, lines that go on put together."""
    text = re.sub(r"\\\n\s*", " ", block)
    text = re.sub(r"(&&|\|)\n\s*", r"\1 ", text)
    before = ""
    for line in text.split("\n"):
        line = re.sub(r"^\$ ", "", line.strip())
        if line.startswith("export "):
            before += line + "; "
            continue
        line = re.sub(r"^(ExecStart=|(\S+ ){5}(?=(mbsync|pawl) ))", "", line)
        line = re.sub(r"^/usr/local/bin/pawl ", "pawl ", line)
        forced = re.search(r'command="([^"]*)"', line)
        line = forced[1].replace("exec ", "") if forced else line
        # Ends of a sentence, synopses, and Postfix's table have the name in them, too.
        is_run = re.match(r"(\w+=\S+ )*(pawl|curl|mbsync) ", line) and "pawl " in line
        if not is_run and not line.startswith("ssh-keygen -t "):
            continue
        if re.match(r"pawl (unix|is|needs)\b|pawl( \w+)* COMMAND \.\.\.", line) or re.search(r"\[options\]|…|\"\$page\"", line):
            continue
        yield before + re.sub(r"\s{2,}# .*$", "", line)


class World:
    def __init__(self, pawl, root):
        self.pawl, self.root = pawl, root
        self.base = tempfile.mkdtemp(prefix="pawl-examples.")
        made = self.fresh("made")
        for line in (
            "pawl init", "pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462",
            "pawl app add taxi-enterprise --bundle-id com.example.taxi.ent --channel enterprise",
            "pawl import taxi past.csv --yes",
            # So that there is an event 42.
            *(f"pawl setting taxi key-{number} value" for number in range(40))):
            assert not self.fault(made, line, 0), self.fault(made, line, 0)
        shutil.copy(f"{made}/pawl.db", self.base)

    def fresh(self, name="world"):
        folder = f"{self.base}/{name}"
        if os.path.exists(folder):
            subprocess.run(["chmod", "-R", "u+rwX", folder], check=True)
            shutil.rmtree(folder)
        for path in ("bin", "var/lib/pawl", "var/backups", "srv/documents", "etc/pawl", "home/Maildir/new",
                     "home/Maildir/cur", "home/.config/fish/completions"):
            os.makedirs(f"{folder}/{path}")
        os.symlink(self.pawl, f"{folder}/bin/pawl")
        os.symlink(f"{self.root}/docs", f"{folder}/docs")
        for program, script in PLAYED.items():
            with open(f"{folder}/bin/{program}", "w") as file:
                file.write(f"#!/bin/sh\n{script}\n")
            os.chmod(f"{folder}/bin/{program}", 0o755)
        for name, text in FILES.items():
            with open(f"{folder}/{name}", "w") as file:
                file.write(text)
        os.chmod(f"{folder}/etc/pawl/webhook", 0o600)
        self.mails(folder)
        shutil.copy(f"{self.root}/Tests/Fixtures/lookup/968615456.json", f"{folder}/lookup.json")
        if os.path.exists(f"{self.base}/pawl.db"):
            shutil.copy(f"{self.base}/pawl.db", folder)
        return folder

    def mails(self, folder):
        """Mails that nothing proves: they are parked for somebody to read."""
        for number, name in enumerate(("letter", "mail", "parked-1", "parked-2", "parked-3", "parked-4")):
            with open(f"{folder}/{name}.eml", "w", newline="\r\n") as file:
                file.write(
                    "From: App Store Connect <no_reply@email.apple.com>\nTo: release@example.com\n"
                    "Subject: Your app status is Ready for Distribution.\nDate: Fri, 20 Nov 2026 09:00:00 +0000\n"
                    f"Message-ID: <{number}@email.apple.com>\nContent-Type: text/plain; charset=us-ascii\n\n"
                    "App Name: Taxi\nApp Version Number: 7.4.0\nApp Apple ID: 1524608462\n")

    def run(self, folder, command):
        # What stands at the root of a machine stands at the root of this world.
        command = re.sub(r"(?<![\w/.])/(var|srv|etc|usr)/", rf"{folder}/\1/", command)
        signature = hmac.new(SECRET.encode(), BODY.encode(), "sha256").hexdigest()
        environment = {
            "PATH": f"{folder}/bin:" + os.environ["PATH"], "HOME": f"{folder}/home", "WORLD": folder, "LC_ALL": "C",
            "CI_JOB_ID": "job-1", "X_APPLE_SIGNATURE": f"hmacsha256={signature}"}
        command = command.replace("--group release", f"--group {grp.getgrgid(os.getgid()).gr_name}")
        if "serve-ssh" in command:
            environment["SSH_ORIGINAL_COMMAND"] = "pawl status" if "--allow publish" not in command else "pawl publish taxi 7.5.0"
        # The ledger of this world began a moment ago.
        command = command.replace("2026-11-20T12:00:00Z", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
        return subprocess.run(
            ["bash", "-c", f"set -eo pipefail; {command}"], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")

    def fault(self, folder, command, wanted):
        """What went otherwise than it should."""
        done = self.run(folder, command)
        if done.returncode == wanted:
            return None
        return f"'{command}' ended with {done.returncode}, not {wanted}:\n{done.stdout}"


def blocks(text):
    return [
        match[2] for match in re.finditer(r"^```(\w*)\n(.*?)^```", text, re.S | re.M) if match[1] != "console"]


def main():
    pawl, root, *pages = sys.argv[1:]
    world = World(os.path.abspath(pawl), os.path.abspath(root))
    ran, faults, names = 0, [], set()
    try:
        for page in pages:
            if page in ("docs/tasks/rehearse-with-a-mail.md", "docs/mirrors.md"):
                continue  # run whole, with what is between the commands, by the tests of mails and mirrors
            text = open(f"{root}/{page}", encoding="utf-8").read()
            for block in blocks(text):
                lines = list(commands(block))
                if not lines:
                    continue
                folder = world.fresh()
                for pattern, steps in GIVEN:
                    if re.search(pattern, lines[0]):
                        faults += [fault for step in steps if (fault := world.fault(folder, step, 0))]
                for line in lines:
                    ran += 1
                    if fault := world.fault(folder, line, ends(line)):
                        faults.append(f"{page}: {fault}")
            prose = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
            # The bytes of an event begin with that name.
            prose = prose.replace("`pawl event`", "")
            names |= {(page, match) for match in re.findall(r"`pawl ([a-z][a-z-]+)", prose)}
        for page, name in sorted(names):
            if world.run(world.base, f"'{pawl}' help {name}").returncode != 0:
                faults.append(f"{page}: there is no command '{name}'")
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", world.base])
        shutil.rmtree(world.base)
    print("\n".join(faults))
    print(f"measured: {ran} commands of {len(pages)} pages were run")
    assert ran > 60 or len(pages) < 10, "hardly a command was found"
    sys.exit(1 if faults else 0)


main()
