import CommandLineKit
import JSON
import Ledger
import ReleaseModel

struct CommonOptions: Sendable, Equatable {
  var ledger: String?
  var isJSON = false

  func path(_ context: PawlContext) -> String { ledger ?? context.environment("PAWL_LEDGER") ?? "pawl.db" }

  /// Opens the ledger, and leaves it open if the process ends with the command.
  func open(
    _ context: PawlContext, for access: Ledger.Access = .reading,
    waiting patience: Double = Ledger.usualPatience
  ) throws -> Ledger {
    let ledger = try Ledger.open(path(context), for: access, now: context.clock(), waiting: patience)
    ledger.machine = context.machine
    if context.endsAfterwards { ledger.leaveOpen() }
    return ledger
  }

  /// Prints an answer in the requested form.
  ///
  /// - Parameter isExact: Whether programs read the text too, so that its lines must not be broken.
  @discardableResult
  func print(
    _ json: @autoclosure () -> JSON, _ context: PawlContext, isExact: Bool = false, text: () throws -> String
  ) throws -> ExitCode {
    try context.print(isJSON ? json().text() + "\n" : isExact ? text() : context.page(text()))
    return .success
  }
}

extension Parameter where Value == CommonOptions {
  static var common: Parameter {
    .group(
      .option(
        "--ledger", "PATH", .anyPath, help: "The ledger's file; default: PAWL_LEDGER, else ./pawl.db",
        section: "Common options", incidental: true),
      .flag(
        "--json", help: "Print one JSON object", section: "Common options", incidental: true,
        forPrograms: true),
      .flag("--no-input", help: "Ask nothing", section: "Common options", incidental: true),
      .flag(
        "--no-pager", help: "Show long answers without a pager", section: "Common options", incidental: true),
      .flag("--no-color", help: "Print without colours", section: "Common options", incidental: true)
    ) { ledger, isJSON, _, _, _ in CommonOptions(ledger: ledger, isJSON: isJSON) }
  }

  /// The common options, for commands that answer with tables.
  static var tabular: Parameter {
    .group(
      .flag(
        markdownOption,
        help: "Print the text as a block of Markdown, for a comment or the summary of a pipeline",
        section: "Common options", incidental: true), .common
    ) { $1 }
  }

  static var markdownOption: String { "--markdown" }
}

/// The options of every command that changes the ledger.
struct ChangeOptions: Sendable, Equatable {
  var call: Call
  var reason: String?
  var actor: String?
  var requestID: String?
  var expectedHead: Int?
  var isDryRun = false
  /// Whether `--yes` is given; what counts is `isAgreed(_:)`.
  var saysYes = false
  var wait = ChangeOptions.usualWait
  var isClockAccepted = false
  /// Whether previews list every range; nil if the command has no option for it.
  var listsAll: Bool?
  /// The file to which the change is written as a plan, instead of being recorded.
  var plan: String?
  var common = CommonOptions()

  var showsAll: Bool { listsAll ?? false }

  /// What shows every range of a preview.
  var moreRanges: String { listsAll == nil ? "--json" : "--all" }

  /// How many seconds to wait for others who are changing the ledger.
  var patience: Double { Double(wait.seconds) }

  fileprivate static var usualWait: TimeSpan { TimeSpan(seconds: Int64(Ledger.usualPatience)) }

  /// Whether the caller has agreed beforehand to what needs agreement, and may agree to it.
  func isAgreed(_ context: PawlContext) -> Bool { saysYes && context.mayAgree }

  /// The options of a plan's command where another command, with options of its own, applies the plan.
  func applied(by options: ChangeOptions) -> ChangeOptions {
    var applied = options
    (applied.call, applied.reason) = (call, reason)
    return applied
  }

  func open(_ context: PawlContext) throws -> Ledger {
    try common.open(context, for: .writing, waiting: patience)
  }
}

extension Parameter where Value == ChangeOptions {
  static var change: Parameter { change(plan: plan) }

  /// The same, for a change that no one makes without saying why.
  static var reasonedChange: Parameter {
    change(
      reason: Parameter<String>.requiredOption("--reason", "TEXT", .line, help: "Why, for the record").map {
        Optional($0)
      }, plan: plan)
  }

  private static var plan: Parameter<String?> {
    .option(
      "--plan", "FILE", .anyPath.naming(.output),
      help: "Write the change as a plan that people can sign, and record nothing; - for standard output",
      section: changeSection, incidental: true)
  }

  /// The same, for a change whose `--all` means all apps.
  static var changeOfApps: Parameter { change(all: Parameter<Call>.call.map { _ in nil }, plan: plan) }

  /// The change options for what no plan can hold: evidence, what concerns only this host, and `plan apply`
  /// itself.
  static var unplannedChange: Parameter { change(plan: Parameter<Call>.call.map { _ in nil }) }

  private static var changeSection: String { "Change options" }

  private static func change(
    reason: Parameter<String?> = .option(
      "--reason", "TEXT", .line, help: "Why, for the record", section: changeSection),
    all: Parameter<Bool?> = Parameter<Bool>.flag(
      "--all", help: "List every range of versions in the preview", section: changeSection, incidental: true
    ).map { $0 },
    plan: Parameter<String?>
  ) -> Parameter {
    let section = changeSection
    return .group(
      .call, reason,
      .option(
        "--actor", "NAME", .line, help: "On whose behalf you act; default: PAWL_ACTOR",
        section: section),
      .option(
        "--request-id", "ID", .line,
        help: "Make it safe to retry: the same id has one effect and one answer", section: section,
        incidental: true),
      .option(
        "--expect-head", "SEQ", .integer(0...Int.max),
        help: "Refuse if the ledger has moved on from this event", section: section, transient: true),
      .flag(
        "--dry-run", help: "Show what would happen, and record nothing", section: section, incidental: true),
      .flag(
        "--yes", short: Character("y"), help: "Confirm stricter answers without being asked",
        section: section,
        incidental: true),
      Parameter<TimeSpan?>.option(
        "--wait", "SPAN", .span,
        help: "How long to wait for other changes to finish; default: 10s; 0 means do not wait",
        section: section, incidental: true
      ).map { $0 ?? ChangeOptions.usualWait },
      .flag(
        "--accept-clock",
        help:
          "Record although the clock looks wrong (180 days after the last event, or before pawl's own date)",
        section: section, incidental: true),
      all, plan, .tabular, make: ChangeOptions.init)
  }
}

extension Parameter where Value == String {
  static var app: Parameter { .argument("APP", .slug, help: "The app") }
}

extension Parameter where Value == String? {
  static var oneApp: Parameter { .optionalArgument("APP", .slug, help: "One app only") }
}

extension Parameter where Value == Version {
  static var release: Parameter { .argument("VERSION", .version, help: "The release") }
}

extension ValueType where Value == String {
  static var line: Self {
    ValueType { text throws(UsageError) in
      guard text.utf8.contains(where: { $0 > 0x20 }) else { throw UsageError("usage.invalid-value/blank") }
      guard text.isPlain, !text.utf8.contains(where: { $0 < 0x20 }) else {
        throw UsageError("usage.invalid-value/control")
      }
      guard text.utf8.count <= 1_000 else { throw UsageError("usage.invalid-value/long") }
      return text
    }
  }
}
