#!/usr/bin/env bash
# Puts the pawl of the release TAG on the PATH of a job: the archive for this system, which must have the sum PAWL_SHA256.
set -euo pipefail

system=$(uname -s | tr '[:upper:]' '[:lower:]') architecture=$(uname -m)
# One archive serves both kinds of Mac.
if [ "$system" = darwin ]; then architecture=universal; fi
releases=${GITHUB_SERVER_URL:-https://github.com}/${GITHUB_ACTION_REPOSITORY:-OWNER/pawl}/releases/download
export PAWL_URL=${ARCHIVE:-$releases/$TAG/pawl-${TAG#v}-$system-$architecture.tar.gz}
exec bash "$(dirname "${BASH_SOURCE[0]}")/../../../docs/ci/reach-ledger.sh"
