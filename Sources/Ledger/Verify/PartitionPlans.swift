import JSON
import ReleaseModel
import SQLite

extension Partition {
  func covered(by plan: AppliedPlan) -> ClosedRange<Int64>? {
    plan.rows.isEmpty ? nil : plan.covered(after: seq)
  }

  func objection(to plan: AppliedPlan, at: Timestamp) -> String? {
    guard verifier.keys(of: plan, seq: seq) != nil else { return "a signature of the plan is not valid" }
    if let id = state.name, plan.plan["ledger"]?.string != id { return "the plan is for another ledger" }
    guard plansApplied.insert(plan.subject).inserted else { return "the plan was applied before" }
    guard let (made, expires) = plan.times, !plan.rows.isEmpty else { return "pawl did not make the plan" }
    guard made.seconds - at.seconds <= Plan.clockTolerance.seconds else {
      return "the plan was made later, at \(made.text)"
    }
    return at < expires ? nil : "the plan held until \(expires.text)"
  }

  func compareChanges(of plan: AppliedPlan, at: Timestamp) throws {
    guard let covered = covered(by: plan), let (made, _) = plan.times else { return }
    let rows = plan.rows
    let clocks = (then: made, now: at)
    var count = 0
    try connection.forEach(
      "SELECT seq, at, kind, app, version, before, after FROM event WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq",
      .integer(covered.lowerBound), .integer(covered.upperBound)
    ) { row in
      let number = try row.integer(0)
      guard covered.contains(number) else { return true }
      count += 1
      let found = try change(in: row)
      let why: String
      if let difference = RowDifference.between(found, rows[Int(number - covered.lowerBound)], clocks) {
        why = difference.text
      } else if try row.value(1) != .text(at.text) {
        why = "it was not recorded together with it"
      } else {
        return true
      }
      report(
        "law.broken", number,
        "event \(number) (\(found["kind"]?.string ?? "")) is not what the plan of event \(seq) says: \(why)")
      return true
    }
    guard count < rows.count else { return }
    report(
      "law.broken", seq,
      "event \(seq) (plan.apply) is one that no command could have made: "
        + "\(rows.count - count) of the \(rows.count) changes of the plan are missing")
  }

  private func change(in row: Row) throws -> JSON {
    func text(_ column: Int) throws -> JSON {
      .optional(try row.lend(column).text.map { String(decoding: $0, as: UTF8.self) })
    }
    func object(_ column: Int) throws -> JSON {
      try row.lend(column).text.flatMap { try? JSON(parsing: $0) } ?? .null
    }
    return [
      "kind": try text(2), "app": try text(3), "version": try text(4), "before": try object(5),
      "after": try object(6),
    ]
  }
}

extension AppliedPlan {
  fileprivate var rows: [JSON] { plan["rows"]?.array ?? [] }

  fileprivate var times: (made: Timestamp, expires: Timestamp)? {
    guard let made = plan["made"]?.string.flatMap({ try? Timestamp($0) }),
      let expires = plan["expires"]?.string.flatMap({ try? Timestamp($0) })
    else { return nil }
    return (made, expires)
  }
}

extension RowDifference {
  fileprivate var text: String {
    func shown(_ json: JSON) -> String {
      guard json != .null else { return "nothing" }
      let text = json.text()
      return text.count > 60 ? text.prefix(60) + "…" : text
    }
    return "\(key ?? member) is \(shown(found)), and not \(shown(planned))"
  }
}
