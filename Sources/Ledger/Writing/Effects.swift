package import ReleaseModel

/// What a draft does to clients: the schedules before and after, of the apps that it touches and of those that lead
/// there.
package final class Effects {
  package private(set) var draft: ChangeSet
  private(set) var apps: [AppEffect]

  /// Compares the ledger as it stands with what a draft makes of it.
  ///
  /// - Throws: `Refusal`: `schedule.too-large`.
  package convenience init(_ draft: ChangeSet) throws {
    try self.init(draft, on: draft.touched(), since: draft.before, hosts: draft.trustsBefore.hosts)
  }

  /// - Parameters:
  ///   - past: Apps as they were; those that are not there are new.
  ///   - hosts: Those that were trusted then.
  /// - Throws: `Refusal`: `schedule.too-large`.
  init(_ draft: ChangeSet, on changed: Set<String>, since past: [String: AppState], hosts: Set<String>) throws
  {
    self.draft = draft
    let (ledger, states, now) = (draft.ledger, draft.after, draft.now)
    let slugs = changed.union(try ledger.slugs(leadingTo: changed)).subtracting(draft.voided)
    apps = try slugs.sorted().map { slug in
      let later = try states[slug] ?? draft.read(slug)
      var othersBefore: [String: AppState] = [:]
      var othersAfter: [String: AppState] = [:]
      for other in later.leadsTo.union(past[slug]?.leadsTo ?? []) {
        othersBefore[other] = try (past[other] ?? draft.read(other)).asDestination
        othersAfter[other] = states[other]?.asDestination ?? othersBefore[other]
      }
      let earlier = states[slug] == nil ? later : past[slug]
      return try AppEffect(
        before: earlier.map { Snapshot(line: $0, others: othersBefore, hosts: hosts) },
        after: Snapshot(line: later, others: othersAfter, hosts: draft.hosts), now: now,
        isUrgent: draft.isUrgent)
    }
  }

  /// An app with those that it leads to, as the changes leave them.
  package func snapshot(_ slug: String) throws -> Snapshot { try draft.snapshot(slug) }

  /// The effects on those schedules that change, or on all after a take-over, whose number all apps bear.
  var recorded: [AppEffect] { draft.takenOver == nil ? apps.filter(\.changesSchedule) : apps }

  /// The schedules of those, by app.
  package var schedules: [String: Schedule] {
    Dictionary(recorded.map { ($0.willBe.app, $0.willBe) }) { $1 }
  }

  /// The apps whose schedules change.
  package var concerned: [String] { recorded.map(\.willBe.app) }

  // MARK: - What clients are told

  /// The cases that a preview shows of an app: as the ledger stands and, unless it is urgent or evidence makes the
  /// changes, as if each recorded release under way were visible.
  private func cases(of effect: AppEffect) -> [ComparedCase] {
    let looksAhead =
      draft.concernsAll || draft.changes.contains { $0.evidence == nil && $0.change.concernsAnswers }
    return [effect.present] + (looksAhead && !draft.isUrgent ? effect.underWay : [])
  }

  /// What clients are told otherwise, as a preview shows it.
  func impact() throws -> Impact {
    if let takenOver = draft.takenOver, draft.changes.count == 1 { return takenOver }
    return try impact(namesTargets: false, in: cases(of:))
  }

  /// The same in every case that agreement depends on, with the releases that clients are sent to.
  func impactInAllCases() throws -> Impact {
    try impact(namesTargets: true) { $0.all }
  }

  private func impact(namesTargets: Bool, in cases: (AppEffect) -> [ComparedCase]) throws -> Impact {
    Impact(
      try apps.flatMap { effect in
        let (usage, known) = (try draft.ledger.usage(of: effect.willBe.app), try known(effect))
        return try cases(effect).map {
          try Impact($0, usage: usage, namesTargets: namesTargets, known: known)
        }
      })
  }

  private func known(_ effect: AppEffect) throws -> (VersionKey, VersionKey) throws -> Int {
    let (line, ledger) = (effect.after.line, draft.ledger)
    if draft.isUrgent { return { try ledger.versionCount(of: line.app.slug, from: $0, to: $1) } }
    let gone = (effect.before?.line.recordedVersions ?? []).filter { line.index(of: $0) == nil }
    let versions = gone.isEmpty ? line.recordedVersions : (gone + line.recordedVersions).sorted()
    return { versions.positions(from: $0, to: $1).count }
  }

  /// Divides the command's impact among its changes, each of which shows its share.
  ///
  /// What alters for an app goes to the last change of that app, else to the last change of an app that it
  /// leads to, else to the last change of all. If some changes have an impact of their own, the others show none.
  func shares(of impact: Impact) throws -> [Impact] {
    let changes = draft.changes
    if changes.contains(where: { $0.impact != nil }) { return changes.map { $0.impact ?? Impact([]) } }
    var indices: [String: Int] = [:]
    for slug in Set(impact.lines.map(\.app)) {
      let leadsTo = try (draft.after[slug] ?? draft.read(slug)).leadsTo
      indices[slug] =
        changes.lastIndex { $0.app == slug } ?? changes.lastIndex { $0.app.map(leadsTo.contains) ?? false }
    }
    return changes.indices.map { index in
      Impact(lines: impact.lines.filter { (indices[$0.app] ?? changes.count - 1) == index })
    }
  }

  // MARK: - What a command says of it

  /// The cases that its documents may lack something in; apps that are silent then, whose documents say nothing, are
  /// left out.
  package func documentCases() -> [ComparedCase] {
    apps.flatMap { effect in
      cases(of: effect).filter { $0.visible == nil ? effect.changesSchedule : !$0.differences.isEmpty }
    }.filter { $0.after.line.app.silence == nil }
  }

  /// The states and schedules, before and after, of each app whose answers change.
  package var compared:
    [(before: (state: Snapshot, schedule: Schedule)?, after: (state: Snapshot, schedule: Schedule))]
  {
    apps.filter(\.changesSchedule).map { effect in
      let before = effect.before.flatMap { state in effect.was.map { (state: state, schedule: $0) } }
      return (before, (effect.after, effect.willBe))
    }
  }

  /// The releases that the command publishes, each with its app as the changes leave it.
  package func published() throws -> [(snapshot: Snapshot, version: Version)] {
    try draft.done.compactMap { app, change in
      guard case .published(let release) = change else { return nil }
      return (try snapshot(app), release.version)
    }
  }

  /// The apps whose schedules get many tiles, and more than they had, with their number.
  package var crowded: [(app: String, tiles: Int)] {
    apps.compactMap { effect in
      let tiles = effect.willBe.tiles.count
      return max(Schedule.manyTiles, effect.was?.tiles.count ?? 0) < tiles ? (effect.willBe.app, tiles) : nil
    }
  }

  /// The stopped apps of which the changes alter something, but for the stop.
  package var stopped: [String] {
    Set(
      draft.changes.filter { $0.change.concernsAnswers && $0.change.kind != .appStop }.compactMap(\.app)
        .filter { draft.after[$0]?.app.silence == "stopped" }
    ).sorted()
  }

  /// The targets that clients would be sent to although a rule tells them to leave, in words: the newest visible release
  /// and those to come, of each app whose answers change or that a release was made for.
  package func leaving() throws -> [String] {
    let (now, changes) = (draft.now, draft.changes)
    let moved = changes.compactMap(\.change.release?.version)
    return try apps.filter { effect in
      effect.changesSchedule || changes.contains { $0.app == effect.after.line.app.slug }
    }.flatMap { effect -> [String] in
      let own = effect.after.line
      let others = try own.leadsTo.sorted().filter { own.leads(to: $0, at: now) }
        .map { try draft.after[$0] ?? draft.read($0) }
      let targets = ([own] + others).flatMap { line in
        let current = line.target(at: now)?.version
        return line.releases.filter { release in
          release.version == current || release.isHeld(at: now)
            || release.liveAt == nil && line.app == own.app && moved.contains(release.version)
        }.map { (line, $0) }
      }
      return targets.compactMap { line, target in
        let rules = line.rules.filter { $0.range.contains(target.version) }
        // From when clients are sent to it on, and from when each rule or redirect begins or ends on.
        let start = max(now, target.visibleAt ?? now)
        let edges = rules.flatMap(\.moments) + line.redirects.flatMap(\.moments)
        let moments = [start] + edges.filter { start < $0 }.sorted()
        let telling = moments.lazy.compactMap { moment -> Rule? in
          let rule = rules.filter { $0.isActive(at: moment) }.byPrecedence().first
          let isLed = line.redirects.contains {
            $0.isActive(at: moment) && $0.range.contains(target.version)
          }
          return isLed || rule?.action == Action.none || rule?.destination != nil ? nil : rule
        }
        guard let rule = telling.first else { return nil }
        let reason = rule.reason.map { ": \($0)" } ?? ""
        return
          "clients of \(own.app.slug) are or will be sent to \(line.app == own.app ? "" : "\(line.app.slug) ")"
          + "\(target.version.text), which rule \(rule.number) (\(rule.action.rawValue) \(rule.range.text)) "
          + "tells to update\(reason)"
      }
    }
  }

  /// What comes of each force that is made and never forces anyone, now or at any later moment.
  package func idle() throws -> [(snapshot: Snapshot, decision: Decision)] {
    try draft.changes.compactMap { planned in
      guard let app = planned.app, case .ruleMade(let rule) = planned.change, rule.action == .force,
        let effect = apps.first(where: { $0.willBe.app == app })
      else { return nil }
      let own = effect.willBe.answers.map(\.decision).filter { $0.rule == rule.number }
      guard !own.contains(where: { $0.action == .force }) else { return nil }
      return try own.first.map { (try snapshot(app), $0) }
    }
  }

  // MARK: - Who must agree

  /// Why the draft needs agreement where agreement is demanded; empty if it needs none.
  func approvalNeeds() -> Set<Need> {
    var needs = draft.needsOfEvidence
    let own = draft.changes.filter { !$0.isEvidence }
    for planned in own {
      needs.formUnion(planned.change.needs)
      let line = planned.app.flatMap { draft.before[$0] }
      let isFirst = line?.latestLive == nil
      if planned.change.endsHoldEarly(line?.app.hold ?? .zero, isFirst: isFirst, now: draft.now) {
        needs.insert(.hold)
      }
    }
    // What evidence does was judged piece by piece.
    guard draft.concernsAll || own.contains(where: \.change.concernsAnswers) else { return needs }
    return needs.union(self.needs(remindersCount: own.contains(where: \.change.asksWhenStricter)))
  }

  func needs(remindersCount: Bool) -> Set<Need> {
    apps.reduce(into: []) { $0.formUnion($1.needs(remindersCount: remindersCount)) }
  }
}

/// What a draft does to the clients of one app; each case is looked at once, when it is asked for.
final class AppEffect {
  let before: Snapshot?
  let after: Snapshot
  let was: Schedule?
  let willBe: Schedule
  let present: ComparedCase
  /// What the law of agreement says of the change; nil for a new app.
  private(set) lazy var law = before.map {
    AgreementLaw(before: $0, after: after, now: now, was: was, present)
  }
  /// As if each release under way were visible.
  private(set) lazy var underWay = law?.underWay(asResumed: false) ?? []
  /// Every case that agreement depends on.
  private(set) lazy var all = law?.all() ?? [present]
  private let now: Timestamp

  /// Makes both schedules; if a stop is urgent, the stopped app's of what is told now only.
  ///
  /// - Throws: `Refusal`: `schedule.too-large` if the second one has too many tiles, and more than the first.
  init(before: Snapshot?, after: Snapshot, now: Timestamp, isUrgent: Bool) throws {
    (self.before, self.after, self.now) = (before, after, now)
    // An app that leads to the stopped one goes on, so its whole schedules are compared.
    was = before.map {
      isUrgent && after.line.app.isStopped ? Schedule($0, at: now) : Schedule($0, from: now)
    }
    willBe = Schedule(after, from: now)
    guard isUrgent || willBe.tiles.count <= max(Schedule.mostTiles, was?.tiles.count ?? 0) else {
      let costliest = after.line.rules.filter { $0.until != nil || $0.from != nil }.suffix(3)
      let rules = costliest.map { "rule \($0.number)" }.joined(separator: ", ")
      throw Refusal(
        "schedule.too-large",
        [
          "app": after.line.app.slug, "most": String(Schedule.mostTiles),
          "rules": rules.isEmpty ? "the oldest" : rules,
        ])
    }
    present = ComparedCase(willBe.differences(from: was, since: now), of: after)
  }

  /// Whether clients of some version are told something else, or for another reason.
  var changesSchedule: Bool {
    was == nil || !present.differences.isEmpty
  }

  /// The agreement that is needed because of what clients are told; a new app is compared with itself before anything
  /// was recorded under it.
  func needs(remindersCount: Bool) -> Set<Need> {
    let law =
      law
      ?? AgreementLaw(
        before: Snapshot(line: AppState(app: after.line.app), others: after.others, hosts: after.hosts),
        after: after, now: now)
    return law.needs(remindersCount: remindersCount)
  }
}
