package import JSON
package import ReleaseModel

/// What a command would do, as a plan keeps it.
package struct PlannedRows: Sendable, Equatable {
  package let rows: [JSON]
  package let beside: [JSON]
  package let effect: Effect
}

extension Draft {
  /// Puts down what the changes do.
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

  /// The rules and redirects in force that hold versions which a change of either kind holds, too.
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
          : "it would make \(found.rows.count) changes, and the plan says \(plan.rows.count)")
    }
    for (now, then) in zip(found.rows, plan.rows) {
      if let words = Draft.difference(now, then, clocks) { throw PlanFault.stale(words) }
    }
    if let words = found.effect.difference(from: plan.effect, now: now) { throw PlanFault.stale(words) }
    guard found.beside != plan.beside else { return }
    if let new = found.beside.first(where: { !plan.beside.contains($0) }) {
      throw PlanFault.stale("\(Draft.name(new)) holds some of its versions now")
    }
    throw PlanFault.stale(
      plan.beside.first { !found.beside.contains($0) }.map { "\(Draft.name($0)) no longer counts" }
        ?? "the rules of its versions are others")
  }

  private static func name(_ row: JSON) -> String {
    let kind = row["action"] == nil ? "redirect" : "rule"
    return "\(kind) \(row["number"]?.integer ?? 0) (\(row["range"]?.string ?? ""))"
  }

  /// Says how a change differs from what was planned; nil where only its number and moments of its own do.
  private static func difference(_ found: JSON, _ planned: JSON, _ clocks: (then: Timestamp, now: Timestamp))
    -> String?
  {
    let place = [found["app"]?.string, found["version"]?.string].compactMap { $0 }.joined(separator: " ")
    for member in ["kind", "app", "version"] where found[member] != planned[member] {
      return "it would be \(shown(found[member])), and the plan says \(shown(planned[member]))"
    }
    for member in ["before", "after"] {
      let (now, then) = (found[member] ?? .null, planned[member] ?? .null)
      guard now != then else { continue }
      guard let members = now.object?.members, let others = then.object else {
        return "\(place): \(member) it is \(shown(now)), and the plan says \(shown(then))"
      }
      for one in members where one.value != others[one.key] {
        // A new row's own number counts up through the ledger; which row is changed stands in what is before.
        if member == "after", one.key == "id" || one.key == "number" { continue }
        if member == "after", isSameDistance(one.value, others[one.key], clocks) { continue }
        return "\(place): \(one.key) \(member == "before" ? "is" : "would be") \(shown(one.value)), "
          + "and the plan says \(shown(others[one.key]))"
      }
      guard members.map(\.key) == others.members.map(\.key) else {
        return "\(place): it says other things than the plan"
      }
    }
    return nil
  }

  /// Whether two moments are equally far from when the change is made and from when the plan was.
  private static func isSameDistance(
    _ found: JSON, _ planned: JSON?, _ clocks: (then: Timestamp, now: Timestamp)
  ) -> Bool {
    guard let found = found.string.flatMap({ try? Timestamp($0) }),
      let planned = planned?.string.flatMap({ try? Timestamp($0) })
    else { return false }
    return found.seconds - clocks.now.seconds == planned.seconds - clocks.then.seconds
  }

  private static func shown(_ value: JSON?) -> String {
    guard let value, value != .null else { return "nothing" }
    let text = value.string ?? value.text()
    return text.utf8.count > 200 ? String(decoding: text.utf8.prefix(200), as: UTF8.self) + "…" : text
  }
}

extension Change {
  /// Whether it is the agreement to the changes that follow.
  var isPlan: Bool { if case .planApplied = self { true } else { false } }
}
