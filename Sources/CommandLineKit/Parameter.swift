/// One option, flag or argument of a command, and where its value goes.
package struct Parameter<Options>: Sendable {
  /// What can be said of it without knowing its types.
  package let description: ParameterDescription

  /// Parses a word and sets the value; the word is nil for a flag.
  let apply: @Sendable (inout Options, String?) throws -> Void

  /// An option with a value: `--reason TEXT` or `--reason=TEXT`.
  ///
  /// `set` is called once an occurrence; one that is not repeatable occurs at most once. What it throws is
  /// reported as a wrong value.
  package static func option<Value>(
    _ name: String, _ valueName: String, _ type: ValueType<Value>, help: String,
    section: String = "Options", required: Bool = false, repeatable: Bool = false, incidental: Bool = false,
    _ set: @escaping @Sendable (inout Options, Value) throws -> Void
  ) -> Parameter {
    Parameter(
      description: ParameterDescription(
        kind: .option, name: name, short: nil, valueName: valueName, help: help, section: section,
        required: required, repeatable: repeatable, allowed: type.allowed, completion: type.completion,
        incidental: incidental)
    ) { options, word in
      try set(&options, type.parse(word ?? ""))
    }
  }

  /// An option without a value: `--force`, with a letter `-f` as well.
  ///
  /// The letter cannot be a digit, which would hide negative numbers, nor `h`, which asks for help.
  package static func flag(
    _ name: String, short: Character? = nil, help: String, section: String = "Options",
    incidental: Bool = false, _ set: @escaping @Sendable (inout Options) throws -> Void
  ) -> Parameter {
    Parameter(
      description: ParameterDescription(
        kind: .flag, name: name, short: short, valueName: nil, help: help, section: section,
        required: false, repeatable: false, allowed: [], completion: .none, incidental: incidental)
    ) { options, _ in
      try set(&options)
    }
  }

  /// A bare word, known by its place among the arguments of the table.
  ///
  /// Only the last argument may be repeatable; it takes all words that are left.
  package static func argument<Value>(
    _ name: String, _ type: ValueType<Value>, help: String, required: Bool = true, repeatable: Bool = false,
    _ set: @escaping @Sendable (inout Options, Value) throws -> Void
  ) -> Parameter {
    Parameter(
      description: ParameterDescription(
        kind: .argument, name: name, short: nil, valueName: name, help: help, section: "Arguments",
        required: required, repeatable: repeatable, allowed: type.allowed, completion: type.completion,
        incidental: false)
    ) { options, word in
      try set(&options, type.parse(word ?? ""))
    }
  }

  /// The same parameter for an outer options struct that contains this one.
  package func pulled<Outer>(_ path: any WritableKeyPath<Outer, Options> & Sendable) -> Parameter<Outer> {
    let apply = self.apply
    return Parameter<Outer>(description: description) { outer, word in
      try apply(&outer[keyPath: path], word)
    }
  }
}

extension Array {
  /// The same parameters for an outer options struct that contains theirs.
  package func pulled<Outer, Options>(
    _ path: any WritableKeyPath<Outer, Options> & Sendable
  ) -> [Parameter<Outer>] where Element == Parameter<Options> {
    map { $0.pulled(path) }
  }
}
