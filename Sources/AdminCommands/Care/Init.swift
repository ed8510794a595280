import CommandLineKit
import Crypto
import Export
import JSON
import Ledger
import Platform
import ReleaseModel

extension Command where Context == PawlContext {
  static var makeLedger: Command {
    Command(
      "init", reach: .remote, summary: "Create a ledger",
      discussion: """
        Creates the file with mode 0640: its owner can write it, its group can read it. With --group, \
        every account in the group can write it: the file gets mode 0660, and its folder, which is created \
        if missing, 2770. On an existing ledger, it sets where (or whether) changes write documents, and makes altered views anew.
        """,
      examples: [
        .init("pawl init --ledger releases.db", "a ledger in this folder"),
        .init("pawl init --export /srv/documents", "and write documents after every change"),
        .init("pawl init --export /srv/documents --format v1 --format flags", "in these formats"),
        .init(
          "pawl init --ledger /var/lib/pawl/pawl.db --group release",
          "one that a group can write, in a folder of its own"),
      ]
    ) {
      (
        .option(
          "--group", "GROUP", .line, help: "Let every account in this group (a name or number) write it"),
        .option("--export", "DIR", .directory, help: "Write the documents there after every change"),
        .options(
          "--format", "FORMAT", .exportFormat,
          help: "With --export: a format to write; default: v1"),
        .signing, .flag("--no-export", help: "Stop writing documents after changes"), .unplannedChange
      )
    } run: { context, group, directory, formats, key, hasNoExport, options in
      try UsageError.demand(!hasNoExport || directory == nil, together: "--export and --no-export")
      for (option, isGiven) in [("--format", !formats.isEmpty), ("--sign", key != nil)] {
        try UsageError.demand(!isGiven || directory != nil, option, needs: "--export DIR")
      }
      let isSigned = formats.isEmpty || formats.contains { ExportFormats.named($0)?.isSigned == true }
      try UsageError.demand(key == nil || isSigned, "usage.invalid/sign")
      let group = try group.map(number(ofGroup:))
      let path = options.common.path(context)
      if options.isDryRun, try Ledger.isToBeMade(path, group: group) {
        let publication = try directory.map {
          Publication(directory: try absolute($0), formats: DocumentExport.formats(formats, after: nil))
        }
        let head = Head(seq: 0, hash: EventRecord.genesis, at: nil)
        let answer: Outcome.Members =
          [("changed", .bool(true)), ("event", .null), ("head", head.json), ("impact", []), ("warnings", [])]
          + members(path, publication, isMade: true)
        return try options.common.print(.object(JSON.Object(answer)), context) {
          "Dry run: nothing was created. The ledger would be '\(printable(path))'.\n"
        }
      }
      let ledger =
        try options.isDryRun
        ? options.open(context)
        : Ledger.create(path, now: context.clock(), waiting: options.patience, group: group).ledger
      ledger.machine = context.machine
      let views = try options.isDryRun ? ledger.alteredViews() : ledger.restoreViews()
      let changing = Changing(options, context, on: ledger)
      if let directory {
        try DocumentExport.check(directory, for: ledger)
        changing.namesDirectory = true
        if !options.isDryRun {
          changing.keepBesideLedger = try keeping(
            key, DocumentExport.formats(formats, after: ledger.publication()), ledger, context)
        }
      }
      if hasNoExport { changing.keepBesideLedger = { try DocumentKey.keep(nil, for: ledger, context) } }
      // What lies there prompts on, so that a stop has to name it.
      if directory != nil || hasNoExport, !options.isDryRun,
        let left = try DocumentExport.publication(of: ledger)
      {
        Elsewhere.note(left.directory, of: ledger)
      }
      return try changing.run { draft in
        // An `init` that was interrupted leaves a ledger without its first event; this one adds it.
        let isMade = draft.isFirst
        if isMade { draft.make(ledger: newLedgerID()) }
        if let directory {
          try draft.publish(
            to: Publication(
              directory: absolute(directory),
              formats: DocumentExport.formats(formats, after: try draft.publication())))
        }
        if hasNoExport { try draft.publish(to: nil) }
        let named = try draft.publication()
        let isCopied = try named?.isCopied == true && DocumentExport.publication(of: ledger) == nil
        let documents = (isCopied ? nil : named).map { "Documents go to '\(printable($0.directory))'.\n" }
        return Outcome(
          members(path, isCopied ? nil : named, isMade: isMade),
          isMade
            ? "Created ledger '\(printable(path))'.\n\(documents ?? "")"
            : documents ?? "Changes no longer write documents.\n",
          same: "Ledger '\(printable(path))' already exists",
          next: isMade ? "pawl app add APP --bundle-id ID" : nil,
          warnings: views.isEmpty
            ? [] : ["views that were missing or altered are made anew: \(views.joined(separator: ", "))"])
      }
    }
  }

  private static func members(
    _ path: String, _ publication: Publication?, isMade: Bool
  ) -> Outcome.Members {
    [
      ("ledger", path.json), ("export", (publication?.directory).json),
      ("formats", (publication?.formats).json), ("made", isMade.json),
    ]
  }

  /// What keeps the name of the key that signs documents in some formats from now on, or of none; refuses one that cannot.
  private static func keeping(
    _ key: DocumentKey?, _ formats: [String], _ ledger: Ledger, _ context: PawlContext
  ) throws -> () throws -> Void {
    let isSigned = ExportFormats.all.contains { $0.isSigned && formats.contains($0.name) }
    guard isSigned else {
      try UsageError.demand(key == nil, "usage.invalid/sign")
      return { try DocumentKey.keep(nil, for: ledger, context) }
    }
    guard let key else {
      if try DocumentKey.named(for: ledger, context) != nil { return {} }
      throw UsageError(
        "usage.invalid/needs",
        ["options": "format v1-signed", "other": "--sign KEY; make one with 'pawl key new KEY'"])
    }
    _ = try key.signer()
    let named = DocumentKey(path: try absolute(key.path), lifetime: key.lifetime)
    return { try DocumentKey.keep(named, for: ledger, context) }
  }

  private static func absolute(_ path: String) throws -> String {
    path.hasPrefix("/") ? path : try currentDirectory() + "/" + path
  }

  private static func number(ofGroup name: String) throws -> UInt32 {
    guard let number = groupNumber(name) else { throw CommandFailure("group.not-found", ["name": name]) }
    return number
  }

  /// A unique name for a ledger: 128 random bits in hexadecimal.
  private static func newLedgerID() -> String {
    hexadecimalText((0..<16).map { _ in UInt8.random(in: .min ... .max) })
  }
}
