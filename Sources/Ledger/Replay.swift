package import ReleaseModel
import SQLite

/// The ledger as its events say it, without its tables.
package struct LedgerState: Sendable, Equatable {
  /// The apps with all that is recorded under them, by slug.
  package private(set) var lines: [String: ReleaseLine] = [:]
  /// What is believed, in the order it was said.
  package private(set) var trusts: [Trust] = []
  /// Where the documents are written after every change.
  package private(set) var publication: Publication?
  /// The last event applied.
  package private(set) var seq: Int64 = 0
  /// When it was recorded.
  package private(set) var at: Timestamp?

  package init() {}

  /// Applies the next event.
  package mutating func apply(_ change: Change, app: String?, seq: Int64, at: Timestamp?) {
    self.seq = seq
    self.at = at
    switch change {
    case .trusted(let trust): trusts.append(trust)
    case .distrusted(let trust): trusts.removeAll { $0.isAbout(trust) }
    case .publicationSet(_, let after): publication = after
    case .appAdded(let new):
      var line = ReleaseLine(app: new)
      line.apply(change, event: seq)
      lines[new.slug] = line
    default:
      if let app { lines[app]?.apply(change, event: seq) }
    }
  }

  /// Everything an app's decisions depend on.
  ///
  /// - Throws: `LedgerError.noApp`.
  package func snapshot(_ slug: String) throws -> Snapshot {
    guard let line = lines[slug] else { throw LedgerError.noApp(slug, known: lines.keys.sorted()) }
    return Snapshot(line: line, others: lines.filter { line.leadsTo.contains($0.key) }, hosts: trusts.hosts)
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
    var condition = "TRUE"
    var values: [Value] = []
    switch point {
    case .event(let seq):
      guard (0...max(0, last)).contains(seq) else { throw LedgerError.noEvent(seq, last: last) }
      last = seq
    case .moment(let moment): (condition, values) = ("at <= ?", [.text(moment.text)])
    }
    try replay(after: 0, upTo: last, where: condition, values: values) { try state.apply($0) }
    return state
  }
}

extension LedgerState {
  /// Applies the next event as its row has it.
  ///
  /// - Throws: `LedgerError.unreadableEvent`.
  mutating func apply(_ event: EventRecord) throws {
    apply(try event.change(), app: event.app, seq: event.seq, at: try? Timestamp(event.at))
  }
}
