/// The action of a command with its options type erased.
///
/// Making one costs nothing: the parameters are built by `open`, which is called for the one command that was
/// selected, or for its help.
struct Action<Context>: Sendable {
  /// The parameters of a command, built.
  struct Opened: Sendable {
    let descriptions: [ParameterDescription]

    /// Parses the values and gives the closure that runs the command.
    let bind:
      @Sendable ([Occurrence], Call, CommandName) throws(UsageError) -> @Sendable (Context) throws -> ExitCode
  }

  let open: @Sendable () -> Opened

  init<Options: Sendable>(
    options: @escaping @Sendable () -> Options,
    parameters: @escaping @Sendable () -> [Parameter<Options>],
    run: @escaping @Sendable (Options, Call, Context) throws -> ExitCode
  ) {
    open = {
      let table = parameters()
      return Opened(descriptions: table.map(\.description)) { occurrences, call, name throws(UsageError) in
        var values = options()
        for occurrence in occurrences where table.indices.contains(occurrence.parameter) {
          let parameter = table[occurrence.parameter]
          do {
            try parameter.apply(&values, occurrence.value)
          } catch {
            throw name.invalid(occurrence.value, for: parameter.description, because: error)
          }
        }
        let parsed = values
        return { context in
          do {
            return try run(parsed, call, context)
          } catch var error as UsageError where error.path.isEmpty {
            error.path = call.path
            throw error
          }
        }
      }
    }
  }
}
