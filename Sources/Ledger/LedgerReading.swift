package import ReleaseModel
import SQLite

extension Ledger {
  /// All apps, by slug.
  ///
  /// - Throws: `LedgerError`.
  package func apps() throws -> [App] {
    try reading {
      try records(App.self, where: "TRUE", order: "ORDER BY slug").map(checked)
    }
  }

  /// One app.
  ///
  /// - Throws: `LedgerError.noApp` with the slugs there are.
  package func app(_ slug: String) throws -> App {
    let found = try reading {
      try records(App.self, where: "slug = ?", .text(slug)).first.map(checked)
    }
    guard let found else {
      let slugs = try reading {
        try connection.query("SELECT slug FROM app ORDER BY slug") { try $0.text(0) }
      }
      throw LedgerError.noApp(slug, known: slugs)
    }
    return found
  }

  /// One app with all that is recorded under it.
  ///
  /// - Parameter withNotes: Whether the releases have their notes, which no decision depends on.
  /// - Throws: `LedgerError.noApp`.
  package func line(_ slug: String, withNotes: Bool = true) throws -> ReleaseLine {
    try reading {
      var line = ReleaseLine(app: try app(slug))
      var hasNotes = false
      var isInOrder = true
      // SQLite reads them by an index on the version, in which they mostly come by number, too: sorting them all, as
      // it would where it is told to, costs it more than reading them.
      let columns = Columns(of: Release.self).count
      try forEachRecord(
        Release.self, where: "app_id = (SELECT id FROM app WHERE slug = ?)", values: [.text(slug)], order: "",
        extra: ["notes"]
      ) { release, row in
        if try row.integer(columns) > 0 { hasNotes = true }
        if line.releases.count == Ledger.manyReleases {
          // Growing bit by bit would need twice the memory in the end.
          line.releases.reserveCapacity(try releaseCount(of: slug))
        }
        if let last = line.releases.last, last.id > release.id { isInOrder = false }
        line.releases.append(release)
        if release.isPast { line.hasPast = true }
        return true
      }
      if !isInOrder { line.releases.sort { $0.id < $1.id } }
      try readRules(into: &line)
      guard withNotes, hasNotes else { return line }
      var position = 0
      try connection.forEach(
        """
        SELECT release_id, locale, text FROM note WHERE release_id IN (
          SELECT id FROM release WHERE app_id = (SELECT id FROM app WHERE slug = ?) AND notes > 0)
        ORDER BY release_id, position
        """, .text(slug)
      ) { row in
        let id = try row.integer(0)
        while position < line.releases.count, line.releases[position].id < id { position += 1 }
        if position < line.releases.count, line.releases[position].id == id {
          line.releases[position].notes.append(Note(locale: try row.text(1), text: try row.text(2)))
        }
        return true
      }
      return line
    }
  }

  /// From how many releases on it is worth its while to count them first.
  private static let manyReleases = 1_024

  private func releaseCount(of slug: String) throws -> Int {
    let count = try connection.first(
      "SELECT count(*) FROM release WHERE app_id = (SELECT id FROM app WHERE slug = ?)", .text(slug)
    ) { try $0.integer(0) }
    return Int(clamping: count ?? 0)
  }

  /// What is believed beyond Apple's own store, in the order it was said.
  ///
  /// - Throws: `LedgerError`.
  package func trusts() throws -> [Trust] {
    try reading {
      try records(Trust.self, where: "TRUE")
    }
  }

  /// An app whose slug may be part of a path; it is the one text of a ledger that is.
  private func checked(_ app: App) throws -> App {
    guard App.isSlug(app.slug) else {
      throw LedgerError.unreadableRow("column slug of a row of table app in \(path)")
    }
    return app
  }

  /// Everything an app's decisions depend on.
  ///
  /// - Parameter withNotes: Whether the releases have their notes, too.
  /// - Throws: `LedgerError.noApp`.
  package func snapshot(_ slug: String, withNotes: Bool = true) throws -> Snapshot {
    let line = try line(slug, withNotes: withNotes)
    var others: [String: ReleaseLine] = [:]
    for other in line.leadsTo { others[other] = try self.line(other, withNotes: withNotes) }
    return Snapshot(line: line, others: others, hosts: try trusts().hosts)
  }
}

extension [Trust] {
  /// The hosts that URLs may name, those of Apple's store included.
  package var hosts: Set<String> {
    StoreURL.storeHosts.union(filter { $0.kind == .host }.map(\.value))
  }
}
