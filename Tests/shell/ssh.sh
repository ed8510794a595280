# A ledger on another host: a real sshd on this machine's loopback, run by whoever runs the tests, with keys of its own.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=Tests/shell/tmux.sh
. "$(dirname "${BASH_SOURCE[0]}")/tmux.sh"

# Starts a host whose ledger is $far, and makes 'ssh' reach it at $url without touching anybody's own settings.
start_host() {
  needs ssh ssh-keygen
  local sshd client try
  sshd=$(command -v sshd || echo /usr/sbin/sshd)
  [ -x "$sshd" ] || skip "there is no 'sshd' here"
  client=$(command -v ssh)
  mkdir -p host/bin me bin far
  ln -s "$pawl_program" host/bin/pawl
  ssh-keygen -q -t ed25519 -N '' -f host/key
  ssh-keygen -q -t ed25519 -N '' -f me/key
  # ${1:-} stands before the key: a forced command and the like.
  echo "${1:-}$(cat me/key.pub)" >host/authorized_keys
  # As root sshd wants this folder, which the system's own start makes.
  if [ "$(id -u)" = 0 ] && [ ! -d /run/sshd ]; then
    mkdir /run/sshd
    made_run=yes
  fi
  for try in $(seq 5); do
    port=$((20000 + RANDOM))
    # PATH, so that the shell over there finds the program under test.
    cat >host/config <<CONFIG
ListenAddress 127.0.0.1:$port
HostKey $PWD/host/key
AuthorizedKeysFile $PWD/host/authorized_keys
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitUserRC no
PrintMotd no
PrintLastLog no
SetEnv PATH=$PWD/host/bin:$PATH
CONFIG
    "$sshd" -D -e -f host/config 2>host/log &
    server=$!
    trap stop_host EXIT
    for _ in $(seq 100); do
      grep -q 'Server listening' host/log && break 2
      kill -0 "$server" 2>/dev/null || break
      sleep 0.05
    done
    [ "$try" != 5 ] || skip "sshd does not start here: $(tail -n 1 host/log)"
  done
  echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 host/key.pub)" >me/known_hosts
  cat >me/config <<CONFIG
IdentityFile $PWD/me/key
IdentitiesOnly yes
UserKnownHostsFile $PWD/me/known_hosts
GlobalKnownHostsFile /dev/null
BatchMode yes
ConnectTimeout 10
Host ledger.example.com
  HostName 127.0.0.1
  Port $port
  HostKeyAlias [127.0.0.1]:$port
CONFIG
  printf '%s\n' '#!/bin/sh' "exec '$client' -F '$PWD/me/config' \"\$@\"" >bin/ssh
  chmod +x bin/ssh
  PATH=$PWD/bin:$PATH
  far=$PWD/far/pawl.db
  url=ssh://$(id -un)@127.0.0.1:$port$far
}

stop_host() {
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  [ -z "${made_run:-}" ] || rmdir /run/sshd 2>/dev/null || true
}

# Puts in ssh's place a script that does what sshd does: one line for a shell.
fake_ssh() {
  mkdir -p bin
  printf '%s\n' '#!/bin/sh' 'for line; do :; done' 'exec sh -c "$line"' >bin/ssh
  chmod +x bin/ssh
  PATH=$PWD/bin:$PATH
}

far_ledger() {
  (cd far && make_ledger)
}

same_as_there() {
  start_host
  far_ledger
  ends_with 0 pawl --ledger "$url" check taxi 1.0 --at 2024-03-01T00:00:00Z
  (cd far && pawl check taxi 1.0 --at 2024-03-01T00:00:00Z) >there
  cmp out there
  is_empty err
  # The board has its moment in it, so both must be asked within a second.
  alike() {
    pawl status --ledger "$url" --json >out && (cd far && pawl status --json) >there && cmp -s out there
  }
  soon alike
  ends_with 0 env PAWL_LEDGER="ssh://ledger.example.com$far" "$pawl_program" app list
  has out taxi
  # Nothing of it is here.
  [ ! -e pawl.db ]
}
it "a command answers as it does on the host that has the ledger" same_as_there

streams() {
  start_host
  far_ledger
  awk 'BEGIN { for (i = 0; i < 200000; i++) print i % 3 "." i % 7 }' >lines
  pawl check taxi --stdin --ledger "$url" <lines >answers
  (cd far && pawl check taxi --stdin <../lines) >there
  cmp answers there
  printf '%s\n' version,released_at 2.0,2024-05-01T00:00:00Z |
    pawl import taxi - --yes --ledger "$url" >out
  has out "Imported 1 release"
  echo '{"en": "Faster\nstart", "de": "Startet schneller"}' |
    pawl publish taxi 3.0 --yes --notes - --ledger "$url" --json >out
  has out '"Faster\nstart"'
  # Who has seen enough ends it.
  pawl history --ledger "$url" | head -n 1 >out
  [ -s out ]
}
it "standard input and output of any length pass through" streams

nasty_words() {
  needs python3
  start_host
  far_ledger
  local reason="it's \$(touch x); \`id\` \\n \"two\"  blanks !! * ~ # é 🚕 'q' -- &|<>"
  PAWL_ACTOR="o'brien; touch y" pawl stop taxi --reason "$reason" --ledger "$url" --json >out
  (cd far && pawl history --limit 1 --json) >event
  REASON=$reason python3 -c '
import json, os, sys
event = json.loads(sys.stdin.readline())
event = event["events"][0]
assert event["reason"] == os.environ["REASON"], event
assert event["actor"]["claimed"] == "o'"'"'brien; touch y", event' <event
  pawl publish taxi 5.0 --yes --note en="two
lines; \$HOME" --ledger "$url" --json >out
  has out '"two\nlines; $HOME"'
  [ ! -e "$HOME/x" ] && [ ! -e "$HOME/y" ] && [ ! -e x ] && [ ! -e far/x ]
  mkdir "far/a b; touch z"
  ends_with 0 pawl init --ledger "ssh://ledger.example.com$PWD/far/a%20b;%20touch%20z/it's.db"
  [ -f "far/a b; touch z/it's.db" ]
}
it "every character of a word reaches the ledger, and no shell interprets it" nasty_words

random_words() {
  needs python3
  fake_ssh
  cat >there <<'SCRIPT'
#!/bin/sh
for word; do printf '%s\0' "$word"; done
SCRIPT
  chmod +x there
  PAWL_REMOTE=$PWD/there python3 - "$pawl_program" <<'PYTHON'
import os, random, subprocess, sys

seed = random.randrange(1 << 32)
source = random.Random(seed)
marks = "'\"\\$`!*?[]{}()<>|&;~#=%^-\n\t \r\x01\x7fé\u200d🚕aZ0"
for _ in range(300):
    text = "".join(source.choice(marks) for _ in range(source.randrange(1, 60))).encode()
    junk = bytes(source.randrange(1, 256) for _ in range(source.randrange(1, 60)))
    value = source.choice([text, junk])
    words = [b"publish", b"--ledger=ssh://host/x%20y", b"--note=en=" + value, b"--", b"taxi", b"1.0"]
    ran = subprocess.run([sys.argv[1]] + words, capture_output=True, env=dict(os.environ, PAWL_ACTOR=text))
    got = ran.stdout.split(b"\0")[:-1]
    # What is not UTF-8 is sent nowhere, as it is refused in any command.
    isText = value.decode(errors="replace").encode() == value
    assert ran.returncode == (0 if isText else 64), (seed, value, ran.stderr)
    wanted = [b"publish", b"--ledger=/x y", b"--note=en=" + value, b"--", b"taxi", b"1.0"] if isText else []
    assert got == wanted, (seed, wanted, got, ran.stderr)
print("seed", seed)
PYTHON
}
it "random words pass through a shell unchanged" random_words

forced() {
  start_host "restrict,command=\"PAWL_PRINCIPAL=alice exec $pawl_program serve-ssh --ledger '$PWD/far/pawl.db'\" "
  far_ledger
  ends_with 0 pawl --ledger ssh://ledger.example.com status
  has out taxi
  ends_with 0 env PAWL_ACTOR="it's me" "$pawl_program" stop taxi --reason "no; \$(id)" --ledger "ssh://ledger.example.com$far"
  (cd far && pawl history --limit 1 --json) >event
  has event '"reason":"no; $(id)"'
  has event "\"claimed\":\"it's me\""
  has event '"principal":"alice"'
  # By hand, without pawl at this end.
  ends_with 0 ssh ledger.example.com pawl check taxi 1.0
  ends_with 1 ssh ledger.example.com "pawl publish taxi 0.9 --yes --reason 'two words'"
  ends_with 77 pawl --ledger "ssh://ledger.example.com$PWD/far/other.db" status
  has err "this key is for another ledger"
  ends_with 77 ssh ledger.example.com "pawl status; id"
  has err "cannot run the command that came over ssh"
  ends_with 77 ssh ledger.example.com </dev/null
  ends_with 77 ssh ledger.example.com pawl export "$PWD/far/documents"
  has err "may not name files"
  ends_with 77 ssh ledger.example.com pawl import taxi /etc/passwd
  printf '%s\n' version,released_at 2.0,2024-05-01T00:00:00Z |
    pawl import taxi - --ledger ssh://ledger.example.com --yes >out
  has out "Imported 1 release"
  [ ! -e far/documents ] && [ ! -e far/x ]
}
it "a forced command runs pawl on its ledger, and nothing else" forced

allowed() {
  start_host "restrict,command=\"exec $pawl_program serve-ssh --ledger '$PWD/far/pawl.db' --principal ci --allow 'publish,mark,check,status,app list'\" "
  far_ledger
  (cd far && pawl init --ledger other.db && pawl app add secret --bundle-id com.example.secret --ledger other.db) >/dev/null
  PAWL_LEDGER=ssh://ledger.example.com
  export PAWL_LEDGER
  ends_with 0 pawl publish taxi 1.2
  ends_with 77 pawl force taxi below:2.0 --reason x --yes
  # What the client says of its own environment does not cross.
  PAWL_LEDGER=$PWD/far/other.db ends_with 0 ssh -o SendEnv=PAWL_LEDGER ledger.example.com pawl app list
  has out taxi
}
it "a key with --allow runs the commands listed, and nothing else" allowed

terminal() {
  start_host
  far_ledger
  open_terminal url="$url"
  trap 'stop_tmux; stop_host' EXIT
  on_fresh_screen "pawl app set taxi --policy force --ledger \$url; echo status \$?"
  wait_for "[y/N]"
  type_line "n"
  wait_for "status 1"
  wait_for "nothing was recorded"
  on_fresh_screen "pawl app set taxi --policy force --ledger \$url; echo status \$?"
  wait_for "[y/N]"
  type_line "y"
  wait_for "status 0"
  same "$(cd far && events)" 5
  # ssh itself has nothing to say.
  if screen | grep -q "Connection to"; then return 1; fi
  on_fresh_screen "pawl status --ledger \$url; echo status \$?"
  wait_for "status 0"
  screen -e >shown
  has shown "$(printf '\033')[32m"
  # Into a file goes what a file should get.
  on_fresh_screen "pawl check taxi --as-of 5 --ledger \$url >out; echo status \$?"
  wait_for "status 0"
  pawl check taxi --as-of 5 --ledger "$far" >there
  cmp out there
}
it "a question and colours reach the terminal, and a file gets neither colour nor CR" terminal

# Lets four keys in: three engineers, and CI with the list of docs/ci; whoever $as names is asked for.
start_team() {
  start_host
  (cd far && pawl init && pawl app add taxi --bundle-id com.example.taxi --apple-id 1) >/dev/null
  : >host/authorized_keys
  for name in ada ben cyd ci; do
    ssh-keygen -q -t ed25519 -N '' -C "$name@example.com" -f "me/$name"
    allow=''
    [ "$name" != ci ] || allow=" --allow $(sed -n 's/^restrict.*--allow \([a-z,]*\)".*/\1/p' "$tests_root/docs/ci/README.md")"
    echo "restrict,command=\"exec pawl serve-ssh --ledger $far --principal $name$allow\" $(cat "me/$name.pub")" \
      >>host/authorized_keys
  done
  printf '%s\n' '#!/bin/sh' "exec '$client_program' -F '$PWD/me/config' -i '$PWD/me/'\"\$as\" \"\$@\"" >bin/ssh
  sed -i '/^IdentityFile/d' me/config
  url=ssh://$(id -un)@127.0.0.1:$port
  export PAWL_LEDGER=$url
}

team() {
  client_program=$(command -v ssh)
  start_team
  as=ada
  export as
  for version in 7.2.0 7.3.0; do
    pawl publish taxi "$version" --yes >/dev/null
    pawl mark taxi "$version" live --visible-now --yes >/dev/null
  done
  for name in ada ben cyd; do pawl trust signer "$name@example.com" "$(cat "me/$name.pub")" >/dev/null; done
  pawl trust approvals 2 >/dev/null
  # CI publishes and marks, and nothing that forces; it can neither make nor apply a plan of anything else.
  as=ci
  pawl publish taxi 7.4.0 --yes >/dev/null
  pawl mark taxi 7.4.0 in-review >/dev/null
  ends_with 1 pawl publish taxi 8.0 --yes --mandatory --json
  has err approvals.required
  ends_with 77 pawl force taxi 7.2.0 --reason x
  ends_with 77 pawl trust approvals 0
  # An engineer makes a plan, two sign it, each with their own key and without a ledger.
  as=cyd
  ends_with 1 pawl force taxi 7.2.0 --reason crash --yes
  has err 'needs 2 approvals'
  pawl force taxi 7.2.0 --reason crash --plan - >change.plan
  ends_with 64 pawl force taxi 7.2.0 --reason crash --plan here
  (unset PAWL_LEDGER && pawl plan sign change.plan --key me/ada) >/dev/null
  ends_with 1 pawl plan apply - --json <change.plan
  has err approvals.required
  cp change.plan once.plan
  (unset PAWL_LEDGER && pawl plan sign change.plan --key me/ada && pawl plan sign change.plan --key me/ben) >/dev/null
  pawl plan show - <change.plan >shown
  has shown ada@example.com
  as=ci
  ends_with 77 pawl plan apply - <change.plan
  as=cyd
  pawl plan apply - <change.plan >applied
  ends_with 1 pawl plan apply - --json <change.plan
  has err plan.used
  # What was signed is what ssh-keygen finds signed.
  (unset PAWL_LEDGER && pawl plan show change.plan --bytes) >bytes
  python3 -c 'import json, sys
for number, one in enumerate(json.load(open("change.plan"))["signatures"]):
    open(f"sig{number}", "w").write(one["signature"])'
  printf 'ada %s\nben %s\n' "$(cut -d' ' -f1,2 me/ada.pub)" "$(cut -d' ' -f1,2 me/ben.pub)" >allowed
  ssh-keygen -Y verify -f allowed -I ada -n pawl-plan@v1 -s sig0 <bytes
  ssh-keygen -Y verify -f allowed -I ben -n pawl-plan@v1 -s sig1 <bytes
  if ssh-keygen -Y verify -f allowed -I ada -n pawl-plan@v1 -s sig1 <bytes; then return 1; fi
  python3 "$tests_root/docs/verify-ledger.py" "$far" >verified
  has verified '1 plans, each signed'
  pawl --ledger "$far" verify
  pawl --ledger "$far" history --limit 1 --json >event
  has event '"principal":"cyd"'
}
it "a change needs a plan that two of three engineers signed, and a CI key cannot get around it" team

# Every kind of key that ssh-keygen makes here signs, and what it signs is accepted and refused alike.
kinds() {
  needs ssh-keygen python3
  pawl init >/dev/null
  pawl app add taxi --bundle-id com.example.taxi >/dev/null
  pawl stop taxi --plan plan >/dev/null
  for kind in 'ed25519 256' 'ecdsa 256' 'ecdsa 384' 'ecdsa 521' 'rsa 2048'; do
    set -- $kind
    ssh-keygen -q -t "$1" -b "$2" -N '' -f "key-$1-$2"
    # At the same time as the next one is made, and perhaps signs.
    pawl plan sign plan --key "key-$1-$2" >/dev/null &
    pawl trust signer "$1-$2" "key-$1-$2.pub" >/dev/null
  done
  wait
  same "$(pawl plan show plan --json | grep -o '"name":"[^"]*"' | sort -u | wc -l)" 5
  # A key that an agent holds.
  eval "$(ssh-agent)" >/dev/null
  ssh-keygen -q -t ed25519 -N '' -f agent
  ssh-add -q agent
  mv agent agent.away
  pawl plan sign plan --key agent.pub >/dev/null
  kill "$SSH_AGENT_PID"
  same "$(grep -o 'BEGIN SSH SIGNATURE' plan | wc -l)" 6
  # Of another namespace it is none.
  pawl plan show plan --bytes >bytes
  ssh-keygen -q -Y sign -n file -f key-ed25519-256 <bytes >sig 2>/dev/null
  python3 - <<'PYTHON'
import json
plan = json.load(open("plan"))
plan["signatures"] = [{"key": " ".join(open("key-ed25519-256.pub").read().split()[:2]), "signature": open("sig").read()}]
json.dump(plan, open("foreign", "w"))
PYTHON
  ends_with 1 pawl plan apply foreign --json
  has err plan.altered
}
it "every kind of key signs, even one that ssh-agent holds, and another namespace is refused" kinds

independent() {
  needs ssh-keygen
  local python
  python=$(python_with sshsig) || skip "there is no sshsig for Python here"
  pawl init >/dev/null
  pawl app add taxi --bundle-id com.example.taxi >/dev/null
  pawl stop taxi --plan plan >/dev/null
  ssh-keygen -q -t ed25519 -N '' -f key
  pawl plan sign plan --key key >/dev/null
  "$python" - <<'PYTHON'
import io, json, sshsig
from sshsig import ssh_public_key
plan = json.load(open("plan"))
one = plan["signatures"][0]
message = json.dumps(plan["plan"], sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
sshsig.verify(io.BytesIO(message), one["signature"], [ssh_public_key.PublicKey.from_openssh_str(one["key"])], namespace="pawl-plan@v1")
try:
    sshsig.verify(io.BytesIO(message + b" "), one["signature"], [ssh_public_key.PublicKey.from_openssh_str(one["key"])], namespace="pawl-plan@v1")
except Exception:
    pass
else:
    raise SystemExit("it found an altered plan signed")
PYTHON
}
it "the Python package sshsig verifies a plan that pawl signed" independent

signals() {
  mkdir bin
  printf '%s\n' '#!/bin/sh' 'echo $$ >pid' 'exec sleep 60' >bin/ssh
  chmod +x bin/ssh
  export PATH=$PWD/bin:$PATH
  "$pawl_program" status --ledger ssh://host/x &
  local ours=$!
  soon [ -s pid ]
  kill -TERM "$ours"
  ends_with 143 wait "$ours"
  if kill -0 "$(cat pid)" 2>/dev/null; then return 1; fi
}
it "a signal to pawl ends ssh, too" signals

agent() {
  needs python3 ssh-keygen
  # Each time some; 'Tests/agent.py PAWL 5000' runs what the page of agents says.
  python3 "$tests_root/Tests/agent.py" "$pawl_program" 400 7 >figures || { cat figures; return 1; }
  sed 's/^/measured: /' figures
}
it "hostile commands through an agent's key make nothing stricter and send no one elsewhere" agent

finish
