/// Wrong usage of a command, for which a tool exits with `ExitCode.usage`.
package struct UsageError: Error, Sendable, Equatable {
  /// A stable id that scripts may rely on, such as "usage.unknown-option".
  package var id: String

  /// What was given and what is allowed: lower case, no full stop, words from the user made printable.
  package var message: String

  package var hint: String?

  /// Without the tool's own name; empty for the tool itself.
  package var path: [String]

  package init(
    id: String = "usage.invalid", message: String, hint: String? = nil, path: [String] = []
  ) {
    self.id = id
    self.message = message
    self.hint = hint
    self.path = path
  }
}

/// Why a word is not a value of its type, which becomes a `UsageError` that names the word and the parameter.
package struct ValueError: Error, Sendable, Equatable {
  /// Worded to follow a colon: lower case, no full stop.
  package var message: String

  package var hint: String?

  package var id: String

  package init(message: String, hint: String? = nil, id: String = "usage.invalid-value") {
    self.message = message
    self.hint = hint
    self.id = id
  }
}
