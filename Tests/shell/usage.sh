# Counts of devices from a web server's log, by the line of awk in docs/usage.md.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Makes access.log in nginx's combined format, and wanted.csv with what it means.
make_log() {
  python3 - <<'PYTHON'
import random

random.seed(7)
versions = ["7.4.0", "7.3.2", "7.3", "6.1", "5.0.0.1", "999999999.0", "0.9", "1.01", "24.02.0", "01.2"]
agents = ["Taxi/7 CFNetwork/1410 Darwin/22", "curl/7.88.1", "Mozilla/5.0 (iPhone; \\x22odd\\x22)", "-"]
noise = [
    "GET /v1/taxi/default.json HTTP/1.1", "GET /v1/taxi/schedule.json HTTP/2.0", "GET /v1/taxi2/7.4.0.json HTTP/1.1",
    "GET /v1/taxi/1..2.json HTTP/1.1", "GET /v1/taxi/1.2.3.4.5.json HTTP/1.1",
    "GET /v1/taxi/1234567890.json HTTP/1.1", "GET /v1/taxi/.json HTTP/1.1", "GET /v1/taxi/7.4.0.json.bak HTTP/1.1",
    "GET /check?app=taxi2&version=7.4.0 HTTP/1.1", "GET /check?app=taxi HTTP/1.1", "GET /check?version=7.4.0 HTTP/1.1",
    "GET /check?app=taxi&version=v7 HTTP/1.1", "GET /v1/taxi/v1.2.json HTTP/1.1", "GET /v1/taxi/$(id).json HTTP/1.1", "\\x16\\x03\\x01", "", "GET /x/v1/taxi/1.0.json HTTP/1.1",
]
last, lines = {}, []
for second in range(20_000):
    address = random.choice(["10.0.%d.%d" % (random.randrange(8), random.randrange(250)), "2001:db8::%x" % random.randrange(400)])
    agent, status = random.choice(agents), random.choice([200, 200, 200, 304, 404, 403, 500])
    if random.random() < 0.1:
        request = random.choice(noise)
    else:
        version = random.choice(versions)
        path = random.choice([
            "/v1/taxi/%s.json", "/v1/taxi/%s.json?os=16.4", "/check?app=taxi&version=%s", "/check?version=%s&os=16.4&app=taxi",
            "/v1/taxi/schedule.json", "/v1-signed/taxi/schedule.jws"])
        request = "%s %s HTTP/1.1" % (random.choice(["GET", "HEAD"]), path.replace("%s", version))
        device = address, agent
        if "schedule" in path:
            agent, device = "PawlClient taxi/" + version, address
        if status in (200, 304, 404):
            last[device] = version
    lines.append('%s - %s [21/Nov/2026:%02d:%02d:%02d +0000] "%s" %d 612 "-" "%s"\n' % (
        address, random.choice(["-", "user"]), second // 3600, second // 60 % 60, second % 60, request, status, agent))
open("access.log", "w").writelines(lines)
count = {}
for version in last.values():
    count[version] = count.get(version, 0) + 1
open("wanted.csv", "w").writelines(sorted("%s,%d\n" % pair for pair in count.items()))
PYTHON
}

counts() {
  needs python3 awk
  make_log
  block sh 1 usage >count.sh
  has count.sh "access.log >devices.csv"
  bash -e count.sh
  same "$(head -n 1 devices.csv)" "version,devices"
  tail -n +2 devices.csv | LC_ALL=C sort >found.csv
  diff wanted.csv found.csv
  pawl init >/dev/null
  pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462 >/dev/null
  printf '%s\n' version,released_at 6.1,2024-01-01T00:00:00Z 7.3,2024-02-01T00:00:00Z 7.4.0,2024-03-01T00:00:00Z >past.csv
  pawl import taxi past.csv --yes >/dev/null
  ends_with 0 pawl ingest usage taxi devices.csv
  has out "not in the ledger: "
  # The line it suggests is typed as it stands, with a day for each version.
  sed -n 's/^next: //p' out | sed 's/DATE/2024-01-15/g' >suggested.sh
  has suggested.sh "pawl import taxi - --past"
  export PAWL_LEDGER=$PWD/pawl.db
  . ./suggested.sh >imported
  has imported "past"
  ends_with 0 pawl status taxi --json
  has out '"import":null'
  ends_with 0 pawl verify
}
it "the page's line of awk counts each device once, and unknown versions are named and recorded" counts

other_awks() {
  needs python3
  make_log
  block sh 1 usage >count.sh
  local program found=0
  for program in mawk gawk busybox original-awk; do
    command -v "$program" >/dev/null || continue
    found=1
    mkdir -p bin
    if [ "$program" = busybox ]; then printf '#!/bin/sh\nexec busybox awk "$@"\n' >bin/awk; else printf '#!/bin/sh\nexec %s "$@"\n' "$program" >bin/awk; fi
    chmod +x bin/awk
    PATH=$PWD/bin:$PATH bash -e count.sh
    tail -n +2 devices.csv | LC_ALL=C sort >found.csv
    diff wanted.csv found.csv
  done
  same "$found" 1
}
it "every awk installed here gives the same counts" other_awks

sessions() {
  needs awk
  block sh 2 usage >count.sh
  printf '%s\t%s\t%s\t%s\n' Date "App Version" Device "Unique Devices" 2026-11-18 7.3.0 iPhone 900 \
    2026-11-19 7.3.0 iPhone 40 2026-11-19 "7.3.0 (512)" iPad 2 2026-11-19 45 iPhone 3 2026-11-17 7.3.0 iPhone 7 >sessions.txt
  bash -e count.sh
  same "$(LC_ALL=C sort devices.csv | tr '\n' ' ')" "45,3 7.3.0,42 version,devices "
}
it "the page's awk takes the newest day of Apple's report" sessions

# Another backend's answers beside pawl's, and a day of clients against a plan.
parallel() {
  needs python3 jq
  make_ledger
  printf '%s\n' version,os,action,requests 1.1,,none,50 1.0,18.1,force,7 1.0,17,remind,2 9.0,,remind,1 1.0,18.1,force,3 1.x,,none,1 ,1.1,none,5 >today.csv
  ends_with 1 python3 "$tests_root/docs/tasks/run_in_parallel.py" taxi today.csv "$pawl_program"
  has out "52 answers are the same, 17 differ"
  has out "10	1.0	18.1	force	remind	policy"
  has out "1	9.0		remind	none	unreleased"
  has out "1	1.x		none	refused	"
  has out "5		1.1	none	refused	"
  pawl force taxi 1.0 --reason crash --plan change.plan >/dev/null
  ends_with 1 python3 "$tests_root/docs/tasks/run_in_parallel.py" taxi today.csv --if change.plan "$pawl_program"
  has out "60 answers are the same, 9 differ"
  # The same by hand, from a file and as the first line of standard input; nothing is recorded, and no signature needed.
  local head
  head=$(events)
  printf '1.0\n1.1 17.0\n' >clients
  pawl check taxi --stdin --if change.plan <clients >one
  cat change.plan clients | pawl check taxi --stdin --if - >two
  cmp one two
  same "$(jq -r .action one | tr '\n' ' ')" "force none "
  same "$(pawl check taxi --stdin <clients | jq -r .action | tr "\n" " ")" "remind none "
  same "$(events)" "$head"
  printf '1.0' | ends_with 65 pawl check taxi --stdin --if -
  ends_with 64 pawl check taxi 1.0 --if change.plan
  ends_with 64 pawl check taxi --stdin --if change.plan --as-of 1
  pawl plan apply change.plan --yes >/dev/null
  ends_with 1 pawl check taxi --stdin --if change.plan --json <clients
  has err plan.used
  # What the page shows of a differing answer's first lines is what the script prints.
  printf '%s\n' version,os,action,requests 1.1,,none,96600 1.2,,force,10 >today.csv
  ends_with 1 python3 "$tests_root/docs/tasks/run_in_parallel.py" taxi today.csv "$pawl_program"
  sed 's/\t1\.2\t/\t7.4.1\t/; s/^/   /' out >shown
  has "$tests_root/docs/tasks/run-in-parallel.md" "$(head -1 shown)"
}
it "another backend's answers are held against pawl's, as they are and if a plan were applied" parallel

finish
