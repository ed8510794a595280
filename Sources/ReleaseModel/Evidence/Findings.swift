package import JSON

/// Something about an app that somebody should look at.
package struct Finding: Sendable, Equatable {
  /// Whether action is needed.
  package enum Weight: Sendable {
    /// Something is wrong, or goes wrong unless somebody acts.
    case act
    /// Worth knowing; it may well be intended, and leaving it harms nobody.
    case note
  }

  package let id: String
  package let app: String
  package let message: String
  package let hint: String
  package let weight: Weight

  package init(id: String, app: String, message: String, hint: String, weight: Weight = .act) {
    self.id = id
    self.app = app
    self.message = message
    self.hint = hint
    self.weight = weight
  }

  package var json: JSON {
    [
      "id": .string(id), "app": .string(app), "message": .string(message), "hint": .string(hint),
      "act": .bool(weight == .act),
    ]
  }
}

extension Snapshot {
  /// How long a force may apply before it is reported: one left behind after a test locks users out later.
  package static let longForce = TimeSpan(seconds: 30 * 86_400)
  package static let longReview = TimeSpan(seconds: 3 * 86_400)

  /// What somebody should look at; `madeAt` returns when an event was recorded.
  package func findings(now: Timestamp, madeAt: (Int64) throws -> Timestamp?) rethrows -> [Finding] {
    var findings: [Finding] = []
    let slug = line.app.slug
    func add(_ id: String, _ weight: Finding.Weight, _ message: String, _ hint: String) {
      findings.append(Finding(id: id, app: slug, message: message, hint: hint, weight: weight))
    }
    let overridden = line.overridden(at: now)
    let released = line.releases.filter(\.state.isReleased).map(\.version).sorted()
    for rule in line.rules {
      let name = "rule \(rule.number) (\(rule.range.text) → \(rule.action.rawValue))"
      let lift = "pawl lift \(slug) \(rule.number)"
      if let until = rule.until, until <= now {
        add("rule.over", .note, "\(name) ended at \(until.text) and will never apply again", lift)
        continue
      }
      if let overriding = overridden[rule.number], overriding.until == nil {
        add("rule.hidden", .note, "\(name) never applies: \(overriding.text)", lift)
      } else if rule.range.positions(in: released).isEmpty {
        add(
          "rule.matches-nothing", .act, "\(name) matches no version that was ever live",
          "check the range, or \(lift)")
      }
      if rule.action == .force, rule.isActive(at: now), let made = try madeAt(rule.event) {
        let since = max(made, rule.from ?? made)
        if since + Snapshot.longForce < now {
          let days = TimeSpan(seconds: now.seconds - since.seconds).roundedText
          add("force.long", .note, "\(name) has been armed for \(days)", "if it is no longer needed: \(lift)")
        }
      }
    }
    for release in line.releases where release.isHeld(at: now) {
      let left = TimeSpan(seconds: (release.visibleAt?.seconds ?? 0) - now.seconds).roundedText
      add(
        "hold.running", .note, "\(release.version.text) is live, and clients are told in \(left)",
        "pawl mark \(slug) \(release.version.text) live --visible-now, once the store serves it")
    }
    for release in line.releases where [.waiting, .inReview, .approved].contains(release.state) {
      let waited = TimeSpan(seconds: now.seconds - release.since.seconds)
      if Snapshot.longReview < waited {
        add(
          "release.waits", .act,
          "\(release.version.text) has been \(release.state.rawValue) for \(waited.roundedText)",
          "check App Store Connect, then mark what it says")
      }
    }
    let newest = line.releases.last { $0.isOnLine }
    for release in line.releases
    where [.waiting, .inReview, .approved].contains(release.state)
      || (release.state == .prepared && release.id == newest?.id)
    {
      let version = release.version.text
      guard impactOfGoingLive(release.version, now: now).forces else { continue }
      add(
        "release.asks", .note,
        "marking \(version) live will ask for agreement, since clients would be forced to update",
        "pawl mark \(slug) \(version) live --dry-run shows whom; in a script add --yes")
    }
    return findings + expiryFindings(now: now)
  }

  /// How many days before a build stops opening somebody is warned.
  package static let expiryWarnings: [Int64] = [60, 30, 15, 7, 1]
  private static let expiryActing: Int64 = 30

  /// Findings about the live build, and the newest that clients see, if it stops opening soon or already has.
  package func expiryFindings(now: Timestamp) -> [Finding] {
    guard !line.app.isRetired else { return [] }
    let slug = line.app.slug
    let publish = "publish a build with a new profile; only if this date is wrong: pawl amend \(slug)"
    var findings: [Finding] = []
    let newest = line.target(at: now) ?? line.expiredTarget(at: now)
    for release in line.releases where release.state == .live || release.id == newest?.id {
      guard let expires = release.expires else { continue }
      let left = expires.seconds - now.seconds
      guard left > 0 else {
        findings.append(
          Finding(
            id: "release.expired", app: slug,
            message: "\(release.version.text) stopped opening at \(expires.text): no client is sent to it",
            hint: "\(publish) \(release.version.text) --expires TIME"))
        continue
      }
      guard let days = Snapshot.expiryWarnings.last(where: { left <= $0 * 86_400 }) else { continue }
      findings.append(
        Finding(
          id: "release.expires", app: slug,
          message:
            "\(release.version.text) stops opening in \(TimeSpan(seconds: left).roundedText), at \(expires.text)",
          hint: "\(publish) \(release.version.text) --expires TIME",
          weight: days <= Snapshot.expiryActing ? .act : .note))
    }
    return findings
  }

  /// What would change if a release went live now; empty if a law would refuse it.
  package func impactOfGoingLive(_ version: Version, now: Timestamp, usage: Usage? = nil) -> Impact {
    guard let change = try? line.mark(version, .live, at: nil, isVisibleNow: false, now: now) else {
      return Impact([])
    }
    var later = line
    later.apply(change, event: 0)
    return Impact(
      before: self, after: Snapshot(line: later, others: others, hosts: hosts), now: now, usage: usage)
  }
}
