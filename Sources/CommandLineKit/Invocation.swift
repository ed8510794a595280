/// A command whose parameters are parsed, ready to run.
package struct Invocation<Context>: Sendable {
  /// One parameter that was given, with what was written for it; nil for a flag.
  package struct Given: Sendable {
    package let parameter: ParameterDescription
    package let value: String?
  }

  /// What was said, in canonical form.
  package let call: Call

  /// All parameters of the command, in the table's order.
  package let parameters: [ParameterDescription]

  /// Those that were given, the incidental ones too, in canonical order.
  package let given: [Given]

  /// Runs the command and gives the status to exit with.
  ///
  /// Throws what the command throws; a `UsageError` without a path gets this command's.
  package let run: @Sendable (Context) throws -> ExitCode

  /// What was written for a parameter; nil where it was not given, and for a flag.
  package func value(of name: String) -> String? {
    given.first { $0.parameter.name == name }?.value
  }
}

/// What was said, in canonical form: two ways of writing the same command are equal.
///
/// The words stand in the order of the command's table, then in their order of occurrence; incidental
/// parameters, such as those of output, are left out.
package struct Call: Sendable, Equatable {
  /// One parameter that was given.
  package struct Word: Sendable, Equatable {
    /// The parameter's name: "--bundle-id", "VERSION".
    package let name: String
    /// The value as written; nil for a flag.
    package let value: String?

    /// Names a parameter and what was written for it.
    package init(name: String, value: String?) {
      self.name = name
      self.value = value
    }
  }

  /// The command's names without the tool's own: `["app", "add"]`.
  package let path: [String]

  /// The parameters given, in canonical order.
  package let words: [Word]

  /// Puts a call together; the words are taken to be in canonical order.
  package init(path: [String], words: [Word]) {
    self.path = path
    self.words = words
  }
}

/// What a list of words asks for.
package enum Outcome<Context>: Sendable {
  /// The help page of a command, made of whole lines.
  case help(path: [String], text: String)
  /// A command to run.
  case run(Invocation<Context>)
}

/// The status a process ends with, after the customs of `sysexits.h`.
package struct ExitCode: RawRepresentable, Sendable, Hashable {
  /// The number handed to the system, which keeps its low eight bits.
  package let rawValue: Int32

  /// Wraps a status, whatever its number.
  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// All went well: 0.
  package static let success = ExitCode(rawValue: 0)

  /// The command was written wrong (`EX_USAGE`): 64.
  package static let usage = ExitCode(rawValue: 64)
}
