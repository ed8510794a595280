/// The action of a command, with the types of its parameters erased.
///
/// `open` builds the parameters, and is called only for the selected command, or for its help.
struct Action<Context>: Sendable {
  struct Opened: Sendable {
    let slots: [ParameterSlot]

    let bind:
      @Sendable ([Occurrence], Call, CommandName) throws(UsageError) -> @Sendable (Context) throws -> ExitCode
  }

  let open: @Sendable () -> Opened

  init<each Value: Sendable>(
    parameters: @escaping @Sendable () -> (repeat Parameter<each Value>),
    run: @escaping @Sendable (Context, repeat each Value) throws -> ExitCode
  ) {
    self.init(sharing: { Parameter<Void>(slots: []) { _ in } }, parameters: parameters) {
      (context: Context, _: Void, values: repeat each Value) in
      try run(context, repeat each values)
    }
  }

  init<Shared: Sendable, each Value: Sendable>(
    sharing: @escaping @Sendable () -> Parameter<Shared>,
    parameters: @escaping @Sendable () -> (repeat Parameter<each Value>),
    run: @escaping @Sendable (Context, Shared, repeat each Value) throws -> ExitCode
  ) {
    open = {
      let (table, shared) = (parameters(), sharing())
      var slots: [ParameterSlot] = []
      for parameter in repeat each table { slots += parameter.slots }
      let known = slots + shared.slots
      return Opened(slots: known) { occurrences, call, name throws(UsageError) in
        var reader = ParameterReader(slots: known, occurrences: occurrences, call: call, name: name)
        let values = (repeat try (each table).read(&reader))
        let own = try shared.read(&reader)
        return { context in
          do {
            return try run(context, own, repeat each values)
          } catch let error as UsageError {
            throw name.named(error)
          }
        }
      }
    }
  }
}
