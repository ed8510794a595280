package import ReleaseModel

extension Draft {
  /// The apps whose answers the changes concern, including those that lead to a changed app.
  ///
  /// - Throws: `LedgerError`.
  package func concerned() throws -> [String] {
    if concernsAll { return try ledger.apps().map(\.slug) }
    let changed = Set(changes.filter(\.change.concernsAnswers).compactMap(\.app))
    return changed.union(try ledger.slugs(leadingTo: changed)).sorted()
  }

  /// Whether every app's answers may have changed, because the trusted hosts or the clock did.
  var concernsAll: Bool { hosts != trustsBefore.hosts || hasCorrection }

  /// The apps whose documents may change, as the changes leave them; silent apps, whose documents say
  /// nothing, are left out.
  ///
  /// - Throws: `LedgerError`.
  package mutating func documentSnapshots() throws -> [Snapshot] {
    try readWhole()
    return try concerned().compactMap { slug in
      try line(slug).app.silence != nil ? nil : snapshot(slug)
    }
  }

  /// The apps that the changes touch.
  func touched() throws -> Set<String> {
    let slugs = Set(changes.compactMap(\.app))
    return concernsAll ? slugs.union(try ledger.apps().map(\.slug)) : slugs
  }

  /// What the changes alter for clients, now and later.
  ///
  /// - Parameter limit: The most moments to look at for each app.
  func impact(atMost limit: Int = .max) throws -> Impact {
    try impact(on: touched(), since: before, hosts: trustsBefore.hosts, atMost: limit)
  }

  /// What has changed for the clients of some apps, and of those that lead to them, since a past state.
  func impact(
    on changed: Set<String>, since past: [String: ReleaseLine], hosts hostsBefore: Set<String>,
    atMost limit: Int = .max
  ) throws -> Impact {
    Impact(
      try pairs(on: changed, since: past, hosts: hostsBefore).map { pair in
        try counted(
          Impact(
            before: pair.before, after: pair.after, now: now, atMost: limit,
            usage: try ledger.usage(of: pair.after.line.app.slug)), in: pair.before?.line)
      })
  }

  /// Some apps, and those that lead to them, before and after the changes; `before` is nil for a new app.
  func pairs(
    on changed: Set<String>, since past: [String: ReleaseLine], hosts hostsBefore: Set<String>
  ) throws -> [(before: Snapshot?, after: Snapshot)] {
    let slugs = changed.union(try ledger.slugs(leadingTo: changed))
    return try slugs.sorted().map { slug in
      let later = try after[slug] ?? read(slug)
      var othersBefore: [String: ReleaseLine] = [:]
      var othersAfter: [String: ReleaseLine] = [:]
      for other in later.leadsTo.union(past[slug]?.leadsTo ?? []) {
        othersBefore[other] = try past[other] ?? read(other, withRules: false)
        othersAfter[other] = after[other] ?? othersBefore[other]
      }
      let earlier = after[slug] == nil ? later : past[slug]
      return (
        earlier.map { Snapshot(line: $0, others: othersBefore, hosts: hostsBefore) },
        Snapshot(line: later, others: othersAfter, hosts: hosts)
      )
    }
  }

  /// Divides the command's impact among its changes, each of which shows its share.
  ///
  /// What alters for an app goes to the last change of that app, else to the last change of an app that it
  /// leads to, else to the last change of all.
  ///
  /// If some changes have an impact of their own, they show that, and the others show none.
  func shares(of impact: Impact) throws -> [Impact] {
    if changes.contains(where: { $0.impact != nil }) { return changes.map { $0.impact ?? Impact([]) } }
    var shares = changes.map { _ in [ImpactLine]() }
    var places: [String: Int] = [:]
    for line in impact.lines {
      var place = places[line.app] ?? changes.lastIndex { $0.app == line.app }
      if place == nil {
        let leadsTo = try (after[line.app] ?? read(line.app)).leadsTo
        place = changes.lastIndex { $0.app.map(leadsTo.contains) ?? false } ?? changes.indices.last
      }
      guard let place else { continue }
      places[line.app] = place
      shares[place].append(line)
    }
    return shares.map(Impact.init(lines:))
  }

  /// What would change for clients if a release went live now; nothing if a law would refuse it.
  package func impactOfGoingLive(_ slug: String, _ version: Version) throws -> Impact {
    guard let line = after[slug] else { return Impact([]) }
    var others: [String: ReleaseLine] = [:]
    for other in line.leadsTo { others[other] = try after[other] ?? read(other, withRules: false) }
    let snapshot = Snapshot(line: line, others: others, hosts: hosts)
    return try counted(
      snapshot.impactOfGoingLive(version, now: now, usage: try ledger.usage(of: slug)), in: before[slug])
  }

  /// The question that somebody should agree to first, by the preview's rules; nil if there is none.
  func question(_ impact: Impact) -> Question? {
    for case .voided(let release, _, true, _) in changes.map(\.change) {
      return Question(cause: .neverShipped(release.version), impact: impact)
    }
    let mayBeHarsher = changes.contains { $0.change.asksWhenHarsher }
    if impact.forces { return Question(cause: .forces, impact: impact) }
    if mayBeHarsher, impact.isHarsher { return Question(cause: .harsher, impact: impact) }
    if mayBeHarsher, impact.changesPage { return Question(cause: .page, impact: impact) }
    return nil
  }
}
