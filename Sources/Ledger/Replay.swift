package import ReleaseModel
import SQLite

/// The ledger as its events describe it, without its tables: `--as-of`, `blame` and `verify` replay into it.
package struct LedgerState {
  /// The apps with all that is in force under them, by slug.
  package private(set) var lines: [String: ReleaseLine] = [:]
  /// The rules, redirects and settings that were taken down, by app and number.
  private(set) var down: [String: TakenDown] = [:]
  /// The event that last wrote each release's notes, by the release's number.
  private(set) var noteEvents: [Int64: Int64] = [:]
  /// What is trusted, in the order in which it was added.
  package private(set) var trusts: [Trust] = []
  /// Where the documents are written after every change.
  package private(set) var publication: Publication?
  /// The ledger's own name.
  private(set) var name: String?
  /// What is kept of each piece of evidence, by its number from 1.
  private(set) var evidence: [EvidenceTrace] = []
  /// The last event applied.
  package private(set) var seq: Int64 = 0
  /// When it was recorded.
  package private(set) var at: Timestamp?
  private var reader = ChangeReader()

  package init() {}

  /// Rules, redirects and settings of an app that are no longer in force.
  struct TakenDown {
    var rules: [Int64: Rule] = [:]
    var redirects: [Int64: Redirect] = [:]
    var settings: [Int64: Setting] = [:]
  }

  /// What is kept of a piece of evidence: whole records of a mailbox would fill the memory.
  struct EvidenceTrace {
    let digest: Int
    /// The event that last changed it.
    let event: Int64
    let isParked: Bool
    /// Whether its bytes are kept.
    let hasBody: Bool
  }

  /// Applies the next event.
  package mutating func apply(_ change: Change, app: String?, seq: Int64, at: Timestamp?) {
    self.seq = seq
    self.at = at
    switch change {
    case .ledgerMade(let id): name = id
    case .trusted(var trust):
      trust.event = seq
      trusts.append(trust)
    case .distrusted(let trust): trusts.removeAll { $0.isAbout(trust) }
    case .publicationSet(_, let after):
      publication = after
      publication?.event = seq
    case .appAdded(let new):
      var line = ReleaseLine(app: new)
      line.apply(change, event: seq)
      lines[new.slug] = line
    case .appVoided(let gone):
      lines[gone.slug] = nil
      down[gone.slug] = nil
    case .evidenceAdded(let added):
      // The bytes of a mail are not kept if it was refused, or ignored without proof (docs/evidence.md).
      let isPassing = added.outcome == .refused || added.outcome == .ignored && added.proof == nil
      keep(added, hasBody: !(added.kind == .mail && isPassing))
    case .evidenceSettled(_, let after): keep(after, hasBody: trace(after.id)?.hasBody ?? false)
    case .clockCorrected(let correction):
      for slug in lines.keys {
        lines[slug]?.apply(change, event: seq)
        down[slug]?.correct(correction, seq)
      }
      self.at = at.map(correction.corrected)
    case .ruleRestored(var rule):
      guard let app, lines[app] != nil else { return }
      // An event holds what a rule says, but not which event made the rule.
      rule.madeBy = down[app]?.rules.removeValue(forKey: rule.number)?.madeBy ?? 0
      lines[app]?.apply(.ruleRestored(rule), event: seq)
    default:
      guard let app, let place = lines.index(forKey: app) else { return }
      take(change, app: app)
      lines.values[place].apply(change, event: seq)
    }
  }

  /// Keeps track of what a change of an app takes down and puts in force.
  private mutating func take(_ change: Change, app: String) {
    switch change {
    case .published(let release), .amended(_, let release), .imported(let release, _):
      noteEvents[release.id] = release.notes.isEmpty ? nil : seq
    case .ruleLifted(let rule):
      guard var known = lines[app]?.rules.element(rule.number) else { return }
      (known.isInForce, known.event) = (false, seq)
      down[app, default: TakenDown()].rules[rule.number] = known
    case .redirectSet(let before, let after):
      if let before, var known = lines[app]?.redirects.element(before.number) {
        (known.isInForce, known.event, known.replacedBy) = (false, seq, after?.number)
        down[app, default: TakenDown()].redirects[before.number] = known
      }
      if let after { down[app]?.redirects[after.number] = nil }
    case .settingSet(let before, let after):
      if let before, var known = lines[app]?.settings.element(before.number) {
        (known.isInForce, known.event, known.replacedBy) = (false, seq, after?.number)
        down[app, default: TakenDown()].settings[before.number] = known
      }
      if let after { down[app]?.settings[after.number] = nil }
    default: break
    }
  }

  private mutating func keep(_ record: Evidence, hasBody: Bool) {
    var record = record
    record.event = seq
    let trace = EvidenceTrace(
      digest: record.digest, event: seq, isParked: record.outcome == .parked, hasBody: hasBody)
    if record.id == Int64(evidence.count) + 1 {
      evidence.append(trace)
    } else if self.trace(record.id) != nil {
      evidence[Int(record.id) - 1] = trace
    }
  }

  /// What is kept of a piece of evidence.
  func trace(_ id: Int64) -> EvidenceTrace? {
    id >= 1 && id <= Int64(evidence.count) ? evidence[Int(id) - 1] : nil
  }

  /// All apps, by slug.
  package var apps: [App] { lines.values.map(\.app).sorted { $0.slug < $1.slug } }

  /// Everything an app's decisions depend on.
  ///
  /// - Throws: `LedgerError.noApp`.
  package func snapshot(_ slug: String) throws -> Snapshot {
    guard let line = lines[slug] else { throw LedgerError.noApp(slug, known: lines.keys.sorted()) }
    return Snapshot(line: line, others: lines.filter { line.leadsTo.contains($0.key) }, hosts: trusts.hosts)
  }

  /// Applies the next event, read from its row.
  ///
  /// - Throws: `LedgerError.unreadableEvent`.
  mutating func apply(_ event: EventRecord) throws {
    apply(try event.change(by: &reader), app: event.app, seq: event.seq, at: try? Timestamp(event.at))
  }
}

extension LedgerState.TakenDown {
  mutating func correct(_ correction: ClockCorrection, _ event: Int64) {
    for number in rules.keys { rules[number]?.correct(correction, event) }
    for number in redirects.keys { redirects[number]?.correct(correction, event) }
    for number in settings.keys { settings[number]?.correct(correction, event) }
  }
}

/// A point in the ledger's past.
package enum PastPoint: Sendable, Equatable {
  /// After the event of this number.
  case event(Int64)
  /// After all events recorded until this moment.
  case moment(Timestamp)
}

extension Ledger {
  /// The ledger as it was: its events up to a point, replayed in slices.
  ///
  /// - Throws: `LedgerError.noEvent` for a number that is not there, `unreadableEvent`.
  package func state(asOf point: PastPoint) throws -> LedgerState {
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
    try replay(after: 0, upTo: last, where: "TRUE", values: []) { try state.apply($0) }
    return state
  }
}
