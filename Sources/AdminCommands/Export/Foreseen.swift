import Export
import JSON
import Ledger
import ReleaseModel

/// Warnings about documents before they are written.
extension DocumentExport {
  /// The formats of the ledger's documents that may say less than is decided.
  static func thresholdFormats(of ledger: Ledger, _ context: PawlContext) throws -> [any DocumentFormat] {
    guard try directory(of: ledger, context) != nil else { return [] }
    let chosen: [any DocumentFormat]
    if let named = try formats(of: ledger) {
      chosen = named
    } else {
      let held = try standing(ledger, context)?.formats ?? []
      chosen = ExportFormats.all.filter { held.contains($0.name) }
    }
    // The standard format and signed formats say everything that is decided.
    return chosen.filter { $0.name != ExportFormats.standard && !$0.isSigned }
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

extension Snapshot {
  func documentFindings(in formats: [any DocumentFormat], at moment: Timestamp) -> [ExportFinding] {
    guard !formats.isEmpty else { return [] }
    return AppAnswers(
      self, Schedule(self, from: moment), at: moment, generation: 0, hash: "", ledger: "",
      includesUnreleased: false
    ).findings(in: formats)
  }

  /// The findings about shipped clients that misread a version: whoever tests or reviews it is prompted, or they do not
  /// see it once it is live.
  func misreading(
    of version: Version, in formats: [any DocumentFormat], at moment: Timestamp
  ) -> [ExportFinding] {
    func found(_ snapshot: Snapshot) -> [ExportFinding] {
      snapshot.documentFindings(in: formats, at: moment).filter { $0.id == "export.misread" }
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
  /// The finding as `doctor` reports it: what a format cannot express stays so until the decisions change.
  var noted: Finding {
    Finding("\(id)/found", app: app, ["format": format, "finding": message])
  }
}

extension DocumentExport {
  /// Reports that the answers kept for `client_decision` were altered.
  ///
  /// Called once the documents, which are never made from those answers, are written.
  static func checkAnswers(of ledger: Ledger) throws {
    let altered = try ledger.snapshotting {
      try ledger.apps().compactMap {
        try ledger.alteredAnswers(in: ledger.present($0.slug))
      }
    }
    guard let first = altered.first else { return }
    throw CommandFailure(
      "answers.altered", ["fault": first.message], details: ["apps": altered.map(\.app).json])
  }
}

extension Ledger {
  /// What documents of an app are made from.
  ///
  /// The stored schedule is used as long as it says what the decision function says: a schedule's document has
  /// the same bytes whenever it is written.
  func answers(of slug: String, at moment: Timestamp, includesUnreleased: Bool) throws -> AppAnswers {
    // A short read for each app, outside of which its schedule is made: a long one would hold up whoever writes.
    var stored: StoredSchedule?
    let (snapshot, generation, event): (Snapshot, Int64, String) = try snapshotting {
      let snapshot = try self.snapshot(slug)
      stored = try? storedSchedule(of: snapshot)
      let generation = try self.generation(of: slug)
      return (snapshot, generation, try self.hash(of: generation) ?? EventRecord.genesis)
    }
    let decided = Schedule(snapshot, from: moment)
    var schedule = stored.flatMap { Schedule(app: slug, rows: $0.rows) } ?? decided
    if moment < schedule.from || !decided.saysTheSame(as: schedule, since: moment) { schedule = decided }
    return AppAnswers(
      snapshot, schedule, at: moment, generation: generation,
      hash: stored?.hash ?? event, ledger: try name(),
      includesUnreleased: includesUnreleased, usage: try usage(of: slug))
  }
}
