/// The wanted members of a JSON object as bytes, for callers that read a million objects and need little of
/// them.
///
/// Reads the same grammar as `JSON(parsing:)`, but makes no values: members are lent for as long as the text
/// is. So two things that only values show are not checked: whether an unwanted key occurs twice, and whether
/// a number is too great for its type.
package struct JSONMembers {
  /// The bytes of a value, and how to read them.
  package struct Slice {
    /// The value as it is written; a string without its quotes.
    package let bytes: UnsafeRawBufferPointer
    /// The first byte of the value: `"`, `{`, `[`, `t`, `f`, `n`, `-` or a digit.
    package let first: UInt8
    package let isEscaped: Bool

    package var isNull: Bool { first == UInt8(ascii: "n") }

    package var string: String? {
      guard first == UInt8(ascii: "\"") else { return nil }
      return isEscaped
        ? String(validating: unescaped, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
    }

    /// The bytes of a string without its escapes, which the scan has checked.
    private var unescaped: [UInt8] {
      var out: [UInt8] = []
      var rest = bytes[...]
      func codeUnit() -> UInt16 {
        defer { rest = rest.dropFirst(4) }
        return UInt16(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16) ?? 0
      }
      while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
          out.append(byte)
          continue
        }
        switch kind {
        case UInt8(ascii: "b"): out.append(0x08)
        case UInt8(ascii: "f"): out.append(0x0C)
        case UInt8(ascii: "n"): out.append(0x0A)
        case UInt8(ascii: "r"): out.append(0x0D)
        case UInt8(ascii: "t"): out.append(0x09)
        case UInt8(ascii: "u"):
          var units = [codeUnit()]
          if UTF16.isLeadSurrogate(units[0]) {
            rest = rest.dropFirst(2)
            units.append(codeUnit())
          }
          out.append(contentsOf: Array(String(decoding: units, as: UTF16.self).utf8))
        default: out.append(kind)
        }
      }
      return out
    }

    /// Nil also if it is not written the way pawl writes integers.
    package var integer: Int64? {
      guard first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else { return nil }
      return Int64(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// The keys that are wanted, in the order of their bytes.
  package let keys: [String]
  /// The value of each wanted key, at the same place; nil if the object does not have it.
  package private(set) var values: [Slice?]
  /// All keys as an object mostly has them, `"key":`, one after the other in a single array, which is faster
  /// to search than many.
  private let written: [UInt8]
  /// Where each key begins in `written`, and where the last one ends.
  private let starts: [Int]

  /// Makes a reader of some wanted keys, given in the order of their bytes.
  package init(_ keys: [String]) {
    self.keys = keys
    let words = keys.map { Array("\"\($0)\":".utf8) }
    written = words.flatMap { $0 }
    starts = words.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
    values = Array(repeating: nil, count: keys.count)
  }

  /// Reads an object.
  ///
  /// - Parameter text: Bytes that must stay valid for as long as `values` is used.
  /// - Returns: Whether it is one JSON object and nothing else, with no wanted key twice.
  package mutating func read(_ text: UnsafeRawBufferPointer) -> Bool {
    for index in values.indices { values[index] = nil }
    var scan = JSONScan(text)
    guard members(of: &scan), scan.isAtEnd else { return false }
    return !scan.hasWideBytes || String(validating: text, as: UTF8.self) != nil
  }

  private mutating func members(of scan: inout JSONScan) -> Bool {
    guard scan.take(UInt8(ascii: "{")) else { return false }
    if scan.take(UInt8(ascii: "}")) { return true }
    var expected = 0
    while true {
      var place: Int?
      if expected < keys.count, withWritten(expected, { scan.pass($0) }) {
        place = expected
      } else {
        guard let key = scan.key(), !key.isEscaped else { return false }
        place = self.place(of: key.bytes, after: expected)
      }
      guard let value = scan.value(depth: 1) else { return false }
      if let place {
        guard values[place] == nil else { return false }
        values[place] = value
        expected = place + 1
      }
      if scan.take(UInt8(ascii: "}")) { return true }
      guard scan.take(UInt8(ascii: ",")) else { return false }
    }
  }

  /// The place of a key among those wanted, nil for none; keys mostly come in the order in which they are
  /// wanted.
  private func place(of key: UnsafeRawBufferPointer, after expected: Int) -> Int? {
    // Compares with a key as it is written, without quotes and colon.
    func isKey(_ index: Int) -> Bool {
      withWritten(index) { key.isSame(as: UnsafeRawBufferPointer(rebasing: $0.dropFirst().dropLast(2))) }
    }
    for index in expected..<keys.count where isKey(index) { return index }
    for index in 0..<expected where isKey(index) { return index }
    return nil
  }

  private func withWritten<T>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> T) -> T {
    written.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[starts[index]..<starts[index + 1]])) }
  }

  /// Passes the elements of an array's bytes to the body for as long as it returns true.
  ///
  /// - Returns: Whether it is an array, and the body returned true for each element.
  package static func forEachElement(of slice: Slice, _ body: (Slice) -> Bool) -> Bool {
    var scan = JSONScan(slice.bytes)
    return scan.array { scan in scan.value(depth: 1).map(body) ?? false } && scan.isAtEnd
  }

  /// The value of a key in an object's bytes, both as they are written; nil if the key does not occur, or
  /// occurs twice.
  package static func member(_ key: Slice, of slice: Slice) -> Slice? {
    var scan = JSONScan(slice.bytes)
    var found: Slice?
    let isObject = scan.object { scan, name in
      guard !name.isEscaped, let value = scan.value(depth: 1) else { return false }
      guard name.bytes.isSame(as: key.bytes) else { return true }
      guard found == nil else { return false }
      found = value
      return true
    }
    return isObject && scan.isAtEnd ? found : nil
  }
}
