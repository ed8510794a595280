/// One or several parameters of a command, and the value made from what was written for them.
///
/// A command's closure gets the values of its parameters in order: a required argument as its value, an
/// option as an optional, a repeatable parameter as an array, a flag as a Boolean, a group as whatever it
/// makes.
package struct Parameter<Value: Sendable>: Sendable {
  let slots: [ParameterSlot]

  let read: @Sendable (inout ParameterReader) throws(UsageError) -> Value
}

struct ParameterSlot: Sendable {
  let description: ParameterDescription

  let parse: @Sendable (String) -> (any Sendable)?

  let namesPath: @Sendable (String) -> Bool

  init<Value: Sendable>(
    _ kind: ParameterDescription.Kind, _ name: String, _ valueName: String, _ type: ValueType<Value>,
    help: String, section: String = "Options", required: Bool = false, repeatable: Bool = false,
    incidental: Bool = false, transient: Bool = false, reach: Reach = .remote, replacedBy: [String] = []
  ) {
    description = ParameterDescription(
      kind: kind, name: name, valueName: valueName, help: help,
      section: kind == .argument ? "Arguments" : section, required: required,
      repeatable: repeatable, allowed: type.allowed, completion: type.completion, incidental: incidental,
      transient: transient, path: type.path, replacedBy: replacedBy, reach: reach)
    parse = { try? type.parse($0) }
    namesPath = type.namesPath
  }

  init(_ flag: ParameterDescription) {
    description = flag
    parse = { _ in nil }
    namesPath = { _ in false }
  }
}

extension Parameter {
  /// A required bare word, identified by its place among the arguments of the table.
  package static func argument(_ name: String, _ type: ValueType<Value>, help: String) -> Parameter {
    .one(ParameterSlot(.argument, name, name, type, help: help, required: true), type)
  }

  /// A bare word that may be left out.
  package static func optionalArgument<Wrapped>(
    _ name: String, _ type: ValueType<Wrapped>, help: String
  ) -> Parameter where Value == Wrapped? {
    .several(ParameterSlot(.argument, name, name, type, help: help), type).map(\.first)
  }

  /// A bare word that is required unless one of some options is given, which takes its place.
  package static func argument<Wrapped>(
    _ name: String, _ type: ValueType<Wrapped>, help: String, unless options: [String]
  ) -> Parameter where Value == Wrapped? {
    .several(
      ParameterSlot(.argument, name, name, type, help: help, required: true, replacedBy: options), type
    ).map(\.first)
  }

  /// The words left after the other arguments; it must be the last argument.
  package static func arguments<Element>(
    _ name: String, _ type: ValueType<Element>, help: String, required: Bool = true
  ) -> Parameter where Value == [Element] {
    .several(
      ParameterSlot(.argument, name, name, type, help: help, required: required, repeatable: true), type)
  }

  /// An option with a value: `--reason TEXT` or `--reason=TEXT`.
  package static func option<Wrapped>(
    _ name: String, _ valueName: String, _ type: ValueType<Wrapped>, help: String,
    section: String = "Options", incidental: Bool = false, transient: Bool = false, reach: Reach = .remote
  ) -> Parameter where Value == Wrapped? {
    .several(
      ParameterSlot(
        .option, name, valueName, type, help: help, section: section, incidental: incidental,
        transient: transient, reach: reach), type
    ).map(\.first)
  }

  /// A required option.
  package static func requiredOption(
    _ name: String, _ valueName: String, _ type: ValueType<Value>, help: String
  ) -> Parameter {
    .one(ParameterSlot(.option, name, valueName, type, help: help, required: true), type)
  }

  /// An option that may be given more than once.
  package static func options<Element>(
    _ name: String, _ valueName: String, _ type: ValueType<Element>, help: String, reach: Reach = .remote
  ) -> Parameter where Value == [Element] {
    .several(ParameterSlot(.option, name, valueName, type, help: help, repeatable: true, reach: reach), type)
  }

  private static func one(_ slot: ParameterSlot, _ type: ValueType<Value>) -> Parameter {
    Parameter(slots: [slot]) { reader throws(UsageError) in
      // The scan has already checked that the word is there.
      guard let value = try reader.values(type).first else { throw reader.name.missing(slot.description) }
      return value
    }
  }

  private static func several<Element>(
    _ slot: ParameterSlot, _ type: ValueType<Element>
  ) -> Parameter<[Element]> {
    Parameter<[Element]>(slots: [slot]) { reader throws(UsageError) in try reader.values(type) }
  }

  /// Combines several parameters into one value; an error of `make` need not name the command.
  package static func group<each Part: Sendable>(
    _ parts: repeat Parameter<each Part>,
    make: @escaping @Sendable (repeat each Part) throws(UsageError) -> Value
  ) -> Parameter {
    var slots: [ParameterSlot] = []
    for part in repeat each parts { slots += part.slots }
    return Parameter(slots: slots) { reader throws(UsageError) in
      let values = (repeat try (each parts).read(&reader))
      do throws(UsageError) {
        return try make(repeat each values)
      } catch {
        throw reader.name.named(error)
      }
    }
  }

  /// Several parameters of one type as one parameter.
  package static func list<Element>(_ parts: [Parameter<Element>]) -> Parameter where Value == [Element] {
    Parameter(slots: parts.flatMap(\.slots)) { reader throws(UsageError) in
      var values: [Element] = []
      for part in parts { values.append(try part.read(&reader)) }
      return values
    }
  }

  /// The same parameters, with their value transformed.
  package func map<Other>(_ transform: @escaping @Sendable (Value) -> Other) -> Parameter<Other> {
    Parameter<Other>(slots: slots) { reader throws(UsageError) in transform(try read(&reader)) }
  }
}

extension Parameter where Value == Bool {
  /// An option without a value: `--force`, optionally also with a letter, `-f`.
  ///
  /// The letter cannot be a digit, which would hide negative numbers, or `h`, which asks for help. Write it
  /// as `Character("f")`: in a table of parameters, Swift 6.3 takes a bare literal for a string.
  package static func flag(
    _ name: String, short: Character? = nil, help: String, section: String = "Options",
    incidental: Bool = false, path: PathUse? = nil, reach: Reach = .remote
  ) -> Parameter {
    let description = ParameterDescription(
      kind: .flag, name: name, short: short, help: help, section: section, incidental: incidental, path: path,
      reach: reach)
    return Parameter(slots: [ParameterSlot(description)]) { !$0.take().isEmpty }
  }
}

extension Parameter where Value == Call {
  package static var call: Parameter { Parameter(slots: []) { $0.call } }
}

/// Reads the words of one command into values, parameter by parameter in the order of the table.
struct ParameterReader {
  let slots: [ParameterSlot]
  let occurrences: [Occurrence]
  let call: Call
  let name: CommandName
  private var next = 0

  init(slots: [ParameterSlot], occurrences: [Occurrence], call: Call, name: CommandName) {
    self.slots = slots
    self.occurrences = occurrences
    self.call = call
    self.name = name
  }

  mutating func take() -> [Occurrence] {
    defer { next += 1 }
    return occurrences.filter { $0.parameter == next }
  }

  mutating func values<Element>(_ type: ValueType<Element>) throws(UsageError) -> [Element] {
    var values: [Element] = []
    for occurrence in take() {
      do {
        values.append(try type.parse(occurrence.value ?? ""))
      } catch {
        var error = name.invalid(
          occurrence.value, for: slots[occurrence.parameter].description, because: error)
        if isMisplaced(occurrence) {
          error.hint = "the order is '\(name.line(slots.map(\.description)))'"
        }
        throw error
      }
    }
    return values
  }

  /// Whether a refused argument would fit another parameter, whose own word, if any, would fit this one.
  ///
  /// Only types with a known set of words count, since a text accepts anything.
  private func isMisplaced(_ refused: Occurrence) -> Bool {
    guard slots[refused.parameter].description.kind == .argument else { return false }
    return slots.indices.contains { index in
      let slot = slots[index]
      guard index != refused.parameter, slot.description.kind == .argument,
        slot.description.completion.knowsWords, slot.parse(refused.value ?? "") != nil
      else { return false }
      guard let other = occurrences.first(where: { $0.parameter == index }) else { return true }
      return slots[refused.parameter].parse(other.value ?? "") != nil
    }
  }
}

extension Completion {
  /// Whether values of this kind can be told apart from other words.
  fileprivate var knowsWords: Bool {
    switch self {
    case .none, .file, .directory: false
    case .values, .custom: true
    }
  }
}
