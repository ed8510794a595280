import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var undo: Command {
    Command(
      "undo", reach: .relay, summary: "Take back the last change, or another one",
      discussion: """
        Names the one command that takes the change back, and runs it after asking: 'unmark' for a release marked live \
        whose hold runs, 'void' for a release recorded by mistake, 'revert' for a rule, redirect, setting, stop or app \
        change. Where no command does, it says why. Skips evidence.
        """,
      examples: [
        .init("pawl undo", "take back what was recorded last"),
        .init("pawl undo 42 --dry-run", "what would take back event 42, and what clients would be told"),
      ],
      section: "First month"
    ) {
      (
        .optionalArgument("SEQ", .eventNumber, help: "The event's number; default: the last change"),
        .unplannedChange
      )
    } run: { context, seq, options in
      let ledger = try options.common.open(context)
      let event = try seq.map { try ledger.event($0) } ?? ledger.lastChange(before: options.requestID)
      guard let path = try event.takingBack else {
        throw LedgerError.notRevertible(event.seq, kind: event.kind)
      }
      let words =
        path + ["--reason=" + (options.reason ?? "takes back event \(event.seq)")]
        + (options.actor.map { ["--actor=" + $0] } ?? [])
      let line = printable((["pawl"] + path).joined(separator: " "), limit: 200)
      guard case .run(let invocation) = try AdminCommands.outcome(of: words + options.words(context), context)
      else {
        throw LedgerError.notRevertible(event.seq, kind: event.kind)
      }
      try context.admitPlanned(invocation)
      if !options.isDryRun, !options.isAgreed(context) {
        let what =
          "'\(line)' takes back event \(event.seq), '\(printable(EventText.what(event), limit: 200))'"
        try Changing(options, context).ask(
          what, hint: "add --yes, or run that command",
          details: ["command": .array(path.map(JSON.string)), "event": .integer(event.seq)])
      }
      return try invocation.run(context)
    }
  }
}

extension Ledger {
  /// The last event that a command can have meant to make, but for those of a request that is repeated.
  fileprivate func lastChange(before request: String?) throws -> EventRecord {
    var found: EventRecord?
    try eachEvent(HistoryFilter()) { event in
      switch EventKind(rawValue: event.kind) {
      case .evidenceAdd, .evidenceSettle, .planApply, .request: return true
      case .releaseAmend where event.evidence != nil: return true
      default: if let request, event.requestID == request { return true }
      }
      found = event
      return false
    }
    guard let found else { throw LedgerError.noEvent(0, last: 0) }
    return found
  }
}

extension EventRecord {
  /// The words of the command that takes the change back, and says whether it still can; nil if none does.
  fileprivate var takingBack: [String]? {
    get throws {
      switch try change() {
      case .appAdded(let app): ["app", "void", app.slug]
      case .published(let release): ["void", app ?? "", release.version.text]
      case .marked(_, let release, _) where release.state == .live:
        ["unmark", app ?? "", release.version.text]
      case .trusted(let trust) where trust.isPlain: ["trust", "remove", trust.kind.rawValue, trust.value]
      case .distrusted(let trust) where trust.isPlain: ["trust", trust.kind.rawValue, trust.value]
      case let change: change.kind.isRevertible ? ["revert", String(seq)] : nil
      }
    }
  }
}

extension Trust {
  /// Whether trusting it again replaces nothing, so that removing it is the opposite.
  fileprivate var isPlain: Bool { [.host, .mx, .recipient].contains(kind) }
}

extension Command where Context == PawlContext {
  static var revert: Command {
    Command(
      "revert", reach: .remote, summary: "Undo a rule, redirect, setting, stop or app change",
      discussion: """
        Appends an event with the opposite effect. Refused if a later event changed the same thing, so that \
        nothing newer is undone by accident. A version is never reverted: what clients may have seen cannot \
        be taken back.
        """,
      examples: [
        .init("pawl revert 42 --reason \"wrong app\" --yes", "event 42 is undone, and that is on record")
      ],
      section: "Rules"
    ) {
      (
        .argument(
          "SEQ", .eventNumber.offering(.live(.revertible)), help: "The event's number, from 'pawl history'"),
        .change
      )
    } run: { context, seq, options in
      var options = options
      options.reason = options.reason ?? "reverts event \(seq)"
      return try Changing(options, context).run { draft in
        try draft.revert(seq)
      } answer: { draft in
        let done = draft.done.map { EventText.what($0.change, app: $0.app) }.joined(separator: ", ")
        return [("reverted", seq.json), ("done", done.json)]
      } text: { answer in
        let done = answer["done"]?.string ?? ""
        return Said(
          "Reverted event \(seq) as event \(answer["event"]?.integer ?? 0)\(done.isEmpty ? "" : ": \(done)").\n",
          same: "Event \(seq): already reverted")
      }
    }
  }
}
