#!/usr/bin/env bash
# The fault tests: what kills, failing system calls, many at once, and colleagues with the sqlite3 shell can do.
#
# Each part takes less than ten minutes on two cores and prints its figures. A sample of all is Tests/shell/faults.sh.
# PAWL is the program, else the release that Tests/run.sh built.
set -uo pipefail

parts="kills errors-EIO errors-EIO-reading-1 errors-EIO-reading-2 errors-ENOSPC errors-EMFILE"
parts+=" errors-EINTR-1 errors-EINTR-2 order deliveries exports writers bytes rows"

usage() {
  echo "usage: Tests/faults.sh [--part NAME]… [--sample]"
  echo "Parts: $parts."
}

sample=no only=""
while [ $# -gt 0 ]; do
  case "$1" in
    --sample) sample=yes ;;
    --part)
      case " $parts " in *" ${2:- } "*) ;; *) usage >&2; exit 64 ;; esac
      only+=" $2"
      shift
      ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 64 ;;
  esac
  shift
done

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pawl=${PAWL:-$root/.build/release/pawl}
if [ ! -x "$pawl" ]; then
  echo "there is no '$pawl'; build it with 'Tests/run.sh --only release'" >&2
  exit 66
fi
unset PAWL_LEDGER PAWL_ACTOR PAWL_EXPORT

# One of two: in a sample the first, else the second.
either() { if [ $sample = yes ]; then echo "$1"; else echo "$2"; fi; }

# Runs a script of Tests/faults; one that does not exist, or that needs what is not, is passed over by name.
script() {
  local needs=$1 name=$2 program
  shift 2
  if [ ! -e "$root/Tests/faults/$name" ]; then
    echo "skipped: there is no Tests/faults/$name"
    return 0
  fi
  for program in python3 $needs; do
    if ! command -v "$program" >/dev/null; then
      echo "skipped: there is no '$program' here"
      return 0
    fi
  done
  if [ "$needs" != "${needs#*strace}" ] && ! strace -o /dev/null true 2>/dev/null; then
    echo "skipped: strace is not permitted here"
    return 0
  fi
  PYTHONDONTWRITEBYTECODE=1 python3 "$root/Tests/faults/$name" "$@"
}

# The commands are killed at every system call that changes something.
part_kills() { script "strace openssl" kills.py "$pawl" $(either --sample ""); }

# Every call fails, once and from then on.
part_errors() { script "strace openssl" errors.py "$pawl" "$1" $(either --sample ""); }

# What is said to be done is on the disk.
part_order() { script "strace openssl" order.py "$pawl" $(either --sample ""); }

# Deliveries are killed at every system call.
part_deliveries() { script strace deliver.py "$pawl" $(either --sample ""); }

# Documents are read while they are exported, and while exporters are killed.
part_exports() { script "" export.py "$pawl" $(either "5 5 500" "1000 300 50000"); }

# Sixteen writers at once, with exporters and verifiers beside them.
part_writers() {
  local beside=(--beside "$pawl export one" --beside "$pawl export two" --beside "$pawl export three" --beside "$pawl export four")
  if "$pawl" verify --help 2>/dev/null | grep -q '^Usage: pawl verify'; then
    beside+=(--beside "$pawl verify" --beside "$pawl verify --json")
  fi
  if [ $sample = yes ]; then
    script "" writers.py "$pawl" --writers 16 --changes 5 "${beside[@]}"
  else
    script "" writers.py "$pawl" --writers 16 --changes 200 "${beside[@]}"
  fi
}

# Runs a unit test more often than Tests/run.sh does; that has a sample of it.
unit() {
  local suite=$1
  if [ $sample = yes ]; then
    echo "skipped: Tests/run.sh --only unit has a sample of it"
  elif ! command -v swift >/dev/null; then
    echo "skipped: there is no 'swift' here"
  else
    (cd "$root" && swift test --scratch-path .build/faults --disable-xctest \
      --filter "$suite" 2>&1 | grep -E '✘|measured|Test run with')
  fi
}

# Bytes of a ledger flipped one by one; PAWL_FLIPS=all takes every one.
part_bytes() { PAWL_FLIPS=${PAWL_FLIPS:-30000} unit FlipTests; }

# Rows edited by somebody with the sqlite3 shell.
part_rows() { PAWL_ALTERATIONS=${PAWL_ALTERATIONS:-10000} unit RandomVerifyTests; }

bad=""
for part in ${only:-$parts}; do
  echo "== $part"
  start=$(date +%s)
  case $part in
    errors-*) part_errors "${part#errors-}" ;;
    *) "part_$part" ;;
  esac && verdict=ok || { verdict=FAILED bad+=" $part"; }
  echo "== $part: $verdict, $(($(date +%s) - start)) s"
done
if [ -n "$bad" ]; then echo "failed parts:$bad"; fi
[ -z "$bad" ]
