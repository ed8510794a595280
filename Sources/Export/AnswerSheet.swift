package import ReleaseModel

/// What the clients of one app are told at and around a moment: everything that documents are made from.
package struct AnswerSheet: Sendable {
  package let snapshot: Snapshot
  /// The newest event that concerns the answers.
  package let generation: Int64
  /// Whether versions that were never released get documents too.
  package let includesUnreleased: Bool
  /// Every version that the ledger knows, ascending; a void one only if its number was not used again.
  package let known: [Release]
  /// The systems at which the newest release that runs on them changes, ascending.
  package let systems: [Version]
  /// The newest version that was ever live; greater ones are in review.
  package let newestEverLive: Version?
  /// The known versions that were released, ascending.
  let released: [Release]
  /// The versions that were rejected, withdrawn or struck out and can never go live, because a greater one is
  /// live or clients were told of it (law 1). No reviewer looks at them.
  let dead: Set<Version>
  /// The versions that were never released but still may be; nothing that clients read may name them.
  let underWay: Set<Version>
  private let timeline: Timeline

  /// How many moments of change to look back at to say since when an answer holds.
  private static let memory = 8

  /// Prepares to answer for a snapshot at a moment.
  package init(_ snapshot: Snapshot, at moment: Timestamp, generation: Int64, includesUnreleased: Bool) {
    self.snapshot = snapshot
    self.generation = generation
    self.includesUnreleased = includesUnreleased
    let line = snapshot.line
    let known = line.knownPositions.map { line.releases[$0] }
    self.known = known
    released = known.filter(\.wasReleased)
    newestEverLive = line.greatestEverLive
    let told = known.last { $0.becameVisible(by: moment) }?.version
    let live = known.last { $0.state == .live }?.version
    func isBelow(_ version: Version, _ other: Version?) -> Bool { other.map { version < $0 } ?? false }
    let unreleased = known.filter { !$0.wasReleased }
    dead = Set(
      unreleased.filter { release in
        [.rejected, .withdrawn, .void].contains(release.state)
          && (isBelow(release.version, told) || isBelow(release.version, live))
      }.map(\.version))
    underWay = Set(unreleased.map(\.version).filter { !isBelow($0, told) })
    let lines = [line] + snapshot.others.values
    systems = Set(lines.flatMap { $0.releases.filter { $0.liveAt != nil }.compactMap(\.minOS) }).sorted()
    timeline = Timeline(snapshot, at: moment, lookingBack: AnswerSheet.memory)
  }

  /// The app.
  package var app: App { snapshot.line.app }

  /// The moment the documents are for.
  package var moment: Timestamp { timeline.now.moment }

  /// The versions that get documents: usually only those that were released, since a document would announce
  /// any other.
  package var published: [Release] { includesUnreleased ? known : released }

  /// The decision function at the moment the documents are for.
  package var decider: Decider { timeline.now }

  /// What a client is told.
  package func decide(_ version: Version, os: Version? = nil) -> Decision {
    timeline.now.decide(Client(version: version, os: os))
  }

  /// What each of some releases is told on any system, and from when until when.
  ///
  /// - Parameter releases: The releases, ascending by version.
  package func answers(to releases: [Release]) -> [(release: Release, stretch: Stretch<TieredAnswer>)] {
    let stretches = timeline.stretches(of: releases.map(\.version)) { TieredAnswer($0, systems: systems) }
    return zip(releases, stretches).map { (release: $0, stretch: $1) }
  }

  /// What a version without a document is told, since it may be in review, and from when until when.
  package var answerToUnknown: Stretch<TieredAnswer> {
    // Only its settings change with time.
    timeline.stretch(of: snapshot.line.settings) {
      TieredAnswer(toUnknownWith: settingsOfUnknown(at: $0))
    }
  }

  /// The first moment after the documents' own at which some answer may change by itself.
  package var nextChange: Timestamp? { moments(after: moment).min() }

  /// The last moment, up to the documents' own, at which some answer changed by itself.
  package var lastChange: Timestamp? {
    moments(after: .distantPast).filter { $0 <= moment }.max()
  }

  /// The moments after a given one at which some document may change by itself.
  private func moments(after start: Timestamp) -> Set<Timestamp> {
    let notices = ([snapshot.line] + snapshot.others.values).flatMap {
      $0.releases.compactMap(\.expiryNotice)
    }
    return snapshot.momentsOfChange(after: start).union(notices.lazy.filter { start < $0 })
  }

  /// Whether a finding is about a version that was never released, which nothing near the documents may name.
  func names(unreleased finding: ExportFinding) -> Bool {
    let ends = finding.ranges.flatMap { [$0.lower?.version, $0.upper?.version].compactMap(\.self) }
    let named = Set(finding.versions + ends)
    return known.contains { !$0.wasReleased && named.contains($0.version) }
  }

  /// The settings that the document of a single version hands over.
  func settings(of version: Version) -> [String: String] {
    decider.settings(of: version, inReview: decide(version).review)
  }

  /// The settings that every version has, in review or not: all that a client can be given that does not say
  /// its version.
  var settingsOfAll: [String: String] {
    let ends = snapshot.line.settings.flatMap { [$0.range.lower?.version, $0.range.upper?.version] }
    let samples = Set(ends.compactMap(\.self).flatMap { [$0, $0.next].compactMap(\.self) } + [.zero])
    var values = decider.settings(of: .zero, inReview: false)
    for version in samples {
      for inReview in [false, true] {
        let others = decider.settings(of: version, inReview: inReview)
        values = values.filter { others[$0.key] == $0.value }
      }
    }
    return values
  }

  /// The settings of a version in review about which nothing is known except that it is greater than all that
  /// were live.
  private func settingsOfUnknown(at moment: Timestamp) -> [String: String] {
    var values: [String: String] = [:]
    let newest = newestEverLive
    for setting in snapshot.line.settings.filter({ $0.isActive(at: moment) }).byPrecedence()
    where values[setting.key] == nil && setting.phase != .released && setting.range.upper == nil {
      guard let lower = setting.range.lower else {
        values[setting.key] = setting.value
        continue
      }
      if let newest, lower.version <= newest { values[setting.key] = setting.value }
    }
    return values
  }
}

extension Release {
  /// Whether the release was ever in the store, as far as the ledger knows, or before the ledger's time.
  package var wasReleased: Bool { liveAt != nil || isPast }
}

/// What a version is told on a system on which everything runs, and what it is told on older ones.
package struct TieredAnswer: Sendable, Equatable {
  package let decision: Decision
  /// The answers for systems below a version, ascending; the first tier whose bound is above the device's
  /// system applies.
  package let tiers: [Tier]
  package let settings: [String: String]

  /// The answer for systems below one version and not below the previous tier's.
  package struct Tier: Sendable, Equatable {
    package let below: Version
    package let decision: Decision
  }

  init(_ situation: Situation, systems: [Version]) {
    decision = situation.decide()
    settings = situation.settings(inReview: decision.review)
    var tiers: [Tier] = []
    var above = decision
    // From the newest system down, so that a tier is made only where the answer differs from the next newer
    // system's.
    for (index, system) in systems.enumerated().reversed() {
      let older = index == 0 ? Version.zero : systems[index - 1]
      let lower = situation.decide(os: older)
      if !TieredAnswer.isAlike(lower, above) {
        tiers.append(Tier(below: system, decision: lower))
        above = lower
      }
    }
    self.tiers = tiers.reversed()
  }

  init(toUnknownWith settings: [String: String]) {
    decision = .unreleased
    tiers = []
    self.settings = settings
  }

  /// Whether a device acts the same way on both.
  private static func isAlike(_ one: Decision, _ other: Decision) -> Bool {
    one.action == other.action && one.target?.id == other.target?.id && one.url == other.url
      && (one.action == .none || one.rule == other.rule)
  }

  /// The answer on a system; nil for an unknown system, on which everything is taken to run.
  package func decision(on os: Version?) -> Decision {
    guard let os else { return decision }
    return tiers.first { os < $0.below }?.decision ?? decision
  }
}
