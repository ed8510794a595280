package import JSON
package import ReleaseModel
import SQLite

/// A field of an app or release, and the event that last changed it.
package struct FieldBlame: Sendable, Equatable {
  /// The path of names from the object down, joined by dots: `notes.en`.
  package let field: String
  package var value: JSON
  package var was: JSON?
  package var event: EventRecord
}

extension Ledger {
  /// Each field of an app with the event up to the last given that last changed it, by name.
  package func blame(app slug: String, upTo last: Int64? = nil) throws -> [FieldBlame] {
    try blame("app/\(id(ofApp: slug))", of: slug, upTo: last)
  }

  /// Each field of a release with the event up to the last given that last changed it, by name; empty without a release of
  /// the version.
  package func blame(app slug: String, _ version: Version, upTo last: Int64? = nil) throws -> [FieldBlame] {
    try release(version, of: slug).map { try blame("release/\($0.id)", of: slug, upTo: last) } ?? []
  }

  /// The fields of a row, with what events of its kind say of it.
  private func blame(_ row: String, of slug: String, upTo last: Int64?) throws -> [FieldBlame] {
    var fields: [String: FieldBlame] = [:]
    try eachEvent(HistoryFilter(app: slug, kind: String(row.prefix { $0 != "/" }), last: last)) { event in
      guard let (before, after) = event.difference(of: row) else { return true }
      // Events come newest first, so the first one found to change a field is the last that changed it.
      for field in Set(after.keys).union(before?.keys ?? [:].keys) where fields[field] == nil {
        let (was, value) = (before.map { $0[field] ?? .null }, after[field] ?? .null)
        if was != value { fields[field] = FieldBlame(field: field, value: value, was: was, event: event) }
      }
      return before != nil
    }
    return fields.values.sorted { $0.field < $1.field }
  }
}

extension EventRecord {
  /// What it says of a row, by the paths of the fields: as it was, nil if it made it, and as it is; of a row that it is
  /// not about, only what differs. Nil if it left the row alone.
  fileprivate func difference(of row: String) -> (before: [String: JSON]?, after: [String: JSON])? {
    if subject == row {
      func side(_ text: String?) -> JSON? { text.flatMap { try? JSON(parsing: $0.utf8) } }
      return (side(before).map(EventRecord.fields), side(after).map(EventRecord.fields) ?? [:])
    }
    let others = also.flatMap { try? JSON(parsing: $0.utf8) }?.array
    return others?.first { $0["row"]?.string == row }.map { other in
      (
        other["before"]?.object.map { EventRecord.fields(.object($0)) },
        EventRecord.fields(other["after"] ?? .null)
      )
    }
  }

  /// Members that identify the object, or that only `unmark` needs.
  private static let passedOver: Set = [
    "app", "version", "id", "slug", "former", "locales", "superseded", "restored",
  ]

  private static func fields(_ object: JSON) -> [String: JSON] {
    var fields: [String: JSON] = [:]
    for member in object.object?.members ?? [] where !passedOver.contains(member.key) {
      guard case .object(let inner) = member.value else {
        fields[member.key] = member.value
        continue
      }
      for part in inner.members { fields["\(member.key).\(part.key)"] = part.value }
    }
    return fields
  }
}

/// A row that steps of a decision refer to; its fields may have been set by different events.
private struct BlamedRow {
  let app: App
  /// Nil if the row is the app's own.
  let release: Release?

  /// The fields that a step follows from.
  func names(of step: String, at moment: Timestamp) -> [String] {
    switch (step, release) {
    case ("policy", nil): ["policy"]
    case ("url", nil): ["storeURL"]
    // The app is stopped or retired.
    case (_, nil): [app.isRetired ? "retired" : "stopped"]
    case ("mandatory", _): ["mandatory"]
    case ("phased", _): ["phase", "remindAt"]
    case ("url", _): ["url"]
    case ("target", let release?):
      // A superseded release has only its moment; a live one may be live for the second time, or be removed.
      release.isExpired(at: moment)
        ? ["expires"] : release.state == .superseded ? ["visibleAt"] : ["visibleAt", "state"]
    case (_, _?): ["state"]
    }
  }
}

extension Ledger {
  /// The steps of the decision about what a client is told at a moment.
  ///
  /// The event of each is the one that last set the fields behind it, as `blame` names it, not the one that last
  /// touched their row.
  ///
  /// - Parameter head: The last event that the snapshot knows.
  package func steps(
    for client: Client, in snapshot: Snapshot, at moment: Timestamp, upTo head: Int64
  ) throws -> [DecisionStep] {
    // Several rows may have the same event, so each gets a negative number of its own in its place.
    var rows: [Int64: BlamedRow] = [:]
    func number(_ app: App, _ release: Release? = nil) -> Int64 {
      let number = -1 - Int64(rows.count)
      rows[number] = BlamedRow(app: app, release: release)
      return number
    }
    func numbered(_ line: AppState) -> AppState {
      var line = line
      line.app.event = number(line.app)
      for index in line.releases.indices {
        line.releases[index].event = number(line.app, line.releases[index])
      }
      return line
    }
    var asked = snapshot
    asked.line = numbered(snapshot.line)
    asked.others = snapshot.others.mapValues(numbered)
    var fields: [Int64: [FieldBlame]] = [:]
    return try Decider(asked, at: moment).explain(client).steps.map { step in
      guard let number = step.event, let row = rows[number] else { return step }
      let slug = row.app.slug
      let blamed =
        try fields[number] ?? row.release.map { try blame(app: slug, $0.version, upTo: head) }
        ?? blame(app: slug, upTo: head)
      fields[number] = blamed
      let names = row.names(of: step.step, at: moment)
      var explained = step
      explained.event =
        blamed.filter { names.contains($0.field) }.map(\.event.seq).max() ?? row.release?.event
        ?? row.app.event
      return explained
    }
  }
}
