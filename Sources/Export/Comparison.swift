import ReleaseModel

extension AppAnswers {
  /// The documents of a format, what there is to know about them, and why they may not be written: clients would be
  /// told more than was decided, or would open another page.
  package func made(
    as format: some DocumentFormat
  ) -> (documents: [Document], warnings: [ExportFinding], refusal: ExportFinding?) {
    let (documents, warnings) = format.documents(for: self)
    let found = compare(documents, with: format)
    guard let wrong = found.first(where: { $0.id == "export.wrong" }) else {
      return (documents, warnings + found, nil)
    }
    return ([], [], wrong)
  }

  /// Compares what a format's clients conclude from its documents with what is decided, at every bound and
  /// between bounds, on every system that makes a difference.
  private func compare(_ documents: [Document], with format: some DocumentFormat) -> [ExportFinding] {
    // Without documents, no client can be misled.
    guard !documents.isEmpty else { return [] }
    let files = documents.byPath
    var findings: [ExportFinding] = []
    let clients = format.clients(of: files, app: app.slug, at: moment)
    for client in clients {
      let found = differences(client, format)
      let reader = "'\(clients.count > 1 ? client.path ?? format.name : format.name)'"
      func about(_ group: VersionGroup, _ id: String, _ message: @autoclosure () -> String) -> [ExportFinding]
      {
        finding(
          id, format.name, versions: group.versions, ranges: client.isForAll ? group.ranges : [],
          message())
      }
      findings += finding(
        "export.wrong", format.name, versions: found.wrong.versions, ranges: found.wrong.ranges,
        "\(reader) would tell \(found.wrong.names) more than was decided, or send them elsewhere")
      findings += about(
        found.milder, "export.milder",
        found.lenience.map { "\(reader) \($0.words($1, app: app.slug))" }.joined(separator: "; "))
      findings += about(
        found.onSystem, "export.no-systems",
        "\(reader) cannot \(format.checksSystems ? "say all that differs by" : "check the") OS: on older systems "
          + "\(found.onSystem.names) \(found.onSystem.isOne ? "is" : "are") told what newer systems are")
      findings += about(
        found.dead, "export.dead-version",
        "\(found.dead.names) can never go live: testers who still have \(found.dead.isOne ? "it" : "them") are "
          + "prompted like older versions")
    }
    return findings + times(format)
  }

  /// The findings about documents without writing them: where they say less than is decided, which versions a
  /// shipped comparator misreads, which dead versions they prompt, and which versions they announce.
  package func findings(in formats: [any DocumentFormat]) -> [ExportFinding] {
    formats.flatMap { format in
      // What knows systems and times says all that is decided.
      if format.saysTimes { return announced(by: format.name) }
      let (_, warnings, refusal) = made(as: format)
      return warnings.filter { AppAnswers.foreseen.contains($0.id) } + [refusal].compactMap(\.self)
    }
  }

  private static let foreseen: Set = ["export.milder", "export.misread", "export.dead-version"]

  private struct Differences {
    var wrong = VersionGroup()
    var milder = VersionGroup()
    /// The same versions by the reason.
    var lenience: [(reason: Lenience, group: VersionGroup)] = []
    var onSystem = VersionGroup()
    var dead = VersionGroup()

    mutating func add(_ reason: Lenience, _ step: Stretch, _ known: Release?) {
      let index = lenience.firstIndex { $0.reason == reason } ?? lenience.count
      if index == lenience.count { lenience.append((reason, VersionGroup())) }
      lenience[index].group.add(step, known)
      milder.add(step, known)
    }
  }

  private struct Lenience: Equatable {
    let why: String
    let told: Action
    let wanted: Action
    /// The system that the target needs, if that is why.
    var needed: String?
    /// Whether it is so on older systems alone.
    var isOnOlder = false

    private static let participles: [Action: String] = [.remind: "reminded", .force: "forced"]

    func words(_ group: VersionGroup, app: String) -> String {
      let said =
        "\(why): \(isOnOlder ? "on older systems " : "")\(group.names) \(group.isOne ? "is" : "are") "
        + "\(Lenience.participles[told] ?? "told nothing") instead of \(Lenience.participles[wanted] ?? "told nothing")"
      guard let needed, let first = group.versions.first else { return said }
      let (which, version) = group.isOne ? ("it needs", first.text) : ("some of them need", "VERSION")
      return said
        + "; if \(which) \(needed) too, record that: pawl amend \(app) \(version) --min-os \(needed)"
    }
  }

  private func differences(_ client: DocumentClient, _ format: some DocumentFormat) -> Differences {
    // Each tier of systems is represented by its oldest system, and the newest tier by no system at all.
    let systems = snapshot.systemNames
    let tiers = systems.enumerated().map { (from: $0 == 0 ? Version.zero : systems[$0 - 1], below: $1) }
    var found = Differences()
    eachStep(cutAt: client.cuts, includingUnreleasable: true) { step, known in
      let (version, answer) = (step.first, step.value.told)
      // A version without a file of its own is told the same as all others without one, which is no news.
      let isNews = client.isForAll || known != nil
      let conclude = client.conclude(version)
      func concluded(_ os: Version?) -> Prompt { conclude(os) ?? Prompt(.none) }
      if isUnreleasable(version) {
        let isPrompted = ([nil] + tiers.map(\.from)).contains { concluded($0).action != .none }
        if isPrompted, isNews { found.dead.add(step, known) }
        return
      }
      let (told, wanted) = (concluded(nil), answer.decision.understood)
      var isWrong = told.action > wanted.action || !told.leads(to: wanted)
      let isMilder = !isWrong && told.action < wanted.action
      if isMilder, isNews { found.add(lenience(told.action, answer.decision, version, format), step, known) }
      var (milder, differs) = (Lenience?.none, false)
      for tier in tiers {
        let (told, wanted) = (concluded(tier.from), answer.decision(on: tier.from).understood)
        if told.action == wanted.action, told.leads(to: wanted) { continue }
        // No device runs a release on a system that is too old for it, and no reviewer may be prompted on any
        // system.
        let mayRun =
          systemNeeded(by: version).map { $0 < app.platform.end(of: tier.from..<tier.below) } ?? true
        if answer.decision.review ? told.action != .none : mayRun && told.action == .force { isWrong = true }
        if mayRun, told.action < wanted.action {
          milder =
            milder ?? lenience(told.action, answer.decision(on: tier.from), version, format, onOlder: true)
        } else {
          differs = true
        }
      }
      if isWrong { found.wrong.add(step, known) }
      if let milder, isNews, !isMilder { found.add(milder, step, known) }
      if differs, isNews { found.onSystem.add(step, known) }
    }
    return found
  }

  private func lenience(
    _ told: Action, _ decision: Decision, _ version: Version, _ format: some DocumentFormat,
    onOlder: Bool = false
  ) -> Lenience {
    func because(_ why: String, needed: String? = nil) -> Lenience {
      Lenience(why: why, told: told, wanted: decision.action, needed: needed, isOnOlder: onOlder)
    }
    if onOlder, !format.checksSystems { return because("cannot check the OS") }
    guard told == .remind, let target = decision.target else { return because(format.limit) }
    let name = decision.targetText(in: app.slug) ?? ""
    if !format.checksSystems, let needed = target.minOS?.text, mayBeTooOld(version, for: target) {
      return because("cannot check the OS, and \(name) needs \(needed)", needed: needed)
    }
    if !format.saysTimes, stopsSoon(target), let expires = target.expires?.text {
      return because("cannot say until when an answer is valid, and \(name) expires at \(expires)")
    }
    return because(format.limit)
  }

  private func times(_ format: some DocumentFormat) -> [ExportFinding] {
    guard !format.saysTimes else { return [] }
    let changing = known.map(\.version).filter { schedule.answer(to: $0, at: moment).until != nil }
    return finding(
      "export.no-times", format.name, versions: changing,
      "'\(format.name)' cannot say until when an answer is valid: export again at \(nextChange?.text ?? "")"
    )
  }
}

extension Decision {
  /// What a client does that understands all of it.
  var understood: Prompt { prompt ?? Prompt(.none) }
}

extension Prompt {
  func leads(to other: Prompt) -> Bool {
    guard action != .none, let url, url != other.url else { return true }
    return storeID(of: url).map { $0 == other.url.flatMap(storeID) } ?? false
  }
}
