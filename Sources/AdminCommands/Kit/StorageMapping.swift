import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

func report(_ error: StorageFailure, path: String) -> CommandFailure {
  let file = quoted(path)
  switch error.kind {
  case .busy:
    return report(busy: path, nil)
  case .notADatabase:
    return CommandFailure(
      "ledger.not-a-ledger", "cannot use ledger \(file): it is not a database, or it is damaged",
      hint: "check the disk, or restore a backup", exit: .data)
  case .forbidden:
    return CommandFailure(
      "ledger.forbidden", "cannot use ledger \(file): \(error.reason)",
      hint: "check the rights of the file and its folder", exit: .forbidden)
  case .full:
    return CommandFailure(
      "ledger.disk-full", "cannot write ledger \(file): the disk is full",
      hint: "nothing was recorded: make room, then try again", exit: .io)
  case .outOfFiles: return reportOutOfFiles("cannot use ledger \(file): too many open files")
  case .refused:
    return CommandFailure(
      "ledger.refused", "the ledger's schema refused the change: \(error.reason)",
      hint: "this is a bug in pawl; nothing was recorded", exit: .defect)
  case .interrupted:
    return CommandFailure("interrupted", "interrupted; nothing was recorded", exit: .interrupted)
  case .io:
    return CommandFailure(
      "ledger.io", "cannot read or write ledger \(file): \(error.reason)",
      hint:
        "'pawl history --limit 1' shows whether the change was recorded; retrying with the same --request-id is safe",
      exit: .io)
  case .other:
    return CommandFailure(
      "internal", "SQLite failed on ledger \(file): \(error.reason)", hint: "this is a bug in pawl",
      exit: .defect)
  }
}

/// Reports that somebody else is writing, and who, if the lock's file names them.
func report(busy path: String, _ holder: LockHolder?) -> CommandFailure {
  let file = quoted(path)
  let hint = "try again, or wait longer with --wait 60s"
  guard let holder else {
    return CommandFailure(
      "ledger.busy", "cannot use ledger \(file): someone else is writing it", hint: hint, exit: .busy)
  }
  let seconds = max(0, secondsNow() - holder.since.seconds)
  let (user, command) = (printable(holder.user, limit: 100), printable(holder.command, limit: 100))
  return CommandFailure(
    "ledger.busy",
    "cannot change ledger \(file): held by pid \(holder.pid) (\(user), '\(command)') for \(seconds) s",
    hint: hint,
    details: [
      "pid": .integer(holder.pid), "user": .string(holder.user), "host": .string(holder.host),
      "command": .string(holder.command), "since": .string(holder.since.text),
    ], exit: .busy)
}
