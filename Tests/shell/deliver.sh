# 'pawl deliver' as a process: what a command gets, and what happens when it fails, hangs or is killed; and each command of
# docs/deliver as it stands.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

commands=$tests_root/docs/deliver

# Starts a service that keeps what it is sent in ./requests and answers what ./status says; sets $place.
start_service() {
  start_on_loopback python3 "$tests_root/Tests/shell/push.py" requests
}

# Two releases, of which the second can be seen, and a delivery that begins there.
begin() {
  make_ledger
  pawl deliver "${1:-test}" -- false >out
}

new_release() {
  pawl publish taxi "$1" --note en="Notes" >/dev/null
  pawl mark taxi "$1" live --visible-now --yes --actor "the release manager" --reason "out" >/dev/null
}

fed() {
  needs jq
  begin
  new_release 1.2
  pawl deliver test --json -- sh -c 'cat >>messages; echo noise' >out 2>err
  same "$(cat out)" '{"delivered":3,"failingSince":null,"name":"test","waiting":0}'
  same "$(cat err)" "$(printf 'noise\nnoise\nnoise')"
  same "$(wc -l <messages | tr -d ' ')" 3
  # The message of the page has the members of a real one.
  local members='[keys, (.data | keys), (.data.answers[0] | keys)]'
  same "$(block json 1 deliver/README | jq -c "$members")" "$(tail -n 1 messages | jq -c "$members")"
  same "$(sed 's/.*"type":"\(.*\)".*/\1/' messages)" "$(printf 'event.recorded\nevent.recorded\nanswers.changed')"
  # Nothing is new.
  pawl deliver test -- false >out
  has out "0 delivered to test."
  # A first call says where it begins.
  pawl deliver late -- false >out
  has out "Nothing delivered yet: late starts after event 6."
  # Files beside the ledger are its owner's, like the ledger.
  same "$(rights pawl.db-deliver)" 750
  same "$(rights pawl.db-deliver/test.json)" 640
}
it "a command reads each message on standard input, and its output goes to standard error" fed

unread() {
  begin
  new_release 1.2
  ends_with 0 pawl deliver test -- true
  new_release 1.3
  ends_with 75 pawl deliver test -- no-such-program
  has err "it cannot be run: no such file or directory"
  ends_with 75 pawl deliver test -- sh -c 'exit 7'
  has err "it ended with status 7"
  ends_with 0 pawl deliver test -- sh -c 'exec <&-; exit 0'
  ends_with 0 pawl deliver other --since-event 1 -- true <&-
}
it "a command need not read its message, and one that fails or is missing ends with 75" unread

hanging() {
  begin
  new_release 1.2
  "$pawl_program" deliver test -- sh -c 'echo $$ >pid; exec sleep 60' >out 2>err &
  local run=$!
  soon [ -s pid ]
  # Nobody waits for it: the ledger is written, and another name is told.
  new_release 1.3
  ends_with 0 pawl deliver other --since-event 1 -- true
  ends_with 75 pawl deliver test -- true
  has err "another run is in progress"
  pawl status >board
  has board "deliver test:"
  kill -TERM "$run"
  ends_with 75 wait "$run"
  if kill -0 "$(cat pid)" 2>/dev/null; then return 1; fi
  ends_with 0 pawl deliver test -- sh -c 'cat >>messages'
  has messages '"version":"1.2"'
}
it "a command that hangs holds up no other change or delivery, and ends with pawl" hanging

may_only_read() {
  [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || skip "this runs as another account"
  make_ledger
  chmod 440 pawl.db
  chmod 755 "$tests_folder" .
  cp "$pawl_program" ./pawl-program
  chown 65534:65534 . pawl.db* pawl-program
  # A lock that may only be read would shut the next run out.
  local _
  for _ in 1 2; do
    ends_with 0 setpriv --reuid=65534 --regid=65534 --clear-groups ./pawl-program deliver test --since-event 1 -- true
  done
  same "$(rights pawl.db-deliver/lock)" 640
}
it "a ledger that may only be read leaves no lock that may only be read" may_only_read

drained() {
  needs python3
  pawl init >/dev/null
  pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462 >/dev/null
  python3 -c 'import time
print("version,released_at")
for number in range(10_000):
    print(f"{number + 1}.0", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_500_000_000 + number * 60)), sep=",")' >past.csv
  pawl import taxi past.csv --yes >/dev/null
  local events start seconds
  events=$(events)
  [ "$events" -gt 10000 ]
  start=$(date +%s%N)
  pawl deliver test --since-event 1 --json -- true >out
  seconds=$((($(date +%s%N) - start) / 1000000))
  has out '"waiting":0'
  echo "measured: $events events in $seconds ms, $((events * 1000 / seconds)) a second"
  [ $((events * 1000 / seconds)) -ge 200 ]
}
it "10,000 events are delivered at 200 a second or more" drained

verified() {
  local python
  python=$(python_with standardwebhooks) || skip "there is no standardwebhooks for Python here"
  make_ledger
  (printf whsec_ && head -c 32 /dev/urandom | base64) >secret
  pawl force taxi below:1.1 --reason "bad bug" --yes >/dev/null
  pawl deliver test --since-event 1 --secret-file secret -- sh -c \
    'mkdir "m.$PAWL_WEBHOOK_ID" && cat >"m.$PAWL_WEBHOOK_ID/body" && env >"m.$PAWL_WEBHOOK_ID/env"' >/dev/null
  "$python" - <<'END'
import glob, json
from standardwebhooks.webhooks import Webhook, WebhookVerificationError
folders = glob.glob("m.*")
kinds = set()
for folder in folders:
    sent = dict(line.rstrip("\n").split("=", 1) for line in open(folder + "/env") if line.startswith("PAWL_WEBHOOK_"))
    headers = {"webhook-" + name[len("PAWL_WEBHOOK_"):].lower(): value for name, value in sent.items()}
    assert "." not in headers["webhook-id"] and folder == "m." + headers["webhook-id"]
    body = open(folder + "/body", "rb").read()
    assert len(body) < 20_000
    hook = Webhook(open("secret").read().strip())
    message = hook.verify(body, headers)
    assert set(message) == {"type", "timestamp", "data"}
    kinds.add(message["type"])
    try:
        hook.verify(body.replace(b"taxi", b"tax1") + b" ", headers)
        raise SystemExit("an altered body was taken")
    except WebhookVerificationError:
        pass
assert kinds == {"event.recorded", "answers.changed"}, kinds
print(f"measured: {len(folders)} messages verified by standardwebhooks")
END
}
it "standardwebhooks verifies every message" verified

webhook() {
  start_service
  begin hooks
  new_release 1.2
  (printf whsec_ && head -c 32 /dev/urandom | base64) >secret
  local code
  for code in 500 302 410 429; do
    echo $code >status
    ends_with 75 pawl deliver hooks --secret-file secret -- "$commands/webhook.sh" "$place/pawl"
    has err "answered $code"
  done
  rm status
  ends_with 0 pawl deliver hooks --secret-file secret -- "$commands/webhook.sh" "$place/pawl"
  python3 - <<'END'
import base64, hashlib, hmac, json
key = base64.b64decode(open("secret").read().strip()[6:])
requests = [json.loads(line) for line in open("requests")]
assert [request["path"] for request in requests] == ["/pawl"] * 7
for request in requests:
    headers = request["headers"]
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{request['body']}".encode()
    assert headers["webhook-signature"] == "v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
    assert headers["content-type"] == "application/json"
# Refused four times, then taken: the same message with the same id.
assert len({request["body"] for request in requests[:5]}) == 1
assert len({request["headers"]["webhook-id"] for request in requests}) == 3
END
}
it "webhook.sh posts a message until it is accepted, and follows no redirect" webhook

chat() {
  start_service
  begin chat
  echo "$place/hook" >url
  pawl app set taxi --name Shop --yes >/dev/null
  printf '%s\n' version,devices 1.0,37000 0.9,500 1.1,9 | pawl ingest usage taxi - >/dev/null
  pawl deliver chat --json -- true >/dev/null
  export PAWL_ACTOR="the release manager"
  local reason='crash <!channel> @here [a](https://evil.example.com/?a&b)'
  pawl publish taxi 1.2 --yes >/dev/null
  pawl force taxi below:1.1 --reason "$reason" --yes >/dev/null
  ends_with 0 pawl deliver chat -- "$commands/chat.py" url
  pawl mark taxi 1.2 live --visible-now --yes --reason "out" >/dev/null
  ends_with 0 pawl deliver chat -- "$commands/chat.py" url
  pawl stop taxi --reason "wrong page" >/dev/null
  ends_with 0 pawl deliver chat -- "$commands/chat.py" url
  python3 - <<'END'
import json
texts = [json.loads(json.loads(line)["body"])["text"] for line in open("requests")]
apart = "\u200b"
assert texts[0] == "the release manager published taxi 1.2", texts
assert texts[1] == (
    "Shop: 37,000 devices on 1.0 are now forced to 1.1 (rule 1: crash &lt;!channel&gt; @" + apart + "here [a]" + apart
    + "(https:" + apart + "//evil." + apart + "example." + apart + "com/?a&amp;b)), by the release manager"), texts
assert texts[2] == "Shop: 9 devices on 1.1 are now reminded of 1.2, by the release manager: out", texts
assert texts[3] == (
    "Shop: 37,500 devices on 0.9–1.0 are no longer forced (the app is stopped); 9 devices on 1.1 are no longer reminded "
    "(the app is stopped), by the release manager: wrong page"), texts
assert len(texts) == 4, texts
END
  echo 500 >status
  pawl publish taxi 1.3 --yes >/dev/null
  ends_with 75 pawl deliver chat -- "$commands/chat.py" url
}
it "chat.py says in one message what a change did to which devices, and mentions no one" chat

purge() {
  start_service
  begin purge
  new_release 1.2
  echo "a-token" >token
  local runs=(pawl deliver purge -- "$commands/purge.py" "$place/purge_cache" token updates.example.com)
  ends_with 0 "${runs[@]}"
  python3 - <<'END'
import json
for request in [json.loads(line) for line in open("requests")]:
    assert request["headers"]["authorization"] == "Bearer a-token"
    paths = "v1/taxi v1-signed/taxi lookup/taxi prince-of-versions/taxi upgrader/taxi check flags type"
    assert json.loads(request["body"]) == {"prefixes": [f"updates.example.com/{path}" for path in paths.split()]}
END
  # What is undone before the run may have been asked for meanwhile; what changes no document purges nothing.
  rm requests && pawl trust recipient release@example.com >/dev/null
  ends_with 0 "${runs[@]}"
  [ ! -e requests ]
  pawl setting taxi map paid --yes >/dev/null
  pawl setting taxi map --clear --yes >/dev/null
  ends_with 0 "${runs[@]}"
  [ -s requests ]
}
it "purge.py purges an app from a CDN when its documents change, and only then" purge

dispatch() {
  start_service
  begin github
  pawl deliver gitlab -- true >/dev/null
  new_release 1.2
  echo "a-token" >token
  local url
  for url in github:repos/o/r/dispatches gitlab:projects/1/trigger/pipeline; do
    ends_with 0 pawl deliver "${url%%:*}" -- "$commands/dispatch.py" "$place/${url#*:}" token approved,live
  done
  python3 - <<'END'
import json
from urllib.parse import parse_qs
github, gitlab = [json.loads(line) for line in open("requests")]
assert github["headers"]["authorization"] == "Bearer a-token" and github["path"] == "/repos/o/r/dispatches"
facts = {"app": "taxi", "version": "1.2", "state": "live"}
assert json.loads(github["body"]) == {"event_type": "release-live", "client_payload": facts}
fields = {f"variables[RELEASE_{name.upper()}]": [value] for name, value in facts.items()}
assert parse_qs(gitlab["body"]) == {"token": ["a-token"], "ref": ["main"], **fields}
END
}
it "dispatch.py starts a pipeline when a release reaches a state, and only then" dispatch

heads() {
  needs python3
  begin heads
  mkdir bin
  printf '#!/bin/sh\nwhile [ "$1" != keeper.example.com ]; do shift; done\nshift\nexec sh -c "$*"\n' >bin/ssh
  chmod +x bin/ssh
  new_release 1.2
  new_release 1.3
  (PATH=$PWD/bin:$PATH && pawl deliver heads -- "$commands/heads.sh" keeper.example.com >/dev/null)
  same "$(wc -l <heads | tr -d ' ')" 4
  local head
  for head in $(cat heads); do pawl verify --head "$head" >/dev/null; done
  ends_with 1 pawl verify --head "$(sed -n 1p heads | cut -d: -f1):$(sed -n 2p heads | cut -d: -f2)"
}
it "heads.sh keeps heads on another host that 'verify --head' accepts" heads

push() {
  needs python3
  begin push
  export PAWL=$pawl_program
  local command=("$commands/push.py" taxi jpush -- sh -c 'cat >>pushed')
  new_release 1.2
  ends_with 0 pawl deliver push -- "${command[@]}"
  [ ! -e pushed ]
  pawl force taxi below:1.1 --reason "bad bug" --yes >/dev/null
  ends_with 0 pawl deliver push -- "${command[@]}"
  same "$(grep -c needUpgrade pushed)" 1
  # Forced before, and milder: nobody is woken.
  pawl setting taxi map paid --yes >/dev/null
  pawl allow taxi 1.0 --reason "asked for" --yes >/dev/null
  ends_with 0 pawl deliver push -- "${command[@]}"
  same "$(grep -c needUpgrade pushed)" 1
  # By the clock alone is tested in DeliverTests; a failing push comes again.
  pawl lift taxi 2 --yes >/dev/null
  ends_with 75 pawl deliver push -- "$commands/push.py" taxi jpush -- false
  ends_with 0 pawl deliver push -- "${command[@]}"
  same "$(grep -c needUpgrade pushed)" 2
  # What is left out of a message may have become forced.
  ends_with 0 "$commands/push.py" taxi apns \
    <<<'{"type":"answers.changed","data":{"app":"taxi","generation":7,"answers":[{"before":"none","after":"remind"}],"truncated":true}}'
  has out '"generation": "7"'
}
it "push.py sends a push exactly when something becomes forced" push

# Scripts that show others what pawl prints, read by other people's readers of these formats.
beside() {
  needs jq
  python=$(python_with icalendar) || skip "there is no icalendar here"
  "$python" -c 'import prometheus_client' 2>/dev/null || skip "there is no prometheus-client here"
  make_ledger
  pawl publish taxi 1.2 --yes >/dev/null
  pawl mark taxi 1.2 live --yes >/dev/null
  pawl redirect taxi 1.0 --url "https://apps.apple.com/de/app/id1524608462?a=1;b=$(printf 'ä%.0s' {1..40}),c" --from 2d --yes >/dev/null
  printf 'version,devices\n1.0,5\n1.1,7\n' | pawl ingest usage taxi - >/dev/null
  mkdir bin
  ln -s "$pawl_program" bin/pawl
  export PATH=$PWD/bin:$PATH PAWL_LEDGER=$PWD/pawl.db
  pawl due --json >due.json
  "$tests_root/docs/deliver/due_calendar.py" <due.json >due.ics
  same "$(LC_ALL=C awk 'length($0) > 76 || !/\r$/' due.ics)" ""
  "$tests_root/docs/contrib/metrics.sh" >metrics
  "$python" - <<'END'
import json
import icalendar
from prometheus_client.parser import text_string_to_metric_families
due = json.load(open("due.json"))["due"]
events = list(icalendar.Calendar.from_ical(open("due.ics", "rb").read()).walk("VEVENT"))
assert len(due) >= 2 and len(events) == len(due)
for event, moment in zip(events, due):
    assert event.decoded("DTSTART").strftime("%Y-%m-%dT%H:%M:%SZ") == moment["at"], event
    assert str(event["SUMMARY"]).endswith(moment["what"]), (event["SUMMARY"], moment["what"])
values = {(row.name, tuple(row.labels.values())): row.value
          for family in text_string_to_metric_families(open("metrics").read()) for row in family.samples}
assert values["pawl_devices", ("taxi", "remind")] == 5 and values["pawl_stopped", ("taxi",)] == 0, values
END
  # A ledger that cannot be read gives no half of a file.
  PAWL_LEDGER=none.db ends_with 66 "$tests_root/docs/contrib/metrics.sh"
  is_empty out
}
it "a calendar and a monitoring system read what is due and how it stands" beside

finish
