package import JSON
package import ReleaseModel
import SQLite

extension Ledger {
  /// What a client is told, and the last changes of it, by events and by time alone, newest first.
  ///
  /// The answers before and after each event are compared at the event's own moment, and between events at every moment
  /// at which an answer may change by itself; only commands that changed the app's schedule are looked at.
  ///
  /// - Parameter limit: How many changes are wanted.
  /// - Throws: `LedgerError.noApp`, `unreadableEvent`.
  package func blame(_ slug: String, _ client: Client, clock: Timestamp, limit: Int) throws -> ToldBlame {
    _ = try app(slug)
    let head = try head()
    // The events of one command have one moment, and its last one says what it changed.
    let moments = Set(
      try query("SELECT at FROM event WHERE ',' || schedules || ',' GLOB ?", .text("*,\(slug),*")) {
        try $0.text(0)
      })
    var walk = ToldWalk(slug, client, try Witness(Connection.inMemory()).draft)
    try eachEvent(of: everInvolved([slug]), upTo: head.seq) {
      try walk.apply($0, isLookedAt: moments.contains($0.at))
    }
    let snapshot = walk.pass(to: try max(clock, reached(head) ?? clock))
    guard let snapshot, let told = walk.told else {
      throw LedgerError.noApp(slug, known: try self.apps().map(\.slug))
    }
    var changes = Array(walk.changes.suffix(limit).reversed())
    for change in changes.indices {
      for cause in changes[change].causes.indices {
        try name(&changes[change].causes[cause])
      }
    }
    return ToldBlame(snapshot: snapshot, told: told, changes: changes, head: head, moment: walk.moment)
  }
}

extension Ledger {
  /// Finds the event that set a cause's moment; one that amended the release later did not.
  fileprivate func name(_ cause: inout ToldChange.Cause) throws {
    guard let release = cause.release else { return }
    var found: Int64?
    let subject = "release/\(release.id)"
    try eachEvent(HistoryFilter(app: release.app, subject: subject, last: cause.event)) { event in
      let json = event.json
      guard json["before"]?[release.member] != json["after"]?[release.member] else { return true }
      found = event.seq
      return false
    }
    cause.event = found ?? cause.event
  }
}

private struct ToldWalk {
  private let slug: String
  private let client: Client
  private var state: ChangeSet
  private(set) var told: ToldAnswer?
  private(set) var moment = Timestamp.distantPast
  private(set) var changes: [ToldChange] = []

  init(_ slug: String, _ client: Client, _ state: ChangeSet) {
    (self.slug, self.client, self.state) = (slug, client, state)
  }

  /// Adds what an event recorded, as a command of its own.
  ///
  /// - Throws: `LedgerError.unreadableEvent`.
  mutating func apply(_ event: EventRecord, isLookedAt: Bool) throws {
    let at = (try? Timestamp(event.at)) ?? moment
    if isLookedAt, moment < at { _ = pass(to: at) }
    state.beginRecorded(at: at)
    try state.replay(event.change(), of: event)
    guard isLookedAt, let snapshot = try? state.snapshot(slug) else { return }
    note(ToldAnswer(snapshot, client, at: moment), event, [])
  }

  /// Passes the moments up to another at which answers change by themselves; returns what they depend on.
  mutating func pass(to end: Timestamp) -> Snapshot? {
    let snapshot = try? state.snapshot(slug)
    for next in (snapshot?.momentsOfChange(after: moment) ?? []).filter({ $0 <= end }).sorted() {
      guard let snapshot else { break }
      moment = next
      note(ToldAnswer(snapshot, client, at: next), nil, snapshot.causes(at: next))
    }
    moment = max(moment, end)
    return snapshot
  }

  private mutating func note(_ new: ToldAnswer, _ event: EventRecord?, _ causes: [ToldChange.Cause]) {
    if told?.json != new.json {
      changes.append(ToldChange(at: moment, event: event, causes: causes, before: told, after: new))
    }
    told = new
  }
}

extension Snapshot {
  fileprivate func causes(at moment: Timestamp) -> [ToldChange.Cause] {
    var causes: [ToldChange.Cause] = []
    for line in [line] + others.values.sorted(by: { $0.app.slug < $1.app.slug }) {
      for release in line.releases where release.isVisible(at: moment) {
        let name = "\(line.app.slug) \(release.version.text)"
        func add(_ text: String, _ member: String) {
          causes.append(
            ToldChange.Cause(
              text: text, event: release.event, release: (line.app.slug, release.id, member)))
        }
        if release.visibleAt == moment { add("the hold of \(name) ended", "visibleAt") }
        if line.remindsFrom(release) == moment { add("the phased release of \(name) ended", "remindAt") }
        if release.expires == moment { add("\(name) expired", "expires") }
      }
    }
    causes += line.windowEdges(at: moment).map { edge in
      ToldChange.Cause(
        text: "\(edge.name) \(edge.isStart ? "started" : "ended")", event: edge.event, release: nil)
    }
    return causes
  }
}

/// What a client is told, without the reasons, which the client cannot notice.
package struct ToldAnswer: Sendable, Equatable {
  package let decision: Decision
  package let settings: [String: String]
  package let remindEvery: ReminderFrequency

  package init(_ snapshot: Snapshot, _ client: Client, at moment: Timestamp) {
    let decider = Decider(snapshot, at: moment)
    decision = decider.decide(client)
    settings = decider.settings(of: client.version, inReview: decision.review)
    remindEvery = snapshot.line.app.remindEvery
  }

  package var json: JSON {
    var told = Answer(decision, settings: settings).told(remindEvery: remindEvery).object ?? JSON.Object()
    // It is about one system and one moment.
    (told["tiers"], told["forcedFrom"]) = (nil, nil)
    return .object(told)
  }
}

/// A change of what a client is told, and its moment.
package struct ToldChange: Sendable, Equatable {
  /// Something that happened by time alone.
  package struct Cause: Sendable, Equatable {
    package let text: String
    package internal(set) var event: Int64
    /// The release, and which of its members holds the moment; nil for a rule.
    let release: (app: String, id: Int64, member: String)?

    package static func == (left: Cause, right: Cause) -> Bool {
      left.text == right.text && left.event == right.event
    }
  }

  package let at: Timestamp
  package let event: EventRecord?
  package internal(set) var causes: [Cause]
  package let before: ToldAnswer?
  package let after: ToldAnswer
}

/// What a client is told, and what made it so.
package struct ToldBlame: Sendable, Equatable {
  package let snapshot: Snapshot
  package let told: ToldAnswer
  package let changes: [ToldChange]
  package let head: Head
  package let moment: Timestamp
}
