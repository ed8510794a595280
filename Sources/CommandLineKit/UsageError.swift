/// Wrong usage of a command, for which a tool exits with `ExitCode.usage`; or why a word is not a value of its type,
/// worded to follow a colon, from which an error is made that names the word and the parameter.
package struct UsageError: Error, Sendable, Equatable {
  /// A stable id that scripts may rely on, such as "usage.unknown-option".
  package var id: String

  /// What was given and what is allowed: lower case, no full stop, words from the user made printable.
  package var message: String

  package var hint: String?

  /// Without the tool's own name; empty for the tool itself.
  package var path: [String]

  /// The id of a word that is not a value of its type.
  static let invalidValue = "usage.invalid-value"

  package init(id: String = "usage.invalid", message: String, hint: String? = nil, path: [String] = []) {
    (self.id, self.message, self.hint, self.path) = (id, message, hint, path)
  }
}

/// The full name of a command, and its errors.
struct CommandName: Sendable {
  let root: String
  let path: [String]
  /// Whether words can only be the names of its commands.
  var isGroup = false

  var full: String { ([root] + path).joined(separator: " ") }

  var helpHint: String {
    isGroup
      ? "run '\(([root, "help"] + path).joined(separator: " "))' to see the commands" : "run '\(full) --help'"
  }

  /// The command with its arguments in order: "pawl mark APP VERSION STATE".
  func line(_ parameters: [ParameterDescription]) -> String {
    ([full] + parameters.filter { $0.kind == .argument }.map(\.name)).joined(separator: " ")
  }

  func error(_ id: String, _ message: String, hint: String?) -> UsageError {
    UsageError(id: "usage." + id, message: message, hint: hint, path: path)
  }

  func named(_ error: UsageError) -> UsageError {
    guard error.path.isEmpty else { return error }
    var error = error
    error.path = path
    error.hint = error.hint ?? helpHint
    return error
  }

  /// The error for a parameter that is missing, and for others that are missing, too.
  func missing(
    _ first: ParameterDescription, _ others: ArraySlice<ParameterDescription> = [],
    of parameters: [ParameterDescription]
  ) -> UsageError {
    let kind = first.kind == .argument ? "argument" : "option"
    guard !others.isEmpty else {
      return error(
        "missing-\(kind)", "missing \(kind) '\(first.label)' for '\(full)'",
        hint: first.allowed.isEmpty
          ? helpHint : "\(first.valueName ?? "it") is one of " + first.allowed.joined(separator: ", "))
    }
    let missing = [first] + others
    let options = missing.filter { $0.kind == .option }.map(\.label)
    return error(
      "missing-\(kind)", "missing \(missing.map { "'\($0.label)'" }.joined(separator: ", ")) for '\(full)'",
      hint: "write '\(([line(parameters)] + options).joined(separator: " "))'; \(helpHint)")
  }

  func missingValue(of option: ParameterDescription, next: String?) -> UsageError {
    let message = "missing value for '\(option.label)'"
    guard let next else {
      return error(
        "missing-value", message,
        hint: option.allowed.isEmpty ? helpHint : "use one of " + option.allowed.joined(separator: ", "))
    }
    return error(
      "missing-value", "\(message): the next word is '\(quotable(next))'",
      hint: "use '\(option.name)=VALUE' for a value that looks like an option or a command")
  }

  func invalid(
    _ given: Given, of parameters: [ParameterDescription], because reason: any Error
  ) -> UsageError {
    let label = given.parameter.label
    let reason = reason as? UsageError
    // Only of types with a known set of words, since a text accepts anything.
    let isMisplaced =
      given.parameter.kind == .argument
      && parameters.contains { other in
        other.kind == .argument && other.name != given.parameter.name
          && ![.none, .file, .directory].contains(other.completion) && other.parse(given.value ?? "") != nil
      }
    return UsageError(
      id: reason?.id ?? UsageError.invalidValue,
      message: "invalid value '\(quotable(given.value ?? ""))' for '\(label)'"
        + (reason.map { ": \(printable($0.message))" } ?? ""),
      hint: isMisplaced
        ? "the order is '\(line(parameters))'" : reason?.hint.map { printable($0) } ?? helpHint, path: path)
  }

  func repeated(_ option: ParameterDescription, _ one: String?, _ other: String?) -> UsageError {
    var message = "option '\(option.name)' is given twice"
    if let one, let other { message += ": '\(quotable(one))' and '\(quotable(other))'" }
    return error("repeated-option", message, hint: "keep one of them")
  }

  func unexpectedArgument(_ word: String, _ parameters: [ParameterDescription]) -> UsageError {
    error(
      "unexpected-argument", "unexpected argument '\(quotable(word))' for '\(full)'",
      hint: isGroup || parameters.contains { $0.kind == .argument }
        ? helpHint : "'\(full)' takes no arguments")
  }

  func unexpectedValue(_ value: String?, of option: String) -> UsageError {
    error(
      "unexpected-value",
      "unexpected value '\(quotable(value ?? ""))': '\(quotable(option))' takes none",
      hint: "write '\(quotable(option))' alone")
  }

  func unknownOption(_ option: String, _ parameters: [ParameterDescription]) -> UsageError {
    let names = parameters.filter { $0.kind != .argument }.map(\.name) + ["--help"]
    let argument = parameters.first { $0.kind == .argument && "--" + $0.name.lowercased() == option }
    return error(
      "unknown-option", "unknown option '\(quotable(option))' for '\(full)'",
      hint: argument.map { "write \($0.name) without '\(option)': '\(line(parameters))'" }
        ?? closest(to: option, among: names).map { "did you mean '\($0)'?" } ?? helpHint)
  }
}

/// A word from the user, made safe to stand between single quotes in a message.
private func quotable(_ word: String) -> String { printable(word, limit: 80) }
