package import ReleaseModel
import SQLite

extension ChangeSet {
  /// Adds a change of an app, unless the app accepts no such change or it would lead clients in a circle.
  ///
  /// - Throws: `LedgerError.guarded`.
  mutating func admit(
    _ change: Change, to slug: String, _ command: String, evidence: Int64? = nil
  ) throws {
    let other = try change.destination?.app.map { try line($0).app }
    try LedgerError.guarding(slug, command) { () throws(GuardViolation) in
      try after[slug]?.admit(change, leadingTo: other, at: now)
    }
    if let other { try checkNoCycle(command, from: slug, to: other.slug) }
    append(change, to: slug, evidence: evidence)
  }

  /// Strikes out an app under which nothing was ever recorded, and returns it as it was (law 9).
  ///
  /// - Throws: `LedgerError.guarded`.
  package mutating func void(_ slug: String) throws -> App {
    let app: App
    do {
      app = try line(slug).app
    } catch let LedgerError.noApp(name, known) {
      guard let gone = try ledger.struckOut(slug) else { throw LedgerError.noApp(name, known: known) }
      return gone
    }
    let tables = try ledger.tables(holding: slug)
    guard tables.isEmpty else {
      throw LedgerError.guarded(app: slug, command: "strike out the app", .inUse(tables))
    }
    try admit(.appVoided(app), to: slug, "strike out the app")
    return app
  }

  /// Refuses a command about a retired app if its change does not go through `admit`, such as taking in
  /// evidence.
  ///
  /// - Throws: `LedgerError.guarded`, `noApp`.
  package mutating func refuseRetired(_ slug: String, _ command: String) throws {
    let app = try line(slug).app
    guard app.isRetired else { return }
    throw LedgerError.guarded(app: slug, command: command, .retired(app: slug, event: app.event))
  }

  private mutating func checkNoCycle(_ command: String, from slug: String, to other: String) throws {
    var seen: [String: String] = [other: slug]
    var next = [other]
    while let current = next.popLast() {
      for step in try line(current).leadsTo.sorted() {
        if step == slug {
          var path = [slug]
          var back: String? = current
          while let place = back, place != slug {
            path.insert(place, at: 0)
            back = seen[place]
          }
          throw LedgerError.guarded(app: slug, command: command, .cycle([slug] + path))
        }
        if seen[step] == nil {
          seen[step] = current
          next.append(step)
        }
      }
    }
  }

  /// A URL as clients of an app get it.
  ///
  /// - Throws: `LedgerError.url`.
  package func url(_ text: String, for app: App) throws -> String {
    do {
      let url = try StoreURL(text)
      try url.check(hosts: hosts, for: app.platform)
      return url.text
    } catch {
      throw LedgerError.url(text, error)
    }
  }

  func checkAppleID(_ app: App) throws {
    guard let id = app.appleID, let owner = try ledger.owner(ofAppleID: id, platform: app.platform),
      owner != app.slug
    else { return }
    throw LedgerError.appleIDTaken(id, by: owner)
  }
}

extension App {
  /// The names of the options in which another app's details differ from this one's.
  func differences(from other: App) -> [String] {
    // Switches have commands of their own instead of options.
    let switches = ["stopped": "stop", "retired": "retire"]
    let (values, others) = (storedValues(app: nil), other.storedValues(app: nil))
    return App.columns.names.enumerated().compactMap { place, column in
      guard column != "event_seq", values[place] != others[place] else { return nil }
      return switches[column] ?? "--" + column.split(separator: "_").joined(separator: "-")
    }
  }
}

extension Ledger {
  fileprivate func tables(holding slug: String) throws -> [RecordTable] {
    try [RecordTable.release, .rule, .redirect, .setting].filter { table in
      let leads = table == .rule || table == .redirect ? " OR to_app = ?1" : ""
      return try connection.first(
        "SELECT 1 FROM \(table.rawValue) WHERE app_id = (SELECT id FROM app WHERE slug = ?1)\(leads) LIMIT 1",
        .text(slug), row: { _ in true }) != nil
    }
  }
}
