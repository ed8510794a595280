# docs/clients/PawlClient.swift, compiled and asked through a web server: it says what 'check' says, and prompts nobody in
# doubt; the clients of other pages; and documents signed by pawl, held against other people's libraries.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

ask=$tests_folder/ask

compile_client() {
  needs swiftc
  local page=$tests_root/docs/clients apple=$tests_root/Tests/shell/apple modes mode name system file
  [ "$(wc -l <"$page/PawlClient.swift")" -lt 420 ]
  # The pages' blocks in Swift, each a file; nothing but Apple's compiler knows @objc.
  awk '/^```swift/ { file = "block" ++count ".swift"; print "#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif" >file; next } /^```/ { file = "" } file { gsub(/@objc(\([A-Za-z]*\))? /, ""); print >file }' \
    "$page"/*.md
  [ -e block6.swift ]
  for name in UIKit StoreKit SwiftUI AppKit; do
    swiftc -swift-version 6 -parse-as-library -emit-module -module-name "$name" -I . -o "$name.swiftmodule" "$apple/$name.swift"
  done
  modes=("-swift-version 5" "-swift-version 6" "-swift-version 6 -default-isolation MainActor")
  modes+=("${modes[2]} -enable-upcoming-feature NonisolatedNonsendingByDefault")
  modes+=("-swift-version 6 -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility")
  for mode in "${modes[@]}"; do
    # shellcheck disable=SC2086
    swiftc $mode -warnings-as-errors -parse-as-library -emit-module -emit-library -static -module-name PawlUpdates \
      -o libPawlUpdates.a "$page/PawlClient.swift"
    # shellcheck disable=SC2086
    swiftc $mode -warnings-as-errors -parse-as-library -typecheck -I . "$page/PawlClient.swift" block*.swift
  done
  # The page's own test, which replaces 'fetch'.
  echo '@main struct Run { static func main() async throws { try await testForcedVersion() } }' >run.swift
  swiftc -swift-version 6 -warnings-as-errors -parse-as-library -o run "$page/PawlClient.swift" "$(grep -l testForcedVersion block*.swift)" run.swift
  ./run
  # The view in SwiftUI, on a phone and on a watch: a reminder under a sheet waits, and counts once it was answered.
  swiftc -swift-version 6 -parse-as-library -emit-module -emit-library -static -module-name SwiftUI -I . -o libSwiftUI.a \
    "$apple/SwiftUI.swift"
  for system in watchOS Linux; do
    for file in "$(grep -l 'struct UpdateView' block*.swift)" "$apple/UpdateViewTest.swift"; do
      sed "s/os(watchOS)/os($system)/" "$file"
      echo
    done >view.swift
    swiftc -swift-version 6 -parse-as-library -I . -o run "$page/PawlClient.swift" view.swift libSwiftUI.a
    ./run
  done
  # The block in Objective-C, with what Xcode writes of the class above it.
  cat >Taxi-Swift.h <<'END'
@class NSString, NSURL;
typedef signed char BOOL;
#define nil ((void *)0)
__attribute__((objc_root_class)) @interface PawlGate
+ (void)prompt:(void (^)(NSURL *, BOOL, NSString *))done;
@end
@interface Screen : PawlGate
- (void)showUpdate:(NSURL *)url forced:(BOOL)forced notes:(NSString *)notes;
@end
END
  block objc 1 clients/objective-c | sed -e '/^\[/i @implementation Screen\n- (void)showUpdate:(NSURL *)url forced:(BOOL)forced notes:(NSString *)notes {}\n- (void)start {' >gate.m
  printf '}\n@end\n' >>gate.m
  clang -Werror -fsyntax-only -fblocks gate.m
  swiftc -swift-version 6 -warnings-as-errors -parse-as-library -I . -I "$tests_root/Sources/CLibcrypto" -o "$ask" \
    "$tests_root/Tests/shell/AskPawl.swift" libPawlUpdates.a
}
it "the client and the code of its pages compile without a warning in each language mode" compile_client

needs_client() {
  [ -x "$ask" ] || skip "there is no client to ask"
  needs_keys
}

needs_keys() {
  needs python3 openssl
  local key
  pawl init --ledger keys.db >/dev/null
  for key in one two; do pawl key new --ledger keys.db "$key.key" >/dev/null 2>&1; done
  export PYTHONDONTWRITEBYTECODE=1
}

agrees() {
  needs_client
  python3 "$tests_root/Tests/shell/clients.py" agree "$ask" "$pawl_program" one.key "${PAWL_SEED:-9}"
}
it "the client concludes what 'check' says for random ledgers, versions, systems and moments" agrees

others_agree() {
  needs node
  needs_keys
  awk '/^```js/ { inside = 1; next } /^```/ { inside = 0 } inside' "$tests_root/docs/clients/others.md" >app.mjs
  cp "$tests_root/Tests/shell/others.mjs" .
  python3 "$tests_root/Tests/shell/clients.py" others others.mjs "$pawl_program" one.key "${PAWL_SEED:-9}"
}
it "the clients of the page on other clients conclude what 'check' says, or nothing" others_agree

reference_agrees() {
  needs_keys
  python3 "$tests_root/Tests/shell/clients.py" reference - "$pawl_program" one.key "${PAWL_SEED:-9}"
}
it "the reference client says what 'check' says, without a new export" reference_agrees

# Makes a ledger whose version 1.0 is forced, and runs one case against a client of it.
client_case() {
  needs_client
  make_ledger
  pawl setting taxi map paid --yes >/dev/null
  pawl force taxi below:1.1 --reason "bad bug" --yes >/dev/null
  python3 "$tests_root/Tests/shell/clients.py" "$case" "$ask" "$pawl_program" one.key two.key
}
while read -r case sentence; do it "$sentence" client_case; done <<'CASES'
network a redirect to another host, an endless, cut or slow body, 404 or 500 prompts no client, and the last answer stays
cadence a reminder comes once, once a day or always
rollback rollback: an older document of the same ledger prompts no client
freeze freeze: a document past its time prompts no client, by the server's clock or the device's
key-rotation key rotation: two keys are valid for a while, then only the new one
fast-forward fast-forward: what a stolen key signed is forgotten when the key is removed
duplicate-keys duplicate keys: a header with anything but its three members prompts no client
wrong-signature wrong signature: a document that no trusted key signed prompts no client
mix-and-match mix-and-match: a document of another app, version or kind prompts no client
sandbox in Apple's sandbox no client is prompted, whatever it reads
malformed what is no version of a system is told nothing
no-page a page that is not a store page is not opened
CASES

signed_documents() {
  make_ledger
  pawl force taxi below:1.1 --reason "bad bug" --yes >/dev/null
  pawl key new documents.key >/dev/null 2>&1
  pawl export documents --format v1 --format v1-signed --sign documents.key --json >report
}

pyjwt() {
  local python
  python=$(python_with jwt) || skip "there is no PyJWT for Python here"
  signed_documents
  "$python" - <<'END'
import glob, json, jwt
key = json.load(open("report"))["key"]
files = glob.glob("documents/v1-signed/taxi/*.jws")
assert len(files) == 4, files
for file in files:
    token = open(file).read()
    header = jwt.get_unverified_header(token)
    assert header == {"alg": "EdDSA", "kid": key["kid"], "typ": "pawl+jws"}, header
    said = jwt.decode(token, jwt.PyJWK(key).key, algorithms=["EdDSA"], audience="taxi", options={"require": ["exp", "iat", "aud"]})
    assert said["exp"] - said["iat"] == 7 * 86_400
    plain = json.load(open(file.replace("v1-signed", "v1").replace(".jws", ".json")))
    assert {name: said[name] for name in plain} == plain
    assert set(said) - set(plain) - {"ledger"} == {"aud", "exp", "iat"}
    try:
        jwt.decode(token[:-8] + "AAAAAAAA", jwt.PyJWK(key).key, algorithms=["EdDSA"], audience="taxi")
        raise SystemExit("a wrong signature was taken")
    except jwt.InvalidSignatureError:
        pass
END
}
it "PyJWT verifies every signed document" pyjwt

joserfc() {
  local python
  python=$(python_with joserfc) || skip "there is no joserfc for Python here"
  signed_documents
  "$python" - <<'END'
import glob, json
from joserfc import jws, jwk
key = json.load(open("report"))["key"]
public = jwk.OKPKey.import_key(key)
assert public.thumbprint() == key["kid"]
files = glob.glob("documents/v1-signed/taxi/*.jws")
assert len(files) == 4, files
for file in files:
    signed = jws.deserialize_compact(open(file).read(), public, algorithms=["EdDSA", "Ed25519"])
    assert json.loads(signed.payload)["aud"] == "taxi"
END
}
it "joserfc verifies every signed document" joserfc

finish
