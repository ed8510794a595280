#!/usr/bin/env python3
"""Prints a mail without what identifies you, for a bug report: pawl reads it as the original, but for the proof.

usage: redact-mail.py MAIL [NAME of an app or SKU, besides those that the mail gives]...
"""
import email.header
import html
import re
import sys

NOTHING, APPLE, LONG = "[redacted]", "apple|app store|itunes|app review", r"[^\W-]{25}|[\w-]{37}"
CHARSETS = "utf-8 utf8 iso-8859-1 latin1 windows-1252 cp1252 iso-2022-jp".split()
TAIL = r"""(?:"[^"]*"|'[^']*'|[^'">])*>"""
BLOCK = r"</?(?:blockquote|body|br|center|d[dlt]|div|footer|h[1-6r]|header|li|[ou]l|p|pre|section|t[a-z]+)\b" + TAIL
NAMES = [
    ("App", r'.*\byour (?:\(\w+\) )?app, (..+?), (?:is now "|has been approved|app Apple ID)'),
    ("App", r"(?:.*Review of your|.*issue with your) (..+?)(?: \(\w+\))? submission"), ("App", r".* Regarding (..+)"),
    ("App", r".* for (..+) has completed processing"), ("App", r'.*\bYour app (?:"(..+?)"|(..+?) has been reviewed)'),
    ("App", "App Name: *(..+)"), ("SKU", "(?:App )?SKU: *(..+)"), ("Person", "(?:Dear|Hello|Hi) (?!User,)([^,]{2,}),")]


def decoded(value):
    line = " ".join(value.encode("utf-8", "surrogateescape").decode("utf-8", "replace").split())
    try:
        return "".join(part if isinstance(part, str) else part.decode(name if name in CHARSETS else "utf-8", "replace")
                       for part, name in email.header.decode_header(line))
    except email.errors.HeaderParseError:
        return line


def read(part):  # Its text (None where pawl reads none), its lines, and the links in it.
    charset = part.get_content_charset("utf-8").replace("us-ascii", "utf-8")
    if part.get_content_type() not in ("text/plain", "text/html") or charset not in CHARSETS:
        return None, [], []
    text = part.get_payload(decode=True).decode(charset, "replace").replace("\0", "").replace("\r", "")
    if part.get_content_subtype() == "plain":
        return text, text.split("\n"), []
    page = re.sub(r"(?is)<!--.*?(-->|\Z)|<(head|script|style|template|title)\b.*?(?=</\2|\Z)", "", text)
    links = re.findall(r"""(?is)<a\b[^>]*?\shref\s*=\s*["']?([^"'\s>]*)""", page)
    page = html.unescape(re.sub("(?i)</?[a-z!?]" + TAIL, "", re.sub("(?i)" + BLOCK, "\n", page.replace("\n", " "))))
    return text, [line for line in page.split("\n") if line.strip()], map(html.unescape, links)


class Redaction:
    def __init__(self, mail, names=()):
        sys.setrecursionlimit(9_999)  # for parts within parts
        self.numbers, self.names, self.message = {}, {}, email.message_from_bytes(mail)
        texts = [read(part)[1] for part in self.message.walk() if not part.is_multipart()]
        lines = [" ".join(line.translate(str.maketrans("‘’“”", "''\"\"")).split())
                 for line in sum(texts, [decoded(str(self.message.get("subject", "")))])]
        found = [(kind, hit[hit.lastindex]) for line in lines for kind, form in NAMES if (hit := re.match(form, line))]
        for kind, name in found + [("App", name) for name in names]:
            self.names[name] = f"{kind} {self.number(kind, name.lower())}".removesuffix(" 1")
        self.mail = self.entity(self.message).encode("utf-8", "replace")

    def number(self, kind, thing):
        return self.numbers.setdefault(kind, {}).setdefault(thing, len(self.numbers[kind]) + 1)

    def domain(self, name):
        return name if re.search(r"(^|\.)apple\.com$", name) else f"domain{self.number('domain', name)}.example.com"

    def address(self, local, host, kind="person"):
        is_mailer = self.domain(host.lower()) == host.lower() and local.lower() in ("no_reply", "noreply")
        return f"{local if is_mailer else kind + str(self.number(kind, local + host))}@{self.domain(host.lower())}"

    def word(self, word):
        link, mail = re.match(r"https?://([^/?#]*)(.*)", word, re.S), re.match(r"(.+)@([\w-]*\.[\w.-]*)", word)
        if not link:
            return self.address(mail[1], mail[2]) if mail else word
        # Only links that ids are read from keep their path, if no word in it is longer than any of Apple's.
        is_told = re.fullmatch("(appstore|itunes)connect.apple.com", link[1].lower()) and not re.search(LONG, link[2])
        return f"https://{self.domain(link[1].lower())}{link[2] if is_told else '/'}"

    def text(self, text):
        for name in sorted(self.names, key=len, reverse=True):
            said = r"\s+".join(map(re.escape, name.split())).replace("'", "['‘’]").replace('"', '["“”]')
            said = r"(?<!\w)" * name[0].isalnum() + said + r"(?!\w)" * name[-1].isalnum()
            text = re.sub(said, self.names[name], text)
        text = re.sub("[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
                      lambda found: f"00000000-0000-4000-8000-{self.number('uuid', found[0].lower()):012}", text)
        text = re.sub(r"(?<![\d-])(?<!\d\.)\d{6,}(?!\d|\.\d|-0000-)",
                      lambda found: f"1{self.number('number', found[0]):0{len(found[0]) - 1}}", text)  # of no version
        return re.sub(r'[^\x00-\x20<>"()\[\]{},;]+', lambda found: self.word(found[0]), text)

    def field(self, key, said, text, boundary):
        found = re.findall(r"([^\s<>@\",;:]+)@([\w.-]+)", said)
        if key in ("from", "to", "cc", "reply-to", "sender", "return-path"):
            # That a mail says it is Apple's may be in the name alone.
            claim = '"App Store Connect" ' if key == "from" and re.search(APPLE, said.lower()) else ""
            return ", ".join(f"{claim}<{self.address(*one)}>" for one in found) or claim + NOTHING
        if key == "dkim-signature":
            # Without the hashes: by them, a guess at what the mail said could be tried.
            tags = dict(re.findall(r"([a-z]+) *= *([^;]*)", said))
            host = self.domain(tags.get("d", "").strip().lower())
            told = {"d": host, "i": "@" + host, "s": tags.get("s") if host.endswith("apple.com") else "selector",
                    "b": "AAAA", "bh": "A" * 43 + "="}
            return "; ".join(f"{tag}={told.get(tag, tags[tag] if tag in 'vachlqtx' else NOTHING)}" for tag in tags)
        rest = f'; boundary="{boundary}"' if boundary else "" if text is None else '; charset="utf-8"'
        return {"subject": self.text(said), "content-type": re.match("[^ ;]*", said)[0].lower() + rest,
                "date": said, "mime-version": said, "content-disposition": said.split(";")[0],
                "message-id": f"<{self.address(*found[0], 'message')}>" if found else NOTHING,
                "content-transfer-encoding": said if text is None else "8bit"}.get(key, NOTHING)

    def entity(self, part):
        boundary = part.get_boundary() if part.is_multipart() else None
        text, lines, links = read(part)
        body = NOTHING if text is None else self.text(text)
        if text is not None and part.get_content_subtype() == "html":
            body = "".join([f"<p>{html.escape(self.text(line), False)}</p>\r\n" for line in lines]
                           + [f'<a href="{html.escape(self.text(link))}"></a>\r\n' for link in links])
        if boundary:
            parts = "".join(f"--{boundary}\r\n{self.entity(one)}\r\n" for one in part.get_payload())
            body = parts + ("" if part.defects else f"--{boundary}--\r\n")  # what is not closed stays so
        return "".join(f"{name}: {self.field(name.lower(), decoded(value), text, boundary)}\r\n"
                       for name, value in part.raw_items()) + "\r\n" + body


if __name__ == "__main__":
    given = open(sys.argv[1], "rb").read() if sys.argv[1:] else sys.exit(__doc__)
    sys.stdout.buffer.write(Redaction(given, sys.argv[2:]).mail)
