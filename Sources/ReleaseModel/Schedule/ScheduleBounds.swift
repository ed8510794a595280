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
    var systems: [Version] = []
    for line in [line] + others.values {
      for index in line.releases.indices
      where line.releases[index].state.isReleased && !line.releases[index].isPast {
        // A closure made for each release took a tenth of a preview with forty of them under way.
        if let minOS = line.releases[index].minOS { systems.append(minOS) }
      }
    }
    systems.sortUniquely()
    return systems
  }

  /// The same, with the older names by which programs may be told of them.
  package var systemNames: [Version] {
    var names = systems
    names += line.app.platform.olderNames(of: names)
    names.sortUniquely()
    return names
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
    func add(_ releases: [Release]) {
      for index in releases.indices where releases[index].state != .superseded || releases[index].isPast {
        let version = releases[index].version
        let isAbove = greatest.map { $0 < version } ?? true
        guard releases[index].state.isReleased == isAbove else { continue }
        keys += [VersionKey(version), .after(version)]
      }
    }
    add(line.releases)
    add(line.struckOut)
    keys.sortUniquely()
    if keys.last == .end { keys.removeLast() }
    return keys
  }
}

extension AppState {
  /// Passes the releases that may change answers from a moment on: the mandatory ones; and of those that need
  /// the same system, the newest down to the first that is visible to everyone.
  fileprivate func eachThatMatters(from moment: Timestamp, _ body: (Release) -> Void) {
    var ended: [Version?] = []
    for index in releases.indices.reversed()
    where releases[index].state.isReleased && !releases[index].isPast
      && (releases[index].isMandatory || !ended.contains(releases[index].minOS))
    {
      body(releases[index])
      if releases[index].hidesOlder(on: nil, at: moment) { ended.append(releases[index].minOS) }
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
package struct DocumentedVersions: Sendable {
  private let keys: [VersionKey]
  private let settings: [String: String]
  private let isPastWhole: Bool

  /// - Parameter snapshot: One with all releases, of which those that were ever live have documents.
  package init(_ snapshot: Snapshot, at moment: Timestamp) {
    keys = snapshot.released.map { VersionKey($0.version) }
    settings = snapshot.settingsOfUnknown(at: moment).values
    isPastWhole = snapshot.line.app.isPastWhole
  }

  /// What the part of a range without documents misses by that: the whole range if none of its versions has one, else
  /// what lies below all that have one; nil for nothing, and where no one runs what is not recorded.
  package func misinformed(_ range: VersionRange, told: Told) -> Unfiled? {
    let (action, settings) = (told.decision.action, told.settings)
    let missed = settings.keys.filter { !settings[$0].isSpelled(as: self.settings[$0]) }.sorted()
    guard action != .none || !missed.isEmpty, !isPastWhole else { return nil }
    let index = keys.firstPosition { range.start <= $0 }
    let end = index < keys.count && keys[index] < range.end ? (index == 0 ? keys[0] : nil) : range.end
    return end.flatMap { VersionRange(from: range.start, to: $0) }.map {
      Unfiled(range: $0, isPrompted: action != .none, settings: missed)
    }
  }
}

/// Versions that have no document of their own, and what clients that read files by version miss by that.
package struct Unfiled: Sendable, Equatable {
  package let range: VersionRange
  /// Whether they are prompted, which `default.json` prompts no one for.
  package let isPrompted: Bool
  /// The keys of settings that they get and `default.json` does not have.
  package let settings: [String]

  package init(range: VersionRange, isPrompted: Bool = true, settings: [String] = []) {
    (self.range, self.isPrompted, self.settings) = (range, isPrompted, settings)
  }
}

/// The settings that all readers of one file get, and the keys that it leaves out since some get another value, or none.
package struct SharedSettings: Sendable, Equatable {
  package var values: [String: String]
  package var withheld: [String] = []

  /// - Parameter readers: What each reader gets.
  package init(of readers: [[String: String]]) {
    let first = readers.first ?? [:]
    values = first.filter { key, value in readers.allSatisfy { $0[key].isSpelled(as: value) } }
    withheld = Set(readers.flatMap(\.keys)).subtracting(values.keys).sorted()
  }
}

extension Snapshot {
  /// The releases that were ever live, ascending: those that have documents of their own.
  package var released: [Release] { line.releases.filter(\.state.isReleased) }

  /// The settings of a version without a document: those that every version in review gets, if the past is whole; else,
  /// since an old version may read the same file, only those that both get.
  package func settingsOfUnknown(at moment: Timestamp) -> SharedSettings {
    let settings = line.settings.filter { $0.isActive(at: moment) }.byPrecedence()
    let greatest = line.greatestEverLive
    let unreleased = (line.releases + line.struckOut).filter { !$0.state.isReleased }.map(\.version)
    var edges = [.least, greatest.map(VersionKey.after)].compactMap(\.self)
    edges += settings.flatMap { [$0.range.start, $0.range.end] }
    edges += unreleased.flatMap { [VersionKey($0), .after($0)] }
    edges.sortUniquely()
    let readers = edges.indices.compactMap { index -> [String: String]? in
      guard let version = edges[index].version else { return nil }
      let isInReview = line.isInReview(version, greatestEverLive: greatest)
      // A version that has a document of its own, by itself.
      let isOne = index + 1 < edges.count && edges[index + 1] == .after(version)
      let hasOwn = isOne && line.release(version)?.state.isReleased == true
      if line.app.isPastWhole ? !isInReview : hasOwn { return nil }
      return settings.filter { $0.range.contains(version) }.values(inReview: isInReview)
    }
    return SharedSettings(of: readers)
  }
}
