import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

extension Command where Context == PawlContext {
  static var deliver: Command {
    Command(
      "deliver", summary: "Run a command for each new event",
      discussion: """
        Runs COMMAND once for each message that NAME has not received, in order, with the message on standard input: \
        event.recorded for every event, and answers.changed for each app whose clients are now told something else, \
        whether because of a change, evidence or the passing of time. Exit status 0 means that the command has taken the \
        message. After any other status pawl stops, and the next run begins with the same message. Run it from a timer. \
        The first call for a NAME only notes where the ledger ends. The command has no time limit: give it one of its \
        own, with curl --max-time or timeout(1). With --secret-file the command gets PAWL_WEBHOOK_ID, PAWL_WEBHOOK_TIMESTAMP and \
        PAWL_WEBHOOK_SIGNATURE as Standard Webhooks 1.0.0 defines them. See 'pawl help notifications'.
        """,
      examples: [
        .init("pawl deliver chat -- docs/deliver/chat.py /etc/pawl/chat.url", "tell a chat"),
        .init(
          "pawl deliver hooks --secret-file hooks.secret -- docs/deliver/webhook.sh https://hooks.example.com/pawl",
          "signed webhooks"),
        .init("pawl deliver copy --since-event 1 -- sh -c 'cat >>events.jsonl'", "all of the past, too"),
      ]
    ) {
      (
        .argument("NAME", .receiver, help: "The receiver; each name has its own cursor"),
        .option(
          "--since-event", "SEQ", .integer(1...Int.max),
          help: "On the first call: begin with this event; default: after the last"),
        .option(
          "--secret-file", "FILE", .path, help: "Secrets to sign messages with (whsec_…), one per line"),
        .arguments("COMMAND", .text, help: "The program and its arguments, after --"), .common
      )
    } run: { context, name, first, secretFile, command, common in
      let secret = try secretFile.map { try MessageSecret($0) }
      let ledger = try common.open(context)
      let folder = try CompanionFolder(.deliver, of: ledger, makes: true)
      let lock = try folder.folder.lock("\(name).lock", rights: folder.rights)
      guard try lock.take(waiting: 0) else {
        throw CommandFailure("deliver.busy", ["name": name])
      }
      defer { lock.release() }
      try ledger.checkHead()
      let known = try Receiver(name, ledger, folder)
      if let known, first != nil {
        context.note(
          "note: '\(name)' has been told of everything up to event \(known.seq); --since-event is for a first call\n"
        )
      }
      var receiver = try known ?? Receiver(name, ledger, folder, from: first.map { Int64($0) }, context)
      if let fault = try receiver.fault() { throw fault }
      let startsAfter = known == nil && first == nil ? receiver.seq : nil
      var (delivered, fault) = (0, String?.none)
      try receiver.run(clock: context.clock) { message in
        let environment = secret?.environment(of: message, at: context.clock().seconds) ?? []
        do {
          let status = try context.runProgram(command, Array(message.body.utf8), environment)
          if status != 0 { fault = "it ended with status \(status)" }
        } catch let error as SystemError where error.operation == "run" {
          fault = "it cannot be run: \(error.reason)"
        }
        if fault == nil { delivered += 1 }
        return fault == nil
      }
      let waiting = try receiver.waiting().count
      let counts: JSON = ["delivered": .integer(Int64(delivered)), "waiting": .integer(waiting)]
      try common.print(
        counts.adding(["failingSince": .optional(receiver.failingSince?.text), "name": .string(name)]),
        context
      ) {
        startsAfter.map { "Nothing delivered yet: \(name) starts after event \($0).\n" }
          ?? "\(delivered) delivered to \(name)" + (waiting > 0 ? ", \(waiting) waiting" : "") + ".\n"
      }
      guard let fault else { return .success }
      throw CommandFailure("deliver.failed", ["name": name, "fault": fault], details: counts)
    }
  }
}
