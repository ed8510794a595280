package import CommandLineKit
import JSON

extension AdminCommands {
  /// The word with which packagers ask for a manual page by name; without a name it lists all pages.
  static let manualEntry = "--manual"

  static func printManual(_ names: ArraySlice<String>, _ context: PawlContext) throws -> Int32 {
    guard let name = names.first else {
      try context.print(manual.map { $0.fileName + "\n" }.joined())
      return ExitCode.success.rawValue
    }
    guard names.count == 1, let page = manual.first(where: { $0.fileName == name }) else {
      throw UsageError(
        message: "there is no manual page '\(printable(name, limit: 80))'",
        hint: "see 'pawl \(manualEntry)' for their names")
    }
    try context.print(page.text)
    return ExitCode.success.rawValue
  }

  /// The pages for `man`, from the same table as the help.
  package static var manual: [ManPage] { table.manPages(version: version, date: date) }
}

extension Command where Context == PawlContext {
  static var version: Command {
    Command("version", reach: .remote, asks: true, summary: "Print the version of pawl", section: "Plumbing")
    {
      .common
    } run: { context, common in
      try common.print(
        ["version": .string(AdminCommands.version), "date": .string(AdminCommands.date)], context
      ) { "pawl \(AdminCommands.version)\n" }
      return .success
    }
  }
}
