import Crypto
import JSON
import ReleaseModel
import TestSupport
import Testing

@testable import AppleIntake

@Suite struct ConnectTests {
  private func answer(_ state: String, old: String? = nil, more: String = "") -> String {
    let states = [
      state.isEmpty ? nil : "\"appVersionState\":\"\(state)\"", old.map { "\"appStoreState\":\"\($0)\"" },
    ].compactMap(\.self)
    return """
      {"data":[{"type":"appStoreVersions","id":"ad7e6298-2570","attributes":{"platform":"IOS",
      "versionString":"7.4.0","createdDate":"2026-10-02T03:04:05-07:00"\(states.map { ",\($0)" }.joined())},
      "relationships":{"build":{"data":{"type":"builds","id":"b1"}},
      "appStoreVersionPhasedRelease":{"data":{"type":"appStoreVersionPhasedReleases","id":"p1"}}}}],
      "included":[{"type":"builds","id":"b1","attributes":{"version":"512","minOsVersion":"16.0"}},
      {"type":"appStoreVersionPhasedReleases","id":"p1","attributes":{"phasedReleaseState":"PAUSED",
      "startDate":"2026-10-24T12:00:00.000+0000","totalPauseDuration":3,"currentDayNumber":2}}]\(more)}
      """
  }

  private func read(_ text: String, appleID: Int64? = 1_524_608_462) throws -> ConnectAnswer {
    try ConnectAnswer(Array(text.utf8), appleID: appleID)
  }

  @Test func `the latest build is found in any order, and a macOS build's system is read`() throws {
    func build(_ id: String, _ train: String, _ moment: String) -> String {
      """
      {"type":"builds","id":"\(id)","attributes":{"version":"\(id)","uploadedDate":"2026-10-0\(moment)"},
      "relationships":{"preReleaseVersion":{"data":{"type":"preReleaseVersions","id":"\(train)"}}}}
      """
    }
    let trains = ["7.4", "7.5"].map {
      #"{"type":"preReleaseVersions","id":"\#($0)","attributes":{"version":"\#($0)"}}"#
    }
    let moments = ["1T00:00:00Z", "2T23:00:00-07:00", "3T00:00:00Z"]
    let builds = zip(["11", "13", "12"], moments).map { build($0, $0 == "13" ? "7.5" : "7.4", $1) }
    for order in [builds, builds.reversed(), [builds[1], builds[2], builds[0]]] {
      let text =
        #"{"data":[\#(order.joined(separator: ","))],"included":[\#(trains.joined(separator: ","))]}"#
      let uploaded = try #require(try UploadedBuild(Array(text.utf8)))
      #expect(uploaded.version.text == "7.5" && uploaded.build.text == "13")
    }
    for (least, member, wanted) in [
      ("null", "lsMinimumSystemVersion", "12.0"), ("null", "computedMinMacOsVersion", "12.0"),
      ("null", "other", nil),
      (#""9.0""#, "lsMinimumSystemVersion", "12.0"), (#""13.0""#, "lsMinimumSystemVersion", "13.0"),
    ] {
      let mac = answer("IN_REVIEW").replacing("IOS", with: "MAC_OS").replacing(
        #""minOsVersion":"16.0""#, with: #""minOsVersion":\#(least),"\#(member)":"12.0""#)
      #expect(try read(mac).versions.first?.minOS?.text == wanted)
    }
  }

  @Test func `every state and its older name is mapped to a release state, and others to none`() throws {
    let expected: [(String, ReleaseState)] = [
      ("ACCEPTED", .approved), ("DEVELOPER_REJECTED", .withdrawn), ("IN_REVIEW", .inReview),
      ("INVALID_BINARY", .rejected), ("METADATA_REJECTED", .rejected), ("PENDING_APPLE_RELEASE", .approved),
      ("PENDING_DEVELOPER_RELEASE", .approved), ("PREPARE_FOR_SUBMISSION", .prepared),
      ("PROCESSING_FOR_DISTRIBUTION", .approved), ("READY_FOR_DISTRIBUTION", .live),
      ("READY_FOR_REVIEW", .prepared), ("REJECTED", .rejected), ("REPLACED_WITH_NEW_VERSION", .superseded),
      ("WAITING_FOR_EXPORT_COMPLIANCE", .waiting), ("WAITING_FOR_REVIEW", .waiting),
      ("PROCESSING_FOR_APP_STORE", .approved), ("READY_FOR_SALE", .live), ("PENDING_CONTRACT", .approved),
      ("PREORDER_READY_FOR_SALE", .approved), ("REMOVED_FROM_SALE", .removed),
      ("DEVELOPER_REMOVED_FROM_SALE", .removed),
    ]
    for (name, state) in expected {
      let version = try #require(try read(answer(name)).versions.first)
      #expect(version.state == state, "\(name)")
      #expect(try read(answer("", old: name)).versions.first?.state == state, "\(name)")
    }
    // The newer name counts where both are said.
    #expect(try read(answer("IN_REVIEW", old: "READY_FOR_SALE")).versions.first?.state == .inReview)
    #expect(try read(answer("NOT_APPLICABLE")).versions.first?.state == nil)
    #expect(try read(answer("")).versions.first?.state == nil)
  }

  @Test func `a version is read with its build, phase and dates, and its part reads the same`() throws {
    let version = try #require(try read(answer("IN_REVIEW")).versions.first)
    #expect(version.id == "ad7e6298-2570")
    #expect(version.platform == .iOS)
    #expect(version.version?.text == "7.4.0")
    #expect(version.build?.text == "512")
    #expect(version.minOS?.text == "16.0")
    #expect(version.datedAt?.text == "2026-10-02T10:04:05Z")
    #expect(version.phased?.phase == .paused)
    #expect(version.phased?.start?.text == "2026-10-24T12:00:00Z")
    #expect(version.phased?.pausedDays == 3)
    #expect(try ConnectAnswer(version.part, appleID: nil).versions == [version])
  }

  @Test func `malformed answers, errors and answers about another app are told apart`() throws {
    func fault(_ text: String) -> Refusal? {
      do throws(Refusal) {
        _ = try ConnectAnswer(Array(text.utf8), appleID: 1_524_608_462)
        return nil
      } catch {
        return error
      }
    }
    for text in [
      "", "{", "[]", "{}", #"{"data":{}}"#, #"{"data":[{"type":"apps","id":"1"}]}"#, #"{"data":[{}]}"#,
    ] {
      #expect(fault(text)?.key == "asc.malformed", "\(text)")
    }
    for said in [#"com.example.my_app"#, #"a.b","name":""#, #"a.b","sku":"a\tb"#] {
      let app = #"{"data":{"type":"apps","id":"7","attributes":{"bundleId":"\#(said)"}}}"#
      #expect(throws: Refusal.self) { try ConnectListing(app: JSON(parsing: app.utf8), [], appleID: 7) }
    }
    #expect(
      fault(
        #"{"errors":[{"status":"403","code":"FORBIDDEN_ERROR","title":"A required agreement has expired"}]}"#)
        == .connect(status: 403, title: "A required agreement has expired"))
    let foreign =
      #","links":{"self":"https://api.appstoreconnect.apple.com/v1/apps/99/appStoreVersions?x=1"}"#
    #expect(fault(answer("IN_REVIEW", more: foreign))?.values == ["appleID": "99"])
    let own =
      #","links":{"self":"https://api.appstoreconnect.apple.com/v1/apps/1524608462/appStoreVersions","next":"https://x"}"#
    #expect(try read(answer("IN_REVIEW", more: own)).next == "https://x")
  }

  @Test func `a token gives its scope, its issuer and its expiry`() throws {
    let key = try #require(ES256Key(pem: keyOfRFC7515))
    let scope = "GET /v1/apps/1524608462/appStoreVersions"
    let now = Timestamp(seconds: 1_528_407_600)
    for issuer in ["57246542-96fe-1a63-e053-0824d011072a", nil] {
      let token = try #require(
        ConnectToken.sign(key, keyID: "2X9R4HXF34", issuer: issuer, scope: [scope], at: now))
      let parts = token.split(separator: ".")
      try #require(parts.count == 3)
      let header = try JSON(parsing: try #require(Base64URL.decode(Array(parts[0].utf8))))
      let claims = try JSON(parsing: try #require(Base64URL.decode(Array(parts[1].utf8))))
      #expect(header == ["alg": "ES256", "kid": "2X9R4HXF34", "typ": "JWT"])
      #expect(claims["aud"] == "appstoreconnect-v1")
      #expect(claims["iat"]?.integer == 1_528_407_600)
      #expect(claims["exp"]?.integer == 1_528_407_900)
      #expect(claims["scope"] == [.string(scope)])
      #expect(claims["iss"]?.string == issuer)
      #expect(claims["sub"]?.string == (issuer == nil ? "user" : nil))
      let signature = try #require(Base64URL.decode(Array(parts[2].utf8)))
      #expect(signature.count == 64)
    }
  }

  @Test func `a provisioning profile gives the expiry of its build`() throws {
    let bytes = try Fixtures.read("Tests/Fixtures/profiles/embedded.mobileprovision")
    #expect(try ProvisioningProfile(bytes, file: "x").expires.text == "2027-01-15T09:30:00Z")
  }

  @Test(arguments: [
    ("<plist><dict><key>Name</key><string>x</string>KEY</dict></plist>", true),
    (
      "<plist><dict><key>Entitlements</key><dict><key>a</key><array><string>b</string></array></dict>KEY</dict></plist>",
      true
    ),
    ("<plist><dict>KEY<key>Entitlements</key><dict></dict></dict></plist>", true),
    ("<plist>\r\n<dict>\r\n\tKEY\r\n</dict></plist>", true),
    // Nobody's end, or another one's.
    ("<plist><dict></dict></plist>", false),
    ("<plist><dict><key>Entitlements</key><dict>KEY</dict></dict></plist>", false),
    ("<plist><array><dict>KEY</dict></array></plist>", false),
    ("<plist><dict><key>a</key><array>KEY</array></dict></plist>", false),
    ("KEY", false),
    ("<plist><dict>KEYKEY</dict></plist>", false),
    ("<plist><dict>KEY<key>Entitlements</key><dict>KEY</dict></dict></plist>", false),
    ("<plist><dict><!-- KEY --></dict></plist>", false),
    ("<plist><dict><key>a</key><string><![CDATA[KEY]]></string></dict></plist>", false),
    ("<plist><dict><key>a</key><string>&lt;key&gt;ExpirationDate&lt;/key&gt;</string></dict></plist>", false),
    ("bplist00\u{0}ExpirationDate", false), ("", false), ("<", false),
  ]) func `an expiry must be in the profile's top dictionary, exactly once`(_ list: String, _ isRead: Bool) {
    let key = "<key>ExpirationDate</key> <date>2027-01-15T09:30:00Z</date>"
    let text = list.split(separator: "KEY", omittingEmptySubsequences: false).joined(separator: key)
    #expect(
      ProvisioningProfile.expiry(in: Array(text.utf8)) == (isRead ? Timestamp(seconds: 1_800_005_400) : nil))
  }

  @Test(
    arguments: [
      ("<date>2027-01-15T09:30:00Z</date>", "2027-01-15T09:30:00Z"),
      ("\n<date>1999-01-01T00:00:00Z</date>", "1999-01-01T00:00:00Z"),
      ("<date>9999-12-31T23:59:59Z</date>", "9999-12-31T23:59:59Z"),
      ("<date>2028-02-29T00:00:00Z</date>", "2028-02-29T00:00:00Z"),
      ("<string>2027-01-15T09:30:00Z</string>", nil), ("<integer>1800005400</integer>", nil),
      ("<real>1.8e9</real>", nil),
      ("<data>MjAyNw==</data>", nil), ("<true/>", nil), ("<date/>", nil), ("<date></date>", nil),
      ("<date>2027-01-15</date>", nil), ("<date>2027-02-29T00:00:00Z</date>", nil),
      ("<date>2027-13-01T00:00:00Z</date>", nil), ("<date>12027-01-15T09:30:00Z</date>", nil),
      ("<date>-001-01-15T09:30:00Z</date>", nil), ("<date>2027-01-15T09:30:00.5Z</date>", nil),
      ("<date>2027-01-15T09:30:00+01:00</date>", nil), ("<date> 2027-01-15T09:30:00Z</date>", nil),
      ("<date>2027-01-15T09:30:00Z", nil), ("<date>2027-01-15T09:30:00Z</string>", nil),
      ("<date a=\"b\">2027-01-15T09:30:00Z</date>", nil), ("", nil),
    ] as [(String, String?)])
  func `the expiry of a profile must be a date as Apple writes it`(_ value: String, _ expected: String?) {
    let list = "<plist><dict><key>ExpirationDate</key>\(value)</dict></plist>"
    #expect(ProvisioningProfile.expiry(in: Array(list.utf8))?.text == expected)
    // Cut off anywhere it says nothing, or the same.
    for count in 0..<list.utf8.count {
      let found = ProvisioningProfile.expiry(in: Array(list.utf8.prefix(count)))?.text
      #expect(found == nil || found == expected)
    }
  }

  @Test func `a truncated, altered or unsigned profile is refused`() throws {
    let bytes = try Fixtures.read("Tests/Fixtures/profiles/embedded.mobileprovision")
    func fault(_ bytes: [UInt8]) -> Refusal? {
      do throws(Refusal) { _ = try ProvisioningProfile(bytes, file: "x") } catch { return error }
      return nil
    }
    #expect(fault([])?.key == "profile.not-signed")
    let bare = "<plist><key>ExpirationDate</key><date>2027-01-15T09:30:00Z</date></plist>"
    #expect(fault(Array(bare.utf8))?.key == "profile.not-signed")
    for count in stride(from: 1, to: bytes.count, by: 97) {
      #expect(fault(Array(bytes.prefix(count)))?.key == "profile.not-signed")
    }
    // A later year in the list, which the signature does not cover.
    let year = Array("2027-01-15".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: year) })
    var altered = bytes
    altered[place + 3] = UInt8(ascii: "8")
    #expect(fault(altered)?.key == "profile.not-signed")
  }

}
