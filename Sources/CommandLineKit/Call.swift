/// What was said, in canonical form: two ways of writing the same command are equal.
///
/// The words stand in the order of the command's table, then in their order of occurrence; incidental
/// parameters, such as those of output, are left out.
package struct Call: Sendable, Equatable {
  /// One parameter that was given.
  package struct Word: Sendable, Equatable {
    /// The parameter's name: "--bundle-id", "VERSION".
    package let name: String
    /// The value as written; nil for a flag.
    package let value: String?

    /// Names a parameter and what was written for it.
    package init(name: String, value: String?) {
      self.name = name
      self.value = value
    }
  }

  /// The command's names without the tool's own: `["app", "add"]`.
  package let path: [String]

  /// The parameters given, in canonical order.
  package let words: [Word]

  /// Puts a call together; the words are taken to be in canonical order.
  package init(path: [String], words: [Word]) {
    self.path = path
    self.words = words
  }
}
