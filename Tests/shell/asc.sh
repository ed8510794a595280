# App Store Connect asked over HTTP: an own one on loopback, with errors, pages and strange answers.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

script=$tests_root/Tests/shell/asc.py

# Starts the service with a ledger of one release on its way, and the key of RFC 7515 §A.3, which is public.
start_service() {
  needs python3 curl
  echo ok >mode
  make_answer '["7.4.0", "IN_REVIEW"]'
  start_on_loopback python3 "$script" serve "$PWD/requests"
  cat >key.p8 <<'KEY'
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff
H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp
7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt
-----END PRIVATE KEY-----
KEY
  chmod 600 key.p8
  export PAWL_ASC_KEY=$PWD/key.p8 PAWL_ASC_KEY_ID=2X9R4HXF34 PAWL_ASC_ISSUER=57246542-96fe-1a63-e053-0824d011072a
  make_ledger
  pawl publish taxi 7.4.0 --yes >/dev/null
}

# Writes answer.json of versions, each a JSON array of version, state and, if given, platform and day of creation.
make_answer() {
  python3 - "$@" >answer.json <<'PY'
import json, sys
data, included = [], []
for index, words in enumerate(json.loads(word) for word in sys.argv[1:]):
    version, state, platform, day = words + ["IOS", "2026-10-02"][len(words) - 2 :]
    data.append({"type": "appStoreVersions", "id": f"ad7e6298-{platform}-{version}".replace(".", "-").replace("_", "-"), "attributes": {
        "platform": platform, "versionString": version, "appStoreState": "READY_FOR_SALE", "appVersionState": state,
        "createdDate": day + "T03:04:05-07:00", "copyright": None, "releaseType": "AFTER_APPROVAL", "earliestReleaseDate": None,
        "downloadable": True, "reviewType": "APP_STORE"},
        "relationships": {"build": {"data": {"type": "builds", "id": f"b{index}"}}}})
    included.append({"type": "builds", "id": f"b{index}", "attributes": {
        "version": str(500 + index), "uploadedDate": "2026-10-01T03:04:05-07:00", "expirationDate": "2026-12-30T03:04:05-07:00",
        "expired": False, "minOsVersion": "16.0", "iconAssetToken": None, "processingState": "VALID",
        "usesNonExemptEncryption": False, "lsMinimumSystemVersion": None, "computedMinMacOsVersion": None,
        "computedMinVisionOsVersion": None, "buildAudienceType": "APP_STORE_ELIGIBLE"}})
print(json.dumps({"data": data, "included": included}))
PY
}

fetch() { pawl ingest asc taxi --fetch --endpoint "$place" "$@"; }
state() { pawl releases taxi --json | python3 -c 'import json, sys; print(next(r["state"] for r in json.load(sys.stdin)["releases"] if r["version"] == sys.argv[1]))' "$1"; }

newest_build() {
  start_service
  fetch >/dev/null
  same "$(pawl next taxi)" "7.4.1 501"
  cat >builds.json <<'JSON'
{"data": [{"type": "builds", "id": "b9", "attributes": {"version": "612"},
           "relationships": {"preReleaseVersion": {"data": {"type": "preReleaseVersions", "id": "p1"}}}}],
 "included": [{"type": "preReleaseVersions", "id": "p1", "attributes": {"version": "7.5.0", "platform": "IOS"}}]}
JSON
  local before
  before=$(events)
  fetch >/dev/null
  same "$(events)" "$before"
  same "$(pawl next taxi --bump minor)" "7.5.0 613"
  ends_with 1 pawl next taxi --check 7.5.0 --build 612
  has err ITMS-90061
  ends_with 0 pawl next taxi --check 7.5.0 --build 613
  grep -q '"path": "/v1/builds?filter.app.=1524608462&filter.preReleaseVersion.platform.=IOS&sort=-uploadedDate&limit=50&' requests
  # One that nobody can read is named, and the build is kept.
  sed 's/"612"/"612b"/' builds.json >spoiled && mv spoiled builds.json
  ends_with 0 fetch
  has err "the newest build is '612b' of '7.5.0'"
  same "$(pawl next taxi --bump minor)" "7.5.0 613"
  # Without an answer about builds, the versions come in all the same, and the build is kept.
  echo '{"data": 7}' >builds.json
  make_answer '["7.4.0", "READY_FOR_DISTRIBUTION"]'
  fetch >/dev/null
  same "$(state 7.4.0)" live
  same "$(pawl next taxi --bump minor)" "7.5.0 613"
}

tokens_verify() {
  start_service
  local python
  python=$(python_with jwt) || skip "there is no PyJWT for Python here"
  for _ in 1 2 3 4 5; do fetch >out; done
  echo pages >mode
  make_answer '["7.3.9", "REPLACED_WITH_NEW_VERSION"]' '["7.4.0", "IN_REVIEW"]'
  fetch >out
  "$python" "$script" tokens requests key.p8
}

an_independent_reader_agrees() {
  start_service
  local python words=() state number=0
  python=$(python_with codemagic) || skip "there is no codemagic-cli-tools for Python here"
  for state in ACCEPTED DEVELOPER_REJECTED IN_REVIEW INVALID_BINARY METADATA_REJECTED PENDING_APPLE_RELEASE \
    PENDING_DEVELOPER_RELEASE PREPARE_FOR_SUBMISSION PROCESSING_FOR_DISTRIBUTION READY_FOR_REVIEW REJECTED \
    WAITING_FOR_EXPORT_COMPLIANCE WAITING_FOR_REVIEW; do
    number=$((number + 1))
    words+=("[\"8.$number.0\", \"$state\"]")
    pawl publish taxi "8.$number.0" --yes >/dev/null
  done
  make_answer "${words[@]}"
  "$python" "$script" models answer.json | sort >theirs
  fetch --json >out
  python3 -c 'import json, subprocess, sys
answer = json.load(open("answer.json"))
releases = {r["version"]: r for r in json.loads(subprocess.run([sys.argv[1], "releases", "taxi", "--json"], stdout=subprocess.PIPE, check=True).stdout)["releases"]}
for item in answer["data"]:
    release = releases[item["attributes"]["versionString"]]
    print(release["version"], item["attributes"]["appVersionState"], release["ascID"], release["build"])' "$pawl_program" | sort >ours
  diff theirs ours
  same "$(wc -l <ours)" 13
}

errors_are_told_apart() {
  start_service
  local head mode wanted id
  head=$(events)
  while read -r mode wanted id; do
    echo "$mode" >mode
    ends_with "$wanted" fetch --json
    has err "\"id\":\"$id\""
    same "$(events)" "$head"
  done <<'ROWS'
401 77 asc.unauthorized
403 77 asc.forbidden
404 66 asc.not-found
429 75 asc.rate-limited
500 75 asc.unavailable
html 65 asc.malformed
truncated 65 asc.malformed
cut 75 asc.unreachable
redirect 77 asc.redirected
foreign 77 asc.foreign-link
loop 77 asc.foreign-link
ROWS
  PATH=$PWD/none ends_with 66 fetch
  says asc.no-curl
  echo 429 >mode
  run fetch
  has err "in 37 seconds"
  echo 403 >mode
  run fetch
  has err "A required agreement is missing or has expired"
  stop_service
  ends_with 75 fetch --json
  has err '"id":"asc.unreachable"'
  same "$(events)" "$head"
}

a_slow_answer_comes() {
  start_service
  echo slow >mode
  fetch >out
  same "$(state 7.4.0)" in-review
}

many_pages() {
  start_service
  local words=()
  for number in $(seq 1 199); do words+=("[\"6.$number.0\", \"REPLACED_WITH_NEW_VERSION\"]"); done
  words+=('["7.4.0", "IN_REVIEW"]')
  make_answer "${words[@]}"
  echo pages >mode
  : >requests
  fetch --json >out
  # A page each, and one for the newest build.
  same "$(wc -l <requests)" 201
  same "$(state 7.4.0)" in-review
  pawl inbox --json >inbox
  same "$(grep -o unknown-version inbox | wc -l)" 199
}

# What ends up in the ledger, in errors, in the words of processes, and beside the ledger.
secrets_stay_secret() {
  start_service
  needs strace
  strace -f -s 100000 -e trace=execve -o trace "$pawl_program" ingest asc taxi --fetch --endpoint "$place" >out 2>err || skip "strace may not trace here"
  grep -q '"curl", "-q", "--config", "-"' trace
  token=$(python3 -c 'import json; print(json.loads(open("requests").readlines()[-1])["headers"]["Authorization"].split()[1])')
  [ "${#token}" -gt 200 ]
  for file in trace pawl.db pawl.db-heard out err; do
    if grep -qF -- "$token" "$file" || grep -qF jpsQnnGQmL "$file"; then
      echo "a secret is in $file"
      return 1
    fi
  done
}

keys_are_their_owners() {
  start_service
  chmod 640 key.p8
  ends_with 77 fetch --json
  has err '"id":"asc.key-open"'
  chmod 600 key.p8
  ln -s key.p8 link.p8
  PAWL_ASC_KEY=link.p8 ends_with 77 fetch --json
  mkfifo pipe.p8
  chmod 600 pipe.p8
  PAWL_ASC_KEY=pipe.p8 ends_with 77 fetch --json
  : >requests
  PAWL_ASC_KEY=missing.p8 ends_with 66 fetch --json
  is_empty requests
  # A pipe that whoever runs pawl opened for it, as from a keychain, is as good as the file; a file has to be closed.
  chmod 600 key.p8
  PAWL_ASC_KEY=/dev/fd/3 ends_with 0 fetch --json 3< <(cat key.p8)
  chmod 644 key.p8
  PAWL_ASC_KEY=/dev/fd/3 ends_with 77 fetch --json 3<key.p8
  PAWL_ASC_KEY=/dev/fd/9 ends_with 74 fetch --json
}

# curl is told to read no settings of the user's, which could send the token elsewhere.
settings_of_curl_do_nothing() {
  start_service
  mkdir home
  echo 'proxy = "http://127.0.0.1:9"' >home/.curlrc
  HOME=$PWD/home CURL_HOME=$PWD/home http_proxy=http://127.0.0.1:9 fetch >out
  same "$(state 7.4.0)" in-review
}

# 'next' of an app that no ledger has: the same words and statuses, and nothing written.
without_a_ledger() {
  start_service
  mkdir elsewhere
  cd elsewhere
  make_answer '["7.4.0", "IN_REVIEW"]' '["6.9.0", "REPLACED_WITH_NEW_VERSION"]' '["7.3.2", "READY_FOR_DISTRIBUTION"]' >../answer.json
  mv answer.json ..
  local ask=(--asc 1524608462 --endpoint "$place")
  same "$(pawl next "${ask[@]}")" "7.4.1 503"
  ends_with 0 pawl next "${ask[@]}" --check 7.4.0 --build 501
  ends_with 1 pawl next "${ask[@]}" --check 7.3.2
  has err ITMS-90186
  ends_with 1 pawl next "${ask[@]}" --check 7.3.9 --json
  has err '"id":"version.not-greater"'
  ends_with 0 pawl next "${ask[@]}" --platform macos
  has err "some on ios"
  local mode wanted
  while read -r mode wanted; do
    echo "$mode" >../mode
    ends_with "$wanted" pawl next "${ask[@]}"
  done <<'ROWS'
401 77
403 77
404 66
429 75
500 75
html 65
ROWS
  echo ok >../mode
  # A ledger on another host is not asked.
  PAWL_LEDGER=ssh://nowhere.invalid ends_with 0 pawl next "${ask[@]}"
  # Nobody who is served over ssh asks with the host's own key.
  SSH_ORIGINAL_COMMAND="pawl next --asc 1" ends_with 77 pawl serve-ssh
  rm -f out err
  same "$(ls -A)" ""
}

# Where signers have to agree, an account of the host that answers in Apple's place proves nothing.
nothing_is_proved() {
  start_service
  needs ssh-keygen
  pawl force taxi below:7.4 --when-visible --reason crash --yes >/dev/null
  local name
  for name in ada ben; do
    ssh-keygen -q -t ed25519 -N "" -f "$name"
    pawl trust signer "$name" "$(cat "$name.pub")" >/dev/null
  done
  pawl trust approvals 2 --yes >/dev/null
  make_answer '["7.4.0", "READY_FOR_DISTRIBUTION"]'
  run fetch --json
  has out '"reason":"asc.unagreed"'
  same "$(state 7.4.0)" prepared
  # What is milder counts as a FILE does, and the event says so.
  make_answer '["7.4.0", "IN_REVIEW"]'
  ends_with 0 fetch
  same "$(state 7.4.0)" in-review
  has <(pawl show "$(events)" --json) '"proof":"file"'
  ends_with 0 pawl verify
}

# An app is added from what App Store Connect says of it: the names, and each version in its state.
adds_the_app() {
  start_service
  make_answer '["1.0", "REPLACED_WITH_NEW_VERSION", "IOS", "2026-03-02"]' '["1.1", "REPLACED_WITH_NEW_VERSION", "IOS", "2026-02-01"]' \
    '["1.2", "REMOVED_FROM_SALE", "IOS", "2026-04-01"]' '["2.0", "READY_FOR_DISTRIBUTION", "IOS", "2026-05-01"]' \
    '["2.1", "REJECTED", "IOS", "2026-06-01"]' '["2.2", "IN_REVIEW", "IOS", "2026-07-01"]'
  rm pawl.db*
  pawl init >/dev/null
  local add=(app add taxi --apple-id 1524608462 --fetch --endpoint "$place")
  ends_with 1 pawl "${add[@]}" --json
  has err '"id":"confirm.required"'
  same "$(events)" 1
  ends_with 0 pawl "${add[@]}" --yes
  has out "bundle id     com.example.taxi"
  has out "past          whole"
  has out "Imported 6 releases into taxi"
  has out "when a version was created there, not when it went on sale"
  has out "1 date was before that of the version below, and raised to it"
  has out "2.0 is on sale, and clients are told of it from"
  pawl app show taxi --json >out
  has out '"name":"Taxi"'
  has out '"sku":"TAXI-1"'
  pawl releases taxi --json | python3 -c 'import json, sys
for r in reversed(json.load(sys.stdin)["releases"]):
    print(r["version"], r["state"], r["build"], r["minOS"], (r["liveAt"] or "-")[:10], r["ascID"])' >out
  same "$(cat out)" "1.0 superseded 500 16.0 2026-03-02 ad7e6298-IOS-1-0
1.1 superseded 501 16.0 2026-03-02 ad7e6298-IOS-1-1
1.2 removed 502 16.0 2026-04-01 ad7e6298-IOS-1-2
2.0 live 503 16.0 2026-05-01 ad7e6298-IOS-2-0
2.1 rejected 504 16.0 - ad7e6298-IOS-2-1
2.2 in-review 505 16.0 - ad7e6298-IOS-2-2"
  # The version on sale has its hold, and a removed one below it is no target.
  same "$(pawl check taxi 1.0 --json | grep -o '"action":"[a-z]*"')" '"action":"none"'
  same "$(pawl check taxi 1.0 --at 25h --json | grep -o '"target":"[0-9.]*"')" '"target":"2.0"'
  ends_with 0 pawl verify
  # Said again, asked again: nothing new.
  local before
  before=$(events)
  ends_with 0 pawl "${add[@]}" --json
  has out '"changed":false'
  same "$(events)" "$before"
  # An answer is kept once, as proof.
  fetch >/dev/null
  before=$(events)
  fetch >/dev/null
  same "$(events)" "$before"
  make_answer '["2.0", "READY_FOR_DISTRIBUTION"]' '["2.2", "PENDING_DEVELOPER_RELEASE"]'
  fetch >/dev/null
  same "$(state 2.2)" approved
}

# Several platforms are named; years are; what cannot be read is, and then the past is not whole.
adds_no_app_that_is_unclear() {
  start_service
  make_answer '["1.0", "READY_FOR_DISTRIBUTION"]' '["5.0", "READY_FOR_DISTRIBUTION", "MAC_OS"]'
  rm pawl.db*
  pawl init >/dev/null
  local add=(app add taxi --apple-id 1524608462 --fetch --endpoint "$place" --yes)
  ends_with 64 pawl "${add[@]}" --json
  has err '"id":"asc.several-platforms"'
  has err '"platforms":["ios","macos"]'
  same "$(events)" 1
  ends_with 0 pawl "${add[@]}" --platform macos
  same "$(pawl releases taxi --json | grep -o '"version":"[0-9.]*"')" '"version":"5.0"'
  ends_with 64 pawl app add bus --apple-id 7 --fetch --bundle-id com.example.bus
  ends_with 64 pawl app add bus --fetch
  ends_with 64 pawl app add bus --apple-id 7 --fetch --new
  rm pawl.db*
  pawl init >/dev/null
  make_answer '["2025.1", "REPLACED_WITH_NEW_VERSION"]' '["2026.1", "READY_FOR_DISTRIBUTION"]'
  ends_with 0 pawl "${add[@]}"
  has out "forces everyone each January"
  rm pawl.db*
  pawl init >/dev/null
  make_answer '["1.0", "SOMETHING_NEW"]' '["1.1", "READY_FOR_DISTRIBUTION"]'
  ends_with 0 pawl "${add[@]}" --json
  has out '"id":"import.unknown-state"'
  has out '"past":"unknown"'
  local mode
  for mode in 401 403 404 html; do
    echo "$mode" >mode
    ! run pawl app add van --apple-id 1524608462 --platform tvos --fetch --endpoint "$place" --yes
  done
  ends_with 66 pawl app show van
}

# The past of an app that is there: what is recorded stays, what is lower needs --past.
imports_the_past() {
  start_service
  make_answer '["0.8", "REPLACED_WITH_NEW_VERSION", "IOS", "2025-03-02"]' '["1.1", "REPLACED_WITH_NEW_VERSION"]' \
    '["7.4.0", "READY_FOR_DISTRIBUTION"]'
  local take=(import taxi --fetch --endpoint "$place" --yes)
  ends_with 65 pawl "${take[@]}" --json
  has err '"id":"import.refused"'
  ends_with 0 pawl "${take[@]}" --past --json
  has out '"imported":1'
  has out '"skipped":2'
  same "$(state 7.4.0)" prepared
  pawl app show taxi --json >out
  has out '"past":"whole"'
  ends_with 0 pawl verify
  ends_with 64 pawl import taxi
}

# Under approvals a plan carries what was read, and nobody is asked again when it is applied.
plans_carry_the_answers() {
  start_service
  make_answer '["1.0", "REPLACED_WITH_NEW_VERSION"]' '["2.0", "READY_FOR_DISTRIBUTION"]'
  rm pawl.db*
  pawl init >/dev/null
  ssh-keygen -q -t ed25519 -N "" -f ada >/dev/null || skip "there is no ssh-keygen here"
  pawl trust signer ada ada.pub --yes >/dev/null
  pawl trust approvals 1 --yes >/dev/null
  local add=(app add taxi --apple-id 1524608462 --fetch --endpoint "$place" --yes)
  ends_with 1 pawl "${add[@]}" --json
  has err '"id":"approvals.required"'
  ends_with 0 pawl "${add[@]}" --plan add.plan
  grep -q '\"versionString\":\"2.0\"' add.plan || grep -q 'versionString' add.plan
  if grep -q copyright add.plan; then return 1; fi
  stop_service
  pawl plan sign add.plan --key ada >/dev/null
  ends_with 0 pawl plan apply add.plan
  same "$(state 2.0)" live
  ends_with 0 pawl verify
}

# The first commands of the two pages for beginners, run as they stand.
pages_begin() {
  local page line
  for page in getting-started cheat-sheet; do
    rm -f pawl.db* requests
    start_service
    make_answer '["1.0", "REPLACED_WITH_NEW_VERSION"]' '["2.0", "READY_FOR_DISTRIBUTION"]'
    grep -o 'pawl app add [^`]*' "$tests_root/docs/$page.md" | grep -v ' APP ' >lines
    same "$(grep -c -- --fetch lines)" 1
    grep -q -- --bundle-id lines
    while read -r line; do
      rm -f pawl.db*
      pawl init >/dev/null
      line=${line/1099568401/1524608462}
      if [[ $line == *--fetch* ]]; then line+=" --endpoint $place"; fi
      eval "$line --yes" >out 2>err
      has out "Added"
    done <lines
    stop_service
  done
}

it "'app add --fetch' records the app and every version" adds_the_app
it "'app add --fetch' names what is unclear" adds_no_app_that_is_unclear
it "'import --fetch' takes over the past" imports_the_past
it "a plan carries what App Store Connect answered" plans_carry_the_answers
it "the first commands of Getting started and the cheat sheet run" pages_begin
it "'next' asks App Store Connect without a ledger" without_a_ledger
it "under approvals, what --endpoint answers proves nothing" nothing_is_proved
it "'next' knows the build that only TestFlight has" newest_build
it "PyJWT verifies every token, each for its own request" tokens_verify
it "codemagic-cli-tools reads the same from every answer" an_independent_reader_agrees
it "errors are told apart, and record nothing" errors_are_told_apart
it "a slow answer is read" a_slow_answer_comes
it "two hundred pages are followed" many_pages
it "neither token nor key is in the ledger, an error or the arguments of a process" secrets_stay_secret
it "a key that others can read, a link and a named pipe are refused" keys_are_their_owners
it "the user's settings for curl and proxies are ignored" settings_of_curl_do_nothing
finish
