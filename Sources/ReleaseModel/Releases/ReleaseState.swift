/// Where a release is between being recorded and leaving the store.
package enum ReleaseState: String, WordValue, CaseIterable {
  /// Recorded here, not yet submitted; Apple's "Prepare for Submission".
  case prepared
  /// Submitted; Apple's "Waiting for Review".
  case waiting
  case inReview = "in-review"
  /// Review passed, not yet distributed; Apple's "Pending Developer Release" and its like.
  case approved
  /// On the store; Apple's "Ready for Distribution", formerly "Ready for Sale".
  case live
  /// Apple's "Rejected", "Metadata Rejected", "Invalid Binary".
  case rejected
  /// Taken back by the team; Apple's "Developer Rejected".
  case withdrawn
  case superseded
  /// Off the store; Apple's "Removed from Sale".
  case removed
  case void

  /// How far the state is along the way to live; nil for states off that way.
  package var stage: Int? {
    switch self {
    case .prepared: 0
    case .waiting: 1
    case .inReview: 2
    case .approved: 3
    case .live: 4
    case .rejected, .withdrawn, .superseded, .removed, .void: nil
    }
  }

  /// Whether the store has served the release, now or earlier.
  package var isReleased: Bool {
    switch self {
    case .live, .superseded, .removed: true
    case .prepared, .waiting, .inReview, .approved, .rejected, .withdrawn, .void: false
    }
  }

  /// Whether it is off the way to live, and may still get there.
  package var isSetback: Bool { self == .rejected || self == .withdrawn }

  /// Whether `mark` may move a release from here to another state, other releases aside. Forward jumps are
  /// allowed, since a mail may have been missed.
  package func mayBecome(_ next: ReleaseState) -> Bool {
    switch (self, next) {
    case (.live, .removed), (.superseded, .removed), (.removed, .live): true
    case (.rejected, .withdrawn), (.withdrawn, .rejected): true
    case (.rejected, _), (.withdrawn, _): next.stage != nil
    case (_, .rejected), (_, .withdrawn): (stage ?? 4) < 4
    default:
      if let stage, let to = next.stage { stage < to } else { false }
    }
  }
}

/// Where a version is on its way to a state.
package struct ReleaseProgress: Sendable {
  package let state: ReleaseState
  /// Worded to follow "is".
  package let words: String
  /// Whether the state is reached, or can no longer be reached; nil while it can.
  package let verdict: Bool?
}

/// What someone waits for.
package enum WaitGoal: Sendable {
  case state(ReleaseState)
  case visible

  /// Where a release of an app is; nil if the app has no such version.
  package func progress(of version: Version, in line: AppState, at now: Timestamp) -> ReleaseProgress? {
    guard let release = line.release(version) else { return nil }
    let state = release.state
    let isReached =
      switch self {
      case .state(let goal): state == goal || WaitGoal.stage(state).map { $0 >= goal.stage ?? .max } ?? false
      case .visible: release.isVisible(at: now)
      }
    let isPassed = line.app.isRetired || line.greatestEverLive.map { version < $0 } ?? false
    // What the store has served is never rejected any more.
    let isSettled = if case .state(let goal) = self { goal.isSetback && state.isReleased } else { false }
    let isLost = WaitGoal.stage(state) == nil || isPassed || isSettled
    // Clients are told of a live release when its hold is over.
    var words = state.rawValue
    if case .visible = self, isReached || !isLost {
      let visibleAt = WaitGoal.stage(state) == WaitGoal.stage(.live) ? release.visibleAt?.text : nil
      words +=
        visibleAt.map { ", visible \(isReached ? "since" : "from") \($0)" }
        ?? ", and visible only once it is live"
    }
    return ReleaseProgress(
      state: state, words: words, verdict: isReached ? true : isLost ? false : nil)
  }

  /// How far a state is on the way to the store; nil for one that leads nowhere.
  private static func stage(_ state: ReleaseState) -> Int? {
    state == .superseded ? ReleaseState.live.stage : state.stage
  }
}
