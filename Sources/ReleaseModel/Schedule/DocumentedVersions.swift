/// Which versions have documents of their own, and what clients of all others are told instead of what is decided.
package struct DocumentedVersions {
  private let keys: [VersionKey]
  private let settings: [String: String]

  /// - Parameter snapshot: One with all releases, of which those that were ever live have documents.
  package init(_ snapshot: Snapshot, at moment: Timestamp) {
    self.init(snapshot.released, snapshot, at: moment)
  }

  /// - Parameter documented: Those that have documents, ascending.
  package init(_ documented: [Release], _ snapshot: Snapshot, at moment: Timestamp) {
    keys = documented.map { VersionKey($0.version) }
    settings = snapshot.settingsOfUnknown(at: moment)
  }

  /// The part of a range that is told something by the decision and something else by `default.json`: all of it if none
  /// of its versions has a document, else what lies below all that have one; nil for nothing.
  package func misinformed(
    _ range: VersionRange, told action: Action, _ settings: [String: String]
  ) -> VersionRange? {
    guard action != .none || settings != self.settings else { return nil }
    let place = keys.firstPosition { range.start <= $0 }
    guard place < keys.count, keys[place] < range.end else { return range }
    return place == 0 ? VersionRange(from: range.start, to: keys[0]) : nil
  }

  /// Whether a version is such a part.
  package func misinforms(_ version: Version, told action: Action, _ settings: [String: String]) -> Bool {
    VersionRange(from: VersionKey(version), to: .after(version)).flatMap {
      misinformed($0, told: action, settings)
    } != nil
  }
}

extension Snapshot {
  /// The releases that were ever live, ascending: those that have documents of their own.
  package var released: [Release] { line.knownPositions.map { line.releases[$0] }.filter(\.wasReleased) }

  /// The settings of a version without a document, which may be in review, greater than all that were live.
  package func settingsOfUnknown(at moment: Timestamp) -> [String: String] {
    let settings = line.settings.filter { setting in
      guard setting.isActive(at: moment), setting.range.upper == nil else { return false }
      return setting.range.lower.map { lower in line.greatestEverLive.map { lower.version <= $0 } ?? false }
        ?? true
    }
    return settings.byPrecedence().values(inReview: true)
  }
}

extension Release {
  /// Whether the release was ever in the store, as far as the ledger knows, or before the ledger's time.
  package var wasReleased: Bool { liveAt != nil || isPast }
}
