package import ReleaseModel

/// What a report takes from an app's events, which are given one after the other, newest first.
package struct ReportPast: Sendable {
  /// The most releases and the most events to keep.
  private let limit: Int
  /// The newest releases, newest first.
  let releases: [Release]
  private(set) var reviews: ReviewLog
  /// The newest events, newest first.
  private(set) var events: [ReportEvent] = []
  private(set) var eventCount = 0

  /// Starts without events.
  package init(of line: ReleaseLine, limit: Int) {
    self.limit = limit
    releases = line.releases.suffix(limit).reversed()
    reviews = ReviewLog(of: Set(releases.map(\.id)))
  }

  /// Adds the next older event.
  ///
  /// - Parameters:
  ///   - event: The event as it is shown; only called if it is shown.
  ///   - change: What the event did; only called if it is about a release.
  ///   - reasons: Why the event rejected a release; only called if it did.
  package mutating func add(
    _ seq: Int64, kind: String, event: () -> ReportEvent, change: () throws -> Change,
    reasons: () throws -> [String]
  ) rethrows {
    eventCount += 1
    if events.count < limit { events.append(event()) }
    guard kind.hasPrefix("release.") else { return }
    let change = try change()
    let isRejection = change.release?.state == .rejected
    reviews.add(change, seq: seq, reasons: isRejection ? try reasons() : [])
  }
}
