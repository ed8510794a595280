"""Asks a web server on loopback what no client asks, byte by byte, and holds it against answering with a file.

    serving.py PORT DIR SLUG VERSION    DIR holds the exported documents, SLUG an app in it, VERSION a version of it
"""

import os
import socket
import sys


def answer(port, request):
    """The status and the body of the answer to raw bytes; status 0 where the server only hung up."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request)
        received = b""
        try:
            while part := connection.recv(65536):
                received += part
        except ConnectionResetError:
            pass
    head, _, body = received.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 "):
        return 0, received
    return int(head.split(b" ", 2)[1]), body


def get(target):
    return b"GET " + target + b" HTTP/1.1\r\nHost: updates.example.com\r\nConnection: close\r\n\r\n"


def targets(slug, version):
    """What is asked for, and what has to be said."""
    app, name = slug.encode(), version.encode()
    document, refused, missing = b"/v1/" + app + b"/" + name + b".json", (400,), (404,)
    either = (400, 404)
    long = b"1" * 10_000
    # Out of the folder and back in, and names that start with a point.
    for path in [
        b"/v1/../v1/" + app + b"/" + name + b".json", b"/v1/" + app + b"/../" + app + b"/default.json",
        b"/v1/" + app + b"/../../manifest.json", b"/../manifest.json", b"/v1/../../../../../../etc/passwd",
        b"/v1/./" + app + b"/default.json", b"//manifest.json", b"/v1//" + app + b"/default.json",
        b"/.pawl/state.json", b"/.pawl/lock", b"/.pawl/", b"/.pawl", b"/v1/../.pawl/state.json",
        b"/v1/" + app + b"/.json", b"/.", b"/..", b"/v1/" + app + b"/..", b"/v1/" + app + b"/.",
        b"/x/../check?app=" + app + b"&version=" + name,
    ]:
        yield path, either
    # The same, encoded once and twice; backslashes; NUL; blanks; a line end.
    for path in [
        b"/v1/" + app + b"%2f" + name + b".json", b"/v1/" + app + b"%2F" + name + b".json",
        b"/v1%2f" + app + b"%2fdefault.json", b"/%2e%2e/manifest.json", b"/v1/%2e%2e/manifest.json",
        b"/v1/" + app + b"/..%2f..%2fmanifest.json", b"/v1/" + app + b"/%2e%2e%2f%2e%2e%2fmanifest.json",
        b"/v1/" + app + b"/..%5c..%5cmanifest.json", b"/v1/" + app + b"\\..\\..\\manifest.json",
        b"/v1/" + app + b"%5c" + name + b".json", b"/v1/" + app + b"%252f" + name + b".json",
        b"/%252e%252e/manifest.json", b"/%2epawl/state.json", b"/%2Epawl%2fstate.json", b"/manifest%2ejson",
        document + b"%00", b"/v1/" + app + b"/" + name + b"%00.json", b"/v1/" + app + b"/default.json%00.html",
        document + b"\0", b"/v1/" + app + b"/\0.json", b"/v1/" + app + b"/" + name + b" .json",
        b"/v1/" + app + b"/" + name + b"%20.json", b"/v1/" + app + b"/%20" + name + b".json",
        b"/v1/" + app + b"/" + name + b".json%20", b"/v1/" + app + b"/" + name + b".json%0a",
        b"/v1/" + app + b"/" + name + b"%0d%0aX: y.json", b"/v1/%74axi/default.json",
        b"/v1/" + app + b"/" + "\uff17.3.2".encode() + b".json",
    ]:
        yield path, either
    # Names that are no slug, no version, no format, no file.
    for path in [
        b"/", b"/v1", b"/v1/", b"/v1/" + app, b"/v1/" + app + b"/", b"/index.html", b"/favicon.ico",
        b"/v1/nobody/" + name + b".json", b"/v1/nobody/default.json", b"/v1/" + app + b"/manifest.json",
        b"/v2/" + app + b"/" + name + b".json", b"/v1/" + app.upper() + b"/" + name + b".json",
        b"/v1/" + app + b"/" + name, b"/v1/" + app + b"/" + name + b".xml", document + b".", document + b"/",
        document + b"~", b"/v1/" + app + b"/v" + name + b".json", b"/v1/" + app + b"/1..2.json",
        b"/v1/" + app + b"/1.2.3.4.5.json", b"/v1/" + app + b"/1..2.json", b"/v1/" + app + b"/-1.json",
        b"/v1/" + app + b"/1234567890.json", b"/v1/" + app + b"/" + long + b".json", b"/v1/" + long + b"/default.json",
        b"/" + long, b"/v1/" + b"a" * 64 + b"/default.json", b"/v1/-a/default.json", b"/flags/" + app + b"/schedule.json",
        document + b";x=y", b"/lookup", b"/lookup?bundleId=com.example.taxi", b"/lookup?id=1524608462",
    ]:
        yield path, missing
    # Arguments.
    for arguments in [
        b"", b"?", b"?app=" + app, b"?version=" + name, b"?app=&version=" + name, b"?app=" + app + b"&version=",
        b"?app=" + app + b"&version=" + name + b"&version=9.9", b"?app=" + app + b"&app=other&version=" + name,
        b"?app=" + app + b"&version=" + name + b"&app=" + app, b"?app=" + app + b"&version=" + name + b"%20",
        b"?app=" + app + b"&version=%20" + name, b"?app=" + app + b"&version=" + name + b"+",
        b"?app=" + app + b"&version=" + name + b"%00", b"?app=../v1/" + app + b"&version=" + name,
        b"?app=" + app + b"&version=../" + app + b"/default", b"?app=" + app + b"&version=default",
        b"?app=" + app + b"&version=policy", b"?app=..&version=manifest", b"?app=.pawl&version=state",
        b"?app=" + app + b"%2f&version=" + name, b"?app=" + app + b"&version=1.2.3.4.5", b"?app=" + app + b"&version=" + long,
        b"?app=" + long + b"&version=" + name, b"?app=" + app + b"&version=1..2", b"?APP=" + app + b"&VERSION=" + name,
        b"?xapp=" + app + b"&xversion=" + name, b"?app=" + app + b";version=" + name, b"?app[]=" + app + b"&version=" + name,
    ]:
        for question in [b"/check", b"/flags", b"/type"]:
            yield question + arguments, refused
    yield b"/check?app=nobody&version=" + name, missing
    yield b"/check?app=" + app + b" &version=" + name, either
    yield b"/check?app=" + app + b"\0&version=" + name, either
    yield b"/check/?app=" + app + b"&version=" + name, missing
    # Longer than any buffer.
    yield b"/" + b"a" * 100_000, (400, 404, 414)


def main():
    port, folder, slug, version = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
    files = set()
    for parent, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(parent, name), "rb") as file:
                files.add(file.read())
    files.discard(b"")
    wrong = asked = 0
    for target, wanted in targets(slug, version):
        status, body = answer(port, get(target))
        asked += 1
        # What comes with the status is the server's own page.
        if status not in wanted or body in files or any(text in body for text in files) or b"root:" in body:
            wrong += 1
            print(f"{target[:120]!r}: {status} {body[:80]!r}, not {wanted}")
    print(f"asked {asked}")
    # And what clients do ask is answered, or all of this would prove nothing.
    status, _ = answer(port, get(f"/v1/{slug}/{version}.json".encode()))
    return 1 if wrong or status != 200 else 0


sys.exit(main())
