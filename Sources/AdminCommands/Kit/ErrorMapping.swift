import AppleIntake
import CommandLineKit
import Export
import Intake
import JSON
import Ledger
import Platform
import ReleaseModel

/// Puts any error into words: the errors of all modules become reports here, and nowhere else.
package func report(_ error: any Error) -> CommandFailure {
  switch error {
  case let report as CommandFailure: report
  case let stopped as Stopped: stopped.report("nothing was recorded")
  case let error as UsageError: CommandFailure(error.id, error.message, hint: error.hint, exit: .usage)
  case let refusal as Refusal: CommandFailure(refusal.key, refusal.values, details: refusal.details)
  case let error as LedgerError: report(error)
  case let error as Obstruction:
    CommandFailure("export.foreign", ["what": error.what], details: ["file": .string(error.path)])
  case let error as UnsafeDirectory:
    CommandFailure(unsafe(error), details: ["directory": .string(error.path)])
  case let error as SystemError: report(error)
  case let error as FileTooLarge: report(error)
  case let fault as LookupFault: report(fault)
  default: CommandFailure("internal", ["reason": String(describing: error)])
  }
}

private func report(_ error: FileTooLarge) -> CommandFailure {
  let isSmall = error.limit < 1 << 20
  return CommandFailure(
    "file.too-large",
    ["path": error.path, "most": isSmall ? "\(error.limit >> 10) KiB" : "\(error.limit >> 20) MiB"],
    details: ["limit": .integer(Int64(error.limit))])
}

private func report(_ error: SystemError) -> CommandFailure {
  let values = ["operation": error.operation, "path": error.path, "reason": error.reason]
  if error.isMissing {
    return CommandFailure("file.not-found", values, hint: didYouMean(nearestFile(to: error.path)))
  }
  return CommandFailure(
    error.isForbidden ? "file.forbidden" : error.isOutOfFiles ? "file.too-many-open" : "file.io", values)
}

private func report(_ error: LedgerError) -> CommandFailure {
  switch error {
  case .unusable(let refusal): report(refusal)
  case .noLedger(let path):
    CommandFailure("ledger.not-found", ["path": path], hint: didYouMean(nearestFile(to: path)))
  case .alteredSchema(let path): CommandFailure("ledger.altered-schema", ["path": path])
  case .busy(let path, let holder): report(busy: path, holder)
  case .noLock(_, let error) where error.isOutOfFiles: report(error)
  case .noLock(let path, let error):
    CommandFailure(
      "ledger.no-lock", ["operation": error.operation, "path": path, "reason": error.reason],
      exit: error.isForbidden ? nil : .io)
  case .noApp(let slug, let known): report(noApp: slug, known)
  case .noEvent(let seq, let last):
    CommandFailure(
      last == 0 ? "event.not-found/none" : "event.not-found", ["seq": String(seq), "last": String(last)])
  case .headBroken(let seq): CommandFailure("ledger.head-broken", details: ["event": .integer(seq)])
  case .unreadableEvent(let seq): CommandFailure("event.unreadable", ["event": String(seq)])
  case .unreadableRow(let place): CommandFailure("ledger.unreadable", ["place": place])
  case .approvalsRequired(let approvals): approvals.failure(command: "pawl", isPlan: false)
  case .storage(let failure, let path): report(failure, path: path)
  case .system(let error): report(error)
  }
}

private func report(noApp slug: String, _ known: [String]) -> CommandFailure {
  let near = closest(to: slug, among: known)
  return CommandFailure(
    slug == "all" ? "app.not-found/all" : known.isEmpty ? "app.not-found/none" : "app.not-found",
    details: ["app": .string(slug), "nearest": .optional(near)],
    hint: slug == "all" ? nil : didYouMean(near) ?? Synonyms.answers[slug])
}

private func report(_ error: StorageFailure, path: String) -> CommandFailure {
  CommandFailure(
    error.kind.rawValue,
    ["operation": "use ledger", "path": path, "reason": error.reason, "state": "nothing was recorded"])
}

/// Reports that someone else is writing, and who, if the lock's file names them.
private func report(busy path: String, _ holder: LockHolder?) -> CommandFailure {
  guard let holder else { return CommandFailure("ledger.busy", ["path": path]) }
  let seconds = max(0, secondsNow() - holder.since.seconds)
  return CommandFailure(
    "ledger.busy/held", ["path": path, "seconds": String(seconds)],
    details: [
      "pid": .integer(holder.pid), "user": .string(holder.user), "host": .string(holder.host),
      "command": .string(holder.command), "since": .string(holder.since.text),
    ])
}

private func unsafe(_ error: UnsafeDirectory) -> String {
  switch error.reason {
  case .worldWritable: "file.unsafe-directory"
  case .otherGroup: "file.unsafe-directory/group"
  case .linkOfAnother: "file.unsafe-directory/link"
  }
}
