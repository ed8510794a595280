import JSON
import Platform
import ReleaseModel

extension ChangeSet {
  mutating func apply(_ plan: AppliedPlan) { append(.planApplied(plan), to: nil) }

  /// What a plan of the changes says besides their command.
  package mutating func outline() throws -> PlanOutline {
    let generations = try concerned().map { ($0, JSON.integer(try ledger.generation(of: $0))) }
    return PlanOutline(
      ledger: try ledger.name(), file: try ledger.identity().text, head: try ledger.head().json, now: now,
      generations: .object(JSON.Object(generations)), rows: rows, impact: try impactInAllCases())
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
