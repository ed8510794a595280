import ReleaseModel
import SQLite

extension Ledger {
  /// The numbers of the previous and the next event about the same row; read in slices.
  package func neighbours(of event: EventRecord) throws -> (previous: Int64?, next: Int64?) {
    guard let subject = event.subject else { return (nil, nil) }
    var previous: Int64?
    var last = event.seq
    while previous == nil, last > 1, let top = try number(atMost: last - 1, from: 1) {
      last = max(1, top - (sliceOfEvents - 1))
      previous = try neighbour(in: last...top, "DESC", event.app, subject)
    }
    var next: Int64?
    var first = event.seq
    while next == nil, let bottom = try number(after: first) {
      first = bottom &+ (sliceOfEvents - 1) < bottom ? .max : bottom + (sliceOfEvents - 1)
      next = try neighbour(in: bottom...first, "ASC", event.app, subject)
    }
    return (previous, next)
  }

  private func neighbour(
    in numbers: ClosedRange<Int64>, _ order: String, _ app: String?, _ subject: String
  ) throws -> Int64? {
    try first(
      """
      SELECT seq FROM event WHERE seq BETWEEN ? AND ? AND app IS ? AND subject = ? ORDER BY seq \(order) LIMIT 1
      """, .integer(numbers.lowerBound), .integer(numbers.upperBound), Value(app), .text(subject)
    ) { try $0.integer(0) }
  }

  /// The event of the plan that an event carries out, and the signers who agreed to it; nil without a plan.
  package func agreement(to event: EventRecord) throws -> (plan: Int64, signers: [String])? {
    let found = try first(
      "SELECT max(seq) FROM event WHERE kind = '\(EventKind.planApply.rawValue)' AND seq <= ?",
      .integer(event.seq)
    ) { try $0.optionalInteger(0) }
    guard let seq = found ?? nil else { return nil }
    let record = try self.event(seq)
    guard case .planApplied(let plan)? = try? record.change(), let at = try? Timestamp(record.at),
      event.seq == seq || plan.covered(after: seq)?.contains(event.seq) == true
    else { return nil }
    let trusts = try asOf(.event(seq), of: []).trusts()
    return (seq, trusts.names(signingWith: Set(plan.signatures.map(\.key)), at: at).sorted())
  }
}
