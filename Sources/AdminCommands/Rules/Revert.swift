import CommandLineKit
import JSON
import Ledger

/// The answer of `revert`.
private struct RevertAnswer {
  let reverted: Int64
  /// What reverting it changed, in words; empty if nothing changed.
  let done: String
}

extension RevertAnswer: Answer {
  init(answer json: JSON) throws(UnreadableAnswer) {
    self = try RevertAnswer(reverted: json.value("reverted"), done: json["done"]?.string ?? "")
  }

  var members: [(String, JSON)] { [("reverted", reverted.json), ("done", done.json)] }
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
        RevertAnswer(
          reverted: seq,
          done: draft.done.map { EventText.what($0.change, app: $0.app) }.joined(separator: ", "))
      } text: { answer, outcome in
        Said(
          outcome.isChanged
            ? "Reverted event \(answer.reverted) as event \(outcome.event ?? 0)\(answer.done.isEmpty ? "" : ": \(answer.done)").\n"
            : "Event \(answer.reverted): already reverted; nothing to record.\n")
      }
    }
  }
}
