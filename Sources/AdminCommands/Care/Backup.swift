import CommandLineKit
import Ledger
import Platform
import ReleaseModel

extension Command where Context == PawlContext {
  static var backup: Command {
    Command(
      "backup", reach: .remote, summary: "Copy the ledger while it is in use, and verify the copy",
      discussion: """
        The copy is verified and flushed to disk before it gets its name. It names no directory for \
        documents, unless it is put back in the place of this file. 'pawl help restore-a-backup' \
        says how to restore one.
        """,
      examples: [.init("pawl backup /var/backups/pawl.db --replace", "the nightly copy")]
    ) {
      (
        .argument("FILE", .newFile.naming(.host), help: "Where to write the copy"),
        .flag("--replace", help: "Replace an existing file"), .common
      )
    } run: { context, file, replaces, common in
      try Directory.checkWay(to: file)
      let ledger = try common.open(context)
      let recording = Recording(
        actor: Attribution(context: context, claimed: nil).json, reason: "a copy", clock: context.clock(),
        command: "pawl backup")
      let made = try context.working(ifStopped: "no copy was made") { work in
        try ledger.backUp(
          to: file, replaces: replaces, recording: recording, between: { try work.step() })
      }
      return try common.print(made.json(file: file), context) {
        "Copied \(made.events) events to '\(printable(file))', head \(made.head.seq):\(made.head.hash).\n"
          + (made.ledgerHead == made.head
            ? ""
            : "The last one says that it is a copy; the ledger's own head is \(made.ledgerHead.seq):\(made.ledgerHead.hash).\n")
      }
    }
  }
}

extension ValueType where Value == String {
  /// The path of a file that a command makes: `-` stands for a stream, so it is refused as a file's name.
  static var newFile: Self {
    ValueType(completion: .file, path: .output) { word in
      guard word != "-" else { throw UsageError("usage.invalid-value/output") }
      return try ValueType.path.parse(word)
    }
  }
}
