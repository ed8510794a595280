# The exported documents, held against their schemas, and the reference client against 'pawl check'.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

schemas=$tests_root/docs/schemas

# A python that has jsonschema: Debian's own, where another comes first on the PATH.
find_schema_python() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null; then
      schema_python=$python
      return
    fi
  done
  skip "there is no python3 with jsonschema here"
}

# A release that is live and visible now.
release() {
  local app=$1 version=$2
  shift 2
  pawl publish "$app" "$version" "$@" >/dev/null
  pawl mark "$app" "$version" live --visible-now --yes >/dev/null
}

# Makes ./documents of apps with something of everything: rules of all kinds and times, redirects, holds, systems,
# mandatory and removed releases, settings, versions in review, and an app that is stopped.
make_rich_documents() {
  local hosts=example.com
  pawl init >/dev/null
  pawl trust host "$hosts" >/dev/null
  pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462 >/dev/null
  pawl app add cab --bundle-id com.example.cab --apple-id 1524608463 --policy remind,force --remind-every 1d >/dev/null
  pawl app add van --bundle-id com.example.van --apple-id 1524608464 --hold 3d >/dev/null
  pawl app add bus --bundle-id com.example.bus --apple-id 1524608465 >/dev/null
  pawl app add new --bundle-id com.example.new >/dev/null
  printf '%s\n' version,released_at,min_os 1.0,2024-01-01T00:00:00Z, 1.1,2024-02-01T00:00:00Z, \
    1.2.0,2024-03-01T00:00:00Z,12.4 1.9,2024-04-01T00:00:00Z,12.4 1.10,2024-05-01T00:00:00Z,15.0 >past.csv
  pawl import taxi past.csv --yes >/dev/null
  pawl import cab past.csv --yes >/dev/null
  pawl import van past.csv --yes >/dev/null
  # Never live, between two that were: the whole gap is withheld.
  pawl publish taxi 1.11 >/dev/null
  release taxi 2.0 --mandatory --min-os 15.0 --note en="Two" --note de="Zwei"
  release taxi 2.1 --min-os 16.0 --url https://example.com/taxi/2.1
  pawl publish taxi 2.2 --note en="To come" >/dev/null
  pawl mark taxi 2.2 live --yes >/dev/null
  pawl publish taxi 2.3 >/dev/null
  pawl mark taxi 2.3 in-review >/dev/null
  pawl force taxi below:1.1 --reason "too old" --yes >/dev/null
  # A grace period would take a force from it.
  pawl remind taxi 1.9 --reason "bad bug" --until 2d --url https://example.com/why --yes >/dev/null
  pawl force taxi 1.9 --reason "bad bug" --from 2d --url https://example.com/why --yes >/dev/null
  pawl remind taxi 1.2..1.10 --from 3d --until 9d --reason "a week" --yes >/dev/null
  pawl allow taxi 1.10 --reason "asked for" --until 5d --yes >/dev/null
  pawl redirect taxi 1.1 --to cab --yes >/dev/null
  pawl redirect taxi upto:1.2 --url https://example.com/old --yes >/dev/null
  pawl setting taxi map-key free --during review --yes >/dev/null
  pawl setting taxi map-key paid --yes >/dev/null
  pawl setting taxi banner "Say \"hello\" ä" --versions below:2 --yes >/dev/null
  # The newest was taken off the store.
  release cab 2.0 --min-os 17.0
  pawl redirect cab 1.0 --to van --yes >/dev/null
  pawl force cab 1.0 --reason "moved" --to van --from 1d --yes >/dev/null
  release van 3.0
  pawl mark van 3.0 removed --reason "bad" --yes >/dev/null
  # The newest was taken off the store, came back, and its hold runs.
  pawl import bus past.csv --yes >/dev/null
  release bus 3.0
  pawl mark bus 3.0 removed --reason "bad" --yes >/dev/null
  pawl mark bus 3.0 live --yes >/dev/null
  # The newest is phased, and reminders wait for it; clients of another app are led there.
  pawl app add tram --bundle-id com.example.tram --apple-id 1524608466 --remind-after phase >/dev/null
  pawl import tram past.csv --yes >/dev/null
  release tram 1.11
  pawl publish tram 1.12.0 >/dev/null
  python3 -c 'import json, time
start = time.strftime("%Y-%m-%dT%H:%M:%S.000+0000", time.gmtime(time.time() - 86400))
print(json.dumps({"data": [{"type": "appStoreVersions", "id": "v1", "attributes": {"platform": "IOS", "versionString": "1.12.0",
    "appVersionState": "READY_FOR_DISTRIBUTION"}, "relationships": {"appStoreVersionPhasedRelease": {"data":
    {"type": "appStoreVersionPhasedReleases", "id": "p1"}}}}], "included": [{"type": "appStoreVersionPhasedReleases", "id": "p1",
    "attributes": {"phasedReleaseState": "ACTIVE", "startDate": start, "totalPauseDuration": 0}}]}))' >asc.json
  pawl ingest asc tram asc.json --yes >/dev/null
  pawl mark tram 1.12.0 live --visible-now --yes >/dev/null
  pawl redirect van 1.0 --to tram --yes >/dev/null
  # Builds that stop opening.
  pawl app add ent --bundle-id com.example.ent --channel enterprise --store-url https://example.com/ent >/dev/null
  release ent 1.0
  release ent 1.1 --min-os 16.0 --expires 4d
  release ent 2.0 --min-os 17.0 --expires 8d
  pawl stop new --reason "not yet" --yes >/dev/null
  pawl export documents --format v1 >/dev/null
}

valid() {
  find_schema_python
  make_rich_documents
  "$schema_python" "$tests_root/Tests/shell/documents.py" schemas "$schemas" documents
  # Stopped, and with what was never live.
  pawl stop taxi --reason "checking" >/dev/null
  pawl export documents --format v1 --include-unreleased >/dev/null
  [ -f documents/v1/taxi/2.3.json ]
  "$schema_python" "$tests_root/Tests/shell/documents.py" schemas "$schemas" documents
}
it "every document of an export is what its schema says" valid

valid_history() {
  find_schema_python
  pawl init >/dev/null
  pawl app add ha --bundle-id io.robbie.HomeAssistant --apple-id 1099568401 >/dev/null
  pawl import ha "$pawl_data/home-assistant-ios.csv" --yes --skip-refused >/dev/null
  pawl export documents --format v1 >/dev/null
  "$schema_python" "$tests_root/Tests/shell/documents.py" schemas "$schemas" documents
}
it "so are those of the public history of an app" valid_history

damaged() {
  find_schema_python
  make_rich_documents
  "$schema_python" "$tests_root/Tests/shell/documents.py" mutants "$schemas" documents
}
it "a damaged document is refused by its schema" damaged

clients_agree() {
  needs python3
  make_rich_documents
  local app
  for app in taxi cab bus van tram ent new; do
    python3 "$tests_root/Tests/shell/documents.py" clients "documents/v1/$app/schedule.json" "$(date +%s)" "$pawl_program" \
      1.11 2.3 |
      tee "$app.measured"
  done
  # Five of them prompt many; of one the newest was removed, and one is stopped.
  if grep ", 0 of them" taxi.measured cab.measured bus.measured tram.measured ent.measured; then return 1; fi
}
it "the reference client says what 'check' says, without a new export" clients_agree

phases_agree() {
  needs python3
  python3 "$tests_root/Tests/shell/documents.py" phases "$pawl_program"
}
it "whatever is phased, paused or expires under whatever command, 'check' and the reference client say so on each day" phases_agree

fails_open() {
  needs python3
  make_rich_documents
  local client=$tests_root/docs/clients/schedule.py
  export PYTHONDONTWRITEBYTECODE=1
  ends_with 0 python3 "$client" documents/v1/taxi/schedule.json 1.0 --os 16.4
  has out '"action": "force"'
  printf '{' >half.json
  printf '{"row":[]}' >other.json
  for file in nowhere.json half.json other.json; do
    ends_with 0 python3 "$client" "$file" 1.0
    has out '"action": "none"'
    has err "no answer"
  done
}
it "the reference client prompts nobody where there is no document, or half of one" fails_open

finish
