# Sourced by shell tests that look at a terminal: a tmux of the test's own, keys typed into it, and what it shows.

# Starts a terminal of some columns and lines that runs a command; further words are variables for it.
start_tmux() {
  local columns=$1 lines=$2 command=$3
  shift 3
  needs tmux
  # The socket goes into the test's folder, and the server with the test.
  export TMUX_TMPDIR=$PWD
  unset TMUX
  trap stop_tmux EXIT
  env LANG=C.UTF-8 TERM=xterm-256color "$@" \
    tmux -u -L "$tests_name" -f /dev/null new-session -d -x "$columns" -y "$lines" "$command" 2>tmux.err ||
    skip "tmux cannot start here: $(cat tmux.err)"
  # Some shells drop what is typed before they are ready.
  soon shows '[^ ]'
}

stop_tmux() { tmux -L "$tests_name" kill-server 2>/dev/null || true; }

typed() { tmux -L "$tests_name" send-keys -l -- "$1"; }
keys() { tmux -L "$tests_name" send-keys "$@"; }
type_line() { typed "$1" && keys Enter; }

is_clear() { [ "$(screen | grep -c '[^ ]')" -le 1 ]; }

# Types a line on an empty screen, so that what is waited for is not what a line before it said.
on_fresh_screen() {
  type_line clear
  soon is_clear
  type_line "$1"
}

screen() { tmux -L "$tests_name" capture-pane -p "$@"; }

shows() { screen | grep -q "${@:1:$#-1}" -- "${@: -1}"; }

wait_for() { soon shows -F "$1" || { screen | grep -v '^$'; return 1; }; }

# Starts a terminal of 200 columns with a shell in it that knows the program as 'pawl'; words are variables for it.
open_terminal() {
  mkdir -p bin
  ln -sf "$pawl_program" bin/pawl
  start_tmux 200 50 "bash --norc --noprofile" PATH="$PWD/bin:$PATH" "$@"
  wait_for_shell
}

# Waits until a shell answers; the quotes tell the answer from the line typed.
wait_for_shell() {
  type_line "echo he''re"
  wait_for "here"
}

settle() {
  local before after _
  before=""
  for _ in $(seq 40); do
    sleep 0.15
    after=$(screen)
    [ "$after" != "$before" ] || return 0
    before=$after
  done
}
