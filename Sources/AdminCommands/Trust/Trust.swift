import CommandLineKit
import JSON
import Ledger

private struct HostOptions: Sendable {
  var change = ChangeOptions()
  var host = ""
}

extension Command where Context == PawlContext {
  /// What evidence and URLs are believed.
  static var trust: Command {
    Command(
      "trust", summary: "Manage what URLs are believed", section: "Trust",
      subcommands: [trustHost, trustRemove, trustList])
  }

  private static func parameters() -> [Parameter<HostOptions>] {
    [.argument("HOST", .host, help: "The host's name") { $0.host = $1 }]
      + ChangeOptions.parameters.pulled(\.change)
  }

  private static var trustHost: Command {
    Command(
      "host", summary: "Let URLs name a host",
      discussion: "Apple's store, apps.apple.com and itunes.apple.com, is trusted without being told.",
      examples: [.init("pawl trust host downloads.example.com", "for enterprise downloads")],
      options: { HostOptions() }, parameters: { parameters() }
    ) { options, call, context in
      try Changing(options.change, call, context).run { draft in
        draft.trust(host: options.host, true)
      } answer: { _ in
        [("host", .string(options.host))]
      } text: { answer in
        answer["changed"]?.bool == true
          ? "URLs may name \(options.host).\n" : "\(options.host) is trusted already.\n"
      }
    }
  }

  private static var trustRemove: Command {
    Command(
      "remove", summary: "No longer let URLs name a host",
      discussion: "URLs that name it stay recorded, but no client is given them.",
      options: { HostOptions() }, parameters: { parameters() }
    ) { options, call, context in
      try Changing(options.change, call, context).run { draft in
        draft.trust(host: options.host, false)
      } answer: { _ in
        [("host", .string(options.host))]
      } text: { answer in
        answer["changed"]?.bool == true
          ? "URLs may no longer name \(options.host).\n" : "\(options.host) is not trusted.\n"
      }
    }
  }

  private static var trustList: Command {
    Command(
      "list", summary: "List what is trusted", options: { CommonOptions() },
      parameters: { CommonOptions.parameters }
    ) { options, _, context in
      let hosts = try options.open(context).hosts().sorted()
      if options.isJSON {
        let json: JSON = ["trust": .array(hosts.map { ["kind": "host", "value": .string($0)] })]
        try context.print(json.text() + "\n")
        return .success
      }
      try context.print(hosts.map { "host  \($0)\n" }.joined())
      return .success
    }
  }
}
