#!/usr/bin/env bash
# Prints what a release has linked in, as an SPDX 2.3 document: make-spdx.sh PROGRAM
#
# Run it on the machine that built the program: the versions are those of the libraries that are installed there. On macOS
# SQLite and Swift's runtime are the system's, and only libcrypto is linked in.
set -euo pipefail

[ $# = 1 ] && [ -x "$1" ] || { echo "usage: make-spdx.sh PROGRAM" >&2; exit 64; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=$("$1" --version | cut -d' ' -f2)
digest=$( (sha256sum "$1" 2>/dev/null || shasum -a 256 "$1") | cut -d' ' -f1)
moment=${SOURCE_DATE_EPOCH:-$(git -C "$root" -c safe.directory='*' log -1 --format=%ct 2>/dev/null || echo 0)}
created=$(date -u -d "@$moment" +%Y-%m-%dT%H:%M:%SZ 2>/dev/null || date -u -r "$moment" +%Y-%m-%dT%H:%M:%SZ)
swift=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' | head -1)

# The version of the Debian package that a static library belongs to.
debian() { dpkg-query -W -f='${Version}' "$1" 2>/dev/null; }
library_of() { dpkg -S "$(readlink -f "$(gcc -print-file-name="$1")")" 2>/dev/null | cut -d: -f1; }

packages="" relations=""
# Adds a package: its id, name, version, licence (SPDX), and purl (github.com/package-url/purl-spec).
add() {
  local version=${3:-NOASSERTION}
  packages+=",{\"SPDXID\":\"SPDXRef-$1\",\"name\":\"$2\",\"versionInfo\":\"$version\",\"downloadLocation\":\"NOASSERTION\""
  packages+=",\"filesAnalyzed\":false,\"licenseConcluded\":\"NOASSERTION\",\"licenseDeclared\":\"$4\",\"copyrightText\":\"NOASSERTION\""
  packages+=",\"externalRefs\":[{\"referenceCategory\":\"PACKAGE-MANAGER\",\"referenceType\":\"purl\",\"referenceLocator\":\"$5\"}]}"
  relations+=",{\"spdxElementId\":\"SPDXRef-pawl\",\"relationshipType\":\"STATIC_LINK\",\"relatedSpdxElement\":\"SPDXRef-$1\"}"
}

if [ "$(uname)" = Linux ]; then
  sqlite=$(debian libsqlite3-dev) openssl=$(debian libssl-dev) libc=$(debian libc6-dev)
  stdcxx=$(library_of libstdc++.a)
  add sqlite SQLite "$sqlite" blessing "pkg:deb/debian/sqlite3@$sqlite"
  add libcrypto "OpenSSL libcrypto" "$openssl" Apache-2.0 "pkg:deb/debian/openssl@$openssl"
  add swift "Swift runtime" "$swift" Apache-2.0 "pkg:github/swiftlang/swift@swift-$swift-RELEASE"
  add glibc "GNU C Library" "$libc" LGPL-2.1-or-later "pkg:deb/debian/glibc@$libc"
  add libstdcxx "GNU libstdc++ and libgcc" "$(debian "$stdcxx")" "GPL-3.0-or-later WITH GCC-exception-3.1" \
    "pkg:deb/debian/${stdcxx:-libstdc++-dev}@$(debian "$stdcxx")"
else
  openssl=$(brew list --versions openssl@3 2>/dev/null | cut -d' ' -f2)
  add libcrypto "OpenSSL libcrypto" "$openssl" Apache-2.0 "pkg:brew/openssl@3@$openssl"
fi

cat <<JSON
{"spdxVersion":"SPDX-2.3","dataLicense":"CC0-1.0","SPDXID":"SPDXRef-DOCUMENT","name":"pawl-$version",
"documentNamespace":"https://pawl.example.com/spdx/pawl-$version-$digest",
"creationInfo":{"created":"$created","creators":["Tool: make-spdx.sh"]},
"packages":[{"SPDXID":"SPDXRef-pawl","name":"pawl","versionInfo":"$version","downloadLocation":"NOASSERTION",
"filesAnalyzed":false,"licenseConcluded":"NOASSERTION","licenseDeclared":"NOASSERTION","copyrightText":"NOASSERTION",
"checksums":[{"algorithm":"SHA256","checksumValue":"$digest"}]}$packages],
"relationships":[{"spdxElementId":"SPDXRef-DOCUMENT","relationshipType":"DESCRIBES","relatedSpdxElement":"SPDXRef-pawl"}$relations]}
JSON
