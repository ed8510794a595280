package import JSON

/// A field's value as a column holds it.
package enum StoredValue: Sendable, Equatable {
  case null
  case integer(Int64)
  case text(String)

  /// Whether both are the same to SQLite, which compares texts by their bytes.
  package static func == (left: StoredValue, right: StoredValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let one), .integer(let other)): one == other
    case (.text(let one), .text(let other)): one.isSpelled(as: other)
    case (.null, _), (.integer, _), (.text, _): false
    }
  }
}

/// A field's value, borrowed from a row.
package enum LentStoredValue {
  case null
  case integer(Int64)
  case text(UnsafeBufferPointer<UInt8>)
  /// A real number or bytes, which pawl never writes into a field.
  case other
}

/// A type that a field can hold, with one form in a column and one in JSON.
package protocol FieldValue: Sendable, Equatable {
  /// Reads the value of a column; nil for anything that pawl never writes.
  init?(cell: LentStoredValue)
  var cell: StoredValue { get }
  /// What is compared to tell whether two values are the same to the letter.
  var letter: StoredValue { get }
  /// Reads a member; nil for anything that pawl never writes.
  init?(member: JSON)
  var member: JSON { get }
}

extension FieldValue {
  package var letter: StoredValue { cell }
}

/// A value that is text both in columns and in JSON, with exactly one spelling.
package protocol TextValue: FieldValue {
  /// Reads the one spelling; nil for any other.
  init?(spelled bytes: UnsafeBufferPointer<UInt8>)
  var text: String { get }
}

extension TextValue {
  package init?(cell: LentStoredValue) {
    guard case .text(let bytes) = cell else { return nil }
    self.init(spelled: bytes)
  }

  package var cell: StoredValue { .text(text) }

  package init?(member: JSON) {
    guard var text = member.string else { return nil }
    let value = text.withUTF8 { Self(spelled: $0) }
    guard let value else { return nil }
    self = value
  }

  package var member: JSON { .string(text) }
}

extension String: TextValue {
  package init?(spelled bytes: UnsafeBufferPointer<UInt8>) {
    self.init(validated: bytes)
  }
  package var text: String { self }
  /// Whether it holds no control characters, those from U+0080 on included, but tab and line feed.
  package var isPlain: Bool {
    unicodeScalars.allSatisfy {
      $0 == "\t" || $0 == "\n" || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
    }
  }
}

extension Version: TextValue {
  package init?(spelled bytes: UnsafeBufferPointer<UInt8>) {
    guard let version = try? Version(bytes: bytes) else { return nil }
    self = version
  }
}

extension Timestamp: TextValue {
  package init?(spelled bytes: UnsafeBufferPointer<UInt8>) {
    // RFC 3339 has many spellings of a moment; the ledger has one.
    guard bytes.count == 20, bytes[10] == UInt8(ascii: "T"), bytes[19] == UInt8(ascii: "Z"),
      let moment = try? Timestamp(bytes: bytes), !(bytes[17] == UInt8(ascii: "6"))
    else { return nil }
    self = moment
  }

  package var letter: StoredValue { .integer(seconds) }
}

extension VersionRange: TextValue {
  package init?(spelled bytes: UnsafeBufferPointer<UInt8>) {
    // Most ranges are a single version, which has only one spelling.
    if let version = try? Version(bytes: bytes) {
      self = .exactly(version)
      return
    }
    guard let text = String(spelled: bytes), let range = try? VersionRange(text), range.text == text else {
      return nil
    }
    self = range
  }
}

extension SegmentPolicy: TextValue {
  package init?(spelled bytes: UnsafeBufferPointer<UInt8>) {
    guard let text = String(spelled: bytes) else { return nil }
    self.init(text)
  }
}

/// A value that is one of a few words.
package protocol WordValue: TextValue, RawRepresentable, Hashable where RawValue == String {}

extension WordValue {
  package init?(spelled bytes: UnsafeBufferPointer<UInt8>) {
    self.init(rawValue: String(decoding: bytes, as: UTF8.self))
  }
  package var text: String { rawValue }
}

extension Int64: FieldValue {
  package init?(cell: LentStoredValue) {
    guard case .integer(let value) = cell else { return nil }
    self = value
  }
  package var cell: StoredValue { .integer(self) }
  package init?(member: JSON) {
    guard let value = member.integer else { return nil }
    self = value
  }
  package var member: JSON { .integer(self) }
}

extension Bool: FieldValue {
  package init?(cell: LentStoredValue) {
    guard case .integer(let value) = cell, value == 0 || value == 1 else { return nil }
    self = value == 1
  }
  package var cell: StoredValue { .integer(self ? 1 : 0) }
  package init?(member: JSON) {
    guard let value = member.bool else { return nil }
    self = value
  }
  package var member: JSON { .bool(self) }
}

extension TimeSpan: FieldValue {
  package init?(cell: LentStoredValue) {
    guard case .integer(let seconds) = cell, seconds >= 0, TimeSpan(seconds: seconds).seconds == seconds
    else {
      return nil
    }
    self.init(seconds: seconds)
  }
  package var cell: StoredValue { .integer(seconds) }
  package init?(member: JSON) {
    guard let text = String(member: member), let span = TimeSpan(text), span.text == text else { return nil }
    self = span
  }
  package var member: JSON { .string(text) }
}

extension Array: FieldValue where Element: TextValue {
  package init?(cell: LentStoredValue) {
    guard let text = String(cell: cell) else { return nil }
    self.init(member: .array(text.split(separator: ",").map { .string(String($0)) }))
  }
  package var cell: StoredValue { .text(map(\.text).joined(separator: ",")) }
  package init?(member: JSON) {
    guard let elements = member.array else { return nil }
    self = elements.compactMap(Element.init(member:)).filter {
      !$0.text.isEmpty && !$0.text.utf8.contains(0x2C)
    }
    guard count == elements.count else { return nil }
  }
  package var member: JSON { .array(map(\.member)) }
}

extension Optional: FieldValue where Wrapped: FieldValue {
  package init?(cell: LentStoredValue) {
    if case .null = cell {
      self = Self.none
      return
    }
    guard let value = Wrapped(cell: cell) else { return nil }
    self = Self.some(value)
  }
  package var cell: StoredValue { self?.cell ?? .null }
  package var letter: StoredValue { self?.letter ?? .null }
  package init?(member: JSON) {
    if member == .null {
      self = Self.none
      return
    }
    guard let value = Wrapped(member: member) else { return nil }
    self = Self.some(value)
  }
  package var member: JSON { self?.member ?? .null }
}
