import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var undo: Command {
    .change(
      "undo", reach: .relay, summary: "Take back the last command, or another one",
      discussion: """
        Takes back all that the last command of a person changed, or nothing. Names the command first, with its author, \
        its time and what clients are told, and asks; after an undo it goes further back. With --yes and no SEQ: only \
        your own newest change, and never twice in a row. Refused if a later event changed the same thing. Skips \
        evidence, 'init', 'trust' and take-overs.
        """,
      examples: [
        .init("pawl undo", "take back what was done last"),
        .init("pawl undo 42 --dry-run", "what would take back event 42, and what clients would be told"),
      ]
    ) {
      .optionalArgument(
        "SEQ", .eventNumber.offering(.live(.undoable)),
        help: "The number of one of the command's events; default: the last command")
    } run: { changing, seq in
      try TakingBack(verb: "undo", seq: seq, changing: changing).run()
    }
  }

  static var redo: Command {
    .change(
      "redo", reach: .relay, summary: "Take back the last undo",
      discussion: """
        Does again what 'undo' took back, as long as nothing but undos came since. Asks, as 'undo' does; with --yes it \
        takes back only your own undo, and changes nothing directly after a redo.
        """,
      examples: [.init("pawl redo --yes", "after an undo of the wrong command")]
    ) {
      ()
    } run: { changing in
      try TakingBack(verb: "redo", seq: nil, changing: changing).run()
    }
  }
}

private struct TakingBack {
  let verb: String
  let seq: Int64?
  let changing: Changing

  private var options: ChangeOptions { changing.options }
  private var context: PawlContext { changing.context }

  /// What is taken back, and whether that was done before.
  private struct Found {
    let command: RecordedCommand
    var isDone = false
    /// What `undo SEQ` takes back instead.
    var next: Int64?
  }

  func run() throws -> ExitCode {
    let caller = changing.recording().actor
    return try changing.run { draft in
      guard let found = try find(draft, caller) else { return outcome(of: nil, [], []) }
      if !found.isDone {
        if options.reason == nil { draft.reason = "takes back event \(found.command.last.seq)" }
        try draft.takeBack(found.command, as: verb)
        for (_, change) in draft.done { try context.gate?.check(effect: change.verb, change.release?.state) }
      }
      let isRecorded = !draft.done.isEmpty && !options.isDryRun && options.plan == nil
      var outcome = outcome(
        of: found, isRecorded ? draft.events : [],
        zip(draft.done, draft.moved).map { EventText.what($0.change, $1, app: $0.app) })
      // What is struck out is not published again below a newer one.
      let isOutrun = try draft.done.contains { app, change in
        guard case .voided(_, let release, _) = change else { return false }
        return try draft.line(app).greatest.map { release.version < $0.version } ?? false
      }
      if isOutrun { outcome.next = nil }
      return outcome
    }
  }

  private func outcome(of found: Found?, _ events: [Int64], _ done: [String]) -> Outcome {
    let members: Outcome.Members = [
      ("events", events.json), ("undone", found?.command.json ?? .null), ("done", done.json),
      ("next", (found?.next).json),
    ]
    guard let found else { return Outcome(members, "", same: "There is nothing to take back") }
    let name = naming(found.command)
    let more = done.count > 10 ? ", and \(done.count - 10) more" : ""
    var outcome = Outcome(
      members,
      "\(events.isEmpty ? "Would take back" : "Took back") \(name): "
        + "\(done.prefix(10).joined(separator: ", "))\(more).\n",
      same: "\(name) is already taken back"
        + (found.next.map { "; 'pawl undo \($0)' takes back the command before it" } ?? ""),
      next: verb == "undo" ? "pawl redo, if that was a mistake" : nil)
    outcome.takesBack = name
    if seq == nil, verb == "undo" { outcome.omitted = String(found.command.last.seq) }
    return outcome
  }

  private func find(_ draft: ChangeSet, _ caller: JSON) throws -> Found? {
    let ledger = draft.ledger
    if let seq { return Found(command: try ledger.command(of: seq)) }
    let isRedo = verb == "redo"
    let undoable = try ledger.undoable(redoing: isRedo)
    // No one looks at what a script takes back, and it may run again.
    if options.isAgreed(context), changing.task == nil, let newest = undoable.newest {
      if let undone = newest.undone, newest.isRedo == isRedo {
        // What nothing takes back is not named.
        var trial = draft
        let next =
          isRedo ? nil : undoable.next.flatMap { (try? trial.takeBack($0, as: verb)) == nil ? nil : $0 }
        return Found(command: try ledger.command(of: undone), isDone: true, next: next?.last.seq)
      }
      guard newest.isBy(caller) else {
        throw CommandFailure(
          isRedo ? "undo.not-yours/redo" : "undo.not-yours", ["verb": verb, "change": naming(newest)],
          details: ["event": .integer(newest.last.seq), "undone": newest.json])
      }
    }
    guard let next = undoable.next else {
      guard isRedo else { return nil }
      let newest = undoable.newest.map(naming)
      throw CommandFailure(newest == nil ? "redo.nothing" : "redo.nothing/since", ["change": newest ?? ""])
    }
    return Found(command: next)
  }

  /// A command with its events, its author and its time.
  private func naming(_ command: RecordedCommand) -> String {
    let (first, last) = (command.first, command.last)
    let at = (try? Timestamp(last.at)) ?? .distantPast
    let age = TimeSpan(seconds: max(0, context.clock().seconds - at.seconds)).roundedText
    return "'\(command.words)' (\(first == last.seq ? "event" : "events \(first) to") \(last.seq), by "
      + "\(Actor(last).text), \(context.text(at)), \(age) ago)"
  }
}

extension RecordedCommand {
  fileprivate var actor: JSON { Actor(last).json }

  fileprivate var json: JSON {
    [
      "command": .string(words), "first": .integer(first), "last": .integer(last.seq), "actor": actor,
      "at": .string(last.at),
    ]
  }

  /// Whether the same system user, by the same ssh key, gave it.
  fileprivate func isBy(_ caller: JSON) -> Bool {
    ["user", "uid", "principal"].allSatisfy { (actor[$0] ?? .null) == (caller[$0] ?? .null) }
  }
}

extension Change {
  /// The command that makes such a change, which an ssh key must be allowed.
  fileprivate var verb: [String] {
    if case .ruleRestored(let rule) = self { return [rule.action == .none ? "allow" : rule.action.rawValue] }
    let words = kind.rawValue.split(separator: ".").map(String.init)
    switch kind {
    case .appAdd, .appSet, .appRetire, .appVoid: return words
    case .appRestore: return ["app", "retire"]
    case .releaseReturn: return ["mark"]
    case .appStop, .appResume, .releasePublish, .releaseAmend, .releaseMark, .releaseUnmark, .releaseVoid,
      .ruleLift:
      return words.suffix(1)
    case .redirectSet, .redirectClear, .settingSet, .settingClear: return Array(words.prefix(1))
    default: return ["undo"]
    }
  }
}
