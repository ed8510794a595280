package import ReleaseModel

/// What a report takes from an app's events, which are given one after the other, newest first.
package struct ReportPast: Sendable {
  private let limit: Int
  /// Newest first.
  let releases: [Release]
  private(set) var reviews: ReviewLog
  /// Newest first.
  private(set) var events: [ReportEvent] = []
  private(set) var eventCount = 0

  package init(of line: AppState, limit: Int) {
    self.limit = limit
    releases = line.releases.suffix(limit).reversed()
    reviews = ReviewLog(of: Set(releases.map(\.id)))
  }

  /// Adds the next older event, which is asked for only if it is shown, its change only if it is about a
  /// release, and the reasons only if it rejected one.
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
