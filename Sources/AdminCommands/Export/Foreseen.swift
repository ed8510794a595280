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
}

extension ExportFinding {
  /// The finding as `doctor` reports it: what a format cannot express stays so until the decisions change.
  var noted: Finding {
    Finding(
      id: id, app: app, message: "\(format): \(message)",
      hint: "change the rules so that the format can express them (docs/formats.md), or leave it as it is",
      weight: .note)
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
      "answers.altered", "the documents are written and correct, but \(first.message)", hint: first.hint,
      details: ["apps": .array(altered.map { .string($0.app) })], exit: .refused)
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
      includesUnreleased: includesUnreleased)
  }
}
