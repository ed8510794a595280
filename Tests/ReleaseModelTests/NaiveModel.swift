import ReleaseModel

/// The decision once more, written from the contract's text alone, slowly and with no code of `Decider`.
///
/// It asks of the model only what is recorded: fields of releases, rules, redirects and apps, `==` and `<` of
/// versions and moments, which tests of their own cover.
struct NaiveModel {
  let snapshot: Snapshot
  let moment: Timestamp

  struct Answer: Equatable {
    var action = Action.none
    var review = false
    var decidedBy = Decision.Reason.stopped
    var rule: Int64?
    var target: Version?
    var targetID: Int64?
    var targetApp: String?
    var url: String?
  }

  func answer(_ version: Version, os: Version?) -> Answer {
    var answer = Answer()
    answer.review = isInReview(version)
    // 1. The app is stopped.
    if snapshot.line.app.isStopped { return answer }
    // 2. The client's version is not released.
    if answer.review {
      answer.decidedBy = .unreleased
      return answer
    }
    // Where the client is sent: its rule's own destination, else the redirect for it.
    let rule = rule(for: version)
    var page: String?
    var slug: String?
    var place: Destination?
    if let redirect = redirect(for: version) { place = redirect.destination }
    if let rule, let own = rule.destination { place = own }
    switch place {
    case .url(let url): page = url
    case .app(let app): slug = app
    case nil: break
    }
    let isOther = slug != nil && slug != snapshot.line.app.slug
    func newest(isReminder: Bool) -> Release? {
      isOther
        ? self.target(ofOther: slug ?? "", os: os, isReminder: isReminder)
        : self.target(of: snapshot.line, os: os, isReminder: isReminder)
    }
    var target = newest(isReminder: false)

    // 3. A rule.
    if let rule {
      answer.rule = rule.number
      answer.action = rule.action
      answer.decidedBy = .rule
    } else if let floor = mandatoryFloor(), version < floor {
      // 4. A mandatory release.
      answer.action = .force
      answer.decidedBy = .mandatory
    } else {
      // 5. The policy, if there is something to compare.
      guard let target else {
        answer.decidedBy = .noTarget
        return answer
      }
      answer.decidedBy = .policy
      if isOther {
        answer.action = .remind
      } else if version < target.version {
        answer.action = policyAction(version, target.version)
      } else {
        answer.decidedBy = .current
        return answer
      }
    }
    if answer.action == .none { return answer }
    // A reminder of the policy waits for a phased release; what came before it can be reminded of meanwhile.
    if answer.decidedBy == .policy, answer.action == .remind, target != nil {
      guard let reminder = newest(isReminder: true) else { return silent(answer, .phased) }
      if reminder.id != target?.id {
        if !isOther, !(version < reminder.version) || policyAction(version, reminder.version) == .none {
          return silent(answer, .phased)
        }
        target = reminder
      }
    }

    // What came out has to point at something.
    guard let target else { return silent(answer, .noTarget) }
    if !isOther, !(target.version > version) { return silent(answer, .current) }
    let app = isOther ? snapshot.others[slug ?? ""]?.app : snapshot.line.app
    var url = page
    if url == nil { url = target.url }
    if url == nil { url = storePage(app) }
    guard let url, isTrusted(url) else { return silent(answer, .noTarget) }
    answer.target = target.version
    answer.targetID = target.id
    answer.targetApp = app?.slug
    answer.url = url
    return answer
  }

  private func silent(_ answer: Answer, _ reason: Decision.Reason) -> Answer {
    var answer = answer
    answer.action = .none
    answer.decidedBy = reason
    return answer
  }

  /// Law 5: its release is before live, or rejected, withdrawn or void; or unknown and greater than every
  /// version that was ever live.
  func isInReview(_ version: Version) -> Bool {
    var struckOut = false
    for release in snapshot.line.everRecorded where release.version == version {
      switch release.state {
      case .prepared, .waiting, .inReview, .approved, .rejected, .withdrawn: return true
      case .live, .superseded, .removed: return false
      case .void: struckOut = true
      }
    }
    if struckOut { return true }
    for release in snapshot.line.releases where release.liveAt != nil && !release.isPast {
      if !(release.version < version) { return false }
    }
    return true
  }

  /// Law 4: live or superseded, and its `visibleAt` has come.
  static func isVisible(_ release: Release, at moment: Timestamp) -> Bool {
    guard let visibleAt = release.visibleAt else { return false }
    if visibleAt > moment { return false }
    return release.state == .live || release.state == .superseded
  }

  /// The newest visible release that runs on the system, unless a newer one is off the store.
  ///
  /// Off the store is what is removed, and what came back after a removal and is held: docs/decisions.md.
  /// And unless it has expired, or the newest of all has.
  func target(of line: AppState, os: Version?, isReminder: Bool = false) -> Release? {
    var newest: Version?
    var newestHasExpired = false
    for release in line.releases where NaiveModel.isVisible(release, at: moment) {
      if newest.map({ $0 < release.version }) ?? true {
        newest = release.version
        newestHasExpired = hasExpired(release)
      }
    }
    if newestHasExpired { return nil }
    for release in line.releases
    where release.liveAt != nil && !release.isPast && (newest.map { $0 < release.version } ?? true) {
      if release.state == .removed { return nil }
      let cameBack = release.former?.state == .removed
      if cameBack && !NaiveModel.isVisible(release, at: moment) { return nil }
    }
    var found: Release?
    for release in line.releases where NaiveModel.isVisible(release, at: moment) {
      if let os, let minOS = release.minOS, os < minOS { continue }
      if isReminder, isStillPhased(release, in: line) { continue }
      if let known = found, known.version > release.version { continue }
      found = release
    }
    if let found, hasExpired(found) { return nil }
    return found
  }

  private func hasExpired(_ release: Release) -> Bool {
    guard let expires = release.expires else { return false }
    return expires <= moment
  }

  private func isStillPhased(_ release: Release, in line: AppState) -> Bool {
    if line.app.remindAfter == .visible { return false }
    if let remindAt = release.remindAt { return moment < remindAt }
    guard release.phase != .complete, let liveAt = release.liveAt else { return false }
    return moment.seconds < liveAt.seconds + 7 * 24 * 3_600
  }

  private func target(ofOther slug: String, os: Version?, isReminder: Bool) -> Release? {
    guard let other = snapshot.others[slug] else { return nil }
    return other.app.isStopped ? nil : target(of: other, os: os, isReminder: isReminder)
  }

  private func rule(for version: Version) -> Rule? {
    var exact: Rule?
    var ranged: Rule?
    for rule in snapshot.line.rules {
      if let from = rule.from, moment < from { continue }
      if let until = rule.until, !(moment < until) { continue }
      guard isIn(rule.range, version) else { continue }
      if isExact(rule.range) {
        if exact.map({ $0.number < rule.number }) ?? true { exact = rule }
      } else if ranged.map({ $0.number < rule.number }) ?? true {
        ranged = rule
      }
    }
    return exact ?? ranged
  }

  private func redirect(for version: Version) -> Redirect? {
    var exact: Redirect?
    var ranged: Redirect?
    for redirect in snapshot.line.redirects where isIn(redirect.range, version) {
      if isExact(redirect.range) {
        if exact.map({ $0.number < redirect.number }) ?? true { exact = redirect }
      } else if ranged.map({ $0.number < redirect.number }) ?? true {
        ranged = redirect
      }
    }
    return exact ?? ranged
  }

  private func isIn(_ range: VersionRange, _ version: Version) -> Bool {
    if let lower = range.lower {
      if version < lower.version { return false }
      if version == lower.version, !lower.isIncluded { return false }
    }
    if let upper = range.upper {
      if version > upper.version { return false }
      if version == upper.version, !upper.isIncluded { return false }
    }
    return true
  }

  private func isExact(_ range: VersionRange) -> Bool {
    guard let lower = range.lower, let upper = range.upper else { return false }
    return lower.version == upper.version
  }

  private func mandatoryFloor() -> Version? {
    var floor: Version?
    for release in snapshot.line.releases where release.isMandatory {
      guard NaiveModel.isVisible(release, at: moment) else { continue }
      if let known = floor, known > release.version { continue }
      floor = release.version
    }
    return floor
  }

  private func policyAction(_ one: Version, _ other: Version) -> Action {
    let actions = snapshot.line.app.policy.actions
    var index = 0
    while index < 4, one.component(index) == other.component(index) { index += 1 }
    return index < actions.count ? actions[index] : actions.last ?? .none
  }

  private func storePage(_ app: App?) -> String? {
    guard let app else { return nil }
    if let given = app.storeURL { return given }
    guard let number = app.appleID else { return nil }
    return "https://apps.apple.com/app/id\(number)"
  }

  func isTrusted(_ url: String) -> Bool {
    let scheme = Array("https://".utf8)
    let bytes = Array(url.utf8)
    guard bytes.starts(with: scheme) else { return false }
    let host = bytes.dropFirst(scheme.count).prefix { $0 != UInt8(ascii: "/") }
    return snapshot.hosts.contains(String(decoding: host, as: UTF8.self))
  }

  /// The settings of a client: of those for its range and phase, one with a phase before one without, an exact one
  /// before a range, the newest before an older one.
  func settings(of version: Version, inReview: Bool) -> [String: String] {
    var chosen: [String: (rank: (Int, Int, Int64), value: String)] = [:]
    for setting in snapshot.line.settings where isIn(setting.range, version) {
      if setting.phase == .review, !inReview { continue }
      if setting.phase == .released, inReview { continue }
      let rank = (setting.phase == nil ? 0 : 1, isExact(setting.range) ? 1 : 0, setting.number)
      if let known = chosen[setting.key], known.rank > rank { continue }
      chosen[setting.key] = (rank, setting.value)
    }
    return chosen.mapValues(\.value)
  }
}

extension NaiveModel.Answer {
  init(_ decision: Decision) {
    action = decision.action
    review = decision.review
    decidedBy = decision.decidedBy
    rule = decision.rule
    target = decision.target?.version
    targetID = decision.target?.id
    targetApp = decision.targetApp
    url = decision.url
  }
}
