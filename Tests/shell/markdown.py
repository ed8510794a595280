"""Holds the tables of --markdown against readers of Markdown: markdown.py markdown_it|cmarkgfm

In ./pawl.db there is the app taxi. Reasons, settings and notes of others are made of all that means something to a reader.
Each table read back has to have the cells that --json or --csv say, all text, with no HTML, link or mention in it.
"""
import csv
import html.parser
import importlib
import io
import json
import os
import random
import subprocess
import sys

reader = importlib.import_module(sys.argv[1])
pieces = ["a", "b c", " ", "  ", "|", "\\|", "\\\\|", "\\", "`", "``", "```", "<b>", "</td>", "<script>", "<!--", "-->", "&lt;", "&",
          "@team", "@", "#12", "GH-3", "o/r#4", "https://e.example/x", "www.e.example", "m@e.example", "[l](x)", "![i](x)", "[", "](", "*",
          "**", "_", "__", "~~", "$", ":tada:", ":", "-", "- ", "1. ", "# ", "> ", "---", "|---|", "+", "=", "é", "日本", "“", "\U0001F600",
          "2026-11-21T09:00:00Z", "7.4.0", "<https://e.example>", "{", "}", "^", "!", "[^1]", "[x]"]
random.seed(11)


def pawl(*words):
    done = subprocess.run([os.environ["PAWL"], *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout.decode("utf-8")


class Tables(html.parser.HTMLParser):
    """The cells of the tables of a page, and what stands within them."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.rows, self.cell, self.inside, self.free = [], None, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        assert tag in ("table", "thead", "tbody", "tr", "th", "td", "code", "p", "br"), tag
        # Alignment is all that a tag says.
        assert all(name in ("style", "align") for name, _ in attributes), attributes
        self.inside.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.cell = ""

    def handle_endtag(self, tag):
        self.inside.pop() if tag != "br" else None
        if tag in ("td", "th"):
            self.rows[-1].append(self.cell)
            self.cell = None

    def handle_startendtag(self, tag, attributes):
        assert tag == "br", tag

    def handle_comment(self, data):
        raise AssertionError("a comment: " + data)

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data
        if "code" not in self.inside:
            self.free.append(data)


def read(markdown):
    if sys.argv[1] == "markdown_it":
        page = reader.MarkdownIt("commonmark", {"linkify": False}).enable(["table", "strikethrough"]).render(markdown)
    else:
        page = reader.github_flavored_markdown_to_html(markdown)
    tables = Tables(page)
    free = "".join(tables.free)
    # What would be a mention, an address or an issue to the site that shows it; a link would be a tag.
    for mark in ("@", "#", "GH-"):
        assert mark not in free, (mark, free)
    return tables.rows


def shown(text):
    """A text as a table shows it; there are no control characters here."""
    return text.strip(" ")


reasons = []
for number in range(150):
    reason = "".join(random.choice(pieces) for _ in range(random.randrange(1, 7)))
    if not reason.strip():
        reason = "x"
    reasons.append(reason)
    # What begins with a hyphen is a value only after '=' or '--'.
    pawl("setting", "--reason=" + reason, "--actor=" + reason, "--", "taxi", "key%d" % (number % 7), reason)

rows = read(pawl("history", "--markdown"))
# A spreadsheet takes what begins with a hyphen for a formula, so that reasons are those of --json.
wanted = list(csv.DictReader(io.StringIO(pawl("history", "--csv"))))
said = [event["reason"] for event in json.loads(pawl("history", "--json"))["events"]]
assert len(rows) == len(wanted) + 1, (len(rows), len(wanted))
assert rows[0] == ["EVENT", "AT", "WHO", "WHAT", "REASON"], rows[0]
for row, event, reason in zip(rows[1:], wanted, said):
    assert len(row) == 5 and row[0] == event["seq"], (row, event)
    assert row[4] == shown(reason or ""), (row, event)
    assert row[3] == shown(event["what"]), (row, event)

for number, reason in enumerate(reasons[:40]):
    pawl("force", "taxi", "1.0.%d" % (number + 1), "--reason=" + reason, "--when-visible", "--yes")
rows = read(pawl("rules", "taxi", "--markdown"))
rules = json.loads(pawl("rules", "taxi", "--json"))["rules"]
assert len(rows) == len(rules) + 1 and len(rules) == 40
found = sorted((row[0], row[8]) for row in rows[1:])
assert found == sorted((str(rule["number"]), shown(rule["reason"])) for rule in rules)

for number, note in enumerate(reasons[:25]):
    version = "1.%d" % (number + 2)
    pawl("publish", "taxi", version, "--note=en=" + note, "--url", "https://apps.apple.com/app/id1?x=%d&y=@a*_b_~c" % number, "--markdown")
    pawl("mark", "taxi", version, "live", "--visible-now", "--yes", "--markdown")
    answer = json.loads(pawl("check", "taxi", "1.0", "--json"))
    facts = {row[0]: row[1] for row in read(pawl("check", "taxi", "1.0", "--markdown"))}
    assert facts["told"] == answer["action"] and facts["URL"] == answer["url"], (facts, answer)
    assert facts["notes"] == shown(answer["notes"]), (facts, answer)
    for key, value in answer["settings"].items():
        assert facts[key] == shown(value), (key, facts, value)

for words in (["status"], ["status", "taxi"], ["releases", "taxi"], ["due", "--since", "7d"], ["stop", "taxi", "--dry-run"]):
    assert read(pawl(*words, "--markdown")), words
print("measured: %d texts of others" % (len(reasons) + 65))
