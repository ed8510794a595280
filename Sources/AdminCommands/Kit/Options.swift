import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

/// The options of every command.
struct CommonOptions: Sendable {
  var ledger: String?
  var isJSON = false

  static var parameters: [Parameter<CommonOptions>] {
    [
      .option(
        "--ledger", "PATH", .path, help: "The ledger's file (else PAWL_LEDGER, else ./pawl.db)",
        section: "Common options", incidental: true
      ) { $0.ledger = $1 },
      .flag("--json", help: "Print one JSON object", section: "Common options", incidental: true) {
        $0.isJSON = true
      },
    ]
  }

  /// The ledger's file.
  func path(_ context: PawlContext) -> String { ledger ?? context.environment("PAWL_LEDGER") ?? "pawl.db" }

  /// Opens the ledger to answer a question.
  func open(_ context: PawlContext) throws -> Ledger {
    try open(context, for: .reading)
  }

  /// Opens the ledger, until the end of the process where that is near.
  ///
  /// - Throws: `LedgerError`.
  fileprivate func open(
    _ context: PawlContext, for access: Ledger.Access, waiting patience: Double = Ledger.usualPatience
  ) throws -> Ledger {
    let ledger = try Ledger.open(path(context), for: access, now: context.clock(), waiting: patience)
    if context.endsAfterwards { ledger.leaveOpen() }
    return ledger
  }
}

/// The options of every command that changes the ledger.
struct ChangeOptions: Sendable {
  var common = CommonOptions()
  var reason: String?
  var actor: String?
  var requestID: String?
  var expectedHead: Int64?
  var isDryRun = false
  var isAgreed = false
  var wait = TimeSpan(seconds: Int64(Ledger.usualPatience))

  /// How many seconds to wait for others who change the ledger.
  var patience: Double { Double(wait.seconds) }

  /// Opens the ledger to change it.
  ///
  /// - Throws: `LedgerError`.
  func open(_ context: PawlContext) throws -> Ledger {
    try common.open(context, for: .writing, waiting: patience)
  }

  static var parameters: [Parameter<ChangeOptions>] {
    [
      .option("--reason", "TEXT", .line, help: "Why, for the record", section: "Change options") {
        $0.reason = $1
      },
      .option(
        "--actor", "NAME", .line, help: "Who asked for it, beside the system's user (else PAWL_ACTOR)",
        section: "Change options"
      ) { $0.actor = $1 },
      .option(
        "--request-id", "ID", .line,
        help: "Make it safe to try again: the same id has one effect and one answer",
        section: "Change options", incidental: true
      ) { $0.requestID = $1 },
      .option(
        "--expect-head", "SEQ", .integer(0...Int.max),
        help: "Refuse if the ledger has moved on from this event",
        section: "Change options"
      ) { $0.expectedHead = Int64($1) },
      .flag(
        "--dry-run", help: "Say what would happen and record nothing", section: "Change options",
        incidental: true
      ) { $0.isDryRun = true },
      .flag(
        "--yes", help: "Agree to harsher answers without being asked", section: "Change options",
        incidental: true
      ) { $0.isAgreed = true },
      .option(
        "--wait", "SPAN", .span,
        help: "How long to wait for others who change the ledger; 10s if not said, 0 not at all",
        section: "Change options", incidental: true
      ) { $0.wait = $1 },
    ] + CommonOptions.parameters.pulled(\.common)
  }
}

extension ValueType where Value == String {
  /// A text of one line that says something.
  static var line: Self {
    ValueType { text throws(ValueError) in
      guard text.utf8.contains(where: { $0 > 0x20 }) else { throw ValueError("it says nothing") }
      guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
        throw ValueError("it holds a control character", hint: "write it in one line")
      }
      guard text.utf8.count <= 1_000 else { throw ValueError("it is longer than 1,000 bytes") }
      return text
    }
  }
}
