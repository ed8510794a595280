import JSON
package import ReleaseModel

/// A client that decides by itself from `policy.json`, as docs/documents.md tells client authors to.
///
/// It shares no code with the decision function, so that agreement between the two means something.
package struct PolicyClient: Sendable {
  private let policy: JSON

  /// Reads a policy document; nil for bytes that are not a JSON object.
  package init?(_ bytes: [UInt8]) {
    guard let policy = try? JSON(parsing: bytes), policy.object != nil else { return nil }
    self.policy = policy
  }

  private struct Target: Equatable {
    let version: Version
    let url: String?
  }

  /// What the client does at a moment.
  package func conclusion(_ version: Version, os: Version?, at moment: Timestamp) -> Conclusion {
    if policy["stopped"]?.bool != false || isInReview(version) { return Conclusion(.none) }
    let rule = first("rules", version) { Self.counts($0, at: moment) }
    let destination =
      rule?["hasDestination"]?.bool == true
      ? rule?["destination"] : first("redirects", version, { Self.counts($0, at: moment) })?["destination"]
    let otherSlug = destination?["app"]?.string
    let target = otherSlug.map { policy["others"]?[$0] ?? .null } ?? policy
    var release = newest(in: target, os: os, at: moment, isReminder: false)
    var action: Action
    var isByPolicy = false
    if let rule {
      action = rule["action"]?.string.flatMap(Action.init(rawValue:)) ?? .none
    } else if let floor = mandatory(at: moment), version < floor {
      action = .force
    } else if let release {
      action = otherSlug == nil ? byPolicy(version, release.version) : .remind
      isByPolicy = true
    } else {
      action = .none
    }
    if isByPolicy, action == .remind {
      // Until a phased release is over, the policy reminds only of what came before it.
      let reminder = newest(in: target, os: os, at: moment, isReminder: true)
      if otherSlug == nil, reminder != release, let older = reminder,
        byPolicy(version, older.version) == .none
      {
        return Conclusion(.none)
      }
      release = reminder
    }
    guard let release, otherSlug != nil || version < release.version else { return Conclusion(.none) }
    let page = destination?.object.flatMap { $0["url"] }
    guard let url = page == nil ? release.url : page?.string else { return Conclusion(.none) }
    if action == .none { return Conclusion(.none) }
    return Conclusion(action, url: url)
  }

  /// The settings the client uses at a moment.
  package func settings(_ version: Version, at moment: Timestamp) -> [String: String] {
    let phase = isInReview(version) ? "review" : "released"
    var values: [String: String] = [:]
    for setting in policy["settings"]?.array ?? []
    where Self.holds(setting["range"], version) && Self.counts(setting, at: moment) {
      guard let key = setting["key"]?.string, values[key] == nil else { continue }
      if let during = setting["during"]?.string, during != phase { continue }
      values[key] = setting["value"]?.string
    }
    return values
  }

  private func isInReview(_ version: Version) -> Bool {
    if let release = (policy["releases"]?.array ?? []).first(where: { Self.version($0["version"]) == version }
    ) {
      return !["live", "superseded", "removed"].contains(release["state"]?.string ?? "")
    }
    guard let newest = Self.version(policy["newestEverLive"]), version < newest else { return true }
    return (policy["withheld"]?.array ?? []).contains { Self.holds($0, version) }
  }

  private func first(_ list: String, _ version: Version, _ counts: (JSON) -> Bool = { _ in true }) -> JSON? {
    (policy[list]?.array ?? []).first { Self.holds($0["range"], version) && counts($0) }
  }

  /// The newest release that is visible and runs on the system, or that may be reminded of; nil while a newer
  /// one is off the store, and nil if it has expired.
  private func newest(in app: JSON, os: Version?, at moment: Timestamp, isReminder: Bool) -> Target? {
    guard app["stopped"]?.bool == false else { return nil }
    func hasCome(_ release: JSON, _ member: String) -> Bool? {
      Self.moment(release[member]).map { $0 <= moment }
    }
    var hasSeenOne = false
    for release in (app["releases"]?.array ?? []).reversed() {
      guard let version = Self.version(release["version"]) else { return nil }
      let isSeen =
        ["live", "superseded"].contains(release["state"]?.string ?? "")
        && Self.moment(release["visibleAt"]).map { $0 <= moment } ?? false
      if !isSeen {
        // A release that was taken off the store, or that came back but is held, does not bring older ones
        // back.
        if !hasSeenOne, release["state"] == "removed" || release["returned"]?.bool == true { return nil }
        continue
      }
      let isExpired = hasCome(release, "expires") ?? false
      if !hasSeenOne, isExpired { return nil }
      hasSeenOne = true
      if isReminder, hasCome(release, "remindAt") == false { continue }
      if let os, let oldest = Self.version(release["minOS"]), os < oldest { continue }
      return isExpired ? nil : Target(version: version, url: release["url"]?.string)
    }
    return nil
  }

  private func mandatory(at moment: Timestamp) -> Version? {
    (policy["releases"]?.array ?? []).filter {
      $0["mandatory"]?.bool == true && ["live", "superseded"].contains($0["state"]?.string ?? "")
        && Self.moment($0["visibleAt"]).map { $0 <= moment } ?? false
    }.compactMap { Self.version($0["version"]) }.max()
  }

  private func byPolicy(_ version: Version, _ target: Version) -> Action {
    let actions = (policy["policy"]?.array ?? []).compactMap { $0.string.flatMap(Action.init(rawValue:)) }
    for index in 0..<4 where version.component(index) != target.component(index) {
      return actions.isEmpty ? .none : actions[min(index, actions.count - 1)]
    }
    return .none
  }

  private static func counts(_ rule: JSON, at moment: Timestamp) -> Bool {
    if let from = Self.moment(rule["from"]), moment < from { return false }
    if let until = Self.moment(rule["until"]), until <= moment { return false }
    return true
  }

  private static func holds(_ range: JSON?, _ version: Version) -> Bool {
    if let bound = Self.version(range?["from"]), version < bound { return false }
    if let bound = Self.version(range?["above"]), version <= bound { return false }
    if let bound = Self.version(range?["upto"]), bound < version { return false }
    if let bound = Self.version(range?["below"]), bound <= version { return false }
    return true
  }

  private static func version(_ json: JSON?) -> Version? { json?.string.flatMap { try? Version($0) } }

  private static func moment(_ json: JSON?) -> Timestamp? { json?.string.flatMap { try? Timestamp($0) } }
}
