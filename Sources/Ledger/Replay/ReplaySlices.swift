import JSON
import ReleaseModel
import SQLite

extension Ledger {
  /// Passes the events of apps and those that belong to none, after one and up to another, to the body, in
  /// slices: those whose kind begins with a word, and `app.add`; else all that change what clients are told.
  func replay(
    apps: Set<String>, after first: Int64, upTo last: Int64, kind: String? = nil,
    _ body: (EventRecord) throws -> Void
  ) throws {
    let marks = apps.map { _ in "?" }.joined(separator: ", ")
    let kinds =
      kind == nil
      ? "kind NOT GLOB 'evidence.*' AND kind <> 'request'" : "(kind = 'app.add' OR kind GLOB ? || '.*')"
    try replay(
      after: first, upTo: last, where: "(app IN (\(marks)) OR app IS NULL) AND \(kinds)",
      values: apps.sorted().map { .text($0) } + (kind.map { [.text($0)] } ?? []), body)
  }

  /// Passes events after one and up to another that meet a condition to the body, oldest first and in slices:
  /// no lock is held while it runs.
  func replay(
    after first: Int64, upTo last: Int64, where condition: String, values: [Value],
    _ body: (EventRecord) throws -> Void
  ) throws {
    // Read by number: with the index by app, SQLite would go through all events of each app for every slice.
    let sql = """
      SELECT \(Ledger.eventColumns) FROM event NOT INDEXED
      WHERE seq BETWEEN ? AND ? AND \(condition) ORDER BY seq
      """
    var done = first
    while let bottom = try number(after: done), bottom <= last {
      // The difference is never negative, so nothing overflows however far apart the numbers are.
      done = last - bottom < sliceOfEvents ? last : bottom + (sliceOfEvents - 1)
      let events = try query(sql, values: [.integer(bottom), .integer(done)] + values) { try event(from: $0) }
      for event in events { try body(event) }
    }
  }

  /// Some apps, and every app that one of their rules or redirects ever led to.
  func everInvolved(_ slugs: Set<String>, upTo last: Int64) throws -> Set<String> {
    var apps = slugs
    try replay(
      after: 0, upTo: last,
      where: "app IN (SELECT value FROM json_each(?)) AND (kind GLOB 'rule.*' OR kind GLOB 'redirect.*')",
      values: [.text(JSON.array(slugs.map(JSON.string)).text())]
    ) { event in
      if let other = event.json["after"]?["to"]?.string { apps.insert(other) }
    }
    return apps
  }
}
