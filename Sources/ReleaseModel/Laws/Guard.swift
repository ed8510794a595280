/// Why a rule, redirect or other change is refused when it is made (law 6 and similar checks).
package enum GuardViolation: Error, Sendable, Equatable {
  /// The newest visible version is in the range or below it, so that some clients have nothing to move to.
  case nothingNewer(newest: Version)
  /// A reminder before a force would take back the force of some versions until a moment; names the ranges in which
  /// it would not.
  case softens([VersionRange], until: Timestamp, others: [VersionRange])
  case nothingVisible(app: String)
  case expired(app: String, Version, at: Timestamp)
  case otherIsStopped(app: String)
  case sameApp
  case cycle([String])
  case noURL(app: String)
  /// The app is retired: it accepts no change and nobody is sent to it; names the event that retired it.
  case retired(app: String, event: Int64)
  case ledTo(by: [String])
  /// Something is recorded under an app that was to be struck out; names the tables that hold it.
  case inUse([RecordTable])
  /// The app would have more settings, or longer ones together, than one may have.
  case tooManySettings
  case emptyPeriod(until: Timestamp, isOver: Bool = false)
}

extension Snapshot {
  /// Refuses a period that can never apply.
  package static func checkPeriod(_ window: Window, now: Timestamp) throws(GuardViolation) {
    guard let until = window.until, until <= max(window.from ?? now, now) else { return }
    throw .emptyPeriod(until: until, isOver: until <= now && window.from.map { $0 < until } ?? true)
  }

  /// Refuses a force that some of its clients could not follow (law 6), unless the intent is to be recorded
  /// for when something newer is visible.
  package func checkForce(_ rule: Rule, isForLater: Bool, now: Timestamp) throws(GuardViolation) {
    guard !isForLater else { return }
    let moment = max(rule.from ?? now, now)
    if let slug = rule.destination?.app {
      try checkTarget(slug, at: moment)
      return
    }
    let newest = line.target(at: moment)
    let stuck =
      newest.map { VersionRange.from($0.version).flatMap { rule.range.intersection($0) } } ?? rule.range
    guard let stuck else { return try checkURL(rule, newest) }
    // Versions at or above the newest one cannot move within the app; another app may take them.
    let leads = line.redirects.contains { redirect in
      redirect.isActive(at: moment) && redirect.range.covers(stuck)
        && redirect.destination.app.flatMap { others[$0] }.map { other in
          other.app.silence == nil && other.target(at: moment) != nil
        } ?? false
    }
    if leads { return }
    guard let newest else { throw line.withoutTarget(at: moment) }
    throw .nothingNewer(newest: newest.version)
  }

  /// Refuses a reminder before a force where clients are or will be forced, and would only be reminded.
  ///
  /// - Throws: `GuardViolation.softens`.
  package func checkGrace(_ rules: [Rule], now: Timestamp) throws(GuardViolation) {
    guard let range = rules.first?.range, let until = rules.first?.until else { return }
    var later = self
    later.line.rules += rules.enumerated().map { $1.numbered(.max - Int64(rules.count - $0)) }
    let differences = Schedule(later, from: now).differences(from: Schedule(self, from: now), since: now)
    let known = line.knownPositions.map { line.releases[$0].version }
    let softened = differences.filter { difference in
      // Of what the policy forces, only versions that there are count.
      let isKnown = KnownVersions(of: known, from: difference.lo, to: difference.hi) != nil
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
    let others = stride(from: 0, to: ends.count, by: 2).compactMap { place in
      KnownVersions(of: known, from: ends[place], to: ends[place + 1]) == nil
        ? nil : VersionRange(from: ends[place], to: ends[place + 1])
    }
    throw .softens(taken, until: until, others: others)
  }

  private func checkURL(_ rule: Rule, _ newest: Release?) throws(GuardViolation) {
    guard let url = rule.destination?.url ?? newest?.url ?? line.app.effectiveStoreURL,
      StoreURL.isUsable(url, hosts: hosts)
    else { throw .noURL(app: line.app.slug) }
  }

  /// Refuses to send clients to an app that has nothing to offer them.
  package func checkTarget(_ slug: String, at moment: Timestamp) throws(GuardViolation) {
    guard slug != line.app.slug else { throw .sameApp }
    guard let other = others[slug] else { throw .nothingVisible(app: slug) }
    if other.app.isStopped { throw .otherIsStopped(app: slug) }
    guard let target = other.target(at: moment) else { throw other.withoutTarget(at: moment) }
    guard let url = target.url ?? other.app.effectiveStoreURL, StoreURL.isUsable(url, hosts: hosts) else {
      throw .noURL(app: slug)
    }
  }
}

extension AppState {
  /// Refuses changes that the app never accepts, whichever command or evidence makes them.
  package func admit(_ change: Change, leadingTo other: App?, at now: Timestamp) throws(GuardViolation) {
    if case .settingSet(let before, let after?) = change {
      let others = settings.filter { $0.number != before?.number && $0.until.map { now < $0 } ?? true }
      let bytes = (others + [after]).reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
      guard others.count < Setting.most, bytes <= Setting.mostBytes else { throw .tooManySettings }
    }
    if change.destination?.app == app.slug { throw .sameApp }
    if let other, other.isRetired { throw .retired(app: other.slug, event: other.event) }
    if case .appSet(_, let after) = change, !after.isRetired { return }
    if app.isRetired { throw .retired(app: app.slug, event: app.event) }
  }

  fileprivate func withoutTarget(at moment: Timestamp) -> GuardViolation {
    guard let expired = expiredTarget(at: moment), let expires = expired.expires else {
      return .nothingVisible(app: app.slug)
    }
    return .expired(app: app.slug, expired.version, at: expires)
  }

  /// Returns the change that makes a rule; nil if an identical one applies that no newer one overlaps but
  /// these.
  package func make(_ rule: Rule, with others: [Rule] = [], now: Timestamp) -> Change? {
    let current = rules.filter { $0.until.map { now < $0 } ?? true }
    if let same = current.last(where: { $0.says(sameAs: rule) }),
      !current.contains(where: { newer in
        newer.number > same.number && newer.range.overlaps(same.range)
          && !others.contains { newer.says(sameAs: $0) }
      })
    {
      return nil
    }
    return .ruleMade(rule)
  }

  /// Returns the change that sets a redirect, replacing the one for the same range and window.
  package func redirect(_ redirect: Redirect) -> Change? {
    let known = redirects.last { $0.hasPlace(of: redirect) }
    return known?.destination == redirect.destination ? nil : .redirectSet(before: known, after: redirect)
  }

  /// Returns the change that sets a setting, replacing the one for the same range, phase and window.
  package func set(_ setting: Setting) -> Change? {
    let known = settings.last { $0.hasPlace(of: setting) }
    return known?.saysTheSame(as: setting) == true ? nil : .settingSet(before: known, after: setting)
  }

  /// Returns the change that stops the app, or lets it speak again.
  package func stop(_ isStopped: Bool) -> Change? {
    guard app.isStopped != isStopped else { return nil }
    var after = app
    after.isStopped = isStopped
    return .appSet(before: app, after: after)
  }

  /// Returns the change that retires the app.
  package func retire() -> Change? {
    guard !app.isRetired else { return nil }
    var after = app
    after.isRetired = true
    return .appSet(before: app, after: after)
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
