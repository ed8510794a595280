# Completions in the real shells: keys typed on a terminal, and the words that come out of them.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=Tests/shell/tmux.sh
. "$(dirname "${BASH_SOURCE[0]}")/tmux.sh"

# Opens a terminal with a shell that completes pawl's words. Where a line is run, a function instead of pawl shows its
# words; the scripts pass over it and ask the program.
open_shell() {
  needs tmux "$1"
  shell=$1
  mkdir bin home other "a folder"
  ln -s "$pawl_program" bin/pawl
  make_ledger
  pawl app add van --bundle-id com.example.van >/dev/null
  pawl remind taxi below:1.1 --yes >/dev/null
  pawl init --ledger "a folder/other.db" >/dev/null
  pawl app add plane --bundle-id com.example.plane --ledger "a folder/other.db" >/dev/null
  cp "a folder/other.db" home/home.db
  local command start='PS1="ready> "'
  # shellcheck disable=SC2016 # the shell's own
  local shows='pawl() { printf "<%s>" "$@"; echo; }'
  case $shell in
    bash) command="bash --norc --noprofile" start+="; source <(pawl completions bash); $shows" ;;
    zsh) command="zsh -f" start+="; autoload -U compinit; compinit -u -D; source <(pawl completions zsh); $shows" ;;
    # shellcheck disable=SC2016 # the shell's own
    fish)
      command="fish --no-config"
      start='pawl completions fish | source; function pawl; printf "<%s>" $argv; echo; end; function fish_prompt; echo -n "ready> "; end'
      ;;
  esac
  start_tmux 150 50 "$command" PATH="$PWD/bin:$PATH" HOME="$PWD/home"
  type_line "$start"
  wait_for_shell
}

fresh_line() {
  keys C-c
  settle
  keys C-u
  typed "clear"
  keys Enter
  settle
}

tabs() {
  typed "$1"
  keys Tab
  settle
  keys Tab
}

# Types a line in which every tab is the key, runs it, and waits for its words.
becomes() {
  local line=$1 piece
  keys C-u
  typed "clear"
  keys Enter
  while :; do
    piece=${line%%$'\t'*}
    typed "$piece"
    [ "$piece" != "$line" ] || break
    keys Tab
    # What a key brings must stand there before the next one; shells that are asked too early take it as text.
    settle
    line=${line#*$'\t'}
  done
  keys Enter
  wait_for "$2"
}

completes() {
  open_shell "$1"
  becomes $'pawl mar\tta\t1.0\t' "<mark><taxi><1.0>"
  becomes $'pawl app li\t' "<app><list>"
  becomes $'pawl publish taxi 1.1.\t' "<publish><taxi><1.1.1>"
  becomes $'pawl mark taxi 1.1 r\t' "<mark><taxi><1.1><removed>"
  becomes $'pawl lift taxi \t' "<lift><taxi><1>"
  # A form of a range goes on without a blank, and the colon, where bash cuts words, is no hindrance.
  becomes $'pawl force taxi bel\t1.1\t' "<force><taxi><below:1.1>"
  becomes $'pawl force taxi below:1.1\t' "<force><taxi><below:1.1>"
  becomes $'pawl app add x --platf\tma\t' "<app><add><x><--platform><macos>"
  becomes $'pawl app add x --platform=ma\t' "<app><add><x><--platform=macos>"
  # What is there is not offered again, so that the start of a word has one end.
  becomes $'pawl check taxi --a\t' "<check><taxi><--a>"
  becomes $'pawl check taxi --at x --a\t' "<check><taxi><--at><x><--as-of>"
  becomes $'true; pawl pub\tva\t' "<publish><van>"
  becomes $'pawl check "ta\t' "<check><taxi>"
  becomes $'pawl check zz\t' "<check><zz>"
}

files() {
  open_shell "$1"
  becomes $'pawl import taxi pas\t' "<import><taxi><past.csv>"
  becomes $'pawl check --ledger=pas\t' "<check><--ledger=past.csv>"
  becomes $'pawl ingest mail --maildir oth\t' "<ingest><mail><--maildir><other"
  becomes $'pawl check --ledger a\t' "<check><--ledger><a folder"
}

ledgers() {
  open_shell "$1"
  becomes $'pawl check --ledger "a folder/other.db" pl\t' "<check><--ledger><a folder/other.db><plane>"
  becomes $'pawl check --ledger=a\\ folder/other.db pl\t' "<check><--ledger=a folder/other.db><plane>"
  becomes $'pawl --ledger home/home.db check pl\t' "<--ledger><home/home.db><check><plane>"
  # shellcheck disable=SC2088 # the shell under test expands it
  becomes $'pawl check --ledger ~/home.db pl\t' "/home/home.db><plane>"
  # Nothing is offered, and nothing is said.
  becomes $'pawl check --ledger past.csv pl\t' "<check><--ledger><past.csv><pl>"
  becomes $'pawl check --ledger nowhere.db pl\t' "<check><--ledger><nowhere.db><pl>"
  screen >shown
  if grep -q 'error' shown; then return 1; fi
}

lists() {
  open_shell "$1"
  # The second key lists what the first could not decide; a third would choose.
  tabs "pawl check "
  wait_for "van"
  wait_for "taxi"
  fresh_line
  tabs "pawl check taxi 1."
  wait_for "1.1"
  if [ "$1" = bash ]; then return; fi
  # The others show what each of them is.
  wait_for "superseded"
}

for shell in bash zsh fish; do
  eval "completes_$shell() { completes $shell; }; files_$shell() { files $shell; }"
  eval "ledgers_$shell() { ledgers $shell; }; lists_$shell() { lists $shell; }"
  it "$shell completes commands, options and what the ledger knows" "completes_$shell"
  it "$shell offers files where a file is due" "files_$shell"
  it "$shell asks the ledger that the line names" "ledgers_$shell"
  it "$shell lists what there is to choose from" "lists_$shell"
done

words_after_the_cursor() {
  open_shell "$1"
  typed "pawl check  --ledger=home/home.db"
  keys C-a
  # shellcheck disable=SC2046 # a key a word
  keys $(printf 'Right %.0s' $(seq 11))
  typed "pl"
  keys Tab
  settle
  keys Enter
  wait_for "<check><plane><--ledger=home/home.db>"
}
in_bash() { words_after_the_cursor bash; }
in_zsh() { words_after_the_cursor zsh; }
it "bash takes words after the cursor into account" in_bash
it "zsh takes words after the cursor into account" in_zsh

fish_variable() {
  open_shell fish
  becomes $'PAWL_LEDGER=home/home.db pawl check pl\t' "<check><plane>"
}
it "fish takes a variable set in the line into account" fish_variable

as_a_file_of_zsh() {
  needs zsh
  make_ledger
  mkdir functions bin
  ln -s "$pawl_program" bin/pawl
  pawl completions zsh >functions/_pawl
  # Found by its first line, loaded when it is first needed.
  zsh -f -c 'fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -D; print $_comps[pawl]' >out
  same "$(cat out)" _pawl
}
it "zsh finds the script in a folder of its functions" as_a_file_of_zsh

finish
