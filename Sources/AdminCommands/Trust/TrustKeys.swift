import AppleIntake
import CommandLineKit
import Crypto
import JSON
import Ledger
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
      let trust = Trust(kind: .dkim, value: domain, selector: selector, key: text)
      if keyFile == nil, changing.task?.isRehearsal != true, try !changing.open().trusts().contains(trust) {
        context.note("The record of \(selector)._domainkey.\(domain) is:\n  \(printable(text))\n")
        try changing.ask("the key came from DNS", key: "confirm.required/dkim")
      }
      return try changing.trust(trust, covering: [text])
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

extension Command where Context == PawlContext {
  static var trustSigner: Command {
    .change(
      "signer", summary: "Trust a person's SSH key to approve plans",
      discussion: """
        KEY is a public key such as the line of ~/.ssh/id_ed25519.pub, or the name of a file that holds it. A person has \
        one key; naming another replaces it. Two names never share a key.
        """,
      examples: [
        .init("pawl trust signer release-lead@example.com ~/.ssh/id_ed25519.pub", "from a file"),
        .init("pawl trust signer contractor@example.com contractor.pub --until 90d", "for three months"),
      ]
    ) {
      (
        .argument("NAME", .signerName, help: "Who it is"),
        .argument(
          "KEY", .sshKey,
          help: "The public key, or a file that holds it; - for standard input"),
        .option("--until", "TIME", .time(.end), help: "When trust in the key ends, or after how long"),
        .zone
      )
    } run: { changing, name, written, until, zone in
      let context = changing.context
      let key = try SSHPublicKey(given: written, context)
      return try changing.trust(
        Trust(kind: .signer, value: name, key: key.text), covering: [key.text],
        " to approve plans, with \(key.fingerprint)"
      ) { now in
        let end = try until?.moment(now: now, zone, context)
        try UsageError.demand(end.map { now < $0 } ?? true, "usage.invalid/past")
        return end
      }
    }
  }

  static var trustApprovals: Command {
    .change(
      "approvals", summary: "Require several signers to approve what makes answers stricter",
      discussion: """
        From then on, a change that makes an answer stricter, or could, is recorded only with 'pawl plan apply', from a \
        plan that N trusted signers signed. More lenient changes, 'stop' and proved evidence need no approval; 0 ends it.
        """,
      examples: [.init("pawl trust approvals 2", "two people must approve")]
    ) {
      .argument("N", .integer(0...Trust.mostApprovals), help: "How many; 0 for none")
    } run: { changing, count in
      let ledger = try changing.open()
      let (trusts, now) = (try ledger.trusts(), try ledger.now(clock: changing.context.clock()))
      // Where approvals are required already, it is the signers who agree.
      let asks = count > 0 && trusts.approvals == 0 && count == trusts.signers(at: now).count
      if asks {
        try changing.ask(
          "approvals would need every signer: one lost key would block them all",
          key: "confirm.required/signers")
      }
      return try changing.run { draft in
        let trust = Trust(kind: .approvals, value: String(count))
        draft.trust(trust, count > 0)
        return Outcome(
          [("trust", trust.json)],
          count == 0
            ? "Changes no longer need approval.\n"
            : "Changes that prompt clients more than today now need a plan signed by \(count == 1 ? "1 person" : "\(count) people").\n",
          same: "No change")
      }
    }
  }
}

extension SSHPublicKey {
  /// Reads a key that is given itself, or the file that holds it.
  init(given word: String, _ context: PawlContext) throws {
    // A line that begins like a key is not the name of a file.
    let isKey = ["ssh-", "ecdsa-", "sk-"].contains { word.hasPrefix($0) } && word.contains(" ")
    let text =
      isKey ? word : String(decoding: try context.readGiven(word, limit: 1 << 16), as: UTF8.self)
    let lines = text.split(separator: "\n")
    guard lines.count == 1, let key = lines.first.flatMap({ SSHPublicKey(String($0)) }) else {
      throw CommandFailure("trust.key-malformed", ["file": word])
    }
    self = key
  }
}

extension ValueType where Value == String {
  /// A public key, or the name of a file that holds it.
  static var sshKey: Self { .line.naming(.input, unless: { @Sendable in SSHPublicKey($0) != nil }) }

  static var signerName: Self {
    reading("trust.signer-name") { Trust.isSignerName($0) ? $0 : nil }
  }
}
