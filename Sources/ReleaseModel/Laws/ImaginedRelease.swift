extension AppState {
  /// The most releases that may be under way at a time.
  package static let mostUnderWay = 50

  /// The releases that may still go live, ascending.
  package func underWay(at now: Timestamp) -> [Version] {
    let released = releases.lastIndex {
      $0.isOnLine && ($0.state == .live || $0.becameVisible(by: now))
    }
    let everLive = greatestEverLive
    return releases[(released ?? 0)...].filter { release in
      guard release.isOnLine, release.state.mayBecome(.live) else { return false }
      // A removed one may be live again until a newer one has been.
      return release.state == .removed
        ? release.version == everLive : released.map { releases[$0].version < release.version } ?? true
    }.map(\.version)
  }

  /// Refuses one more release where as many are under way as may be.
  package func checkRoom(at now: Timestamp) throws(Refusal) {
    let underWay = underWay(at: now)
    guard underWay.count >= AppState.mostUnderWay, let oldest = underWay.first else { return }
    throw Refusal(
      "release.too-many", ["app": app.slug, "most": String(AppState.mostUnderWay), "oldest": oldest.text])
  }

  /// A version as it would be if it were live.
  ///
  /// One that is not recorded here takes its details from the changed state, except for those that can do harm:
  /// it forces no one, and its page is the app's, or the one that all clients are already sent to.
  func imagined(
    _ version: Version, like after: AppState, _ page: String?, at now: Timestamp
  ) -> Release {
    var release = Release(id: 0, version: version, state: .live, since: now)
    if let known = counted(version) {
      release = known
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
    if newest != nil, let live = releases.indices.last(where: { releases[$0].state == .live }) {
      releases[live].state = .superseded
    }
    for version in versions.sorted() {
      var release = imagined(version, like: after, page, at: now)
      if version != newest { release.state = .superseded }
      switch isPhased {
      case true?:
        release.phase = .active
        release.remindAt = now + ReleasePhase.length
      case false? where app.remindAfter == .phase && release.phase == nil:
        release.phase = .complete
      default: break
      }
      put(release)
    }
  }
}

extension Release {
  /// The release without what no client of another version is told otherwise by.
  var look: Release {
    var look = self
    (look.id, look.version, look.since, look.notes) = (0, .zero, visibleAt ?? since, [])
    (look.build, look.higherBuild) = (nil, nil)
    (look.approvedAt, look.ascID, look.heardBuild, look.firstVisibleAt) = (nil, nil, HeardOtherwise(), nil)
    (look.recordedMinOS, look.heardMinOS) = (minOS, HeardOtherwise())
    return look
  }
}
