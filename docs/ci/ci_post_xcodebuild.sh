#!/bin/sh
# ci_scripts/ci_post_xcodebuild.sh of an app: Xcode Cloud runs it after each action of a workflow.
#
# Records the version that was archived. Put reach-ledger.sh beside it; what that needs are variables of the workflow, with
# the archive for macOS (darwin-universal) as PAWL_URL, and PAWL_LEDGER and the app's slug, PAWL_APP. To know before an hour
# of building whether the ledger would take the version, put 'pawl next "$PAWL_APP" --check VERSION' into
# ci_pre_xcodebuild.sh in the same way.
set -eu

# Only an archive that was made is a release; tests and analyses are none.
[ "${CI_XCODEBUILD_ACTION:-}" = archive ] || exit 0
[ "${CI_XCODEBUILD_EXIT_CODE:-1}" = 0 ] || exit 0
[ -n "${CI_ARCHIVE_PATH:-}" ] || exit 0

property() { plutil -extract "ApplicationProperties.$1" raw -o - "$CI_ARCHIVE_PATH/Info.plist"; }
version=$(property CFBundleShortVersionString)
build=$(property CFBundleVersion)

bin=$(bash "$(dirname "$0")/reach-ledger.sh")
PATH=${bin:+$bin:}$PATH

# The number of the build is one for all attempts at it; a build that is started anew is another release.
request="xcode-cloud-$CI_WORKFLOW_ID-$CI_BUILD_NUMBER"
echo "pawl: recording $PAWL_APP $version, build $build, in $PAWL_LEDGER"
pawl publish "$PAWL_APP" "$version" --build "$build" --reason "Xcode Cloud build $CI_BUILD_NUMBER" \
  --request-id "$request-publish"
echo "pawl: what going live will change"
pawl mark "$PAWL_APP" "$version" live --dry-run --yes
