import CommandLineKit
import JSON
import Ledger

extension Command where Context == PawlContext {
  /// Makes a ledger.
  static var makeLedger: Command {
    Command(
      "init", summary: "Make a ledger",
      discussion:
        "Makes the file with rights 0640: its owner writes, its group reads. One that is there stays as it is.",
      examples: [.init("pawl init --ledger releases.db", "a ledger in this folder")],
      section: "Ledger", options: { ChangeOptions() }, parameters: { ChangeOptions.parameters }
    ) { options, call, context in
      let path = options.common.path(context)
      if options.isDryRun {
        let json: JSON = ["changed": .bool(false), "event": .null, "impact": [], "ledger": .string(path)]
        try context.print(
          options.common.isJSON
            ? json.text() + "\n" : "Dry run, nothing is made. The ledger would be '\(printable(path))'.\n")
        return .success
      }
      let (ledger, _) = try Ledger.create(path, now: context.clock())
      defer { ledger.close() }
      return try Changing(options, call, context).run(on: ledger) { draft in
        // An `init` that was interrupted leaves a ledger without its first event; this one adds it.
        if draft.isFirst { draft.make(ledger: newLedgerID()) }
      } answer: { _ in
        [("ledger", .string(path))]
      } text: { answer in
        let name = printable(answer["ledger"]?.string ?? "")
        guard answer["changed"]?.bool == true else { return "Ledger '\(name)' is there already.\n" }
        return "Made ledger '\(name)'.\nnext: pawl app add SLUG --bundle-id ID\n"
      }
    }
  }

  /// A name for a ledger that no other has: 128 random bits in hexadecimal.
  private static func newLedgerID() -> String {
    var generator = SystemRandomNumberGenerator()
    let digits = Array("0123456789abcdef")
    return String((0..<32).map { _ in digits[Int.random(in: 0..<16, using: &generator)] })
  }
}
