import JSON

// Why a rule, redirect or other change is refused when it is made (law 6 and similar checks).
extension Snapshot {
  /// Refuses a period that can never apply.
  package static func checkPeriod(_ window: Window, now: Timestamp) throws(Refusal) {
    guard let until = window.until, until <= max(window.from ?? now, now) else { return }
    let isOver = until <= now && window.from.map { $0 < until } ?? true
    throw Refusal(isOver ? "time.order/over" : "time.order", details: ["until": .string(until.text)])
  }

  /// Refuses a force that some of its clients could not follow (law 6), unless the intent is to be recorded
  /// for when something newer is visible.
  package func checkForce(_ rule: Rule, isForLater: Bool, now: Timestamp) throws(Refusal) {
    guard !isForLater else { return }
    let moment = max(rule.from ?? now, now)
    if let slug = rule.destination?.app {
      try checkTarget(slug, at: moment)
      return
    }
    let newest = line.target(at: moment)
    let stuck =
      newest.map { VersionRange.from($0.version).flatMap { rule.range.intersection($0) } } ?? rule.range
    guard let stuck else { return try checkURL(rule, newest, at: moment) }
    // Versions at or above the newest one cannot move within the app; another app may take them, unless the rule has a
    // page of its own, which stands in for the redirect.
    var refusal: Refusal?
    for redirect in line.redirects.byPrecedence()
    where rule.destination == nil && redirect.isActive(at: moment) && redirect.range.covers(stuck) {
      guard let slug = redirect.destination.app else { break }
      do {
        return try checkTarget(slug, at: moment)
      } catch {
        refusal = refusal ?? error
      }
    }
    guard let newest else { throw refusal ?? line.withoutTarget(at: moment) }
    throw Refusal("force.nothing-newer", details: ["newest": .string(newest.version.text)])
  }

  /// Refuses a reminder before a force where clients are or will be forced, and would only be reminded.
  ///
  /// - Throws: `Refusal`: `grace.softens`.
  package func checkGrace(_ rules: [Rule], now: Timestamp) throws(Refusal) {
    guard let range = rules.first?.range, let until = rules.first?.until else { return }
    var later = self
    later.line.rules += rules.enumerated().map { $1.numbered(.max - Int64(rules.count - $0)) }
    let differences = Schedule(later, from: now).differences(from: Schedule(self, from: now), since: now)
    let known = line.recordedVersions
    let softened = differences.filter { difference in
      // Of what the policy forces, only versions that there are count.
      let isKnown = !known.positions(from: difference.lo, to: difference.hi).isEmpty
      return difference.steps.contains { step in
        step.from < until
          && step.systems.contains {
            $0.before.action == .force && $0.after.action < .force
              && (isKnown || $0.before.decidedBy != .policy)
          }
      }
    }
    guard !softened.isEmpty else { return }
    let taken = softened.compactMap { VersionRange(from: $0.lo, to: $0.hi) }.joined()
    let ends = [range.start] + taken.flatMap { [$0.start, $0.end] } + [range.end]
    // A range of which no version is known would only take back what the policy says of it.
    let others = stride(from: 0, to: ends.count, by: 2).compactMap { index in
      known.positions(from: ends[index], to: ends[index + 1]).isEmpty
        ? nil : VersionRange(from: ends[index], to: ends[index + 1])
    }
    throw Refusal(
      others.isEmpty ? "grace.softens/all" : "grace.softens",
      ["until": until.text, "others": others.map { "'\($0.text)'" }.joined(separator: ", ")],
      details: [
        "forced": .array(taken.map { .string($0.text) }), "others": .array(others.map { .string($0.text) }),
      ])
  }

  private func checkURL(_ rule: Rule, _ newest: Release?, at moment: Timestamp) throws(Refusal) {
    let redirect = line.redirects.byPrecedence().first {
      $0.isActive(at: moment) && $0.range.covers(rule.range)
    }
    let destination = rule.destination ?? redirect?.destination
    if let slug = destination?.app { return try checkTarget(slug, at: moment) }
    guard let url = destination?.url ?? newest?.url ?? line.app.effectiveStoreURL,
      StoreURL.isUsable(url, hosts: hosts, on: line.app.platform)
    else { throw Refusal("target.no-url", details: ["target": .string(line.app.slug)]) }
  }

  /// Refuses to send clients to an app that has nothing to offer them.
  package func checkTarget(_ slug: String, at moment: Timestamp) throws(Refusal) {
    func refused(_ id: String) -> Refusal { Refusal(id, details: ["target": .string(slug)]) }
    guard slug != line.app.slug else { throw line.app.leadsToItself }
    guard let other = others[slug] else { throw refused("target.nothing-visible") }
    if other.app.isStopped, !other.app.isRetired { throw refused("target.stopped") }
    guard let target = other.target(at: moment) else { throw other.withoutTarget(at: moment) }
    guard let url = target.url ?? other.app.effectiveStoreURL,
      StoreURL.isUsable(url, hosts: hosts, on: line.app.platform)
    else { throw refused("target.no-url") }
  }
}

extension AppState {
  /// Refuses changes that the app never accepts, whichever command or evidence makes them.
  package func admit(_ change: Change, leadingTo other: App?, at now: Timestamp) throws(Refusal) {
    if case .settingSet(let before, let after?) = change {
      let others = settings.filter { $0.number != before?.number && $0.until.map { now < $0 } ?? true }
      let bytes = (others + [after]).reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
      guard others.count < Setting.most, bytes <= Setting.mostBytes else {
        throw Refusal(
          "setting.too-many", ["most": String(Setting.most), "size": String(Setting.mostBytes >> 10)])
      }
    }
    if change.destination?.app == app.slug { throw app.leadsToItself }
    if let other { try other.checkInUse() }
    if case .appSet(_, let after) = change, !after.isRetired { return }
    // What is said about a retired app is recorded; that nothing comes of it is decided before.
    if change.evidence == nil { try app.checkInUse() }
  }

  fileprivate func withoutTarget(at moment: Timestamp) -> Refusal {
    let target = JSON.string(app.slug)
    guard let expired = expiredTarget(at: moment), let expires = expired.expires else {
      return Refusal("target.nothing-visible", details: ["target": target])
    }
    return Refusal(
      "target.expired", ["version": expired.version.text],
      details: ["target": target, "expires": .string(expires.text)])
  }

  /// Returns the change that makes a rule; nil if an identical one applies that no newer one overlaps but
  /// these.
  package func make(_ rule: Rule, with others: [Rule] = [], now: Timestamp) -> Change? {
    let same = rules.last { $0 == rule && $0.until.map { now < $0 } ?? true }
    let others = rules.filter { !others.contains($0) }
    return same.map { others.isOverlaid($0, at: now) } == false ? nil : .ruleMade(rule)
  }

  /// Returns the change that puts a redirect or setting in its place, or clears what is there; nil if nothing is to do,
  /// and no newer one overlaps it (law 9).
  package func placing<Value: Placed>(_ value: Value, clears: Bool = false, now: Timestamp) -> Change? {
    let all = Value.all(of: self)
    let known = all.last { $0.hasPlace(of: value) }
    let isDone =
      known.map { !clears && $0 == value && !all.filter { $0.competes(with: value) }.isOverlaid($0, at: now) }
      ?? clears
    return isDone ? nil : Value.change(from: known, to: clears ? nil : value)
  }

  /// Returns the change that alters the app; nil if that changes nothing.
  package func set(_ alter: (inout App) -> Void) -> Change? {
    var after = app
    alter(&after)
    return after == app ? nil : .appSet(before: app, after: after)
  }

  /// Whether a rule or redirect of an app in use, which is not over, leads clients to another app.
  package func leads(to slug: String, at moment: Timestamp) -> Bool {
    func leads(_ destination: Destination?, _ until: Timestamp?) -> Bool {
      destination?.app == slug && until.map { moment < $0 } ?? true
    }
    return !app.isRetired
      && (rules.contains { leads($0.destination, $0.until) }
        || redirects.contains { leads($0.destination, $0.until) })
  }
}

extension App {
  /// Refuses a retired app: it accepts no change, and no one is sent to it.
  package func checkInUse() throws(Refusal) {
    guard isRetired else { return }
    throw Refusal("app.retired", details: ["retired": .string(slug), "event": .integer(event)])
  }

  fileprivate var leadsToItself: Refusal {
    Refusal("redirect.cycle/self", details: ["path": [.string(slug), .string(slug)]])
  }
}
