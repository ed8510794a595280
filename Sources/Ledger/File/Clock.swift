package import ReleaseModel

/// What the clock is checked against before a change is recorded.
package struct ClockCheck: Sendable {
  /// The earliest moment that a correct clock can show: the program's own date.
  package var earliest: Timestamp
  package var isAccepted: Bool
  /// Whether the change never waits: with a wrong clock, it is recorded with the last event's moment.
  package var isUrgent: Bool

  package init(earliest: Timestamp = .distantPast, isAccepted: Bool = false, isUrgent: Bool = false) {
    self.earliest = earliest
    self.isAccepted = isAccepted
    self.isUrgent = isUrgent
  }

  /// How far after the last event the clock may be without a question: 400 days.
  package static let longestRest = TimeSpan(seconds: 400 * 86_400)

  /// - Throws: `LedgerError.clockJump` for a clock more than `longestRest` after the last event, or before
  /// `earliest`.
  func now(clock: Timestamp, last: Timestamp?) throws -> Timestamp {
    let isAhead = last.map { $0 + ClockCheck.longestRest < clock } ?? false
    guard isAhead || clock < earliest, !isAccepted else { return max(clock, last ?? clock) }
    if isUrgent, let last { return last }
    throw LedgerError.clockJump(clock: clock, last: last, earliest: earliest)
  }
}

extension Ledger {
  func corrections() throws -> [(seq: Int64, correction: ClockCorrection)] {
    try query(
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

  /// The correction by which the last moment that a wrong clock gave becomes now; nil if no event or document
  /// bears one that is ahead.
  func correction(clock: Timestamp) throws -> ClockCorrection? {
    let head = try head()
    let told = try told(head)
    guard let last = head.at, clock < max(last, told ?? last) else { return nil }
    guard clock < last else {
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
  func effective(_ at: Timestamp, of seq: Int64) -> Timestamp {
    reduce(at) { moment, item in
      // A file that somebody else wrote need not be in order.
      item.correction.since <= seq && seq <= item.seq ? item.correction.corrected(moment) : moment
    }
  }
}

extension ChangeSet {
  /// Puts the clock right, in every app; returns the correction, nil if there is nothing to correct.
  package mutating func correctClock(_ clock: Timestamp) throws -> ClockCorrection? {
    guard let correction = try ledger.correction(clock: clock) else { return nil }
    for app in try ledger.apps() { _ = try line(app.slug) }
    try take(correction)
    return correction
  }
}
