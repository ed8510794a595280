import CommandLineKit
import Export
import JSON
import Platform

/// Says in words why the documents in a directory cannot be replaced.
func report(_ error: ExportError) -> CommandFailure {
  switch error {
  case .olderLedger(let path, let app, let found, let generation):
    return CommandFailure(
      "export.older-ledger",
      "cannot export to \(quoted(path)): its documents\(app.map { " of \($0)" } ?? "") are from event \(found), "
        + "but the ledger's newest is \(generation)",
      hint: "an older ledger was restored: record again what is missing, then export to another directory",
      details: ["app": .optional(app), "found": .integer(found), "generation": .integer(generation)],
      exit: .refused)
  case .forked(let path, let seq):
    return CommandFailure(
      "export.forked",
      "cannot export to \(quoted(path)): its documents are from an event \(seq) that this ledger does not have",
      hint:
        "the ledger and a copy of it were both changed: find out with 'pawl history' which one is right, then give its "
        + "documents a directory of their own: pawl init --export NEWDIR",
      details: ["seq": .integer(seq)], exit: .refused)
  }
}

/// Says in words why documents cannot be written to a directory.
func report(_ error: TreeError) -> CommandFailure {
  switch error {
  case .busy(let path):
    return CommandFailure(
      "export.busy", "cannot export to \(quoted(path)): another export is writing it",
      hint: "try again, or wait longer with --wait", exit: .busy)
  case .otherLedger(let path):
    return CommandFailure(
      "export.other-ledger", "cannot export to \(quoted(path)): it belongs to another ledger",
      hint: "name another directory", exit: .refused)
  case .unmarked(let path):
    return CommandFailure(
      "export.unmarked",
      "the ledger names \(quoted(path)) for its documents, but nobody on this host has agreed to that",
      hint: "if documents should go there, run 'pawl export \(printable(path))'",
      details: ["directory": .string(path)], exit: .io)
  case .report(let path):
    return CommandFailure(
      "export.foreign", "cannot export to \(quoted(path)): it holds a report", hint: "name another directory",
      details: ["file": .string(path)], exit: .refused)
  case .documents: return report(pages: error)
  case .foreign(let path, let what):
    return CommandFailure(
      "export.foreign", "cannot write \(quoted(path)): something else is there: \(what)",
      hint: "move it away, or name another directory", details: ["file": .string(path)], exit: .refused)
  case .badName(let name):
    return CommandFailure(
      "ledger.unreadable", "cannot use \(quoted(name)) as a file's name: no command records such an app",
      hint: "somebody altered the ledger; restore a backup", details: ["name": .string(name)], exit: .data)
  }
}

/// Says in words why pages cannot be written to a directory.
func report(pages error: TreeError) -> CommandFailure {
  switch error {
  case .busy(let path):
    return CommandFailure(
      "report.busy", "cannot write pages to \(quoted(path)): another report is writing there",
      hint: "try again, or wait longer with --wait", exit: .busy)
  case .otherLedger(let path):
    return CommandFailure(
      "report.other-ledger", "cannot write pages to \(quoted(path)): it belongs to another ledger",
      hint: "name another directory", details: ["file": .string(path)], exit: .refused)
  case .foreign(let path, let what):
    return CommandFailure(
      "report.foreign-file", "cannot write \(quoted(path)): something else is there: \(what)",
      hint: "use a directory of its own, or move that file away", details: ["file": .string(path)],
      exit: .refused)
  case .documents(let path):
    return CommandFailure(
      "report.foreign-file",
      "cannot write pages to \(quoted(path)): it holds documents, which everybody may read",
      hint: "name another directory", details: ["file": .string(path)], exit: .refused)
  case .unmarked, .badName, .report: return report(error)
  }
}

/// Says in words why a directory is not safe to write to.
func report(_ error: UnsafeDirectory) -> CommandFailure {
  let (reason, hint) =
    switch error.reason {
    case .worldWritable:
      ("every account on this host can write it", "run 'chmod o-w' on it, and check what was put there")
    case .otherGroup:
      (
        "a group other than the ledger's can write it",
        "run 'chmod g-w' on it, or 'chgrp' it to the ledger's group"
      )
    case .linkOfAnother:
      ("it is a symbolic link that belongs to another account", "name the directory it leads to")
    }
  return CommandFailure(
    "file.unsafe-directory", "cannot use directory \(quoted(error.path)): \(reason)", hint: hint,
    details: ["directory": .string(error.path)], exit: .forbidden)
}

private func quoted(_ text: String) -> String { "'\(printable(text, limit: 200))'" }
