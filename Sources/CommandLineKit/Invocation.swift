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
