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
  /// Each field of an app with the event up to the last given that last changed it, by name; empty if none is
  /// about it.
  package func blame(app slug: String, upTo last: Int64? = nil) throws -> [FieldBlame] {
    var fields: [String: FieldBlame] = [:]
    try eachEvent(HistoryFilter(app: slug, kind: "app", last: last)) { event in
      let (before, after) = (Fields(event.json["before"]), Fields(event.json["after"]))
      // Events come newest first, so the first one found to change a field is the last that changed it.
      for (field, value) in after.values where fields[field] == nil {
        let was = before.isThere ? before.values[field] ?? .null : nil
        if was != value {
          fields[field] = FieldBlame(field: field, value: value, was: was, event: event)
        }
      }
      return event.kind != "app.add"
    }
    return fields.values.sorted { $0.field < $1.field }
  }

  /// Each field of a release with the event up to the last given that last changed it, by name.
  ///
  /// The changes are applied anew, since one of another release can supersede this one, or make it live again.
  package func blame(app slug: String, _ version: Version, upTo last: Int64? = nil) throws -> [FieldBlame] {
    var state: AppState?
    // A version number may be used again once its release was struck out, so there may be several releases.
    var known: [Int64: (json: Fields, fields: [String: FieldBlame])] = [:]
    try eachEvent(of: [slug], upTo: try last ?? head().seq) { event in
      guard event.app == slug, event.kind == "app.add" || event.kind.hasPrefix("release.") else { return }
      for case let release as Release in try event.change().apply(to: &state, event: event.seq).map(\.record)
      where release.version == version {
        let new = Fields(release.json(app: slug))
        let old = known[release.id]
        var fields = old?.fields ?? [:]
        for field in Set(new.values.keys).union(old?.json.values.keys ?? [:].keys) {
          let (was, value) = (old.map { $0.json.values[field] ?? .null }, new.values[field] ?? .null)
          if was != value { fields[field] = FieldBlame(field: field, value: value, was: was, event: event) }
        }
        known[release.id] = (new, fields)
      }
    }
    guard let id = state?.release(version)?.id else { return [] }
    return (known[id]?.fields ?? [:]).values.sorted { $0.field < $1.field }
  }
}

private struct Fields {
  let isThere: Bool
  private(set) var values: [String: JSON] = [:]

  /// Members that identify the object, or that only `unmark` needs.
  private static let passedOver: Set = [
    "app", "version", "id", "slug", "former", "locales", "superseded", "restored",
  ]

  init(_ object: JSON?) {
    let members = object?.object?.members ?? []
    isThere = !members.isEmpty
    for member in members where !Fields.passedOver.contains(member.key) {
      guard case .object(let inner) = member.value else {
        values[member.key] = member.value
        continue
      }
      for part in inner.members { values["\(member.key).\(part.key)"] = part.value }
    }
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
