package import ReleaseModel

/// The ledger as its events describe it, without its tables: `--as-of`, `blame` and `verify` replay into it.
package struct LedgerState {
  package private(set) var lines: [String: AppState] = [:]
  private(set) var inactive: [String: Inactive] = [:]
  private(set) var noteEvents: [Int64: Int64] = [:]
  /// No release of an app ever went live after this.
  private(set) var latestLive: [String: Timestamp] = [:]
  package private(set) var trusts: [Trust] = []
  package private(set) var publication: Publication?
  private(set) var name: String?
  private(set) var evidence: [EvidenceTrace] = []
  package private(set) var seq: Int64 = 0
  package private(set) var at: Timestamp?

  package init() {}

  struct Inactive {
    var rules: [Int64: Rule] = [:]
    var redirects: [Int64: Redirect] = [:]
    var settings: [Int64: Setting] = [:]
  }

  /// What is kept of a piece of evidence: whole records of a mailbox would fill the memory.
  struct EvidenceTrace {
    let digest: Int
    let event: Int64
    let isParked: Bool
    let hasBody: Bool
  }

  /// Applies the next event.
  package mutating func apply(_ change: Change, app: String?, seq: Int64, at: Timestamp?) {
    self.seq = seq
    self.at = at
    switch change {
    case .ledgerMade(let id): name = id
    case .ruleRestored(var rule):
      // An event holds what a rule says, but not which event made the rule.
      rule.madeBy = app.flatMap { inactive[$0]?.rules[rule.number]?.madeBy } ?? 0
      take(.ruleRestored(rule), app: app)
    default: take(change, app: app)
    }
  }

  private mutating func take(_ change: Change, app: String?) {
    guard let app, !change.flags.contains(.isBesideApps) else {
      var none: AppState?
      for row in change.apply(to: &none, event: seq) { keep(row, of: "") }
      return
    }
    for row in change.apply(to: &lines[app], event: seq) { keep(row, of: app) }
  }

  /// Keeps a row that a change touched, unless an app's line has it.
  private mutating func keep(_ row: TouchedRow, of app: String) {
    if let liveAt = (row.record as? Release)?.liveAt {
      latestLive[app] = latestLive[app].map { max($0, liveAt) } ?? liveAt
    }
    switch row.record {
    case let release as Release where row.fate != .altered:
      noteEvents[release.id] = release.notes.isEmpty ? nil : seq
    case let rule as Rule: inactive[app, default: Inactive()].rules[rule.number] = rule.isInForce ? nil : rule
    case let redirect as Redirect:
      inactive[app, default: Inactive()].redirects[redirect.number] = redirect.isInForce ? nil : redirect
    case let setting as Setting:
      inactive[app, default: Inactive()].settings[setting.number] = setting.isInForce ? nil : setting
    case let app as App where row.fate == .removed: inactive[app.slug] = nil
    case let trust as Trust:
      if row.fate == .made { trusts.append(trust) } else { trusts.removeAll { $0.isAbout(trust) } }
    case let publication as Publication: self.publication = row.fate == .removed ? nil : publication
    case let evidence as Evidence: keep(evidence, isNew: row.fate == .made)
    default: break
    }
  }

  private mutating func keep(_ record: Evidence, isNew: Bool) {
    // The bytes of a mail are not kept if it was refused, or ignored without proof (docs/evidence.md).
    let isPassing = record.outcome == .refused || record.outcome == .ignored && record.proof == nil
    let trace = EvidenceTrace(
      digest: record.digest, event: seq, isParked: record.outcome == .parked,
      hasBody: isNew ? !(record.kind == .mail && isPassing) : trace(record.id)?.hasBody ?? false)
    if record.id == Int64(evidence.count) + 1 {
      evidence.append(trace)
    } else if self.trace(record.id) != nil {
      evidence[Int(record.id) - 1] = trace
    }
  }

  func trace(_ id: Int64) -> EvidenceTrace? {
    id >= 1 && id <= Int64(evidence.count) ? evidence[Int(id) - 1] : nil
  }

  package var apps: [App] { lines.values.map(\.app).sorted { $0.slug < $1.slug } }

  /// - Throws: `LedgerError.noApp`.
  package func snapshot(_ slug: String) throws -> Snapshot {
    guard let line = lines[slug] else { throw LedgerError.noApp(slug, known: lines.keys.sorted()) }
    return Snapshot(line: line, others: lines.filter { line.leadsTo.contains($0.key) }, hosts: trusts.hosts)
  }

  /// - Throws: `LedgerError.unreadableEvent`.
  mutating func apply(_ event: EventRecord) throws {
    apply(try event.change(), app: event.app, seq: event.seq, at: try? Timestamp(event.at))
  }
}

/// A point in the ledger's past.
package enum PastPoint: Sendable, Equatable {
  case event(Int64)
  case moment(Timestamp)
}

extension Ledger {
  /// The ledger as it was: its events up to a point, replayed in slices; of some apps and those they lead to.
  ///
  /// - Throws: `LedgerError.noEvent` for a number that is not there, `unreadableEvent`.
  package func state(asOf point: PastPoint, of slugs: Set<String>? = nil) throws -> LedgerState {
    var state = LedgerState()
    var last = try head().seq
    switch point {
    case .event(let seq):
      guard (0...max(0, last)).contains(seq) else { throw LedgerError.noEvent(seq, last: last) }
      last = seq
    case .moment(let moment):
      let range = SeqRange(first: 1, last: last)
      last = try firstEvent(notBefore: moment + TimeSpan(seconds: 1), in: range) - 1
    }
    var done: Int64 = 0
    if let slugs {
      // The last event comes in any case: it says as of when the state is.
      done = try number(atMost: last, from: 1).map { $0 - 1 } ?? 0
      try replay(apps: everInvolved(slugs, upTo: last), after: 0, upTo: done) { try state.apply($0) }
    }
    try replay(after: done, upTo: last, where: "TRUE", values: []) { try state.apply($0) }
    return state
  }
}
