import CommandLineKit
import JSON
import Ledger
import ReleaseModel

private struct HostOptions: Sendable {
  var change = ChangeOptions()
  var host = ""
}

private struct RemoveOptions: Sendable {
  var change = ChangeOptions()
  var words: [String] = []
}

extension Command where Context == PawlContext {
  /// What evidence and URLs are believed.
  static var trust: Command {
    Command(
      "trust", summary: "Manage what is believed", section: "Trust",
      subcommands: [trustDKIM, trustMX, trustRecipient, trustHost, trustWebhook, trustRemove, trustList])
  }

  private static var trustHost: Command {
    Command(
      "host", summary: "Let URLs name a host",
      discussion: "Apple's store, apps.apple.com and itunes.apple.com, is trusted without being told.",
      examples: [.init("pawl trust host downloads.example.com", "for enterprise downloads")],
      options: { HostOptions() },
      parameters: {
        [.argument("HOST", .host, help: "The host's name") { $0.host = $1 }]
          + ChangeOptions.parameters.pulled(\.change)
      }
    ) { options, call, context in
      let trust = Trust(kind: .host, value: options.host)
      return try Changing(options.change, call, context).run { draft in
        draft.trust(trust, true)
      } answer: { _ in
        [("trust", trust.json)]
      } text: { answer in
        answer["changed"]?.bool == true
          ? "URLs may name \(options.host).\n" : "\(options.host) is trusted already.\n"
      }
    }
  }

  private static var trustRemove: Command {
    Command(
      "remove", summary: "Believe something no longer",
      discussion: "URLs that name a host no longer trusted stay recorded, but no client is given them.",
      examples: [.init("pawl trust remove host downloads.example.com", "no more downloads from there")],
      options: { RemoveOptions() },
      parameters: {
        [
          .argument(
            "WHAT", .line.offering(.live(.trust)),
            help: "[KIND] VALUE [SELECTOR], as 'pawl trust list' shows them", repeatable: true
          ) {
            $0.words.append($1)
          }
        ] + ChangeOptions.parameters.pulled(\.change)
      }
    ) { options, call, context in
      var removed: Trust?
      return try Changing(options.change, call, context).run { draft in
        removed = try named(options.words, among: draft.trusts)
        if let removed { draft.trust(removed, false) }
      } answer: { _ in
        [("trust", removed?.json ?? .null)]
      } text: { answer in
        guard let trust = answer["trust"], trust != .null else { return "Nothing of that name is trusted.\n" }
        return "No longer trusts \(trust["kind"]?.string ?? "") \(trust["value"]?.string ?? "").\n"
      }
    }
  }

  /// What words name among what is trusted; nil where nothing of that name is.
  private static func named(_ words: [String], among trusts: [Trust]) throws(UsageError) -> Trust? {
    var words = words[...]
    var candidates = trusts
    if words.count > 1, let kind = words.first.flatMap(Trust.Kind.init(rawValue:)) {
      words.removeFirst()
      candidates = candidates.filter { $0.kind == kind }
    }
    guard let value = words.popFirst(), words.count <= 1 else {
      throw UsageError(message: "say [KIND] VALUE [SELECTOR]", hint: "see 'pawl trust list'")
    }
    let selector = words.first
    let found = candidates.filter { trust in
      trust.value.lowercased() == value.lowercased() && selector.map { $0 == trust.selector } ?? true
    }
    guard found.count <= 1 else {
      throw UsageError(
        message: "'\(printable(value, limit: 80))' names \(found.count) things that are trusted",
        hint: "say the kind too, and the selector of a key")
    }
    return found.first
  }

  private static var trustList: Command {
    Command(
      "list", summary: "List what is trusted", options: { CommonOptions() },
      parameters: { CommonOptions.parameters }
    ) { options, _, context in
      let store = StoreURL.storeHosts.sorted().map { Trust(kind: .host, value: $0) }
      let trusts = store + (try options.open(context).trusts())
      if options.isJSON {
        let json: JSON = ["trust": .array(trusts.map(\.json))]
        try context.print(json.text() + "\n")
        return .success
      }
      var table = Table(columns: [Column("KIND"), Column("VALUE"), Column("SELECTOR")])
      for trust in trusts {
        table.add([Cell(trust.kind.rawValue), Cell(trust.value), Cell(trust.selector)])
      }
      try context.print(context.rendered(table))
      return .success
    }
  }
}
