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

  /// Each field of a release with the event that last changed it, by name. Events are replayed, not looked
  /// up: a change of another release can supersede this one, or make it live again.
  package func blame(app slug: String, _ version: Version, upTo last: Int64? = nil) throws -> [FieldBlame] {
    var state = LedgerState()
    // A version number may be used again once its release was struck out, so there may be several releases.
    var found: [Int64: [String: FieldBlame]] = [:]
    try replay(
      after: 0, upTo: try last ?? head().seq,
      where: "app = ? AND (kind = 'app.add' OR kind GLOB 'release.*')",
      values: [.text(slug)]
    ) { event in
      let change = try event.change()
      if let release = change.release, release.version == version, found[release.id] == nil {
        found[release.id] = [:]
      }
      let watched = found.keys.map { ($0, state.lines[slug]?.release(id: $0)) }
      state.apply(change, app: event.app, seq: event.seq, at: nil)
      for (id, before) in watched {
        guard let after = state.lines[slug]?.release(id: id), after.event == event.seq else { continue }
        let (old, new) = (Fields(before?.json(app: slug)), Fields(after.json(app: slug)))
        for field in Set(old.values.keys).union(new.values.keys) {
          let (was, value) = (before == nil ? nil : old.values[field] ?? .null, new.values[field] ?? .null)
          if was != value {
            found[id]?[field] = FieldBlame(field: field, value: value, was: was, event: event)
          }
        }
      }
    }
    guard let id = state.lines[slug]?.release(version)?.id else { return [] }
    return (found[id] ?? [:]).values.sorted { $0.field < $1.field }
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

extension AppState {
  func release(id: Int64) -> Release? {
    var low = 0
    var high = releases.count
    while low < high {
      let middle = low + (high - low) / 2
      if releases[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < releases.count && releases[low].id == id ? releases[low] : nil
  }
}
