# The units of docs/units: what systemd and launchd say of them, and that both run the same commands.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

units=$tests_root/docs/units
launchd=$tests_root/docs/contrib/launchd

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
    [ -e "$launchd/pawl.$(tr -d @ <<<"${name#pawl-}").plist" ]
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
it "each service has a timer, a job of launchd and a place in the pages, and runs a known command" complete

plists() {
  needs python3
  python3 - "$launchd" <<'END'
import glob, os, plistlib, sys
known = {
    "Label", "UserName", "EnvironmentVariables", "ProgramArguments", "StartInterval", "StartCalendarInterval", "WatchPaths"}
files = glob.glob(sys.argv[1] + "/*.plist")
assert len(files) == 11, files
for file in files:
    job = plistlib.load(open(file, "rb"))
    assert set(job) <= known, set(job) - known
    assert job["Label"] + ".plist" == os.path.basename(file)
    assert job["ProgramArguments"][0].startswith("/") and all(isinstance(word, str) for word in job["ProgramArguments"])
    assert ("StartInterval" in job) != ("StartCalendarInterval" in job)
    command = file.split(".")[-2]
    words = " ".join(job["ProgramArguments"])
    assert "pawl " + {"mail": "ingest mail", "asc": "ingest asc"}.get(command, command) in words, words
    assert job["EnvironmentVariables"]["PAWL_LEDGER"] == "/usr/local/var/pawl/pawl.db"
END
}
it "the jobs of launchd are valid property lists" plists

finish
