"""Runs the `run:` and `script:` steps of a pipeline's file here: ci.py github|gitlab|action FILE FOLDER

A stand-in for the runner, of as much as the files need: expressions in env and outputs, GITHUB_OUTPUT, GITHUB_PATH,
GITHUB_STEP_SUMMARY, RUNNER_OS, dotenv artifacts. Each step is a process of its own; the first that fails ends the job. A
job is run for each entry of its matrix, or once where they only name runners.
"""
import itertools
import os
import re
import subprocess
import sys

import yaml

TIMEOUT = 600


def replaced(text, facts):
    """A text with its expressions replaced by what they name; an unknown one is an error."""
    return re.sub(r"\$\{\{\s*([\w.\-]+)\s*\}\}", lambda match: str(facts[match.group(1)]), str(text))


def lines_of(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip()]


def run(words, environment, title):
    print("--", title, flush=True)
    done = subprocess.run(words, env=environment, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        print("ended with", done.returncode)
        sys.exit(done.returncode)


def in_order(jobs):
    """Jobs after those that they need."""
    done = []
    while len(done) < len(jobs):
        ready = [name for name in jobs if name not in done and set(needs(jobs[name])) <= set(done)]
        assert ready, "jobs need one another"
        done += ready
    return done


def needs(job):
    wanted = job.get("needs", [])
    return [wanted] if isinstance(wanted, str) else wanted


def github(text, folder, only):
    workflow = yaml.safe_load(text)
    facts = {
        "github.repository": "example/taxi", "github.run_id": os.environ.get("RUN_ID", "4711"), "github.actor": "alice",
        "github.token": "TOKEN", "github.ref_name": os.environ.get("TAG", ""),
        "github.server_url": "https://github.example.com",
        **{"github.event.client_payload." + name: value for name, value in (("app", "taxi"), ("version", "1.2"))},
        "inputs.bump": "minor", "secrets.PAWL_SSH_KEY": "KEY",
        **{"vars." + name: os.environ.get(name, "") for name in ("PAWL_LEDGER", "PAWL_URL", "PAWL_SHA256", "PAWL_KNOWN_HOSTS")},
    }
    summary = os.path.join(folder, "summary.md")
    for name in in_order(workflow["jobs"]):
        job = workflow["jobs"][name]
        # "Re-run failed jobs" keeps the outputs of those that succeeded.
        kept = os.path.join(folder, "outputs-" + name)
        if only and name not in only:
            for line in lines_of(kept):
                key, value = line.split("=", 1)
                facts["needs.%s.outputs.%s" % (name, key)] = value
            continue
        added = os.path.join(folder, "path-" + name)
        shared = {**workflow.get("env", {}), **job.get("env", {})}
        steps = {}
        entries = job.get("strategy", {}).get("matrix", {}).get("include", [{}])
        if "matrix." in str(job["runs-on"]):
            entries = entries[:1]
        for entry, (number, step) in itertools.product(entries, enumerate(job["steps"])):
            facts.update({"matrix." + key: value for key, value in entry.items()})
            if "run" not in step:
                continue
            output = os.path.join(folder, "output-%s-%d" % (name, number))
            environment = {
                **os.environ, **{key: replaced(value, facts) for key, value in {**shared, **step.get("env", {})}.items()},
                "GITHUB_OUTPUT": output, "GITHUB_PATH": added, "GITHUB_STEP_SUMMARY": summary,
                "RUNNER_OS": "macOS" if str(job["runs-on"]).startswith("macos") else "Linux",
            }
            environment["PATH"] = ":".join(lines_of(added) + [os.environ["PATH"]])
            assert "${{" not in step["run"], "an expression within a script"
            title = replaced(step.get("name", number), facts)
            run(["bash", "-e", "-c", step["run"]], environment, "%s: %s" % (name, title))
            for line in lines_of(output):
                key, value = line.split("=", 1)
                steps["steps.%s.outputs.%s" % (step["id"], key)] = value
        with open(kept, "w", encoding="utf-8") as file:
            for key, value in job.get("outputs", {}).items():
                value = replaced(value, steps)
                facts["needs.%s.outputs.%s" % (name, key)] = value
                file.write("%s=%s\n" % (key, value))


def gitlab(text, _folder, only):
    pipeline = yaml.safe_load(text)
    dotenv = {}
    before = pipeline["default"]["before_script"]
    for stage in pipeline["stages"]:
        for name, job in pipeline.items():
            if not isinstance(job, dict) or job.get("stage") != stage or (only and name not in only):
                continue
            environment = {**os.environ, **{key: str(value) for key, value in pipeline["variables"].items()}, **dotenv}
            script = "\n".join(job.get("before_script", before) + job["script"])
            run(["bash", "-e", "-c", script], environment, name)
            report = job.get("artifacts", {}).get("reports", {}).get("dotenv")
            if report:
                dotenv.update(line.split("=", 1) for line in lines_of(report))


def action(text, folder, given):
    """A composite action with inputs NAME=VALUE; its outputs go to the file outputs."""
    described = yaml.safe_load(text)
    facts = {"inputs." + name: about.get("default", "") for name, about in described["inputs"].items()}
    facts.update({"inputs." + name: value for name, value in (one.split("=", 1) for one in given)})
    for name, about in described["inputs"].items():
        assert not about.get("required") or "inputs." + name in facts, name
    output, added = os.path.join(folder, "outputs"), os.path.join(folder, "path")
    for step in described["runs"]["steps"]:
        # The one kind of condition that the actions have.
        if "if" in step and not facts[re.fullmatch(r"\$\{\{ ([\w.\-]+) != '' \}\}", step["if"])[1]]:
            continue
        assert "${{" not in step["run"], "an expression within a script"
        environment = {
            **os.environ, **{key: replaced(value, facts) for key, value in step["env"].items()}, "GITHUB_OUTPUT": output,
            "GITHUB_PATH": added, "GITHUB_ACTION_PATH": os.path.dirname(os.path.abspath(file)),
        }
        environment["PATH"] = ":".join(lines_of(added) + [os.environ["PATH"]])
        run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], environment, described["name"])


kind, file, folder = sys.argv[1:4]
with open(file, encoding="utf-8") as text:
    {"github": github, "gitlab": gitlab, "action": action}[kind](text.read(), folder, sys.argv[4:])
