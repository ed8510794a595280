extension AppState {
  /// The most releases that may be under way at a time.
  package static let mostUnderWay = 50

  /// The releases that may still go live, ascending.
  package func underWay(at now: Timestamp) -> [Version] {
    let released = releases.last { $0.isOnLine && ($0.state == .live || $0.becameVisible(by: now)) }?.version
    let everLive = greatestEverLive
    return releases.filter { release in
      guard release.isOnLine, release.state.mayBecome(.live) else { return false }
      // A removed one may be live again until a newer one has been.
      if release.state == .removed { return release.version == everLive }
      return released.map { $0 < release.version } ?? true
    }.map(\.version)
  }

  /// A version as it would be if it were live.
  ///
  /// One that is not recorded here takes its details from the changed state, except for those that can do harm:
  /// it forces no one, and its page is the app's, or the one that all clients are already sent to.
  func imagined(
    _ version: Version, like after: AppState, _ page: String?, at now: Timestamp
  ) -> Release {
    var release = Release(id: 0, version: version, state: .live, since: now)
    if let known = countingIndex(of: version) {
      release = releases[known]
    } else if let likeness = after.release(version), likeness.isOnLine {
      release = likeness
      release.isMandatory = false
      if release.url != page { release.url = nil }
    }
    (release.state, release.liveAt, release.visibleAt, release.former) = (.live, now, now, nil)
    release.since = now
    return release
  }

  /// Makes some versions visible, as live or superseded.
  ///
  /// - Parameter isPhased: Whether Apple releases them in phases; nil to leave that as it is known.
  mutating func imagine(
    visible versions: [Version], isPhased: Bool?, like after: AppState, _ page: String?,
    at now: Timestamp
  ) {
    let newest = versions.max()
    for index in releases.indices where newest != nil && releases[index].state == .live {
      releases[index].state = .superseded
    }
    for version in versions.sorted() {
      let release = imagined(version, like: after, page, at: now)
      let place: Int
      if let known = countingIndex(of: version) {
        place = known
        releases[place] = release
      } else {
        place = releases.lastIndex { $0.isOnLine && $0.version < version }.map { $0 + 1 } ?? 0
        releases.insert(release, at: place)
      }
      if version != newest { releases[place].state = .superseded }
      switch isPhased {
      case true?:
        releases[place].phase = .active
        releases[place].remindAt = now + ReleasePhase.length
      case false? where app.remindAfter == .phase && releases[place].phase == nil:
        releases[place].phase = .complete
      default: break
      }
    }
  }
}

extension Release {
  /// The release without what no client of another version is told otherwise by.
  var look: Release {
    var look = self
    (look.id, look.version, look.build, look.since, look.notes) = (0, .zero, nil, visibleAt ?? since, [])
    (look.approvedAt, look.ascID, look.heardBuild, look.firstVisibleAt) = (nil, nil, HeardOtherwise(), nil)
    (look.recordedMinOS, look.heardMinOS) = (minOS, HeardOtherwise())
    return look
  }
}
