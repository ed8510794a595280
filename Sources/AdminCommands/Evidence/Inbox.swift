import AppleIntake
import CommandLineKit
import Crypto
import Intake
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var inbox: Command {
    .query(
      "inbox", isList: true, summary: "List parked evidence, and settle it",
      examples: [.init("pawl inbox", "what is waiting for a decision")],
      subcommands: { [inboxShow, inboxApply, inboxDismiss, inboxRetry] }
    ) {
      ()
    } run: { query in
      let (parked, context) = (try query.ledger.inbox(), query.context)
      let table = Table(
        of: parked,
        [
          (.right("N"), { Cell(String($0.id), .bold) }), ("RECEIVED", { Cell(context.text($0.receivedAt)) }),
          ("KIND", { Cell($0.kind.rawValue) }), ("REASON", { Cell($0.reason ?? "", .yellow) }),
          ("SUBJECT", { Cell($0.subject ?? "") }),
        ])
      return try query.print(["inbox": .array(parked.map(\.json))], table, none: "Nothing is parked.\n") {
        context.rendered($0) + "next: pawl inbox show N\n"
      }
    }
  }

  private static var inboxShow: Command {
    .query(
      "show", summary: "Show a piece of evidence: its text, the verdict and why it was parked",
      examples: [
        .init("pawl inbox show 3", "the third piece of evidence"),
        .init("pawl inbox show 3 --raw > mail.eml", "its raw bytes"),
      ]
    ) {
      (
        .argument("N", .evidenceNumber, help: "The evidence's number"),
        .flag("--raw", help: "Print the raw bytes; with --json as base64", forPrograms: true)
      )
    } run: { query, id, isRaw in
      let context = query.context
      let (evidence, body) = try query.ledger.evidence(id)
      if isRaw {
        guard let body else { throw CommandFailure("evidence.no-bytes", ["evidence": String(id)]) }
        if !query.common.isJSON {
          // What a stranger wrote must not drive a terminal.
          try context.isOutputTerminal ? context.print(InboxText.lines(of: body)) : context.writeOutput(body)
          return .success
        }
      }
      let letter = evidence.kind == .mail ? body.flatMap(ReadableMail.init) : nil
      let hint = evidence.outcome == .parked ? InboxText.hint(evidence, body) : nil
      let json = evidence.json.adding([
        "hint": .optional(hint), "body": .optional(body.map { String(decoding: $0, as: UTF8.self) }),
        "letter": letter?.json ?? .null,
      ])
      return try query.print(
        isRaw ? json.adding(["raw": .optional(body.map { Base64.encode($0) })]) : json
      ) {
        InboxText.page(evidence, body, letter, hint, context)
      }
    }
  }

  private static var inboxApply: Command {
    .change(
      "apply", summary: "Decide what parked evidence means, and apply it",
      discussion:
        "Warns if the mail names another app, version or state, or if its date is far from when it arrived.",
      examples: [
        .init(
          "pawl inbox apply 3 --app taxi --version 7.4.0 --state approved --reason \"read it myself\"",
          "decide yourself what it means")
      ]
    ) {
      (
        .parked, .requiredOption("--app", "APP", .slug, help: "The app it is about"),
        .requiredOption("--version", "V", .version, help: "The release it is about"),
        .requiredOption("--state", "STATE", .move, help: "The state it reports")
      )
    } run: { changing, id, app, version, state in
      try changing.run { draft in
        let before = try draft.line(app).release(version)?.state
        let doubts: [String]
        do {
          doubts = try Inbox.apply(id, app: app, version: version, state: state, &draft)
        } catch let refusal as Refusal where refusal.key == "release.not-found/near" {
          // The version comes from the mail and is no typo, so no other release is suggested.
          throw Refusal(
            refusal.id, refusal.values, details: refusal.details.adding(["nearest": .null]))
        }
        return ReleaseText.outcome(
          of: version, try draft.line(app), at: draft.now, from: before, [("from", (before?.rawValue).json)],
          warnings: doubts)
      }
    }
  }

  private static var inboxDismiss: Command {
    .change(
      "dismiss", summary: "Dismiss parked evidence without applying it",
      examples: [.init("pawl inbox dismiss 3", "nothing to do")]
    ) {
      .parked
    } run: { changing, id in
      try changing.run { draft in
        try Inbox.dismiss(id, &draft)
        return Outcome([("evidence", id.json)], "Dismissed \(id).\n", same: "\(id) is already dismissed")
      }
    }
  }

  private static var inboxRetry: Command {
    .change(
      "retry",
      summary: "Reconsider all parked evidence, for example after pinning a key or adding an app",
      examples: [.init("pawl inbox retry", "apply what can be applied now")], options: .unplannedChange
    ) {
      ()
    } run: { changing in
      try changing.finish(changing.take { try $0.retry(&$1) }.results)
    }
  }
}

extension Parameter where Value == Int64 {
  fileprivate static var parked: Parameter {
    .argument("N", .evidenceNumber, help: "The evidence's number, from 'pawl inbox'")
  }
}

enum InboxText {
  private static let lower = "one that is lower than what was live: pawl import APP FILE --past"
  private static let unknownSelector = "mail.signature.\(DKIMFailure.unknownSelector.rawValue)"

  /// What to do about parked evidence; for an unknown key, the exact command.
  static func hint(_ evidence: Evidence, _ body: [UInt8]?) -> String {
    let read =
      "read it, then 'pawl inbox apply \(evidence.id) --app APP --version VERSION --state STATE' "
      + "or 'pawl inbox dismiss \(evidence.id)'"
    switch evidence.reason ?? "" {
    case unknownSelector, "mail.nothing-trusted":
      let fields = body.flatMap { try? RawMessage($0) }?.header.all("dkim-signature") ?? []
      let signatures = fields.compactMap { try? DKIMSignature($0) }
      guard let signature = signatures.first(where: { $0.domain == AppleSender.domain }) else {
        return body == nil ? read : "no key can prove it, since Apple did not sign it: \(read)"
      }
      return "pawl trust dkim \(signature.domain) \(signature.selector), then pawl inbox retry"
    case "mail.wrong-recipient":
      return "if the address is yours: pawl trust recipient ADDRESS, then pawl inbox retry"
    case "asc.unknown-version":
      return "pawl publish it, or import past releases with pawl import --source asc; \(lower)"
    case "lookup.unknown-version": return "record the version with pawl publish; that ends the alarm"
    case "lookup.not-live":
      return "if Apple has released it: pawl mark APP VERSION live; that ends the alarm"
    case let reason where reason.hasSuffix(".unknown-app"):
      return "add the app or its Apple ID, then pawl inbox retry"
    case let reason where reason.hasSuffix(".unknown-version"):
      return "record the version with pawl publish, then pawl inbox retry; \(lower)"
    default: return read
    }
  }

  /// The keys that Apple's newer mails are signed with and no one trusts, as findings with the command that pins each.
  static func unknownSelectors(_ parked: [Evidence], _ ledger: Ledger) throws -> [Finding] {
    var waiting: [String: Int] = [:]
    for evidence in parked where evidence.reason == unknownSelector {
      let next = hint(evidence, try ledger.evidence(evidence.id).body)
      if next.hasPrefix("pawl trust dkim") { waiting[next, default: 0] += 1 }
    }
    return waiting.sorted { $0.key < $1.key }.map { command, count in
      let mails = count == 1 ? "1 mail is" : "\(count) mails are"
      return Finding("dkim.selector", ["command": command, "mails": mails])
    }
  }

  private static let longest = 200

  static func page(
    _ evidence: Evidence, _ body: [UInt8]?, _ letter: ReadableMail?, _ hint: String?, _ context: PawlContext
  ) -> String {
    let names = [
      "kind", "outcome", "reason", "proof", "receivedAt", "sentAt", "messageID", "app", "version", "state",
      "sha256",
    ]
    let json = evidence.json.adding(["reason": .optional(evidence.reason.map(explained))])
    let facts =
      [("evidence", String(evidence.id))]
      + FieldChange.facts(json, names + (letter == nil ? ["sender", "subject"] : []), context.zone)
      + FieldChange.facts(letter?.json ?? [:], ["from", "to", "date", "subject"])
    var text = context.rendered(Table(facts: facts))
    if let letter {
      text += "\n" + lines(of: Array(letter.text.utf8), evidence.id)
    } else if let body {
      text += "\n" + lines(of: body, evidence.id)
    }
    if let hint { text += "next: \(hint)\n" }
    return text
  }

  /// A text made safe for a terminal, without runs of empty lines; shortened if evidence is named.
  static func lines(of text: [UInt8], _ id: Int64? = nil) -> String {
    var shown: [String] = []
    let lines = String(decoding: text, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for line in lines {
      if let id, shown.count == longest {
        shown.append("  … more with pawl inbox show \(id) --raw")
        break
      }
      let line =
        line.allSatisfy(\.isWhitespace) ? "" : "  " + printable(String(line), limit: id.map { _ in 500 })
      if !line.isEmpty || shown.last?.isEmpty == false { shown.append(line) }
    }
    if shown.last?.isEmpty == true { shown.removeLast() }
    return shown.map { $0 + "\n" }.joined()
  }
}

extension ReadableMail {
  var json: JSON {
    [
      "from": .optional(from), "to": .optional(to), "date": .optional(date), "subject": .optional(subject),
      "text": .string(text),
    ]
  }
}
