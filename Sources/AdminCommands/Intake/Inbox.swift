import AppleIntake
import CommandLineKit
import Crypto
import Intake
import JSON
import Ledger
import ReleaseModel

private struct InboxOptions: Sendable {
  var change = ChangeOptions()
  var id: Int64 = 0
  var app = ""
  var version: Version?
  var state: ReleaseState?
  var isRaw = false
}

extension Command where Context == PawlContext {
  /// What ingest parked.
  static var inbox: Command {
    Command(
      "inbox", summary: "List what ingest parked, and settle it",
      examples: [.init("pawl inbox", "what waits for somebody to look")], section: "Evidence",
      subcommands: [inboxShow, inboxApply, inboxDismiss, inboxRetry], options: { CommonOptions() },
      parameters: { CommonOptions.parameters }
    ) { options, _, context in
      let parked = try options.open(context).inbox()
      if options.isJSON {
        let json: JSON = ["inbox": .array(parked.map(\.json))]
        try context.print(json.text() + "\n")
        return .success
      }
      guard !parked.isEmpty else {
        try context.print("Nothing is parked.\n")
        return .success
      }
      var table = Table(columns: [
        Column("N", .right), Column("RECEIVED"), Column("KIND"), Column("REASON"), Column("SUBJECT"),
      ])
      for evidence in parked {
        table.add([
          Cell(String(evidence.id), .bold), Cell(evidence.receivedAt.text), Cell(evidence.kind.rawValue),
          Cell(evidence.reason ?? "", .yellow), Cell(evidence.subject ?? ""),
        ])
      }
      try context.print(
        context.rendered(table)
          + "next: pawl inbox show N\n")
      return .success
    }
  }

  private static func numbered(_ extra: [Setter<InboxOptions>] = []) -> [Setter<InboxOptions>] {
    [
      .argument("N", .evidenceNumber, help: "The evidence's number, from 'pawl inbox'") { $0.id = $1 }
    ] + extra
      + ChangeOptions.parameters.pulled(\.change)
  }

  private static var inboxShow: Command {
    Command(
      "show", summary: "Show evidence: the letter as a person reads it, the verdict and why it is parked",
      examples: [
        .init("pawl inbox show 3", "the third piece of evidence"),
        .init("pawl inbox show 3 --raw > letter.eml", "its bytes as they came"),
      ], options: { InboxOptions() },
      parameters: {
        [
          .argument("N", .evidenceNumber, help: "The evidence's number") {
            $0.id = $1
          },
          .flag("--raw", help: "Print its bytes as they came; with --json as base64") { $0.isRaw = true },
        ] + CommonOptions.parameters.pulled(\.change.common)
      }
    ) { options, _, context in
      let ledger = try options.change.common.open(context)
      let (evidence, body) = try ledger.evidence(options.id)
      if options.isRaw, body == nil {
        throw Report(
          "evidence.no-bytes",
          "cannot show evidence \(options.id) as it came: only its hash and header are kept",
          hint: "see 'pawl inbox show \(options.id)'", exit: .missing)
      }
      let letter = evidence.kind == .mail ? body.flatMap(ReadableMail.init) : nil
      let hint = evidence.outcome == .parked ? InboxText.hint(evidence, body) : nil
      if options.change.common.isJSON {
        guard var object = evidence.json.object else { return .defect }
        object["hint"] = .optional(hint)
        object["body"] = .optional(body.map { String(decoding: $0, as: UTF8.self) })
        object["letter"] = letter?.json ?? .null
        if options.isRaw { object["raw"] = .optional(body.map { Base64.encode($0) }) }
        try context.print(JSON.object(object).text() + "\n")
        return .success
      }
      if options.isRaw, let body {
        // What a stranger wrote does not get to drive a terminal.
        if context.isOutputTerminal {
          try context.print(InboxText.lines(of: body))
        } else {
          try context.writeOutput(body)
        }
        return .success
      }
      try context.print(InboxText.page(evidence, body, letter, hint, context))
      return .success
    }
  }

  private static var inboxApply: Command {
    Command(
      "apply", summary: "Apply parked evidence as a person's decision",
      discussion:
        "Warns where the letter names another app, version or state, or is older than a mail may be.",
      examples: [
        .init(
          "pawl inbox apply 3 --app taxi --version 7.4.0 --state approved --reason \"read it myself\"",
          "you say what it means")
      ],
      options: { InboxOptions() },
      parameters: {
        numbered([
          .option("--app", "APP", .slug, help: "The app it is about", required: true) { $0.app = $1 },
          .option("--version", "V", .version, help: "The release it is about", required: true) {
            $0.version = $1
          },
          .option("--state", "STATE", .oneOf, help: "The state it says", required: true) { $0.state = $1 },
        ])
      }
    ) { options, call, context in
      guard let version = options.version, let state = options.state else { return .usage }
      guard options.change.reason != nil else {
        throw UsageError(
          id: "usage.missing-option", message: "'pawl inbox apply' needs '--reason TEXT'",
          hint: "it is your decision: say why")
      }
      var doubts: [InboxDoubt] = []
      return try Changing(options.change, call, context).run { draft in
        doubts = try Inbox.apply(options.id, app: options.app, version: version, state: state, &draft)
      } answer: { draft in
        [
          ("release", try draft.line(options.app).release(version)?.json(app: options.app) ?? .null),
          ("warnings", .array(doubts.map { .string($0.words(options.app)) })),
        ]
      } text: { answer in
        (answer["warnings"]?.array ?? []).compactMap(\.string).map { "warning: \($0)\n" }.joined()
          + ReleaseText.changed(answer, from: nil)
      }
    }
  }

  private static var inboxDismiss: Command {
    Command(
      "dismiss", summary: "Settle parked evidence without applying it",
      examples: [.init("pawl inbox dismiss 3", "nothing to do")],
      options: { InboxOptions() }, parameters: { numbered() }
    ) { options, call, context in
      try Changing(options.change, call, context).run { draft in
        try Inbox.dismiss(options.id, &draft)
      } answer: { _ in
        [("evidence", .integer(options.id))]
      } text: { answer in
        answer["changed"]?.bool == true
          ? "Dismissed \(options.id).\n" : "\(options.id) is already dismissed; nothing to record.\n"
      }
    }
  }

  private static var inboxRetry: Command {
    Command(
      "retry", summary: "Judge everything that is parked again, after a key was pinned or an app added",
      examples: [.init("pawl inbox retry", "applies what can be applied now")], options: { ChangeOptions() },
      parameters: { ChangeOptions.parameters }
    ) { options, call, context in
      let run = try IngestRun(options, call, context)
      let results = try run.record { draft in
        try EvidenceIntake(draft, limit: run.quota).retry(&draft)
      }
      return try run.finish(results, isStrict: false)
    }
  }
}
