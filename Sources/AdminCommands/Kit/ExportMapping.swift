import CommandLineKit
import Export
import JSON

/// Says in words why a directory is not written.
func report(_ error: ExportError) -> Report {
  func quoted(_ text: String) -> String { "'\(printable(text, limit: 200))'" }
  switch error {
  case .busy(let path):
    return Report(
      "export.busy", "cannot export to \(quoted(path)): another export is writing it",
      hint: "try again, or wait longer with --wait", exit: .busy)
  case .otherLedger(let path):
    return Report(
      "export.other-ledger", "cannot export to \(quoted(path)): it holds the documents of another ledger",
      hint: "use another directory; to give this one to this ledger, remove its folder .pawl first",
      exit: .refused)
  case .olderLedger(let path, let app, let found, let generation):
    return Report(
      "export.older-ledger",
      "cannot export to \(quoted(path)): its documents of \(app) are of event \(found), the ledger's newest is \(generation)",
      hint: "an older ledger was put back: record again what it lacks, then remove the folder .pawl there",
      details: ["app": .string(app), "found": .integer(found), "generation": .integer(generation)],
      exit: .refused)
  }
}
