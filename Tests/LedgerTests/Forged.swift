internal import JSON
internal import ReleaseModel

@testable internal import Ledger

extension Altered {
  /// Appends an event that no command recorded, with the hash that it should have and the rows that it makes.
  ///
  /// - Parameter alter: Has the last word on the event's columns.
  func append(
    _ change: Change, app: String? = nil, evidence: Int64? = nil, at moment: Timestamp = noon,
    hasRows: Bool = true, _ alter: (inout EventRecord) -> Void = { _ in }
  ) throws {
    let head = try ledger.head()
    var line = app.flatMap { try? ledger.line($0) }
    let rows = change.apply(to: &line, event: head.seq + 1)
    var event = EventRecord(
      seq: head.seq + 1, at: moment.text, kind: change.kind.rawValue, actor: Book.actor.text())
    (event.app, event.version, event.subject) = (app, change.version?.text, try ledger.subject(of: change))
    event.before = change.before(app: app)?.text()
    event.after = change.after(app: app, MovedRelease(rows))?.text()
    event.evidence = evidence ?? change.evidence?.id
    if case .ruleMade(let rule) = change { event.reason = rule.reason }
    event.also = try ledger.also(of: PlannedChange(app: app, change: change, evidence: nil, rows: rows))
    (event.schedules, event.command) = ("", "forged")
    alter(&event)
    event.hash = event.chainedHash(after: head.hash)
    try withoutTriggers {
      try ledger.insert(event)
      guard hasRows else { return }
      let bodies: [Int64: [UInt8]] = change.evidence.map { [$0.id: []] } ?? [:]
      for row in rows { try ledger.write(row, app: app ?? "", bodies: bodies) }
    }
  }

  func appendRequest(_ alter: (inout EventRecord) -> Void = { _ in }) throws {
    try append(.requested) {
      ($0.requestID, $0.request, $0.answer) = ("r-1", "ab", #"{"changed":false,"event":null,"impact":[]}"#)
      alter(&$0)
    }
  }
}
