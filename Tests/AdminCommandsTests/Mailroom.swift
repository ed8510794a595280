internal import JSON
internal import Ledger
internal import MailCorpus
internal import Platform
internal import ReleaseModel
internal import SQLite
internal import TestSupport
internal import Testing

/// What a ledger of the tests believes of mails.
enum Believing: Int, CaseIterable {
  case nothing
  case signatures
  case server
}

/// A ledger with Taxi for iOS, mails to feed it, and a look at its tables.
final class Mailroom {
  let shell: Shell
  let world: World
  private var count = 0

  /// When the ledgers are set up: long before the mails are written.
  static let before = Timestamp(seconds: World.now.seconds - 3 * 86_400)

  /// The bytes of a ledger for each belief, made once: filling it flushes the disk at each change.
  private static let images: Result<[Believing: [UInt8]], any Error> = Result {
    var images: [Believing: [UInt8]] = [:]
    for believing in Believing.allCases { images[believing] = try make(believing) }
    return images
  }

  private static func make(_ believing: Believing) throws -> [UInt8] {
    let world = try #require(World.shared)
    let shell = try Shell(clock: before)
    try shell.done("app add taxi --bundle-id com.example.taxi --apple-id \(World.appleID) --hold 24h")
    try shell.done("trust recipient \(World.recipient)")
    switch believing {
    case .nothing: break
    case .server: try shell.done("trust mx \(World.server)")
    case .signatures:
      for (index, record) in world.records.enumerated() {
        try shell.directory.write(Array(record.text.utf8), to: "key\(index)")
        try shell.done(
          "trust dkim \(record.domain) \(record.selector) --key \(shell.directory.file("key\(index)"))")
      }
    }
    return try readFile(shell.ledger, limit: 1 << 24)
  }

  init(_ believing: Believing = .signatures) throws {
    world = try #require(World.shared)
    shell = try Shell(image: try #require(try Mailroom.images.get()[believing]), clock: Mailroom.before)
  }

  /// A ledger with a release of a state, at the time when the mails come in.
  init(_ version: String, _ state: ReleaseState, _ believing: Believing = .signatures) throws {
    world = try #require(World.shared)
    shell = try Shell(image: try #require(try Mailroom.images.get()[believing]), clock: Mailroom.before)
    try publish(version, state)
    shell.clock = World.now
  }

  func publish(_ version: String, _ state: ReleaseState, app: String = "taxi") throws {
    try shell.done("publish \(app) \(version)")
    guard state != .prepared else { return }
    try shell.done("mark \(app) \(version) \(state.rawValue) --yes")
  }

  /// A letter of Apple's, signed, with the fields changed.
  func signed(_ change: (inout Letter) -> Void = { _ in }) -> Mail {
    var letter = Letter()
    change(&letter)
    return world.apple.sign(letter)
  }

  /// A status letter of Taxi, signed.
  func status(
    _ name: String, version: String = "7.3.0", appleID: String = "\(World.appleID)",
    platform: String = "Platform: iOS", _ change: (inout Letter) -> Void = { _ in }
  ) -> Mail {
    signed { letter in
      let sentence = "The status of your app has changed to \(name)."
      letter.subject = #"The status of your app, Taxi, is now "\#(name)""#
      letter.body = .alternative(
        plain: Letter.rows(sentence: sentence, version: version, appleID: appleID, platform: platform),
        html: Letter.table(sentence: sentence, version: version, appleID: appleID, platform: platform))
      change(&letter)
    }
  }

  /// Writes bytes to a file and returns its path.
  func file(_ bytes: [UInt8], name: String? = nil) throws -> String {
    count += 1
    let name = name ?? "letter\(count).eml"
    try shell.directory.write(bytes, to: name)
    return shell.directory.file(name)
  }

  /// Feeds a mail from a file, and returns its one result.
  func feed(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) throws -> JSON {
    let ran = shell.run(["ingest", "mail", try file(bytes), "--json"])
    #expect(ran.status == 0, "\(ran.err)", sourceLocation: sourceLocation)
    let results = try #require(ran.json["results"]?.array, sourceLocation: sourceLocation)
    try #require(results.count == 1, sourceLocation: sourceLocation)
    return results[0]
  }

  func feed(_ mail: Mail, sourceLocation: SourceLocation = #_sourceLocation) throws -> JSON {
    try feed(mail.bytes, sourceLocation: sourceLocation)
  }

  /// Asks the ledger itself.
  func reading<R>(_ body: (Ledger) throws -> R) throws -> R {
    let ledger = try Ledger.open(shell.ledger, for: .reading, now: shell.clock)
    defer { ledger.close() }
    return try body(ledger)
  }

  func release(_ version: String, app: String = "taxi") throws -> Release? {
    try reading { try $0.line(app).release(try Version(version)) }
  }

  func state(_ version: String, app: String = "taxi") throws -> ReleaseState? {
    try release(version, app: app)?.state
  }

  /// How many rows of evidence there are.
  func evidenceCount() throws -> Int64 { try number("SELECT count(*) FROM evidence") }

  /// Asks for one number, as the `sqlite3` shell would.
  func number(_ sql: String) throws -> Int64 {
    let connection = try Connection(path: shell.ledger, mode: .readOnly)
    let rows = try connection.query(sql) { try $0.integer(0) }
    try connection.close()
    return try #require(rows.first)
  }

  /// The size of a body, nil where none is kept.
  func bodySize(_ id: Int64) throws -> Int64? {
    let size = try number("SELECT coalesce(length(body), -1) FROM evidence WHERE id = \(id)")
    return size < 0 ? nil : size
  }

  /// The last events, newest first.
  func events(_ limit: Int) -> [JSON] {
    shell.run("history --limit \(limit) --json").json["events"]?.array ?? []
  }

  /// Expects that replaying the events gives the tables.
  func expectReplay(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try reading { ledger in
      let state = try ledger.state(asOf: .event(try ledger.head().seq))
      for app in try ledger.apps() {
        #expect(try ledger.line(app.slug) == state.lines[app.slug], sourceLocation: sourceLocation)
      }
      #expect(try ledger.trusts() == state.trusts, sourceLocation: sourceLocation)
    }
  }
}
