/// The former way to give a command its values: a structure of options that each parameter sets a part of.
///
/// To be taken away with the last command that uses it.
package struct Setter<Options: Sendable>: Sendable {
  let slots: [ParameterSlot]
  let apply: @Sendable (inout Options, inout ParameterReader) throws(UsageError) -> Void

  private init<Value: Sendable>(
    _ parameter: Parameter<Value>, _ set: @escaping @Sendable (inout Options, Value) -> Void
  ) {
    slots = parameter.slots
    apply = { options, reader throws(UsageError) in set(&options, try parameter.read(&reader)) }
  }

  /// A structure made by a parameter of its own.
  package static func whole(_ parameter: Parameter<Options>) -> Setter { Setter(parameter) { $0 = $1 } }

  /// An option with a value.
  package static func option<Value: Sendable>(
    _ name: String, _ valueName: String, _ type: ValueType<Value>, help: String, required: Bool = false,
    repeatable: Bool = false, _ set: @escaping @Sendable (inout Options, Value) -> Void
  ) -> Setter {
    if required { return Setter(.requiredOption(name, valueName, type, help: help), set) }
    if !repeatable {
      return Setter(Parameter<Value?>.option(name, valueName, type, help: help)) { options, value in
        if let value { set(&options, value) }
      }
    }
    return Setter(Parameter<[Value]>.options(name, valueName, type, help: help)) { options, values in
      for value in values { set(&options, value) }
    }
  }

  /// An option without a value.
  package static func flag(
    _ name: String, help: String, _ set: @escaping @Sendable (inout Options) -> Void
  ) -> Setter {
    Setter(Parameter<Bool>.flag(name, help: help)) { options, isGiven in if isGiven { set(&options) } }
  }

  /// A bare word.
  package static func argument<Value: Sendable>(
    _ name: String, _ type: ValueType<Value>, help: String, required: Bool = true, repeatable: Bool = false,
    _ set: @escaping @Sendable (inout Options, Value) -> Void
  ) -> Setter {
    if repeatable {
      return Setter(Parameter<[Value]>.arguments(name, type, help: help, required: required)) {
        options, values in
        for value in values { set(&options, value) }
      }
    }
    if required { return Setter(.argument(name, type, help: help), set) }
    return Setter(Parameter<Value?>.optionalArgument(name, type, help: help)) { options, value in
      if let value { set(&options, value) }
    }
  }

  private init<Inner: Sendable>(
    _ inner: Setter<Inner>, _ path: any WritableKeyPath<Options, Inner> & Sendable
  ) {
    slots = inner.slots
    apply = { options, reader throws(UsageError) in try inner.apply(&options[keyPath: path], &reader) }
  }

  fileprivate func pulled<Outer: Sendable>(_ path: any WritableKeyPath<Outer, Options> & Sendable) -> Setter<
    Outer
  > {
    Setter<Outer>(self, path)
  }
}

extension Array {
  /// The same for an outer structure that contains theirs.
  package func pulled<Outer: Sendable, Options: Sendable>(
    _ path: any WritableKeyPath<Outer, Options> & Sendable
  ) -> [Setter<Outer>] where Element == Setter<Options> {
    map { $0.pulled(path) }
  }
}

extension Command {
  /// A leaf, or a group with an action of its own, whose values go into one structure.
  package init<Options: Sendable>(
    _ name: String, summary: String, discussion: String = "", examples: [Example] = [],
    section: String? = nil, subcommands: [Command] = [],
    options: @escaping @Sendable () -> Options,
    parameters: @escaping @Sendable () -> [Setter<Options>],
    run: @escaping @Sendable (Options, Call, Context) throws -> ExitCode
  ) {
    self.init(
      name, summary: summary, discussion: discussion, examples: examples, section: section,
      subcommands: subcommands
    ) {
      let table = parameters()
      return (
        Parameter<Options>(slots: table.flatMap(\.slots)) { reader throws(UsageError) in
          var values = options()
          for setter in table { try setter.apply(&values, &reader) }
          return values
        }, Parameter<Call>.call
      )
    } run: { context, options, call in
      try run(options, call, context)
    }
  }
}
