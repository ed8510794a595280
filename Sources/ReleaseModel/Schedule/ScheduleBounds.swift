/// The one place that says where answers may change: by version, by moment, by system.
extension Snapshot {
  /// The moments at which a release becomes visible, may be reminded of, or expires; none in a silent app.
  func momentsOfVisibility(after now: Timestamp) -> Set<Timestamp> {
    var moments: Set<Timestamp> = []
    guard line.app.silence == nil else { return moments }
    for line in [line] + others.values where line.app.silence == nil {
      line.eachThatMatters(from: now) { release in
        moments.formUnion(line.moments(of: release).lazy.filter { now < $0 })
      }
    }
    return moments
  }

  /// The moments at which some answer may change by itself; in a silent app, only settings change.
  package func momentsOfChange(after now: Timestamp) -> Set<Timestamp> {
    var moments = momentsOfVisibility(after: now)
    func add(_ items: [some Timed]) {
      for item in items { moments.formUnion(item.moments.lazy.filter { now < $0 }) }
    }
    add(line.settings)
    guard line.app.silence == nil else { return moments }
    add(line.rules)
    add(line.redirects)
    return moments
  }

  /// How many moments to come documents are looked at.
  package static let mostMoments = 100

  /// The moments after a given one at which only a format says something else: seven days before a build
  /// expires, one that cannot say until when it holds stops forcing clients to it.
  package func momentsOfFormats(after now: Timestamp) -> Set<Timestamp> {
    Set(
      ([line] + others.values).flatMap { line in
        line.releases.compactMap(\.expiryNotice).filter { now < $0 }
      })
  }

  /// The systems at which answers may change, ascending: what targets and removed releases need.
  package var systems: [Version] {
    var systems = ([line] + others.values).flatMap { line in
      line.releases.indices.compactMap { position -> Version? in
        line.releases[position].state.isReleased && !line.releases[position].isPast
          ? line.releases[position].minOS.map(line.app.platform.system) : nil
      }
    }
    systems.sortUniquely()
    return systems
  }

  /// The places on the version line at which answers may change, ascending.
  ///
  /// - Parameters:
  ///   - edges: Where rules, redirects and settings begin and end.
  ///   - targets: What clients may be pointed at.
  func versionBounds(edges: [VersionKey], targets: [Version]) -> [VersionKey] {
    var keys = [VersionKey.least] + edges + targets.map(VersionKey.init)
    // Up to the greatest that was live, all is released but what never was; a past one may lie above.
    let greatest = line.greatestEverLive
    if let greatest { keys.append(.after(greatest)) }
    for position in line.releases.indices
    where line.releases[position].state != .superseded || line.releases[position].isPast {
      let release = line.releases[position]
      let isAbove = greatest.map { $0 < release.version } ?? true
      guard release.state.isReleased == isAbove else { continue }
      keys += [VersionKey(release.version), .after(release.version)]
    }
    keys.sortUniquely()
    if keys.last == .end { keys.removeLast() }
    return keys
  }
}

extension AppState {
  /// Passes the releases that may change answers from a moment on: the mandatory ones; and of those that need
  /// the same system, the newest down to the first that is visible to everyone.
  fileprivate func eachThatMatters(from moment: Timestamp, _ body: (Release) -> Void) {
    let descent = Descent(os: nil, at: moment)
    var ended: [Version?] = []
    let known = positions(
      byVersion: releases.indices.filter { releases[$0].state.isReleased && !releases[$0].isPast })
    for position in known.reversed()
    where releases[position].isMandatory || !ended.contains(releases[position].minOS) {
      body(releases[position])
      if descent.ends(with: releases[position]) { ended.append(releases[position].minOS) }
    }
  }

  /// The moments at which a release becomes visible, may be reminded of, or expires.
  func moments(of release: Release) -> [Timestamp] {
    guard release.state == .live || release.state == .superseded, let visibleAt = release.visibleAt else {
      return []
    }
    return [visibleAt] + [remindsFrom(release), release.expires].compactMap(\.self).filter { visibleAt < $0 }
  }
}

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
  /// Whether the release was ever in the store, as far as the ledger knows, or before the ledger's time; one that was
  /// struck out counts as never recorded.
  package var wasReleased: Bool { state != .void && (liveAt != nil || isPast) }
}
