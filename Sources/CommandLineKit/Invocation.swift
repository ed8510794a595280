/// A command whose parameters are parsed, ready to run.
package struct Invocation<Context>: Sendable {
  /// What was said, in canonical form.
  package let call: Call

  /// Runs the command and gives the status to exit with.
  ///
  /// Throws what the command throws; a `UsageError` without a path gets this command's.
  package let run: @Sendable (Context) throws -> ExitCode
}
