import Export
import JSON
import Ledger
import ReleaseModel

/// Warnings about documents before they are written: that a format says less than is decided, or something
/// that a shipped comparator misreads.
extension DocumentExport {
  /// The formats of the ledger's documents that may say less than is decided; empty if no documents are
  /// written.
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

  /// Findings in words under a heading; empty if there are none.
  static func foreseen(_ findings: [ExportFinding]) -> String {
    guard !findings.isEmpty else { return "" }
    return "\nDocuments:\n" + findings.map { "  " + text($0, isRefusal: false) }.joined()
  }
}

extension Snapshot {
  /// The findings about the app's documents in the given formats at a moment.
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
        try ledger.alteredAnswers(in: ledger.snapshot($0.slug, withNotes: false))
      }
    }
    guard let first = altered.first else { return }
    throw CommandFailure(
      "answers.altered", "the documents are written and correct, but \(first.message)", hint: first.hint,
      details: ["apps": .array(altered.map { .string($0.app) })], exit: .refused)
  }
}
