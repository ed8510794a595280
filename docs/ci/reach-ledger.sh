#!/usr/bin/env bash
# Puts pawl on the PATH of a pipeline, and the key and the host of the ledger where ssh finds them; needs no root.
#
# PAWL_URL and PAWL_SHA256 name the archive of a release (left out where pawl is installed already), PAWL_SSH_KEY is the
# private key that may publish and mark, PAWL_KNOWN_HOSTS the ledger's host key (ssh-keyscan, compared by a person once).
set -euo pipefail
umask 077

bin=${RUNNER_TEMP:-${TMPDIR:-/tmp}}/pawl-bin
if [ -n "${PAWL_URL:-}" ]; then
  echo "pawl: fetching $PAWL_URL"
  mkdir -p "$bin"
  curl -fsSL --retry 3 -o "$bin/archive" "$PAWL_URL"
  sum=$( (sha256sum "$bin/archive" 2>/dev/null || shasum -a 256 "$bin/archive") | cut -d' ' -f1)
  if [ "$sum" != "${PAWL_SHA256:-}" ]; then
    rm -f "$bin/archive"
    echo "the archive at $PAWL_URL has the SHA-256 $sum, not ${PAWL_SHA256:-that of PAWL_SHA256}" >&2
    exit 1
  fi
  tar -xzf "$bin/archive" -C "$bin" --strip-components 1 pawl/pawl
  rm -f "$bin/archive"
  echo "pawl: $("$bin/pawl" --version) is in $bin"
  # Each step of GitHub Actions has an environment of its own.
  if [ -n "${GITHUB_PATH:-}" ]; then echo "$bin" >>"$GITHUB_PATH"; fi
fi

if [ -n "${PAWL_SSH_KEY:-}" ]; then
  echo "pawl: the ledger's key and host go to ~/.ssh"
  mkdir -p ~/.ssh
  printf '%s\n' "$PAWL_SSH_KEY" >~/.ssh/id_ed25519
  printf '%s\n' "$PAWL_KNOWN_HOSTS" >>~/.ssh/known_hosts
fi
