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
    open = {
      let table = parameters()
      var slots: [ParameterSlot] = []
      for parameter in repeat each table { slots += parameter.slots }
      let known = slots
      return Opened(slots: known) { occurrences, call, name throws(UsageError) in
        var reader = ParameterReader(slots: known, occurrences: occurrences, call: call, name: name)
        let values = (repeat try (each table).read(&reader))
        return { context in
          do {
            return try run(context, repeat each values)
          } catch let error as UsageError {
            throw name.named(error)
          }
        }
      }
    }
  }
}
