/// The full name of a command, and its errors.
struct CommandName: Sendable, Equatable {
  let root: String
  let path: [String]

  var full: String { ([root] + path).joined(separator: " ") }

  var helpHint: String { "run '\(full) --help'" }

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

  func missing(_ parameter: ParameterDescription) -> UsageError {
    let kind = parameter.kind == .argument ? "argument" : "option"
    return error(
      "missing-\(kind)", "missing \(kind) '\(parameter.label)' for '\(full)'",
      hint: parameter.allowed.isEmpty
        ? helpHint
        : "\(parameter.valueName ?? "it") is one of " + parameter.allowed.joined(separator: ", "))
  }

  func invalid(
    _ value: String?, for parameter: ParameterDescription, because reason: any Error
  ) -> UsageError {
    let subject =
      value.map { "invalid value '\(quotable($0))' for '\(parameter.label)'" }
      ?? "invalid use of '\(parameter.label)'"
    guard let error = reason as? ValueError else {
      return self.error("invalid-value", subject, hint: helpHint)
    }
    return UsageError(
      id: error.id, message: "\(subject): \(printable(error.message))",
      hint: error.hint.map { printable($0) } ?? helpHint, path: path)
  }
}

/// A word from the user, made safe to stand between single quotes in a message.
func quotable(_ word: String) -> String {
  printable(word, limit: 80)
}
