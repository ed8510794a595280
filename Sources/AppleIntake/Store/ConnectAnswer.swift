package import Crypto
package import JSON
package import ReleaseModel

/// One version as App Store Connect describes it.
package struct ConnectVersion: Sendable, Equatable {
  /// The phased release of a version.
  package struct Phased: Sendable, Equatable {
    package let phase: ReleasePhase
    package let start: Timestamp?
    package let pausedDays: Int64
  }

  package let id: String
  /// As the answer spells it; empty if it names none.
  let platformText: String
  package var platform: ApplePlatform? { ConnectVersion.platform(platformText) }
  /// As the answer spells it.
  package let versionText: String
  package let version: Version?
  /// As the answer names it; empty if it names none.
  package let stateName: String
  package let state: ReleaseState?
  /// As the answer spells them.
  let buildText: String?
  let systemText: String?
  /// Whether Apple reviewed it for other marketplaces and the web alone, so that its own store never has it (App Store
  /// Connect Help, "Submit for Notarization").
  package let isNotarized: Bool
  package let phased: Phased?
  /// Whether the answer says that the version has no phased release.
  package let hasNoPhases: Bool
  /// When it was released, or else created, as far as the answer says.
  package let datedAt: Timestamp?
  package let part: [UInt8]

  package var build: Build? { buildText.flatMap { try? Build($0) } }
  package var minOS: Version? {
    systemText.flatMap { try? Version(system: $0) }.map { platform?.system($0) ?? $0 }
  }

  /// What of it cannot be read, as the answer spells it: `build '1b' of 7.4.0`.
  package var unread: [String] {
    func named(_ what: String, _ text: String) -> String {
      "\(what) '\(text.prefix(40))' of \(versionText.prefix(40))"
    }
    return [
      platform == nil ? named("platform", platformText) : nil,
      version == nil ? "version '\(versionText.prefix(40))'" : nil,
      state == nil ? named("state", stateName) : nil,
      build == nil ? buildText.map { named("build", $0) } : nil,
      minOS == nil ? systemText.map { named("minimum OS", $0) } : nil,
    ].compactMap(\.self)
  }
}

/// An answer of `GET /v1/apps/{id}/appStoreVersions?include=build,appStoreVersionPhasedRelease`.
///
/// App Store Connect API, "List All App Store Versions for an App"; JSON:API 1.1 for what is included.
package struct ConnectAnswer: Sendable, Equatable {
  package let versions: [ConnectVersion]
  package let next: String?

  /// The most bytes of one page; one of Apple's with 200 versions, the most per page, stays far below a
  /// megabyte.
  package static let maximumSize = 2 << 20
  /// The most bytes about one version; Apple sends some three thousand.
  package static let maximumPart = 1 << 16
  /// The most bytes about all versions; what is included once may belong to each of them.
  package static let maximumParts = 16 << 20

  /// - Parameter appleID: The app that was asked about; nil if no one knows.
  package init(_ bytes: [UInt8], appleID: Int64?) throws(Refusal) {
    try self.init(ConnectAnswer.tree(of: bytes), appleID: appleID)
  }

  /// The values of an answer, or of several that someone combined.
  package static func tree(of bytes: [UInt8]) throws(Refusal) -> JSON {
    do {
      return try JSON(parsing: bytes)
    } catch {
      throw .malformedAnswer("line \(error.line): \(error.reason)")
    }
  }

  /// Reads an answer from its values, without keeping them.
  package init(_ json: JSON, appleID: Int64?) throws(Refusal) {
    if let error = ConnectAnswer.error(in: json) {
      throw .connect(status: error.status ?? 0, title: error.title)
    }
    guard let data = json["data"]?.array else { throw .malformedAnswer("it has no list 'data'") }
    if let appleID, let link = json["links"]?["self"]?.string, let said = ConnectAnswer.appleID(in: link),
      said != String(appleID)
    {
      throw Refusal("asc.wrong-app", ["appleID": said])
    }
    next = json["links"]?["next"]?.string
    var included: [String: JSON] = [:]
    for resource in json["included"]?.array ?? [] {
      if let key = ConnectAnswer.key(resource) { included[key] = resource }
    }
    var versions: [ConnectVersion] = []
    var size = 0
    for resource in data {
      guard resource["type"]?.string == "appStoreVersions", let id = resource["id"]?.string, !id.isEmpty
      else {
        throw .malformedAnswer("it holds something other than versions")
      }
      let version = ConnectVersion(resource, id: id, included)
      let name = version.versionText.utf8.count < 40 ? "version '\(version.versionText)'" : "a version"
      guard version.part.count <= ConnectAnswer.maximumPart else {
        throw .malformedAnswer("it has more than \(ConnectAnswer.maximumPart >> 10) KiB about \(name)")
      }
      size += version.part.count
      guard size <= ConnectAnswer.maximumParts else {
        throw .malformedAnswer("it has more than \(ConnectAnswer.maximumParts >> 20) MiB about all versions")
      }
      versions.append(version)
    }
    self.versions = versions
  }

  /// The status and the title, or else the code, of the first of the errors that an answer lists; nil if it lists none.
  package static func error(in json: JSON) -> (status: Int?, title: String)? {
    (json["errors"]?.array?.first).map { error in
      let status = error["status"]
      return (
        status?.string.flatMap { Int($0) } ?? status?.integer.map { Int($0) },
        error["title"]?.string ?? error["code"]?.string ?? ""
      )
    }
  }

  private static func appleID(in link: String) -> String? {
    let words = link.split(separator: "/")
    guard let place = words.firstIndex(of: "apps"), place + 1 < words.count else { return nil }
    let digits = words[place + 1].prefix { $0.isASCII && $0.isNumber }
    return digits.isEmpty ? nil : String(digits)
  }

  fileprivate static func key(_ resource: JSON?) -> String? {
    guard let type = resource?["type"]?.string, let id = resource?["id"]?.string else { return nil }
    return "\(type)/\(id)"
  }
}

extension UploadedBuild {
  /// Reads the build that was uploaded last of an answer of `GET /v1/builds?include=preReleaseVersion`; nil where none is
  /// named. Apple has answered in another order than was asked for, so the dates count and not the places.
  ///
  /// - Throws: `Refusal` if the answer, or that build, cannot be read.
  package init?(_ answer: [UInt8]) throws(Refusal) {
    let json = try ConnectAnswer.tree(of: answer)
    let builds = (json["data"]?.array ?? []).filter { $0["type"]?.string == "builds" }
    func uploaded(_ build: JSON) -> Timestamp {
      build["attributes"]?["uploadedDate"]?.string.flatMap(ConnectVersion.moment) ?? .distantPast
    }
    let included = json["included"]?.array ?? []
    guard let build = builds.max(by: { uploaded($0) < uploaded($1) }),
      let train = ConnectAnswer.key(build["relationships"]?["preReleaseVersion"]?["data"]),
      let version = included.first(where: { ConnectAnswer.key($0) == train })
    else { return nil }
    let said = [version, build].map { $0["attributes"]?["version"]?.string ?? "" }
    guard let uploaded = UploadedBuild(version: said[0], build: said[1]) else {
      throw .malformedAnswer("the newest build is '\(said[1].prefix(40))' of '\(said[0].prefix(40))'")
    }
    self = uploaded
  }
}

extension ConnectVersion {
  fileprivate init(_ resource: JSON, id: String, _ included: [String: JSON]) {
    let attributes = resource["attributes"]
    func text(_ name: String) -> String? { attributes?[name]?.string }
    func related(_ name: String) -> (said: JSON?, resource: JSON?) {
      let said = resource["relationships"]?[name]?["data"]
      return (said, ConnectAnswer.key(said).flatMap { included[$0] })
    }
    self.id = id
    platformText = text("platform") ?? ""
    isNotarized = text("reviewType") == ConnectVersion.notarization
    versionText = text("versionString") ?? ""
    version = try? Version(versionText)
    stateName = text("appVersionState") ?? text("appStoreState") ?? ""
    state = AppleVocabulary.state(stateName)
    datedAt =
      text("earliestReleaseDate").flatMap(ConnectVersion.moment)
      ?? text("createdDate").flatMap(ConnectVersion.moment)

    let (_, build) = related("build")
    func spelled(_ name: String) -> String? { build?["attributes"]?[name]?.string }
    buildText = spelled("version")
    // A build for macOS has its system elsewhere (App Store Connect API, Build.Attributes).
    let systems =
      ["minOsVersion"]
      + (ConnectVersion.platform(platformText) == .macOS
        ? ["lsMinimumSystemVersion", "computedMinMacOsVersion"] : [])
    let names = systems.compactMap(spelled)
    let read = names.compactMap { name in (try? Version(system: name)).map { (name: name, system: $0) } }
    // The highest counts, as it does where the ledger has another.
    systemText = read.max { $0.system < $1.system }?.name ?? names.first

    let (said, phases) = related("appStoreVersionPhasedRelease")
    hasNoPhases = said == .some(.null)
    phased = phases.flatMap { phases in
      guard let name = phases["attributes"]?["phasedReleaseState"]?.string,
        let phase = ReleasePhase(rawValue: name.lowercased())
      else { return nil }
      return Phased(
        phase: phase, start: phases["attributes"]?["startDate"]?.string.flatMap(ConnectVersion.moment),
        pausedDays: phases["attributes"]?["totalPauseDuration"]?.integer ?? 0)
    }
    let answer: JSON = [
      "data": .array([resource]), "included": .array([build, phases].compactMap(\.self)),
    ]
    part = answer.bytes()
  }

  static let notarization = "NOTARIZATION"

  private static let platforms: [(name: String, platform: ApplePlatform)] = [
    ("IOS", .iOS), ("MAC_OS", .macOS), ("TV_OS", .tvOS), ("VISION_OS", .visionOS),
  ]

  private static func platform(_ name: String) -> ApplePlatform? {
    platforms.first { $0.name == name }?.platform
  }

  /// App Store Connect's name for a platform; nil for one without versions of its own.
  package static func name(of platform: ApplePlatform) -> String? {
    platforms.first { $0.platform == platform }?.name
  }

  /// A moment as App Store Connect writes it; some have a zone without a colon, `+0000`.
  package static func moment(_ text: String) -> Timestamp? {
    var text = text
    let zone = text.suffix(5)
    if let sign = zone.first, sign == "+" || sign == "-",
      zone.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber })
    {
      text = "\(text.dropLast(2)):\(text.suffix(2))"
    }
    return try? Timestamp(text)
  }
}

extension AppState {
  /// An app as App Store Connect lists its versions on a platform, older ones first and one record of each.
  package init(
    shownBy versions: [ConnectVersion], appleID: Int64, on platform: ApplePlatform, at now: Timestamp
  ) {
    var app = App(slug: String(appleID), bundleID: "", platform: platform)
    app.appleID = appleID
    var releases: [Release] = []
    for shown in versions where shown.platform == platform {
      guard let version = shown.version, let said = shown.state else { continue }
      let state = shown.isNotarized ? .approved : said
      var release = Release(id: Int64(releases.count) + 1, version: version, state: state, since: now)
      release.build = shown.build
      if state.isReleased { release.liveAt = now }
      releases.append(release)
    }
    self.init(app: app, releases: releases)
  }
}

/// A token that authorizes one request to App Store Connect's API (App Store Connect API, "Generating Tokens
/// for API Requests"; RFC 7519).
package enum ConnectToken {
  /// How long a token is valid; Apple accepts twenty minutes at most.
  package static let life = TimeSpan(seconds: 300)

  /// - Parameters:
  ///   - issuer: Who the key belongs to; nil for an individual key.
  ///   - scope: The requests it is for, such as `GET /v1/apps/1524608462/appStoreVersions`.
  /// - Returns: The compact form (RFC 7515 §7.1); nil if libcrypto cannot sign.
  package static func sign(
    _ key: ES256Key, keyID: String, issuer: String?, scope: [String], at now: Timestamp
  ) -> String? {
    let header: JSON = ["alg": "ES256", "kid": .string(keyID), "typ": "JWT"]
    var claims = JSON.Object([
      ("aud", "appstoreconnect-v1"), ("exp", .integer((now + life).seconds)), ("iat", .integer(now.seconds)),
      ("scope", .array(scope.map(JSON.string))),
    ])
    if let issuer { claims["iss"] = .string(issuer) } else { claims["sub"] = "user" }
    let input = "\(Base64URL.encode(header.bytes())).\(Base64URL.encode(JSON.object(claims).bytes()))"
    return key.sign(Array(input.utf8)).map { "\(input).\(Base64URL.encode($0))" }
  }
}
