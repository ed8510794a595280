/// Compares two states of an app by their schedules, as they are and as if releases to come were out.
///
/// It looks at every version that could exist, on every system, at every moment; a stopped app is judged as
/// if it were resumed. Each case is applied to both states, so that what the policy already said about a newer
/// version is not attributed to the change.
package final class AgreementLaw {
  private let before: Snapshot
  private let after: Snapshot
  private let now: Timestamp
  private let present: ComparedCase
  /// With each release under way, as if stopped apps spoke.
  private lazy var underWayResumed = underWay(in: resumed(before), resumed(after))
  private lazy var coming = toCome()
  /// The page that clients are already sent to, whatever release comes, or nil.
  private let page: String?

  /// - Parameters:
  ///   - was: The schedule of `before` from now on, if it is known.
  ///   - present: The change as the ledger stands, if that was looked at.
  package init(
    before: Snapshot, after: Snapshot, now: Timestamp, was: Schedule? = nil, _ present: ComparedCase? = nil
  ) {
    (self.before, self.after, self.now) = (before, after, now)
    let was = was ?? Schedule(before, from: now)
    self.present =
      present ?? ComparedCase(Schedule(after, from: now).differences(from: was, since: now), of: after)
    let prompts = was.answers.flatMap(\.decisions).filter { $0.action != .none }
    let pages = Set(prompts.compactMap(\.url))
    // A page that only rules name says nothing of where releases send their clients.
    page = pages.count == 1 && prompts.contains { $0.decidedBy != .rule } ? pages.first : nil
  }

  /// The agreement that the changes need; in cases to come, a new reminder always needs it.
  package func needs(remindersCount: Bool) -> Set<Need> {
    guard !isOnlyMoreLenient else { return [] }
    let settingsCount = before.line.settings != after.line.settings
    var needs: Set<Need> = []
    // A silent app tells no one anything.
    if after.line.app.silence == nil {
      needs = present.needs(remindersCount: remindersCount, settingsCount: settingsCount)
    }
    if underWayResumed.contains(where: { $0.asks && $0.forces }) { needs.insert(.forces) }
    for compared in coming {
      let isNewer = compared.visible?.versions[after.line.app.slug] != nil
      needs.formUnion(
        compared.needs(remindersCount: remindersCount || isNewer, settingsCount: settingsCount))
    }
    return needs
  }

  /// What the changes alter in every case: as things are, with each release under way, and with what is to come.
  package func all() -> [ComparedCase] { [present] + underWayResumed + coming }

  /// The change as if each recorded release under way, of the app and of those it leads to, were visible alone; those that
  /// look alike to clients are one case.
  ///
  /// A release that the change itself records is compared with the ledger without it.
  ///
  /// - Parameter asResumed: Whether stopped apps are judged as if they spoke, as agreement is.
  package func underWay(asResumed: Bool) -> [ComparedCase] {
    let stops = [before, after].contains { snapshot in
      ([snapshot.line] + snapshot.others.values).contains(where: \.app.isStopped)
    }
    return asResumed || !stops ? underWayResumed : underWay(in: before, after)
  }

  private func underWay(in before: Snapshot, _ after: Snapshot) -> [ComparedCase] {
    let lines = [self.after.line] + self.after.others.values.sorted { $0.app.slug < $1.app.slug }
    return lines.filter { !$0.app.isRetired }.flatMap { line in
      let slug = line.app.slug
      let past = slug == before.line.app.slug ? before.line : before.others[slug]
      // A struck-out number that is recorded again is a new release.
      func isKnown(_ version: Version) -> Bool { past?.index(of: version) != nil }
      let (look, pastLook) = (self.look(in: line, like: line), past.map { self.look(in: $0, like: line) })
      let cases = alike(line.underWay(at: now), of: slug) { version in
        [isKnown(version) ? pastLook?(version) : nil, look(version)]
      }
      return cases.compactMap { version, clients -> ComparedCase? in
        let earlier = isKnown(version) ? showing([slug: [version]], in: before) : before
        let later = showing([slug: [version]], in: after)
        guard earlier != later else { return nil }
        let isFirst = line.releases.count == 1
        let isNew = isFirst && slug == after.line.app.slug && line.app.isPastWhole
        let asks = !isFirst || version.component(0) > 0
        return ComparedCase(
          earlier, later, from: now, clients, visible: VisibleCase([slug: version]), asks: asks,
          asksPerson: asks && !isNew)
      }
    }
  }

  /// The change in the cases to come: other apps as they are, after each release that they have under way and with
  /// something newer, each with every one of the app's own cases; where reminders wait for phases, in phases, too.
  private func toCome() -> [ComparedCase] {
    guard !isOnlyMoreLenient, !after.line.app.isRetired else { return [] }
    let (before, after, cases) = (resumed(before), resumed(after), cases)
    // The versions of each other app that are out at each of its stages; at the last one, something newer is.
    let stages = before.others.merging(after.others) { $1 }.mapValues { other in
      let earlier = before.others[other.app.slug] ?? other
      let known = self.stages(from: earlier, to: other)
      return known + [(known.last ?? []) + successors(of: newest(in: [earlier, other]), in: other).suffix(1)]
    }
    return (waitsForPhases ? [false, true] : [false]).flatMap { isPhased in
      (0..<(stages.values.map(\.count).max() ?? 1)).flatMap { stage in
        let others = stages.compactMapValues { stage < $0.count ? $0[stage] : $0.last }
        func compared(_ own: [Version], _ clients: Range<VersionKey> = .least ..< .end) -> ComparedCase {
          let out = others.merging([after.line.app.slug: own]) { $1 }
          return ComparedCase(
            showing(out, isPhased: isPhased, in: before), showing(out, isPhased: isPhased, in: after),
            from: now, clients,
            visible: VisibleCase(out.compactMapValues { $0.max() }, isPhased: isPhased))
        }
        let isPresent = stages.isEmpty && !isPhased && !self.before.line.app.isStopped
        return (isPresent ? [] : [compared([])]) + cases.map { compared($0.versions, $0.clients) }
      }
    }
  }

  /// A state as if some versions of apps were visible: of each app, the last one alone.
  private func showing(_ out: [String: [Version]], isPhased: Bool? = nil, in snapshot: Snapshot) -> Snapshot {
    var snapshot = snapshot
    for (slug, versions) in out {
      if slug == snapshot.line.app.slug {
        snapshot.line.imagine(visible: versions, isPhased: isPhased, like: after.line, page, at: now)
      } else if let like = after.others[slug] ?? snapshot.others[slug] {
        snapshot.others[slug]?.imagine(visible: versions, isPhased: isPhased, like: like, page, at: now)
      }
    }
    return snapshot
  }

  /// Whether the change adds nothing but rules that prompt no one.
  private lazy var isOnlyMoreLenient: Bool = {
    var line = before.line
    let known = Set(line.rules.map(\.number))
    line.rules += after.line.rules.filter { !known.contains($0.number) && $0.action == .none }
    line.rules.sort { $0.number < $1.number }
    return line == after.line && before.others == after.others && before.hosts == after.hosts
  }()

  /// The cases to come, each as the versions visible in it and the clients to look at: each release under way
  /// alone, and a newer one after all of them or none.
  private var cases: [(versions: [Version], clients: Range<VersionKey>)] {
    let stages = self.stages(from: before.line, to: after.line)
    let (first, last) = (stages.first ?? [], stages.last ?? [])
    let newer = Set(successors(of: newest(in: [before.line, after.line]), in: after.line) + beyond)
    let looks = [before.line, after.line].map { look(in: $0, like: after.line) }
    return (first == last ? [first] : [first, last]).flatMap { out in
      let coming = newer.union(out == first ? last.dropFirst(first.count) : []).sorted()
      return alike(coming, of: after.line.app.slug) { version in looks.map { $0(version) } }
        .map { (out + [$0.version], $0.clients) }
    }
  }

  /// Returns what a client of another version sees of a version of an app if it is visible.
  private func look(in line: AppState, like other: AppState) -> (Version) -> Release {
    let releases = line.releases
    let removed = releases.indices.last { releases[$0].state == .removed && releases[$0].isOnLine }
    return { [page, now] version in
      var look = line.imagined(version, like: other, page, at: now).look
      // Below a removed release it is no target.
      if let removed, version < releases[removed].version { look.state = .removed }
      return look
    }
  }

  /// Ascending versions with the clients that each speaks for.
  ///
  /// All that a client sees of a release's version is whether it is newer, and in which component first. So of
  /// those that differ in nothing else, the least one speaks for all clients, and each further one for those that have
  /// more of the previous one's version than of its own, up to itself. The versions of another app do not compare with
  /// theirs.
  private func alike<Look: Equatable>(
    _ versions: [Version], of slug: String, _ look: (Version) -> Look
  ) -> [(version: Version, clients: Range<VersionKey>)] {
    var last: [(look: Look, version: Version)] = []
    return versions.compactMap { version in
      let look = look(version)
      guard let index = last.firstIndex(where: { $0.look == look }) else {
        last.append((look, version))
        return (version, .least ..< .end)
      }
      guard slug == after.line.app.slug else { return nil }
      let previous = last[index].version
      last[index].version = version
      let lo = VersionKey(previous.truncated(to: previous.commonComponents(with: version) + 1))
      return (version, lo..<(.after(version)))
    }
  }

  private func resumed(_ snapshot: Snapshot) -> Snapshot {
    var snapshot = snapshot
    snapshot.line.app.isStopped = false
    for slug in snapshot.others.keys { snapshot.others[slug]?.app.isStopped = false }
    return snapshot
  }

  /// Whether some reminders depend on whether a coming release is phased, which no one knows yet.
  private var waitsForPhases: Bool {
    [before, after].contains { snapshot in
      ([snapshot.line] + snapshot.others.values).contains { $0.app.remindAfter == .phase }
    }
  }

  /// The versions of an app that are out at each stage: at first, and after each release under way.
  ///
  /// Versions that the change itself puts live are out at every stage; comparing the present covers that
  /// effect.
  private func stages(from before: AppState, to after: AppState) -> [[Version]] {
    let out = after.releases.filter { release in
      release.isOnLine && release.state.isReleased
        && before.release(release.version)?.state.isReleased != true
    }.map(\.version)
    let underWay = after.underWay(at: now)
    return [out] + underWay.indices.map { out + underWay[...$0] }
  }

  private func newest(in states: [AppState]) -> Version {
    states.compactMap { $0.newest?.version }.max() ?? .zero
  }

  /// The versions that a newer release of an app could have: the next patch, minor and major version.
  private func successors(of newest: Version, in state: AppState) -> [Version] {
    (0..<state.app.channel.versionComponents).reversed().compactMap { newest.successor(at: $0) }
  }

  /// The versions that may follow each bound above the newest release, where rules, redirects and settings
  /// wait for a release.
  private var beyond: [Version] {
    let lines = [before.line, after.line]
    let newest = self.newest(in: lines)
    let components = lines.map(\.app.channel.versionComponents).min() ?? 3
    let ranges = lines.flatMap { line in
      line.rules.map(\.range) + line.redirects.map(\.range) + line.settings.map(\.range)
    }
    let bounds = Set(ranges.flatMap { [$0.lower?.version, $0.upper?.version] }.compactMap(\.self))
      .filter { newest < $0 }
    return Set(bounds.map { $0.truncated(to: components) }).subtracting([newest])
      .flatMap { successors(of: $0, in: after.line) }
  }
}
