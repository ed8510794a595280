import CommandLineKit
import Export
import JSON
import Ledger
import Platform
import ReleaseModel

/// Puts any error into words: the errors of all modules become reports here, and nowhere else.
package func report(_ error: any Error) -> CommandFailure {
  switch error {
  case let report as CommandFailure: report
  case let stopped as Stopped: stopped.report("nothing was recorded", hint: "run the same command again")
  case let error as UsageError: CommandFailure(error.id, error.message, hint: error.hint, exit: .usage)
  case let error as LedgerError: report(error)
  case let error as ExportError: report(error)
  case let error as TreeError: report(error)
  case let error as Obstruction: report(error)
  case let error as UnsafeDirectory: report(error)
  case let error as SystemError: report(error)
  case let error as FileTooLarge: report(error)
  default:
    CommandFailure(
      "internal", "cannot go on: \(printable(String(describing: error), limit: 300))",
      hint: "this is a bug in pawl; nothing was recorded", exit: .defect)
  }
}

private func report(_ error: FileTooLarge) -> CommandFailure {
  // Only keys and secrets have so small a limit, and they cannot be split.
  let isSmall = error.limit < 1 << 20
  return CommandFailure(
    "file.too-large",
    "cannot read '\(printable(error.path))': it is larger than "
      + (isSmall ? "\(error.limit >> 10) KiB" : "\(error.limit >> 20) MiB"),
    hint: isSmall ? "check that it is the right file" : "split the file",
    details: ["limit": .integer(Int64(error.limit))], exit: .data)
}

func reportOutOfFiles(_ message: String) -> CommandFailure {
  CommandFailure(
    "file.too-many-open", message, hint: "try again, or raise 'ulimit -n'", exit: .busy)
}

private func report(_ error: SystemError) -> CommandFailure {
  let message = "cannot \(error.operation) '\(printable(error.path))': \(error.reason)"
  if error.isMissing {
    let near = nearestFile(to: error.path)
    return CommandFailure(
      "file.not-found", message, hint: near.map { "did you mean '\($0)'?" }, exit: .missing)
  }
  if error.isForbidden { return CommandFailure("file.forbidden", message, exit: .forbidden) }
  if error.isOutOfFiles { return reportOutOfFiles(message) }
  return CommandFailure("file.io", message, exit: .io)
}

private func report(_ error: LedgerError) -> CommandFailure {
  switch error {
  case .scheduleTooLarge(let app, let rules):
    let names = rules.map { "rule \($0)" }.joined(separator: ", ")
    return CommandFailure(
      "schedule.too-large",
      "the answers of \(app) would change at too many versions and moments (more than \(Schedule.mostTiles))",
      hint: "lift rules that are over or no longer needed\(names.isEmpty ? "" : ", such as \(names)"); "
        + "see 'pawl rules \(app)'")
  case .tooManyUnderWay(let app, let oldest):
    return CommandFailure(
      "release.too-many",
      "\(app) has \(AppState.mostUnderWay) releases under way already, which is the most an app can have",
      hint: "strike out those that will never be submitted: pawl void \(app) \(oldest.text) --reason \"…\"")
  case .noLedger(let path):
    return CommandFailure(
      "ledger.not-found", "cannot open ledger \(quoted(path)): there is no such file",
      hint: nearestFile(to: path).map { "did you mean '\($0)'?" }
        ?? "make one with 'pawl init', or name it with --ledger or PAWL_LEDGER", exit: .missing)
  case .noFolder(let path):
    return CommandFailure(
      "ledger.no-folder", "cannot use folder \(quoted(path)): there is no such folder",
      hint: "create it first",
      exit: .missing)
  case .notALedger(let path):
    return CommandFailure(
      "ledger.not-a-ledger", "cannot open ledger \(quoted(path)): it is not a ledger",
      hint: "name the ledger's file with --ledger or PAWL_LEDGER", exit: .data)
  case .newerSchema(let path, let found, let known):
    return CommandFailure(
      "ledger.newer-schema",
      "cannot open ledger \(quoted(path)): its schema is \(found), this build knows up to \(known)",
      hint: "use a newer pawl",
      details: ["found": .integer(Int64(found)), "known": .integer(Int64(known))], exit: .data)
  case .olderSchema(let path, let found, let known):
    return CommandFailure(
      "ledger.older-schema",
      "cannot read ledger \(quoted(path)): its schema is \(found), this build reads \(known)",
      hint: "run any pawl command as an account that can write it: that updates it",
      details: ["found": .integer(Int64(found)), "known": .integer(Int64(known))], exit: .forbidden)
  case .tooOld(let path, let found):
    return CommandFailure(
      "ledger.too-old",
      "cannot open ledger \(quoted(path)): its schema is \(found), from before the first release",
      hint:
        "to carry its past over, run 'pawl releases APP --json' with the pawl that made it, then 'pawl init', "
        + "'pawl app add APP' and 'pawl import APP FILE --skip-refused' with this one, for another ledger",
      details: ["found": .integer(Int64(found))], exit: .data)
  case .alteredSchema(let path):
    return CommandFailure(
      "ledger.altered-schema", "cannot use ledger \(quoted(path)): its schema was altered",
      hint: "compare '.schema' of the sqlite3 shell with that of a new ledger, and restore a backup",
      exit: .forbidden)
  case .alteredMigration(let path, let name):
    return CommandFailure(
      "ledger.altered-schema",
      "cannot use ledger \(quoted(path)): its migration \(quoted(name)) is not the built-in one",
      hint: "restore a backup", exit: .forbidden)
  case .unsafeFile(let path, let reason):
    return CommandFailure(
      "ledger.unsafe-file", "cannot use ledger \(quoted(path)): \(reason)",
      hint: "name the file itself, and keep it under one name", exit: .forbidden)
  case .worldWritable(let path):
    return CommandFailure(
      "ledger.world-writable", "cannot use ledger \(quoted(path)): every account can write it",
      hint: "run 'chmod o-w' on it, and check 'pawl history' for unexpected changes", exit: .forbidden)
  case .worldWritableFolder(let path, let folder):
    return CommandFailure(
      "ledger.world-writable",
      "cannot use ledger \(quoted(path)): every account can replace it in folder \(quoted(folder))",
      hint: "run 'chmod o-w' on the folder, and check 'pawl history' for unexpected changes", exit: .forbidden
    )
  case .writeAheadLog(let path):
    return CommandFailure(
      "ledger.write-ahead-log", "cannot use ledger \(quoted(path)): it has a write-ahead log",
      hint: "when it is not in use, run 'PRAGMA journal_mode = DELETE' in the sqlite3 shell",
      exit: .forbidden)
  case .notTheGroups(let folder):
    return CommandFailure(
      "ledger.not-the-groups",
      "cannot make a group's ledger in folder \(quoted(folder)): it does not belong to the group, and contains other files",
      hint: "use a folder of its own for the ledger, or run 'chgrp GROUP' and 'chmod 2770' on this one",
      exit: .forbidden)
  case .otherGroup(let path):
    return CommandFailure(
      "ledger.other-group", "ledger \(quoted(path)) exists, but this group cannot write it",
      hint: "run 'chgrp GROUP' and 'chmod 660' on it, and 'chmod 2770' on its folder")
  case .readOnly(let path):
    return CommandFailure(
      "ledger.read-only", "cannot change ledger \(quoted(path)): it is read-only",
      hint: "run 'chmod u+w' on it if it is meant to change", exit: .forbidden)
  case .busy(let path, let holder): return report(busy: path, holder)
  case .noLock(_, let error) where error.isOutOfFiles: return report(error)
  case .noLock(let path, let error):
    return CommandFailure(
      "ledger.no-lock",
      "cannot lock the ledger: \(error.operation) \(quoted(path)): \(error.reason)",
      hint: "check the rights of the file and its folder; they should match those of the ledger",
      exit: error.isForbidden ? .forbidden : .io)
  case .noApp(let slug, let known):
    let near = closest(to: slug, among: known)
    return CommandFailure(
      "app.not-found", "there is no app \(quoted(slug))",
      hint: slug == "all"
        ? "for every app, use --all where a command takes it"
        : near.map { "did you mean '\($0)'?" } ?? Synonyms.answers[slug]
          ?? (known.isEmpty ? "add it with 'pawl app add'" : "run 'pawl app list' to see the apps"),
      details: ["app": .string(slug), "nearest": .optional(near)], exit: .missing)
  case .noAppYet(let slug, let seq, let added, let at):
    return CommandFailure(
      "app.not-found",
      "there was no app \(quoted(slug)) \(seq == 0 ? "before the first event" : "yet at event \(seq)")",
      hint: "event \(added) added it, at \(at)", details: ["app": .string(slug), "nearest": .null],
      exit: .missing)
  case .appExists(let slug, let differs): return report(existing: slug, differs: differs)
  case .appleIDTaken(let id, let owner):
    return CommandFailure(
      "app.apple-id-taken", "cannot use Apple ID \(id): it belongs to \(quoted(owner)) on the same platform",
      hint: "an Apple ID names one app of a platform; run 'pawl app show \(owner)'",
      details: ["appleID": .integer(id), "app": .string(owner)])
  case .bundleIDTaken(let id, let owner):
    return CommandFailure(
      "app.bundle-taken",
      "cannot use bundle id \(id): it belongs to \(quoted(owner)) on the same platform and channel",
      hint: "one app has one slug; run 'pawl app show \(owner)'", details: ["app": .string(owner)])
  case .noEvent(let seq, let last):
    return CommandFailure(
      "event.not-found", "there is no event \(seq)",
      hint: last == 0 ? "the ledger has no events yet" : "events run from 1 to \(last); see 'pawl history'",
      exit: .missing)
  case .url(let text, let fault): return report(url: text, fault)
  case .requestReused(let id, let event):
    return CommandFailure(
      "request.reused", "request id \(quoted(id)) belongs to another command, recorded as event \(event)",
      hint: "see 'pawl show \(event)', and use a different id for each command",
      details: ["requestId": .string(id), "event": .integer(event)])
  case .headBroken(let seq):
    return CommandFailure(
      "ledger.head-broken", "event \(seq), the last one, does not match its hash",
      hint: "the file was changed without pawl: run 'pawl verify', then restore a backup",
      details: ["event": .integer(seq)])
  case .tooFarBehind(let served, let head):
    return CommandFailure(
      "take-over.too-far",
      "clients were told of event \(served), and this ledger ends at \(head): it may leave out at most "
        + "\(grouped(Int(TakeOver.most))) numbers",
      hint: "look for a newer backup, or give the documents a new directory: pawl init --export NEWDIR",
      details: ["served": .integer(served), "head": .integer(head)])
  case .headMoved(let expected, let found):
    return CommandFailure(
      "ledger.head-moved", "the ledger has moved on: its last event is \(found), not \(expected)",
      hint: "look at 'pawl history', then try again with --expect-head \(found)",
      details: ["expected": .integer(expected), "found": .integer(found)])
  case .clockJump(let clock, let last, let earliest):
    let why =
      clock < earliest
      ? "it says \(clock.text), before this pawl was made (\(earliest.text))"
      : "it says \(clock.text), more than 180 days after the last event (\(last?.text ?? "none"))"
    return CommandFailure(
      "clock.jump", "the clock may be wrong: \(why)",
      hint: "set the clock; if it is right, add --accept-clock",
      details: ["clock": .string(clock.text), "lastEvent": .optional(last?.text)])
  case .law(let app, let command, let violation): return report(app: app, command: command, violation)
  case .guarded(let app, let command, let violation): return report(app: app, command: command, violation)
  case .noEvidence(let id):
    return CommandFailure(
      "evidence.not-found", "there is no evidence \(id)", hint: "see 'pawl inbox'", exit: .missing)
  case .settled(let id, let outcome):
    return CommandFailure(
      "evidence.settled", "evidence \(id) is \(outcome.rawValue), and only parked evidence can be settled",
      hint: "see 'pawl inbox show \(id)'", details: ["evidence": .integer(id)])
  case .noRule(let number, let app, let owner):
    return CommandFailure(
      "rule.not-found", "\(app) has no rule \(number)",
      hint: owner.map { "rule \(number) belongs to \($0): see 'pawl rules \($0)'" }
        ?? "see 'pawl rules \(app)'",
      details: ["app": .string(app), "rule": .integer(number)], exit: .missing)
  case .notUndoable(let seq, let kind):
    return CommandFailure(
      "undo.never", "cannot take back event \(seq): no command takes back what \(kind) records",
      hint: neverUndone(seq, kind), details: ["event": .integer(seq), "kind": .string(kind)])
  case .touchedSince(let seq, let later):
    return CommandFailure(
      "undo.touched",
      "cannot take back event \(seq): \(later.map { "event \($0)" } ?? "a later event") changed the same thing",
      hint: later.map { "see 'pawl show \($0)'; to take that one back first: pawl undo \($0)" }
        ?? "see 'pawl history'",
      details: ["event": .integer(seq), "later": .optional(later)])
  case .unreadableEvent(let seq):
    return CommandFailure(
      "event.unreadable", "cannot read event \(seq): it lacks what events of its kind contain",
      hint: "it was altered, or a newer pawl wrote it; restore a backup", exit: .data)
  case .unreadableRow(let place):
    return CommandFailure(
      "ledger.unreadable", "cannot read \(quoted(place)): it holds a value that no command writes",
      hint: "it was altered; restore a backup", exit: .data)
  case .copyExists(let path):
    return CommandFailure(
      "backup.exists", "cannot make \(quoted(path)): a file with that name exists",
      hint: "choose another name, or add --replace")
  case .unsafeCopy(let path, let reason):
    return CommandFailure(
      "backup.unsafe", "cannot make \(quoted(path)): \(reason)", hint: "choose another name")
  case .faultyCopy(let path, let found):
    return CommandFailure(
      "backup.faulty",
      "cannot back up ledger \(quoted(path)): it was altered (\(found.faults.first?.id ?? "unknown"))",
      hint: "run 'pawl verify' to see every fault; nothing was copied")
  case .approvalsRequired(let approvals): return approvals.failure(command: "pawl", isPlan: false)
  case .plan(let fault): return fault.failure
  case .signer(.keyTaken(let owner)):
    return CommandFailure(
      "trust.key-taken", "cannot trust the key: \(quoted(owner)) already has it",
      hint: "each signer has a key of their own; see 'pawl trust list'", details: ["signer": .string(owner)])
  case .signer(.tooFew(let signers, let approvals)):
    return report(signers: signers, approvals: approvals, removing: nil)
  case .controlCharacter(let field):
    return CommandFailure(
      "text.control-character", "cannot record the \(field): the text holds a control character",
      hint: "remove control characters other than tab and line feed", details: ["field": .string(field)],
      exit: .data)
  case .storage(let failure, let path): return report(failure, path: path)
  case .system(let error): return report(error)
  }
}

private func neverUndone(_ seq: Int64, _ kind: String) -> String {
  switch EventKind(rawValue: kind) {
  case .releaseMark:
    "going live is taken back until clients are told; 'pawl mark' moves a release on from other states"
  case .releaseVoid, .releaseNeverShipped: "record it again: its version may be used again"
  case .releaseImport:
    "if it was never uploaded to App Store Connect: pawl void APP VERSION --never-shipped --reason \"…\""
  case .trustAdd: "'pawl trust remove' ends it; see 'pawl trust list'"
  case .evidenceAdd, .evidenceSettle: "while its hold runs, 'pawl unmark' takes back a release marked live"
  case .exportSet, .exportClear: "'pawl init --export' changes where documents go"
  default: "'pawl show \(seq)' shows what it changed"
  }
}
