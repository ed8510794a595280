/// The case that releases are visible that are not yet, if only by the next release of an app.
package struct VisibleCase: Sendable, Hashable {
  /// The newest one of each app, by slug; none if stopped apps only speak again.
  package let versions: [String: Version]
  /// Whether Apple releases them in phases.
  package let isPhased: Bool

  init(_ versions: [String: Version], isPhased: Bool = false) {
    (self.versions, self.isPhased) = (versions, isPhased)
  }

  private static let (resumed, phased) = ("resumed", "phased")

  /// The releases, each with its app if that is another one: `8.0.0`, or `8.0.0, van 2.1, phased`.
  func text(in app: String) -> String {
    let others = versions.filter { $0.key != app }.sorted { $0.key < $1.key }
    let names =
      [versions[app]].compactMap { $0?.text } + others.map { "\($0.key) \($0.value.text)" }
      + (isPhased ? [VisibleCase.phased] : [])
    return names.isEmpty ? VisibleCase.resumed : names.joined(separator: ", ")
  }

  /// The same as people read it: `when 8.0.0 is visible`.
  package func words(in app: String) -> String {
    versions.isEmpty && !isPhased ? "once resumed" : "when \(text(in: app)) is visible"
  }

  /// Reads back what `text(in:)` wrote; nil for anything else.
  init?(_ text: String, in app: String) {
    var (versions, isPhased): ([String: Version], Bool) = ([:], false)
    for name in text.split(separator: ",") {
      let words = name.split(separator: " ").map { String($0) }
      if words == [VisibleCase.resumed] { continue }
      if words == [VisibleCase.phased] {
        isPhased = true
        continue
      }
      guard (1...2).contains(words.count), let version = words.last.flatMap({ try? Version($0) }) else {
        return nil
      }
      versions[words.count == 1 ? app : words[0]] = version
    }
    self.init(versions, isPhased: isPhased)
  }
}

/// Where a change alters an app's schedule: as the ledger stands, or in a case.
package struct ComparedCase: Sendable {
  package let visible: VisibleCase?
  package let differences: [ScheduleDifference]
  /// Whether a change asks because of whom it would force in this case: below 1.0, an app's first release does not.
  package let asks: Bool
  private let app: String
  private let every: (before: ReminderFrequency, after: ReminderFrequency)

  package init(
    _ differences: [ScheduleDifference], from before: Schedule?, to after: Schedule,
    visible: VisibleCase? = nil, asks: Bool = false
  ) {
    (self.differences, self.visible, self.asks, app) = (differences, visible, asks, after.app)
    every = (before?.remindEvery ?? .once, after.remindEvery)
  }

  /// Compares two states of an app from a moment on.
  ///
  /// - Parameter clients: The versions to look at.
  init(
    _ before: Snapshot, _ after: Snapshot, from now: Timestamp,
    _ clients: Range<VersionKey> = .least ..< .end, visible: VisibleCase?, asks: Bool = false
  ) {
    let (was, willBe) = (
      Schedule(before, from: now, within: clients), Schedule(after, from: now, within: clients)
    )
    self.init(
      willBe.differences(from: was, since: now), from: was, to: willBe, visible: visible, asks: asks)
  }

  /// Whether some client is forced that was not.
  var forces: Bool { pairs.contains { $0.after.action == .force && $0.before.action != .force } }

  private var pairs: some Sequence<SystemsDifference> {
    differences.lazy.flatMap(\.steps).flatMap(\.systems)
  }

  /// The agreement that is needed because of what clients are told.
  ///
  /// - Parameters:
  ///   - remindersCount: Whether being reminded, or sent elsewhere, needs it, too.
  ///   - settingsCount: Whether the settings were changed.
  func needs(remindersCount: Bool, settingsCount: Bool) -> Set<Need> {
    var needs: Set<Need> = []
    for pair in pairs {
      let (was, willBe) = (pair.before, pair.after)
      if was.action < willBe.action {
        if willBe.action == .force { needs.insert(.forces) }
        if remindersCount { needs.insert(.stricter) }
      }
      if remindersCount, was.action != .none, willBe.action != .none, was.url != willBe.url {
        needs.insert(.page)
      }
    }
    // A released client that had a value gets another one, or none.
    let isAnotherSet =
      settingsCount
      && differences.lazy.flatMap(\.steps).contains { step in
        !step.before.decision.review
          && step.before.settings.contains { step.after.settings[$0]?.isSpelled(as: $1) != true }
      }
    return isAnotherSet ? needs.union([.setting]) : needs
  }

  /// What the change alters besides prompts and their pages.
  var rest: Impact.Rest {
    let isTold =
      every.before != every.after
      || differences.contains { difference in
        difference.steps.contains {
          $0.before.tag(remindEvery: every.before) != $0.after.tag(remindEvery: every.after)
        }
      }
    return isTold ? .details : differences.isEmpty ? .nothing : .reasons
  }

  /// What people notice of a decision, in a plan with where it points.
  func prompt(_ decision: Decision, namesTargets: Bool) -> ImpactLine.Prompt {
    var target: String?
    if namesTargets, let slug = decision.targetApp, let version = decision.target?.version,
      visible?.versions[slug] != version
    {
      target = slug == app ? version.text : "\(slug) \(version.text)"
    }
    return ImpactLine.Prompt(action: decision.action, url: decision.url, target: target)
  }
}
