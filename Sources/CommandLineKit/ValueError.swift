/// A word that is no value of its type, thrown by `ValueType.parse` and by setters.
///
/// The kit turns it into a `UsageError` that names the word and the parameter, so the message only says what is
/// wrong: "not one of ios, macos".
package struct ValueError: Error, Sendable, Equatable {
  /// What is wrong with the word, to stand after a colon: lower case, no full stop.
  package var message: String

  /// What to do next, such as "did you mean 'ios'?".
  package var hint: String?

  /// The id of the usage error it becomes.
  package var id: String

  /// Describes a word that does not parse.
  package init(_ message: String, hint: String? = nil, id: String = "usage.invalid-value") {
    self.message = message
    self.hint = hint
    self.id = id
  }
}
