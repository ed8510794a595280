import ReleaseModel
import SQLite

extension ChangeSet {
  /// Adds the opposite of what an event changed, or nothing if everything is as it was before (law 9).
  ///
  /// - Throws: `LedgerError.noEvent`, `notRevertible`, `touchedSince`.
  package mutating func revert(_ seq: Int64) throws {
    let event = try ledger.event(seq)
    let change = try event.change()
    guard change.kind.isRevertible, let app = event.app else {
      throw LedgerError.notRevertible(seq, kind: event.kind)
    }
    let line = try line(app)
    let opposite: Change?
    switch change {
    case .appSet(let before, let after):
      let (former, members) = line.app.taking(back: before, after)
      if line.app.event != seq, line.app != former {
        // A later change of other members does no harm, such as a stop.
        let later = try ledger.blame(app: app).filter { members.contains($0.field) }.map(\.event.seq).max()
        if let later, later > seq { throw LedgerError.touchedSince(seq, by: later) }
      }
      opposite = line.app == former ? nil : .appSet(before: line.app, after: former)
    case .ruleMade(let rule), .ruleRestored(let rule):
      let current = line.rules.first { $0.number == rule.number }
      guard current.map({ $0.event == seq }) ?? true else {
        throw LedgerError.touchedSince(seq, by: current?.event)
      }
      opposite = current.map { .ruleLifted($0) }
    case .ruleLifted(let rule):
      let isInForce = line.rules.contains { $0.number == rule.number }
      let last = try isInForce ? seq : ledger.lastEvent(of: "rule", rule.number)
      guard last == seq else { throw LedgerError.touchedSince(seq, by: last) }
      opposite = isInForce ? nil : .ruleRestored(rule)
    case .redirectSet(let before, let after):
      opposite = try undone(seq, before, after, line.redirects) { .redirectSet(before: $0, after: before) }
    case .settingSet(let before, let after):
      opposite = try undone(seq, before, after, line.settings) { .settingSet(before: $0, after: before) }
    default: throw LedgerError.notRevertible(seq, kind: event.kind)
    }
    try self.change(app, command: "revert \(seq)") { _ in opposite }
  }

  private func undone<Value: Placed>(
    _ seq: Int64, _ before: Value?, _ after: Value?, _ standing: [Value], _ change: (Value?) -> Change
  ) throws -> Change? {
    // A clock correction moves windows, which then are no longer where the event left them.
    let current = standing.last {
      $0.number == after?.number || (after ?? before).map($0.hasPlace) == true
    }
    let isFormer = before.map { former in current.map(former.saysTheSame) ?? false } ?? (current == nil)
    guard isFormer || current?.number == after?.number && (after == nil || current?.event == seq) else {
      throw LedgerError.touchedSince(seq, by: current?.event)
    }
    return isFormer ? nil : change(current)
  }
}

extension Ledger {
  func struckOut(_ slug: String) throws -> App? {
    let found = try connection.first(
      "SELECT seq FROM event WHERE kind = ? AND app = ? ORDER BY seq DESC LIMIT 1",
      .text(EventKind.appVoid.rawValue), .text(slug)
    ) { try $0.integer(0) }
    guard let found, case .appVoided(let app) = try event(found).change() else { return nil }
    return app
  }

  func eventMaking(rule number: Int64) throws -> EventRecord? {
    let seq = try connection.first("SELECT made_by FROM rule WHERE number = ?", .integer(number)) {
      try $0.integer(0)
    }
    return try seq.map { try event($0) }
  }

  func lastEvent(of table: String, _ number: Int64) throws -> Int64? {
    try connection.first("SELECT event_seq FROM \(table) WHERE number = ?", .integer(number)) {
      try $0.integer(0)
    }
  }
}
