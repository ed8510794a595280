# Profiles as other programs make them: property lists of Python, signed by the openssl shell.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# A key, a certificate, and signed property lists of many kinds in ./NAME.mobileprovision.
make_profiles() {
  needs openssl python3
  openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=test -days 30 -keyout key.pem -out cert.pem 2>/dev/null
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=ec -days 30 -keyout ec.pem -out eccert.pem 2>/dev/null
  python3 - <<'PY'
import datetime, plistlib
end = datetime.datetime(2031, 1, 15, 9, 30)
def write(name, value, **more):
    with open(name + ".plist", "wb") as file:
        plistlib.dump(value, file, **more)
whole = {"Name": "x", "ExpirationDate": end, "Entitlements": {"get-task-allow": False, "groups": ["a", "b"]}, "DER": b"0123"}
write("good", whole)
write("binary", whole, fmt=plistlib.FMT_BINARY)
write("missing", {"Name": "x"})
write("wrong-type", {"ExpirationDate": "2031-01-15T09:30:00Z"})
write("nested", {"Entitlements": {"ExpirationDate": end}})
write("list", [whole])
write("long", {**whole, "Devices": [f"{number:040}" for number in range(10_000)]})
write("huge", {**whole, "Devices": [f"{number:040}" for number in range(30_000)]})
write("far", {"ExpirationDate": datetime.datetime(9999, 12, 31, 23, 59, 59)})
write("past", {"ExpirationDate": datetime.datetime(2001, 1, 1)})
open("utf16.plist", "wb").write(plistlib.dumps(whole).decode().replace("UTF-8", "UTF-16").encode("utf-16"))
PY
  local list name
  for list in *.plist; do
    name=${list%.plist}
    openssl cms -sign -binary -nodetach -in "$list" -signer cert.pem -inkey key.pem -outform DER -out "$name.mobileprovision"
  done
  openssl cms -sign -binary -in good.plist -signer cert.pem -inkey key.pem -outform DER -out detached.mobileprovision
  openssl cms -sign -binary -nodetach -in good.plist -signer cert.pem -inkey key.pem -outform PEM -out pem.mobileprovision
  openssl cms -sign -binary -nodetach -nocerts -in good.plist -signer cert.pem -inkey key.pem -outform DER -out no-certificate.mobileprovision
  openssl cms -sign -binary -nodetach -in good.plist -signer cert.pem -inkey key.pem -signer eccert.pem -inkey ec.pem -outform DER -out two.mobileprovision
  openssl cms -sign -binary -nodetach -md sha512 -in good.plist -signer eccert.pem -inkey ec.pem -outform DER -out ec.mobileprovision
  openssl cms -data_create -binary -in good.plist -outform DER -out unsigned.mobileprovision
  openssl cms -encrypt -binary -in good.plist -outform DER -out encrypted.mobileprovision cert.pem
  openssl cms -sign -stream -binary -nodetach -in good.plist -signer cert.pem -inkey key.pem -outform DER -out ber.mobileprovision
}

kinds() {
  make_profiles
  pawl init >/dev/null
  pawl app add ent --bundle-id com.example.ent --channel enterprise >/dev/null
  local name wanted number=0 head
  while read -r name wanted; do
    number=$((number + 1))
    head=$(events)
    case $wanted in
      [0-9]*-*)
        pawl publish ent "1.$number" --profile "$name.mobileprovision" --json >out
        has out "\"expires\":\"$wanted\""
        ;;
      *)
        ends_with 65 pawl publish ent "1.$number" --profile "$name.mobileprovision" --json
        has err "\"id\":\"$wanted\""
        same "$(events)" "$head"
        ;;
    esac
  done <<'ROWS'
good 2031-01-15T09:30:00Z
long 2031-01-15T09:30:00Z
two 2031-01-15T09:30:00Z
ec 2031-01-15T09:30:00Z
ber 2031-01-15T09:30:00Z
far 9999-12-31T23:59:59Z
past 2001-01-01T00:00:00Z
binary profile.no-expiry
utf16 profile.no-expiry
missing profile.no-expiry
wrong-type profile.no-expiry
nested profile.no-expiry
list profile.no-expiry
detached profile.not-signed
pem profile.not-signed
no-certificate profile.not-signed
unsigned profile.not-signed
encrypted profile.not-signed
huge file.too-large
ROWS
  pawl verify >out
}
it "an expiry is read only from a signed profile that gives it plainly" kinds

truncated() {
  make_profiles
  pawl init >/dev/null
  pawl app add ent --bundle-id com.example.ent --channel enterprise >/dev/null
  local size count
  size=$(wc -c <good.mobileprovision)
  for count in 0 1 2 4 5 30 100 $((size / 2)) $((size - 256)) $((size - 1)); do
    head -c "$count" good.mobileprovision >cut.mobileprovision
    ends_with 65 pawl publish ent 1.0 --yes --profile cut.mobileprovision --json
    has err '"id":"profile.not-signed"'
  done
}
it "a profile that was cut off is refused" truncated

finish
