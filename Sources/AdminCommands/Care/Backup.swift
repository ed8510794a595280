import CommandLineKit
import JSON
import Ledger
import Platform

private struct BackupOptions: Sendable {
  var common = CommonOptions()
  var file = ""
  var replaces = false
}

extension Command where Context == PawlContext {
  /// Makes a copy.
  static var backup: Command {
    Command(
      "backup", summary: "Copy the ledger while others use it, and prove the copy",
      discussion: """
        The copy is verified and on the disk before it gets its name. How to restore one is in docs/operations.md.
        """,
      examples: [.init("pawl backup /var/backups/pawl.db --replace", "the nightly copy")],
      section: "Care", options: { BackupOptions() },
      parameters: {
        [
          .argument("FILE", .newFile, help: "Where the copy goes") { $0.file = $1 },
          .flag("--replace", help: "Take the place of a file that is there") { $0.replaces = true },
        ] + CommonOptions.parameters.pulled(\.common)
      }
    ) { options, _, context in
      guard options.file != "-" else {
        throw UsageError(
          id: "usage.invalid-value", message: "a copy of the ledger cannot go to standard output",
          hint: "name a file, or write './-' for one of that name")
      }
      try Directory.checkWay(to: options.file)
      let ledger = try options.common.open(context)
      defer { ledger.close() }
      let work = LongWork(context)
      defer { work.pause() }
      let made: BackedUp
      do {
        made = try ledger.backUp(
          to: options.file, replaces: options.replaces, now: context.clock(),
          copying: { try work.step("copying pages", $0, of: $1) },
          proving: { try work.step("proving the copy", $0, of: $1) })
      } catch let stopped as Stopped {
        throw stopped.report("no copy was made", hint: "run the same command again")
      }
      work.pause()
      if options.common.isJSON {
        try context.print(made.json(file: options.file).text() + "\n")
      } else {
        try context.print(
          "Copied \(made.events) events to '\(printable(options.file))', head \(made.head.seq) \(made.head.hash).\n"
        )
      }
      return .success
    }
  }
}

extension ValueType where Value == String {
  /// The path of a file that a command makes: `-` is refused, which stands for a stream and would become a file's name.
  static var newFile: Self {
    ValueType(completion: ValueType.path.completion) { word in
      guard word != "-" else {
        throw ValueError(
          "it is written to a file, not to standard output", hint: "write './-' for a file of that name")
      }
      return try ValueType.path.parse(word)
    }
  }
}
