# The commands of docs/push.md, run as they stand there against a service on loopback.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Starts the service; sets $place and keeps what it gets in ./requests.
start_service() {
  start_on_loopback python3 "$tests_root/Tests/shell/push.py" requests
}

make_forced_ledger() {
  make_ledger
  pawl force taxi below:1.1 --reason "bad bug" --yes >/dev/null
}

# Prints the commands of a section of the page, pointed at the service.
commands_of() {
  awk -v wanted="## $1" '/^## /{ inside = $0 == wanted } inside && /^```$/{ code = 0 } inside && code; inside && /^```sh$/{ code = 1 }' \
    "$tests_root/docs/push.md" |
    sed -e "s|https://api.jpush.cn|$place|; s|https://fcm.googleapis.com|$place|; s|https://api.push.apple.com|$place|" \
      -e "s|/etc/pawl/|$PWD/|g; s|docs/deliver|$tests_root/docs/deliver|"
}

run_commands() {
  commands_of "$1" >commands
  [ -s commands ]
  (
    gcloud() { echo a-token; }
    . ./commands
  )
}

# Holds the requests against a Python expression of them, by path.
requests_are() {
  python3 -c 'import base64, hashlib, hmac, json, os, stat
requests = [json.loads(line) for line in open("requests")]
for request in requests: request["body"] = json.loads(request["body"])
paths = [request["path"] for request in requests]
first, last = requests[0], requests[-1]
assert '"$1"', json.dumps(requests, indent=1)'
}

jpush() {
  start_service
  make_forced_ledger
  echo "machine 127.0.0.1 login appkey password mastersecret" >jpush.netrc
  run_commands JPush
  requests_are 'paths == ["/v3/push/validate", "/v3/push"]'
  requests_are 'first["headers"]["authorization"] == "Basic " + base64.b64encode(b"appkey:mastersecret").decode()'
  requests_are 'first["body"] == last["body"] and last["headers"]["content-type"] == "application/json"'
  requests_are 'last["body"]["notification"]["ios"]["extras"]["versions"] == "below:1.1"'
}
it "JPush's commands check the message, then send the same" jpush

firebase() {
  start_service
  make_forced_ledger
  run_commands Firebase
  requests_are 'paths == ["/v1/projects/PROJECT/messages:send"] * 2'
  requests_are 'first["body"]["validate_only"] is True and "validate_only" not in last["body"]'
  requests_are 'first["body"]["message"] == last["body"]["message"]'
  requests_are 'last["headers"]["authorization"] == "Bearer a-token"'
  same "$(rights token.header)" 600
}
it "Firebase's commands check the message, then send the same" firebase

nothing_forced() {
  start_service
  make_ledger
  echo "machine 127.0.0.1 login appkey password mastersecret" >jpush.netrc
  run run_commands JPush
  [ "$status" = 1 ]
  [ ! -e requests ]
}
it "with nothing forced the commands send nothing" nothing_forced

apple() {
  needs openssl
  start_service
  make_forced_ledger
  openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out AuthKey.p8
  openssl pkey -in AuthKey.p8 -pubout -out public.pem
  printf '%s\n' 00aa11 "" 22bb33 >devices
  run_commands Apple
  requests_are 'paths == ["/3/device/00aa11", "/3/device/22bb33"]'
  requests_are 'last["body"]["aps"] == {"content-available": 1} and last["body"]["versions"] == "below:1.1"'
  requests_are '{first["headers"][name] for name in ("apns-topic", "apns-push-type", "apns-priority")} == {"com.example.taxi", "background", "5"}'
  # The token is what RFC 7515 and 7518 say: here openssl verifies it, from the two numbers made into DER again.
  python3 - <<'END'
import base64, json
header, claims, signature = json.loads(open("requests").readline())["headers"]["authorization"].removeprefix("bearer ").split(".")
decode = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
assert json.loads(decode(header)) == {"alg": "ES256", "kid": "ABC123DEFG"}
assert set(json.loads(decode(claims))) == {"iss", "iat"} and json.loads(decode(claims))["iss"] == "DEF123GHIJ"
raw = decode(signature)
assert len(raw) == 64
def number(part):
    part = part.lstrip(b"\0")
    part = (b"\0" if part[0] & 0x80 else b"") + part
    return bytes([2, len(part)]) + part
body = number(raw[:32]) + number(raw[32:])
open("signature", "wb").write(bytes([0x30, len(body)]) + body)
open("text", "w").write(header + "." + claims)
END
  openssl dgst -sha256 -verify public.pem -signature signature text
  # Nothing of it is among the words of a process, and what Apple refuses for now is tried again.
  echo 429 >status
  ends_with 1 run_commands Apple
  echo 410 >status
  ends_with 0 run_commands Apple
  echo 400 >status
  for reason in BadDeviceToken:0 DeviceTokenNotForTopic:0 BadTopic:1 TopicDisallowed:1; do
    echo "{\"reason\":\"${reason%:*}\"}" >answer
    ends_with "${reason#*:}" run_commands Apple
  done
  has err 'Apple answered 400 {"reason":"TopicDisallowed"}'
}
it "Apple's command sends to each device with a token that verifies" apple

finish
