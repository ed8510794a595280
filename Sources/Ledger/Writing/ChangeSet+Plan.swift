import JSON
import Platform
import ReleaseModel

extension ChangeSet {
  mutating func apply(_ plan: AppliedPlan) { append(.planApplied(plan), to: nil) }

  /// A plan of the changes, but for its command and author.
  mutating func planned() throws -> Plan {
    let generations = try concerned().map { ($0, JSON.integer(try ledger.generation(of: $0))) }
    let impact = try impactInAllCases()
    return Plan(
      ledger: try ledger.name(), file: try ledger.identity().text, made: now, head: try ledger.head().json,
      generations: .object(JSON.Object(generations)), rows: rows, effect: impact.lines, rest: impact.rest)
  }

  private var rows: [JSON] {
    changes.filter { !$0.change.isPlan && $0.change.kind != .ledgerTakeOver }.map {
      Plan.row($0.change, app: $0.app)
    }
  }

  private mutating func impactInAllCases() throws -> Impact {
    try readWhole()
    return try impact(of: effects(), namesTargets: true) { $0.law?.all() ?? [$0.present] }
  }

  /// - Throws: `Refusal`: `plan.stale` if the plan no longer holds.
  mutating func hold(against plan: AppliedPlan) throws {
    let named = plan.plan["rows"]?.array?.count ?? 0
    let rows = rows
    guard rows.count == named else {
      throw Refusal.stale(
        rows.isEmpty
          ? "what it does is done already"
          : "it would make \(rows.count) \(rows.count == 1 ? "change" : "changes"), and the plan says \(named)"
      )
    }
    for (place, row) in rows.enumerated() {
      if let words = plan.objection(to: row, at: place, now) { throw Refusal.stale(words) }
    }
    if let words = plan.objection(to: try impactInAllCases().lines) { throw Refusal.stale(words) }
  }
}

extension Change {
  var isPlan: Bool { if case .planApplied = self { true } else { false } }
}

struct PlannedChange {
  let app: String?
  let change: Change
  let evidence: Int64?
  /// Why it is made, if not for the command's reason.
  var reason: String?
  var rows: [TouchedRow] = []
  /// What this change alters by itself; nil if the command's impact covers it.
  var impact: Impact?
  /// Whether evidence makes the change; such changes are judged separately.
  var isEvidence = false
}
