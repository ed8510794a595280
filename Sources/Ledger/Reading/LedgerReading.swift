package import ReleaseModel
import SQLite

extension Ledger {
  /// All apps, by slug.
  package func apps() throws -> [App] {
    try records(App.self, where: "TRUE", order: "ORDER BY slug").map(checked)
  }

  /// - Throws: `LedgerError.noApp` with the slugs there are.
  package func app(_ slug: String) throws -> App {
    guard let found = try records(App.self, where: "slug = ?", .text(slug)).first.map(checked) else {
      let slugs = try query("SELECT slug FROM app_row ORDER BY slug") { try $0.text(0) }
      throw LedgerError.noApp(slug, known: slugs)
    }
    return found
  }

  /// One app with everything recorded under it; no decision depends on notes.
  ///
  /// - Throws: `LedgerError.noApp`.
  package func line(_ slug: String, withNotes: Bool = true) throws -> AppState {
    var state = AppState(app: try app(slug))
    // The condition names the version, so SQLite goes by the index on it, and each release comes after the last one.
    try forEachRecord(Release.self, where: "\(Ledger.ofApp) AND key >= ''", values: [.text(slug)], order: "")
    { release in
      state.put(release)
      return true
    }
    try readRules(into: &state)
    if withNotes {
      try readNotes(
        into: &state,
        of: "SELECT id FROM release_row WHERE \(Ledger.ofApp) AND notes > 0", [.text(slug)])
    }
    return state
  }

  /// The part of an app that the answer to one client depends on; nil for another app's client who is sent
  /// here.
  private func line(_ slug: String, for version: Version?, os: Version?, at moment: Timestamp) throws
    -> AppState
  {
    let app = try app(slug)
    var state = AppState(app: app)
    try readReleases(into: &state, where: "TRUE", order: Ledger.newestFirst) {
      $0.hidesOlder(on: os, at: moment)
    }
    if let version {
      try readReleases(into: &state, of: version)
      try readReleases(into: &state, where: "mandatory = 1", order: Ledger.newestFirst) {
        $0.isVisible(at: moment)
      }
      try readRules(into: &state)
      // Whether they have documents of their own, and which were never released, says which settings all others share.
      if !state.settings.isEmpty {
        try readReleases(into: &state, where: "past = 0 AND state NOT IN ('live', 'superseded', 'removed')")
      }
      let edges = state.settings.flatMap { [$0.range.start.version, $0.range.end.version] }
      for version in Set(edges.compactMap(\.self)) {
        try readReleases(into: &state, of: version)
      }
    }
    try readNotes(into: &state)
    return state
  }

  /// The condition for the rows of an app.
  static let ofApp = "app_id = (SELECT id FROM app_row WHERE slug = ?)"

  /// Reads releases of an app into its state, in no particular order unless one is asked for, until the last.
  func readReleases(
    into state: inout AppState, where condition: String, _ values: [SQLite.Value] = [],
    order: String = "", until isLast: (Release) -> Bool = { _ in false }
  ) throws {
    // Read by their numbers, releases that are found in different ways need one statement with all their columns.
    try forEach(
      "SELECT id FROM release_row WHERE \(Ledger.ofApp) AND \(condition) \(order)",
      values: [.text(state.app.slug)] + values
    ) { row in
      guard let release = try records(Release.self, where: "id = ?", row.value(0)).first else { return true }
      state.put(release)
      return !isLast(release)
    }
  }

  /// Reads the notes of an app's releases into its state: of those in it, or of those whose numbers some SQL gives.
  func readNotes(into state: inout AppState, of releases: String? = nil, _ values: [SQLite.Value] = []) throws
  {
    let own = releases == nil ? state.everRecorded.map { SQLite.Value.integer($0.id) } : values
    let ids = releases ?? own.map { _ in "?" }.joined(separator: ", ")
    var notes: [Int64: [Note]] = [:]
    try forEach(
      "SELECT release_id, locale, text FROM note_row WHERE release_id IN (\(ids)) ORDER BY release_id, position",
      values: own
    ) { row in
      notes[try row.integer(0), default: []].append(Note(locale: try row.text(1), text: try row.text(2)))
      return true
    }
    state.add(notes)
  }

  /// How many releases are recorded under an app.
  package func releaseCount(of slug: String) throws -> Int {
    let count = try first("SELECT count(*) FROM release_row WHERE \(Ledger.ofApp)", .text(slug)) {
      try $0.integer(0)
    }
    return Int(clamping: count ?? 0)
  }

  /// What is trusted beyond Apple's own store, in the order in which it was added.
  package func trusts() throws -> [Trust] {
    try records(Trust.self, where: "TRUE")
  }

  /// What was trusted once, and then no longer.
  package func distrusted() throws -> [Trust] {
    try history(HistoryFilter(kind: EventKind.trustRemove.rawValue)).compactMap { event in
      guard case .distrusted(let trust) = try event.change() else { return nil }
      return trust
    }
  }

  /// Returns an app if its slug is valid, since slugs become part of paths; no other text of a ledger does.
  private func checked(_ app: App) throws -> App {
    guard App.isSlug(app.slug) else {
      throw LedgerError.unreadableRow("column slug of a row of table app in \(path)")
    }
    return app
  }

  /// - Throws: `LedgerError.noApp`.
  package func snapshot(_ slug: String, withNotes: Bool = true) throws -> Snapshot {
    try snapshot(slug) { try line($0, withNotes: withNotes) }
  }

  func snapshot(_ slug: String, _ read: (String) throws -> AppState) throws -> Snapshot {
    let state = try read(slug)
    var others: [String: AppState] = [:]
    for other in state.leadsTo { others[other] = try read(other).asDestination }
    return Snapshot(line: state, others: others, hosts: try trusts().hosts)
  }

  /// The part of a snapshot that the answer to one client at one moment depends on.
  ///
  /// - Throws: `LedgerError.noApp`.
  package func snapshot(_ slug: String, for client: Client, at moment: Timestamp) throws -> Snapshot {
    // What a system is called is up to the client's platform, wherever the client is sent.
    let os = try client.os.map(app(slug).platform.system)
    return try snapshot(slug) { try line($0, for: $0 == slug ? client.version : nil, os: os, at: moment) }
  }
}

extension [Trust] {
  package var hosts: Set<String> {
    StoreURL.storeHosts.union(filter { $0.kind == .host }.map(\.value))
  }
}

extension Ledger {
  func readRules(into state: inout AppState) throws {
    let slug = Value.text(state.app.slug)
    let inForce = "\(Ledger.ofApp) AND active = 1"
    state.rules = try records(Rule.self, where: inForce, slug)
    state.redirects = try records(Redirect.self, where: inForce, slug)
    state.settings = try records(Setting.self, where: inForce, slug)
  }

  /// What an app had once, and no longer has.
  package func inactive<Value: Liftable>(_ type: Value.Type, of app: String) throws -> [Value] {
    try records(type, where: "\(Ledger.ofApp) AND active = 0", .text(app))
  }

  func slugs(leadingTo slugs: Set<String>) throws -> Set<String> {
    var leading: Set<String> = []
    for slug in slugs {
      leading.formUnion(
        try query(
          """
          SELECT slug FROM app_row WHERE id IN (
            SELECT app_id FROM redirect_row WHERE to_app = ?1 AND active = 1
            UNION SELECT app_id FROM rule_row WHERE to_app = ?1 AND active = 1)
          """, .text(slug)
        ) { try $0.text(0) })
    }
    return leading
  }

  func nextNumber(of table: RecordTable) throws -> Int64 {
    try first("SELECT coalesce(max(number), 0) + 1 FROM \(table.rows)") { try $0.integer(0) } ?? 1
  }
}

extension Ledger {
  static let eventColumns = EventRecord.columns.list

  /// - Throws: `LedgerError.unreadableRow` for what pawl never writes.
  func event(from row: Row) throws -> EventRecord {
    var reader = RowReader(count: EventRecord.columns.count)
    do {
      return try reader.read(row)
    } catch let fault as FieldFault {
      throw LedgerError.unreadableRow("column \(fault.name) of a row of table event in \(path)")
    }
  }

  /// An event; one without content but its hash where it holds what pawl never writes.
  func anyEvent(from row: Row) throws -> EventRecord {
    do {
      return try event(from: row)
    } catch LedgerError.unreadableRow {
      var event = EventRecord(seq: try row.integer(0), at: "", kind: "", actor: "")
      event.hash = (try? row.text(EventRecord.columns.count - 1)) ?? ""
      return event
    }
  }
}

extension EventRecord {
  /// - Throws: `LedgerError.unreadableEvent` if it says something that its kind cannot say.
  package func change() throws -> Change { try decoded().change }

  /// The change, and the other release that it moves.
  ///
  /// - Throws: `LedgerError.unreadableEvent` if it says something that its kind cannot say.
  package func decoded() throws -> (change: Change, moved: MovedRelease) {
    guard format <= EventRecord.currentFormat, let kind = EventKind(rawValue: kind),
      let read = Change.reading(kind, app: app, before: before?.utf8, after: after?.utf8)
    else { throw LedgerError.unreadableEvent(seq) }
    return read
  }
}
