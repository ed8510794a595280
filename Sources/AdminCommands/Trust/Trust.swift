import CommandLineKit
import Crypto
import JSON
import Ledger
import ReleaseModel

extension Changing {
  /// Records that something is trusted.
  ///
  /// - Parameters:
  ///   - covered: What the command read, which a request covers.
  ///   - detail: What is said besides its name.
  ///   - until: Until when, from the moment of the change on.
  func trust(
    _ trust: Trust, covering covered: [String] = [], _ detail: String = "",
    until: (Timestamp) throws -> Timestamp? = { _ in nil }
  ) throws -> ExitCode {
    cover(covered)
    return try run { draft in
      var trust = trust
      trust.until = try until(draft.now)
      if trust.kind == .webhook {
        try draft.refuseRetired(trust.value, "trust webhooks")
        try draft.refuseSharedSecret(trust)
      }
      draft.trust(trust, true)
      let (kind, next): (String, String?) =
        switch trust.kind {
        case .host: ("host", nil)
        case .signer: ("signer", "pawl trust approvals N, to require N signers")
        case .webhook: ("webhooks of", "pawl inbox retry, to reconsider what was parked")
        case .mx: ("mail server", "pawl inbox retry, to reconsider what was parked")
        default: (trust.kind.rawValue, "pawl inbox retry, to reconsider what was parked")
        }
      let name =
        "\(kind) \(printable(trust.value)) \(trust.selector)".trimmed
        + (trust.until.map { " until \($0.text)" } ?? "") + detail
      return Outcome(
        [("trust", trust.json)], "Now trusting \(name).\n", same: "\(name): already trusted", next: next)
    }
  }
}

extension ChangeSet {
  /// Refuses the secret of another app's webhooks.
  fileprivate func refuseSharedSecret(_ trust: Trust) throws {
    let isOfAnother: (Trust) -> Bool = {
      $0.kind == .webhook && $0.key == trust.key && $0.value != trust.value
    }
    guard let owner = trusts.first(where: isOfAnother) else { return }
    throw CommandFailure("trust.secret-taken", details: ["app": .string(owner.value)])
  }
}

extension Command where Context == PawlContext {
  static var trust: Command {
    Command(
      "trust", summary: "List and manage trusted keys, hosts and addresses",
      usual: "list",
      subcommands: {
        [
          trustDKIM, trustMX, trustRecipient, trustHost, trustWebhook, trustSigner, trustApprovals,
          trustRemove,
          trustList,
        ]
      })
  }

  private static var trustHost: Command {
    trust(
      .host, .argument("HOST", .host, help: "The host's name"), summary: "Allow URLs on a host",
      discussion: "Apple's store, apps.apple.com and itunes.apple.com, is always trusted.",
      example: .init("pawl trust host downloads.example.com", "for enterprise downloads"))
  }

  /// A command that trusts what one word names.
  static func trust(
    _ kind: Trust.Kind, _ argument: @autoclosure @escaping @Sendable () -> Parameter<String>, summary: String,
    discussion: String, example: HelpRow, read: @escaping @Sendable (String) throws -> String = { $0 }
  ) -> Command {
    .change(kind.rawValue, summary: summary, discussion: discussion, examples: [example]) {
      argument()
    } run: { changing, written in
      try changing.trust(Trust(kind: kind, value: try read(written)))
    }
  }

  private static var trustRemove: Command {
    .change(
      "remove", summary: "Stop trusting a key, host or address",
      discussion: "URLs on a host that is no longer trusted stay recorded, but no client is given them.",
      examples: [.init("pawl trust remove host downloads.example.com", "no more downloads from there")]
    ) {
      .arguments(
        "WHAT", .line.offering(.live(.trust)),
        help: "[KIND] VALUE [SELECTOR], as 'pawl trust list' shows them")
    } run: { changing, words in
      var removed: Trust?
      do {
        return try changing.run { draft in
          let named = try matching(words, draft.trusts + appleStore + draft.ledger.distrusted())
          let found = draft.trusts.filter(named.contains)
          let isStore = named.contains { appleStore.contains($0) }
          try UsageError.demand(
            found.count <= 1, "usage.invalid/ambiguous",
            ["words": words.joined(separator: " "), "count": String(found.count)])
          removed = found.first
          if let removed {
            draft.trust(removed, false)
          } else if named.isEmpty {
            throw CommandFailure("trust.not-found", ["words": words.joined(separator: " ")])
          }
          let name = printable(words.joined(separator: " "), limit: 200)
          return Outcome(
            [("trust", removed.json)],
            removed?.kind == .approvals
              ? "Changes no longer need approval.\n"
              : "Stopped trusting \(removed?.kind.rawValue ?? "") \(removed?.value ?? "").\n",
            same: isStore
              ? "\(name) is Apple's store, which is always trusted" : "\(name) is no longer trusted already")
        }
      } catch let refusal as Refusal where refusal.id == "trust.too-few-signers" {
        guard let removed, removed.kind == .signer else { throw refusal }
        throw Refusal("trust.too-few-signers/remove", ["name": removed.value], details: refusal.details)
      }
    }
  }

  private static var appleStore: [Trust] {
    StoreURL.storeHosts.sorted().map { Trust(kind: .host, value: $0) }
  }

  /// What is spelled as the words are; where nothing is, what differs from them in capitals.
  private static func matching(_ words: [String], _ trusts: [Trust]) throws(UsageError) -> [Trust] {
    var words = words[...]
    var candidates = trusts
    if words.count > 1, let kind = words.first.flatMap(Trust.Kind.init(rawValue:)) {
      words.removeFirst()
      candidates = candidates.filter { $0.kind == kind }
    }
    guard let value = words.popFirst(), words.count <= 1 else {
      throw UsageError("usage.invalid/trust")
    }
    let selector = words.first
    func named(_ isSame: (String, String) -> Bool) -> [Trust] {
      candidates.filter { isSame($0.value, value) && isSame($0.selector, selector ?? $0.selector) }
    }
    let exact = named(==)
    return exact.isEmpty ? named { $0.lowercased() == $1.lowercased() } : exact
  }

  private static var trustList: Command {
    .query("list", summary: "List what is trusted") {
      ()
    } run: { query in
      let ledger = query.ledger
      let listed =
        try appleStore.map { ListedTrust($0, nil) }
        + ledger.trusts().map { ListedTrust($0, try ledger.event($0.event)) }
      func column(_ name: Column, _ text: @escaping (ListedTrust) -> String?) -> (
        Column, (ListedTrust) -> Cell
      )? {
        listed.contains { text($0) != nil } ? (name, { Cell(text($0) ?? "–") }) : nil
      }
      let columns: [(Column, (ListedTrust) -> Cell)?] = [
        ("KIND", { Cell($0.trust.kind.rawValue) }), ("VALUE", { Cell($0.trust.value) }),
        ("SELECTOR", { Cell($0.trust.selector) }), column("KEY", \.trust.fingerprint),
        column("UNTIL") { $0.trust.until.map(query.context.text) },
        column("BY") { $0.event.map { Actor($0).text } },
        column("SINCE") { $0.event.map { query.context.zone.text($0.at) } },
      ]
      let json = listed.map { trust, event in
        trust.json.adding([
          "at": .optional(event?.at), "by": event.map { Actor($0).json } ?? .null,
          "fingerprint": .optional(trust.fingerprint),
        ])
      }
      return try query.print(
        ["trust": .array(json)], Table(of: listed, columns.compactMap(\.self)), none: "")
    }
  }
}

extension Trust {
  /// What people compare a key by: an SSH key's fingerprint as ssh-keygen prints it, else the SHA-256 of what is pinned.
  fileprivate var fingerprint: String? {
    guard let key else { return nil }
    switch kind {
    case .signer: return SSHPublicKey(key)?.fingerprint
    case .webhook: return "sha256:\(key)"
    default: return "sha256:" + SHA256.hexadecimal(of: Array(key.utf8))
    }
  }
}

/// What is trusted, and the event that made it so; Apple's store needs none.
private typealias ListedTrust = (trust: Trust, event: EventRecord?)
