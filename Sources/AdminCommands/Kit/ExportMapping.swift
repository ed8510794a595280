import CommandLineKit
import Export
import JSON
import Platform

let staleDocuments = "clients still see the old answers: "

func report(_ error: ExportError) -> CommandFailure {
  switch error {
  case .otherCopy(let path, let owner):
    return CommandFailure(
      "export.other-copy",
      "\(staleDocuments)\(quoted(path)) belongs to another file of this ledger, \(owner.words)",
      hint:
        "make the change in that file; if clients should be told what this one says, run 'pawl export "
        + "\(printable(path)) --take-over'; a copy for trials gets a directory of its own: pawl init --export NEWDIR",
      details: ["directory": .string(path), "file": .string(owner.path)])
  case .forked(let path, let seq):
    return CommandFailure(
      "export.forked",
      "\(staleDocuments)the documents in \(quoted(path)) are of event \(seq), which this ledger does not have",
      hint:
        "an older ledger was restored, or a copy of it was changed too; once you know which one is right, run 'pawl "
        + "export \(printable(path)) --take-over'; 'pawl stop' reaches clients at once",
      details: ["directory": .string(path), "seq": .integer(seq)])
  case .signedAhead(let path):
    return CommandFailure(
      "export.other-time", "cannot export to \(quoted(path)): documents for another moment are never signed",
      hint: "choose formats without signatures with --format, or leave --at out")
  }
}

func report(_ error: TreeError) -> CommandFailure {
  switch error {
  case .busy(let path):
    return CommandFailure(
      "export.busy", "cannot export to \(quoted(path)): another export is writing it",
      hint: "try again, or wait longer with --wait", exit: .busy)
  case .otherLedger(let path):
    return CommandFailure(
      "export.other-ledger", "cannot export to \(quoted(path)): it belongs to another ledger",
      hint: "name another directory")
  case .unmarked(let path):
    return CommandFailure(
      "export.unmarked",
      "the ledger names \(quoted(path)) for its documents, which was not confirmed on this host",
      hint: "if documents should go there, run 'pawl export \(printable(path))'",
      details: ["directory": .string(path)], exit: .io)
  case .badName(let name):
    return CommandFailure(
      "ledger.unreadable", "cannot use \(quoted(name)) as a file's name: no command records such an app",
      hint: "the ledger was altered; restore a backup", details: ["name": .string(name)], exit: .data)
  }
}

func report(_ error: Obstruction) -> CommandFailure {
  CommandFailure(
    "export.foreign", "cannot write \(quoted(error.path)): something else is there: \(error.what)",
    hint: "move it away, or name another directory", details: ["file": .string(error.path)])
}

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
