import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

private struct InitOptions: Sendable {
  var change = ChangeOptions()
  var directory: String?
  var formats: [String] = []
  var hasNoExport = false
  var group: String?
}

extension Command where Context == PawlContext {
  /// Makes a ledger.
  static var makeLedger: Command {
    Command(
      "init", summary: "Make a ledger",
      discussion: """
        Makes the file with rights 0640: its owner writes, its group reads. With --group every account of the group \
        writes: the file has rights 0660, and the folder, which is made if it is not there, 2770. A ledger that is \
        there stays as it is, but for the directory for documents, which every change writes to from then on.
        """,
      examples: [
        .init("pawl init --ledger releases.db", "a ledger in this folder"),
        .init("pawl init --export /srv/documents", "and the documents after every change"),
        .init("pawl init --export /srv/documents --format v1 --format flags", "in these formats"),
        .init(
          "pawl init --ledger /var/lib/pawl/pawl.db --group release",
          "one that a group writes, in its own folder"),
      ],
      section: "Ledger", options: { InitOptions() },
      parameters: {
        [
          .option("--group", "GROUP", .line, help: "Let all accounts of a group write it, by name or number")
          {
            $0.group = $1
          },
          .option("--export", "DIR", .directory, help: "Write the documents there after every change") {
            $0.directory = $1
          },
          .option(
            "--format", "FORMAT", .exportFormat,
            help: "With --export: a format to write (default: v1); may be said again", repeatable: true
          ) { $0.formats.append($1) },
          .flag("--no-export", help: "Write no documents after a change any more") { $0.hasNoExport = true },
        ] + ChangeOptions.parameters.pulled(\.change)
      }
    ) { asked, call, context in
      let options = asked.change
      if asked.hasNoExport, asked.directory != nil {
        throw UsageError(message: "--export and --no-export contradict each other")
      }
      if asked.directory == nil, !asked.formats.isEmpty {
        throw UsageError(
          message: "--format says in which formats documents go to a directory",
          hint: "name it with --export DIR")
      }
      let group = try asked.group.map(number(ofGroup:))
      let path = options.common.path(context)
      if options.isDryRun {
        let json: JSON = ["changed": .bool(false), "event": .null, "impact": [], "ledger": .string(path)]
        try context.print(
          options.common.isJSON
            ? json.text() + "\n" : "Dry run, nothing is made. The ledger would be '\(printable(path))'.\n")
        return .success
      }
      let (ledger, _) = try Ledger.create(path, now: context.clock(), waiting: options.patience, group: group)
      defer { ledger.close() }
      var isMade = false
      var changing = Changing(options, call, context)
      if let directory = asked.directory {
        try Publication.check(directory, for: ledger)
        changing.namesDirectory = true
      }
      return try changing.run(on: ledger) { draft in
        // An `init` that was interrupted leaves a ledger without its first event; this one adds it.
        isMade = draft.isFirst
        if isMade { draft.make(ledger: newLedgerID()) }
        if let directory = asked.directory {
          try draft.publish(
            to: ReleaseModel.Publication(
              directory: absolute(directory),
              formats: Publication.formats(asked.formats, after: try draft.publication())))
        }
        if asked.hasNoExport { try draft.publish(to: nil) }
      } answer: { draft in
        [
          ("ledger", .string(path)), ("export", .optional(try draft.publication()?.directory)),
          ("formats", try draft.publication()?.formats.map { .array($0.map(JSON.string)) } ?? .null),
          ("made", .bool(isMade)),
        ]
      } text: { answer in
        let name = printable(answer["ledger"]?.string ?? "")
        guard answer["changed"]?.bool == true else { return "Ledger '\(name)' is there already.\n" }
        let documents = answer["export"]?.string.map { "Documents go to '\(printable($0))'.\n" } ?? ""
        guard answer["made"]?.bool == true else {
          return documents.isEmpty ? "Changes write no documents any more.\n" : documents
        }
        return "Made ledger '\(name)'.\n\(documents)next: pawl app add SLUG --bundle-id ID\n"
      }
    }
  }

  /// A directory as it is called wherever a command is run; it need not be there yet.
  private static func absolute(_ path: String) throws -> String {
    path.hasPrefix("/") ? path : try currentDirectory() + "/" + path
  }

  private static func number(ofGroup name: String) throws -> UInt32 {
    guard let number = groupNumber(name) else {
      throw Report(
        "group.not-found", "there is no group '\(printable(name, limit: 100))'",
        hint: "name one of /etc/group, or write its number", exit: .missing)
    }
    return number
  }

  /// A name for a ledger that no other has: 128 random bits in hexadecimal.
  private static func newLedgerID() -> String {
    var generator = SystemRandomNumberGenerator()
    let digits = Array("0123456789abcdef")
    return String((0..<32).map { _ in digits[Int.random(in: 0..<16, using: &generator)] })
  }
}
