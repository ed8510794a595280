import CommandLineKit
import JSON
import Ledger

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
