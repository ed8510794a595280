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
  private let list: ListOptions

  fileprivate init(_ asked: Asked, _ context: PawlContext) throws {
    try asked.list.check()
    (self.context, zone, list) = (context, asked.zone, asked.list)
    context.zone = try zone.zone(for: list.common, context)
    ledger = try list.common.open(context)
  }

  var common: CommonOptions { list.common }
  var isCSV: Bool { list.isCSV }

  @discardableResult
  func print(_ json: @autoclosure () -> JSON, text: () throws -> String) throws -> ExitCode {
    try list.common.print(json(), context, text: text)
  }

  /// Prints a list as a table, or for programs as JSON or CSV; `none` where a table would have no rows.
  func print(
    _ json: @autoclosure () -> JSON, _ table: Table, none: String, page: ((Table) -> String)? = nil
  ) throws -> ExitCode {
    try list.print(json(), table, none: none, context, page: page)
  }
}

/// The options that all queries have.
private struct Asked: Sendable {
  let zone: ZoneOptions
  let list: ListOptions
}

extension Command where Context == PawlContext {
  /// A command that only reads, and runs for other hosts, too; it opens the ledger itself.
  ///
  /// - Parameter isList: Whether the answer is one table, which `--csv` prints for spreadsheets.
  static func query<each Value: Sendable>(
    _ name: String, isList: Bool = false, no: String? = nil, summary: String, discussion: String = "",
    examples: [HelpRow] = [], parameters: @escaping @Sendable () -> (repeat Parameter<each Value>),
    run: @escaping @Sendable (Query, repeat each Value) throws -> ExitCode
  ) -> Command {
    Command<Query>(
      name, reach: .remote, isReadOnly: true, no: no, summary: summary, discussion: discussion,
      examples: examples, parameters: parameters, run: run
    ).with {
      let list: Parameter<ListOptions> =
        isList ? .list : Parameter<CommonOptions>.tabular.map { ListOptions(isCSV: false, common: $0) }
      return Parameter<Asked>.group(.zone, list) { Asked(zone: $0, list: $1) }
    } make: {
      try Query($1, $0)
    }
  }
}
