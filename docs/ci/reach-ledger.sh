#!/usr/bin/env bash
# Puts pawl on the PATH of a pipeline, and the key and the host of the ledger where ssh finds them.
#
# PAWL_URL and PAWL_SHA256 name the program of a release (left out where pawl is installed already), PAWL_SSH_KEY is the
# private key that may publish and mark, PAWL_KNOWN_HOSTS the ledger's host key (ssh-keyscan, compared by a person once).
set -euo pipefail
umask 077

bin=${RUNNER_TEMP:-${TMPDIR:-/tmp}}/pawl-bin
if [ -n "${PAWL_URL:-}" ]; then
  mkdir -p "$bin"
  curl -fsSL --retry 3 -o "$bin/pawl" "$PAWL_URL"
  sum=$( (sha256sum "$bin/pawl" 2>/dev/null || shasum -a 256 "$bin/pawl") | cut -d' ' -f1)
  if [ "$sum" != "${PAWL_SHA256:-}" ]; then
    rm -f "$bin/pawl"
    echo "the program at $PAWL_URL has the SHA-256 $sum, not ${PAWL_SHA256:-that of PAWL_SHA256}" >&2
    exit 1
  fi
  chmod 755 "$bin/pawl"
  # Each step of GitHub Actions has an environment of its own.
  if [ -n "${GITHUB_PATH:-}" ]; then echo "$bin" >>"$GITHUB_PATH"; fi
fi

if [ -n "${PAWL_SSH_KEY:-}" ]; then
  mkdir -p ~/.ssh
  printf '%s\n' "$PAWL_SSH_KEY" >~/.ssh/id_ed25519
  printf '%s\n' "$PAWL_KNOWN_HOSTS" >>~/.ssh/known_hosts
fi
