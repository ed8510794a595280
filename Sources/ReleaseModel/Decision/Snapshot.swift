/// Everything one app's decisions depend on, apart from the client and the moment.
package struct Snapshot: Sendable, Equatable {
  package var line: AppState
  /// The other apps of the ledger that a rule or redirect of this one leads to, by slug.
  package var others: [String: AppState]
  package var hosts: Set<String>

  package init(
    line: AppState, others: [String: AppState] = [:], hosts: Set<String> = StoreURL.storeHosts
  ) {
    (self.line, self.others, self.hosts) = (line, others, hosts)
  }
}

/// An app with everything that is recorded under it.
package struct AppState: Sendable, Equatable {
  package var app: App
  /// In the order of recording; leaving out the void ones, this is also the order of versions (law 1).
  package var releases: [Release]
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
    (self.rules, self.redirects, self.settings) = (rules, redirects, settings)
  }

  /// Sorts the releases that were read into the order of recording and removes duplicates.
  package mutating func putInOrder() {
    let isInOrder = zip(releases.indices, releases.indices.dropFirst()).allSatisfy {
      releases[$0].id < releases[$1].id
    }
    if isInOrder { return }
    releases.sort { $0.id < $1.id }
    var seen: Set<Int64> = []
    releases.removeAll { !seen.insert($0.id).inserted }
  }

  /// The position in `releases` of the release of a version that counts.
  package func countingIndex(of version: Version) -> Int? {
    if let index = lineIndex(of: version) { return index }
    guard hasPast else { return nil }
    // By position: a closure over releases would get a copy of each.
    return releases.indices.last {
      releases[$0].isPast && releases[$0].version == version && releases[$0].state != .void
    }
  }

  /// Likewise, leaving out past releases; the others that count are in order of version.
  private func lineIndex(of version: Version) -> Int? {
    var low = 0
    var high = releases.count
    // Most often the question is about a version newer than all.
    if high > 0, releases[high - 1].isOnLine, releases[high - 1].version < version { return nil }
    while low < high {
      var middle = low + (high - low) / 2
      // Releases that do not count say nothing about the order.
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

  /// The release of a version: the one that counts, else the last void one of that number.
  package func release(_ version: Version) -> Release? {
    counted(version) ?? releases.last { $0.version == version }
  }

  /// The release of a version that counts: one that was struck out is as if it had never been recorded.
  package func counted(_ version: Version) -> Release? { countingIndex(of: version).map { releases[$0] } }

  package var live: Release? { releases.last { $0.state == .live } }

  package var newest: Release? { releases.last { $0.isOnLine } }

  /// What a new release must be above (law 1): past ones count, unless they have more components than may be.
  package var greatest: Release? {
    guard hasPast else { return newest }
    return releases.filter {
      $0.state != .void && (!$0.isPast || $0.version.count <= app.channel.versionComponents)
    }.max { $0.version < $1.version }
  }

  package var greatestEverLive: Version? {
    releases.last { $0.isOnLine && $0.liveAt != nil }?.version
  }

  /// The release clients are pointed at, whatever system they run on.
  package func target(at moment: Timestamp) -> Release? {
    Targets(self, at: moment).place(os: nil).newest.map { releases[$0] }
  }

  /// The newest visible release if it has expired, so that there is no target (law 4).
  package func expiredTarget(at moment: Timestamp) -> Release? {
    let newest = releases.indices.filter { releases[$0].isVisible(at: moment) }
      .max { releases[$0].version < releases[$1].version }
    return newest.flatMap { releases[$0].isExpired(at: moment) ? releases[$0] : nil }
  }

  /// From when the policy may remind of a release; nil if only `visibleAt` decides.
  package func remindsFrom(_ release: Release) -> Timestamp? {
    app.remindAfter == .phase ? release.phaseEnd : nil
  }

  func mayRemind(of release: Release, at moment: Timestamp) -> Bool {
    remindsFrom(release).map { $0 <= moment } ?? true
  }

  /// The positions in `releases` of every known version, ascending; void ones only if never used again.
  package var knownPositions: [Int] {
    positions(
      byVersion: releases.indices.filter {
        releases[$0].state != .void || release(releases[$0].version)?.id == releases[$0].id
      })
  }

  /// Every recorded version, ascending; one that was struck out counts as never recorded.
  package var recordedVersions: [Version] {
    positions(byVersion: releases.indices.filter { releases[$0].state != .void }).map { releases[$0].version }
  }

  /// Sorts positions in `releases` by ascending version; usually they are already in order.
  func positions(byVersion positions: [Int]) -> [Int] {
    let isSorted = zip(positions, positions.dropFirst()).allSatisfy {
      releases[$0].version < releases[$1].version
    }
    return isSorted ? positions : positions.sorted { releases[$0].version < releases[$1].version }
  }

  /// The app as clients of another one see it: nothing they are told depends on its rules.
  package var asDestination: AppState {
    var line = self
    (line.rules, line.redirects, line.settings) = ([], [], [])
    return line
  }

  /// Where redirects send clients, now or later: pages and apps.
  package func ledElsewhere(at now: Timestamp) -> [String] {
    Set(redirects.filter { redirect in redirect.until.map { now < $0 } ?? true }.map(\.destination.text))
      .sorted()
  }

  /// The slugs of the other apps that rules and redirects lead to.
  package var leadsTo: Set<String> {
    Set(rules.compactMap { $0.destination?.app } + redirects.compactMap { $0.destination.app })
  }
}
