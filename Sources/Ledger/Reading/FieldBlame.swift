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
