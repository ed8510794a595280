package import ReleaseModel
import SQLite

extension Ledger {
  /// The part of an app that its schedule depends on from a moment on, with the newest release in each state.
  ///
  /// - Throws: `LedgerError.noApp`.
  package func snapshot(_ slug: String, from moment: Timestamp) throws -> Snapshot {
    try snapshot(slug) { try part(of: $0, from: moment) }
  }

  /// The part of an app that its schedule depends on from the last event on, with the newest release in each state.
  ///
  /// - Throws: `LedgerError.noApp`.
  package func present(_ slug: String) throws -> Snapshot {
    try snapshot(slug, from: head().at ?? .distantPast)
  }

  /// What an app's schedule depends on from a moment on, with the newest release in each state.
  ///
  /// Left out are most releases superseded long ago: no one is sent to them, and their clients are told the same
  /// as those of versions that no one recorded.
  func part(of slug: String, from moment: Timestamp) throws -> AppState {
    let app = try app(slug)
    var state = AppState(app: app)
    try readRules(into: &state)
    // Of the releases that need the same system, the newest down to the first superseded one that is visible
    // to everyone, so that the newest in each state is there.
    let released = "past = 0 AND state IN ('live', 'superseded', 'removed')"
    for system in try systems(of: slug) {
      try readReleases(
        into: &state, where: "min_os IS ? AND \(released)", [system], order: Ledger.newestFirst
      ) {
        // One that needs more than was recorded is in no one's way on the system that is.
        $0.hidesOlder(on: nil, at: moment) && $0.state == .superseded && $0.minOS == $0.recordedMinOS
      }
    }
    try readReleases(into: &state, where: "mandatory = 1", order: Ledger.newestFirst) {
      $0.isVisible(at: moment)
    }
    // The releases that stand out: in review or not yet, live, removed, struck out, past.
    let states = ReleaseState.allCases.filter { $0 != .superseded }.map { "'\($0.rawValue)'" }
    try readReleases(into: &state, where: "past = 0 AND state IN (\(states.joined(separator: ", ")))")
    try readReleases(into: &state, where: "past = 1")
    // And those that something is to be done about, with one that was phased, if any was.
    try readReleases(into: &state, where: "asc_build_by IS NOT NULL OR asc_min_os_by IS NOT NULL")
    try readReleases(into: &state, where: "phase IS NOT NULL", order: Ledger.newestFirst) { _ in true }
    try readNotes(into: &state)
    return state
  }

  private func systems(of slug: String) throws -> [SQLite.Value] {
    let next = "SELECT min(min_os) FROM release_row WHERE app_id = app.id AND past = 0"
    return try query(
      """
      WITH RECURSIVE app (id) AS (SELECT id FROM app_row WHERE slug = ?),
        need (id, os) AS (SELECT id, (\(next)) FROM app
          UNION ALL SELECT id, (\(next) AND min_os > need.os) FROM need JOIN app USING (id) WHERE os IS NOT NULL)
      SELECT os FROM need
      """, .text(slug)
    ) { try $0.value(0) }
  }

  func readReleases(into state: inout AppState, of version: Version) throws {
    try readReleases(into: &state, where: "key = ?", [.text(VersionKey(version).text)])
  }

  /// When a release of a version was last recorded; nil if a past release or none was.
  func publishedAt(_ slug: String, _ version: Version) throws -> Timestamp? {
    try first(
      "SELECT at FROM event_row WHERE kind = 'release.publish' AND app = ? AND version = ? ORDER BY seq DESC LIMIT 1",
      .text(slug), .text(version.text)
    ) { try Timestamp($0.text(0)) }
  }

  /// How many versions are recorded between two keys; one that was struck out counts as never recorded.
  package func versionCount(of slug: String, from lo: VersionKey, to hi: VersionKey) throws -> Int {
    let count = try first(
      "SELECT count(*) FROM release_row WHERE \(Ledger.ofApp) AND key >= ? AND key < ? AND state <> 'void'",
      values: [slug, lo.text, hi.text].map(SQLite.Value.text)
    ) { try $0.integer(0) }
    return Int(clamping: count ?? 0)
  }

  /// The release of a version: the one that counts, else the last that was struck out, or nil.
  package func release(_ version: Version, of slug: String) throws -> Release? {
    var state = AppState(app: try app(slug))
    try readReleases(into: &state, of: version)
    try readNotes(into: &state)
    return state.release(version)
  }

  /// Just below the least version that has documents of its own; the end of the line if none has.
  package func leastDocumented(of slug: String) throws -> VersionKey {
    let key = try first(
      "SELECT min(key) FROM release_row WHERE \(Ledger.ofApp) AND state <> 'void' AND (past = 1 OR live_at IS NOT NULL)",
      .text(slug)
    ) { try $0.optionalText(0) }
    return key.flatMap { $0 }.flatMap(VersionKey.init) ?? .end
  }

  static let newestFirst = "ORDER BY key DESC"
}
