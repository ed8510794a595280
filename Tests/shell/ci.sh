# The pipelines of docs/ci, run as far as they go without Apple's tools.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

kit=$tests_root/docs/ci

# A ledger with an app at 1.1, and a folder of programs: pawl, and stand-ins for what builds.
set_up() {
  make_ledger
  mkdir bin docs home
  ln -s "$kit" docs/ci
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$pawl_program" >bin/pawl
  printf '#!/bin/sh\necho "$@" >>built\n' >bin/bundle
  chmod +x bin/*
  export PATH=$PWD/bin:$PATH HOME=$PWD/home PAWL_LEDGER=$PWD/pawl.db PAWL_KNOWN_HOSTS="ledger.example.com ssh-ed25519 AAAA"
}

# What every pipeline leaves: 1.2 published and waiting, once each.
recorded_once() {
  same "$(pawl history taxi --kind release.publish --json | grep -o '"kind":"release.publish"' | wc -l | tr -d ' ')" 1
  same "$(pawl history taxi --version 1.2 --kind release.mark --json | grep -o '"to":"waiting"\|"state":"waiting"' | sort -u | wc -l | tr -d ' ')" 1
  pawl show taxi 1.2 --json >shown
  has shown '"state":"waiting"'
  has shown '"build":"1"'
  pawl verify >/dev/null
}

github() {
  needs jq
  python=$(python_with yaml) || skip "there is no python3-yaml here"
  set_up
  ends_with 0 "$python" "$tests_root/Tests/shell/ci.py" github "$kit/github-actions.yml" .
  recorded_once
  same "$(cat built)" "exec fastlane ios upload version:1.2 build:1"
  # The summary has the preview of going live as a table.
  has summary.md "from:1.1 below:1.2         1  none → remind"
  has home/.ssh/known_hosts ledger.example.com
  same "$(rights home/.ssh/id_ed25519)" 600
  # The job that records, tried again: the same answers, and nothing twice.
  local head
  head=$(events)
  ends_with 0 "$python" "$tests_root/Tests/shell/ci.py" github "$kit/github-actions.yml" . record
  has summary.md "This request was recorded earlier"
  same "$(events)" "$head"
  recorded_once
}
it "the workflow of GitHub Actions builds and records a release, and a retry records nothing twice" github

approved() {
  needs jq
  python=$(python_with yaml) || skip "there is no python3-yaml here"
  set_up
  pawl publish taxi 1.2 --yes >/dev/null
  pawl mark taxi 1.2 approved >/dev/null
  ends_with 0 "$python" "$tests_root/Tests/shell/ci.py" github "$kit/github-approved.yml" .
  has summary.md "1.2 is approved"
  CI_PROJECT_PATH=example/taxi CI_PIPELINE_ID=1 GITLAB_USER_LOGIN=alice RELEASE_APP=taxi RELEASE_VERSION=1.2 \
    ends_with 0 "$python" "$tests_root/Tests/shell/ci.py" gitlab "$kit/gitlab-ci.yml" . approved
  has approved.md "1.2 is approved"
}
it "the pipelines that a dispatch starts ask the ledger" approved

github_all_again() {
  needs jq
  python=$(python_with yaml) || skip "there is no python3-yaml here"
  set_up
  ends_with 0 "$python" "$tests_root/Tests/shell/ci.py" github "$kit/github-actions.yml" .
  # All jobs of the same run again ask for another version, and are refused before anything is recorded.
  local head
  head=$(events)
  ends_with 1 "$python" "$tests_root/Tests/shell/ci.py" github "$kit/github-actions.yml" .
  has err "request id"
  same "$(events)" "$head"
}
it "running all jobs of a run again is refused, as the page says" github_all_again

gitlab() {
  needs jq
  python=$(python_with yaml) || skip "there is no python3-yaml here"
  set_up
  export CI_PROJECT_PATH=example/taxi CI_PIPELINE_ID=815 GITLAB_USER_LOGIN=alice
  ends_with 0 "$python" "$tests_root/Tests/shell/ci.py" gitlab "$kit/gitlab-ci.yml" . version build record
  recorded_once
  has release.md "from:1.1 below:1.2         1  none → remind"
  same "$(cat built)" "exec fastlane ios upload version:1.2 build:1"
}
it "the pipeline of GitLab builds and records a release" gitlab

lane() {
  needs ruby
  set_up
  export PAWL_RUN=2026-11-21/1 PAWL_STATE=$PWD
  # The store says no at first; the next attempt goes on with the version that was asked for.
  FAILING=upload_to_app_store ends_with 1 ruby "$tests_root/Tests/shell/fastlane.rb" "$kit/Fastfile" release bump:minor
  ends_with 0 ruby "$tests_root/Tests/shell/fastlane.rb" "$kit/Fastfile" release bump:minor
  recorded_once
  has out "from:1.1 below:1.2         1  none → remind"
  same "$(grep -c 'increment_version_number version_number=1.2' actions)" 2
  has actions "upload_to_app_store submit_for_review=true automatic_release=false"
  ends_with 0 ruby "$tests_root/Tests/shell/fastlane.rb" "$kit/Fastfile" release bump:minor
  recorded_once
}
it "the lane of fastlane keeps its version from one attempt to the next" lane

# What the page reads out of a built app, by the system's own tools.
built() {
  needs python3
  set_up
  make_ipa() {
    python3 - "$@" <<'END'
import plistlib, sys, zipfile
def info(version, build, system=None):
    facts = {"CFBundleShortVersionString": version, "CFBundleVersion": build, "MinimumOSVersion": system}
    return plistlib.dumps({name: fact for name, fact in facts.items() if fact}, fmt=plistlib.FMT_BINARY)
with zipfile.ZipFile("taxi.ipa", "w") as ipa:
    ipa.writestr("Payload/Taxi.app/PlugIns/Widget.appex/Info.plist", info("9.9", "9", "9.0"))
    ipa.writestr("Payload/Taxi.app/Watch/Wrist.app/Info.plist", info("8.8", "8", "8.0"))
    ipa.writestr("Payload/Taxi.app/Info.plist", info(*sys.argv[1:]))
END
  }
  blocks "$kit/README.md" "Version, build and minimum OS of a built app" >found
  local read
  IFS= read -r -d '' read <found
  make_ipa 1.2 202610022047 16.0
  ends_with 0 bash -euo pipefail -c "$read"
  pawl show taxi 1.2 --json >shown
  has shown '"build":"202610022047"'
  has shown '"minOS":"16.0"'
  # An app without a minimum, and one whose build is no number but a command.
  make_ipa 1.3 202610022048
  ends_with 0 bash -euo pipefail -c "$read"
  make_ipa 1.4 '5 $(touch pwned)' 16.0
  ends_with 64 bash -euo pipefail -c "$read"
  [ ! -e pwned ]
}
it "the page's lines read version, build and minimum OS out of an .ipa" built

built_on_a_mac() {
  [ -x /usr/libexec/PlistBuddy ] || skip "there is no 'PlistBuddy' here"
  mkdir -p Taxi.xcarchive/Products/Applications/Taxi.app
  python3 -c 'import plistlib, sys; plistlib.dump({"CFBundleShortVersionString": "1.2", "CFBundleVersion": "7", "MinimumOSVersion": "16.0"}, sys.stdout.buffer)' \
    >Taxi.xcarchive/Products/Applications/Taxi.app/Info.plist
  blocks "$kit/README.md" "Version, build and minimum OS of a built app" >found
  local read
  { IFS= read -r -d '' read && IFS= read -r -d '' read; } <found
  same "$(bash -euo pipefail -c "$read"'; echo "$VERSION $BUILD $MIN_OS"')" "1.2 7 16.0"
}
it "the page's lines read the same out of an archive on a Mac" built_on_a_mac

xcode_cloud() {
  set_up
  cat >bin/plutil <<'PLUTIL'
#!/bin/sh
# plutil -extract KEYPATH raw -o - FILE
[ "$1 $3 $4 $5" = "-extract raw -o -" ] && [ "$6" = "archive.xcarchive/Info.plist" ] || exit 64
case "$2" in
  ApplicationProperties.CFBundleShortVersionString) echo 1.2 ;;
  ApplicationProperties.CFBundleVersion) echo 1 ;;
  *) exit 65 ;;
esac
PLUTIL
  chmod +x bin/plutil
  # Where no address is given, pawl is there already.
  export PAWL_APP=taxi PAWL_SSH_KEY=KEY CI_WORKFLOW_ID=0a1b CI_BUILD_NUMBER=12 CI_ARCHIVE_PATH=archive.xcarchive
  local head
  head=$(events)
  CI_XCODEBUILD_ACTION=build-for-testing CI_XCODEBUILD_EXIT_CODE=0 ends_with 0 sh "$kit/ci_post_xcodebuild.sh"
  CI_XCODEBUILD_ACTION=archive CI_XCODEBUILD_EXIT_CODE=65 ends_with 0 sh "$kit/ci_post_xcodebuild.sh"
  same "$(events)" "$head"
  export CI_XCODEBUILD_ACTION=archive CI_XCODEBUILD_EXIT_CODE=0
  ends_with 0 sh "$kit/ci_post_xcodebuild.sh"
  has out "1.1 "
  has out "pawl: recording taxi 1.2, build 1"
  ends_with 0 sh "$kit/ci_post_xcodebuild.sh"
  same "$(events)" "$((head + 1))"
  same "$(rights home/.ssh/id_ed25519)" 600
}
it "the script of Xcode Cloud records only an archive that was built" xcode_cloud

program() {
  needs curl
  set_up
  mkdir pawl
  cp "$pawl_program" pawl/
  tar -czf served.tar.gz pawl
  export PAWL_URL=file://$PWD/served.tar.gz GITHUB_PATH=$PWD/path RUNNER_TEMP=$PWD/temp
  mkdir temp
  PAWL_SHA256=0000 ends_with 1 bash "$kit/reach-ledger.sh"
  has err "not 0000"
  is_empty <(ls temp)
  PAWL_SHA256=$( (sha256sum served.tar.gz 2>/dev/null || shasum -a 256 served.tar.gz) | cut -d' ' -f1)
  export PAWL_SHA256
  ends_with 0 bash "$kit/reach-ledger.sh"
  has err "pawl: fetching file://"
  local folder
  folder=$(tail -n 1 out)
  same "$(cat path)" "$folder"
  same "$("$folder/pawl" --version)" "$(pawl --version)"
  same "$(rights "$folder")" 700
  # Nobody's own key is replaced, nor what a link leads to.
  export PAWL_SSH_KEY=KEY PAWL_KNOWN_HOSTS="host ssh-ed25519 AAAA" HOME=$PWD/other
  unset PAWL_URL
  mkdir -p other/.ssh && echo mine >other/.ssh/id_ed25519
  ends_with 1 bash "$kit/reach-ledger.sh"
  same "$(cat other/.ssh/id_ed25519)" mine
  rm other/.ssh/id_ed25519 && ln -s ../victim other/.ssh/id_ed25519
  ends_with 1 bash "$kit/reach-ledger.sh"
  [ ! -e other/victim ] && rm other/.ssh/id_ed25519
  ends_with 0 bash "$kit/reach-ledger.sh"
  # Also where the secret ends with a line feed, and each host's line counts by itself, whatever the file ended with.
  PAWL_SSH_KEY=$'KEY\n' && printf %s "other ssh-ed25519 BBBB" >other/.ssh/known_hosts
  ends_with 0 bash "$kit/reach-ledger.sh"
  PAWL_KNOWN_HOSTS+=$'\nhost ssh-ed25519 CCCC\n'
  ends_with 0 bash "$kit/reach-ledger.sh"
  same "$(grep . other/.ssh/known_hosts)" "$(printf '%s\n' "other ssh-ed25519 BBBB" "host ssh-ed25519 AAAA" "host ssh-ed25519 CCCC")"
  # Another account finds no folder to put a program into beforehand, and none to change afterwards.
  [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || return 0
  if setpriv --reuid 65534 --clear-groups test -w "$folder/pawl"; then return 1; fi
  if setpriv --reuid 65534 --clear-groups test -r "$folder/pawl"; then return 1; fi
}
it "the program is installed only if its checksum is right" program

key() {
  set_up
  # The line of the page, as sshd would run it.
  local command
  command=$(sed -n 's/^restrict,command="exec pawl \(.*\)" ssh-ed25519.*/\1/p' "$kit/README.md")
  command=${command/\/var\/lib\/pawl\/pawl.db/$PWD\/pawl.db}
  [ -n "$command" ]
  served() { SSH_ORIGINAL_COMMAND="pawl $*" pawl $command; }
  ends_with 0 served publish taxi 1.2 --yes --request-id r-1 --markdown
  ends_with 0 served mark taxi 1.2 waiting
  ends_with 0 served show taxi 1.2 --json
  ends_with 0 served next taxi --bump minor --json
  for words in "force taxi below:1.2 --reason x" "setting taxi k v" "stop taxi" "resume taxi" "void taxi 1.2" "app set taxi --policy force"; do
    # shellcheck disable=SC2086 # several words
    ends_with 77 served $words
  done
  # Not by a mandatory release either, whatever it agrees to.
  ends_with 1 served publish taxi 1.3 --yes --mandatory
  has err "this key cannot confirm anything"
}
it "the key of the page may publish and mark, but not force" key

# The action that asks, against an App Store Connect of the tests' own.
actions() {
  needs python3 curl
  python=$(python_with yaml) || skip "there is no python3-yaml here"
  local kept=$tests_root/.github/actions key
  for file in "$kept"/*/action.yml; do [ "$(wc -l <"$file")" -le 40 ]; done
  mkdir bin served
  echo ok >served/mode
  cat >served/answer.json <<'JSON'
{"data": [{"type": "appStoreVersions", "id": "a1", "attributes": {"platform": "IOS", "versionString": "7.4.0",
  "appVersionState": "READY_FOR_DISTRIBUTION"}}]}
JSON
  trap stop_service EXIT
  (cd served && exec python3 "$tests_root/Tests/shell/asc.py" serve "$PWD/requests") >port &
  service=$!
  soon [ -s port ]
  # The real program, which asks this machine in place of Apple.
  printf '#!/bin/bash\nset -- "$@"\nfor word; do [ "$word" = --asc ] && exec "%s" "$1" --endpoint http://127.0.0.1:%s "${@:2}"; done\nexec "%s" "$@"\n' \
    "$pawl_program" "$(cat port)" "$pawl_program" >bin/pawl
  chmod +x bin/pawl
  # The key of RFC 7515 §A.3, which is public.
  key=$(sed -n '/^-----BEGIN/,/^-----END/p' "$tests_root/Tests/shell/asc.sh" | head -5)
  act() { PATH=$PWD/bin:$PATH RUNNER_TEMP=$PWD "$python" "$tests_root/Tests/shell/ci.py" action "$kept/$1/action.yml" . apple-id=1524608462 "${@:2}"; }
  ends_with 0 act pawl-next "key=$key" key-id=K issuer=I
  same "$(cat outputs)" "$(printf 'version=7.4.1\nbuild=1')"
  ends_with 0 act pawl-next "key=$key" key-id=K check=7.5 build=9
  ends_with 1 act pawl-next "key=$key" key-id=K check=7.3
  echo 401 >served/mode
  ends_with 77 act pawl-next "key=$key" key-id=K
  # No key stays behind, whatever happened.
  [ -z "$(find . -name 'pawl-key.*')" ]
}
it "the action asks for the next version without a ledger" actions

# The program comes from a release's archive, on a runner that has none.
setup() {
  needs python3 curl
  python=$(python_with yaml) || skip "there is no python3-yaml here"
  local kept=$tests_root/.github/actions sum
  mkdir pawl
  cp "$pawl_program" pawl/
  tar -czf served.tar.gz pawl
  sum=$( (sha256sum served.tar.gz 2>/dev/null || shasum -a 256 served.tar.gz) | cut -d' ' -f1)
  act() { ARCHIVE=file://$PWD/served.tar.gz RUNNER_TEMP=$PWD "$python" "$tests_root/Tests/shell/ci.py" action "$kept/$1/action.yml" . "${@:2}"; }
  ends_with 1 act setup-pawl tag=v0.1.0 sha256=0000 "archive=file://$PWD/served.tar.gz"
  has err "not 0000"
  [ ! -e path ]
  ends_with 0 act setup-pawl tag=v0.1.0 "sha256=$sum" "archive=file://$PWD/served.tar.gz"
  same "$("$(cat path)/pawl" --version)" "$(pawl --version)"
  # The other fetches it by itself; pawl's own status shows that it ran: without a key file there is nothing to ask.
  rm path
  ends_with 1 act pawl-next apple-id=1 key=none key-id=K tag=v0.1.0 sha256=0000
  [ ! -e path ]
  ends_with 65 act pawl-next apple-id=1 key=none key-id=K tag=v0.1.0 "sha256=$sum"
  # Without a tag and without pawl, the step says that there is none.
  rm path
  ends_with 127 act pawl-next apple-id=1 key=none key-id=K
  has err "pawl: command not found"
}
it "an action sets up the pawl of a release, and the other uses it" setup

lint() {
  for script in "$kit"/*.sh; do bash -n "$script"; done
  if command -v shellcheck >/dev/null; then shellcheck "$kit"/*.sh; fi
}
it "the scripts have no syntax errors" lint

schemas() {
  [ -x "$tools/check-jsonschema" ] || skip "there is no check-jsonschema here"
  "$tools/check-jsonschema" --builtin-schema vendor.github-workflows "$kit"/github-*.yml "$tests_root"/.github/workflows/*.yml
  "$tools/check-jsonschema" --builtin-schema vendor.github-actions "$tests_root"/.github/actions/*/action.yml
  # Whoever moves a tag of somebody else's action changes nothing here.
  ! grep -hE '^ *(- )?uses:' "$kit"/*.yml "$tests_root"/.github/workflows/*.yml | grep -vE '@[0-9a-f]{40} # v[0-9.]+$'
  "$tools/check-jsonschema" --builtin-schema vendor.gitlab-ci --data-transform gitlab-ci "$kit/gitlab-ci.yml"
  # It would say so.
  sed 's/runs-on:/runs-onn:/' "$kit/github-actions.yml" >wrong.yml
  ! "$tools/check-jsonschema" --builtin-schema vendor.github-workflows wrong.yml >/dev/null
}
it "the workflows fit the schemas of GitHub and GitLab" schemas

# The steps of a workflow of this repository, with stand-ins for what they are about.
own_workflow() {
  needs dpkg-deb objcopy
  python=$(python_with yaml) || skip "there is no python3-yaml here"
  mkdir -p bin Tests .build/release program-arm64 program-x86_64
  ln -s "$tests_root/docs" "$tests_root/db" "$tests_root/README.md" .
  cp "$pawl_program" .build/release/pawl
  # As they come from the other jobs: without the right to be run.
  install -m 644 "$pawl_program" program-arm64/pawl
  install -m 644 "$pawl_program" program-x86_64/pawl
  local name
  for name in run fuzz faults bench; do printf '#!/bin/sh\necho "%s $@" >>ran\n' "$name" >"Tests/$name.sh"; done
  printf '#!/bin/sh\necho "mistakes $1" >>ran\n' >Tests/mistakes.py
  printf '#!/bin/sh\nprintf "%%s\\n" "$@" >gh\n' >bin/gh
  # A Mac's programs, as far as the jobs for a Mac use them.
  printf '#!/bin/sh\n[ "$RUNNER_OS" != macOS ] || [ "$1" != -s ] || exec echo Darwin\nexec %s "$@"\n' "$(command -v uname)" >bin/uname
  printf '#!/bin/sh\n[ "$1 $2" = "-create -output" ] && [ $# = 5 ] && exec cp "$4" "$3"\n' >bin/lipo
  cat >bin/brew <<'BREW'
#!/bin/sh
echo "$@" >>"${0%/*}/../brewed"
case "$1" in
  tap-new) mkdir -p tap/Formula ;;
  --repository) echo tap ;;
  bottle) echo bottle >pawl--0.1.0.arm64_sequoia.bottle.tar.gz ;;
esac
BREW
  chmod +x bin/* Tests/*
  export PATH=$PWD/bin:$PATH
}

own_release() {
  [ "$(uname)" = Linux ] || skip "releases are made on Linux"
  own_workflow
  local version
  version=$(pawl --version | cut -d' ' -f2)
  ends_with 0 env TAG="v$version" "$python" "$tests_root/Tests/shell/ci.py" github "$tests_root/.github/workflows/release.yml" .
  # What each job does first is what tests this file, without an option; on Linux it builds once more.
  same "$(cat ran)" "run 
run --only again
run "
  has gh --verify-tag
  has gh "dist/pawl_${version}_$(dpkg --print-architecture).deb"
  local name=pawl-$version-linux-$(uname -m)
  tar -xzf "dist/$name.tar.gz"
  same "$(pawl/pawl --version)" "pawl $version"
  cmp pawl/man/pawl.1 <(pawl/pawl --manual)
  (cd dist && sha256sum --quiet --check SHA256SUMS)
  same "$(wc -l <dist/SHA256SUMS | tr -d ' ')" 8
  # What is linked in is said of this very program, in a document that others read.
  has "dist/$name.spdx.json" "\"checksumValue\":\"$(sha256sum pawl/pawl | cut -d' ' -f1)\""
  has "dist/$name.spdx.json" "\"versionInfo\":\"$(dpkg-query -W -f='${Version}' libsqlite3-dev)\""
  ! grep -q '"versionInfo":"NOASSERTION"' "dist/$name.spdx.json"
  [ ! -x "$tools/pyspdxtools" ] || "$tools/pyspdxtools" -i "dist/$name.spdx.json"
  # The symbols are beside the program, and belong to it.
  [ -z "$(nm pawl/pawl 2>/dev/null)" ]
  [ "$(nm "dist/$name.debug" | grep -c pawl_main)" -ge 1 ]
  same "$(readelf -n pawl/pawl | grep 'Build ID')" "$(readelf -n "dist/$name.debug" | grep 'Build ID')"
  echo "measured: $(wc -c <pawl/pawl) bytes, symbols $(wc -c <"dist/$name.debug") bytes"
  # The formula has the sums of the archive for macOS and of the bottle, and where they will be.
  local file
  for file in "pawl-$version-darwin-universal.tar.gz" "pawl-$version.arm64_sequoia.bottle.tar.gz"; do
    has dist/pawl.rb "$(cd dist && sha256sum "$file" | cut -d' ' -f1)"
  done
  has dist/pawl.rb "url \"https://github.example.com/example/taxi/releases/download/v$version/pawl-$version-darwin-universal.tar.gz\""
  has brewed "install --build-bottle pawl/release/pawl"
  if command -v ruby >/dev/null; then ruby -c dist/pawl.rb >/dev/null; fi
  ends_with 1 "$tests_root/docs/packaging/make-sums.sh" dist v99.0.0
  has err "is not of version 99.0.0"
}
it "the release of this repository has programs, symbols, packages, a formula and checksums" own_release

own_ci() {
  own_workflow
  ends_with 0 "$python" "$tests_root/Tests/shell/ci.py" github "$tests_root/.github/workflows/ci.yml" .
  same "$(LC_ALL=C sort -u ran)" "bench --no-write
faults 
fuzz 1800
mistakes --seed
run 
run --full
run --only packages
run --only release"
  # The scripts know these options.
  "$tests_root/Tests/run.sh" --help >help
  has help "[--full]"
  "$tests_root/Tests/bench.sh" --help >help
  has help "--no-write"
}
it "the workflow of this repository runs a developer's tests, and at night the longer ones" own_ci

finish
