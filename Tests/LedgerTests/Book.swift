internal import JSON
internal import Ledger
internal import Platform
internal import ReleaseModel
internal import Testing

let noon = Timestamp(seconds: 1_800_014_400)

/// A moment so many seconds after noon.
func later(_ seconds: Int64) -> Timestamp { Timestamp(seconds: noon.seconds + seconds) }

func version(_ text: String) throws -> Version { try Version(text) }

final class Book {
  let ledger: Ledger
  var clock: Timestamp

  init(_ ledger: Ledger, clock: Timestamp = noon) {
    self.ledger = ledger
    self.clock = clock
  }

  static func taxi(at path: String? = nil, platform: ApplePlatform = .iOS) throws -> Book {
    let book = Book(try path.map { try Ledger.create($0, now: noon).ledger } ?? Ledger.inMemory(now: noon))
    try book.record { $0.make(ledger: "0123456789abcdef0123456789abcdef") }
    try book.add("taxi", appleID: 1_524_608_462, platform: platform)
    return book
  }

  static let actor: JSON = [
    "user": "engineer", "uid": 1_000, "loginUid": .null, "host": "ci.example.com",
    "claimed": .null, "principal": .null,
  ]

  @discardableResult
  func record(
    reason: String? = nil, request: Recording.Request? = nil, expectedHead: Int64? = nil,
    isDryRun: Bool = false,
    confirm: (Question) throws -> Void = { _ in }, _ body: (inout ChangeSet) throws -> Void
  ) throws -> Recorded {
    try ledger.record(
      Recording(
        actor: Book.actor, reason: reason, request: request, expectedHead: expectedHead, isDryRun: isDryRun,
        clock: clock),
      confirm: confirm, body: body)
  }

  @discardableResult
  func add(
    _ slug: String, appleID: Int64? = nil, platform: ApplePlatform = .iOS, channel: Channel = .appStore,
    _ change: (inout App) -> Void = { _ in }
  ) throws -> Recorded {
    var app = App(slug: slug, bundleID: "com.example.\(slug)", platform: platform, channel: channel)
    app.appleID = appleID
    change(&app)
    return try record { try $0.add(app) }
  }

  @discardableResult
  func set(_ slug: String = "taxi", _ change: (inout App) -> Void) throws -> Recorded {
    var app = try ledger.app(slug)
    change(&app)
    return try record { try $0.set(app) }
  }

  @discardableResult
  private func change(
    _ text: String, of app: String,
    _ law: (AppState, Version, _ nextID: Int64, _ now: Timestamp) throws(Refusal) -> Change?
  ) throws -> Recorded {
    try record { try $0.change(text, of: app, law) }
  }

  @discardableResult
  func publish(
    _ text: String, app: String = "taxi", _ details: ReleaseDetails = ReleaseDetails(),
    request: Recording.Request? = nil
  ) throws -> Recorded {
    try record(request: request) { try $0.publish(text, app: app, details) }
  }

  @discardableResult
  func amend(_ text: String, app: String = "taxi", _ details: ReleaseDetails) throws -> Recorded {
    try change(text, of: app) { line, version, _, _ throws(Refusal) in try line.amend(version, details) }
  }

  @discardableResult
  func mark(
    _ text: String, _ state: ReleaseState, app: String = "taxi", at moment: Timestamp? = nil,
    visibleNow: Bool = false
  ) throws -> Recorded {
    try record { try $0.mark(text, state, app: app, at: moment, isVisibleNow: visibleNow) }
  }

  @discardableResult
  func unmark(_ text: String, app: String = "taxi") throws -> Recorded {
    try change(text, of: app) { line, version, _, now throws(Refusal) in
      try line.unmark(version, now: now)
    }
  }

  @discardableResult
  func void(_ text: String, app: String = "taxi", neverShipped: Bool = false) throws -> Recorded {
    try change(text, of: app) { line, version, _, now throws(Refusal) in
      try line.void(version, neverShipped: neverShipped, now: now)
    }
  }

  @discardableResult
  func importPast(
    _ text: String, app: String = "taxi", at moment: Timestamp, _ details: ReleaseDetails = ReleaseDetails()
  ) throws -> Recorded {
    try change(text, of: app) { line, version, id, now throws(Refusal) in
      try line.importPast(version, details, releasedAt: moment, id: id, now: now)
    }
  }

  @discardableResult
  func recordPast(_ text: String, app: String = "taxi", at moment: Timestamp) throws -> Recorded {
    try change(text, of: app) { line, version, id, now throws(Refusal) in
      try line.recordPast(version, ReleaseDetails(), releasedAt: moment, id: id, now: now)
    }
  }

  func state(_ text: String, app: String = "taxi") throws -> ReleaseState? {
    try ledger.line(app).release(try Version(text))?.state
  }

  func undo(_ seq: Int64) throws {
    let command = try ledger.command(of: seq)
    try record { try $0.takeBack(command, as: "undo") }
  }

  func events() throws -> [EventRecord] { try ledger.history(HistoryFilter()).reversed() }
}

extension ChangeSet {
  mutating func change(
    _ text: String, of app: String = "taxi", evidence: Int64? = nil, isProved: Bool? = nil,
    _ law: (AppState, Version, _ nextID: Int64, _ now: Timestamp) throws(Refusal) -> Change?
  ) throws {
    let (version, now) = (try Version(text), now)
    try change(app, "change \(text)", evidence: evidence, isProved: isProved) {
      line, id throws(Refusal) in
      try law(line, version, id, now)
    }
  }

  mutating func publish(_ text: String, app: String = "taxi", _ details: ReleaseDetails = ReleaseDetails())
    throws
  {
    try change(text, of: app) { line, version, id, now throws(Refusal) in
      try line.publish(version, details, id: id, now: now)
    }
  }

  mutating func mark(
    _ text: String, _ state: ReleaseState, app: String = "taxi", at moment: Timestamp? = nil,
    isVisibleNow: Bool = false, evidence: Int64? = nil
  ) throws {
    try change(text, of: app, evidence: evidence) { line, version, _, now throws(Refusal) in
      try line.mark(version, state, at: moment, isVisibleNow: isVisibleNow, now: now)
    }
  }
}

extension Recorded {
  var isChanged: Bool { answer["changed"]?.bool == true }
}

func details(_ change: (inout ReleaseDetails) throws -> Void) rethrows -> ReleaseDetails {
  var details = ReleaseDetails()
  try change(&details)
  return details
}

/// What a parameterized test does, under the name that its failure shows.
struct Named<Act: Sendable>: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let act: Act

  init(_ name: String, _ act: Act) { (testDescription, self.act) = (name, act) }
}
