import JSON
package import ReleaseModel
import SQLite

extension Ledger {
  /// What a client is told, and the last changes of it, by events and by time alone.
  ///
  /// The answers before and after each event are compared at the event's own moment, and between events at
  /// every moment at which an answer may change by itself. The past is looked at in stretches from the end,
  /// each longer than the one before, until enough changes are found.
  ///
  /// - Parameter limit: How many changes are wanted.
  /// - Throws: `LedgerError.noApp`, `unreadableEvent`.
  package func blame(_ slug: String, _ client: Client, clock: Timestamp, limit: Int) throws -> ToldBlame {
    _ = try app(slug)
    let head = try head()
    let apps = try everInvolved([slug], upTo: head.seq)
    let nothing = try Witness(Connection.inMemory()).draft
    var starts: [Int64] = []
    var length = sliceOfEvents
    while length < head.seq {
      starts.insert(head.seq - length, at: 0)
      length *= 8
    }
    // The first pass asks for no answers; it only keeps the states at which stretches start.
    var states: [(start: Int64, state: ChangeSet)] = [(0, nothing)]
    var state = nothing
    var done: Int64 = 0
    for start in starts {
      try eachEvent(of: apps, after: done, upTo: start) { try state.replay($0) }
      states.append((start, state))
      done = start
    }
    var now: ToldWalk?
    var changes: [ToldChange] = []
    var last = head.seq
    for (start, state) in states.reversed() where changes.count < limit {
      var walk = ToldWalk(slug, client, state)
      try eachEvent(of: apps, after: start, upTo: last) { try walk.apply($0) }
      if now == nil {
        walk.pass(to: try max(clock, reached(head) ?? clock))
        now = walk
      }
      changes += walk.changes.reversed().prefix(limit - changes.count)
      last = start
    }
    guard let now, let snapshot = now.snapshot, let told = now.told else {
      throw LedgerError.noApp(slug, known: try self.apps().map(\.slug))
    }
    for change in changes.indices {
      for cause in changes[change].causes.indices {
        try name(&changes[change].causes[cause])
      }
    }
    return ToldBlame(snapshot: snapshot, told: told, changes: changes, head: head, moment: now.moment)
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

extension ChangeSet {
  /// Adds what an event recorded, as a command of its own.
  ///
  /// - Throws: `LedgerError.unreadableEvent`.
  fileprivate mutating func replay(_ event: EventRecord) throws {
    beginRecorded(at: (try? Timestamp(event.at)) ?? now)
    try replay(event.change(), of: event)
  }
}

private struct ToldWalk {
  private let slug: String
  private let client: Client
  private var state: ChangeSet
  private(set) var snapshot: Snapshot?
  private(set) var told: ToldAnswer?
  private(set) var moment: Timestamp
  private(set) var changes: [ToldChange] = []

  init(_ slug: String, _ client: Client, _ state: ChangeSet) {
    self.slug = slug
    self.client = client
    self.state = state
    moment = state.now
    snapshot = try? self.state.snapshot(slug)
    told = snapshot.map { ToldAnswer($0, client, at: moment) }
  }

  mutating func apply(_ event: EventRecord) throws {
    pass(to: (try? Timestamp(event.at)) ?? moment)
    try state.replay(event)
    snapshot = try? state.snapshot(slug)
    guard let snapshot else { return }
    note(ToldAnswer(snapshot, client, at: moment), event, [])
  }

  mutating func pass(to end: Timestamp) {
    guard let snapshot else {
      moment = max(moment, end)
      return
    }
    for next in snapshot.momentsOfChange(after: moment).filter({ $0 <= end }).sorted() {
      moment = next
      note(ToldAnswer(snapshot, client, at: next), nil, snapshot.causes(at: next))
    }
    moment = max(moment, end)
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
