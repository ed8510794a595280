/// Compares two states of an app by their schedules, as they are and as if releases to come were out.
///
/// It looks at every version that could exist, on every system, at every moment; a stopped app is judged as
/// if it were resumed. Each case is applied to both states, so that what the policy already said about a newer
/// version is not attributed to the change.
package struct AgreementLaw {
  private let before: Snapshot
  private let after: Snapshot
  private let now: Timestamp
  /// The page that clients are already sent to, whatever release comes; nil if there is none.
  private let page: String?

  /// - Parameter was: The schedule of `before` from now on, if it is known.
  package init(before: Snapshot, after: Snapshot, now: Timestamp, was: Schedule? = nil) {
    (self.before, self.after, self.now) = (before, after, now)
    let prompts = (was ?? Schedule(before, from: now)).answers.flatMap(\.decisions).filter {
      $0.action != .none
    }
    let pages = Set(prompts.compactMap(\.url))
    // A page that only rules name says nothing of where releases send their clients.
    page = pages.count == 1 && prompts.contains { $0.decidedBy != .rule } ? pages.first : nil
  }

  /// The agreement that the changes need; in cases to come, a new reminder always needs it.
  package func needs(remindersCount: Bool) -> Set<Need> {
    var needs: Set<Need> = []
    guard !isOnlyMoreLenient else { return needs }
    if underWay().contains(where: { $0.visible?.asks == true && $0.forces }) { needs.insert(.forces) }
    for isPhased in waitsForPhases ? [false, true] : [false] {
      for place in 0..<places {
        let earlier = withOthersOut(before, place, isPhased)
        let later = withOthersOut(after, place, isPhased)
        let isPresent = place == 0 && !isPhased
        if isPresent { compare(before, after, remindersCount: remindersCount, &needs) }
        if !isPresent || !earlier.others.isEmpty || !later.others.isEmpty || before.line.app.isStopped {
          let (one, other) = (resumed(earlier), resumed(later))
          compare(one, other, remindersCount: remindersCount, &needs)
        }
        for (versions, clients) in cases {
          compare(
            imagined(earlier, versions, isPhased), imagined(later, versions, isPhased), clients,
            remindersCount: true, &needs)
        }
      }
    }
    return needs
  }

  /// The change as if each recorded release under way, of the app and of those it leads to, were visible alone.
  ///
  /// A release that the change itself records is compared with the ledger without it.
  package func underWay() -> [ComparedCase] {
    let lines = [after.line] + after.others.values.sorted { $0.app.slug < $1.app.slug }
    return lines.flatMap { line in
      line.underWay(at: now).compactMap { version in
        let slug = line.app.slug
        let isKnown =
          (slug == before.line.app.slug ? before.line : before.others[slug])?.release(version) != nil
        let (earlier, later) = (
          showing(isKnown ? [version] : [], of: slug, in: before), showing([version], of: slug, in: after)
        )
        guard earlier != later, later.line.app.silence == nil else { return nil }
        let (was, willBe) = (Schedule(earlier, from: now), Schedule(later, from: now))
        let isFirst = line.releases.allSatisfy { $0.state == .void || $0.version == version }
        return ComparedCase(
          willBe.differences(from: was, since: now), from: was, to: willBe,
          visible: VisibleCase(app: slug, version: version, asks: !isFirst || version.component(0) > 0))
      }
    }
  }

  private func showing(_ versions: [Version], of slug: String, in snapshot: Snapshot) -> Snapshot {
    var snapshot = resumed(snapshot)
    if slug == snapshot.line.app.slug {
      snapshot.line.imagine(visible: versions, isPhased: false, like: after.line, page, at: now)
    } else if let line = after.others[slug] {
      snapshot.others[slug]?.imagine(visible: versions, isPhased: false, like: line, page, at: now)
    }
    return snapshot
  }

  /// Whether the change adds nothing but rules that prompt nobody.
  private var isOnlyMoreLenient: Bool {
    var line = before.line
    let known = Set(line.rules.map(\.number))
    line.rules += after.line.rules.filter { !known.contains($0.number) && $0.action == .none }
    line.rules.sort { $0.number < $1.number }
    return line == after.line && before.others == after.others && before.hosts == after.hosts
  }

  private func compare(
    _ earlier: Snapshot, _ later: Snapshot, _ clients: Range<VersionKey> = .least ..< .end,
    remindersCount: Bool, _ needs: inout Set<Need>
  ) {
    guard later.line.app.silence == nil else { return }
    let isSettingChanged = earlier.line.settings != later.line.settings
    let differences = Schedule(later, from: now, within: clients).differences(
      from: Schedule(earlier, from: now, within: clients), since: now)
    for step in differences.flatMap(\.steps) {
      for pair in step.systems {
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
      if isSettingChanged, !step.before.decision.review,
        step.before.settings.contains(where: { step.after.settings[$0]?.isSpelled(as: $1) != true })
      {
        needs.insert(.setting)
      }
    }
  }

  /// The cases to come, each as the versions visible in it and the clients to look at: each release under way
  /// alone, and a newer one after all of them or none.
  ///
  /// All that a client sees of a release's version is whether it is newer, and in which component first. So of
  /// the cases that differ in nothing else, the least one speaks for all clients above it, and each one for
  /// those below it that have more of its version than of the next one's.
  private var cases: [(versions: [Version], clients: Range<VersionKey>)] {
    let stages = AgreementLaw.stages(from: before.line, to: after.line, at: now)
    let (first, last) = (stages.first ?? [], stages.last ?? [])
    let newer = Set(AgreementLaw.successors(of: before.line, after.line) + beyond)
    var cases: [(versions: [Version], clients: Range<VersionKey>)] = []
    for out in first == last ? [first] : [first, last] {
      let coming = newer.union(out == first ? last.dropFirst(first.count) : []).sorted()
      var alike: [(looks: [Release], versions: [Version])] = []
      for version in coming {
        let looks = [before, after].map { $0.line.imagined(version, like: after.line, page, at: now).look }
        if let place = alike.firstIndex(where: { $0.looks == looks }) {
          alike[place].versions.append(version)
        } else {
          alike.append((looks, [version]))
        }
      }
      for versions in alike.map(\.versions) {
        for (place, version) in versions.enumerated() {
          let next = versions.indices.contains(place + 1) ? versions[place + 1] : nil
          let lo = next.map { VersionKey(version.truncated(to: version.commonComponents(with: $0) + 1)) }
          cases.append(
            (out + [version], (lo ?? .least)..<(place == 0 ? .end : .after(version))))
        }
      }
    }
    return cases
  }

  private func imagined(_ snapshot: Snapshot, _ versions: [Version], _ isPhased: Bool) -> Snapshot {
    var snapshot = snapshot
    snapshot.line.imagine(visible: versions, isPhased: isPhased, like: after.line, page, at: now)
    return snapshot
  }

  private func resumed(_ snapshot: Snapshot) -> Snapshot {
    var snapshot = snapshot
    snapshot.line.app.isStopped = false
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
      AgreementLaw.stages(from: before.others[slug] ?? other, to: other, at: now).count + 1
    }
    return counts.max() ?? 1
  }

  /// The state as if other apps had released what they have under way, up to a stage, and none were stopped.
  private func withOthersOut(_ snapshot: Snapshot, _ place: Int, _ isPhased: Bool) -> Snapshot {
    var snapshot = snapshot
    for (slug, other) in snapshot.others {
      let (earlier, later) = (before.others[slug] ?? other, after.others[slug] ?? other)
      let stages = AgreementLaw.stages(from: earlier, to: later, at: now)
      let newer = AgreementLaw.successors(of: earlier, later).suffix(1)
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
  private static func stages(from before: AppState, to after: AppState, at now: Timestamp)
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
  private static func successors(of before: AppState, _ after: AppState) -> [Version] {
    successors(
      of: [before, after].compactMap { $0.newest?.version }.max() ?? .zero,
      components: after.app.channel.versionComponents)
  }

  private static func successors(of newest: Version, components: Int) -> [Version] {
    (0..<components).reversed().compactMap { newest.successor(at: $0) }
  }

  /// The versions that may follow each bound above the newest release, where rules, redirects and settings
  /// wait for a release.
  private var beyond: [Version] {
    let lines = [before.line, after.line]
    let newest = lines.compactMap { $0.newest?.version }.max() ?? .zero
    let components = lines.map(\.app.channel.versionComponents).min() ?? 3
    let ranges = lines.flatMap { line in
      line.rules.map(\.range) + line.redirects.map(\.range) + line.settings.map(\.range)
    }
    let bounds = Set(ranges.flatMap { [$0.lower?.version, $0.upper?.version] }.compactMap(\.self))
      .filter { newest < $0 }
    return Set(bounds.map { $0.truncated(to: components) }).subtracting([newest]).flatMap {
      AgreementLaw.successors(of: $0, components: after.line.app.channel.versionComponents)
    }
  }
}

extension Version {
  fileprivate func commonComponents(with other: Version) -> Int {
    (0..<4).first { component($0) != other.component($0) } ?? 4
  }
}
