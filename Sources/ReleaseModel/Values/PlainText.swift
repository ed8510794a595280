/// Why a text is not a version, a range or a moment.
package struct TextFault: Error, Sendable, Equatable {
  /// What is wrong, worded to follow a colon, with the text's own characters.
  package let reason: String

  package init(_ reason: String) { self.reason = reason }

  package static let empty = TextFault("it is empty")
}

extension Change {
  /// The field that the change sets to a text with a NUL or another control character than tab and line feed;
  /// nil if every text is plain.
  ///
  /// A trusted key is kept as it came; PEM has carriage returns where someone's editor writes them.
  package var controlledField: String? {
    guard let record = sides.after, !(record is Trust) else { return nil }
    if let release = record as? Release, !release.notes.allSatisfy(\.text.isPlain) { return "notes" }
    return record.controlledField
  }
}

extension Record {
  /// Of the fields but the notes, whose texts are told apart by a NUL.
  fileprivate var controlledField: String? {
    zip(Self.columns.fields, fieldCells()).first { field, cell in
      if case .text(let text) = cell { field.name != "notes" && !text.isPlain } else { false }
    }?.0.name
  }
}

extension String {
  /// The text with a line feed for each carriage return and line feed.
  package var withLineFeeds: String {
    split(separator: "\r\n" as Character, omittingEmptySubsequences: false).joined(separator: "\n")
  }
}

extension String {
  /// Whether it has an allowed number of bytes, all of them ASCII letters, digits, or some marks.
  package func isWord(of length: ClosedRange<Int>, marks: String) -> Bool {
    length.contains(utf8.count)
      && utf8.allSatisfy {
        (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || marks.utf8.contains($0)
      }
  }
}

extension StringProtocol {
  /// Whether a text occurs in this one; `contains` would add a library of more than a megabyte.
  package func holds(_ text: String) -> Bool { rest(after: text) != nil }

  /// The text with each occurrence of a mark replaced; the library's own would bring in its regular expressions.
  package func replacing(each mark: String, by other: String) -> String {
    var (text, left) = ("", Substring(self))
    while !mark.isEmpty, let rest = String(left).rest(after: mark) {
      text += left.dropLast(rest.count + mark.count) + other
      left = rest
    }
    return text + left
  }

  /// What follows the first occurrence of a text, or nil.
  package func rest(after text: String) -> Substring? {
    var rest = Substring(self)
    // What begins with an ASCII character is looked for at that byte only.
    let first = text.first.flatMap { $0.utf8.count == 1 ? $0.utf8.first : nil }
    while !rest.starts(with: text) {
      guard !rest.isEmpty else { return nil }
      let next = first.map { rest.utf8.dropFirst().firstIndex(of: $0) ?? rest.endIndex }
      rest = rest[(next ?? rest.index(after: rest.startIndex))...]
    }
    return rest.dropFirst(text.count)
  }
}

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

extension String {
  /// The text without blanks, tabs and line ends at its ends.
  package var trimmed: String {
    let blanks: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
    guard let first = firstIndex(where: { !blanks($0) }), let last = lastIndex(where: { !blanks($0) }) else {
      return ""
    }
    return String(self[first...last])
  }
}
