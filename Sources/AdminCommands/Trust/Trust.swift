import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Changing {
  /// - Parameter same: What to print if nothing changes.
  func trust(
    _ trust: Trust, on opened: Ledger? = nil, isTrusted: Bool = true, _ done: String, same: String,
    next: String? = nil
  ) throws -> ExitCode {
    try run(on: opened) { draft in
      if trust.kind == .webhook {
        try draft.refuseRetired(trust.value, "trust webhooks")
        try draft.refuseSharedSecret(trust)
      }
      draft.trust(trust, isTrusted)
    } answer: { _ in
      [("trust", trust.json)]
    } text: { _ in
      Said(done + ".\n", same: same, next: next)
    }
  }

  /// Asks for agreement to what is not a stricter answer, after saying why.
  func ask(_ why: String, hint: String, details: JSON = .object(JSON.Object())) throws {
    guard context.mayAsk else {
      throw CommandFailure(
        "confirm.required", "'\(command)' needs your agreement: \(why)", hint: context.agreementHint(hint),
        details: details, exit: .refused)
    }
    guard try agrees("\(why.prefix(1).uppercased())\(why.dropFirst()). ") else {
      throw CommandFailure("confirm.declined", "nothing was recorded: you did not agree", exit: .refused)
    }
  }
}

extension ChangeSet {
  /// Refuses the secret of another app's webhooks, unless both are one app at Apple.
  fileprivate func refuseSharedSecret(_ trust: Trust) throws {
    let owners = trusts.filter { $0.kind == .webhook && $0.key == trust.key && $0.value != trust.value }
    let apps = try ledger.apps()
    let appleID = apps.first { $0.slug == trust.value }?.appleID
    for app in apps where owners.contains(where: { $0.value == app.slug }) {
      guard appleID == nil || app.appleID != appleID else { continue }
      throw CommandFailure(
        "trust.secret-taken", "cannot trust the secret: it signs the webhooks of \(app.slug)",
        hint: "give each app a secret of its own at Apple", details: ["app": .string(app.slug)])
    }
  }
}

extension Command where Context == PawlContext {
  static var trust: Command {
    Command(
      "trust", summary: "List and manage trusted keys, hosts and addresses", section: "Evidence",
      usual: "list",
      subcommands: [
        trustDKIM, trustMX, trustRecipient, trustHost, trustWebhook, trustSigner, trustApprovals, trustRemove,
        trustList,
      ])
  }

  private static var trustHost: Command {
    Command(
      "host", reach: .remote, summary: "Allow URLs on a host",
      discussion: "Apple's store, apps.apple.com and itunes.apple.com, is always trusted.",
      examples: [.init("pawl trust host downloads.example.com", "for enterprise downloads")]
    ) {
      (.argument("HOST", .host, help: "The host's name"), .change)
    } run: { context, host, change in
      try Changing(change, context).trust(
        Trust(kind: .host, value: host), "URLs on \(host) are allowed", same: "\(host): already trusted")
    }
  }

  private static var trustRemove: Command {
    Command(
      "remove", reach: .remote, summary: "Stop trusting a key, host or address",
      discussion: "URLs on a host that is no longer trusted stay recorded, but no client is given them.",
      examples: [.init("pawl trust remove host downloads.example.com", "no more downloads from there")]
    ) {
      (
        .arguments(
          "WHAT", .line.offering(.live(.trust)),
          help: "[KIND] VALUE [SELECTOR], as 'pawl trust list' shows them"), .change
      )
    } run: { context, words, change in
      var removed: Trust?
      do {
        return try Changing(change, context).run { draft in
          removed = try named(words, among: draft.trusts)
          if let removed { draft.trust(removed, false) }
        } answer: { _ in
          [("trust", removed.json)]
        } text: { answer in
          Said(try (answer.value("trust") as Trust?).map(stopped) ?? nothing(of: words))
        }
      } catch LedgerError.signer(.tooFew(let signers, let approvals)) where removed?.kind == .signer {
        throw report(signers: signers, approvals: approvals, removing: removed?.value)
      }
    }
  }

  private static func stopped(_ trust: Trust) -> String {
    trust.kind == .approvals
      ? "Changes no longer need approval.\n" : "Stopped trusting \(trust.kind.rawValue) \(trust.value).\n"
  }

  private static func nothing(of words: [String]) -> String {
    let place = words.count == 1 || words.first == Trust.Kind.host.rawValue ? words.last : nil
    guard let host = place?.lowercased(), StoreURL.storeHosts.contains(host) else {
      return "Nothing of that name is trusted.\n"
    }
    return "\(host) is Apple's store, which is always trusted; nothing to record.\n"
  }

  private static func named(_ words: [String], among trusts: [Trust]) throws(UsageError) -> Trust? {
    var words = words[...]
    var candidates = trusts
    if words.count > 1, let kind = words.first.flatMap(Trust.Kind.init(rawValue:)) {
      words.removeFirst()
      candidates = candidates.filter { $0.kind == kind }
    }
    guard let value = words.popFirst(), words.count <= 1 else {
      throw UsageError(message: "give [KIND] VALUE [SELECTOR]", hint: "see 'pawl trust list'")
    }
    let selector = words.first
    let found = candidates.filter { trust in
      trust.value.lowercased() == value.lowercased() && selector.map { $0 == trust.selector } ?? true
    }
    try UsageError.demand(
      found.count <= 1, "'\(printable(value, limit: 80))' matches \(found.count) trusted items",
      hint: "add the kind, and for a key its selector")
    return found.first
  }

  private static var trustList: Command {
    Command("list", reach: .remote, asks: true, summary: "List what is trusted") {
      .common
    } run: { context, common in
      let store = StoreURL.storeHosts.sorted().map { Trust(kind: .host, value: $0) }
      let trusts = store + (try common.open(context).trusts())
      return try common.print(["trust": trusts.json], context) {
        let ends = trusts.contains { $0.until != nil }
        let rows = trusts.map { trust in
          [Cell(trust.kind.rawValue), Cell(trust.value), Cell(trust.selector)]
            + (ends ? [Cell(trust.until?.text ?? "–")] : [])
        }
        return context.table(["KIND", "VALUE", "SELECTOR"] + (ends ? ["UNTIL"] : []), rows)
      }
    }
  }
}
