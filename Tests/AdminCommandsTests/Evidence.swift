internal import Crypto
internal import JSON
internal import Ledger
internal import MailCorpus
internal import Platform
internal import ReleaseModel
internal import SQLite
internal import TestSupport
internal import Testing

enum Believing: Int, CaseIterable {
  case nothing
  case signatures
  case server
}

enum Mailroom {
  static let before = Timestamp(seconds: World.now.seconds - 3 * 86_400)
  /// The bytes of a ledger for each belief, made once: filling it flushes the disk at each change.
  private static let images: Result<[Believing: [UInt8]], any Error> = Result {
    var images: [Believing: [UInt8]] = [:]
    for believing in Believing.allCases { images[believing] = try make(believing) }
    return images
  }

  static var world: World { get throws { try #require(World.shared) } }

  private static func make(_ believing: Believing) throws -> [UInt8] {
    let shell = try Shell(clock: before)
    try shell.done("app add taxi --bundle-id com.example.taxi --apple-id \(World.appleID) --hold 24h")
    try shell.done("trust recipient \(World.recipient)")
    switch believing {
    case .nothing: break
    case .server: try shell.done("trust mx \(World.server)")
    case .signatures:
      for record in try world.records {
        try shell.directory.write(record.text, to: "key")
        try shell.done("trust dkim \(record.domain) \(record.selector) --key @key")
      }
    }
    return try shell.bytes("pawl.db")
  }

  static func open(_ believing: Believing = .signatures) throws -> Shell {
    try Shell(image: try #require(try images.get()[believing]), clock: before)
  }

  static func open(_ version: String, _ state: ReleaseState, _ believing: Believing = .signatures) throws
    -> Shell
  {
    let shell = try open(believing)
    try shell.publish(version, state)
    shell.clock = World.now
    return shell
  }
}

/// Evidence in stories, each line a file or a body that `ingest` takes in with the options behind it:
///
/// - `letter STATUS` a status mail of Apple's about Taxi 7.3.0, signed; `version=`, `appleID=`, `platform=`, `id=`, `date=` and
///   `to=` change it, `copy=FIELD` is a field that a relay adds, `by=server` has a server vouch for it, `checks=A|B` in a field for each check.
/// - `hook STATE` a webhook about `taxi`, of now, signed with the secret that `pin` trusts; `of=`, `id=`, `from=`, `at=`,
///   `type=` and `ping=` change it; `signed-hook TEXT` is any body, signed.
/// - `serve LINE` is a line that comes over ssh; the words behind it are those of its key's `serve-ssh`.
/// - `trust-apple` trusts the key that Apple's mails are signed with, under its selector or another.
/// - `lookup APP VERSION` the store's answer, made from a real one, which is of CampusOfGLUT 1.3; `kind=`, `bundle=`, `id=` and
///   `before=` change it.
/// - `asc APP VERSION=STATE,…` App Store Connect's answer, each version as `Shown` reads it; `fetched` is the same, asked for.
extension Shell {
  /// The words of the command that a line stands for; nil where it is a command itself.
  func evidence(_ words: [String]) throws -> [String]? {
    let values = Dictionary(
      words.dropFirst().filter { !$0.hasPrefix("--") && $0.contains("=") }.map { word in
        (String(word.prefix { $0 != "=" }), String(word.drop { $0 != "=" }.dropFirst()))
      }, uniquingKeysWith: { $1 })
    let options = words.filter { $0.hasPrefix("--") }
    let file = directory.file("evidence")
    switch words.first {
    case "letter":
      var mail = try status(words[1], values)
      if let field = values["copy"] { mail = mail.prepending(field) }
      if values["by"] == "server" { mail = World.receivedFromApple(mail) }
      if let checks = values["checks"] {
        mail = World.received(mail, checks.split(separator: "|").map(String.init))
      }
      try directory.write(mail.bytes, to: "evidence")
      return ["ingest", "mail", file] + options
    case "pin":
      try directory.write(Shell.secret + [0x0A], to: "hook")
      return ["trust", "webhook", "taxi", "--secret-file", directory.file("hook")] + options
    case "hook":
      let body = notification(words[1], values)
      try directory.write(body, to: "evidence")
      return hooked(file, Shell.signature(body)) + options
    case "serve":
      environment["SSH_ORIGINAL_COMMAND"] = words[1]
      return ["serve-ssh"] + words.dropFirst(2)
    case "signed-hook":
      try directory.write(words[1], to: "evidence")
      return hooked(file, Shell.signature(words[1])) + options
    case "trust-apple":
      let selector = "email0517"
      let key = try #require(try Mailroom.world.records.first { $0.selector == selector })
      try directory.write(key.text, to: "key")
      let name = words.count > 1 ? words[1] : selector
      return ["trust", "dkim", "email.apple.com", name, "--key", directory.file("key")] + options
    case "lookup":
      try directory.write(lookup(words[1], words[2], values), to: "evidence")
      return ["ingest", "lookup", words[1], file] + options
    case "asc":
      let shown = words.dropFirst(2).filter { !$0.hasPrefix("--") }.map { Shown($0) }
      try directory.write(Shown.answer(shown), to: "evidence")
      return ["ingest", "asc", words[1], file] + options
    case "fetched":
      shown = Shown.answer(words.dropFirst(2).filter { !$0.hasPrefix("--") }.map { Shown($0) })
      for (name, value) in [("", directory.file("asc.p8")), ("_ID", "2X9R4HXF34"), ("_ISSUER", "57246542")] {
        environment[name == "_ISSUER" ? "PAWL_ASC_ISSUER" : "PAWL_ASC_KEY" + name] = value
      }
      try publishFile(Array(keyOfRFC7515.utf8), as: directory.file("asc.p8"), rights: 0o600, replaces: true)
      return ["ingest", "asc", words[1], "--fetch"] + options
    default: return nil
    }
  }

  // MARK: - Mails

  func signed(_ change: (inout Letter) -> Void = { _ in }) throws -> Mail {
    var letter = Letter()
    change(&letter)
    return try Mailroom.world.apple.sign(letter)
  }

  func status(_ name: String, _ values: [String: String] = [:], _ change: (inout Letter) -> Void = { _ in })
    throws -> Mail
  {
    let sentence = "The status of your app has changed to \(name)."
    let (version, appleID) = (values["version"] ?? "7.3.0", values["appleID"] ?? "\(World.appleID)")
    let platform = values["platform"] ?? "Platform: iOS"
    return try signed { letter in
      letter.subject = #"The status of your app, Taxi, is now "\#(name)""#
      letter.body = .alternative(
        plain: Letter.rows(sentence: sentence, version: version, appleID: appleID, platform: platform),
        html: Letter.table(sentence: sentence, version: version, appleID: appleID, platform: platform))
      letter.messageID = values["id"].map { "<\($0)@email.apple.com>" } ?? letter.messageID
      letter.date = values["date"] ?? letter.date
      letter.to = values["to"] ?? letter.to
      change(&letter)
    }
  }

  func feed(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) throws -> JSON {
    try directory.write(bytes, to: "letter.eml")
    let ran = run("ingest mail @letter.eml --json")
    let results = try #require(ran.json["results"]?.array, "\(ran.err)", sourceLocation: sourceLocation)
    try #require(results.count == 1, sourceLocation: sourceLocation)
    return results[0]
  }

  func feed(_ mail: Mail, sourceLocation: SourceLocation = #_sourceLocation) throws -> JSON {
    try feed(mail.bytes, sourceLocation: sourceLocation)
  }

  /// Makes an empty Maildir.
  func maildir() throws -> String {
    for folder in ["", "/new", "/cur", "/tmp"] { try directory.directory("Maildir" + folder) }
    return directory.file("Maildir")
  }

  // MARK: - Webhooks

  static let secret = Array("This is my secret".utf8)

  func notification(_ state: String, _ values: [String: String] = [:]) -> String {
    """
    {"data":{"type":"\(values["type"] ?? "appStoreVersionAppVersionStateUpdated")","id":"\(values["id"] ?? "n-1")",\
    "version":1,"attributes":{"oldValue":"\(values["from"] ?? "IN_REVIEW")","newValue":"\(state)",\
    "timestamp":"\(values["at"] ?? clock.text)","ping":\(values["ping"] ?? "false")},"relationships":{"instance":{"data":\
    {"type":"appStoreVersions","id":"\(values["of"] ?? "30dd1a94")"}}}}}
    """
  }

  static func signature(_ body: String, _ key: [UInt8] = secret) -> String {
    "hmacsha256=" + hexadecimalText(HMACSHA256.code(for: Array(body.utf8), key: key))
  }

  func hooked(_ file: String, _ signature: String) -> [String] {
    let secret = directory.file("hook")
    return ["ingest", "webhook", "taxi", file, "--signature", signature, "--secret-file", secret]
  }

  // MARK: - Lookups

  func lookup(_ app: String, _ version: String, _ values: [String: String] = [:]) throws -> String {
    let known = try done("app show \(app) --json").json
    let file = try readFile("\(repository)/Tests/Fixtures/lookup/968615456.json", limit: 1 << 20)
    let answer = [
      ("\"version\": \"1.3\"", "\"version\": \"\(version)\""),
      ("\"CampusOfGLUT\"", "\"\(values["bundle"] ?? known["bundleID"]?.string ?? "")\""),
      ("\"trackId\": 968615456", "\"trackId\": \(values["id"] ?? known["appleID"]?.text() ?? "")"),
      ("\"kind\": \"software\"", "\"kind\": \"\(values["kind"] ?? "software")\""),
    ].reduce(String(decoding: file, as: UTF8.self)) { $0.replacing($1.0, with: $1.1) }
    let devices = values["devices"] == nil ? answer : answer.replacing(/"iP(hone|ad)/, with: "\"AppleTV")
    return (values["before"] ?? "") + devices
  }

  // MARK: - What the ledger has

  func publish(_ version: String, _ state: ReleaseState, app: String = "taxi") throws {
    try done("publish \(app) \(version) --yes")
    guard state != .prepared else { return }
    try done("mark \(app) \(version) \(state.rawValue) --yes")
  }

  func reading<R>(_ body: (Ledger) throws -> R) throws -> R {
    let ledger = try Ledger.open(ledger, for: .reading, now: clock)
    defer { ledger.close() }
    return try body(ledger)
  }

  func state(_ version: String, app: String = "taxi") throws -> ReleaseState? {
    try reading { try $0.line(app).release(try Version(version))?.state }
  }

  func number(_ sql: String) throws -> Int64 {
    let connection = try Connection(path: ledger, mode: .readOnly)
    let rows = try connection.query(sql) { try $0.integer(0) }
    try connection.close()
    return try #require(rows.first)
  }

  /// The size of the body of the first piece of evidence, nil where none is kept.
  func bodySize() throws -> Int64? {
    let size = try number("SELECT coalesce(length(body), -1) FROM evidence WHERE id = 1")
    return size < 0 ? nil : size
  }
}

struct Shown {
  var version: String
  var state: String
  var platform = "IOS"
  var build: String?
  private var id: String?
  private var minOS: String?
  private var review: String?
  private var phase: (state: String, paused: Int64)?
  private var created = "2026-10-02T03:04:05-07:00"

  init(version: String, state: String, platform: String, build: String?) {
    (self.version, self.state, self.platform, self.build) = (version, state, platform, build)
  }

  /// Reads `7.4.0=IN_REVIEW,platform:MAC_OS,build:5,id:a,os:16.0,phase:ACTIVE+2,created:TIME`; a phase `+-1` has no start.
  init(_ text: String) {
    let parts = text.split(separator: ",").map(String.init)
    version = String(text.prefix { $0 != "=" })
    state = String(parts[0].dropFirst(version.count + 1))
    for part in parts.dropFirst() {
      let (name, value) = (part.prefix { $0 != ":" }, String(part.drop { $0 != ":" }.dropFirst()))
      switch name {
      case "platform": platform = value
      case "build": build = value
      case "id": id = value
      case "os": minOS = value
      case "review": review = value
      case "created": created = value
      default:
        let words = value.split(separator: "+")
        phase = (String(words[0]), words.count > 1 ? Int64(words[1]) ?? 0 : 0)
      }
    }
  }

  static func name(_ platform: String, _ version: String) -> String {
    "v-\(platform.filter { $0 != "_" })-\(version.map { $0 == "." ? "-" : String($0) }.joined())"
  }

  private var name: String { id ?? Shown.name(platform, version) }
  private var hasBuild: Bool { build != nil || minOS != nil }
  private var hasPhases: Bool { phase.map { $0.state != "none" } ?? false }

  private var resource: JSON {
    func link(_ type: String, _ isThere: Bool) -> JSON {
      isThere ? ["data": ["type": .string(type), "id": .string(type + name)]] : JSON.object(JSON.Object())
    }
    return [
      "type": "appStoreVersions", "id": .string(name),
      "attributes": [
        "appVersionState": .string(state), "createdDate": .string(created), "platform": .string(platform),
        "versionString": .string(version), "reviewType": .optional(review),
      ],
      "relationships": [
        "appStoreVersionPhasedRelease": phase?.state == "none"
          ? ["data": .null] : link("appStoreVersionPhasedReleases", hasPhases),
        "build": link("builds", hasBuild),
      ],
    ]
  }

  private var included: [JSON] {
    var parts: [JSON] = []
    if hasBuild {
      parts.append([
        "type": "builds", "id": .string("builds" + name),
        "attributes": ["minOsVersion": .optional(minOS), "version": .optional(build)],
      ])
    }
    if let phase, hasPhases {
      parts.append([
        "type": "appStoreVersionPhasedReleases", "id": .string("appStoreVersionPhasedReleases" + name),
        "attributes": [
          "phasedReleaseState": .string(phase.state), "totalPauseDuration": .integer(phase.paused),
          "startDate": phase.state == "INACTIVE" || phase.paused < 0 ? .null : .string(noon.text),
        ],
      ])
    }
    return parts
  }

  static var app: [UInt8] {
    let app: JSON = [
      "data": [
        "type": "apps", "id": "1524608462", "attributes": ["bundleId": "com.example.taxi", "name": "Taxi"],
      ]
    ]
    return app.bytes()
  }

  static func answer(_ versions: [Shown]) -> [UInt8] {
    let json: JSON = [
      "data": .array(versions.map(\.resource)), "included": .array(versions.flatMap(\.included)),
    ]
    return json.bytes()
  }
}
