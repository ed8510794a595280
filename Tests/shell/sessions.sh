# Runs the terminal sessions of the documents and compares what comes out. UPDATE_GOLDEN=1 rewrites them.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

session() {
  needs python3
  mkdir bin
  ln -s "$pawl_program" bin/pawl
  ln -s "$tests_root/docs" docs
  PATH="$PWD/bin:$PATH" PYTHONDONTWRITEBYTECODE=1 python3 "$tests_root/Tests/shell/sessions.py" "$tests_root/$page"
}

for page in README.md docs/getting-started.md docs/decision.md; do
  it "the session in $page is what happens" session
done

finish
