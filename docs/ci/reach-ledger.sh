#!/usr/bin/env bash
# Puts pawl on the PATH of a pipeline, and the key and the host of the ledger where ssh finds them; needs no root.
#
# PAWL_URL and PAWL_SHA256 name the archive of a release (left out where pawl is installed already), PAWL_SSH_KEY is the
# private key that may publish and mark, PAWL_KNOWN_HOSTS the ledger's host key (ssh-keyscan, compared by a person once).
# Prints the folder of the program last; nobody else can write there.
set -euo pipefail
umask 077

if [ -n "${PAWL_SSH_KEY:-}" ]; then
  mkdir -p ~/.ssh
  key=~/.ssh/id_ed25519
  # Somebody's own key stays as it is, and so does what a link leads to.
  if [ -L "$key" ] || { [ -e "$key" ] && [ "$(cat "$key")" != "$(printf %s "$PAWL_SSH_KEY")" ]; }; then
    echo "$key is another key: run the pipeline as an account of its own" >&2
    exit 1
  fi
  [ -e "$key" ] || (set -o noclobber && printf '%s\n' "$PAWL_SSH_KEY" >"$key")
  while IFS= read -r line; do
    grep -qsxF -e "$line" ~/.ssh/known_hosts || printf '\n%s\n' "$line" >>~/.ssh/known_hosts
  done <<<"$PAWL_KNOWN_HOSTS"
  echo "pawl: the ledger's key and host are in ~/.ssh" >&2
fi

if [ -n "${PAWL_URL:-}" ]; then
  echo "pawl: fetching $PAWL_URL" >&2
  bin=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/pawl-bin.XXXXXX")
  curl -fsSL --retry 3 -o "$bin/archive" "$PAWL_URL"
  sum=$( (sha256sum "$bin/archive" 2>/dev/null || shasum -a 256 "$bin/archive") | cut -d' ' -f1)
  if [ "$sum" != "${PAWL_SHA256:-}" ]; then
    rm -rf "$bin"
    echo "the archive at $PAWL_URL has the SHA-256 $sum, not ${PAWL_SHA256:-that of PAWL_SHA256}" >&2
    exit 1
  fi
  tar -xzf "$bin/archive" -C "$bin" --no-same-owner --strip-components 1 pawl/pawl
  rm -f "$bin/archive"
  echo "pawl: $("$bin/pawl" --version) is in $bin" >&2
  # Each step of GitHub Actions has an environment of its own.
  if [ -n "${GITHUB_PATH:-}" ]; then echo "$bin" >>"$GITHUB_PATH"; fi
  echo "$bin"
fi
