import AppleIntake
import CommandLineKit
import Intake
import JSON
import Ledger
import ReleaseModel

enum InboxText {
  private static let unknownSelector = "mail.signature.\(DKIMFailure.unknownSelector.rawValue)"

  /// What to do about parked evidence; for an unknown key, the exact command.
  static func hint(_ evidence: Evidence, _ body: [UInt8]?) -> String {
    let read = "read it, then pawl inbox apply or pawl inbox dismiss"
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
      return "pawl publish it, or import past releases with pawl import --source asc"
    case "lookup.unknown-version": return "record the version with pawl publish; that ends the alarm"
    case "lookup.not-live":
      return "if Apple has released it: pawl mark APP VERSION live; that ends the alarm"
    case let reason where reason.hasSuffix(".unknown-app"):
      return "add the app or its Apple ID, then pawl inbox retry"
    case let reason where reason.hasSuffix(".unknown-version"):
      return "record the version with pawl publish, then pawl inbox retry"
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
      + (letter?.guidelines ?? []).map { ("rejected for", $0) }
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
      "text": .string(text), "rejectedFor": .array(guidelines.map(JSON.string)),
    ]
  }
}
