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

finish
