/// A command by its full name, and the errors that name it.
struct CommandName: Sendable, Equatable {
  let root: String
  let path: [String]

  /// The name as typed: "pawl app add".
  var full: String { ([root] + path).joined(separator: " ") }

  var helpHint: String { "run '\(full) --help'" }

  /// The command with its arguments, in their order: "pawl mark APP VERSION STATE".
  func line(_ parameters: [ParameterDescription]) -> String {
    ([full] + parameters.filter { $0.kind == .argument }.map(\.name)).joined(separator: " ")
  }

  func error(_ id: String, _ message: String, hint: String?) -> UsageError {
    UsageError(id: "usage." + id, message: message, hint: hint, path: path)
  }

  /// A value refused by its type or its setter.
  func invalid(
    _ value: String?, for parameter: ParameterDescription, because reason: any Error
  ) -> UsageError {
    // A setter that knows the whole error keeps it, but for the command, which it need not know.
    if var error = reason as? UsageError {
      if error.path.isEmpty { error.path = path }
      return error
    }
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

/// A word of the user's, fit to stand between single quotes in a message.
func quotable(_ word: String) -> String {
  printable(word, limit: 80)
}
