import AppleIntake
import CommandLineKit
import JSON
import Ledger
import ReleaseModel

private struct InboxOptions: Sendable {
  var change = ChangeOptions()
  var id: Int64 = 0
  var app = ""
  var version: Version?
  var state: ReleaseState?
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
      "show", summary: "Show evidence: its header, the verdict and why it is parked",
      examples: [.init("pawl inbox show 3", "the third piece of evidence")], options: { InboxOptions() },
      parameters: {
        [.argument("N", .evidenceNumber, help: "The evidence's number") { $0.id = $1 }]
          + CommonOptions.parameters.pulled(\.change.common)
      }
    ) { options, _, context in
      let ledger = try options.change.common.open(context)
      let (evidence, body) = try ledger.evidence(options.id)
      let hint = evidence.reason.flatMap { InboxText.hint($0, options.id, body) }
      if options.change.common.isJSON {
        guard var object = evidence.json.object else { return .defect }
        object["hint"] = .optional(hint)
        object["body"] = .optional(body.map { String(decoding: $0, as: UTF8.self) })
        try context.print(JSON.object(object).text() + "\n")
        return .success
      }
      try context.print(InboxText.page(evidence, body, hint, context))
      return .success
    }
  }

  private static var inboxApply: Command {
    Command(
      "apply", summary: "Apply parked evidence as a person's decision",
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
      return try Changing(options.change, call, context).run { draft in
        let parked = try draft.parked(options.id)
        let now = draft.now
        let saidAt = parked.sentAt.map { min($0, now) }
        var settled = parked
        settled.outcome = .applied
        settled.app = options.app
        settled.version = version
        settled.state = state
        let isNew = try draft.change(options.app, "mark \(version.text)", evidence: parked.id) {
          line, _ throws(LawViolation) in
          try line.mark(
            version, state, at: saidAt, isVisibleNow: false, notBefore: now + MailIntake.timeToObject,
            now: now)
        }
        settled.reason = isNew ? "inbox.applied" : "mail.overtaken"
        if !isNew { settled.outcome = .ignored }
        draft.settle(parked, as: settled)
      } answer: { draft in
        [("release", try draft.line(options.app).release(version)?.json(app: options.app) ?? .null)]
      } text: { answer in
        ReleaseText.changed(answer, from: nil)
      }
    }
  }

  private static var inboxDismiss: Command {
    Command(
      "dismiss", summary: "Let parked evidence be",
      examples: [.init("pawl inbox dismiss 3", "nothing to do")],
      options: { InboxOptions() }, parameters: { numbered() }
    ) { options, call, context in
      try Changing(options.change, call, context).run { draft in
        let evidence = try draft.evidence(options.id)
        if evidence.outcome == .dismissed { return }
        let parked = try draft.parked(options.id)
        var settled = parked
        settled.outcome = .dismissed
        draft.settle(parked, as: settled)
      } answer: { _ in
        [("evidence", .integer(options.id))]
      } text: { answer in
        answer["changed"]?.bool == true
          ? "Dismissed \(options.id).\n" : "\(options.id) is dismissed already.\n"
      }
    }
  }

  private static var inboxRetry: Command {
    Command(
      "retry", summary: "Look anew at all that is parked, after a key was pinned or an app added",
      examples: [.init("pawl inbox retry", "what can be applied now is")], options: { ChangeOptions() },
      parameters: { ChangeOptions.parameters }
    ) { options, call, context in
      let intake = try Intake(options, call, context)
      let results = try intake.record { draft in
        let mails = MailIntake(draft)
        return try draft.parkedMails().map { evidence, body in try mails.retake(evidence, body, &draft) }
      }
      return try intake.finish(results, isStrict: false)
    }
  }
}

/// Parked evidence in words.
enum InboxText {
  /// What to do about a reason; for an unknown key the exact command.
  static func hint(_ reason: String, _ id: Int64, _ body: [UInt8]?) -> String? {
    switch reason {
    case "mail.signature.unknown-selector", "mail.nothing-trusted":
      let fields = body.flatMap { try? RawMessage($0) }?.header.all("dkim-signature") ?? []
      let signatures = fields.compactMap { try? DKIMSignature($0) }
      let signature = signatures.first { $0.domain == AppleSender.domain } ?? signatures.first
      return
        "pawl trust dkim \(signature?.domain ?? AppleSender.domain) \(signature?.selector ?? "SELECTOR"), "
        + "then pawl inbox retry"
    case "mail.wrong-recipient":
      return "if the address is yours: pawl trust recipient ADDRESS, then pawl inbox retry"
    case "mail.unknown-app": return "add the app or its Apple ID, then pawl inbox retry"
    case "mail.unknown-version": return "pawl publish it, then pawl inbox retry"
    case "lookup.unknown-version":
      return "pawl publish it, then pawl inbox dismiss \(id) and look up again"
    default: return "read it; then pawl inbox apply or pawl inbox dismiss"
    }
  }

  static func page(_ evidence: Evidence, _ body: [UInt8]?, _ hint: String?, _ context: PawlContext) -> String
  {
    var table = Table(columns: [Column(""), Column("")])
    func add(_ label: String, _ text: String?) {
      if let text { table.add([Cell(label, .dim), Cell(text)]) }
    }
    add("evidence", String(evidence.id))
    add("kind", evidence.kind.rawValue)
    add("outcome", evidence.outcome.rawValue)
    add("reason", evidence.reason)
    add("proof", evidence.proof)
    add("received", evidence.receivedAt.text)
    add("sent", evidence.sentAt?.text)
    add("from", evidence.sender)
    add("subject", evidence.subject)
    add("message id", evidence.messageID)
    add("app", evidence.app)
    add("version", evidence.version?.text)
    add("says", evidence.state?.rawValue)
    add("sha256", evidence.sha256)
    var text = context.rendered(table)
    if let body {
      let shown = String(decoding: body.prefix(4_000), as: UTF8.self).split(
        omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      text += "\n" + shown.prefix(60).map { "  " + printable(String($0), limit: 200) + "\n" }.joined()
    }
    if evidence.outcome == .parked, let hint { text += "next: \(hint)\n" }
    return text
  }
}
