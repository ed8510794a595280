import JSON
import Platform
package import ReleaseModel
import SQLite

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

/// The last moment of change that documents were written for is kept in a file beside the ledger, with the ledger's own
/// name: a file of another ledger is ignored.
///
/// With it, a clock that is set back takes back nothing that clients were told, wherever the documents went.
///
/// Only moments that the ledger itself names are kept, such as the end of a hold, so that a wrong clock can
/// lead no further than those.
extension Ledger {
  /// The moment that documents were last written for, if it is after the last event.
  func told(_ head: Head) throws -> Timestamp? {
    guard let at = head.at, let kept = read(.told, limit: 1_024),
      let word = String(decoding: kept, as: UTF8.self).split(whereSeparator: \.isWhitespace).last,
      let moment = try? Timestamp(String(word)), at < moment, (try? toldLine(moment)) == kept
    else { return nil }
    return moment
  }

  /// Notes that documents are about to be written with an answer that holds from a moment on, so that "now"
  /// never falls before that moment again.
  ///
  /// Nothing is noted for an account that may only read the ledger.
  package func tell(_ moment: Timestamp) throws {
    guard !connection.isInMemory, let reached = try reached(head()), reached < moment else { return }
    let line = try toldLine(moment)
    do {
      let model = try FileStatus(of: connection.path)
      try publishFile(
        line, as: connection.path + Companion.told.rawValue, rights: model.rights & 0o660, replaces: true,
        like: model)
    } catch {
      guard error.isForbidden else { throw LedgerError.system(error) }
    }
  }

  private func toldLine(_ moment: Timestamp) throws -> [UInt8] {
    Array("\(try name()) \(moment.text)\n".utf8)
  }
}
