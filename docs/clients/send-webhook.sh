#!/usr/bin/env bash
# Signs what comes on standard input as Standard Webhooks asks for, and posts it. See docs/push.md.
#
#   send-webhook.sh URL SECRET-FILE [ID]      posts it; an ID of an earlier try makes it the same message
#   send-webhook.sh --sign SECRET-FILE ID SECONDS   prints the signature and sends nothing
set -euo pipefail

usage() {
  sed -n 's/^#   //p' "${BASH_SOURCE[0]}" >&2
  exit 64
}
[ $# -ge 2 ] || usage

# openssl takes a key for an HMAC as an argument only, where every user of the machine could see it. So the two pads of
# RFC 2104 are made here; a secret has 24 to 64 bytes, and so never has to be hashed first.
read_key() {
  key=$(sed 's/^whsec_//' "$1" | tr -d '\n' | base64 -d | od -An -v -tx1 | tr -d ' \n')
  if [ ${#key} -lt 48 ] || [ ${#key} -gt 128 ]; then
    echo "'$1' holds no secret of 24 to 64 bytes" >&2
    exit 65
  fi
}

pad() {
  local index byte bytes=""
  for ((index = 0; index < 128; index += 2)); do
    byte=${key:index:2}
    printf -v byte '\\x%02x' $((0x${byte:-00} ^ $1))
    bytes+=$byte
  done
  printf '%b' "$bytes"
}

# The HMAC-SHA256 of 'ID.SECONDS.' and a file.
signature() {
  {
    pad 0x5c
    { pad 0x36 && printf '%s.%s.' "$1" "$2" && cat "$3"; } | openssl dgst -sha256 -binary
  } | openssl dgst -sha256 -binary | base64
}

body=$(mktemp "${TMPDIR:-/tmp}/webhook.XXXXXX")
trap 'rm -f "$body"' EXIT

if [ "$1" = --sign ]; then
  [ $# = 4 ] || usage
  read_key "$2"
  cat >"$body"
  echo "v1,$(signature "$3" "$4" "$body")"
  exit
fi

[ $# -le 3 ] || usage
read_key "$2"
cat >"$body"
id=${3:-msg_$(openssl rand -hex 16)}
seconds=$(date +%s)
echo "webhook-id: $id" >&2
curl --silent --show-error --fail --max-time 30 --header 'Content-Type: application/json' --header "webhook-id: $id" \
  --header "webhook-timestamp: $seconds" --header "webhook-signature: v1,$(signature "$id" "$seconds" "$body")" \
  --data-binary "@$body" "$1"
