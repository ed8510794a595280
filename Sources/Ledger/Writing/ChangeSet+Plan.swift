package import JSON
package import ReleaseModel

/// What a command would do, as a plan keeps it.
package struct PlannedRows: Sendable, Equatable {
  package let rows: [JSON]
  package let effect: PlannedEffect
}

extension ChangeSet {
  mutating func apply(_ plan: AppliedPlan) { append(.planApplied(plan), to: nil) }

  func planned(_ effects: [AppEffect]? = nil) throws -> PlannedRows {
    PlannedRows(rows: changes.filter(\.isOfPlan).map(\.json), effect: try effect(effects ?? self.effects()))
  }

  private func effect(_ effects: [AppEffect]) throws -> PlannedEffect {
    let relative = Set(changes.flatMap { $0.change.momentsFromNow(now) })
    return PlannedEffect(
      effects.map { PlannedEffect(from: $0.was, to: $0.willBe, now: now, relative: relative) })
  }

  /// - Throws: `PlanFault.stale` if the plan no longer holds.
  func hold(against plan: Plan) throws {
    let found = try planned()
    let clocks = (then: plan.made, now: now)
    guard found.rows.count == plan.rows.count else {
      throw PlanFault.stale(
        found.rows.isEmpty
          ? "what it does is done already"
          : "it would make \(found.rows.count) \(found.rows.count == 1 ? "change" : "changes"), and the plan says "
            + "\(plan.rows.count)")
    }
    for (now, then) in zip(found.rows, plan.rows) {
      if let words = ChangeSet.difference(now, then, clocks) { throw PlanFault.stale(words) }
    }
    if let words = found.effect.difference(from: plan.effect, now: now) { throw PlanFault.stale(words) }
  }

  /// Says how a change differs from the plan, its number and moments that count from now aside.
  private static func difference(_ found: JSON, _ planned: JSON, _ clocks: (then: Timestamp, now: Timestamp))
    -> String?
  {
    guard let one = RowDifference.between(found, planned, clocks) else { return nil }
    let place = [found["app"]?.string, found["version"]?.string].compactMap { $0 }.joined(separator: " ")
    let said = "\(shown(one.found)), and the plan says \(shown(one.planned))"
    guard one.member == "before" || one.member == "after" else { return "it would be \(said)" }
    guard let key = one.key else { return "\(place): \(one.member) it is \(said)" }
    return "\(place): \(key) \(one.member == "before" ? "is" : "would be") \(said)"
  }

  private static func shown(_ value: JSON?) -> String {
    guard let value, value != .null else { return "nothing" }
    let text = value.string ?? value.text()
    return text.utf8.count > 200 ? String(decoding: text.utf8.prefix(200), as: UTF8.self) + "…" : text
  }
}

extension Change {
  var isPlan: Bool { if case .planApplied = self { true } else { false } }
}

extension Plan {
  func checkWords(now: Timestamp) throws(PlanFault) {
    guard made.seconds - now.seconds <= Plan.clockTolerance.seconds else { throw .early(made) }
  }
}
