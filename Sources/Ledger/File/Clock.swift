import JSON
package import ReleaseModel

/// What the clock is checked against before a change is recorded.
package struct ClockCheck: Sendable {
  /// The earliest moment that a correct clock can show: the program's own date.
  package var earliest: Timestamp
  package var isAccepted: Bool
  /// Whether the change never waits: with a wrong clock, it is recorded with the last event's moment.
  package var isUrgent: Bool

  package init(earliest: Timestamp = .distantPast, isAccepted: Bool = false, isUrgent: Bool = false) {
    (self.earliest, self.isAccepted, self.isUrgent) = (earliest, isAccepted, isUrgent)
  }

  /// How far after the last event the clock may be without a question: 180 days.
  package static let longestRest = TimeSpan(seconds: 180 * 86_400)

  /// The moment of a change, and why the clock may be wrong: it is more than `longestRest` after the last event, or
  /// before `earliest`.
  func now(clock: Timestamp, last: Timestamp?) -> (moment: Timestamp, doubt: LedgerError?) {
    let isAhead = last.map { $0 + ClockCheck.longestRest < clock } ?? false
    guard isAhead || clock < earliest, !isAccepted else { return (max(clock, last ?? clock), nil) }
    if isUrgent, let last { return (last, nil) }
    return (
      clock,
      .unusable(
        Refusal(
          clock < earliest ? "clock.jump/early" : "clock.jump",
          ["last": last?.text ?? "none", "earliest": earliest.text],
          details: ["clock": .string(clock.text), "lastEvent": .optional(last?.text)]))
    )
  }
}

extension Ledger {
  /// What to look at where the ledger's time, which never goes back, is ahead of a clock; nil if it is not.
  package func clockFinding(_ clock: Timestamp) throws -> Finding? {
    let now = try now(clock: clock)
    guard clock < now else { return nil }
    return Finding(
      try head().at == now ? "clock.ahead" : "clock.ahead/documents",
      ["ahead": (now - clock).roundedText, "now": now.text])
  }
}
