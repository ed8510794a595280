// A hold that goes on while the store still shows less.
extension Release {
  /// How long after going live lookups that still show less may move the end of a hold on.
  private static let longestHold = TimeSpan(seconds: 7 * 86_400)

  /// When its hold was to end as first stored, and the latest moment to which lookups may move the end.
  private var holdEnds: (first: Timestamp, latest: Timestamp)? {
    guard let liveAt, let first = firstVisibleAt ?? visibleAt else { return nil }
    return (first, max(first, liveAt + Release.longestHold))
  }

  /// When the hold ends if the store still shows less at a moment: in its last quarter, it goes on for a quarter of what
  /// it was at first; nil where nothing moves its end.
  package func holdEnd(behindAt moment: Timestamp) -> Timestamp? {
    guard state == .live || state == .superseded, let liveAt, let visibleAt, moment < visibleAt,
      let ends = holdEnds
    else { return nil }
    func quarter(_ end: Timestamp) -> Int64 { (end.seconds - liveAt.seconds) / 4 }
    guard visibleAt.seconds - quarter(visibleAt) <= moment.seconds else { return nil }
    let end = min(Timestamp(seconds: moment.seconds + quarter(ends.first)), ends.latest)
    return visibleAt < end ? end : nil
  }

  /// Whether the end of its hold was moved on, since the store still showed less.
  package var isHeldOn: Bool { firstVisibleAt.flatMap { first in visibleAt.map { first < $0 } } ?? false }

  /// Whether a change of a release that went live moved the end of its hold on.
  package func isHeldOn(to after: Release) -> Bool {
    guard state == .live || state == .superseded, after.state == state, let visibleAt,
      let end = after.visibleAt
    else { return false }
    return visibleAt < end
  }

  /// From when on a store that still shows less is an alarm: a day after clients are told of it, or at once where that
  /// held it back for as long as anything may.
  package var isMissedFrom: Timestamp? { visibleAt.map { $0 + TimeSpan(seconds: isHoldSpent ? 0 : 86_400) } }

  /// Whether no lookup may move the end of its hold any further.
  package var isHoldSpent: Bool { holdEnds.flatMap { ends in visibleAt.map { ends.latest <= $0 } } ?? false }
}
