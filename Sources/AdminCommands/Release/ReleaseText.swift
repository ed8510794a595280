import CommandLineKit
import JSON
import ReleaseModel

enum ReleaseText {
  /// What came of a change of a release: its state, before and after if that was moved, when clients are told, and the
  /// command that comes next.
  ///
  /// - Parameter more: What else the change did, in complete lines.
  static func outcome(
    of version: Version, _ line: AppState, at now: Timestamp, from before: ReleaseState? = nil,
    _ members: Outcome.Members = [], more: String = "", unprompted: String? = nil, warnings: [String] = []
  ) -> Outcome {
    let (app, release) = (line.app.slug, line.release(version))
    let members =
      [("release", (release?.of(line.app)).json), ("channel", line.app.channel.rawValue.json)] + members
    guard let release else { return Outcome(members, "", warnings: warnings) }
    let (name, state) = ("\(app) \(release.version.text)", release.state)
    let move = before.flatMap { $0 == state ? nil : "\(name)  \($0.rawValue) → \(state.rawValue)\n" }
    return Outcome(
      members, (move ?? "\(name) is \(state.rawValue)\n") + details(release.of(line.app)) + more,
      same: "\(name): already \(state.rawValue)", unprompted: unprompted,
      next: next(after: release, of: line, at: now),
      warnings: warnings + (before == nil ? line.app.unheardSystem(release.minOS) : []))
  }

  static func details(_ release: Owned<Release>, _ zone: Zone = .utc) -> String {
    let names =
      ["build"] + (release.record.state == .live ? ["liveAt", "visibleAt"] : [])
      + ["ascBuild", "minOS", "ascMinOS", "expires", "phase", "remindAt", "url", "mandatory", "locales"]
    return Table(facts: FieldChange.facts(release.json, names, zone), indent: "  ").render()
  }

  static func warnings(_ warnings: [String]) -> String { warnings.map { "warning: \($0)\n" }.joined() }

  /// The command that comes next for a release, if there is one; outside the App Store there is no review.
  private static func next(after release: Release, of line: AppState, at now: Timestamp) -> String? {
    let (channel, app, version) = (line.app.channel, line.app.slug, release.version.text)
    switch release.state {
    case .superseded, .removed, .void: return nil
    case .live where !release.isHeld(at: now): return "pawl status \(app)"
    case .live:
      return "'pawl mark \(app) \(version) live --visible-now' ends its hold, "
        + "'pawl unmark \(app) \(version) --reason \"…\"' takes it back"
    // It can go live no more.
    case _ where line.greatestEverLive.map { release.version < $0 } ?? false: return nil
    case _ where channel == .enterprise: return "pawl mark \(app) \(version) live, once it can be downloaded"
    case .approved: return "pawl mark \(app) \(version) live, once the store has it"
    case .prepared: return "pawl mark \(app) \(version) waiting"
    case .waiting: return "pawl mark \(app) \(version) in-review"
    case .inReview: return "pawl mark \(app) \(version) approved"
    case .rejected, .withdrawn:
      return "pawl mark \(app) \(version) waiting, or publish a newer version: pawl publish \(app) VERSION"
    }
  }

  static func zeros(in version: Version) -> [String] {
    guard version.hasZeros else { return [] }
    return ["\(version.text) is the same version as \(version.withoutZeros.text): numbers are compared"]
  }

  static func expired(_ release: Release?, now: Timestamp) -> [String] {
    guard let release, release.isExpired(at: now) else { return [] }
    return ["\(release.version.text) has expired: no client is sent to it"]
  }

  static func noURL(_ app: App) -> String {
    // Only App Store pages are found by number.
    app.channel == .enterprise
      ? "\(app.slug) has no store URL, so no client can be sent to it: pawl app set \(app.slug) --store-url URL"
      : "\(app.slug) has neither Apple ID nor store URL, so no client can be sent to it: "
        + "pawl app set \(app.slug) --apple-id N"
  }
}

extension AppState {
  func newest(where condition: (Release) -> Bool) -> Version? {
    releases.last { $0.isOnLine && condition($0) }?.version
  }

  func lostWarning(_ release: Release?) -> [String] {
    app.effectiveStoreURL == nil && release?.url == nil ? [ReleaseText.noURL(app)] : []
  }

  /// That the release before a new one names a minimum OS, and the new one does not.
  func systemWarning(_ release: Release?) -> [String] {
    guard let release, release.minOS == nil, let newest = newest(where: { $0.version < release.version }),
      let minOS = counted(newest)?.minOS
    else { return [] }
    return [
      "\(release.version.text) names no minimum OS, and \(newest.text) needs \(minOS.text): "
        + "pawl amend \(app.slug) \(release.version.text) --min-os \(minOS.text)"
    ]
  }

  func jumpWarning(_ version: Version, after other: Version?) -> [String] {
    guard let other, version.isJump(from: other) else { return [] }
    let name = release(version)?.version.text ?? version.text
    let flag = release(version)?.mayBeVoid == false ? " --never-shipped" : ""
    return [
      "\(name) is far above \(other.text), the version before it; if it is a typo: "
        + "pawl void \(app.slug) \(name)\(flag) --reason \"…\""
    ]
  }
}

extension App {
  /// Warns of a minimum OS that never was: in 2025 the numbers of all of Apple's systems went on at 26.
  fileprivate func unheardSystem(_ minOS: Version?) -> [String] {
    let last: [ApplePlatform: Int64] = [.iOS: 18, .tvOS: 18, .macOS: 16, .watchOS: 11, .visionOS: 2]
    guard let minOS, let last = last[platform], last < minOS.component(0), minOS.component(0) < 26 else {
      return []
    }
    let catalyst = platform == .macOS ? "; for Catalyst, too, it is the number of macOS" : ""
    return ["\(platform.rawValue) \(minOS.text) never was: the numbers went on at 26\(catalyst)"]
  }
}
