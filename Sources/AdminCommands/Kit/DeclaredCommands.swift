import CommandLineKit
import JSON
import Ledger

/// What a command that only reads works with: the open ledger, and a printer of answers.
///
/// Its texts show times in the zone of the context, which `--zone` sets.
struct Query {
  let context: PawlContext
  let ledger: Ledger
  let zone: ZoneOptions
  let common: CommonOptions

  fileprivate init(_ zone: ZoneOptions, _ common: CommonOptions, _ context: PawlContext) throws {
    (self.context, self.zone, self.common) = (context, zone, common)
    context.zone = try zone.zone(for: common, context)
    ledger = try common.open(context)
  }

  @discardableResult
  func print(_ json: @autoclosure () -> JSON, text: () throws -> String) throws -> ExitCode {
    try common.print(json(), context, text: text)
  }

  /// Prints a list as a table, or for programs as JSON.
  ///
  /// - Parameters:
  ///   - none: What is printed where a table would have no rows.
  ///   - page: The table in words, where that is more than the table.
  func print(
    _ json: @autoclosure () -> JSON, _ table: Table, none: String, page: ((Table) -> String)? = nil
  ) throws -> ExitCode {
    try print(json()) { table.rows.isEmpty ? none : page?(table) ?? context.rendered(table) }
  }
}

extension Command where Context == PawlContext {
  /// A command that only reads, and runs for other hosts, too; it opens the ledger itself.
  ///
  /// - Parameter isList: Whether `NAME list` means it, too.
  static func query<each Value: Sendable>(
    _ name: String, isList: Bool = false, no: String? = nil, summary: String, discussion: String = "",
    examples: [HelpRow] = [], subcommands: (@Sendable () -> [Command])? = nil,
    parameters: @escaping @Sendable () -> (repeat Parameter<each Value>),
    run: @escaping @Sendable (Query, repeat each Value) throws -> ExitCode
  ) -> Command {
    Command<Query>(
      name, reach: .remote, isReadOnly: true, no: no, summary: summary, discussion: discussion,
      examples: examples, parameters: parameters, run: run
    ).with(usual: isList ? "list" : nil, subcommands: subcommands) {
      Parameter<(ZoneOptions, CommonOptions)>.group(.zone, .tabular) { ($0, $1) }
    } make: {
      try Query($1.0, $1.1, $0)
    }
  }
}

extension Command where Context == PawlContext {
  /// A command that changes the ledger; after its own parameters it has the options of every change.
  ///
  /// - Parameters:
  ///   - options: Those of every change, of one that needs a reason, or of one that no plan can hold.
  ///   - run: Reads what the change needs besides its arguments, and has it recorded with `Changing.run`.
  static func change<each Value: Sendable>(
    _ name: String, reach: Reach = .remote, summary: String, discussion: String = "",
    examples: [HelpRow] = [],
    options: @autoclosure @escaping @Sendable () -> Parameter<ChangeOptions> = .change,
    parameters: @escaping @Sendable () -> (repeat Parameter<each Value>),
    run: @escaping @Sendable (Changing, repeat each Value) throws -> ExitCode
  ) -> Command {
    Command<Changing>(
      name, reach: reach, summary: summary, discussion: discussion, examples: examples,
      parameters: parameters, run: run
    ).with(options) { Changing($1, $0) }
  }
}
