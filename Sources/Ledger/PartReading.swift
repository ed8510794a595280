import ReleaseModel
import SQLite

/// Reads only as much of an app as a change of one release depends on.
extension Ledger {
  /// The part of an app that decides what clients of every version are told from a moment on, as long as they
  /// do not say which system they run on.
  ///
  /// The releases that are left out were superseded long ago: their clients are told the same as those of the
  /// two nearest releases that were read, and nobody is sent to them.
  ///
  /// - Parameters:
  ///   - version: The release that a change is about; nil if the app is only looked at. The whole app is read
  ///     if the version is not recorded and could not be published, since somebody will be told which one is
  ///     near.
  ///   - moment: When the change is made.
  func part(of slug: String, around version: Version?, from moment: Timestamp) throws -> ReleaseLine {
    try reading {
      var line = ReleaseLine(app: try app(slug))
      try readRules(into: &line)
      let descent = Descent(os: nil, at: moment)
      try readReleases(into: &line, where: "TRUE", order: Ledger.newestFirst) {
        $0.version != version && descent.ends(with: $0)
      }
      try readReleases(into: &line, where: "mandatory = 1", order: Ledger.newestFirst) {
        $0.version != version && $0.isVisible(at: moment)
      }
      if let version { try readReleases(into: &line, of: version) }
      // The releases that stand out: in review or not yet, live, removed, struck out, past.
      let states = ReleaseState.allCases.filter { $0 != .superseded }.map { "'\($0.rawValue)'" }
      try readReleases(into: &line, where: "past = 0 AND state IN (\(states.joined(separator: ", ")))")
      try readReleases(into: &line, where: "past = 1")
      line.putInOrder()
      if let version, line.release(version) == nil, let newest = line.newest, version < newest.version {
        return try self.line(slug)
      }
      let bounds = line.bounds(with: version)
      guard try hasReleases(of: slug, moreThan: Ledger.readsPerBound * bounds.count) else {
        return try self.line(slug)
      }
      try readNeighbours(of: bounds, into: &line)
      line.putInOrder()
      if let version, let named = line.release(version) {
        try readNotes(into: &line, of: "?", [.integer(named.id)])
      }
      return line
    }
  }

  /// How many releases can be read in the time it takes to find those beside one bound.
  private static let readsPerBound = 4

  /// Reads the plain releases just below and just above each bound, and those recorded just before and just
  /// after each release that stands out, which may have been recorded out of order.
  private func readNeighbours(of bounds: Set<Version>, into line: inout ReleaseLine) throws {
    // The plus signs keep SQLite from using the index on the state, which is not in order of version.
    let plain = "+past = 0 AND +state = 'superseded'"
    for bound in bounds {
      let values = Ledger.values(bound)
      try readReleases(
        into: &line, where: "\(plain) AND \(Ledger.key) < (?, ?, ?, ?)", values,
        order: Ledger.newestFirst + " LIMIT 1")
      try readReleases(
        into: &line, where: "\(plain) AND \(Ledger.key) >= (?, ?, ?, ?)", values,
        order: "ORDER BY major, minor, patch, fourth LIMIT 2")
    }
    let byNumber = "past = 0 AND state = 'superseded' AND id"
    for release in line.releases where !release.isPlain {
      let id = SQLite.Value.integer(release.id)
      try readReleases(into: &line, where: "\(byNumber) < ?", [id], order: "ORDER BY id DESC LIMIT 1")
      try readReleases(into: &line, where: "\(byNumber) > ?", [id], order: "ORDER BY id LIMIT 1")
    }
  }

  /// Reads the releases of a version: the one that counts, and void ones.
  func readReleases(into line: inout ReleaseLine, of version: Version) throws {
    try readReleases(into: &line, where: "\(Ledger.key) = (?, ?, ?, ?)", Ledger.values(version))
  }

  private func hasReleases(of slug: String, moreThan count: Int) throws -> Bool {
    try connection.first(
      "SELECT 1 FROM release WHERE app_id = (SELECT id FROM app WHERE slug = ?) LIMIT 1 OFFSET ?",
      .text(slug), .integer(Int64(count)), row: { _ in true }) ?? false
  }

  /// How many releases of an app that were not read lie between two versions that were.
  func leftOut(of line: ReleaseLine, from first: Version, to last: Version) throws -> Int {
    guard first != last else { return 0 }
    let count = try connection.first(
      """
      SELECT count(*) FROM release WHERE app_id = (SELECT id FROM app WHERE slug = ?)
        AND \(Ledger.key) BETWEEN (?, ?, ?, ?) AND (?, ?, ?, ?)
      """, values: [.text(line.app.slug)] + Ledger.values(first) + Ledger.values(last)
    ) { try $0.integer(0) }
    let read = line.releases.count { first <= $0.version && $0.version <= last }
    return max(0, Int(clamping: count ?? 0) - read)
  }

  /// A version as the columns of the index.
  private static let key = "(major, minor, patch, fourth)"
  static let newestFirst = "ORDER BY major DESC, minor DESC, patch DESC, fourth DESC"

  private static func values(_ version: Version) -> [SQLite.Value] {
    (0..<4).map { .integer(version.component($0)) }
  }
}
