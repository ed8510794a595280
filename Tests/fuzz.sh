#!/usr/bin/env bash
# Feeds changed input to what reads the input of strangers, with libFuzzer, for so many seconds a target; ends with 1
# where it finds something.
#
# usage: Tests/fuzz.sh [SECONDS] [mail|ssh]...
#   mail    the reader of mails: none that is not signed is believed
#   ssh     a line that comes to 'serve-ssh': no other file is reached, and no command that is not allowed
# What it builds, and the input that led somewhere new, stay in .build/fuzz; what breaks something is there, too.
set -euo pipefail

seconds=${1:-20}
case $seconds in '' | *[!0-9]*) seconds=usage ;; esac
shift || true
for target in "$@"; do
  case $target in mail | ssh) ;; *) seconds=usage ;; esac
done
[ "$seconds" != usage ] || { echo "usage: Tests/fuzz.sh [SECONDS] [mail|ssh]..." >&2; exit 64; }
[ $# -gt 0 ] || set -- mail ssh
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=docs/setup.sh
. docs/setup.sh
require_swift

folder=$PWD/.build/fuzz
mkdir -p "$folder"
export SWIFT_BACKTRACE=enable=no

sanitize=(-sanitize=fuzzer,address)
flags=(-parse-as-library -swift-version 6 -package-name pawl -O -g -I "$folder")
for library in CLibcrypto CSQLite CSystem; do flags+=(-I "Sources/$library"); done
for feature in ExistentialAny MemberImportVisibility InternalImportsByDefault; do
  flags+=(-enable-upcoming-feature "$feature")
done
# The compiler itself takes what swift build is told for the linker and the C compiler.
while IFS= read -r flag; do
  case $flag in -Xlinker) ;; *) flags+=("$flag") ;; esac
done < <(system_flags)

echo '@_cdecl("LLVMFuzzerTestOneInput") public func f(_ p: UnsafePointer<UInt8>?, _ n: Int) -> CInt { 0 }' >"$folder/probe.swift"
if ! swiftc -parse-as-library "${sanitize[@]}" "$folder/probe.swift" -o "$folder/probe" 2>"$folder/log"; then
  echo "skipped: this Swift comes without libFuzzer's runtime"
  exit 0
fi
command -v python3 >/dev/null || { echo "skipped: there is no 'python3' here"; exit 0; }

built=" "

# Builds a module, with its counters of where an input led, unless nothing has changed since it was built.
module() {
  local name=$1 sources=()
  case $built in *" $name "*) return ;; esac
  built+="$name "
  if [ -f "$folder/$name.o" ] && [ -z "$(find Sources db Tests/fuzz.sh -newer "$folder/$name.o" -print -quit)" ]; then return; fi
  while IFS= read -r file; do sources+=("$file"); done < <(
    case $name in
      Schema) embedded db/migrations/*.sql; find db -name '*.swift' ;;
      *) embedded "Sources/$name"/*/*.*; find "Sources/$name" -name '*.swift' ;;
    esac | sort)
  swiftc "${flags[@]}" "${sanitize[@]}" -wmo -module-name "$name" -emit-module -emit-module-path "$folder/$name.swiftmodule" \
    -emit-object -o "$folder/$name.o" "${sources[@]}"
}

# Prints the name of a file with the texts that a module embeds, as the package manager makes it.
embedded() {
  local each texts=()
  for each; do case $each in *.swift) ;; *) [ ! -e "$each" ] || texts+=("$each") ;; esac; done
  [ ${#texts[@]} -gt 0 ] || return 0
  python3 - "${texts[@]}" >"$folder/$name-resources.swift" <<'PYTHON'
import os, re, sys
print("enum PackageResources {")
for path in sys.argv[1:]:
    name = re.sub(r"\W", "_", os.path.basename(path))
    print(f"  static let {name}: [UInt8] = {list(open(path, 'rb').read())}")
print("}")
PYTHON
  echo "$folder/$name-resources.swift"
}

# Builds a target from modules, in the order in which they need each other, and from files.
build() {
  local name=$1 modules=$2 objects=() each
  shift 2
  for each in $modules; do
    module "$each"
    objects+=("$folder/$each.o")
  done
  # The linker warns of each of AddressSanitizer's local symbols.
  swiftc "${flags[@]}" "${sanitize[@]}" -module-name "${name}Fuzz" "$@" "${objects[@]}" -lcrypto -lsqlite3 -o "$folder/$name" \
    2>"$folder/log" || { cat "$folder/log"; exit 1; }
}

# Runs a target on the inputs found so far and on its seeds; what is left of the words goes to libFuzzer.
run() {
  local name=$1 status=0
  shift
  mkdir -p "$folder/corpus-$name" "$folder/seeds-$name" "$folder/found" "$folder/run"
  (
    cd "$folder/run"
    TMPDIR=$folder/run exec "$folder/$name" "$folder/corpus-$name" "$folder/seeds-$name" \
      -artifact_prefix="$folder/found/$name-" -timeout=10 -rss_limit_mb=2048 -max_total_time="$seconds" \
      -print_final_stats=1 "$@"
  ) >"$folder/log-$name" 2>&1 || status=$?
  rm -rf "$folder/run"
  echo "$name:"
  grep -E '^stat::number_of_executed_units|^stat::average_exec|^stat::peak_rss|DONE|^SUMMARY' "$folder/log-$name" || true
  [ "$status" = 0 ] && return
  tail -n 40 "$folder/log-$name"
  echo "found something: see $folder/found and $folder/log-$name"
  faults=1
}

# Whether a target sees what it looks for: one that runs an input without a fault is broken itself.
must_trap() {
  local name=$1 input=$2
  mkdir -p "$folder/run"
  if (cd "$folder/run" && TMPDIR=$folder/run "$folder/$name" "$input" -artifact_prefix="$folder/run/") >"$folder/log" 2>&1; then
    echo "$name: what is looked for in '$input' was not noticed" >&2
    exit 1
  fi
  rm -rf "$folder/run"
}

# Makes a key to pin, and one mail that it signs; then nobody has the key any more. What is said of the mail is an Apple ID,
# a version, a state and the second of its Date.
pin() {
  rm -rf "$folder/pinned"
  mkdir -p "$folder/pinned"
  python3 Tests/shell/mails.py key "$folder/pinned"
  echo "$1" | python3 Tests/shell/mails.py dir "$folder/pinned" "$folder/pinned"
  rm "$folder/pinned/key.pem"
  echo "let pinned = \"$(cat "$folder/pinned/key.txt")\"" >"$folder/pinned/Key.swift"
}

fuzz_mail() {
  mkdir -p "$folder/seeds-mail"
  pin "1234567890 7.3.0 live 1795173081"
  build mail "JSON Crypto ReleaseModel AppleIntake" Tests/fuzz/MailFuzz.swift "$folder/pinned/Key.swift"
  must_trap mail "$folder/pinned/00000.eml"

  # Mails signed by a key that is made for this run, so by none that is pinned.
  python3 Tests/shell/mails.py key "$folder"
  for state in waiting in-review approved rejected live; do
    echo "1234567890 7.3.0 $state 1795173081"
  done | python3 Tests/shell/mails.py dir "$folder" "$folder/seeds-mail"
  cp Tests/Fixtures/mail/*.eml Tests/fuzz/seeds/*.eml "$folder/seeds-mail/"
  run mail -dict="$PWD/Tests/fuzz/mail.dict" -max_len=16384
}

all="JSON Crypto ReleaseModel Platform CSV SQLite Schema Ledger CommandLineKit Export Mirror AppleIntake Intake HTMLReport Pages AdminCommands"

fuzz_ssh() {
  build ssh "$all" Tests/fuzz/SSHFuzz.swift Tests/fuzz/Stage.swift
  mkdir -p "$folder/seeds-ssh"
  python3 - "$folder/seeds-ssh" <<'PYTHON'
import sys
lines = """pawl status
pawl app list --json
pawl --ledger o.db status
pawl status --ledger=o.db
pawl --complete 3 -- mark --ledger o.db ''
pawl check taxi 6.0 --explain
pawl mark taxi 7.1 live --yes
PAWL_ACTOR='o'\\''brien' pawl stop taxi '--reason=a b'
pawl import taxi secret
pawl import taxi - --yes\0version,released_at\n8.0,2026-05-01T00:00:00Z
pawl publish taxi 8.0 --notes csv
pawl backup - --replace
pawl export .
pawl key new -
pawl verify --checkpoint secret --signer secret
pawl ingest mail -\0From: x
pawl help force
pawl history --limit 1 --json
pawl -- status"""
for number, line in enumerate(lines.replace("\n8.0", "\x018.0").split("\n")):
    with open(f"{sys.argv[1]}/{number}", "w") as file:
        file.write(line.replace("\x01", "\n"))
PYTHON
  run ssh -dict="$PWD/Tests/fuzz/ssh.dict" -max_len=512
}

faults=0
for target in "$@"; do "fuzz_$target"; done
exit "$faults"
