import Crypto
import JSON
package import ReleaseModel
import SQLite

/// The schedule of an app as the ledger keeps it, with the event that made it.
package struct StoredSchedule: Sendable {
  package let generation: Int64
  package let hash: String
  package let digest: String
  package let rows: [Tile]
}

extension Ledger {
  /// The stored schedule of an app, whose answers name releases of its snapshot, or others until now.
  ///
  /// - Throws: `LedgerError.unreadableRow` if someone altered it.
  package func storedSchedule(of snapshot: Snapshot) throws -> StoredSchedule {
    let slug = snapshot.line.app.slug
    var lines = snapshot.others.merging([slug: snapshot.line]) { $1 }
    func release(_ app: String, _ version: String) throws -> Release? {
      // A row of the past may lead to an app that nothing leads to now.
      if lines[app] == nil, try apps().contains(where: { $0.slug == app }) { lines[app] = try line(app) }
      guard let version = try? Version(version), let line = lines[app] else { return nil }
      if let release = line.release(version) { return release }
      return try self.release(version, of: line.app.slug)
    }
    let found = try first(
      "SELECT app_id, event_seq, hash, digest FROM generation_row JOIN event_row ON seq = event_seq WHERE \(Ledger.ofApp)",
      .text(slug)
    ) { (try $0.integer(0), try $0.integer(1), try $0.text(2), try $0.text(3)) }
    guard let found else {
      throw LedgerError.unreadableRow("generation of \(slug) in \(path): it names no event")
    }
    let rows = try query(
      """
      SELECT \(Tile.members.map(\.column).joined(separator: ", ")) FROM answer_row
      WHERE app_id = ? ORDER BY lo, valid_from
      """, .integer(found.0)
    ) { row -> Tile in
      var cells: [String: JSON] = [:]
      for (column, member) in Tile.members.enumerated() {
        let value = try row.value(column)
        cells[member.name] =
          switch value {
          case .integer(let number): member.kind == .flag ? .bool(number == 1) : .integer(number)
          case .text(let text): .string(text)
          default: nil
          }
      }
      guard let tile = try Tile(release: release, { cells[$0.name] }) else {
        throw LedgerError.unreadableRow("a row of table answer in \(path)")
      }
      return tile
    }
    return StoredSchedule(generation: found.1, hash: found.2, digest: found.3, rows: rows)
  }

  /// What tells the stored schedule of each app from every other, by slug, unless someone deleted its row.
  package func storedHeads() throws -> [(slug: String, generation: Int64, hash: String, digest: String)] {
    try query(
      """
      SELECT slug, generation_row.event_seq, hash, digest
      FROM generation_row JOIN app_row ON id = app_id JOIN event_row ON seq = generation_row.event_seq ORDER BY slug
      """
    ) { (try $0.text(0), try $0.integer(1), try $0.text(2), try $0.text(3)) }
  }

  /// By slug; the ledger's last event if someone deleted the app's row.
  package func generations() throws -> [(slug: String, generation: Int64)] {
    try query(
      """
      SELECT slug, coalesce(generation_row.event_seq, (SELECT max(seq) FROM event_row))
      FROM app_row LEFT JOIN generation_row ON app_id = id ORDER BY slug
      """
    ) { row in (slug: try row.text(0), generation: try row.integer(1)) }
  }

  /// What documents of each app are made from: its generation, and a digest that changes with anything recorded that
  /// its snapshot holds.
  ///
  /// The hash of an app's newest event stands for all that was recorded of it: no row changes without an event of its
  /// own app. So do those of the apps that it leads to; hosts are trusted for all.
  package func origins() throws -> [(slug: String, generation: Int64, digest: String)] {
    let newest = try query(
      "SELECT slug, (SELECT hash FROM event_row WHERE seq = (SELECT max(seq) FROM event_row WHERE app = slug)) FROM app_row"
    ) { row in (try row.text(0), try row.optionalText(1) ?? "") }
    let hashes = Dictionary(newest, uniquingKeysWith: { $1 })
    var others: [String: [String]] = [:]
    for table in [RecordTable.redirect.rows, RecordTable.rule.rows] {
      try forEach(
        "SELECT slug, to_app FROM \(table) JOIN app_row ON id = app_id WHERE active = 1 AND to_app IS NOT NULL"
      ) { row in
        others[try row.text(0), default: []].append(try row.text(1))
        return true
      }
    }
    let hosts = try trusts().hosts.sorted().joined(separator: " ")
    return try generations().map { slug, generation in
      let lines = Set([slug] + (others[slug] ?? [])).sorted().map { "\($0) \(hashes[$0] ?? "")" }
      let text = "\(generation)\n\(hosts)\n\(lines.joined(separator: "\n"))"
      return (slug, generation, SHA256.hexadecimal(of: Array(text.utf8)))
    }
  }

  /// The last event that changed what an app's clients are told; 0 if there is no such app.
  package func generation(of slug: String) throws -> Int64 {
    try generations().first { $0.slug == slug }?.generation ?? 0
  }

  /// Where the documents are written after every change; nil if no one has set it.
  package func publication() throws -> Publication? {
    try records(Publication.self, where: "TRUE").first
  }
}

extension Ledger {
  /// What it changes for clients that this ledger goes on where another one spoke.
  ///
  /// - Parameter replaced: Those first who are told most: what others are told is news only where it differs.
  package func impact(ofReplacing replaced: [Replacement], at now: Timestamp) throws -> Impact {
    var (lines, rest): ([ImpactLine], Impact.Rest) = ([], .nothing)
    for (before, after, others) in replaced {
      let slug = after.app
      let snapshot =
        try generation(of: slug) > 0
        ? snapshot(slug) : Snapshot(line: AppState(app: App(slug: slug, bundleID: "")))
      let recorded = snapshot.line.recordedVersions
      let impact = Impact(
        ComparedCase(after.differences(from: before, since: now), of: snapshot), usage: try usage(of: slug)
      ) { recorded.positions(from: $0, to: $1).count }
      lines += impact.lines.filter { line in !lines.contains { $0.begins(as: line) } }
      rest = max(rest, impact.rest, others)
    }
    return Impact(lines: lines, rest: rest)
  }
}
