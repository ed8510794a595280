# Runs every command that the documents show.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

examples() {
  local pages
  needs python3 openssl
  # A page that is not committed yet counts, too; transcripts are run by a test of their own.
  mapfile -t pages < <(cd "$tests_root" && find README.md db docs -name '*.md' | sort)
  PYTHONDONTWRITEBYTECODE=1 python3 "$tests_root/Tests/shell/examples.py" "$pawl_program" "$tests_root" "${pages[@]}"
}
it "every command in the documents is run, and ends as its page says" examples

finish
