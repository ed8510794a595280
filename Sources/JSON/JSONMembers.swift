/// The members of one JSON object as the bytes that stand for them, for who reads a million objects and wants few of them.
///
/// Reads as strictly as `JSON(parsing:)`, but makes no values: members are lent for as long as the text is.
package struct JSONMembers {
  /// The bytes of a value, and how they are to be understood.
  package struct Slice {
    /// What stands there: a string without its quotes, anything else as it is written.
    package let bytes: UnsafeRawBufferPointer
    /// The first byte of the value: `"`, `{`, `[`, `t`, `f`, `n`, `-` or a digit.
    package let first: UInt8
    /// Whether a string has escapes in it.
    package let isEscaped: Bool

    /// Whether it is null.
    package var isNull: Bool { first == UInt8(ascii: "n") }
  }

  /// The keys that are wanted, in the order of their bytes.
  package let keys: [String]
  /// The value of each wanted key, at the same place; nil where the object does not have it.
  package private(set) var values: [Slice?]
  /// The bytes of all keys, one after the other: one array is looked at faster than many.
  private let keyBytes: [UInt8]
  /// Where each key begins in them, and where the last one ends.
  private let starts: [Int]

  /// Wants some keys, given in the order of their bytes.
  package init(_ keys: [String]) {
    self.keys = keys
    keyBytes = keys.flatMap(\.utf8)
    starts = keys.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.utf8.count) }
    values = Array(repeating: nil, count: keys.count)
  }

  /// Reads an object.
  ///
  /// - Parameter text: Bytes that must stay where they are for as long as `values` is looked at.
  /// - Returns: Whether it is one JSON object and nothing else, with no wanted key twice.
  package mutating func read(_ text: UnsafeRawBufferPointer) -> Bool {
    for index in values.indices { values[index] = nil }
    var scan = JSONScan(text)
    var expected = 0
    let isObject = scan.object { key, value in
      guard let place = place(of: key, after: expected) else { return true }
      guard values[place] == nil else { return false }
      values[place] = value
      expected = place + 1
      return true
    }
    guard isObject, scan.isAtEnd else { return false }
    return !scan.hasWideBytes || String(validating: text, as: UTF8.self) != nil
  }

  /// Where a key is wanted; the keys of an object mostly come in the order in which they are wanted.
  private func place(of key: UnsafeRawBufferPointer, after expected: Int) -> Int? {
    for index in expected..<keys.count where isSame(key, index) { return index }
    for index in 0..<expected where isSame(key, index) { return index }
    return nil
  }

  private func isSame(_ key: UnsafeRawBufferPointer, _ index: Int) -> Bool {
    let start = starts[index]
    guard key.count == starts[index + 1] - start else { return false }
    for place in 0..<key.count where key[place] != keyBytes[start + place] { return false }
    return true
  }

  /// Counts the elements of an array's bytes; nil where it is none.
  package static func count(_ slice: Slice) -> Int64? {
    var count: Int64 = 0
    return forEachElement(of: slice) { _ in
      count += 1
      return true
    } ? count : nil
  }

  /// Goes through the elements of an array's bytes for as long as the body says true.
  ///
  /// - Returns: Whether it is an array, and the body said true to each.
  package static func forEachElement(of slice: Slice, _ body: (Slice) -> Bool) -> Bool {
    var scan = JSONScan(slice.bytes)
    return scan.array(body) && scan.isAtEnd
  }

  /// The member of an object's bytes that has a key, both as they are written; nil where there is none, or two.
  package static func member(_ key: Slice, of slice: Slice) -> Slice? {
    var scan = JSONScan(slice.bytes)
    var found: Slice?
    let isObject = scan.object { name, value in
      guard name.isSame(as: key.bytes) else { return true }
      guard found == nil else { return false }
      found = value
      return true
    }
    return isObject && scan.isAtEnd ? found : nil
  }
}

/// Goes through JSON text (RFC 8259) without making anything of it.
private struct JSONScan {
  let text: UnsafeRawBufferPointer
  var position = 0
  /// Whether a byte beyond ASCII was met, so that the encoding has to be looked at.
  var hasWideBytes = false

  init(_ text: UnsafeRawBufferPointer) { self.text = text }

  /// Whether nothing but blanks is left.
  var isAtEnd: Bool {
    mutating get {
      skipBlanks()
      return position == text.count
    }
  }

  private var current: UInt8? { position < text.count ? text[position] : nil }

  private mutating func skipBlanks() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard position < text.count, text[position] == byte else { return false }
    position += 1
    return true
  }

  mutating func object(
    depth: Int = 0, _ member: (UnsafeRawBufferPointer, JSONMembers.Slice) -> Bool
  ) -> Bool {
    skipBlanks()
    guard take(UInt8(ascii: "{")) else { return false }
    skipBlanks()
    if take(UInt8(ascii: "}")) { return true }
    while true {
      skipBlanks()
      guard let key = string(), !key.isEscaped else { return false }
      skipBlanks()
      guard take(UInt8(ascii: ":")) else { return false }
      skipBlanks()
      guard let value = value(depth: depth + 1), member(key.bytes, value) else { return false }
      skipBlanks()
      if take(UInt8(ascii: "}")) { return true }
      guard take(UInt8(ascii: ",")) else { return false }
    }
  }

  mutating func array(depth: Int = 0, _ element: (JSONMembers.Slice) -> Bool) -> Bool {
    skipBlanks()
    guard take(UInt8(ascii: "[")) else { return false }
    skipBlanks()
    if take(UInt8(ascii: "]")) { return true }
    while true {
      skipBlanks()
      guard let value = value(depth: depth + 1), element(value) else { return false }
      skipBlanks()
      if take(UInt8(ascii: "]")) { return true }
      guard take(UInt8(ascii: ",")) else { return false }
    }
  }

  private mutating func value(depth: Int) -> JSONMembers.Slice? {
    guard depth < JSON.maximumDepth, let first = current else { return nil }
    let start = position
    switch first {
    case UInt8(ascii: "\""): return string()
    case UInt8(ascii: "{"): guard object(depth: depth, { _, _ in true }) else { return nil }
    case UInt8(ascii: "["): guard array(depth: depth, { _ in true }) else { return nil }
    case UInt8(ascii: "t"): guard word("true") else { return nil }
    case UInt8(ascii: "f"): guard word("false") else { return nil }
    case UInt8(ascii: "n"): guard word("null") else { return nil }
    default: guard number() else { return nil }
    }
    return JSONMembers.Slice(
      bytes: UnsafeRawBufferPointer(rebasing: text[start..<position]), first: first, isEscaped: false)
  }

  private mutating func word(_ word: StaticString) -> Bool {
    guard text.count - position >= word.utf8CodeUnitCount else { return false }
    for index in 0..<word.utf8CodeUnitCount where text[position + index] != word.utf8Start[index] {
      return false
    }
    position += word.utf8CodeUnitCount
    return true
  }

  private mutating func string() -> JSONMembers.Slice? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    let start = position
    var isEscaped = false
    while position < text.count {
      let byte = text[position]
      if byte == UInt8(ascii: "\"") {
        let bytes = UnsafeRawBufferPointer(rebasing: text[start..<position])
        position += 1
        return JSONMembers.Slice(bytes: bytes, first: UInt8(ascii: "\""), isEscaped: isEscaped)
      }
      guard byte >= 0x20 else { return nil }
      if byte >= 0x80 { hasWideBytes = true }
      if byte == UInt8(ascii: "\\") {
        isEscaped = true
        guard escape() else { return nil }
      } else {
        position += 1
      }
    }
    return nil
  }

  /// Passes over an escape; whether a `\u` makes sense is looked at by who reads the string.
  private mutating func escape() -> Bool {
    position += 1
    guard let byte = current else { return false }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "u"):
      return true
    default: return false
    }
  }

  private mutating func digits() -> Bool {
    let start = position
    while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
    return position > start
  }

  private mutating func number() -> Bool {
    _ = take(UInt8(ascii: "-"))
    let start = position
    guard digits(), text[start] != 0x30 || position == start + 1 else { return false }
    if take(UInt8(ascii: ".")) { guard digits() else { return false } }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      guard digits() else { return false }
    }
    return true
  }
}
