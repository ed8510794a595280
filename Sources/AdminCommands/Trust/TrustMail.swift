import AppleIntake
import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

private struct TrustOptions: Sendable {
  var change = ChangeOptions()
  var value = ""
  var selector = ""
  var keyFile: String?
}

extension Command where Context == PawlContext {
  /// Pins a key that signs mails.
  static var trustDKIM: Command {
    Command(
      "dkim", summary: "Pin the key that signs a domain's mails",
      discussion: """
        The file holds a PEM public key or the TXT record. Without a file the record is asked of DNS by 'dig' or \
        'host' and shown: DNS is the root of this trust, so look before you agree.
        """,
      examples: [
        .init("pawl trust dkim email.apple.com email0517 --key key.txt", "a key you compared yourself")
      ],
      options: { TrustOptions() },
      parameters: {
        [
          .argument("DOMAIN", .line, help: "The domain that signs") { $0.value = $1.lowercased() },
          .argument("SELECTOR", .line, help: "The selector of the key") { $0.selector = $1.lowercased() },
          .option("--key", "FILE", .path, help: "The key: PEM, or the TXT record; - for standard input") {
            $0.keyFile = $1
          },
        ] + ChangeOptions.parameters.pulled(\.change)
      }
    ) { options, call, context in
      let text: String
      if let file = options.keyFile {
        text = String(decoding: try context.readGiven(file, limit: 1 << 16), as: UTF8.self).trimmed
      } else {
        text = try lookUp(options.value, options.selector)
      }
      do throws(PinnedKey.Fault) {
        _ = try PinnedKey(domain: options.value, selector: options.selector, text: text)
      } catch {
        throw Report(
          "trust.key-malformed",
          "cannot pin the key of \(printable(options.value, limit: 80)): it is \(error.rawValue)",
          hint: "the file holds a PEM public key, or the TXT record 'v=DKIM1; p=…'", exit: .data)
      }
      var changing = Changing(options.change, call, context)
      changing.extraWords = [text]
      if options.keyFile == nil {
        context.note(
          "The record of \(options.selector)._domainkey.\(options.value) is:\n  \(printable(text))\n")
        let mayAsk = context.isInputTerminal && context.isErrorTerminal
        guard try options.change.isAgreed || (mayAsk && changing.agrees()) else {
          throw Report(
            "confirm.required", "'pawl trust dkim' needs your agreement to a key that came from DNS",
            hint: "compare it, then add --yes or pin it from a file with --key", exit: .refused)
        }
      }
      return try record(
        Trust(kind: .dkim, value: options.value, selector: options.selector, key: text), changing)
    }
  }

  /// Asks DNS for a key's record.
  private static func lookUp(_ domain: String, _ selector: String) throws -> String {
    let name = "\(selector)._domainkey.\(domain)"
    guard name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !name.hasPrefix("-"), !name.hasPrefix("@") else {
      throw UsageError(message: "'\(printable(name, limit: 120))' is no name of a record")
    }
    for words in [["dig", "+short", "TXT", name], ["host", "-t", "TXT", name]] {
      guard let bytes = output(of: words, limit: 1 << 16) else { continue }
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
      // `host` writes a sentence around the quoted pieces.
      if let line = lines.first(where: { $0.contains("p=") }), let quote = line.firstIndex(of: "\"") {
        return String(line[quote...])
      }
    }
    throw Report(
      "trust.no-record",
      "cannot find the record \(printable(name, limit: 120)): neither 'dig' nor 'host' has it",
      hint: "install dnsutils, or pin the key from a file with --key", exit: .missing)
  }

  /// Believes the operator's own mail server.
  static var trustMX: Command {
    simple(
      "mx", .mx, "AUTHSERV-ID", summary: "Believe what your own mail server says of mails",
      discussion: """
        The second best proof: the server's Authentication-Results (RFC 8601). Only for a server of yours that takes \
        forged fields of its name out of incoming mail.
        """, example: "pawl trust mx mx.example.com")
  }

  /// An address that Apple writes to.
  static var trustRecipient: Command {
    simple(
      "recipient", .recipient, "ADDRESS", summary: "Name an address that Apple writes to",
      discussion: "A genuine mail to somebody else proves nothing about your apps.",
      example: "pawl trust recipient release@example.com")
  }

  private static func simple(
    _ name: String, _ kind: Trust.Kind, _ argument: String, summary: String, discussion: String,
    example: String
  ) -> Command {
    Command(
      name, summary: summary, discussion: discussion, examples: [.init(example, "yours")],
      options: { TrustOptions() },
      parameters: {
        [.argument(argument, .line, help: "Its name") { $0.value = $1 }]
          + ChangeOptions.parameters.pulled(\.change)
      }
    ) { options, call, context in
      var value = options.value
      if kind == .recipient {
        guard let address = MailAddress(value) else {
          throw UsageError(
            id: "trust.address-malformed", message: "'\(printable(value, limit: 120))' is no mail address",
            hint: "such as release@example.com")
        }
        value = address.text
      } else {
        value = value.lowercased()
      }
      return try record(Trust(kind: kind, value: value), Changing(options.change, call, context))
    }
  }

  private static func record(_ trust: Trust, _ changing: Changing) throws -> ExitCode {
    try changing.run { draft in
      draft.trust(trust, true)
    } answer: { _ in
      [("trust", trust.json)]
    } text: { answer in
      let name = "\(trust.kind.rawValue) \(printable(trust.value)) \(trust.selector)".trimmed
      return answer["changed"]?.bool == true
        ? "Trusts \(name).\nnext: pawl inbox retry takes up what was parked for want of it\n"
        : "Trusts \(name) already.\n"
    }
  }
}
