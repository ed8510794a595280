internal import JSON
internal import ReleaseModel
internal import SQLite

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
    var event = EventRecord(
      seq: head.seq + 1, at: moment.text, kind: change.kind.rawValue, app: app, version: change.version?.text,
      subject: try ledger.subject(of: change, app: app), before: change.before(app: app)?.text(),
      after: change.after(app: app)?.text(), actor: Book.actor.text(),
      evidence: evidence ?? change.evidence?.id)
    alter(&event)
    event.hash = event.chainedHash(after: head.hash)
    try withoutTriggers {
      try ledger.insert(event)
      guard hasRows else { return }
      if let release = change.release, release.state == .live, let app {
        // The schema lets one be live; the trigger that supersedes the older one is put away.
        try connection.run(
          """
          UPDATE release SET state = 'superseded', superseded_by = ?1
          WHERE state = 'live' AND id <> ?1 AND app_id = (SELECT id FROM app WHERE slug = ?2)
          """, .integer(release.id), .text(app))
      }
      let bodies: [Int64: [UInt8]] = change.evidence.map { [$0.id: []] } ?? [:]
      try ledger.write(change, app: app, event: event, bodies: bodies)
    }
  }

  /// Appends a request that changed nothing.
  func appendRequest(_ alter: (inout EventRecord) -> Void = { _ in }) throws {
    try append(.requested) {
      ($0.requestID, $0.request, $0.answer) = ("r-1", "ab", #"{"changed":false,"event":null,"impact":[]}"#)
      alter(&$0)
    }
  }
}
