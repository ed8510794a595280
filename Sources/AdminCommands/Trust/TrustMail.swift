import AppleIntake
import CommandLineKit
import Platform
import ReleaseModel

extension Command where Context == PawlContext {
  static var trustDKIM: Command {
    Command(
      "dkim", reach: .remote, summary: "Pin the key that signs a domain's mails",
      discussion: """
        The file holds a PEM public key or the TXT record. Without a file, the record is looked up in DNS \
        with 'dig' or 'host' and shown: this trust then rests on DNS, so check the record before you agree.
        """,
      examples: [
        .init("pawl trust dkim email.apple.com email0517 --key key.txt", "a key you checked yourself")
      ]
    ) {
      (
        .argument("DOMAIN", .line, help: "The domain that signs"),
        .argument("SELECTOR", .line, help: "The selector of the key"),
        .option("--key", "FILE", .input, help: "The key: PEM, or the TXT record; - for standard input"),
        .change
      )
    } run: { context, domain, selector, keyFile, change in
      let (domain, selector) = (domain.lowercased(), selector.lowercased())
      let text =
        if let keyFile {
          String(decoding: try context.readGiven(keyFile, limit: 1 << 16), as: UTF8.self).trimmed
        } else {
          try context.answered(as: "\(selector)._domainkey.\(domain) TXT") { try lookUp(domain, selector) }
        }
      do throws(PinnedKey.Fault) {
        _ = try PinnedKey(domain: domain, selector: selector, text: text)
      } catch {
        try UsageError.demand(
          error != .name,
          "'\(printable("\(selector)._domainkey.\(domain)", limit: 120))' is not the name of a DNS record",
          hint: "DOMAIN and SELECTOR are what a mail's DKIM-Signature has in d= and s=")
        throw CommandFailure(
          "trust.key-malformed",
          "cannot pin the key of \(printable(domain, limit: 80)): it is \(error == .unusable ? "of a kind that cannot be used" : "malformed")",
          hint: "the file holds a PEM public key, or the TXT record 'v=DKIM1; p=…'", exit: .data)
      }
      var changing = Changing(change, context)
      changing.extraWords = [text]
      if keyFile == nil, context.planTask?.isRehearsal != true {
        context.note("The record of \(selector)._domainkey.\(domain) is:\n  \(printable(text))\n")
        guard try change.isAgreed(context) || (context.mayAsk && changing.agrees()) else {
          throw CommandFailure(
            "confirm.required", "'pawl trust dkim' needs confirmation to a key that came from DNS",
            hint: context.agreementHint("check it, then add --yes, or pin it from a file with --key"),
            exit: .refused)
        }
      }
      return try record(Trust(kind: .dkim, value: domain, selector: selector, key: text), changing)
    }
  }

  private static func lookUp(_ domain: String, _ selector: String) throws -> String {
    let name = "\(selector)._domainkey.\(domain)"
    guard name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !name.hasPrefix("-"), !name.hasPrefix("@") else {
      throw UsageError(message: "'\(printable(name, limit: 120))' is not the name of a record")
    }
    var isAsked = false
    for words in [["dig", "+short", "TXT", name], ["host", "-t", "TXT", name]] {
      guard let end = try? runProgram(words, limit: 1 << 16), end.status != 127 else { continue }
      isAsked = true
      guard end.status == 0 else { continue }
      let lines = String(decoding: end.output, as: UTF8.self).split(separator: "\n").map(String.init)
      // `host` prints a sentence around the quoted parts of the record.
      if let line = lines.first(where: { $0.holds("p=") }), let quote = line.firstIndex(of: "\"") {
        return String(line[quote...])
      }
    }
    throw CommandFailure(
      "trust.no-record",
      "cannot find the record \(printable(name, limit: 120)): "
        + (isAsked ? "DNS has no such key, or did not answer" : "neither 'dig' nor 'host' is installed"),
      hint: isAsked
        ? "check domain and selector, or pin the key from a file with --key"
        : "install dnsutils, or pin the key from a file with --key", exit: .missing)
  }

  static var trustMX: Command {
    simple(
      "mx", .mx, "AUTHSERV-ID", summary: "Trust your own mail server's verdict on mails",
      discussion: """
        The second-best proof: the server's Authentication-Results (RFC 8601). Use it only for a server of \
        your own that removes forged fields in its name from incoming mail.
        """, example: "pawl trust mx mx.example.com")
  }

  static var trustRecipient: Command {
    simple(
      "recipient", .recipient, "ADDRESS", summary: "Trust an address that Apple writes to",
      discussion: "A genuine mail to someone else proves nothing about your apps.",
      example: "pawl trust recipient release@example.com")
  }

  private static func simple(
    _ name: String, _ kind: Trust.Kind, _ argument: String, summary: String, discussion: String,
    example: String
  ) -> Command {
    Command(
      name, reach: .remote, summary: summary, discussion: discussion, examples: [.init(example, "yours")]
    ) {
      (.argument(argument, .line, help: kind == .mx ? "The server's name" : "The address"), .change)
    } run: { context, word, change in
      var value = word.lowercased()
      if kind == .recipient {
        guard let address = MailAddress(word) else {
          throw UsageError(
            id: "trust.address-malformed", message: "'\(printable(word, limit: 120))' is not a mail address",
            hint: "such as release@example.com")
        }
        value = address.text
      }
      return try record(Trust(kind: kind, value: value), Changing(change, context))
    }
  }

  private static func record(_ trust: Trust, _ changing: Changing) throws -> ExitCode {
    let name = "\(trust.kind.rawValue) \(printable(trust.value)) \(trust.selector)".trimmed
    return try changing.trust(
      trust, "Now trusting \(trust.kind == .mx ? "the mail server \(printable(trust.value))" : name)",
      same: "\(name): already trusted", next: "pawl inbox retry, to reconsider what was parked")
  }

  static var trustWebhook: Command {
    Command(
      "webhook", summary: "Pin the secret that signs an app's webhooks",
      discussion: """
        Webhooks signed with this secret are proof; the ledger keeps only its SHA-256. A webhook is for all \
        platforms of an app and names neither platform nor version, only the id that 'ingest asc' names. \
        Each app has a secret of its own.
        """,
      examples: [
        .init("pawl trust webhook taxi --secret-file /etc/pawl/webhook", "the secret you gave Apple")
      ]
    ) {
      (.webhookApp, .secretFile, .change)
    } run: { context, app, secretFile, change in
      let hash = try context.secretHash(of: secretFile) {
        let secret = try WebhookSecret.read(secretFile)
        guard !secret.isEmpty else {
          throw CommandFailure(
            "trust.secret-empty", "cannot pin the webhook secret of \(app): the file is empty",
            hint: "put the secret you gave Apple into it, on one line", exit: .data)
        }
        return WebhookSecret.hash(secret)
      }
      let trust = Trust(kind: .webhook, value: app, key: hash)
      var changing = Changing(change, context)
      changing.extraWords = [hash]
      return try changing.trust(
        trust, "Now trusting webhooks of \(app) signed with this secret", same: "Already trusted",
        next: "pawl inbox retry, to reconsider what was parked")
    }
  }
}
