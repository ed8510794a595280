/// Something about an app, or about the whole ledger, that someone should look at; docs/errors.md has its words and says
/// whether action is needed.
package struct Finding: Sendable, Equatable {
  /// The id and the wording of its row.
  package let key: String
  /// That of its row, unless it passes on an error.
  package let id: String
  /// The app's slug; empty for the whole ledger.
  package let app: String
  /// What stands for the names in the wording, besides the app.
  package let values: [String: String]

  package init(_ key: String, id: String? = nil, app: String = "", _ values: [String: String] = [:]) {
    (self.key, self.app, self.values) = (key, app, values)
    self.id = id ?? String(key.prefix { $0 != "/" })
  }
}

extension Snapshot {
  /// How long a force may apply before it is reported: one left behind after a test locks users out later.
  package static let longForce = TimeSpan(seconds: 30 * 86_400)
  package static let longReview = TimeSpan(seconds: 3 * 86_400)

  /// What someone should look at; `madeAt` returns when an event was recorded.
  package func findings(now: Timestamp, madeAt: (Int64) throws -> Timestamp?) rethrows -> [Finding] {
    // No command would settle it.
    guard !line.app.isRetired else { return [] }
    var findings: [Finding] = []
    func add(_ key: String, _ values: [String: String]) {
      findings.append(Finding(key, app: line.app.slug, values))
    }
    for rule in line.rules where rule.action == .force && rule.isActive(at: now) {
      guard let made = try madeAt(rule.event) else { continue }
      let since = max(made, rule.from ?? made)
      if Snapshot.longForce < now - since {
        let values = ["rule": "\(rule.number)", "range": rule.range.text, "age": (now - since).roundedText]
        add("force.long", values)
      }
    }
    let newest = line.newest
    for release in line.releases {
      let version = release.version.text
      if release.isHeld(at: now), let visibleAt = release.visibleAt {
        let toldAt = Schedule(self, from: now).firstTold(of: release.version, of: line.app.slug)
        let key =
          release.isHeldOn
          ? "hold.running/on"
          : toldAt == visibleAt
            ? "hold.running" : toldAt == nil ? "hold.running/nobody" : "hold.running/later"
        add(
          key,
          [
            "version": version, "left": (visibleAt - now).roundedText,
            "told": toldAt.map { ($0 - now).roundedText } ?? "",
          ])
      }
      if release.waitsLong(at: now) {
        let age = (now - release.since).roundedText
        add("release.waits", ["version": version, "state": release.state.rawValue, "age": age])
      }
      if release.isAtApple || (release.state == .prepared && release.id == newest?.id),
        wouldForce(release.version, now: now)
      {
        add("release.asks", ["version": version])
      }
    }
    return findings + [phaseFinding].compactMap(\.self) + expiryFindings(now: now) + line.heardFindings
  }

  /// That reminders wait for phases, and none was ever heard of.
  package var phaseFinding: Finding? {
    guard line.app.remindAfter == .phase, !line.app.isRetired, line.releases.allSatisfy({ $0.phase == nil })
    else { return nil }
    let isAsked = line.app.channel == .appStore && line.app.appleID != nil
    return Finding(isAsked ? "phase.unknown" : "phase.unknown/unasked", app: line.app.slug)
  }

  /// How many days before a build stops opening someone is warned.
  package static let expiryWarnings: [Int64] = [60, 30, 15, 7, 1]
  private static let expiryActing: Int64 = 30

  /// Findings about the live build, and the newest that clients see, if it stops opening soon or already has.
  package func expiryFindings(now: Timestamp) -> [Finding] {
    guard !line.app.isRetired else { return [] }
    let newest = line.target(at: now) ?? line.expiredTarget(at: now)
    return line.releases.filter { $0.state == .live || $0.id == newest?.id }.compactMap { release in
      guard let expires = release.expires else { return nil }
      let left = expires - now
      let values = ["version": release.version.text, "expires": expires.text, "left": left.roundedText]
      guard now < expires else { return Finding("release.expired", app: line.app.slug, values) }
      return Snapshot.expiryWarnings.last { left.seconds <= $0 * 86_400 }.map { days in
        Finding(
          days <= Snapshot.expiryActing ? "release.expires" : "release.expires/later", app: line.app.slug,
          values)
      }
    }
  }

  /// Whether someone would be forced if a release went live now; false if a law would refuse it.
  private func wouldForce(_ version: Version, now: Timestamp) -> Bool {
    guard let change = try? line.mark(version, .live, at: nil, isVisibleNow: false, now: now) else {
      return false
    }
    var later = self
    later.line.apply(change, event: 0)
    return ComparedCase(self, later, from: now, visible: nil).forces
  }
}

extension AppState {
  /// What App Store Connect says of releases otherwise than the ledger has it, until a person settles it.
  package var heardFindings: [Finding] {
    releases.flatMap { release -> [Finding] in
      func finding(_ key: String, _ own: String?, _ heard: String?) -> Finding? {
        heard.map { said in
          Finding(
            key, app: app.slug,
            ["version": release.version.text, "own": own ?? "none", "said": said])
        }
      }
      let counts = release.minOS != release.recordedMinOS
      return [
        finding("asc.build", release.build?.text, release.heardBuild.open?.text),
        finding(
          counts ? "asc.min-os" : "asc.min-os/other", release.recordedMinOS?.text,
          release.heardMinOS.open?.text),
      ].compactMap(\.self)
    }
  }
}

extension Release {
  /// Whether Apple has it and it is not live yet.
  fileprivate var isAtApple: Bool { [.waiting, .inReview, .approved].contains(state) }

  /// Whether it has been under review, or approved, for long.
  package func waitsLong(at moment: Timestamp) -> Bool { isAtApple && Snapshot.longReview < moment - since }
}
