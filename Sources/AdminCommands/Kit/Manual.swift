package import CommandLineKit
import JSON

extension AdminCommands {
  /// The word with which packagers ask for a manual page by name; without a name it lists all pages.
  static let manualEntry = "--manual"

  /// Prints a manual page, or the names of all pages.
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
  package static var manual: [ManPage] {
    table.manPages(
      version: version, date: date,
      sections: [
        ManPage.Section(
          "Environment",
          [
            ("PAWL_LEDGER", "The ledger's file, unless --ledger names one. Default: ./pawl.db."),
            ("PAWL_ACTOR", "Who asked for a change, unless --actor says so."),
            ("PAWL_ZONE", "The time zone, unless --zone names one. Default: UTC."),
            ("NO_COLOR", "If set, output has no colours."),
            ("COLUMNS", "The width to use instead of the width of the terminal."),
          ]),
        ManPage.Section(
          "Exit status",
          [
            (0, "Done, or there was nothing to do."),
            (ExitCode.refused.rawValue, "Refused by a law or for lack of approval, or the answer is no."),
            (ExitCode.usage.rawValue, "Wrong usage, or a malformed argument."),
            (
              ExitCode.data.rawValue,
              "Unusable content: a file, standard input, or a file that is not a ledger."
            ),
            (ExitCode.missing.rawValue, "No such ledger, file, app, release or event."),
            (ExitCode.defect.rawValue, "A bug in pawl."),
            (ExitCode.io.rawValue, "Input or output failed, for example because the disk is full."),
            (ExitCode.busy.rawValue, "Busy, try again."),
            (ExitCode.forbidden.rawValue, "Not permitted: file rights, or a schema that somebody altered."),
            (ExitCode.interrupted.rawValue, "Interrupted, as by Ctrl-C."),
            (ExitCode.terminated.rawValue, "Ended by SIGTERM."),
          ].map { (String($0.0), $0.1) }),
      ])
  }
}

extension Command where Context == PawlContext {
  /// Prints the version of pawl.
  static var version: Command {
    Command("version", reach: .remote, asks: true, summary: "Print the version of pawl", section: "Care") {
      .common
    } run: { context, common in
      try common.print(
        ["version": .string(AdminCommands.version), "date": .string(AdminCommands.date)], context
      ) { "pawl \(AdminCommands.version)\n" }
      return .success
    }
  }
}
