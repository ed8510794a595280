/// Everything one app's decisions depend on, but for the client and the moment.
package struct Snapshot: Sendable, Equatable {
  package var line: ReleaseLine
  /// The other apps of the ledger that a rule or redirect of this one leads to, by slug.
  package var others: [String: ReleaseLine]
  /// The hosts that URLs may name, those of Apple's store included.
  package var hosts: Set<String>

  package init(
    line: ReleaseLine, others: [String: ReleaseLine] = [:], hosts: Set<String> = StoreURL.storeHosts
  ) {
    self.line = line
    self.others = others
    self.hosts = hosts
  }
}

/// An app with all that is recorded under it.
package struct ReleaseLine: Sendable, Equatable {
  package var app: App
  /// In the order of recording; leaving out the void ones, that is the order of versions too (law 1).
  package var releases: [Release]
  /// Whether there are past ones, which stand in no order.
  package var hasPast: Bool
  package var rules: [Rule]
  package var redirects: [Redirect]
  package var settings: [Setting]

  package init(
    app: App, releases: [Release] = [], rules: [Rule] = [], redirects: [Redirect] = [],
    settings: [Setting] = []
  ) {
    self.app = app
    self.releases = releases
    hasPast = releases.contains { $0.isPast }
    self.rules = rules
    self.redirects = redirects
    self.settings = settings
  }

  /// Adds a release that was read.
  package mutating func add(_ release: Release) {
    releases.append(release)
    if release.isPast { hasPast = true }
  }

  /// Puts the releases that were read into the order of recording, each once.
  package mutating func putInOrder() {
    let isInOrder = zip(releases.indices, releases.indices.dropFirst()).allSatisfy {
      releases[$0].id < releases[$1].id
    }
    if isInOrder { return }
    releases.sort { $0.id < $1.id }
    var end = 0
    for index in releases.indices where index == 0 || releases[index].id != releases[end - 1].id {
      releases.swapAt(end, index)
      end += 1
    }
    releases.removeLast(releases.count - end)
  }

  /// Where in `releases` the release of a version that counts is.
  package func countingIndex(of version: Version) -> Int? {
    if let index = lineIndex(of: version) { return index }
    guard hasPast else { return nil }
    // By their places: a closure over releases would be handed a copy of each.
    return releases.indices.last {
      releases[$0].isPast && releases[$0].version == version && releases[$0].state != .void
    }
  }

  /// The same, past ones aside: what counts is in order of versions.
  private func lineIndex(of version: Version) -> Int? {
    var low = 0
    var high = releases.count
    // Mostly it is asked of one that is newer than all.
    if high > 0, releases[high - 1].isOnLine, releases[high - 1].version < version { return nil }
    while low < high {
      var middle = low + (high - low) / 2
      // What does not count says nothing of the order.
      while middle > low, !releases[middle].isOnLine { middle -= 1 }
      guard releases[middle].isOnLine else {
        low = low + (high - low) / 2 + 1
        continue
      }
      if releases[middle].version == version { return middle }
      if releases[middle].version < version {
        low = max(middle + 1, low + (high - low) / 2 + 1)
      } else {
        high = middle
      }
    }
    return nil
  }

  /// Where in `releases` a version is: the one that counts, else the last void one of that number.
  package func index(of version: Version) -> Int? {
    countingIndex(of: version) ?? releases.indices.last { releases[$0].version == version }
  }

  /// The release of a version: the one that counts, else the last void one of that number.
  package func release(_ version: Version) -> Release? { index(of: version).map { releases[$0] } }

  /// The release that is live.
  package var live: Release? { releases.last { $0.state == .live } }

  /// The greatest release that counts, past ones aside.
  package var newest: Release? { releases.last { $0.isOnLine } }

  /// The greatest version that was ever live.
  package var greatestEverLive: Version? {
    releases.last { $0.isOnLine && $0.liveAt != nil }?.version
  }

  /// The releases clients may be pointed at, newest first; none while the newest that was ever live is removed,
  /// since the store does not fall back to older versions (law 4).
  package func targets(at moment: Timestamp) -> [Release] {
    targetPositions(at: moment).map { releases[$0] }
  }

  /// The release clients are pointed at, whatever system they run on.
  package func target(at moment: Timestamp) -> Release? {
    targetPositions(at: moment).first.map { releases[$0] }
  }

  /// Where in `releases` the targets are, newest first: an app may have many, and a copy of each takes memory.
  func targetPositions(at moment: Timestamp) -> [Int] {
    let visible = positions(byVersion: releases.indices.filter { releases[$0].isVisible(at: moment) })
    // The page of what has expired serves what does not open.
    guard let newest = visible.last, !releases[newest].isExpired(at: moment) else { return [] }
    // A release that is held does not bring back what a removal took away: until it can be seen, the store may
    // serve nothing at all (docs/decisions.md).
    let isOffStore = releases.contains { release in
      releases[newest].version < release.version && release.isOffStore(at: moment)
    }
    return isOffStore ? [] : visible.reversed()
  }

  /// The newest visible release, where it has expired, so that there is no target (law 4).
  package func expiredTarget(at moment: Timestamp) -> Release? {
    let newest = releases.indices.filter { releases[$0].isVisible(at: moment) }
      .max { releases[$0].version < releases[$1].version }
    return newest.flatMap { releases[$0].isExpired(at: moment) ? releases[$0] : nil }
  }

  /// From when the policy may remind of a release; nil where nothing but `visibleAt` says so.
  package func remindsFrom(_ release: Release) -> Timestamp? {
    app.remindAfter == .phase ? release.phaseEnd : nil
  }

  /// Whether the policy may remind of a release at a moment.
  func mayRemind(of release: Release, at moment: Timestamp) -> Bool {
    remindsFrom(release).map { $0 <= moment } ?? true
  }

  /// Where in `releases` every known version is, ascending; a void one only where its number was not used again.
  package var knownPositions: [Int] {
    positions(
      byVersion: releases.indices.filter {
        releases[$0].state != .void || release(releases[$0].version)?.id == releases[$0].id
      })
  }

  /// Positions in `releases` by ascending version, which is mostly how they stand already.
  func positions(byVersion positions: [Int]) -> [Int] {
    let isSorted = zip(positions, positions.dropFirst()).allSatisfy {
      releases[$0].version < releases[$1].version
    }
    return isSorted ? positions : positions.sorted { releases[$0].version < releases[$1].version }
  }

  /// The slugs of the other apps that rules and redirects lead to.
  package var leadsTo: Set<String> {
    Set(rules.compactMap { $0.destination?.app } + redirects.compactMap { $0.destination.app })
  }
}
