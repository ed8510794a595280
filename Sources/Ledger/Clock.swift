package import ReleaseModel
import SQLite

/// What the clock is held against before a change is recorded.
package struct ClockCheck: Sendable {
  /// A moment before which no right clock can be: the program's own date.
  package var earliest: Timestamp
  /// Whether somebody says that the clock is right all the same.
  package var isAccepted: Bool
  /// Whether the change is one that never waits for a clock; it is recorded with the last event's moment.
  package var isUrgent: Bool

  package init(earliest: Timestamp = .distantPast, isAccepted: Bool = false, isUrgent: Bool = false) {
    self.earliest = earliest
    self.isAccepted = isAccepted
    self.isUrgent = isUrgent
  }

  /// How many moments the preview of an urgent change looks at.
  package static let urgentMoments = 100

  /// The longest that a ledger may rest without being asked about: 400 days.
  package static let longestRest = TimeSpan(seconds: 400 * 86_400)

  /// The moment that a change counts as happening at.
  ///
  /// - Throws: `LedgerError.clockJump` where the clock is further on than a ledger rests, or before the program was made.
  func now(clock: Timestamp, last: Timestamp?) throws -> Timestamp {
    let isAhead = last.map { $0 + ClockCheck.longestRest < clock } ?? false
    guard isAhead || clock < earliest, !isAccepted else { return max(clock, last ?? clock) }
    if isUrgent, let last { return last }
    throw LedgerError.clockJump(clock: clock, last: last, earliest: earliest)
  }
}

extension Ledger {
  /// The corrections of the clock that were recorded, with their numbers, oldest first.
  func corrections() throws -> [(seq: Int64, correction: ClockCorrection)] {
    try reading {
      try connection.query(
        """
        SELECT \(Ledger.eventColumns) FROM event WHERE app IS NULL AND kind = 'clock.correct' ORDER BY seq
        """
      ) { row in
        let event = try event(from: row)
        guard case .clockCorrected(let correction) = try event.change() else {
          throw LedgerError.unreadableEvent(event.seq)
        }
        return (event.seq, correction)
      }
    }
  }

  /// The correction that puts the clock right, if it jumped: what the wrong clock said last becomes now.
  ///
  /// - Returns: The correction; nil where no event was recorded, and no document written, by a clock that was ahead.
  func correction(clock: Timestamp) throws -> ClockCorrection? {
    let head = try head()
    let told = try told(head)
    guard let last = head.at, clock < max(last, told ?? last) else { return nil }
    guard clock < last else {
      // Only documents were written by it, so that there is no event to put right.
      return ClockCorrection(since: head.seq + 1, from: max(last, told ?? last), to: clock)
    }
    let first = try firstEvent(
      notBefore: clock + TimeSpan(seconds: 1), in: SeqRange(first: 1, last: head.seq))
    guard let from = try? Timestamp(event(first).at), clock < from else { return nil }
    let before = first > 1 ? try? Timestamp(event(first - 1).at) : nil
    let right = Timestamp(seconds: clock.seconds - (max(last, told ?? last).seconds - from.seconds))
    return ClockCorrection(since: first, from: from, to: max(right, before ?? right))
  }
}

extension [(seq: Int64, correction: ClockCorrection)] {
  /// When an event was recorded, by a clock that was right.
  func effective(_ at: Timestamp, of seq: Int64) -> Timestamp {
    reduce(at) { moment, item in
      // In a file of others nothing need be in order.
      item.correction.since <= seq && seq <= item.seq ? item.correction.corrected(moment) : moment
    }
  }
}

extension Draft {
  /// Puts the clock right: what was set since it was wrong moves with it, in every app.
  ///
  /// - Returns: The correction; nil where there is nothing to correct.
  package mutating func correctClock(_ clock: Timestamp) throws -> ClockCorrection? {
    guard let correction = try ledger.correction(clock: clock) else { return nil }
    for app in try ledger.apps() { _ = try line(app.slug) }
    take(.clockCorrected(correction))
    return correction
  }
}
