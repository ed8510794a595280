import JSON
import Platform
package import ReleaseModel
import SQLite

extension Ledger {
  /// Refuses a plan that is for another ledger, was altered, was already applied, or has expired.
  ///
  /// - Throws: `Refusal`.
  func check(_ plan: SignedPlan, now: Timestamp) throws {
    let id = try name()
    guard plan.plan.ledger == id else {
      throw Refusal("plan.ledger", details: ["ledger": .string(id), "plan": .string(plan.plan.ledger)])
    }
    let (file, owner) = (try identity(), FileIdentity(plan.plan.file))
    guard file.isKnown else { throw Refusal("plan.other-copy/unknown") }
    guard let owner, owner.isSame(as: file) else {
      throw owner.map { Refusal("plan.other-copy", ["path": $0.path]) } ?? Refusal("plan.altered")
    }
    guard plan.keys != nil else { throw Refusal("plan.altered") }
    let used = try connection.first(
      "SELECT seq FROM event_row WHERE kind = 'plan.apply' AND subject = ?", .text(plan.applied.subject)
    ) { try $0.integer(0) }
    if let used { throw Refusal("plan.used", details: ["event": .integer(used)]) }
    try plan.plan.checkAge(at: now)
  }
}

extension Plan {
  /// Refuses a plan that has expired, or was not made yet.
  func checkAge(at now: Timestamp) throws(Refusal) {
    guard now < expires else { throw Refusal("plan.expired", details: ["expires": .string(expires.text)]) }
    guard made.seconds - now.seconds <= Plan.clockTolerance.seconds else {
      throw Refusal("plan.altered/early", details: ["made": .string(made.text)])
    }
  }

  /// The events that the plan covers, which follow its own: one for each change that it names, none if it names none.
  func covered(after seq: Int64) -> ClosedRange<Int64>? {
    let (last, isBeyond) = seq.addingReportingOverflow(Int64(rows.count))
    return rows.isEmpty || isBeyond ? nil : seq + 1...last
  }
}

extension ChangeSet {
  /// The changes as a plan names them: the row that each touches, as it is, and what becomes of it.
  var rows: [JSON] {
    changes.filter { !$0.change.isPlan && $0.change.kind != .ledgerTakeOver }.map { planned in
      let (change, app) = (planned.change, planned.app)
      return [
        "kind": .string(change.kind.rawValue), "app": .optional(app),
        "version": .optional(change.version?.text),
        "before": change.before(app: app) ?? .null,
        "after": change.after(app: app, MovedRelease(planned.rows)) ?? .null,
      ]
    }
  }
}

extension Effects {
  /// A plan of the changes, but for its command and author.
  func planned() throws -> Plan {
    let ledger = draft.ledger
    let generations = try concerned.map { ($0, JSON.integer(try ledger.generation(of: $0))) }
    let impact = try impactInAllCases()
    return Plan(
      ledger: try ledger.name(), file: try ledger.identity().text, made: draft.now,
      head: try ledger.head().json, generations: .object(JSON.Object(generations)), rows: draft.rows,
      effect: impact.lines, rest: impact.rest)
  }

  /// Refuses a plan that names other changes, or does not say all that these do to clients.
  ///
  /// - Throws: `Refusal`: `plan.stale`.
  func hold(against plan: Plan) throws {
    let (rows, now, named) = (draft.rows, draft.now, plan.rows.count)
    if rows.isEmpty, named > 0 { throw Refusal("plan.stale/done") }
    guard rows.count == named else {
      throw Refusal.stale(
        "it would make \(rows.count) \(rows.count == 1 ? "change" : "changes"), and the plan says \(named)"
      )
    }
    for (index, (row, said)) in zip(rows, plan.rows).enumerated() {
      // What an earlier change of the plan makes is as new before the next one.
      let isOwn = plan.rows[..<index].contains { $0["after"] == said["before"] }
      if let words = plan.difference(of: row, from: said, isOwn: isOwn, now: now) {
        throw Refusal.stale(words)
      }
    }
    let lines = try impactInAllCases().lines
    let heldOn = try heldOn(in: lines)
    let effect = plan.effect.map { line in
      guard let end = line.until, let held = heldOn.first(where: { $0.contains(end) }) else { return line }
      return line.lasting(until: held.upperBound)
    }
    let moved = zip(rows, plan.rows).flatMap { row, said in
      (said["after"]?.object?.members ?? []).compactMap { member in
        plan.movedMoment(row["after"]?[member.key], member.value, now: now)
      }
    }
    if let line = lines.beyond(effect, made: plan.made, now: now, moved: Set(moved)) {
      throw Refusal.stale(line.words)
    }
  }

  /// From when to when lookups moved the ends of holds, in the apps that lines are about and in those led to: what was
  /// to last until then lasts longer.
  private func heldOn(in lines: [ImpactLine]) throws -> [Range<Timestamp>] {
    let apps = try Set(lines.map(\.app)).flatMap { slug in
      let snapshot = try snapshot(slug)
      // The plan itself may end a hold.
      return [snapshot.line, draft.before[slug] ?? snapshot.line] + snapshot.others.values
    }
    return apps.flatMap { $0.releases }.compactMap { release in
      guard release.isHeldOn, let first = release.firstVisibleAt, let end = release.visibleAt else {
        return nil
      }
      return first..<end
    }
  }
}

extension Change {
  var isPlan: Bool { if case .planApplied = self { true } else { false } }
}

extension Plan {
  /// Whether the build is the next one when the plan is applied.
  private var takesNextBuild: Bool { command.contains("--build=next") }

  /// How a change differs from the one that the plan names; nil if only in a new row's number, which counts up through
  /// the ledger, in the next build, and in moments that count from when the change is made.
  ///
  /// - Parameter isOwn: Whether the plan itself made what was there before.
  fileprivate func difference(of found: JSON, from named: JSON, isOwn: Bool, now: Timestamp) -> String? {
    let place = [found["app"]?.string, found["version"]?.string].compactMap(\.self).joined(separator: " ")
    for member in ["kind", "app", "version", "before", "after"] {
      let (side, other) = (found[member] ?? .null, named[member] ?? .null)
      guard side != other else { continue }
      guard let members = side.object?.members, let others = other.object?.members,
        member == "before" || member == "after"
      else { return "\(place): \(member) is \(Plan.shown(side)), and the plan says \(Plan.shown(other))" }
      for key in Set((members + others).map(\.key)).sorted() where side[key] != other[key] {
        let isAsFar = movedMoment(side[key], other[key], now: now) != nil
        let isNewNumber = key == "id" || key == "number" || key == "build" && takesNextBuild
        if member == "after" || isOwn, isNewNumber || isAsFar { continue }
        // A lookup that moved the end of a hold changes nothing that the plan is about.
        if key == "visibleAt" || key == "firstVisibleAt", let first = side["firstVisibleAt"], first != .null,
          first == other["firstVisibleAt"]
            || other["firstVisibleAt"] == .null && first == named["before"]?["visibleAt"]
        {
          continue
        }
        return
          "\(place): \(key) \(member == "before" ? "is" : "would be") \(Plan.shown(side[key])), and the plan says "
          + Plan.shown(other[key])
      }
    }
    return nil
  }

  /// The moment that the plan names if what is found is as long after now as it was after the plan's making.
  fileprivate func movedMoment(_ found: JSON?, _ named: JSON?, now: Timestamp) -> Timestamp? {
    guard let found = found?.string.flatMap({ try? Timestamp($0) }),
      let named = named?.string.flatMap({ try? Timestamp($0) }),
      found.seconds - now.seconds == named.seconds - made.seconds
    else { return nil }
    return named
  }

  private static func shown(_ value: JSON?) -> String {
    guard let value, value != .null else { return "nothing" }
    let text = value.string ?? value.text()
    return text.utf8.count > 200 ? String(decoding: text.utf8.prefix(200), as: UTF8.self) + "…" : text
  }
}

extension ImpactLine {
  /// What it does to clients, and the plan does not say.
  fileprivate var words: String {
    let page = willBe?.url.map { " with \($0)" } ?? ""
    let target = willBe?.target.map { " to \($0)" } ?? ""
    let done = before < after ? after == .force ? "be forced" : "be reminded" : "be sent"
    let place = visible.map { " " + $0.words(in: app) } ?? ""
    return
      "\(app) \(range.text)\(os.map { " on \($0)" } ?? "") would \(done)\(target)\(page) from \(at.text) on\(place), "
      + "which the plan does not say"
  }
}

extension Refusal {
  /// A plan would now do something else than it says.
  package static func stale(_ difference: String) -> Refusal {
    Refusal("plan.stale", details: ["difference": .string(difference)])
  }
}
