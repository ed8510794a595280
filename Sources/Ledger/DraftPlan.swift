package import JSON
package import ReleaseModel

/// What a command would do, as a plan keeps it.
package struct PlannedRows: Sendable, Equatable {
  package let rows: [JSON]
  package let beside: [JSON]
  package let effect: Effect
}

extension Draft {
  /// Describes what the changes do, for a plan.
  func planned() throws -> PlannedRows {
    let own = changes.filter { !$0.change.isPlan }
    return PlannedRows(
      rows: own.map { planned in
        [
          "kind": .string(planned.change.kind.rawValue), "app": .optional(planned.app),
          "version": .optional(planned.change.version?.text),
          "before": planned.change.before(app: planned.app) ?? .null,
          "after": planned.change.after(app: planned.app) ?? .null,
        ]
      }, beside: try rowsBeside(own), effect: try effect())
  }

  /// The rules and redirects in force whose range overlaps that of a changed one of the same kind.
  private func rowsBeside(_ changes: [PlannedChange]) throws -> [JSON] {
    var rows: [JSON] = []
    for planned in changes {
      guard let app = planned.app, let line = before[app] else { continue }
      switch planned.change {
      case .ruleMade(let rule), .ruleLifted(let rule), .ruleRestored(let rule):
        rows += line.rules.filter { $0.range.overlaps(rule.range) && $0.number != rule.number }
          .map { $0.json(app: app) }
      case .redirectSet(let old, let new):
        guard let redirect = new ?? old else { continue }
        rows += line.redirects.filter { $0.range.overlaps(redirect.range) && $0.number != old?.number }
          .map { $0.json(app: app) }
      default: continue
      }
    }
    var seen: Set<String> = []
    return rows.filter { seen.insert($0.text()).inserted }
  }

  private func effect() throws -> Effect {
    let relative = Set(changes.flatMap { $0.change.momentsFromNow(now) })
    return Effect(
      try pairs(on: touched(), since: before, hosts: trustsBefore.hosts).map {
        Effect(before: $0.before, after: $0.after, now: now, relative: relative)
      })
  }

  /// Refuses a plan that no longer holds.
  ///
  /// - Throws: `PlanFault.stale`.
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
      if let words = Draft.difference(now, then, clocks) { throw PlanFault.stale(words) }
    }
    if let words = found.effect.difference(from: plan.effect, now: now) { throw PlanFault.stale(words) }
    try checkHearing(plan)
    guard found.beside != plan.beside else { return }
    if let new = found.beside.first(where: { !plan.beside.contains($0) }) {
      throw PlanFault.stale("\(Draft.name(new)) holds some of its versions now")
    }
    throw PlanFault.stale(
      plan.beside.first { !found.beside.contains($0) }.map { "\(Draft.name($0)) no longer counts" }
        ?? "the rules of its versions are others")
  }

  /// Refuses a plan whose preview is wrong about which versions are too old to ask for updates.
  private func checkHearing(_ plan: Plan) throws {
    for line in plan.impact.array ?? [] where line["count"]?.integer != 0 {
      guard let app = line["app"]?.string, let versions = line["versions"]?.string,
        let (first, _) = Version.span(versions), let known = after[app] ?? (try? read(app))
      else { continue }
      let hears = known.app.asksSince.map { $0 <= first } ?? true
      guard line["hears"]?.bool == hears else {
        throw PlanFault.stale("\(app) \(versions) \(hears ? "asks" : "does not ask") for updates")
      }
    }
  }

  private static func name(_ row: JSON) -> String {
    let kind = row["action"] == nil ? "redirect" : "rule"
    return "\(kind) \(row["number"]?.integer ?? 0) (\(row["range"]?.string ?? ""))"
  }

  /// Says how a change differs from what was planned; nil if only its number, or moments that count from now,
  /// differ.
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
  /// Whether it applies a plan, which covers the changes that follow.
  var isPlan: Bool { if case .planApplied = self { true } else { false } }
}

extension Plan {
  /// Refuses a plan that contradicts itself, or that says it was made in the future.
  ///
  /// - Throws: `PlanFault`.
  func checkWords(now: Timestamp) throws(PlanFault) {
    guard made.seconds - now.seconds <= Plan.clockTolerance.seconds else { throw .early(made) }
    try checkPreview()
  }

  /// Refuses a plan that needs agreement for a reason which it does not name.
  ///
  /// - Throws: `PlanFault.stale`.
  func checkNames(_ needs: Set<ApprovalNeed>) throws(PlanFault) {
    guard let new = needs.sorted().first(where: { !self.needs.contains($0.rawValue) }) else { return }
    throw .stale("it needs agreement for a reason that it does not name (\(new.rawValue))")
  }
}
