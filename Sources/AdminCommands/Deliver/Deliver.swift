import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

extension Command where Context == PawlContext {
  /// Hands messages to a command.
  static var deliver: Command {
    Command(
      "deliver", summary: "Hand what is new to a command",
      discussion: """
        Runs COMMAND once for each message that NAME has not had, in order, with the message on standard input: \
        event.recorded for every event, and answers.changed for each app whose clients are told something else, be it \
        by a change, by evidence or because a moment has come. Exit status 0 means that the message is taken; after any \
        other nothing more is handed over, and the same message comes first the next time. Run it from a timer. NAME \
        starts at the first call. The command has no time limit: give it one of its own, as with curl --max-time or \
        timeout(1). With --secret-file the command gets PAWL_WEBHOOK_ID, PAWL_WEBHOOK_TIMESTAMP and \
        PAWL_WEBHOOK_SIGNATURE as Standard Webhooks 1.0.0 wants them. See docs/deliver/README.md.
        """,
      examples: [
        .init("pawl deliver chat -- docs/deliver/chat.sh https://chat.example.com/hook", "tell a chat"),
        .init(
          "pawl deliver hooks --secret-file hooks.secret -- docs/deliver/webhook.sh https://hooks.example.com/pawl",
          "signed webhooks"),
        .init("pawl deliver copy --from 1 -- sh -c 'cat >>events.jsonl'", "all of the past, too"),
      ],
      section: "Documents"
    ) {
      (
        .argument("NAME", .slug, help: "Who is told; each name has a cursor of its own"),
        .option(
          "--from", "SEQ", .integer(1...Int.max),
          help: "At the first call: from this event on (default: what is new)"),
        .option("--secret-file", "FILE", .path, help: "The secrets that sign messages, whsec_… one a line"),
        .arguments("COMMAND", .text, help: "The program and its words, after --"), .common
      )
    } run: { context, name, first, secretFile, command, common in
      let secret = try secretFile.map { try MessageSecret($0) }
      let ledger = try common.open(context)
      defer { ledger.close() }
      guard let folder = try DeliveryFolder(of: ledger, makes: true) else {
        throw CommandFailure("internal", "there is no folder for deliveries", exit: .defect)
      }
      let lock = try folder.lock(name)
      guard try lock.take(waiting: 0) else {
        throw CommandFailure(
          "deliver.busy", "cannot deliver to '\(name)': another run is at it",
          hint: "wait for its command to end; a command that hangs needs a time limit", exit: .busy)
      }
      defer { lock.release() }
      try ledger.checkHead()
      var run = try DeliveryRun(name, ledger, folder, command, secret, from: first.map { Int64($0) }, context)
      try run.run()
      let waiting = try run.waiting()
      let json: JSON = [
        "delivered": .integer(Int64(run.delivered)), "failingSince": .optional(run.failingSince?.text),
        "name": .string(name), "waiting": .integer(waiting),
      ]
      try common.print(json, context) {
        "\(run.delivered) delivered to \(name)" + (waiting > 0 ? ", \(waiting) waiting" : "") + ".\n"
      }
      guard let fault = run.fault else { return .success }
      throw CommandFailure(
        "deliver.failed", "the command did not take a message for '\(name)': \(fault)",
        hint: "the message comes again, the same, the next time",
        details: ["delivered": .integer(Int64(run.delivered)), "waiting": .integer(waiting)], exit: .busy)
    }
  }
}
