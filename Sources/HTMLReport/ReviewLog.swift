import JSON
package import ReleaseModel

/// A stretch of time that a release spent waiting for review and in review.
package struct Review: Sendable, Equatable {
  package let from: Timestamp
  package let until: Timestamp?
  package let outcome: ReleaseState?
  package var reasons: [String] = []

  /// How long it took, or has taken until now; zero if it begins later than the moment that was asked for.
  package func length(at now: Timestamp) -> TimeSpan {
    TimeSpan(seconds: max(0, (until ?? now).seconds - from.seconds))
  }

  var isPassed: Bool { outcome == nil || outcome == .approved || outcome == .live }

  func json(at now: Timestamp) -> JSON {
    [
      "from": .string(from.text), "outcome": .optional(outcome?.rawValue),
      "rejectedFor": .array(reasons.map(JSON.string)),
      "seconds": .integer(length(at: now).seconds), "until": .optional(until?.text),
    ]
  }
}

/// Works out from the events of releases how long each was in review.
package struct ReviewLog: Sendable {
  private struct Step {
    let seq: Int64
    let state: ReleaseState
    let since: Timestamp
    let isTakenBack: Bool
    let reasons: [String]
  }

  private let wanted: Set<Int64>
  private var steps: [Int64: [Step]] = [:]

  /// - Parameter wanted: The rows of the releases that will be asked about; nothing is kept of others.
  package init(of wanted: Set<Int64>) { self.wanted = wanted }

  /// The order of events does not matter.
  package mutating func add(_ change: Change, seq: Int64, reasons: [String] = []) {
    guard let release = change.release, wanted.contains(release.id) else { return }
    var isTakenBack = false
    if case .unmarked = change { isTakenBack = true }
    steps[release.id, default: []].append(
      Step(
        seq: seq, state: release.state, since: release.since, isTakenBack: isTakenBack,
        reasons: reasons))
  }

  /// The reviews of one release, in order of time.
  package func reviews(of release: Int64) -> [Review] {
    var reviews: [Review] = []
    var start: Timestamp?
    for step in (steps[release] ?? []).sorted(by: { $0.seq < $1.seq }) {
      let isInReview = step.state == .waiting || step.state == .inReview
      if isInReview, step.isTakenBack, start == nil, let last = reviews.last, last.outcome == .live {
        // The release was marked live and then unmarked, so its review continues.
        start = last.from
        reviews.removeLast()
      } else if isInReview {
        start = start ?? step.since
      } else if let from = start {
        reviews.append(
          Review(from: from, until: max(from, step.since), outcome: step.state, reasons: step.reasons))
        start = nil
      }
    }
    if let start { reviews.append(Review(from: start, until: nil, outcome: nil)) }
    return reviews
  }
}
