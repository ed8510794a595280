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
  case let error as LedgerError: report(error)
  case let error as ExportError: report(error)
  case let error as TreeError: report(error)
  case let error as Obstruction:
    CommandFailure("export.foreign", ["what": error.what], details: ["file": .string(error.path)])
  case let error as UnsafeDirectory: report(error)
  case let error as SystemError: report(error)
  case let error as FileTooLarge: report(error)
  case let fault as ConnectFault: report(fault)
  case let fault as LookupFault: report(fault)
  case is WebhookFault: CommandFailure("webhook.malformed")
  case let error as QuotaReached:
    CommandFailure(
      "evidence.quota", ["limit": String(error.quota.limit)], details: ["used": .integer(error.quota.used)])
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
  case .scheduleTooLarge(let app, let rules):
    let names = rules.isEmpty ? "the oldest" : rules.map { "rule \($0)" }.joined(separator: ", ")
    return CommandFailure(
      "schedule.too-large", ["app": app, "most": String(Schedule.mostTiles), "rules": names])
  case .tooManyUnderWay(let app, let oldest):
    return CommandFailure(
      "release.too-many", ["app": app, "most": String(AppState.mostUnderWay), "oldest": oldest.text])
  case .noLedger(let path):
    return CommandFailure("ledger.not-found", ["path": path], hint: didYouMean(nearestFile(to: path)))
  case .noFolder(let path): return CommandFailure("ledger.no-folder", ["path": path])
  case .notALedger(let path): return CommandFailure("ledger.not-a-ledger", ["path": path])
  case .newerSchema(let path, let found, let known):
    return CommandFailure(
      "ledger.newer-schema", ["path": path],
      details: ["found": .integer(Int64(found)), "known": .integer(Int64(known))])
  case .olderSchema(let path, let found, let known):
    return CommandFailure(
      "ledger.older-schema", ["path": path],
      details: ["found": .integer(Int64(found)), "known": .integer(Int64(known))])
  case .tooOld(let path, let found):
    return CommandFailure("ledger.too-old", ["path": path], details: ["found": .integer(Int64(found))])
  case .alteredSchema(let path): return CommandFailure("ledger.altered-schema", ["path": path])
  case .alteredMigration(let path, let name):
    return CommandFailure("ledger.altered-schema/migration", ["path": path, "name": name])
  case .unsafeFile(let path, let reason):
    return CommandFailure("ledger.unsafe-file", ["path": path, "reason": reason])
  case .worldWritable(let path): return CommandFailure("ledger.world-writable", ["path": path])
  case .worldWritableFolder(let path, let folder):
    return CommandFailure("ledger.world-writable/folder", ["path": path, "folder": folder])
  case .writeAheadLog(let path): return CommandFailure("ledger.write-ahead-log", ["path": path])
  case .notTheGroups(let folder): return CommandFailure("ledger.not-the-groups", ["folder": folder])
  case .otherGroup(let path): return CommandFailure("ledger.other-group", ["path": path])
  case .readOnly(let path): return CommandFailure("ledger.read-only", ["path": path])
  case .busy(let path, let holder): return report(busy: path, holder)
  case .noLock(_, let error) where error.isOutOfFiles: return report(error)
  case .noLock(let path, let error):
    return CommandFailure(
      "ledger.no-lock", ["operation": error.operation, "path": path, "reason": error.reason],
      exit: error.isForbidden ? nil : .io)
  case .noApp(let slug, let known):
    let near = closest(to: slug, among: known)
    return CommandFailure(
      slug == "all" ? "app.not-found/all" : known.isEmpty ? "app.not-found/none" : "app.not-found",
      details: ["app": .string(slug), "nearest": .optional(near)],
      hint: slug == "all" ? nil : didYouMean(near) ?? Synonyms.answers[slug])
  case .noAppYet(let slug, let seq, let added, let at):
    return CommandFailure(
      "app.not-found/yet",
      [
        "when": seq == 0 ? "before the first event" : "yet at event \(seq)", "added": String(added), "at": at,
      ],
      details: ["app": .string(slug), "nearest": .null])
  case .appExists(let slug, let differs): return report(existing: slug, differs: differs)
  case .appleIDTaken(let id, let owner):
    return CommandFailure(
      "app.apple-id-taken", details: ["appleID": .integer(id), "app": .string(owner)])
  case .bundleIDTaken(let id, let owner):
    return CommandFailure("app.bundle-taken", ["bundleID": id], details: ["app": .string(owner)])
  case .noEvent(let seq, let last):
    return CommandFailure(
      last == 0 ? "event.not-found/none" : "event.not-found", ["seq": String(seq), "last": String(last)])
  case .url(let text, let fault): return report(url: text, fault)
  case .requestReused(let id, let event):
    return CommandFailure("request.reused", details: ["requestId": .string(id), "event": .integer(event)])
  case .headBroken(let seq): return CommandFailure("ledger.head-broken", details: ["event": .integer(seq)])
  case .tooFarBehind(let served, let head):
    return CommandFailure(
      "take-over.too-far", ["most": grouped(Int(TakeOver.most))],
      details: ["served": .integer(served), "head": .integer(head)])
  case .headMoved(let expected, let found):
    return CommandFailure(
      "ledger.head-moved", details: ["expected": .integer(expected), "found": .integer(found)])
  case .clockJump(let clock, let last, let earliest):
    return CommandFailure(
      clock < earliest ? "clock.jump/early" : "clock.jump",
      ["last": last?.text ?? "none", "earliest": earliest.text],
      details: ["clock": .string(clock.text), "lastEvent": .optional(last?.text)])
  case .law(let app, let command, let violation): return report(app: app, command: command, violation)
  case .guarded(let app, let command, let violation): return report(app: app, command: command, violation)
  case .noEvidence(let id): return CommandFailure("evidence.not-found", ["evidence": String(id)])
  case .settled(let id, let outcome):
    return CommandFailure(
      "evidence.settled", ["outcome": outcome.rawValue], details: ["evidence": .integer(id)])
  case .noRule(let number, let app, let owner):
    return CommandFailure(
      owner == nil ? "rule.not-found" : "rule.not-found/other", ["owner": owner ?? ""],
      details: ["app": .string(app), "rule": .integer(number)])
  case .notUndoable(let seq, let kind):
    return CommandFailure(neverUndone(kind), details: ["event": .integer(seq), "kind": .string(kind)])
  case .touchedSince(let seq, let later):
    return CommandFailure(
      later == nil ? "undo.touched" : "undo.touched/by",
      details: ["event": .integer(seq), "later": .optional(later)])
  case .unreadableEvent(let seq): return CommandFailure("event.unreadable", ["event": String(seq)])
  case .unreadableRow(let place): return CommandFailure("ledger.unreadable", ["place": place])
  case .copyExists(let path): return CommandFailure("backup.exists", ["path": path])
  case .unsafeCopy(let path, let reason):
    return CommandFailure("backup.unsafe", ["path": path, "reason": reason])
  case .faultyCopy(let path, let found):
    return CommandFailure("backup.faulty", ["path": path, "fault": found.faults.first?.id ?? "unknown"])
  case .approvalsRequired(let approvals): return approvals.failure(command: "pawl", isPlan: false)
  case .plan(let fault): return fault.failure
  case .signer(.keyTaken(let owner)):
    return CommandFailure("trust.key-taken", details: ["signer": .string(owner)])
  case .signer(.tooFew(let signers, let approvals)):
    return report(signers: signers, approvals: approvals, removing: nil)
  case .controlCharacter(let field):
    return CommandFailure("text.control-character", details: ["field": .string(field)])
  case .storage(let failure, let path): return report(failure, path: path)
  case .system(let error): return report(error)
  }
}

private func neverUndone(_ kind: String) -> String {
  switch EventKind(rawValue: kind) {
  case .releaseMark: "undo.never/mark"
  case .releaseVoid, .releaseNeverShipped: "undo.never/void"
  case .releaseImport: "undo.never/import"
  case .trustAdd: "undo.never/trust"
  case .evidenceAdd, .evidenceSettle: "undo.never/evidence"
  case .exportSet, .exportClear: "undo.never/export"
  default: "undo.never"
  }
}

/// Reports that the app to be added already exists, and which options differ.
///
/// - Parameter differs: The options that differ, and the commands (`stop`, `retire`) for switches that
///   differ.
private func report(existing slug: String, differs: [String]) -> CommandFailure {
  let options = differs.filter { $0.hasPrefix("--") }
  let isRetired = differs.contains("retire")
  let key = isRetired ? "app.exists/retired" : options.isEmpty ? "app.exists/stopped" : "app.exists"
  let state = isRetired ? "as retired" : differs.contains("stop") ? "as stopped" : nil
  let how = [options.isEmpty ? nil : "with a different \(options.joined(separator: ", "))", state]
  return CommandFailure(
    key, ["how": how.compactMap(\.self).joined(separator: ", and ")],
    details: ["app": .string(slug), "differs": options.json])
}

private func report(url text: String, _ fault: URLFault) -> CommandFailure {
  func refused(_ key: String, _ values: [String: String] = [:]) -> CommandFailure {
    CommandFailure(key, values, details: ["url": .string(text)])
  }
  return switch fault {
  case .malformed: refused("url.malformed")
  case .foreignHost: refused("url.malformed/host")
  case .tooLong: refused("url.malformed/long", ["most": String(StoreURL.maximumLength)])
  case .forbiddenCharacter: refused("url.malformed/character")
  case .brokenEscape: refused("url.malformed/escape")
  case .scheme(let scheme): refused("url.scheme", ["scheme": scheme])
  case .platform(let platform): refused("url.scheme/platform", ["platform": platform.rawValue])
  case .credentials: refused("url.credentials")
  case .host(let host): refused("url.host-not-trusted", ["host": host])
  case .manifest: refused("url.manifest")
  }
}

private func report(_ error: StorageFailure, path: String) -> CommandFailure {
  let key =
    switch error.kind {
    case .busy: "ledger.busy"
    case .notADatabase: "ledger.not-a-ledger/damaged"
    case .forbidden: "ledger.forbidden"
    case .full: "ledger.disk-full"
    case .outOfFiles: "file.too-many-open"
    case .refused: "ledger.refused"
    case .interrupted: "interrupted"
    case .io: "ledger.io"
    case .other: "internal"
    }
  return CommandFailure(
    key, ["operation": "use ledger", "path": path, "reason": error.reason, "state": "nothing was recorded"])
}

/// Reports that somebody else is writing, and who, if the lock's file names them.
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

private func report(_ error: ExportError) -> CommandFailure {
  switch error {
  case .otherCopy(let path, let owner):
    CommandFailure(
      "export.other-copy", ["owner": owner.words],
      details: ["directory": .string(path), "file": .string(owner.path)])
  case .forked(let path, let seq):
    CommandFailure("export.forked", details: ["directory": .string(path), "seq": .integer(seq)])
  case .signedAhead(let path): CommandFailure("export.other-time/signed", ["directory": path])
  case .passedOver(let found):
    CommandFailure(
      "export.foreign/stop", ["files": found.prefix(5).map { "'\($0.path)'" }.joined(separator: ", ")])
  }
}

private func report(_ error: TreeError) -> CommandFailure {
  switch error {
  case .busy(let path): CommandFailure("export.busy", ["directory": path])
  case .otherLedger(let path): CommandFailure("export.other-ledger", ["directory": path])
  case .unmarked(let path): CommandFailure("export.unmarked", details: ["directory": .string(path)])
  case .badName(let name):
    CommandFailure("ledger.unreadable", ["place": name], details: ["name": .string(name)])
  }
}

private func report(_ error: UnsafeDirectory) -> CommandFailure {
  let key =
    switch error.reason {
    case .worldWritable: "file.unsafe-directory"
    case .otherGroup: "file.unsafe-directory/group"
    case .linkOfAnother: "file.unsafe-directory/link"
    }
  return CommandFailure(key, details: ["directory": .string(error.path)])
}
