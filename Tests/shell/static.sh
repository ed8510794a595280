# The release for Linux is one file that needs nothing of the system it runs on.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

is_static() {
  [ "$(uname)" = Linux ] || skip "only Linux has static programs"
  ldd "$pawl_program" >out 2>&1 || true
  grep -qE 'not a dynamic executable|statically linked' out
}
it "ldd finds no library" is_static

is_small() {
  [ "$(uname)" = Linux ] || skip "only Linux has static programs"
  needs strip
  strip -o small "$pawl_program"
  local size
  size=$(wc -c <small)
  [ "$size" -le $((16 << 20)) ]
  echo "measured: $size bytes without symbols"
}
it "the program without symbols has at most 16 MiB" is_small

runs_in_an_empty_root() {
  [ "$(uname)" = Linux ] || skip "only Linux has static programs"
  mkdir -p root/proc
  cp "$pawl_program" root/pawl
  # Swift's runtime asks /proc where its own program is.
  mount --bind /proc root/proc 2>/dev/null || skip "mounting is not permitted here"
  trap 'umount "$tests_folder/work/root/proc"' EXIT
  ends_with 0 chroot root /pawl init --ledger /made.db
  # There is no /etc/passwd to find a name in: the number stands in for it.
  ends_with 0 chroot root /pawl history --ledger /made.db
  has out "0@"
}
it "the program runs where there is no other file but /proc" runs_in_an_empty_root

# What the archive has is all there is: each page that an error, a hint or a help names opens, and so does what those link to.
every_page_opens() {
  [ "$(uname)" = Linux ] || skip "only Linux has static programs"
  needs jq objcopy strip
  "$tests_root/docs/packaging/make-release.sh" made "$pawl_program" >/dev/null
  mkdir -p root/proc
  tar -xzf made/*.tar.gz -C root
  mount --bind /proc root/proc 2>/dev/null || skip "mounting is not permitted here"
  trap 'umount "$tests_folder/work/root/proc"' EXIT
  archived() { env -i "$(command -v chroot)" root /pawl/pawl "$@"; }
  archived help --json >help.json
  jq -r '.commands[].name' help.json | while IFS= read -r name; do
    # shellcheck disable=SC2086 # a command and its subcommand
    archived help $name
  done >words
  for page in errors reasons topics options environment exit-codes; do archived help "$page"; done >>words
  { grep -oE 'pawl help [a-z][a-z-]*' words | cut -d' ' -f3; grep -oE 'docs/[A-Za-z0-9_/-]+\.md' words || true; } | sort -u >names
  [ "$(wc -l <names)" -gt 9 ]
  # A page of docs links to others by their place beside it.
  while IFS= read -r name; do
    archived help "$name" >page || { echo "no page: $name"; return 1; }
    [ -s page ]
    folder=$(jq -r --arg name "$name" '.topics[] | select(.name == $name or "docs/" + .file == $name) | .file' help.json)
    [ -n "$folder" ] || continue
    # shellcheck disable=SC2016 # the marks of Markdown
    sed '/^```/,/^```/d' page | { grep -oE '\]\([A-Za-z0-9_./-]+\.md' || true; } | cut -c3- | while IFS= read -r link; do
      realpath -ms --relative-base=/docs "/docs/$(dirname "$folder")/$link"
    done >>links
  done <names
  grep -v '^commands/' links | sort -u >others
  [ -s others ]
  while IFS= read -r link; do archived help "docs/$link" >page || { echo "no page: $link"; return 1; }; done <others
  echo "measured: $(wc -l <names) names, $(wc -l <others) links"
}
it "with the archive alone, every page that errors, hints and helps name opens" every_page_opens

finish
