# The exported documents, held against their schemas.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

schemas=$tests_root/docs/schemas

find_schema_python() { schema_python=$(python_with jsonschema) || skip "there is no python3 with jsonschema here"; }

make_random_documents() { python3 "$tests_root/Tests/shell/clients.py" ledger - "$pawl_program" - "$1"; }

valid() {
  find_schema_python
  local seed
  for seed in 1 2 3 4 5 6; do
    make_random_documents "$seed"
    "$schema_python" "$tests_root/Tests/shell/documents.py" schemas "$schemas" documents
  done
  # Stopped, and with what was never live.
  pawl stop --all --reason "checking" >/dev/null
  pawl publish van 99.0 --yes >/dev/null
  pawl export documents --format v1 --include-unreleased >/dev/null
  [ -f documents/v1/van/99.0.json ]
  "$schema_python" "$tests_root/Tests/shell/documents.py" schemas "$schemas" documents
}
it "every document of an export is valid by its schema" valid

valid_history() {
  find_schema_python
  pawl init >/dev/null
  pawl app add ha --bundle-id io.robbie.HomeAssistant --apple-id 1099568401 >/dev/null
  pawl import ha "$pawl_data/home-assistant-ios.csv" --yes --skip-refused >/dev/null
  pawl export documents --format v1 >/dev/null
  "$schema_python" "$tests_root/Tests/shell/documents.py" schemas "$schemas" documents
}
it "every document of an app's public history is valid by its schema" valid_history

damaged() {
  find_schema_python
  local seed
  for seed in 1 2 3; do
    make_random_documents "$seed"
    "$schema_python" "$tests_root/Tests/shell/documents.py" mutants "$schemas" documents
  done
}
it "a damaged document is refused by its schema" damaged

fails_open() {
  needs python3
  make_ledger
  pawl force taxi 1.0 --reason "old" --yes >/dev/null
  pawl export documents >/dev/null
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
it "the reference client concludes none if the document is missing or incomplete" fails_open

finish
