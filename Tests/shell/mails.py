"""Writes mails as App Store Connect sends them, signed by a key made for the purpose.

    mails.py key FOLDER                     makes FOLDER/key.pem and FOLDER/key.txt, the TXT record
    mails.py dir|maildir FOLDER OUT         writes signed mails to OUT, one for each line of standard input:
                                            APPLE_ID VERSION STATE SECONDS

The signature is made here and by docs/tasks/rehearsal, by RFC 6376 and RFC 8017, so that no line of it is pawl's.
"""

import email.utils
import hashlib
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/tasks/rehearsal"))
from sign_mail import make_key, signed_mail  # noqa: E402

SHA256_INFO = bytes.fromhex("3031300d060960864801650304020105000420")

# What a letter says of each state: the end of its subject, and its sentence.
WORDING = {
    "waiting": ("Waiting for Review", "The status for the following app has changed to Waiting for Review."),
    "in-review": ("In Review", "The status for the following app has changed to In Review."),
    "approved": ("Pending Developer Release", "The following app has been approved and the app status has changed to "
                 "Pending Developer Release."),
    "rejected": ("Rejected", "The status for the following app has changed to Rejected."),
    "live": ("Ready for Distribution", "The following app is ready for distribution:"),
}


def integers(der):
    """The integers of a PKCS #1 RSAPrivateKey, in their order."""
    def length(at):
        first = der[at]
        if first < 0x80:
            return first, at + 1
        count = first & 0x7F
        return int.from_bytes(der[at + 1:at + 1 + count], "big"), at + 1 + count

    _, at = length(1)
    found = []
    while at < len(der):
        size, at = length(at + 1)
        found.append(int.from_bytes(der[at:at + size], "big"))
        at += size
    return found


class Signer:
    def __init__(self, folder):
        der = subprocess.run(["openssl", "rsa", "-in", os.path.join(folder, "key.pem"), "-traditional", "-outform",
                              "DER"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        _, self.n, _, _, self.p, self.q, self.dp, self.dq, self.inverse = integers(der)
        self.size = (self.n.bit_length() + 7) // 8

    def sign(self, data):
        digest = SHA256_INFO + hashlib.sha256(data).digest()
        block = int.from_bytes(b"\0\1" + b"\xff" * (self.size - len(digest) - 3) + b"\0" + digest, "big")
        of_p, of_q = pow(block, self.dp, self.p), pow(block, self.dq, self.q)
        number = of_q + (of_p - of_q) * self.inverse % self.p * self.q
        return number.to_bytes(self.size, "big")


def letter(signer, number, apple_id, version, state, seconds):
    title, sentence = WORDING[state]
    body = "\r\n".join([
        "Hello,", "", sentence, "", "App Name: Taxi", "App Version Number: " + version, "Platform: iOS",
        "App SKU: TAXI-1", "App Apple ID: " + apple_id, "", "Best regards,", "The App Store team", "",
    ]).encode()
    fields = {
        "Date": email.utils.formatdate(int(seconds)),
        "From": '"\\"App Store Connect\\"" <no_reply@email.apple.com>',
        "To": "release@example.com",
        "Message-ID": f"<{seconds}.{number}.{apple_id}@email.apple.com>",
        "Subject": f'The status of your (iOS) app, Taxi, is now "{title}"',
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
    }
    return signed_mail(fields, body, "test", seconds, signer.sign)


def main():
    form, folder = sys.argv[1:3]
    if form == "key":
        return make_key(folder)
    out = sys.argv[3]
    signer = Signer(folder)
    for name in ["new", "cur", "tmp"] if form == "maildir" else ["."]:
        os.makedirs(os.path.join(out, name), exist_ok=True)
    for number, line in enumerate(sys.stdin):
        apple_id, version, state, seconds = line.split()
        mail = letter(signer, number, apple_id, version, state, seconds)
        # In a Maildir every third mail has been read; names are in no order.
        name = f"{number:05d}.eml"
        if form == "maildir":
            read = number % 3 == 2
            unique = hashlib.sha256(str(number).encode()).hexdigest()[:12]
            name = f"{'cur' if read else 'new'}/{seconds}.{unique}.host{':2,S' if read else ''}"
        with open(os.path.join(out, name), "wb") as file:
            file.write(mail if form == "dir" else mail.replace(b"\r\n", b"\n"))


main()
