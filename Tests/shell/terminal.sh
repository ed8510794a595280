# A terminal: questions are asked there and nowhere else, and colour is only for it.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=Tests/shell/tmux.sh
. "$(dirname "${BASH_SOURCE[0]}")/tmux.sh"

escape=$(printf '\033')

lock_is_free() {
  make_ledger
  open_terminal
  type_line "pawl app set taxi --policy force; echo status \$?"
  wait_for "[y/N]"
  # Nobody is kept waiting while somebody thinks; but what was agreed to must still be what happens.
  ends_with 0 pawl publish taxi 2.0 --yes
  type_line "y"
  asked_twice() { [ "$(screen | grep -c "y/N")" = 2 ]; }
  soon asked_twice
  type_line "y"
  wait_for "status 0"
  same "$(events)" 6
}
it "others may write while a question is open, and then it is asked again" lock_is_free

colours() {
  make_ledger
  open_terminal
  type_line "pawl status; echo status \$?"
  wait_for "status 0"
  screen -e >shown
  has shown "$escape[32m"
  on_fresh_screen "NO_COLOR=1 pawl status; echo status \$?"
  wait_for "status 0"
  screen -e >shown
  if grep -qF "$escape[32m" shown; then return 1; fi
  on_fresh_screen "pawl status | cat; echo status \$?"
  wait_for "status 0"
  screen -e >shown
  if grep -qF "$escape[32m" shown; then return 1; fi
  on_fresh_screen "pawl publish taxi 1.0.1 --yes; echo status \$?"
  wait_for "status 1"
  screen -e >shown
  has shown "$escape[31m"
}
it "output has colours on a terminal, but not with NO_COLOR or in a pipe" colours

finish
