import JSON
package import ReleaseModel

/// What commands ask of the ledger while they put their changes together.
extension ChangeSet {
  /// The changes so far that concern apps, each with its app.
  package var done: [(app: String, change: Change)] {
    changes.compactMap { planned in planned.app.map { ($0, planned.change) } }
  }

  /// The other release that each of these changes moves.
  package var moved: [MovedRelease] {
    changes.compactMap { planned in planned.app.map { _ in MovedRelease(planned.rows) } }
  }

  /// Whether anything would be recorded; a plan that does nothing is not used up.
  package var isChanged: Bool { changes.contains { !$0.change.isPlan } }

  /// The number of the event that would record the last change so far.
  package var lastEvent: Int64 { firstEvent + Int64(changes.count) - 1 }

  /// The releases that the command publishes, each with its app as the changes so far leave it.
  package mutating func published() throws -> [(snapshot: Snapshot, version: Version)] {
    var published: [(snapshot: Snapshot, version: Version)] = []
    for case (let app, .published(let release)) in done {
      published.append((try snapshot(app), release.version))
    }
    return published
  }

  /// Settles evidence that was parked.
  package mutating func settle(_ before: Evidence, as after: Evidence) {
    append(.evidenceSettled(before: before, after: after), to: after.app)
  }

  /// Gives the ledger its own name, as its first event.
  package mutating func make(ledger id: String) { append(.ledgerMade(id: id), to: nil) }

  /// Sets where the documents are written; returns whether it changes anything.
  @discardableResult
  package mutating func publish(to publication: Publication?) throws -> Bool {
    let known = try ledger.publication()
    guard known != publication else { return false }
    append(.publicationSet(before: known, after: publication), to: nil)
    return true
  }

  /// Where the documents are written after every change, as the changes so far leave it.
  package func publication() throws -> Publication? {
    for case .publicationSet(_, let after) in changes.map(\.change).reversed() { return after }
    return try ledger.publication()
  }

  /// The number a new rule, redirect or setting gets.
  package func nextNumber(of table: RecordTable) throws -> Int64 {
    let made = changes.filter { planned in
      switch (table, planned.change) {
      case (.rule, .ruleMade), (.redirect, .redirectSet(_, .some)), (.setting, .settingSet(_, .some)): true
      default: false
      }
    }
    return try ledger.nextNumber(of: table) + Int64(made.count)
  }

  /// Whether the last change of a release undid marking it live.
  package mutating func wasTakenBack(_ app: String, _ version: Version) throws -> Bool {
    guard let release = try line(app).release(version), release.state != .live else { return false }
    return try ledger.event(release.event).kind == "release.unmark"
  }

  /// The question to ask if clients would be forced to a build that stops opening within seven days (law 6).
  mutating func questionOfExpiry(_ impact: Impact) throws -> Question? {
    var forced = impact.lines.filter { $0.after == .force && $0.before != .force }
      .map { (app: $0.app, version: $0.first, at: $0.at) }
    // A rule's range may include versions that no one recorded.
    for planned in changes {
      guard let app = planned.app, case .ruleMade(let rule) = planned.change, rule.action == .force else {
        continue
      }
      let oldest = rule.range.lower?.version ?? .zero
      forced.append((app, oldest, max(rule.from ?? now, now)))
    }
    for (app, version, moment) in forced {
      let decision = Decider(try snapshot(app), at: moment).decide(Client(version: version))
      guard decision.action == .force, let target = decision.target, let expires = target.expires,
        let notice = target.expiryNotice, notice <= moment
      else { continue }
      return Question(need: .expiring, release: target.version, at: expires, impact: impact)
    }
    return nil
  }

  /// The targets that clients would be sent to although a rule tells them to leave, in words: the newest visible release
  /// and those to come, of each app whose answers change or that a release was made for.
  package func leaving() throws -> [String] {
    let concerned = try effects().filter { effect in
      effect.changesSchedule(since: now) || changes.contains { $0.app == effect.after.line.app.slug }
    }
    return concerned.flatMap { effect -> [String] in
      let line = effect.after.line
      let moved = changes.compactMap(\.change.release?.version)
      let current = line.target(at: now)?.version
      let targets = line.releases.filter { release in
        release.version == current || release.isHeld(at: now)
          || release.liveAt == nil && moved.contains(release.version)
      }
      return targets.compactMap { target in
        let rule = line.rules.filter { $0.isActive(at: now) && $0.range.contains(target.version) }
          .byPrecedence().first
        let isLed = line.redirects.contains { $0.isActive(at: now) && $0.range.contains(target.version) }
        guard let rule, rule.action != .none, rule.destination == nil, !isLed else { return nil }
        let reason = rule.reason.map { ": \($0)" } ?? ""
        return
          "clients of \(line.app.slug) are or will be sent to \(target.version.text), which rule \(rule.number) "
          + "(\(rule.action.rawValue) \(rule.range.text)) tells to update\(reason)"
      }
    }
  }

  /// What comes of a rule's action where it never does what it says, now or at any later moment; nil where it does.
  package func idle(rule number: Int64, of app: String, _ action: Action) throws -> Decision? {
    let answers = try effects().first { $0.willBe.app == app }?.willBe.answers.map(\.decision)
    let own = (answers ?? []).filter { $0.rule == number }
    return own.contains { $0.action == action } ? nil : own.first
  }

  /// - Throws: `Refusal` if the app never had it.
  package func liftedRule(_ number: Int64, of app: String) throws -> Rule {
    let made = try ledger.eventMaking(rule: number)
    guard let event = made, event.app == app, case .ruleMade(let rule) = try event.change() else {
      throw Refusal(
        made?.app == nil ? "rule.not-found" : "rule.not-found/other", ["owner": made?.app ?? ""],
        details: ["app": .string(app), "rule": .integer(number)])
    }
    return rule
  }
}
