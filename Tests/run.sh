#!/usr/bin/env bash
# Everything continuous integration runs, from a fresh clone: install, lint, build, test, release, shell tests.
set -uo pipefail

usage() {
  echo "usage: Tests/run.sh [--full] [--fuzz SECONDS] [--only STAGE]"
  echo "Stages, in order: packages lint build unit full release again shell fuzz."
  echo "'full' and 'again' run with --full only, and 'fuzz' with --fuzz only, for so many seconds."
  echo "At the end stand the twenty slowest tests and what each stage took. Every night 'full' walks through random commands:"
  echo "  PAWL_ORDERS=500 swift test --disable-xctest --filter CommandWalkTests"
}

stages="packages lint build unit full release again shell fuzz"
full=no fuzz="" only=""
while [ $# -gt 0 ]; do
  case "$1" in
    --full) full=yes ;;
    --fuzz)
      case "${2:-}" in '' | *[!0-9]*) usage >&2; exit 64 ;; esac
      fuzz=$2
      shift
      ;;
    --only)
      [ $# -ge 2 ] || { usage >&2; exit 64; }
      only=$2
      shift
      ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 64 ;;
  esac
  shift
done
case " $stages " in
  *" ${only:-lint} "*) ;;
  *) usage >&2; exit 64 ;;
esac
if [ "$only" = full ] || [ "$only" = again ]; then full=yes; fi
if [ "$only" = fuzz ] && [ -z "$fuzz" ]; then fuzz=20; fi
# Deliveries are killed at every system call, a machine is made to follow the pages, and formulas are compared in 100,000
# states.
if [ "$full" = yes ]; then
  export PAWL_MACHINE="${PAWL_MACHINE:-bookworm}" PAWL_WHOLE="${PAWL_WHOLE:-deliveries}" PAWL_OUTSIDER="${PAWL_OUTSIDER:-31}"
fi

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 70
# shellcheck source=docs/setup.sh
. docs/setup.sh
require_swift

# What the shell tests use; where one cannot be installed, the test that needs it is skipped by name.
test_packages="sqlite3 strace tmux python3 openssl dovecot-imapd isync postfix zsh fish man-db mandoc
python3-jsonschema nginx curl openssh-client openssh-server chromium lintian python3-dkim python3-nacl jq ruby
python3-yaml python3-venv shellcheck nodejs node-typescript php-cli php-pgsql python3-psycopg2
apache2 caddy varnish systemd debootstrap buildah postgresql mariadb-server redis-server"

# What the shell tests take from PyPI: GitHub's and GitLab's own schemas, and other people's readers of what pawl writes.
test_libraries="check-jsonschema PyJWT cryptography joserfc standardwebhooks sshsig codemagic-cli-tools spdx-tools z3-solver
icalendar prometheus-client packaging"

# A warning is an error, and so is an import of a target that Package.swift does not name. Without the second flag an
# undeclared import fails the first clean build and passes the next one; it lets a transitive one through all the same,
# which Tests/RepositoryTests refuses.
flags=(-Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error)

# Starts a function beside the stages that follow, what it prints put by.
start_beside() {
  mkdir -p .build
  "$1" >".build/$1.log" 2>&1 &
  printf -v "beside_$1" %s $!
}

# Whether a function was started so.
is_beside() { local process="beside_$1"; [ -n "${!process:-}" ]; }

# Waits for it, and passes on what it printed and how it ended.
join_beside() {
  local process="beside_$1" status=0
  wait "${!process}" || status=$?
  cat ".build/$1.log"
  return $status
}

# What a build takes comes first; the rest is installed beside the build, and waited for by the tests that use it.
stage_packages() {
  # shellcheck disable=SC2086 # one word a package
  install_packages $build_packages || return
  if [ -n "$only" ]; then
    install_test_packages
    install_libraries
  else
    start_beside install_test_packages
  fi
}

install_test_packages() {
  # Without settings Postfix is installed and does not start; the test brings settings of its own.
  if command -v debconf-set-selections >/dev/null && [ -n "$(missing_packages postfix)" ]; then
    echo "postfix postfix/main_mailer_type select No configuration" | as_root debconf-set-selections
  fi
  # No service that is installed here may start by itself: this file is how Debian forbids it (invoke-rc.d(8)).
  local policy=/usr/sbin/policy-rc.d is_ours=no
  if [ -x /usr/sbin/invoke-rc.d ] && [ ! -e "$policy" ] && [ -n "$(missing_packages nginx openssh-server apache2 caddy varnish postgresql mariadb-server redis-server)" ]; then
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null && as_root chmod 755 "$policy" && is_ours=yes
  fi
  # All at once, which is faster; else one by one, so that a missing package does not keep the others out.
  local package
  # shellcheck disable=SC2086 # one word a package
  install_packages $test_packages 2>/dev/null ||
    for package in $test_packages; do
      install_packages "$package" || echo "cannot install $package: the tests that need it are skipped"
    done
  if [ "$is_ours" = yes ]; then as_root rm -f "$policy"; fi
}

# Installs what comes from PyPI into an environment in the build folder, one by one as above.
install_libraries() {
  local tools=.build/tools library there
  [ -x "$tools/bin/pip" ] || python3 -m venv "$tools" >/dev/null 2>&1
  there=$("$tools/bin/pip" freeze --disable-pip-version-check 2>/dev/null | sed 's/==.*//')
  for library in $test_libraries; do
    grep -qixF "${library//-/_}" <<<"${there//-/_}" && continue
    "$tools/bin/pip" install --quiet --disable-pip-version-check "$library" >/dev/null 2>&1 ||
      echo "cannot install $library from PyPI: the tests that need it are skipped"
  done
}

stage_lint() {
  swift format lint --strict --recursive --configuration .swift-format Package.swift Sources Tests db &&
    python3 Tests/mistakes.py --named --list >/dev/null
}

# All flags of a debug build; the system's own are known once the packages are there.
all_flags() {
  printf '%s\n' "${flags[@]}"
  system_flags
}

stage_build() {
  local all=()
  while IFS= read -r flag; do all+=("$flag"); done < <(all_flags)
  swift build --build-tests "${all[@]}" 2>&1 | quieten
}

# Prints where unit tests may write: in memory where programs may run and a gigabyte is free, since a disk makes them wait.
test_folder() {
  local free
  free=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
  if [ -w /dev/shm ] && [ "${free:-0}" -ge 1048576 ] && ! grep -q ' /dev/shm .*noexec' /proc/mounts; then
    echo /dev/shm
  else
    echo "${TMPDIR:-/tmp}"
  fi
}

# Two tests at a time, so that the time of each is about its own: the one in the events, not what is printed, which counts
# from when it began to wait. The flags are those of the build, so that nothing is built twice. While `swift test` runs, it
# keeps the package locked; on Linux the tests are started without it, so that the release is built beside them.
stage_unit() {
  local all=() folder status=0
  local width=(--experimental-maximum-parallelization-width 2 --event-stream-version 0 --event-stream-output-path .build/unit.jsonl)
  while IFS= read -r flag; do all+=("$flag"); done < <(all_flags)
  if is_beside install_test_packages; then
    join_beside install_test_packages
    start_beside install_libraries
  fi
  if [ "$(uname)" = Linux ] && [ -z "$only" ]; then
    folder=$(swift build --show-bin-path "${all[@]}") || return
    start_beside build_release
    TMPDIR=$(test_folder) "$folder/pawlPackageTests.xctest" --testing-library swift-testing "${width[@]}" 2>&1 |
      tee .build/unit.log | verdicts || status=1
  else
    TMPDIR=$(test_folder) swift test --disable-xctest "${width[@]}" "${all[@]}" 2>&1 | quieten |
      tee .build/unit.log | verdicts || status=1
  fi
  python3 Tests/slowest.py .build/unit.jsonl >>"$times"
  return $status
}

# Of a test run's output, what failed and how, and the line that sums it up.
verdicts() { grep -E '✘|↳|error:|^walk|^Test run|Test run with|recorded an issue' | grep -v -e 'Target Platform' -e 'Library Version'; }

# Many more snapshots, apps and lives of each random test, one after the other.
stage_full() {
  local all=() suite
  while IFS= read -r flag; do all+=("$flag"); done < <(all_flags)
  for suite in ScheduleTests ExportTests.AgreementTests PartialChangeTests; do
    PAWL_SEQUENCES=20000 TMPDIR=$(test_folder) \
      swift test --disable-xctest --filter "$suite" "${all[@]}" 2>&1 | quieten | verdicts || return
  done
  # Every small ledger; documents, rows and previews of a fixed share.
  PAWL_WALK=1 PAWL_WALK_DOCUMENTS=101 TMPDIR=$(test_folder) \
    swift test --disable-xctest --filter WalkTests "${all[@]}" 2>&1 | quieten | verdicts || return
  # A thousand years of releases, told of in any order.
  PAWL_ORDERS=1000 TMPDIR=$(test_folder) \
    swift test --disable-xctest --filter ConnectYearTests "${all[@]}" 2>&1 | quieten | verdicts || return
  # Five hundred walks through random commands.
  PAWL_ORDERS=500 TMPDIR=$(test_folder) \
    swift test --disable-xctest --filter CommandWalkTests "${all[@]}" 2>&1 | quieten | verdicts
}

stage_release() { if is_beside build_release; then join_beside build_release; else build_release; fi; }

# Builds the release once more, in another folder, and compares all that is published, byte for byte.
stage_again() {
  local folder status=0
  folder=$(mktemp -d "${TMPDIR:-/tmp}/pawl-again.XXXXXX")
  mkdir "$folder/elsewhere"
  SOURCE_DATE_EPOCH=$(git -c safe.directory='*' log -1 --format=%ct)
  export SOURCE_DATE_EPOCH
  git -c safe.directory='*' ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$folder/elsewhere"
  (cd "$folder/elsewhere" && build_release) && docs/packaging/make-release.sh "$folder/here" &&
    "$folder/elsewhere/docs/packaging/make-release.sh" "$folder/there" && diff -r "$folder/here" "$folder/there" || status=1
  if [ $status = 0 ]; then (cd "$folder/here" && sha256sum -- *); fi
  rm -rf "$folder"
  return $status
}

# Runs one file of shell tests and prints what it says in one piece, since others run beside it.
run_file() {
  local log status=0 start
  log=$(mktemp "${TMPDIR:-/tmp}/pawl-log.XXXXXX") start=$(date +%s)
  bash "$1" >"$log" 2>&1 || status=1
  until mkdir "$SCORE.turn" 2>/dev/null; do sleep 0.05; done
  echo "$1, $(($(date +%s) - start)) s"
  echo "$(($(date +%s) - start)) s  $1" >>"$TIMES"
  cat "$log"
  rmdir "$SCORE.turn"
  rm -f "$log"
  return $status
}

stage_shell() {
  if is_beside install_libraries; then join_beside install_libraries; fi
  local test status=0 passed failed skipped
  SCORE=$(mktemp "${TMPDIR:-/tmp}/pawl-score.XXXXXX")
  export SCORE TIMES=$times
  export -f run_file
  # One more at a time than there are processors, since many wait for something.
  # A file that ends early, before it has said its score, has failed as well.
  for test in Tests/shell/*.sh; do
    case "$test" in */lib.sh | */databases.sh | */tmux.sh) ;; *) echo "$test" ;; esac
  done | xargs -n 1 -P "$(($(getconf _NPROCESSORS_ONLN) + 1))" bash -c 'run_file "$1"' run_file || status=1
  read -r passed failed skipped < <(awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }' "$SCORE")
  rm -f "$SCORE"
  shell_summary="$passed passed, $failed failed"
  if [ "$skipped" != 0 ]; then shell_summary+=", $skipped skipped"; fi
  return $status
}

stage_fuzz() { Tests/fuzz.sh "$fuzz"; }

bad="" shell_summary="" took=""
times=$(mktemp "${TMPDIR:-/tmp}/pawl-times.XXXXXX")
trap 'rm -f "$times"' EXIT
for stage in $stages; do
  if [ -n "$only" ] && [ "$stage" != "$only" ]; then continue; fi
  case "$stage" in full | again) [ "$full" = yes ] || continue ;; esac
  if [ "$stage" = fuzz ] && [ -z "$fuzz" ]; then continue; fi
  echo "== $stage"
  start=$(date +%s)
  if "stage_$stage"; then verdict=ok; else verdict=FAILED bad+=" $stage"; fi
  echo "== $stage: $verdict, $(($(date +%s) - start)) s"
  took+=" $stage $(($(date +%s) - start)) s,"
done

if [ -s "$times" ]; then
  echo "the slowest tests:"
  sort -rn "$times" | head -20
fi
echo "stages:$took all $SECONDS s"

if [ -n "$bad" ]; then echo "failed stages:$bad"; fi
[ -z "$shell_summary" ] || echo "$shell_summary"
[ -z "$bad" ]
