#!/usr/bin/env bash
# Feeds the mail reader changed mails with libFuzzer, for so many seconds; ends with 1 where it finds something.
#
# usage: Tests/fuzz.sh [SECONDS]
# What it builds, and the mails that led somewhere new, stay in .build/fuzz; a mail that breaks something is there, too.
set -euo pipefail

seconds=${1:-20}
case $seconds in '' | *[!0-9]*) echo "usage: Tests/fuzz.sh [SECONDS]" >&2; exit 64 ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=docs/setup.sh
. docs/setup.sh
require_swift

folder=.build/fuzz
mkdir -p "$folder/corpus" "$folder/seeds" "$folder/found"
export SWIFT_BACKTRACE=enable=no

sanitize=(-sanitize=fuzzer,address)
flags=(-parse-as-library -swift-version 6 -package-name pawl -O -g -I "$folder" -I Sources/CLibcrypto)
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

# One module after the other, each with its counters of where a mail led.
objects=()
for module in JSON ReleaseModel Crypto AppleIntake; do
  sources=()
  while IFS= read -r file; do sources+=("$file"); done < <(find "Sources/$module" -name '*.swift' | sort)
  swiftc "${flags[@]}" "${sanitize[@]}" -wmo -module-name "$module" -emit-module -emit-module-path "$folder/$module.swiftmodule" \
    -emit-object -o "$folder/$module.o" "${sources[@]}"
  objects+=("$folder/$module.o")
done
# A key that is pinned, one mail that it signs, and then nobody has it any more.
rm -rf "$folder/pinned"
mkdir "$folder/pinned"
python3 Tests/shell/mails.py key "$folder/pinned"
echo "1234567890 7.3.0 live 1795173081" | python3 Tests/shell/mails.py dir "$folder/pinned" "$folder/pinned"
rm "$folder/pinned/key.pem"
echo "let pinned = \"$(cat "$folder/pinned/key.txt")\"" >"$folder/pinned/Key.swift"
# The linker warns of each of AddressSanitizer's local symbols.
swiftc "${flags[@]}" "${sanitize[@]}" Tests/fuzz/MailFuzz.swift "$folder/pinned/Key.swift" "${objects[@]}" -lcrypto -o "$folder/mail" 2>"$folder/log" ||
  { cat "$folder/log"; exit 1; }

# What is looked for is seen: the one mail that is signed by the pinned key.
if "$folder/mail" "$folder/pinned/00000.eml" -artifact_prefix="$folder/pinned/" >"$folder/log" 2>&1; then
  echo "the one mail that is signed by the pinned key was not noticed" >&2
  exit 1
fi

# Mails signed by a key that is made for this run, so by none that is pinned.
python3 Tests/shell/mails.py key "$folder"
for state in waiting in-review approved rejected live; do
  echo "1234567890 7.3.0 $state 1795173081"
done | python3 Tests/shell/mails.py dir "$folder" "$folder/seeds"
cp Tests/Fixtures/mail/*.eml Tests/fuzz/seeds/*.eml "$folder/seeds/"

status=0
"$folder/mail" "$folder/corpus" "$folder/seeds" -dict=Tests/fuzz/mail.dict -artifact_prefix="$folder/found/" \
  -max_len=16384 -timeout=10 -rss_limit_mb=2048 -max_total_time="$seconds" -print_final_stats=1 \
  >"$folder/log" 2>&1 || status=$?
grep -E '^stat::number_of_executed_units|^stat::average_exec|^stat::peak_rss|DONE|^SUMMARY' "$folder/log" || true
[ "$status" = 0 ] && exit
tail -n 40 "$folder/log"
echo "found something: see $folder/found and $folder/log"
exit 1
