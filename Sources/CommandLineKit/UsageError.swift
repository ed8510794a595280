/// Wrong usage of a command, for which a tool exits with `ExitCode.usage`.
package struct UsageError: Error, Sendable, Equatable {
  /// A stable id that scripts may rely on, such as "usage.unknown-option".
  package var id: String

  /// What was given and what is allowed: lower case, no full stop, words from the user made printable.
  package var message: String

  /// What to do next, such as "did you mean '--format'?".
  package var hint: String?

  /// The command it belongs to, without the tool's own name; empty for the tool itself.
  package var path: [String]

  /// Describes wrong usage; a command that throws it from `run` need not set the path, which is then added.
  package init(
    id: String = "usage.invalid", message: String, hint: String? = nil, path: [String] = []
  ) {
    self.id = id
    self.message = message
    self.hint = hint
    self.path = path
  }
}

/// A word that is not a value of its type, thrown by `ValueType.parse` and by setters.
///
/// It becomes a `UsageError` that names the word and the parameter, so the message only says what is wrong:
/// "not one of ios, macos".
package struct ValueError: Error, Sendable, Equatable {
  /// What is wrong with the word, worded to follow a colon: lower case, no full stop.
  package var message: String

  /// What to do next, such as "did you mean 'ios'?".
  package var hint: String?

  package var id: String

  package init(_ message: String, hint: String? = nil, id: String = "usage.invalid-value") {
    self.message = message
    self.hint = hint
    self.id = id
  }
}
