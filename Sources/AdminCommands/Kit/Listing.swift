import CSV
import CommandLineKit
import JSON

/// How a list is printed: every list has these options, and none has others for it.
struct ListOptions: Sendable {
  let isCSV: Bool
  let common: CommonOptions

  /// Prints a list as a table, or for programs as JSON or CSV.
  ///
  /// - Parameters:
  ///   - none: What is printed where a table would have no rows.
  ///   - page: The table in words, where that is more than the table.
  func print(
    _ json: @autoclosure () -> JSON, _ table: Table, none: String, _ context: PawlContext,
    page: ((Table) -> String)? = nil
  ) throws -> ExitCode {
    try check()
    guard isCSV else {
      return try common.print(json(), context) {
        table.rows.isEmpty ? none : page?(table) ?? context.rendered(table)
      }
    }
    let table = table.withoutNamelessColumns
    try context.print(CSVWriter.line(table.columns.map { ListOptions.name(of: $0) }))
    for row in table.rows { try context.print(CSVWriter.line(row.map { $0.text == "–" ? nil : $0.text })) }
    return .success
  }

  /// - Throws: `UsageError` for two forms at once.
  func check() throws {
    try UsageError.demand(!isCSV || !common.isJSON, together: "--csv and --json")
  }

  /// `VISIBLE FROM` is `visible_from`; a column without a title holds remarks.
  private static func name(of column: Column) -> String {
    column.title.isEmpty ? "remark" : column.title.lowercased().split(separator: " ").joined(separator: "_")
  }
}

extension Parameter where Value == ListOptions {
  static var list: Parameter {
    .group(.flag("--csv", help: "Print a table for spreadsheets", incidental: true), .tabular) {
      ListOptions(isCSV: $0, common: $1)
    }
  }
}
