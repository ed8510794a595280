import Export
import JSON
import Ledger
import ReleaseModel

/// Warnings about documents before they are written.
extension DocumentExport {
  /// The formats of the ledger's documents; none if it has no directory for them.
  static func formatsWritten(of ledger: Ledger, _ context: PawlContext) throws -> [any DocumentFormat] {
    guard try directory(of: ledger, context) != nil else { return [] }
    if let named = try formats(of: ledger) { return named }
    let held = try standing(ledger, context)?.formats ?? []
    let names = held.isEmpty ? [ExportFormats.standard] : held
    return ExportFormats.all.filter { names.contains($0.name) }
  }

  /// Those of them that may say less than is decided; the standard format and signed formats say everything.
  static func thresholdFormats(of ledger: Ledger, _ context: PawlContext) throws -> [any DocumentFormat] {
    try formatsWritten(of: ledger, context).filter { !$0.saysTimes }
  }

  /// Reports the versions that no document reaches with what changes for them: those that are not recorded.
  ///
  /// - Parameter warnings: The warnings that are there already.
  static func unfiled(
    _ lines: [ImpactLine], in formats: [any DocumentFormat], _ ledger: Ledger, besides warnings: [String]
  ) -> [ExportFinding] {
    let names = formats.filter(\.isByVersion).map(\.name)
    guard !names.isEmpty else { return [] }
    let missed = lines.filter { $0.after != .none && $0.visible == nil && $0.hears }
    return Set(missed.map(\.app)).sorted().compactMap { slug in
      guard let app = try? ledger.app(slug), !app.isPastWhole,
        let least = try? ledger.leastDocumented(of: slug)
      else { return nil }
      let ranges = missed.filter { $0.app == slug }.compactMap { line in
        // Of a range that holds recorded versions, what lies below all of them.
        line.count == 0
          ? line.range : VersionRange(from: line.range.start, to: min(line.range.end, least))
      }.joined()
      guard !ranges.isEmpty else { return nil }
      let sentence = ranges.map { Unfiled(range: $0) }.sentence(formats: names)
      guard !warnings.contains(sentence) else { return nil }
      return ExportFinding(
        id: "export.no-file", app: slug, format: names[0], ranges: ranges, message: sentence)
    }
  }

  /// The report on documents, written or not, with what was foreseen and is not in them yet.
  static func told(_ documents: JSON?, _ foreseen: [ExportFinding]) -> JSON? {
    guard documents != nil || !foreseen.isEmpty else { return nil }
    let said = documents?["warnings"]?.array ?? []
    let warnings = said + foreseen.map(\.json).filter { !said.contains($0) }
    return (documents ?? ["removed": 0, "written": 0]).adding(["warnings": .array(warnings)])
  }

  static func foreseen(_ findings: [ExportFinding]) -> String {
    guard !findings.isEmpty else { return "" }
    return "\nDocuments:\n" + findings.map { "  " + text($0, isRefusal: false) }.joined()
  }
}

extension Effects {
  /// What documents would lack from now on and at each moment that a preview shows, each finding once, and the shipped
  /// clients that misread what is published.
  func lacking(in formats: [any DocumentFormat]) -> [ExportFinding] {
    let now = draft.now
    var found: [ExportFinding] = []
    // What knows systems and times says all that is decided, and may name a version that was never live.
    if let exact = formats.first(where: \.saysTimes) {
      func announced(_ side: (state: Snapshot, schedule: Schedule)) -> [ExportFinding] {
        side.state.documentFindings(in: [exact], from: now, [], side.schedule)
      }
      for (before, after) in compared {
        let known = before.map(announced)?.flatMap(\.versions) ?? []
        found += announced(after).filter { !Set($0.versions).isSubset(of: known) }
      }
    }
    let formats = formats.filter { !$0.saysTimes }
    guard !formats.isEmpty else { return found }
    for compared in documentCases() {
      let others = found
      found += compared.after.documentFindings(in: formats, from: now, compared.moments).compactMap { one in
        // Of a case only what is told; whom comparators misread is found for each release that is published.
        guard let visible = compared.visible else { return one }
        guard one.id == "export.milder", !others.contains(where: { $0.says(one) }) else { return nil }
        var finding = one
        finding.message = "\(visible.words(in: one.app)): \(one.message)"
        return finding
      }
    }
    let published = (try? published()) ?? []
    return found + published.flatMap { $0.snapshot.misreading(of: $0.version, in: formats, at: now) }
  }
}

extension ExportFinding {
  /// Whether another one says nothing more, but for the moment.
  fileprivate func says(_ other: ExportFinding) -> Bool {
    var other = other
    other.at = at
    return self == other
  }
}

extension Snapshot {
  /// What documents lack at a moment and, beyond that, at each of some to come; by default, at the next
  /// hundred at which answers change.
  func documentFindings(
    in formats: [any DocumentFormat], from now: Timestamp, _ moments: [Timestamp]? = nil,
    _ schedule: Schedule? = nil
  ) -> [ExportFinding] {
    guard !formats.isEmpty, line.app.silence == nil else { return [] }
    let schedule = schedule ?? Schedule(self, from: now)
    let all = Set(moments ?? schedule.asTold.moments).union(momentsOfFormats(after: now)).filter { now < $0 }
    let moments = moments == [] ? [] : Array(all.sorted().prefix(Snapshot.mostMoments))
    var found: [ExportFinding] = []
    for moment in [now] + moments {
      let answers = AppAnswers(
        self, schedule, at: moment, generation: 0, hash: "", ledger: "", includesUnreleased: false)
      for var finding in answers.findings(in: formats) where !found.contains(where: { $0.says(finding) }) {
        if now < moment { finding.at = moment }
        found.append(finding)
      }
    }
    return found
  }

  /// The findings about shipped clients that misread a version: whoever tests or reviews it is prompted, or they do not
  /// see it once it is live.
  func misreading(
    of version: Version, in formats: [any DocumentFormat], at moment: Timestamp
  ) -> [ExportFinding] {
    func found(_ snapshot: Snapshot) -> [ExportFinding] {
      snapshot.documentFindings(in: formats, from: moment, []).filter { $0.id == "export.misread" }
    }
    var live = self
    guard !formats.isEmpty,
      let change = try? line.mark(version, .live, at: nil, isVisibleNow: true, now: moment)
    else { return [] }
    live.line.apply(change, event: 0)
    let others = Set(line.releases.map(\.version)).subtracting([version])
    return found(self).filter { $0.versions.contains(version) }
      + found(live).filter { !others.isDisjoint(with: $0.versions) }.map { finding in
        var finding = finding
        finding.message = "once \(version.text) is live, \(finding.message)"
        return finding
      }
  }
}

extension ExportFinding {
  /// The message, after from when it holds.
  var words: String { (at.map { "from \($0.text) on, " } ?? "") + message }

  /// The finding as `doctor` reports it: what a format cannot express stays so until the decisions change.
  var noted: Finding {
    Finding("\(id)/found", app: app, ["format": format, "finding": words])
  }
}

extension Ledger {
  /// What documents of an app are made from.
  ///
  /// The stored schedule is used as long as it says what the decision function says: a schedule's document has
  /// the same bytes whenever it is written.
  func answers(
    of slug: String, at moment: Timestamp, made: LedgerDocuments.Made? = nil, includesUnreleased: Bool
  ) throws -> AppAnswers {
    // A short read for each app, outside of which its schedule is made: a long one would hold up whoever writes.
    var stored: StoredSchedule?
    let (snapshot, generation, event): (Snapshot, Int64, String) = try snapshotting {
      let snapshot = try self.snapshot(slug)
      stored = try? storedSchedule(of: snapshot)
      let generation = try self.generation(of: slug)
      return (snapshot, generation, try self.hash(of: generation) ?? EventRecord.genesis)
    }
    let known = made.flatMap { $0.event == generation ? $0.schedules[slug] : nil }
    let decided = known ?? Schedule(snapshot, from: moment)
    var schedule = stored.flatMap { Schedule(app: slug, rows: $0.rows) } ?? decided
    if moment < schedule.from || !decided.saysTheSame(as: schedule, since: moment) { schedule = decided }
    return AppAnswers(
      snapshot, schedule, at: moment, generation: generation,
      hash: stored?.hash ?? event, ledger: try name(),
      includesUnreleased: includesUnreleased, usage: try usage(of: slug), spellings: try spellings(of: slug))
  }
}
