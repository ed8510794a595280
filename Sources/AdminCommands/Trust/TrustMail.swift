import AppleIntake
import CommandLineKit
import Platform
import ReleaseModel

extension Command where Context == PawlContext {
  static var trustDKIM: Command {
    .change(
      "dkim", summary: "Pin the key that signs a domain's mails",
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
        .option("--key", "FILE", .input, help: "The key: PEM, or the TXT record; - for standard input")
      )
    } run: { changing, domain, selector, keyFile in
      let context = changing.context
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
          error != .name, "usage.invalid/record", ["name": "\(selector)._domainkey.\(domain)"])
        throw CommandFailure(
          "trust.key-malformed/dkim", ["domain": domain])
      }
      if keyFile == nil, context.planTask?.isRehearsal != true {
        context.note("The record of \(selector)._domainkey.\(domain) is:\n  \(printable(text))\n")
        try changing.ask("the key came from DNS", key: "confirm.required/dkim")
      }
      return try changing.trust(
        Trust(kind: .dkim, value: domain, selector: selector, key: text), covering: [text])
    }
  }

  private static func lookUp(_ domain: String, _ selector: String) throws -> String {
    let name = "\(selector)._domainkey.\(domain)"
    guard name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !name.hasPrefix("-"), !name.hasPrefix("@") else {
      throw UsageError("usage.invalid/record", ["name": name])
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
    throw CommandFailure(isAsked ? "trust.no-record" : "trust.no-record/tools", ["name": name])
  }

  static var trustMX: Command {
    trust(
      .mx, .argument("AUTHSERV-ID", .line, help: "The server's name"),
      summary: "Trust your own mail server's verdict on mails",
      discussion: """
        The second-best proof: the server's Authentication-Results (RFC 8601). Use it only for a server of \
        your own that removes forged fields in its name from incoming mail.
        """, example: .init("pawl trust mx mx.example.com", "yours")
    ) { $0.lowercased() }
  }

  static var trustRecipient: Command {
    trust(
      .recipient, .argument("ADDRESS", .line, help: "The address"),
      summary: "Trust an address that Apple writes to",
      discussion: "A genuine mail to someone else proves nothing about your apps.",
      example: .init("pawl trust recipient release@example.com", "yours")
    ) { word in
      guard let address = MailAddress(word) else {
        throw UsageError("trust.address-malformed", ["address": word])
      }
      return address.text
    }
  }

  static var trustWebhook: Command {
    .change(
      "webhook", reach: .host, summary: "Pin the secret that signs an app's webhooks",
      discussion: """
        Webhooks signed with this secret are proof; the ledger keeps only its SHA-256. A webhook is for all \
        platforms of an app and names neither platform nor version, only the id that 'ingest asc' names. \
        Each app has a secret of its own.
        """,
      examples: [
        .init("pawl trust webhook taxi --secret-file /etc/pawl/webhook", "the secret you gave Apple")
      ]
    ) {
      (.webhookApp, .secretFile)
    } run: { changing, app, secretFile in
      let hash = try changing.context.secretHash(of: secretFile) {
        let secret = try WebhookSecret.read(secretFile)
        guard !secret.isEmpty else {
          throw CommandFailure("trust.secret-empty", ["app": app])
        }
        return WebhookSecret.hash(secret)
      }
      return try changing.trust(Trust(kind: .webhook, value: app, key: hash), covering: [hash])
    }
  }
}
