#!/bin/sh
# ci_scripts/ci_post_xcodebuild.sh of an app: Xcode Cloud runs it after each action of a workflow.
#
# Records the version that was archived. PAWL_LEDGER, PAWL_KNOWN_HOSTS and the secret PAWL_SSH_KEY are variables of the
# workflow, PAWL_APP is the app's slug. To know before an hour of building whether the ledger would take the version, put
# 'pawl next "$PAWL_APP" --check VERSION' into ci_pre_xcodebuild.sh.
set -eu

# Only an archive that was made is a release; tests and analyses are none.
[ "${CI_XCODEBUILD_ACTION:-}" = archive ] || exit 0
[ "${CI_XCODEBUILD_EXIT_CODE:-1}" = 0 ] || exit 0
[ -n "${CI_ARCHIVE_PATH:-}" ] || exit 0

property() { plutil -extract "ApplicationProperties.$1" raw -o - "$CI_ARCHIVE_PATH/Info.plist"; }
version=$(property CFBundleShortVersionString)
build=$(property CFBundleVersion)

umask 077
mkdir -p ~/.ssh
printf '%s\n' "$PAWL_SSH_KEY" >~/.ssh/id_ed25519
printf '%s\n' "$PAWL_KNOWN_HOSTS" >>~/.ssh/known_hosts

# The number of the build is one for all attempts at it; a build that is started anew is another release.
request="xcode-cloud-$CI_WORKFLOW_ID-$CI_BUILD_NUMBER"
pawl publish "$PAWL_APP" "$version" --build "$build" --reason "Xcode Cloud build $CI_BUILD_NUMBER" \
  --request-id "$request-publish"
pawl mark "$PAWL_APP" "$version" live --dry-run --yes
