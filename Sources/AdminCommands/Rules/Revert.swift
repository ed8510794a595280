import CommandLineKit
import JSON
import Ledger
import ReleaseModel

private struct RevertOptions: Sendable {
  var change = ChangeOptions()
  var seq: Int64 = 0
}

extension Command where Context == PawlContext {
  /// Appends the opposite of an event.
  static var revert: Command {
    Command(
      "revert", summary: "Append the opposite of a rule, redirect, setting, stop or app change",
      discussion: """
        Refused when a later event touched the same, so that nothing newer is undone by accident. A version is never \
        reverted: what clients may have seen cannot be taken back.
        """,
      examples: [
        .init("pawl revert 42 --reason \"wrong app\" --yes", "event 42 is undone, and that is on record")
      ],
      section: "Rules", options: { RevertOptions() },
      parameters: {
        [
          .argument(
            "SEQ", .eventNumber.offering(.live(.revertible)),
            help: "The event's number, from 'pawl history'"
          ) {
            $0.seq = $1
          }
        ]
          + ChangeOptions.parameters.pulled(\.change)
      }
    ) { options, call, context in
      var change = options.change
      if change.reason == nil { change.reason = "reverts event \(options.seq)" }
      return try Changing(change, call, context).run { draft in
        try draft.revert(options.seq)
      } answer: { _ in
        [("reverted", .integer(options.seq))]
      } text: { answer in
        answer["changed"]?.bool == true
          ? "Reverted event \(options.seq) as event \(answer["event"]?.integer ?? 0).\n"
          : "Event \(options.seq) is reverted already.\n"
      }
    }
  }
}
