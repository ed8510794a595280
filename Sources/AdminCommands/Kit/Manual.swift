import CommandLineKit
import JSON

extension AdminCommands {
  /// The word with which packagers ask for the page for `man`.
  static let manualEntry = "--manual"

  /// The page for `man`, from the same table as the help.
  package static var manual: String { table.manPage(version: version, date: date) }
}

extension Command where Context == PawlContext {
  static var version: Command {
    Command("version", reach: .remote, isReadOnly: true, summary: "Print the version of pawl") {
      .common
    } run: { context, common in
      try common.print(
        ["version": .string(AdminCommands.version), "date": .string(AdminCommands.date)], context
      ) { "pawl \(AdminCommands.version)\n" }
      return .success
    }
  }
}
