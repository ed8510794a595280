/// One or several parameters of a command, and the value made from what was written for them.
///
/// A command's closure gets the values of its parameters in order: a required argument as its value, an
/// option as an optional, a repeatable parameter as an array, a flag as a Boolean, a group as whatever it
/// makes.
package struct Parameter<Value: Sendable>: Sendable {
  let descriptions: [ParameterDescription]

  let read: @Sendable (ParameterReader) throws(UsageError) -> Value
}

/// A parameter without its types: what help, documentation and completions need to know.
package struct ParameterDescription: Sendable {
  /// How a parameter is written.
  package enum Kind: Sendable, Hashable {
    case option, flag, argument
  }

  package let kind: Kind
  /// As written, including dashes ("--reason"), or an argument's name in capitals ("VERSION").
  package let name: String
  /// The letter that stands for the name: `-y` for `--yes`.
  package var short: Character?
  /// The placeholder for the value in help: an argument's own name, nil for a flag.
  package var valueName: String?
  package let help: String
  /// The heading for the parameter in help; "Arguments" for an argument.
  package var section = "Options"
  package var required = false
  package var repeatable = false
  /// The allowed words; empty if any word that parses is allowed.
  package var allowed: [String] = []
  package var completion: Completion = .none
  /// Whether it affects how a command runs or reports rather than what it does, and so is left out of the
  /// canonical form.
  package var incidental = false
  /// Whether it only says how other words are read, or when the command may run, and so is left out where a
  /// call is written down for later.
  package var transient = false
  /// Whether it makes the answer one that programs read as it comes.
  package var forPrograms = false
  /// What its value is used for as the name of a file or directory, nil if it names none; a flag with `input`
  /// makes the command read standard input.
  package var path: PathUse?
  /// The options any of which takes an argument's place, so that the next bare word is the next argument's.
  package var replacedBy: [String] = []
  package var reach: Reach = .remote
  /// The value that a word stands for; nil for a word that stands for none, and for a flag.
  var parse: @Sendable (String) -> (any Sendable)? = { _ in nil }
  var namesPath: @Sendable (String) -> Bool = { _ in false }

  /// Whether a word before any equals sign is its name.
  func isWritten(_ word: String) -> Bool {
    kind != .argument && (word == name || short.map { word == "-\($0)" } == true)
  }

  /// Whether one of the options that are given takes its place.
  func isReplaced(by options: Set<String>) -> Bool { replacedBy.contains(where: options.contains) }

  /// With its value, as errors and help show it: "--reason TEXT".
  package var label: String {
    guard kind == .option, let valueName else { return name }
    return "\(name) \(valueName)"
  }

  /// Whether it is one of the options that many commands have under a heading of their own.
  var isShared: Bool { kind != .argument && section != "Options" }
}

extension ParameterDescription {
  fileprivate init<Value: Sendable>(
    _ kind: Kind, _ name: String, _ valueName: String, _ type: ValueType<Value>, _ help: String,
    section: String = "Options", required: Bool = false, repeatable: Bool = false, incidental: Bool = false,
    transient: Bool = false, reach: Reach = .remote, replacedBy: [String] = []
  ) {
    self.init(
      kind: kind, name: name, valueName: valueName, help: help,
      section: kind == .argument ? "Arguments" : section, required: required, repeatable: repeatable,
      allowed: type.allowed, completion: type.completion, incidental: incidental, transient: transient,
      path: type.path, replacedBy: replacedBy, reach: reach, parse: { try? type.parse($0) },
      namesPath: type.namesPath)
  }
}

extension Parameter {
  /// A required bare word, identified by its place among the arguments of the table.
  package static func argument(_ name: String, _ type: ValueType<Value>, help: String) -> Parameter {
    .one(ParameterDescription(.argument, name, name, type, help, required: true), type)
  }

  /// A bare word that may be left out; if there are options that can take its place, only with one of those.
  package static func optionalArgument<Wrapped>(
    _ name: String, _ type: ValueType<Wrapped>, help: String, unless options: [String] = []
  ) -> Parameter where Value == Wrapped? {
    .several(
      ParameterDescription(
        .argument, name, name, type, help, required: !options.isEmpty, replacedBy: options), type
    ).map(\.first)
  }

  /// The words left after the other arguments; it must be the last argument.
  package static func arguments<Element>(
    _ name: String, _ type: ValueType<Element>, help: String, required: Bool = true
  ) -> Parameter where Value == [Element] {
    .several(
      ParameterDescription(.argument, name, name, type, help, required: required, repeatable: true), type)
  }

  /// An option with a value: `--reason TEXT` or `--reason=TEXT`.
  package static func option<Wrapped>(
    _ name: String, _ valueName: String, _ type: ValueType<Wrapped>, help: String,
    section: String = "Options", incidental: Bool = false, transient: Bool = false, reach: Reach = .remote
  ) -> Parameter where Value == Wrapped? {
    .several(
      ParameterDescription(
        .option, name, valueName, type, help, section: section, incidental: incidental,
        transient: transient, reach: reach), type
    ).map(\.first)
  }

  /// A required option.
  package static func requiredOption(
    _ name: String, _ valueName: String, _ type: ValueType<Value>, help: String
  ) -> Parameter {
    .one(ParameterDescription(.option, name, valueName, type, help, required: true), type)
  }

  /// An option that may be given more than once.
  package static func options<Element>(
    _ name: String, _ valueName: String, _ type: ValueType<Element>, help: String, reach: Reach = .remote
  ) -> Parameter where Value == [Element] {
    .several(ParameterDescription(.option, name, valueName, type, help, repeatable: true, reach: reach), type)
  }

  private static func one(_ description: ParameterDescription, _ type: ValueType<Value>) -> Parameter {
    Parameter(descriptions: [description]) { reader throws(UsageError) in
      // The scan has already checked that the word is there.
      guard let value = try reader.values(of: description, type).first else {
        throw reader.name.missing(description, of: reader.parameters)
      }
      return value
    }
  }

  private static func several<Element>(
    _ description: ParameterDescription, _ type: ValueType<Element>
  ) -> Parameter<[Element]> {
    Parameter<[Element]>(descriptions: [description]) { reader throws(UsageError) in
      try reader.values(of: description, type)
    }
  }

  /// Combines several parameters into one value; an error of `make` need not name the command.
  package static func group<each Part: Sendable>(
    _ parts: repeat Parameter<each Part>,
    make: @escaping @Sendable (repeat each Part) throws(UsageError) -> Value
  ) -> Parameter {
    var descriptions: [ParameterDescription] = []
    for part in repeat each parts { descriptions += part.descriptions }
    return Parameter(descriptions: descriptions) { reader throws(UsageError) in
      let values = (repeat try (each parts).read(reader))
      do throws(UsageError) {
        return try make(repeat each values)
      } catch {
        throw reader.name.named(error)
      }
    }
  }

  /// Several parameters of one type as one parameter.
  package static func list<Element>(_ parts: [Parameter<Element>]) -> Parameter where Value == [Element] {
    Parameter(descriptions: parts.flatMap(\.descriptions)) { reader throws(UsageError) in
      var values: [Element] = []
      for part in parts { values.append(try part.read(reader)) }
      return values
    }
  }

  /// The same parameters, with their value transformed.
  package func map<Other>(_ transform: @escaping @Sendable (Value) -> Other) -> Parameter<Other> {
    Parameter<Other>(descriptions: descriptions) { reader throws(UsageError) in transform(try read(reader)) }
  }
}

extension Parameter where Value == Bool {
  /// An option without a value: `--force`, optionally also with a letter, `-f`.
  ///
  /// The letter cannot be a digit, which would hide negative numbers, or `h`, which asks for help. Write it
  /// as `Character("f")`: in a table of parameters, Swift 6.3 takes a bare literal for a string.
  package static func flag(
    _ name: String, short: Character? = nil, help: String, section: String = "Options",
    incidental: Bool = false, forPrograms: Bool = false, path: PathUse? = nil, reach: Reach = .remote
  ) -> Parameter {
    let description = ParameterDescription(
      kind: .flag, name: name, short: short, help: help, section: section, incidental: incidental,
      forPrograms: forPrograms, path: path, reach: reach)
    return Parameter(descriptions: [description]) { !$0.all(of: description).isEmpty }
  }
}

extension Parameter where Value == Call {
  package static var call: Parameter { Parameter(descriptions: []) { $0.call } }
}

/// What is given for the parameters of one command.
struct ParameterReader {
  let parameters: [ParameterDescription]
  let given: [Given]
  let call: Call
  let name: CommandName

  func all(of parameter: ParameterDescription) -> [Given] {
    given.filter { $0.parameter.name == parameter.name }
  }

  func values<Element>(
    of parameter: ParameterDescription, _ type: ValueType<Element>
  ) throws(UsageError) -> [Element] {
    var values: [Element] = []
    for one in all(of: parameter) {
      do {
        values.append(try type.parse(one.value ?? ""))
      } catch {
        throw name.invalid(one, of: parameters, because: error)
      }
    }
    return values
  }
}
