/// Where a release is between being recorded and leaving the store.
package enum ReleaseState: String, Sendable, CaseIterable {
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
