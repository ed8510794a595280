import CommandLineKit

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
