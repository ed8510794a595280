# Another implementation of DKIM, dkimpy, has the same opinion of every mail of the tests.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

agrees() {
  needs swift
  local python
  python=$(python_with dkim) || skip "there is no python3-dkim here"
  mkdir corpus
  PAWL_DKIM_CORPUS=$PWD/corpus swift test --package-path "$tests_root" --disable-xctest --skip-build \
    --filter AppleIntakeTests.AgreementTests >log 2>&1 || { [ -s corpus/keys.tsv ] || skip "the tests are not built"; cat log; return 1; }
  "$python" - corpus <<'PYTHON'
import logging, sys
import dkim

try:
    import nacl
except ImportError:
    nacl = None
logging.disable(logging.CRITICAL)
folder = sys.argv[1]
keys = dict(line.rstrip("\n").split("\t", 1) for line in open(f"{folder}/keys.tsv", encoding="utf-8"))

def record(name, timeout=5):
    return keys.get(name.decode().rstrip("."), "").encode() or None

def verdict(mail):
    found = False
    for index in range(mail.lower().count(b"dkim-signature:")):
        try:
            found = dkim.DKIM(mail).verify(idx=index, dnsfunc=record) or found
        except Exception:
            pass
    return found

# What is refused here on purpose and the RFC leaves open: part of a body, keys on trial or for something else, the
# clock of the tests, and fields that are not of the grammar though their bytes verify.
stricter = {"length-tag", "test-key", "key-not-for-this", "future-signature", "expired", "too-many-signatures",
            "malformed-signature", "missing-signed-header"}
compared = passed = stricter_here = wrong = 0
for line in open(f"{folder}/verdicts.tsv", encoding="utf-8"):
    name, ours, title = line.rstrip("\n").split("\t")
    mail = open(f"{folder}/{name}", "rb").read()
    if b"ed25519" in mail and nacl is None:
        continue
    theirs = verdict(mail)
    compared += 1
    passed += ours == "pass"
    if (ours == "pass") == theirs:
        continue
    if theirs and ours in stricter:
        stricter_here += 1
        continue
    # A second From breaks no signature; dkimpy refuses it at once, here the proof of the mail does.
    if mail.split(b"\r\n\r\n")[0].lower().count(b"\nfrom:") > 1 or mail.lower().startswith(b"from:"):
        continue
    wrong += 1
    print(f"{name} ({title}): here {ours}, dkimpy {'pass' if theirs else 'fail'}")
print(f"{compared} mails compared, {passed} verify, {stricter_here} refused here only")
sys.exit(wrong > 0 or compared < 300 or passed < 50)
PYTHON
}
it "dkimpy agrees on the corpus" agrees

finish
