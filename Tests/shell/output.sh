# What goes to standard output and what to standard error.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Holds a file against being one JSON object on one line.
is_json_line() {
  same "$(wc -l <"$1" | tr -d ' ')" 1
  python3 -c 'import json, sys; assert isinstance(json.load(open(sys.argv[1])), dict)' "$1"
}

json_on_stdout() {
  needs python3
  ends_with 0 pawl init --json
  is_json_line out
  is_empty err
  ends_with 0 pawl app add taxi --bundle-id com.example.taxi --apple-id 1524608462 --json
  is_json_line out
  ends_with 0 pawl publish taxi 1.0 --json --note en="a \"quoted\" word"
  is_json_line out
  for words in "mark taxi 1.0 live" "unmark taxi 1.0 --reason wrong" "amend taxi 1.0 --build 7" "status" \
    "void taxi 1.0 --reason wrong" "check taxi 1.0" "check taxi 1.0 --explain" "history" "show 1" "app show taxi" \
    "app list" "app set taxi --name Taxi" "trust host example.com" "trust list" "trust remove example.com"; do
    # shellcheck disable=SC2086 # several words
    ends_with 0 pawl $words --json
    is_json_line out
    is_empty err
  done
}
it "--json prints one object on standard output and nothing else" json_on_stdout

json_errors() {
  needs python3
  make_ledger
  for words in "publish taxi 1.0.1" "publish taxi" "status texi" "import taxi nowhere.csv" "wrong"; do
    # shellcheck disable=SC2086 # several words
    run pawl $words --json
    is_empty out
    is_json_line err
    python3 -c 'import json
error = json.load(open("err"))["error"]
assert sorted(error) == ["details", "hint", "id", "message"], error'
  done
}
it "with --json an error is one object on standard error" json_errors

text_errors() {
  make_ledger
  ends_with 1 pawl publish taxi 1.0.1
  is_empty out
  same "$(head -c 7 err)" "error: "
  ends_with 66 pawl import taxi past.csv.missing
  is_empty out
}
it "without it an error is text on standard error" text_errors

closed_pipe() {
  make_ledger
  # The writer of a closed pipe ends by SIGPIPE, as everything in a shell does.
  set +o pipefail
  yes 1.0 | head -n 200000 >lines
  pawl check taxi --stdin <lines 2>err | head -n 1 >out
  has out '"action":"remind"'
  is_empty err
  pawl history 2>err | true
  is_empty err
}
it "a reader that has seen enough causes no complaint" closed_pipe

recorded_all_the_same() {
  make_ledger
  set +o pipefail
  # The reader is gone before the answer is written.
  (sleep 0.3; pawl publish taxi 2.0 2>err) | true
  for _ in 1 2 3 4 5 6 7 8 9 10; do [ -e err ] && break || sleep 0.1; done
  is_empty err
  ends_with 0 pawl history taxi --version 2.0
  has out "published taxi 2.0"
}
it "a change whose answer nobody reads is recorded all the same" recorded_all_the_same

input_is_streamed() {
  make_ledger
  printf '1.0\n1.1\nnonsense\n1.0 17.0' >lines
  status=0
  pawl check taxi --stdin <lines >out 2>err || status=$?
  same "$status" 65
  same "$(wc -l <out | tr -d ' ')" 4
  same "$(grep -c '"error"' out)" 1
  is_empty err
}
it "check --stdin answers every line, the bad one in its place" input_is_streamed

finish
