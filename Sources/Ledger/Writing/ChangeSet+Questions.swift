import JSON
package import ReleaseModel

/// What commands ask of the ledger while they put their changes together.
extension ChangeSet {
  /// The changes so far that concern apps, each with its app.
  package var done: [(app: String, change: Change)] {
    changes.compactMap { planned in planned.app.map { ($0, planned.change) } }
  }

  /// The other release that each of these changes moves.
  package var moved: [MovedRelease] {
    changes.compactMap { planned in planned.app.map { _ in MovedRelease(planned.rows) } }
  }

  /// Whether anything would be recorded; a plan that does nothing is not used up.
  package var isChanged: Bool { changes.contains { !$0.change.isPlan } }

  /// The number of the event that would record the last change so far.
  package var lastEvent: Int64 { firstEvent + Int64(changes.count) - 1 }

  /// Settles evidence that was parked.
  package mutating func settle(_ before: Evidence, as after: Evidence) {
    append(.evidenceSettled(before: before, after: after), to: after.app)
  }

  /// Gives the ledger its own name, as its first event.
  package mutating func make(ledger id: String) { append(.ledgerMade(id: id), to: nil) }

  /// Sets where the documents are written; returns whether it changes anything.
  @discardableResult
  package mutating func publish(to publication: Publication?) throws -> Bool {
    let known = try ledger.publication()
    guard known != publication else { return false }
    append(.publicationSet(before: known, after: publication), to: nil)
    return true
  }

  /// Where the documents are written after every change, as the changes so far leave it.
  package func publication() throws -> Publication? {
    for case .publicationSet(_, let after) in changes.map(\.change).reversed() { return after }
    return try ledger.publication()
  }

  /// The number a new rule, redirect or setting gets.
  package func nextNumber(of table: RecordTable) throws -> Int64 {
    let made = changes.filter { planned in
      switch (table, planned.change) {
      case (.rule, .ruleMade), (.redirect, .redirectSet(_, .some)), (.setting, .settingSet(_, .some)): true
      default: false
      }
    }
    return try ledger.nextNumber(of: table) + Int64(made.count)
  }

  /// Whether the last change of a release, but for its details, undid marking it live.
  package mutating func wasTakenBack(_ app: String, _ version: Version) throws -> Bool {
    guard let release = try line(app).release(version), release.state != .live else { return false }
    var kind: String?
    try ledger.eachEvent(HistoryFilter(app: app, subject: "release/\(release.id)")) { event in
      kind = event.kind
      return event.kind == EventKind.releaseAmend.rawValue
    }
    return kind == EventKind.releaseUnmark.rawValue
  }

  /// - Throws: `Refusal` if the app never had it.
  package func liftedRule(_ number: Int64, of app: String) throws -> Rule {
    let made = try ledger.eventMaking(rule: number)
    guard let event = made, event.app == app, case .ruleMade(let rule) = try event.change() else {
      throw Refusal(
        made?.app == nil ? "rule.not-found" : "rule.not-found/other", ["owner": made?.app ?? ""],
        details: ["app": .string(app), "rule": .integer(number)])
    }
    return rule
  }
}
