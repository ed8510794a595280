# Records docs/tour.md in a terminal, and holds the page against what is recorded. UPDATE_GOLDEN=1 rewrites it.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=Tests/shell/tmux.sh
. "$(dirname "${BASH_SOURCE[0]}")/tmux.sh"

ago() { date -u -d "-$1 days" +%Y-%m-%dT12:00:00Z 2>/dev/null || date -u -v"-$1d" +%Y-%m-%dT12:00:00Z; }

# A team's ledger: one app in the middle of a release, one that is quiet, one that was rejected.
make_tour_ledger() {
  pawl init
  pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462 --name "Taxi 出租车 🚕"
  pawl app add tram --bundle-id com.example.tram --apple-id 1524608463 --name Trämli
  pawl app add van --bundle-id com.example.van --channel enterprise
  printf '%s\n' version,released_at "7.1.3,$(ago 300)" "7.2.1,$(ago 200)" "7.3.2,$(ago 100)" >past.csv
  for app in taxi tram van; do pawl import $app past.csv --yes; done
  pawl publish taxi 7.4.0 --build 512 --note en="Faster start"
  pawl mark taxi 7.4.0 live
  pawl publish taxi 7.4.1 --build 513
  pawl mark taxi 7.4.1 in-review
  pawl force taxi 7.2.1 --reason "wrong fares" --until 30d --yes
  pawl publish tram 7.4.0 --build 80
  pawl mark tram 7.4.0 rejected
  rm past.csv
}

say() { printf '%s\n' "" "$@" >>tour.md; }

# Waits for the prompt of a shell that has nothing more to say.
wait_for_prompt() {
  for _ in $(seq 400); do
    [ "$(screen | grep '[^ ]' | tail -n 1 | tr -d ' ')" = "$" ] && return
    sleep 0.05
  done
  screen
  return 1
}

# Types a line and waits for its end.
enter() {
  type_line "$1"
  # The line itself has to stand there before the prompt after it counts.
  wait_for "$1"
  wait_for_prompt
}

# Adds what the terminal shows to the page, without the empty lines and the prompt at its end.
show() {
  settle
  {
    printf '\n```text\n'
    screen | awk '{ lines[NR] = $0 } END {
      while (NR > 0 && (lines[NR] ~ /^ *$/ || lines[NR] ~ /^\$ *$/)) NR--
      for (i = 1; i <= NR; i++) print lines[i]
    }'
    printf '```\n'
  } >>tour.md
  empty_screen
}

empty_screen() {
  keys C-u
  settle
  type_line clear
  for _ in $(seq 400); do
    [ "$(screen | grep -c '[^ ]')" = 1 ] && break
    sleep 0.05
  done
  wait_for_prompt
}

run() {
  enter "$1"
  show
}

tour() {
  needs tmux bash python3
  mkdir bin
  ln -s "$pawl_program" bin/pawl
  make_tour_ledger >/dev/null
  start_tmux 80 44 "bash --norc --noprofile" PATH="$PWD/bin:$PATH"
  # shellcheck disable=SC2016 # for the shell in the terminal
  type_line 'PS1="$ "; source <(pawl completions bash); bind "set bell-style none"'
  wait_for_shell
  empty_screen
  cat >tour.md <<'PAGE'
# A tour

What pawl looks like in a terminal of 80 columns. A test types this session and holds the page against it.

## The board

What most needs attention comes first; apps with nothing to report take one line each. In a pipe the lines are whole and
plain, and `--json` has all of it for programs.
PAGE
  run "pawl status"
  say "## An answer, and why" "" "What a client on 7.2.1 is told, step by step."
  run "pawl check taxi 7.2.1 --explain"
  say "## Help" "" "\`pawl help COMMAND\` or \`--help\`; the manual pages say the same (\`man pawl-unmark\`)."
  run "pawl unmark --help"
  say "## A slip" "" "What was refused, why, and what to do next; the nearest name where one was mistyped."
  enter "pawl check taix 7.3.2"
  enter "pawl mark taxi 7.4.2 live"
  enter "pawl publish taxi 7.3.9"
  run "pawl stauts"
  say "## Completion" "" \
    "One tab completes, two show what there is. Slugs, versions and rule numbers come from the ledger."
  typed "pawl mark ta"
  # The slug; what all versions begin with; and then, asked twice, the versions.
  for _ in 1 2 3 4; do
    keys Tab
    settle
  done
  show
  say "## A question" "" \
    "Whatever makes answers harsher shows whom it touches and asks; Enter is no. In a script it takes \`--yes\`."
  type_line 'pawl force taxi below:7.3 --reason "crash at start"'
  wait_for "[y/N]"
  type_line n
  wait_for_prompt
  show
  say "## The record" "" "Newest first: who, when, what, why. Nothing is ever taken out of it."
  run "pawl history taxi --limit 5"
  say "Next: [getting started](getting-started.md)."
  if [ -n "${UPDATE_GOLDEN:-}" ]; then
    cp tour.md "$tests_root/docs/tour.md"
  else
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$tests_root/Tests/shell python3 - "$tests_root/docs/tour.md" <<'CHECK'
import difflib
import sys

from recorded import same

with open(sys.argv[1], encoding="utf-8") as page, open("tour.md", encoding="utf-8") as shown:
    lines = list(difflib.unified_diff(same(page.read()).split("\n"), same(shown.read()).split("\n"), lineterm=""))
if lines:
    print("\n".join(lines))
    sys.exit("docs/tour.md is not what is shown; rewrite it with 'UPDATE_GOLDEN=1 bash Tests/shell/tour.sh'")
CHECK
  fi
}
it "the session in docs/tour.md is what a terminal shows" tour

finish
