# The commands of docs/push.md, run as they stand there against a service on loopback.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

stop_service() {
  [ -n "${service:-}" ] || return 0
  kill "$service" 2>/dev/null || true
  wait "$service" 2>/dev/null || true
  service=""
}

# Starts the service; sets $place and keeps what it gets in ./requests.
start_service() {
  needs python3 curl
  local tries=0
  trap stop_service EXIT
  python3 "$tests_root/Tests/shell/push.py" requests >port &
  service=$!
  until [ -s port ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 200 ]
    sleep 0.05
  done
  place=http://127.0.0.1:$(cat port)
}

make_forced_ledger() {
  make_ledger
  pawl force taxi below:1.1 --reason "bad bug" --yes >/dev/null
}

# Prints the commands of a section of the page, pointed at the service.
commands_of() {
  awk -v wanted="## $1" '/^## /{ inside = $0 == wanted } inside && /^```$/{ code = 0 } inside && code; inside && /^```sh$/{ code = 1 }' \
    "$tests_root/docs/push.md" |
    sed -e "s|https://api.jpush.cn|$place|; s|https://fcm.googleapis.com|$place|; s|https://hooks.example.com|$place|" \
      -e "s|/etc/pawl/|$PWD/|; s|docs/clients|$tests_root/docs/clients|"
}

# Runs them with pawl, and a gcloud that has a token.
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
  requests_are 'last["body"]["notification"]["ios"]["extras"]["versions"] == "1.0"'
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

signed() {
  needs openssl base64
  # The vector that the libraries of Standard Webhooks share.
  echo whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw >secret
  printf '%s' '{"test": 2432232314}' >body
  ends_with 0 "$tests_root/docs/clients/send-webhook.sh" --sign secret msg_p5jXN8AQM9LWM0D4loKWxJek 1614265330 <body
  same "$(cat out)" "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
  # With keys of all lengths there are, and bytes of all kinds.
  needs python3
  local length
  for length in 24 25 32 63 64; do
    python3 -c 'import base64, sys
print("whsec_" + base64.b64encode(bytes(range(256))[-int(sys.argv[1]) + 10 :][: int(sys.argv[1]) - 10] + bytes(10)).decode())' \
      "$length" >secret
    "$tests_root/docs/clients/send-webhook.sh" --sign secret msg_1 1614265330 <body >out
    python3 -c 'import base64, hashlib, hmac
key = base64.b64decode(open("secret").read().strip()[6:])
wanted = hmac.new(key, b"msg_1.1614265330." + open("body", "rb").read(), hashlib.sha256).digest()
assert open("out").read() == "v1," + base64.b64encode(wanted).decode() + "\n", len(key)'
  done
  echo whsec_c2hvcnQ= >secret
  ends_with 65 "$tests_root/docs/clients/send-webhook.sh" --sign secret msg_1 1614265330 <body
  ends_with 64 "$tests_root/docs/clients/send-webhook.sh"
}
it "a webhook is signed as Standard Webhooks says" signed

webhook() {
  needs openssl base64
  start_service
  make_forced_ledger
  echo whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw >webhook.secret
  run_commands "A server of your own"
  python3 -c 'import base64, hashlib, hmac, json, time
request = json.loads(open("requests").read())
headers, body = request["headers"], request["body"]
key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
text = headers["webhook-id"] + "." + headers["webhook-timestamp"] + "." + body
wanted = base64.b64encode(hmac.new(key, text.encode(), hashlib.sha256).digest()).decode()
assert headers["webhook-signature"] == "v1," + wanted, headers
assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60
assert "." not in headers["webhook-id"] and len(headers["webhook-id"]) > 20
assert json.loads(body)["type"] == "app.update-forced"'
}
it "the webhook arrives with a signature that holds" webhook

finish
