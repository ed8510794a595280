# What is secret stays where it was: no command repeats it.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

canary=c4n4ry

try() { "$pawl_program" "$@" >>said 2>&1 || true; }

nowhere() {
  needs openssl
  # In files that are read, in the environment, and in the command that ssh was asked for.
  printf '%s-webhook' "$canary" >secret
  printf '%s' "$canary-not-a-key" >broken.pem
  openssl genrsa 1024 2>/dev/null >private.pem
  openssl pkey -in private.pem -pubout >public.pem 2>/dev/null
  mkdir -p evidence
  export SSH_CONNECTION="192.0.2.7 50000 192.0.2.1 22" SSH_ORIGINAL_COMMAND="pawl status # $canary-ssh"
  export PAWL_SECRET=$canary-secret PAWL_TOKEN=$canary-token PAWL_KEY=$canary-key
  export GITHUB_ACTIONS=true GITHUB_TOKEN=$canary-github ACTIONS_RUNTIME_TOKEN=$canary-runtime GITHUB_RUN_ID=7
  export GITHUB_SERVER_URL=https://user:$canary-url@git.example.com GITHUB_REPOSITORY=team/app GITHUB_ACTOR=octo
  export AWS_SECRET_ACCESS_KEY=$canary-aws SSH_AUTH_SOCK=/nowhere/$canary-agent
  make_ledger
  local body='{"data":{"type":"appStoreVersionAppVersionStateUpdated","id":"1"}}' signature
  signature=$(printf '%s' "$body" | openssl dgst -sha256 -hmac "$(cat secret)" | sed 's/.*= //')
  printf '%s' "$body" >body.json
  try ingest webhook taxi body.json --signature "hmacsha256=$signature" --secret-file secret
  try ingest webhook taxi body.json --signature "hmacsha256=00" --secret-file secret --json
  try ingest webhook taxi secret --signature "hmacsha256=00" --secret-file secret
  try ingest webhook taxi body.json --signature "hmacsha256=$signature" --secret-file "nowhere"
  try trust dkim example.com s1 --key broken.pem
  try trust dkim example.com s1 --key broken.pem --json
  try trust dkim example.com s1 --key private.pem
  try trust dkim example.com s1 --key public.pem
  try import taxi broken.pem
  try import taxi secret --json
  try publish taxi 2.0 --yes --notes nowhere
  try publish taxi 2.0 --yes --actor bot --reason why
  try mark taxi 2.0 live --yes --json
  try status
  try history --json
  try show 5
  try check taxi 1.0 --explain
  try doctor --json
  try export tree
  try export tree --json
  try status --ledger secret
  try status --ledger broken.pem --json
  [ "$(wc -l <said)" -gt 20 ]
  # The search finds what is there.
  grep -q "$canary" secret
  cat said pawl.db pawl.db-lock >everything
  [ ! -d tree ] || find tree -type f -exec cat {} + >>everything
  if grep -a -o ".\{0,60\}$canary.\{0,20\}" everything; then return 1; fi
  # Nor a line of the private key.
  sed -n '2p' private.pem >line
  if grep -a -F -f line everything; then return 1; fi
  if LC_ALL=C tr -d '\n' <everything | grep -a -c -F "BEGIN PRIVATE KEY"; then return 1; fi
}
it "no secret is in an answer, an error, the ledger, its lock or the documents" nowhere

# What a process list shows of a running command is what was typed: so no option takes a secret itself.
no_option() {
  pawl ingest webhook --help >out
  has out "--secret-file"
  if grep -E -- '--(secret|token|password|private-key) ' -r "$tests_root/docs/commands"; then return 1; fi
}
it "no option takes a secret itself as its value" no_option

finish
