/// Text that people wrote, kept as it is: two spellings of one character make two different texts.
///
/// Swift strings are equal if Unicode calls them equivalent. A client gets bytes, so here the bytes decide.
@propertyWrapper package struct Verbatim<Text: VerbatimText>: Sendable, Equatable {
  package var wrappedValue: Text

  package init(wrappedValue: Text) { self.wrappedValue = wrappedValue }

  package static func == (left: Verbatim, right: Verbatim) -> Bool {
    left.wrappedValue.isSpelled(as: right.wrappedValue)
  }
}

/// Something that can be kept as it was written: text, text that may be missing, or texts by name.
package protocol VerbatimText: Sendable {
  func isSpelled(as other: Self) -> Bool
}

extension String: VerbatimText {
  /// Whether both have the same bytes.
  package func isSpelled(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Optional: VerbatimText where Wrapped == String {
  /// Whether both have the same bytes, or both are missing.
  package func isSpelled(as other: String?) -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    return self.isSpelled(as: other)
  }
}

extension Dictionary: VerbatimText where Key == String, Value == String {
  /// Whether both have texts of the same bytes under the same names.
  package func isSpelled(as other: [String: String]) -> Bool {
    count == other.count && allSatisfy { name, text in other[name]?.isSpelled(as: text) == true }
  }
}
