"""Reads pages as a strict reader would: every element closed in order, nothing loaded, nothing left unescaped."""

import re
import sys
from html.parser import HTMLParser

EMPTY = {"meta"}
LINKS = {"href", "src", "srcset", "action", "data", "poster"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.ids, self.targets, self.counts, self.text = [], [], [], [], {}, ""

    def handle_starttag(self, tag, attributes):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            self.faults.append(f"<{tag}> says an attribute twice")
        for name, value in attributes:
            if name.startswith("on") or name == "style":
                self.faults.append(f"<{tag}> has {name}")
            if name == "id":
                self.ids.append(value)
            if name in ("aria-labelledby", "for"):
                self.targets.append(value)
            if name in LINKS:
                if value.startswith("#"):
                    self.targets.append(value[1:])
                elif tag != "a" or not re.match("https://", value):
                    self.faults.append(f"<{tag}> leads to {value}")
        if tag == "th" and "scope" not in names:
            self.faults.append("a <th> without scope")
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes another element, line {self.getpos()[0]}")

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("style", "script"):
            self.text += data


for path in sys.argv[1:]:
    page = Page()
    page.feed(open(path, encoding="utf-8").read())
    page.close()
    faults = page.faults + [f"<{tag}> is not closed" for tag in page.open]
    faults += [f"id {id} is there twice" for id in set(page.ids) if page.ids.count(id) > 1]
    faults += [f"nothing is called {target}" for target in page.targets if target not in page.ids]
    for tag, count in {"html": 1, "h1": 1, "main": 1, "nav": 1, "title": 1}.items():
        if page.counts.get(tag) != count:
            faults.append(f"<{tag}> is there {page.counts.get(tag, 0)} times")
    if page.counts.get("table", 0) != page.counts.get("caption", 0):
        faults.append("a table without a caption")
    if page.counts.get("script") or page.counts.get("img"):
        faults.append("a script or an image")
    if re.search("[\u202a-\u202e\u2066-\u2069\u0000-\u0008]", page.text):
        faults.append("a control character")
    if faults:
        sys.exit("\n".join(f"{path}: {fault}" for fault in faults))
