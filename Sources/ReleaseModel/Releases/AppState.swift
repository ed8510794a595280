/// An app with everything that is recorded under it.
package struct AppState: Sendable, Equatable {
  package var app: App
  /// The releases that count, past ones among them, by version.
  package var releases: [Release] = []
  /// Those that were struck out, by version and then in the order of recording: as if they had never been recorded, but
  /// for clients that have such a version (law 5).
  package private(set) var struckOut: [Release] = []
  package var rules: [Rule]
  package var redirects: [Redirect]
  package var settings: [Setting]
  /// When a release that is not past went live at the latest; nothing here went live after that.
  @Unsaid package private(set) var latestLive: Timestamp?

  /// - Parameter releases: In any order, struck-out ones among them.
  package init(
    app: App, releases: [Release] = [], rules: [Rule] = [], redirects: [Redirect] = [],
    settings: [Setting] = []
  ) {
    self.app = app
    (self.rules, self.redirects, self.settings) = (rules, redirects, settings)
    for release in releases { put(release) }
  }

  /// Puts a release in its place, in that of the same one as it was.
  package mutating func put(_ release: Release) {
    let isStruckOut = release.state == .void
    if release.isOnLine, let liveAt = release.liveAt { latestLive = max(latestLive ?? liveAt, liveAt) }
    releases.put(release, belongs: !isStruckOut)
    if isStruckOut || !struckOut.isEmpty { struckOut.put(release, belongs: isStruckOut) }
  }

  /// Gives releases their notes, by the numbers of their rows.
  package mutating func add(_ notes: [Int64: [Note]]) {
    guard !notes.isEmpty else { return }
    releases.add(notes)
    struckOut.add(notes)
  }

  /// The index in `releases` of a version.
  package func index(of version: Version) -> Int? {
    let index = releases.index(for: version)
    return index < releases.count && releases[index].version == version ? index : nil
  }

  /// The release of a version: the one that counts, else the last struck-out one of that number.
  package func release(_ version: Version) -> Release? {
    counted(version) ?? struckOut[struckOut.index(for: version)...].prefix { $0.version == version }.last
  }

  /// The release of a version that counts: one that was struck out is as if it had never been recorded.
  package func counted(_ version: Version) -> Release? { index(of: version).map { releases[$0] } }

  /// The release with a number, struck out or not.
  package func release(id: Int64) -> Release? {
    releases.last { $0.id == id } ?? struckOut.last { $0.id == id }
  }

  /// Whether a release of a version was struck out.
  func isStruckOut(_ version: Version) -> Bool {
    let index = struckOut.index(for: version)
    return index < struckOut.count && struckOut[index].version == version
  }

  /// The release of every known version, ascending: a struck-out one only if its number was not used again.
  package var known: [Release] {
    let last = struckOut.indices.filter { index in
      let version = struckOut[index].version
      return (index + 1 == struckOut.count || struckOut[index + 1].version != version)
        && self.index(of: version) == nil
    }
    return last.isEmpty
      ? releases : (releases + last.map { struckOut[$0] }).sorted { $0.version < $1.version }
  }

  /// All that were ever recorded, struck-out ones among them, in the order of recording.
  package var everRecorded: [Release] { (releases + struckOut).sorted { $0.id < $1.id } }

  /// Every recorded version, ascending; one that was struck out counts as never recorded.
  package var recordedVersions: [Version] { releases.map(\.version) }

  package var live: Release? { releases.last { $0.state == .live } }

  package var newest: Release? { releases.last { $0.isOnLine } }

  /// What a new release must be above (law 1): past ones count, unless they have more components than may be.
  package var greatest: Release? { releases.last(where: isInTheWay) }

  /// Whether no lower version may be recorded (law 1).
  func isInTheWay(of release: Release) -> Bool {
    !release.isPast || release.version.count <= app.channel.versionComponents
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
    newestShown(at: moment).flatMap { $0.isVisible(at: moment) && $0.isExpired(at: moment) ? $0 : nil }
  }

  /// The newest release that is visible, or was until it was taken off the store, and that runs on a system.
  func newestShown(on os: Version? = nil, at moment: Timestamp) -> Release? {
    releases.last { ($0.isVisible(at: moment) || $0.isOffStore(at: moment)) && $0.runs(on: os) }
  }

  /// From when the policy may remind of a release; nil if only `visibleAt` decides.
  package func remindsFrom(_ release: Release) -> Timestamp? {
    app.remindAfter == .phase ? release.phaseEnd : nil
  }

  func mayRemind(of release: Release, at moment: Timestamp) -> Bool {
    remindsFrom(release).map { $0 <= moment } ?? true
  }

  /// The app as clients of another one see it: nothing they are told depends on its rules.
  package var asDestination: AppState {
    var state = self
    (state.rules, state.redirects, state.settings) = ([], [], [])
    return state
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

// Releases by version and, of one version, in the order of recording. Indices stand for them: a closure over releases
// would get a copy of each.
extension [Release] {
  /// The index of the first one that is not before a version and a number.
  fileprivate func index(for version: Version, _ id: Int64 = .min) -> Int {
    // Most often the question is about a version newer than all.
    var (low, high) = (0, count)
    if high > 0, self[high - 1].version < version { return high }
    while low < high {
      let middle = low + (high - low) / 2
      let isBefore =
        self[middle].version < version || self[middle].version == version && self[middle].id < id
      if isBefore { low = middle + 1 } else { high = middle }
    }
    return low
  }

  fileprivate mutating func put(_ release: Release, belongs: Bool) {
    let index = index(for: release.version, release.id)
    let isThere = index < count && self[index].id == release.id && self[index].version == release.version
    switch (isThere, belongs) {
    case (true, true): self[index] = release
    case (true, false): remove(at: index)
    case (false, true) where index == count: append(release)
    case (false, true): insert(release, at: index)
    case (false, false): break
    }
  }

  fileprivate mutating func add(_ notes: [Int64: [Note]]) {
    for index in indices {
      if let own = notes[self[index].id] { self[index].notes = own }
    }
  }
}
