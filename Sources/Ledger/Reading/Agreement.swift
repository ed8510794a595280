import ReleaseModel
import SQLite

extension Ledger {
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
