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

  /// Members that identify the object, that only `unmark` needs, or that say how it was struck out.
  private static let passedOver: Set = [
    "app", "version", "id", "slug", "former", "locales", "superseded", "restored", "neverShipped",
  ]

  private static func fields(_ object: JSON) -> [String: JSON] {
    var fields: [String: JSON] = [:]
    for member in object.object?.members ?? [] where !passedOver.contains(member.key) {
      // Without a phase, it follows from the app and from going live, and may do so no more.
      if member.key == "remindAt", object["phase"] == .null { continue }
      guard case .object(let inner) = member.value else {
        fields[member.key] = member.value
        continue
      }
      for part in inner.members { fields["\(member.key).\(part.key)"] = part.value }
    }
    return fields
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
    var blamed: [String: [FieldBlame]] = [:]
    return try Decider(snapshot, at: moment).explain(client).steps.map { step in
      let (app, row, names): (App, String, [String])
      switch step.cause {
      case .app(let of):
        (app, row) = (of, "app/\(try id(ofApp: of.slug))")
        names = step.step == "policy" ? ["policy"] : step.step == "url" ? ["storeURL"] : of.switches
      case .release(let release, let of):
        (app, row, names) = (of, "release/\(release.id)", release.fields(of: step.step, at: moment))
      case .event, nil: return step
      }
      let fields = try blamed[row] ?? blame(row, of: app.slug, upTo: head)
      blamed[row] = fields
      var explained = step
      if let event = fields.filter({ names.contains($0.field) }).map(\.event.seq).max() {
        explained.cause = .event(event)
      }
      return explained
    }
  }
}

extension App {
  /// The field that silences it.
  fileprivate var switches: [String] { [isRetired ? "retired" : "stopped"] }
}

extension Release {
  /// The fields that a step of a decision follows from.
  fileprivate func fields(of step: String, at moment: Timestamp) -> [String] {
    switch step {
    case "mandatory": ["mandatory"]
    // As long as no phase is known, the days count from going live.
    case "phased": remindAt == nil ? ["liveAt"] : ["phase", "remindAt"]
    case "url": ["url"]
    case "target":
      // A superseded release has only its moment; a live one may be live for the second time, or be removed.
      isExpired(at: moment) ? ["expires"] : state == .superseded ? ["visibleAt"] : ["visibleAt", "state"]
    default: ["state"]
    }
  }
}
