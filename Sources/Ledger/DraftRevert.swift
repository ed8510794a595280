import ReleaseModel
import SQLite

extension Draft {
  /// Takes in the opposite of what an event changed.
  ///
  /// - Throws: `LedgerError.noEvent`, `notRevertible` for what is never reverted, and `touchedSince` where a later
  ///   event touched the same.
  package mutating func revert(_ seq: Int64) throws {
    let event = try ledger.event(seq)
    let change = try event.change()
    guard change.kind.isRevertible, let app = event.app else {
      throw LedgerError.notRevertible(seq, kind: event.kind)
    }
    let line = try line(app)
    let opposite: Change
    switch change {
    case .appSet(let before, _):
      guard line.app.event == seq else { throw LedgerError.touchedSince(seq, by: line.app.event) }
      opposite = .appSet(before: line.app, after: before)
    case .ruleMade(let rule), .ruleRestored(let rule):
      guard let current = line.rules.first(where: { $0.number == rule.number }), current.event == seq else {
        throw LedgerError.touchedSince(seq, by: try ledger.lastEvent(of: "rule", rule.number))
      }
      opposite = .ruleLifted(current)
    case .ruleLifted(let rule):
      guard try ledger.lastEvent(of: "rule", rule.number) == seq else {
        throw LedgerError.touchedSince(seq, by: try ledger.lastEvent(of: "rule", rule.number))
      }
      opposite = .ruleRestored(rule)
    case .redirectSet(let before, let after):
      // A clock put right moves windows, which then are not where the event left them.
      let current = line.redirects.last { redirect in
        redirect.number == after?.number || (after ?? before).map(redirect.hasPlace) == true
      }
      guard current?.number == after?.number, after == nil || current?.event == seq else {
        throw LedgerError.touchedSince(seq, by: current?.event)
      }
      opposite = .redirectSet(before: current, after: before)
    case .settingSet(let before, let after):
      let current = line.settings.last { setting in
        setting.number == after?.number || (after ?? before).map(setting.hasPlace) == true
      }
      guard current?.number == after?.number, after == nil || current?.event == seq else {
        throw LedgerError.touchedSince(seq, by: current?.event)
      }
      opposite = .settingSet(before: current, after: before)
    default: throw LedgerError.notRevertible(seq, kind: event.kind)
    }
    try self.change(app, command: "revert \(seq)") { _ in opposite }
  }
}

extension Ledger {
  /// The event that made a rule.
  func eventMaking(rule number: Int64) throws -> EventRecord? {
    let seq = try connection.first("SELECT made_by FROM rule WHERE number = ?", .integer(number)) {
      try $0.integer(0)
    }
    return try seq.map { try event($0) }
  }

  /// The event that last changed a row.
  func lastEvent(of table: String, _ number: Int64) throws -> Int64? {
    try connection.first("SELECT event_seq FROM \(table) WHERE number = ?", .integer(number)) {
      try $0.integer(0)
    }
  }
}
