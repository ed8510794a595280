/// Compares two states of an app as if releases to come were already out.
///
/// Sample versions stand for all that no decision tells apart. Each case is applied to both states, so that
/// what the policy already said about a newer version is not attributed to the change.
package struct Foresight {
  private let before: Snapshot
  private let after: Snapshot
  private let now: Timestamp
  /// The page that all prompted clients are sent to before the change; nil if there are several or none.
  private let page: String?
  private let comparison: AnswerComparison

  /// Prepares to compare two states of the same app.
  package init(before: Snapshot, after: Snapshot, now: Timestamp) {
    (self.before, self.after, self.now) = (before, after, now)
    let lines = [before.line, after.line]
    let systems = Foresight.systems(of: lines + Array(before.others.values) + Array(after.others.values))
    let versions = lines.reduce(into: Set()) { $0.formUnion($1.marks) }.sides
    comparison = AnswerComparison(
      rules: RuleChange(from: before.line, to: after.line, at: now), now: now, systems: systems,
      versions: versions
    )
    let (decider, outlook) = (Decider(before, at: now), Outlook(Background(before), at: now))
    let pages = Set(
      (versions + Set(systems.flatMap { outlook.targets(os: $0) }).steps).flatMap { version in
        systems.compactMap { decider.decide(Client(version: version, os: $0)).url }
      })
    page = pages.count == 1 ? pages.first : nil
  }

  /// The agreement that the changes between the two states need.
  ///
  /// - Parameter remindersCount: Whether a new reminder needs agreement too; in future cases it always does.
  package func needs(remindersCount: Bool) -> Set<ApprovalNeed> {
    var asked: Set<AnswerComparison.Question> = []
    var needs = comparison.needs(of: before, after, remindersCount: remindersCount, &asked)
    let cases = cases
    for isPhased in waitsForPhases ? [false, true] : [false] {
      for place in 0..<places {
        let earlier = withOthersOut(before, place, isPhased)
        let later = withOthersOut(after, place, isPhased)
        if !earlier.others.isEmpty || !later.others.isEmpty {
          asked = []
          needs.formUnion(comparison.needs(of: earlier, later, remindersCount: remindersCount, &asked))
        }
        for alike in cases {
          asked = []
          for versions in alike {
            needs.formUnion(
              comparison.needs(
                of: imagined(earlier, versions, isPhased), imagined(later, versions, isPhased),
                remindersCount: true, &asked))
          }
        }
      }
    }
    if comparison.changesSettings(from: before, to: after) { needs.insert(.setting) }
    return needs
  }

  /// The future cases, each as the versions visible in it: the releases under way one after the other, each
  /// of them alone, and then a newer one, after all of them or none. For a stopped app, one case is the
  /// present as if the app could speak.
  ///
  /// Cases whose newest release is known only by its version are grouped. What clients may be pointed at is
  /// the same in all of them; only how their own versions relate to that release differs.
  private var cases: [[[Version]]] {
    let stages = Foresight.stages(from: before.line, to: after.line, at: now)
    let (first, last) = (stages.first ?? [], stages.last ?? [])
    let isStopped = before.line.app.isStopped && after.line.app.isStopped
    let alone = last.dropFirst(first.count).map { first + [$0] }
    let newer = Foresight.successors(of: before.line, after.line)
    let cases = Set(stages.dropFirst(isStopped ? 0 : 1) + alone).map { [$0] } + alike(last, newer + beyond)
    return first == last ? cases : cases + alike(first, newer)
  }

  /// The cases in which one of several newer versions is out too.
  private func alike(_ out: [Version], _ newer: [Version]) -> [[[Version]]] {
    let (lines, newer) = ([before.line, after.line], Set(newer))
    let known = newer.filter { version in lines.contains { $0.countingIndex(of: version) != nil } }
    return known.map { [out + [$0]] } + [newer.subtracting(known).map { out + [$0] }]
  }

  /// The state as if some versions were visible and the app were not stopped.
  private func imagined(_ snapshot: Snapshot, _ versions: [Version], _ isPhased: Bool) -> Snapshot {
    var snapshot = snapshot
    snapshot.line.imagine(
      visible: versions, isPhased: isPhased, like: after.line, page, at: now)
    return snapshot
  }

  /// Whether some reminders depend on whether a coming release is phased, which nobody knows yet.
  private var waitsForPhases: Bool {
    [before, after].contains { snapshot in
      ([snapshot.line] + snapshot.others.values).contains { $0.app.remindAfter == .phase }
    }
  }

  /// How many stages of the other apps to look at: as they are, after each release under way, and with
  /// something newer.
  private var places: Int {
    let counts = before.others.merging(after.others) { $1 }.map { slug, other in
      Foresight.stages(from: before.others[slug] ?? other, to: other, at: now).count + 1
    }
    return counts.max() ?? 1
  }

  /// The state as if other apps had released what they have under way, up to a stage, and none were stopped.
  private func withOthersOut(_ snapshot: Snapshot, _ place: Int, _ isPhased: Bool) -> Snapshot {
    var snapshot = snapshot
    for (slug, other) in snapshot.others {
      let (earlier, later) = (before.others[slug] ?? other, after.others[slug] ?? other)
      let stages = Foresight.stages(from: earlier, to: later, at: now)
      let newer = Foresight.successors(of: earlier, later).suffix(1)
      let versions = place < stages.count ? stages[place] : (stages.last ?? []) + newer
      snapshot.others[slug]?.imagine(
        visible: versions, isPhased: isPhased, like: later, page, at: now)
    }
    return snapshot
  }

  /// The versions of an app that are out at each stage: at first, and after each release under way.
  ///
  /// Versions that the change itself puts live are out at every stage; comparing the present covers that
  /// effect.
  private static func stages(from before: ReleaseLine, to after: ReleaseLine, at now: Timestamp)
    -> [[Version]]
  {
    let out = after.releases.filter { release in
      release.isOnLine && release.state.isReleased
        && before.release(release.version)?.state.isReleased != true
    }.map(\.version)
    let underWay = after.underWay(at: now)
    return [out] + underWay.indices.map { out + underWay[...$0] }
  }

  /// The versions that a newer release of an app could have: the next patch, minor and major version.
  private static func successors(of before: ReleaseLine, _ after: ReleaseLine) -> [Version] {
    successors(
      of: [before, after].compactMap { $0.newest?.version }.max() ?? .zero,
      components: after.app.channel.versionComponents)
  }

  private static func successors(of newest: Version, components: Int) -> [Version] {
    (0..<components).reversed().compactMap { newest.successor(at: $0) }
  }

  /// The versions that may follow each bound above the newest release, where rules and redirects wait for a
  /// release.
  private var beyond: [Version] {
    let lines = [before.line, after.line]
    let newest = lines.compactMap { $0.newest?.version }.max() ?? .zero
    let components = lines.map(\.app.channel.versionComponents).min() ?? 3
    let bounds = Set(lines.flatMap(\.ranges).flatMap(\.bounds).filter { newest < $0 })
    return Set(bounds.map { $0.truncated(to: components) }).subtracting([newest]).flatMap {
      Foresight.successors(of: $0, components: after.line.app.channel.versionComponents)
    }
  }

  /// Systems that stand for all: an unknown one, one too old for everything, and each one that a release
  /// requires.
  private static func systems(of lines: [ReleaseLine]) -> [Version?] {
    let needed = Set(lines.flatMap { $0.releases.compactMap(\.minOS) }).sorted()
    return needed.isEmpty ? [nil] : [nil, .zero] + needed
  }
}

extension ReleaseLine {
  /// The releases that may still go live, ascending.
  func underWay(at now: Timestamp) -> [Version] {
    let released = releases.last { $0.isOnLine && ($0.state == .live || $0.becameVisible(by: now)) }?.version
    return releases.filter { release in
      guard release.isOnLine, release.state.mayBecome(.live) else { return false }
      return released.map { $0 < release.version || release.state == .removed && $0 == release.version }
        ?? true
    }.map(\.version)
  }

  /// The versions at which answers may differ from their neighbours', whatever clients may be pointed at.
  fileprivate var marks: Set<Version> {
    Set(ranges.flatMap(\.bounds) + [greatestEverLive].compactMap(\.self))
      .union(releases.lazy.filter { $0.isMandatory || !$0.state.isReleased }.map(\.version))
  }

  /// Makes some versions visible, as live or superseded, and lets a stopped app speak.
  ///
  /// A version that is not recorded here takes its details from the changed state, except for those that can
  /// do harm: it forces nobody, and its page is the app's, or the one that all clients are already sent to.
  fileprivate mutating func imagine(
    visible versions: [Version], isPhased: Bool, like after: ReleaseLine, _ page: String?,
    at now: Timestamp
  ) {
    // Which event last changed the app decides nothing.
    (app.isStopped, app.event) = (false, after.app.event)
    let newest = versions.max()
    for index in releases.indices where newest != nil && releases[index].state == .live {
      releases[index].state = .superseded
    }
    for version in versions.sorted() {
      let place: Int
      if let known = countingIndex(of: version) {
        place = known
      } else {
        place = releases.lastIndex { $0.isOnLine && $0.version < version }.map { $0 + 1 } ?? 0
        var release = Release(id: 0, version: version, state: .prepared, since: now)
        if let likeness = after.release(version), likeness.isOnLine {
          release = likeness
          release.isMandatory = false
          if release.url != page { release.url = nil }
        }
        releases.insert(release, at: place)
      }
      releases[place].state = version == newest ? .live : .superseded
      releases[place].liveAt = now
      releases[place].visibleAt = now
      releases[place].former = nil
      guard isPhased else { continue }
      releases[place].phase = .active
      releases[place].remindAt = now + ReleasePhase.length
    }
  }
}

extension Sequence<Change> {
  /// Whether a reminder that the changes bring needs agreement.
  package var needForReminders: Bool { contains { $0.needsForReminders } }
}
