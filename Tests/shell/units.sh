# The units of docs/units: what systemd says of them, and the jobs of launchd that are made of them.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

units=$tests_root/docs/units
launchd=$tests_root/docs/contrib/launchd.py

verified() {
  needs systemd-analyze
  # Where systemd looks for programs without a path there may be none of these.
  mkdir units
  local unit
  for unit in "$units"/pawl-*.*; do
    sed -E "s#^(ExecStart=)(pawl|mbsync) #\1/bin/true \2 #" "$unit" >"units/${unit##*/}"
  done
  # Templates are checked under a name.
  for unit in units/*@.*; do cp "$unit" "${unit/@/@taxi}"; done
  # shellcheck disable=SC2046 # one word a unit
  SYSTEMD_UNIT_PATH=$PWD/units: systemd-analyze verify --man=no $(find units -name 'pawl-*' ! -name '*@.*') >found 2>&1
  is_empty found
  for unit in $(sed -n 's/^OnCalendar=//p' "$units"/*.timer | sort -u | tr ' ' _); do
    systemd-analyze calendar "${unit//_/ }" >/dev/null
  done
  # It would say so.
  sed 's/^ExecStart=/ExecStrat=/' "$units/pawl-export.service" >units/wrong.service
  run systemd-analyze verify --man=no "$PWD/units/wrong.service"
  [ "$status" != 0 ] || has err "ExecStrat"
}
it "systemd accepts the units" verified

complete() {
  local service name line
  for service in "$units"/*.service; do
    name=${service##*/} name=${name%.service}
    [ -e "$units/$name.timer" ]
    # Pages say what enables it.
    grep -qF "\`$name" "$tests_root/docs/operations.md"
    # The program knows the command and its options.
    sed -n 's/^ExecStart=pawl //p' "$service" >lines
    while IFS= read -r line; do
      # shellcheck disable=SC2086 # the words of a command
      { pawl help ${line%% [-%/]*} && pawl help options; } >help
      for option in $(grep -oE -- '--[a-z-]+' <<<"$line"); do has help "$option"; done
    done <lines
  done
}
it "each service has a timer and a place in the pages, and runs a known command" complete

plists() {
  needs python3
  local service name
  echo 'COMMAND=/etc/pawl/chat.py a b' >given.env
  for service in "$units"/*.service; do
    name=${service##*/} name=${name%.service}
    python3 "$launchd" "${name/@/@taxi}" given.env >"${name/@/@taxi}.plist"
  done
  python3 - <<'END'
import glob, plistlib
jobs = {file[:-6]: plistlib.load(open(file, "rb")) for file in glob.glob("*.plist")}
assert len(jobs) == 11, jobs
for name, job in jobs.items():
    command = name.removeprefix("pawl-").removesuffix("@taxi")
    words = job["ProgramArguments"]
    assert words[:2] == ["/bin/sh", "-c"] and len(words) == 3 and "%" not in words[2] and "/var/lib" not in words[2], words
    assert "pawl " + {"mail": "ingest mail", "asc": "ingest asc"}.get(command, command) in words[2], words
    assert job["Label"] == name and ("StartInterval" in job) != ("StartCalendarInterval" in job)
    assert job["EnvironmentVariables"]["PAWL_LEDGER"] == "/usr/local/var/pawl/pawl.db"
    assert job["EnvironmentVariables"]["COMMAND"] == "/usr/local/etc/pawl/chat.py a b"
deliver = jobs["pawl-deliver@taxi"]
assert deliver["ProgramArguments"][2] == "pawl export; pawl deliver taxi $OPTIONS -- $COMMAND"
assert deliver["StartInterval"] == 60 and deliver["WatchPaths"] == ["/usr/local/var/pawl/pawl.db-lock"]
assert jobs["pawl-verify"]["StartCalendarInterval"] == {"Hour": 3, "Minute": 17}
assert (jobs["pawl-checkpoint"]["UserName"], jobs["pawl-checkpoint"]["GroupName"]) == ("_pawl-keeper", "_pawl")
END
}
it "a job of launchd is made of each unit" plists

finish
