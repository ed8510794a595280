extension Change {
  /// The field that the change sets to a text with a NUL or another control character than tab and line feed;
  /// nil if every text is plain.
  ///
  /// A trusted key is kept as it came; PEM has carriage returns where somebody's editor writes them.
  package var controlledField: String? {
    if let release { return release.controlledField }
    guard let record = sides.after, !(record is Trust) else { return nil }
    return record.controlledField
  }
}

extension String {
  /// The text with a line feed for each carriage return and line feed.
  package var withLineFeeds: String {
    guard utf8.contains(0x0D) else { return self }
    var scalars = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar == "\n", scalars.last == "\r" { scalars.removeLast() }
      scalars.append(scalar)
    }
    return String(scalars)
  }
}

extension Fields {
  fileprivate var controlledField: String? {
    var reader = PlainReader()
    var record = self
    do throws(FieldFault) {
      try record.visit(&reader)
    } catch {
      return error.name
    }
    return nil
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

private struct PlainReader: FieldVisitor {
  mutating func field<Value: FieldValue>(
    _ value: inout Value, _ column: String?, _ member: String?, _ kind: FieldKind
  ) throws(FieldFault) {
    if !value.isPlain { throw FieldFault(member ?? column ?? "") }
  }

  mutating func owner(_ column: String, _ member: String) {}

  mutating func group<Group: Fields>(_ value: inout Group?, _ member: String)
    throws(FieldFault)
  {
    try value?.visit(&self)
  }

  mutating func notes(_ notes: inout [Note], _ column: String) throws(FieldFault) {
    if !notes.allSatisfy(\.text.isPlain) { throw FieldFault("notes") }
  }
}
