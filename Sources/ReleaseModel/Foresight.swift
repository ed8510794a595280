/// Two states of an app, compared as if what is to come were there already.
///
/// Versions stand for all that lie alike: no decision tells them apart. Each case is looked at with both states, so that
/// what the policy always said of a newer version is nobody's change.
package struct Foresight {
  private let before: Snapshot
  private let after: Snapshot
  private let now: Timestamp
  private let systems: [Version?]
  /// The page that all clients with a prompt are sent to before the change; nil where there are several, or none.
  private let page: String?
  /// The versions beyond all releases at which rules and redirects begin or end, ascending.
  private let beyond: [Version]

  /// Prepares to compare; both states are of one app.
  package init(before: Snapshot, after: Snapshot, now: Timestamp) {
    (self.before, self.after, self.now) = (before, after, now)
    let lines = [before.line, after.line]
    beyond = Foresight.beyond(lines.compactMap { $0.newest?.version }.max() ?? .zero, in: lines)
    let systems = Foresight.systems(of: lines + Array(before.others.values) + Array(after.others.values))
    self.systems = systems
    let decider = Decider(before, at: now)
    let versions = Foresight.representatives(of: before.line.marks(at: [now], systems: systems))
    let pages = Set(
      versions.flatMap { version in
        systems.compactMap { decider.decide(Client(version: version, os: $0)).url }
      })
    page = pages.count == 1 ? pages.first : nil
  }

  /// What of the changes between the two states needs agreement.
  ///
  /// - Parameter remindersCount: Whether a reminder where there was none needs it, too; what is only to come always does.
  package func needs(remindersCount: Bool) -> Set<ApprovalNeed> {
    var needs = needs(of: before, after, remindersCount: remindersCount)
    for isPhased in waitsForPhases ? [false, true] : [false] {
      for place in 0..<places {
        let earlier = withOthersOut(before, place, isPhased)
        let later = withOthersOut(after, place, isPhased)
        if !earlier.others.isEmpty || !later.others.isEmpty {
          needs.formUnion(self.needs(of: earlier, later, remindersCount: remindersCount))
        }
        for versions in cases {
          needs.formUnion(
            self.needs(
              of: imagined(earlier, versions, isPhased), imagined(later, versions, isPhased),
              remindersCount: true))
        }
      }
    }
    if changesSettings { needs.insert(.setting) }
    return needs
  }

  /// The versions that are visible in each of the cases to come: the releases under way one after the other, each of them
  /// alone, then a newer one, after all of them or none. Where an app is stopped, things as they are if it spoke.
  private var cases: Set<[Version]> {
    let stages = Foresight.stages(from: before.line, to: after.line, at: now)
    let (first, last) = (stages.first ?? [], stages.last ?? [])
    let isStopped = before.line.app.isStopped && after.line.app.isStopped
    let newer = Foresight.successors(of: before.line, after.line)
    let alone = last.dropFirst(first.count).map { first + [$0] }
    let further = beyond.indices.flatMap { index in
      Foresight.successors(of: beyond[index], components: after.line.app.channel.versionComponents).map {
        last + beyond[...index] + [$0]
      }
    }
    return Set(
      stages.dropFirst(isStopped ? 0 : 1) + alone + newer.flatMap { [last + [$0], first + [$0]] } + further)
  }

  private func needs(of earlier: Snapshot, _ later: Snapshot, remindersCount: Bool) -> Set<ApprovalNeed> {
    guard earlier != later else { return [] }
    var needs: Set<ApprovalNeed> = []
    let (past, next) = (Background(earlier), Background(later))
    let moments = moments(of: earlier, later)
    let versions = versions(of: earlier, later, at: moments)
    for moment in moments {
      let (past, next) = (Decider(past, at: moment), Decider(next, at: moment))
      for version in versions {
        for system in systems {
          let client = Client(version: version, os: system)
          let (was, willBe) = (past.decide(client), next.decide(client))
          if was.action < willBe.action {
            if willBe.action == .force { needs.insert(.forces) }
            if remindersCount { needs.insert(.harsher) }
          }
          if remindersCount, was.action != .none, willBe.action != .none, was.url != willBe.url {
            needs.insert(.page)
          }
        }
      }
    }
    return needs
  }

  /// Whether a released client gets another value of a key that it had, or none.
  private var changesSettings: Bool {
    guard before.line.settings != after.line.settings else { return false }
    let background = Background(before)
    let moments = moments(of: before, after)
    let released = versions(of: before, after, at: moments).filter { !background.isInReview($0) }
    return moments.contains { moment in
      let (past, next) = (Decider(before, at: moment), Decider(after, at: moment))
      return released.contains { version in
        let values = next.settings(of: version, inReview: false)
        return past.settings(of: version, inReview: false).contains { values[$0.key] != $0.value }
      }
    }
  }

  /// The state as if some versions were visible and nobody were stopped.
  private func imagined(_ snapshot: Snapshot, _ versions: [Version], _ isPhased: Bool) -> Snapshot {
    var snapshot = snapshot
    snapshot.line.imagine(
      visible: versions, isPhased: isPhased, like: after.line, page, at: now)
    return snapshot
  }

  /// Whether it matters to some reminders whether what comes is phased, which nobody knows yet.
  private var waitsForPhases: Bool {
    [before, after].contains { snapshot in
      ([snapshot.line] + snapshot.others.values).contains { $0.app.remindAfter == .phase }
    }
  }

  /// At how many places the other apps are looked at: as they are, after each release under way, and with something newer.
  private var places: Int {
    let counts = before.others.merging(after.others) { $1 }.map { slug, other in
      Foresight.stages(from: before.others[slug] ?? other, to: other, at: now).count + 1
    }
    return counts.max() ?? 1
  }

  /// The state as if what other apps have under way were out up to a place, none of them stopped.
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

  /// The versions of an app that are visible at first, and after each release under way.
  ///
  /// What the change itself lets go live is out in all of them: that it does is told by how things are.
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

  /// The versions that a newer release of an app could have: a newer patch, minor and major.
  private static func successors(of before: ReleaseLine, _ after: ReleaseLine) -> [Version] {
    successors(
      of: [before, after].compactMap { $0.newest?.version }.max() ?? .zero,
      components: after.app.channel.versionComponents)
  }

  /// The moments from now on at which some answer of two states changes, ascending.
  private func moments(of earlier: Snapshot, _ later: Snapshot) -> [Timestamp] {
    earlier.momentsOfChange(after: now).union(later.momentsOfChange(after: now)).union([now]).sorted()
  }

  /// Versions that stand for all, in two states at some moments.
  private func versions(of earlier: Snapshot, _ later: Snapshot, at moments: [Timestamp]) -> [Version] {
    var marks: Set<Version> = []
    for line in [earlier.line, later.line] { marks.formUnion(line.marks(at: moments, systems: systems)) }
    return Foresight.representatives(of: marks)
  }

  private static func successors(of newest: Version, components: Int) -> [Version] {
    (0..<components).reversed().compactMap { newest.successor(at: $0) }
  }

  /// Releases that rules and redirects wait for: each where one of them begins or ends.
  private static func beyond(_ newest: Version, in lines: [ReleaseLine]) -> [Version] {
    let bounds = lines.flatMap { line in
      (line.rules.map(\.range) + line.redirects.map(\.range)).flatMap {
        [$0.lower?.version, $0.upper?.version]
      }
    }
    let components = lines.map(\.app.channel.versionComponents).min() ?? 3
    var versions = Set(bounds.compactMap { $0 }.filter { newest < $0 }.map { $0.truncated(to: components) })
    versions.remove(newest)
    return versions.sorted()
  }

  /// Systems that stand for all: an unknown one, one that is too old for everything, and each that something needs.
  private static func systems(of lines: [ReleaseLine]) -> [Version?] {
    let needed = Set(lines.flatMap { $0.releases.compactMap(\.minOS) }).sorted()
    return needed.isEmpty ? [nil] : [nil, .zero] + needed
  }

  /// The marks, and what lies next to each.
  private static func representatives(of marks: Set<Version>) -> [Version] {
    var versions = marks
    for mark in marks {
      versions.formUnion([mark.before, mark.after].compactMap { $0 })
      // Where the policy tells a component from the next.
      for start in (1...3).map(mark.truncated(to:)) {
        versions.formUnion([start, start.before].compactMap { $0 })
      }
    }
    return versions.sorted()
  }
}

extension ReleaseLine {
  /// The releases that may yet go live, ascending.
  func underWay(at now: Timestamp) -> [Version] {
    let released = releases.last { $0.isOnLine && ($0.state == .live || $0.becameVisible(by: now)) }?.version
    return releases.filter { release in
      guard release.isOnLine, release.state.mayBecome(.live) else { return false }
      return released.map { $0 < release.version || release.state == .removed && $0 == release.version }
        ?? true
    }.map(\.version)
  }

  /// The versions at which answers may differ from those beside them.
  fileprivate func marks(at moments: [Timestamp], systems: [Version?]) -> Set<Version> {
    var marks: Set<Version> = []
    for range in rules.map(\.range) + redirects.map(\.range) + settings.map(\.range) {
      marks.formUnion([range.lower?.version, range.upper?.version].compactMap { $0 })
    }
    for release in releases where release.isMandatory || !release.state.isReleased {
      marks.insert(release.version)
    }
    if let greatestEverLive { marks.insert(greatestEverLive) }
    for moment in moments {
      let targets = targets(at: moment)
      for targets in [targets, targets.filter { mayRemind(of: $0, at: moment) }] {
        for system in systems {
          let target = targets.first { target in system.map { target.minOS ?? .zero <= $0 } ?? true }
          if let target { marks.insert(target.version) }
        }
      }
    }
    return marks
  }

  /// Makes some versions live or superseded and visible, and lets a stopped app speak.
  ///
  /// One that is not recorded is taken to be as the change says, but for what can harm: it forces nobody, and its page is
  /// the app's, or the one that all clients are sent to already.
  fileprivate mutating func imagine(
    visible versions: [Version], isPhased: Bool, like after: ReleaseLine, _ page: String?,
    at now: Timestamp
  ) {
    app.isStopped = false
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
      for index in releases.indices where releases[index].state == .live {
        releases[index].state = .superseded
      }
      releases[place].state = .live
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
  /// Whether a reminder that they bring needs agreement.
  package var needForReminders: Bool { contains { $0.needsForReminders } }
}
