# What readers of Markdown make of '--markdown': the cells that pawl meant, and nothing of others that means anything.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

read_by() {
  local reader=$1 python
  python=$(python_with "$reader") || skip "there is no $reader for Python here"
  make_ledger
  PAWL="$pawl_program" "$python" "$tests_root/Tests/shell/markdown.py" "$reader"
}
markdown_it() { read_by markdown_it; }
cmark_gfm() { read_by cmarkgfm; }
it "markdown-it reads the same cells, and nothing else" markdown_it
it "GitHub's own reader reads the same cells, and nothing else" cmark_gfm

finish
