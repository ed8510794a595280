#!/usr/bin/env python3
"""Signs a letter as Apple's mail server does (RFC 6376), with a key of your own, to rehearse what pawl makes of it.

    sign_mail.py key                    makes key.pem, and key.txt, the record to trust
    sign_mail.py LETTER > mail.eml      signs a header, an empty line and a text; adds Date and Message-ID

Needs the openssl command.
"""
import base64
import email.utils
import hashlib
import os
import re
import subprocess
import sys
import time

SIGNED = ["Date", "From", "To", "Message-ID", "Subject", "Content-Type"]


def make_key(folder="."):
    pem = os.path.join(folder, "key.pem")
    subprocess.run(["openssl", "genrsa", "-out", pem, "2048"], check=True, stderr=subprocess.DEVNULL)
    der = subprocess.run(["openssl", "pkey", "-in", pem, "-pubout", "-outform", "DER"], check=True,
                         stdout=subprocess.PIPE).stdout
    with open(os.path.join(folder, "key.txt"), "w", encoding="ascii") as file:
        file.write("v=DKIM1; k=rsa; p=" + base64.b64encode(der).decode() + "\n")


def relaxed(name, value):
    return name.lower() + ":" + re.sub(r"[ \t\r\n]+", " ", value).strip()


def relaxed_body(body):
    lines = [re.sub(rb"[ \t]+", b" ", line).rstrip(b" ") for line in body.split(b"\r\n")]
    while lines and not lines[-1]:
        lines.pop()
    return b"".join(line + b"\r\n" for line in lines)


def signed_mail(fields, body, selector, seconds, sign):
    """The bytes of a mail; `sign` makes the RSA signature (PKCS #1 v1.5, SHA-256) of some bytes."""
    body_hash = base64.b64encode(hashlib.sha256(relaxed_body(body)).digest()).decode()
    start = (f"v=1; a=rsa-sha256; c=relaxed/relaxed; d=email.apple.com; s={selector};\r\n"
             f"\tt={seconds}; h={':'.join(SIGNED)};\r\n\tbh={body_hash};\r\n\tb=")
    signed = [relaxed(name, fields[name]) for name in SIGNED] + [relaxed("DKIM-Signature", start)]
    signature = base64.b64encode(sign("\r\n".join(signed).encode())).decode()
    folded = "\r\n\t ".join(signature[at:at + 66] for at in range(0, len(signature), 66))
    header = [f"DKIM-Signature: {start}{folded}"] + [f"{name}: {value}" for name, value in fields.items()]
    return ("\r\n".join(header) + "\r\n\r\n").encode() + body


def openssl_sign(data):
    return subprocess.run(["openssl", "dgst", "-sha256", "-sign", "key.pem"], check=True, input=data,
                          stdout=subprocess.PIPE).stdout


def main(letter):
    if letter == "key":
        return make_key()
    with open(letter, encoding="utf-8") as file:
        header, _, text = file.read().partition("\n\n")
    now = time.time()
    fields = {"Date": email.utils.formatdate(now), "Message-ID": f"<{time.time_ns()}@email.apple.com>"}
    fields.update(line.split(": ", 1) for line in header.split("\n"))
    body = text.replace("\n", "\r\n").encode()
    sys.stdout.buffer.write(signed_mail(fields, body, "rehearsal", int(now), openssl_sign))


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) == 2 else sys.exit(__doc__)
