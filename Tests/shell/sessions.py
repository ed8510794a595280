"""Runs the `console` blocks of a Markdown page in the current folder and holds them against what comes out.

A line that starts with "$ " is a command; what follows is its output, both streams in one. Moments, users, hashes and
the width of columns differ from run to run and are not compared. With UPDATE_GOLDEN=1 the page is rewritten.
"""

import os
import subprocess
import sys

from recorded import same

page = sys.argv[1]
lines = open(page, encoding="utf-8").read().split("\n")
result, status, index, wrong, commands = [], 0, 0, 0, 0
while index < len(lines):
    result.append(lines[index])
    if lines[index] != "```console":
        index += 1
        continue
    index += 1
    while lines[index] != "```":
        command = lines[index]
        assert command.startswith("$ "), f"line {index + 1}: a session starts with a command"
        index += 1
        wanted = []
        while lines[index] != "```" and not lines[index].startswith("$ "):
            wanted.append(lines[index])
            index += 1
        # `(exit N)` lets the next command see how the last one ended, as `echo $?` wants.
        done = subprocess.run(
            ["bash", "-c", f"(exit {status}); {command[2:]}"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, encoding="utf-8")
        status = done.returncode
        commands += 1
        output = done.stdout.rstrip("\n").split("\n") if done.stdout.strip() else []
        result += [command] + output
        if same("\n".join(output)) != same("\n".join(wanted)):
            wrong += 1
            if not os.environ.get("UPDATE_GOLDEN"):
                print(f"{page}, after '{command}':\n" + "\n".join(output) + "\n-- and the page says:\n" + "\n".join(wanted))
assert commands > 0, "there is no session"
if os.environ.get("UPDATE_GOLDEN"):
    open(page, "w", encoding="utf-8").write("\n".join(result))
elif wrong:
    print("rewrite the page with 'UPDATE_GOLDEN=1 Tests/shell/sessions.sh'")
    sys.exit(1)
