package import ReleaseModel

extension ChangeSet {
  /// Whether every app's answers may have changed, because the trusted hosts or the clock did.
  var concernsAll: Bool { hosts != trustsBefore.hosts }

  /// Where the changes alter what clients are told: as the ledger stands and in each case, as the preview has them; apps
  /// that are silent then, whose documents say nothing, are left out.
  package mutating func documentCases() throws -> [ComparedCase] {
    try effects().flatMap { effect in
      (effect.changesSchedule(since: now) ? [effect.present] : [])
        + (looksAhead ? effect.law?.underWay(asResumed: false) ?? [] : []).filter { !$0.differences.isEmpty }
    }.filter { $0.after.line.app.silence == nil }
  }

  /// Whether evidence makes none of it, so that releases under way are looked at, too.
  private var looksAhead: Bool {
    concernsAll || changes.contains { $0.evidence == nil && $0.change.concernsAnswers }
  }

  /// The apps whose schedules get many tiles, and more than they had, with their number.
  package func crowded() throws -> [(app: String, tiles: Int)] {
    try effects().compactMap { effect in
      let tiles = effect.willBe.tiles.count
      return max(Schedule.manyTiles, effect.was?.tiles.count ?? 0) < tiles ? (effect.willBe.app, tiles) : nil
    }
  }

  /// The stopped apps of which the changes alter something, but for the stop.
  package var stopped: [String] {
    Set(
      changes.filter { $0.change.concernsAnswers && $0.change.kind != .appStop }.compactMap(\.app)
        .filter { after[$0]?.app.isStopped == true }
    ).sorted()
  }

  /// The apps whose schedules the changes alter.
  package func concerned() throws -> [String] { try recorded(effects()).map(\.willBe.app) }

  /// Where a schedule changes, or everywhere after a take-over, whose number all apps bear.
  func recorded(_ effects: [AppEffect]) -> [AppEffect] {
    effects.filter { takenOver != nil || $0.changesSchedule(since: now) }
  }

  private func touched() throws -> Set<String> {
    if concernsAll || takenOver != nil { return Set(try ledger.apps().map(\.slug)) }
    return Set(changes.filter(\.change.concernsAnswers).compactMap(\.app))
  }

  /// What the changes do to the schedules of the apps they touch, and of those that lead to them; if they are
  /// urgent, compared with what is told now only.
  func effects() throws -> [AppEffect] {
    if cache.count == changes.count { return cache.effects }
    let effects = try effects(on: touched(), since: before, hosts: trustsBefore.hosts)
    (cache.count, cache.effects) = (changes.count, effects)
    return effects
  }

  func effects(
    on changed: Set<String>, since past: [String: AppState], hosts hostsBefore: Set<String>
  ) throws -> [AppEffect] {
    try pairs(on: changed, since: past, until: after, hosts: hostsBefore).map { pair in
      try AppEffect(before: pair.before, after: pair.after, now: now, isUrgent: isUrgent)
    }
  }

  /// What the changes do to clients as the ledger stands and, unless it is urgent or evidence makes them, as if each
  /// recorded release under way were visible.
  func impact(of effects: [AppEffect]) throws -> Impact {
    if let takenOver, changes.count == 1 { return takenOver }
    return try impact(of: effects, namesTargets: false) { effect in
      [effect.present] + (looksAhead && !isUrgent ? effect.law?.underWay(asResumed: false) ?? [] : [])
    }
  }

  /// What the changes do to clients in some cases.
  func impact(
    of effects: [AppEffect], namesTargets: Bool, in cases: (AppEffect) throws -> [ComparedCase]
  ) throws -> Impact {
    Impact(
      try effects.flatMap { effect in
        let app = effect.after.line.app
        let (usage, known) = (try ledger.usage(of: app.slug), try known(effect))
        return try cases(effect).map {
          try Impact($0, app: app, usage: usage, namesTargets: namesTargets, known: known)
        }
      })
  }

  private func known(_ effect: AppEffect) throws -> (VersionKey, VersionKey) throws -> Int {
    let line = effect.after.line
    if isUrgent { return { [ledger] in try ledger.versionCount(of: line.app.slug, from: $0, to: $1) } }
    var versions = (effect.before?.line.recordedVersions ?? []) + line.recordedVersions
    versions.sortUniquely()
    return { [versions] in versions.positions(from: $0, to: $1).count }
  }

  /// Some apps, and those that lead to them, in an earlier and a later state; `before` is nil for a new app.
  func pairs(
    on changed: Set<String>, since past: [String: AppState], until states: [String: AppState],
    hosts hostsBefore: Set<String>
  ) throws -> [(before: Snapshot?, after: Snapshot)] {
    let slugs = changed.union(try ledger.slugs(leadingTo: changed)).subtracting(voided)
    return try slugs.sorted().map { slug in
      let later = try states[slug] ?? read(slug)
      var othersBefore: [String: AppState] = [:]
      var othersAfter: [String: AppState] = [:]
      for other in later.leadsTo.union(past[slug]?.leadsTo ?? []) {
        othersBefore[other] = try (past[other] ?? read(other)).asDestination
        othersAfter[other] = states[other]?.asDestination ?? othersBefore[other]
      }
      let earlier = states[slug] == nil ? later : past[slug]
      return (
        earlier.map { Snapshot(line: $0, others: othersBefore, hosts: hostsBefore) },
        Snapshot(line: later, others: othersAfter, hosts: hosts)
      )
    }
  }

  /// Divides the command's impact among its changes, each of which shows its share.
  ///
  /// What alters for an app goes to the last change of that app, else to the last change of an app that it
  /// leads to, else to the last change of all.
  ///
  /// If some changes have an impact of their own, they show that, and the others show none.
  func shares(of impact: Impact) throws -> [Impact] {
    if changes.contains(where: { $0.impact != nil }) { return changes.map { $0.impact ?? Impact([]) } }
    var shares = changes.map { _ in [ImpactLine]() }
    var places: [String: Int] = [:]
    for line in impact.lines {
      var place = places[line.app] ?? changes.lastIndex { $0.app == line.app }
      if place == nil {
        let leadsTo = try (after[line.app] ?? read(line.app)).leadsTo
        place = changes.lastIndex { $0.app.map(leadsTo.contains) ?? false } ?? changes.indices.last
      }
      guard let place else { continue }
      places[line.app] = place
      shares[place].append(line)
    }
    return shares.map { Impact(lines: $0) }
  }

  /// The question that someone should agree to first, by the preview's rules, or nil.
  func question(_ impact: Impact, mayAgree: Bool = true) throws -> Question? {
    for case .voided(let release, _, true) in changes.map(\.change) {
      return Question(need: .neverShipped, release: release.version, impact: impact)
    }
    if case .takenOver(let takeOver)? = changes.first?.change, takeOver.place != nil {
      return Question(need: .takeOver, impact: impact)
    }
    // Evidence is bound by it, and proved evidence asks no one.
    if !mayAgree, changes.contains(where: { $0.change.needs.contains(.appleID) }) {
      return Question(need: .appleID, impact: impact)
    }
    for planned in changes where !planned.isEvidence {
      guard case .marked(let before, let after) = planned.change, before.state == .rejected,
        after.state == .live
      else { continue }
      return Question(need: .rejected, release: after.version, impact: impact)
    }
    let endsRedirect = changes.contains { planned in
      planned.change.kind == .appRetire
        && planned.app.flatMap { before[$0] }?.ledElsewhere(at: now).isEmpty == false
    }
    if endsRedirect { return Question(need: .retires, impact: impact) }
    if let (release, liveAt) = try doubtfulTime() {
      return Question(need: .hold, release: release, at: liveAt, impact: impact)
    }
    let mayBeStricter = changes.contains { $0.change.asksWhenStricter && $0.impact?.lines.isEmpty != true }
    if impact.forces { return Question(need: .forces, impact: impact) }
    if mayBeStricter, impact.isStricter { return Question(need: .stricter, impact: impact) }
    if mayBeStricter, impact.changesPage { return Question(need: .page, impact: impact) }
    if impact.forcesOnceVisible {
      let isFirst = changes.contains { if case .published = $0.change { true } else { false } }
      let unrecorded = isFirst ? impact.unrecorded(except: wholePasts) : nil
      return Question(need: .forces, impact: impact, unrecorded: unrecorded)
    }
    return words == nil ? nil : Question(need: .undo, impact: impact)
  }
}

extension ChangeSet {
  /// The apps of the changes whose past is whole, so that no one has a version that is not recorded.
  package var wholePasts: Set<String> { Set(after.values.filter(\.app.isPastWhole).map(\.app.slug)) }

  /// The release that a person marks live at a moment that is likely mistyped, with that moment: more than a day before
  /// it was recorded, or so early that its hold is over at once although no one said so.
  private func doubtfulTime() throws -> (Version, Timestamp)? {
    for planned in changes where planned.evidence == nil {
      guard let app = planned.app, case .marked(let before, let after) = planned.change,
        before.state != .live,
        after.state == .live, let liveAt = after.liveAt, liveAt < now
      else { continue }
      // An imported release was recorded as of its own time.
      let recorded = try ledger.publishedAt(app, after.version)
      let isBefore =
        recorded.map { liveAt + TimeSpan(seconds: 86_400) < $0 } ?? before.liveAt.map { liveAt < $0 }
      let isOver = !waivesHold && (self.before[app]?.app.hold ?? .zero) > .zero && !after.isHeld(at: now)
      if isOver || isBefore ?? false {
        return (after.version, liveAt)
      }
    }
    return nil
  }
}

final class EffectCache {
  var count = -1
  var effects: [AppEffect] = []
}

struct AppEffect {
  let before: Snapshot?
  let after: Snapshot
  let was: Schedule?
  let willBe: Schedule
  let now: Timestamp
  let differences: [ScheduleDifference]

  var present: ComparedCase { ComparedCase(differences, from: was, to: willBe, of: after) }

  /// What the law of agreement says of the change; nil for a new app.
  var law: AgreementLaw? {
    before.map { AgreementLaw(before: $0, after: after, now: now, was: was, willBe: willBe) }
  }

  /// Makes both schedules; if a stop is urgent, the stopped app's of what is told now only.
  ///
  /// - Throws: `Refusal`: `schedule.too-large` if the second one has too many tiles, and more than the first.
  init(before: Snapshot?, after: Snapshot, now: Timestamp, isUrgent: Bool) throws {
    (self.before, self.after, self.now) = (before, after, now)
    // An app that leads to the stopped one goes on, so its whole schedules are compared.
    was = before.map {
      isUrgent && after.line.app.isStopped ? Schedule($0, at: now) : Schedule($0, from: now)
    }
    let count = isUrgent ? .max : max(Schedule.mostTiles, was?.tiles.count ?? 0)
    guard let schedule = Schedule(after, from: now, atMost: count) else {
      let rules = AppEffect.costliest(after, at: now).map { "rule \($0)" }.joined(separator: ", ")
      throw Refusal(
        "schedule.too-large",
        [
          "app": after.line.app.slug, "most": String(Schedule.mostTiles),
          "rules": rules.isEmpty ? "the oldest" : rules,
        ])
    }
    willBe = schedule
    differences = schedule.differences(from: was, since: now)
  }

  /// Whether clients of some version are told something else, or for another reason, from a moment on.
  func changesSchedule(since moment: Timestamp) -> Bool {
    was.map { $0.remindEvery != willBe.remindEvery } ?? true || !differences.isEmpty
  }

  private static func costliest(_ snapshot: Snapshot, at now: Timestamp) -> [Int64] {
    Array(snapshot.line.rules.filter { $0.until != nil || $0.from != nil }.map(\.number).suffix(3))
  }
}
