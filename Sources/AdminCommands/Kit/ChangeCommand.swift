import CommandLineKit

extension Command where Context == PawlContext {
  /// A command that changes the ledger; after its own parameters it has the options of every change.
  ///
  /// - Parameters:
  ///   - options: Those of every change, of one that needs a reason, or of one that no plan can hold.
  ///   - run: Reads what the change needs besides its arguments, and has it recorded with `Changing.run`.
  static func change<each Value: Sendable>(
    _ name: String, reach: Reach = .remote, summary: String, discussion: String = "",
    examples: [Example] = [],
    options: @autoclosure @escaping @Sendable () -> Parameter<ChangeOptions> = .change,
    parameters: @escaping @Sendable () -> (repeat Parameter<each Value>),
    run: @escaping @Sendable (Changing, repeat each Value) throws -> ExitCode
  ) -> Command {
    Command(name, reach: reach, summary: summary, discussion: discussion, examples: examples) {
      () -> (Parameter<(repeat each Value)>, Parameter<ChangeOptions>) in
      let own = parameters()
      return (
        .group(repeat each own) { (values: repeat each Value) in (repeat each values) }, options()
      )
    } run: { (context: PawlContext, values: (repeat each Value), options: ChangeOptions) in
      try run(Changing(options, context), repeat each values)
    }
  }
}
